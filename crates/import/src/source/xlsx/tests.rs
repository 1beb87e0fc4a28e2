//! Synthetic workbooks: valid, damaged, and small ones that expand beyond the limit.

use super::*;
use flate2::{Compression, write::DeflateEncoder};
use std::io::Write as _;

/// A zip of these parts; every second one is compressed.
fn zip(parts: &[(&str, String)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (i, (name, text)) in parts.iter().enumerate() {
        let (method, data) = if i % 2 == 0 {
            (0u16, text.as_bytes().to_vec())
        } else {
            let mut e = DeflateEncoder::new(Vec::new(), Compression::default());
            e.write_all(text.as_bytes()).unwrap();
            (8u16, e.finish().unwrap())
        };
        let offset = out.len() as u32;
        let sizes = [(data.len() as u32).to_le_bytes(), (text.len() as u32).to_le_bytes()].concat();
        let name_len = (name.len() as u16).to_le_bytes();
        out.extend(b"PK\x03\x04\x14\0\0\0");
        out.extend(method.to_le_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let crc = crc.sum().to_le_bytes();
        out.extend([0; 4]);
        out.extend(crc);
        out.extend(&sizes);
        out.extend(name_len);
        out.extend([0, 0]);
        out.extend(name.as_bytes());
        out.extend(&data);
        directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0");
        directory.extend(method.to_le_bytes());
        directory.extend([0; 4]);
        directory.extend(crc);
        directory.extend(&sizes);
        directory.extend(name_len);
        directory.extend([0; 12]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, len) = (out.len() as u32, directory.len() as u32);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = (parts.len() as u16).to_le_bytes();
    out.extend([count, count].concat());
    out.extend(len.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn workbook() -> Vec<u8> {
    let types = "&quot;&apos;".replace("&quot;&apos;", "('c10::BFloat16', 'c10::BFloat16')");
    let header = [
        "name",
        "param: M",
        "param: N",
        "param: K",
        "param: bias",
        "param: dtype_A_B",
        "Kernel Time (µs)_mean",
        "Kernel Time (µs)_sum",
        "name_count",
    ];
    let strings: String = header
        .iter()
        .chain(&["aten::mm", &types])
        .map(|s| format!("<si><t xml:space=\"preserve\">{s}</t></si>"))
        .collect();
    let cell = |i: usize, t: &str, v: &str| {
        format!("<c r=\"{}3\" t=\"{t}\"><v>{v}</v></c>", char::from(b'A' + i as u8))
    };
    let head: String =
        (0..header.len()).map(|i| cell(i, "s", &i.to_string()).replace("3\" t", "1\" t")).collect();
    let row = [
        cell(0, "s", "9"),
        cell(1, "n", "8944"),
        cell(2, "n", "2816"),
        cell(3, "n", "1024"),
        cell(4, "b", "0"),
        cell(5, "s", "10"),
        cell(6, "n", "110.5"),
        cell(7, "n", "5304"),
        cell(8, "n", "48"),
    ]
    .concat();
    let timeline = "<worksheet><sheetData><row r=\"1\"><c t=\"inlineStr\"><is><t>type</t></is></c><c t=\"inlineStr\"><is><t>time ms</t></is></c><c t=\"inlineStr\"><is><t>percent</t></is></c></row>\
                    <row r=\"2\"><c t=\"inlineStr\"><is><t>computation_time</t></is></c><c><v>29.7</v></c><c><v>89.7</v></c></row><row r=\"3\"><c t=\"inlineStr\"><is><t>total_time</t></is></c><c><v>33.1</v></c><c><v>100</v></c></row></sheetData></worksheet>";
    zip(&[
        ("[Content_Types].xml", "<Types/>".into()),
        ("xl/workbook.xml", "<workbook xmlns:r=\"x\"><sheets><sheet name=\"gpu_timeline\" sheetId=\"1\" r:id=\"rId1\"/><sheet name=\"GEMM\" sheetId=\"2\" r:id=\"rId2\"/><sheet name=\"empty\" sheetId=\"3\" r:id=\"rId3\"/></sheets></workbook>".into()),
        ("xl/_rels/workbook.xml.rels", "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/><Relationship Id='rId2' Target='/xl/worksheets/sheet2.xml'/><Relationship Id=\"rId3\" Target=\"worksheets/sheet3.xml\"/></Relationships>".into()),
        ("xl/sharedStrings.xml", format!("<?xml version=\"1.0\"?><sst>{strings}</sst>")),
        ("xl/worksheets/sheet1.xml", timeline.into()),
        ("xl/worksheets/sheet2.xml", format!("<worksheet><sheetData><row r=\"1\">{head}</row><row r=\"3\">{row}</row></sheetData></worksheet>")),
        ("xl/worksheets/sheet3.xml", "<worksheet><sheetData/></worksheet>".into()),
    ])
}

#[test]
fn the_sheet_of_gemms_and_the_timeline_beside_it() {
    let bytes = workbook();
    for step in [1, 3, 100_000] {
        let mut session = crate::Session::new("perf_report.xlsx", ImportOptions::default());
        for slice in bytes.chunks(step) {
            session.feed(slice).unwrap();
        }
        let d = match session.finish() {
            Ok(Imported::Table(d)) => d,
            other => panic!("{other:?}"),
        };
        assert_eq!((d.m[0], d.n[0], d.k[0], d.count(0), d.line[0]), (8944, 2816, 1024, 48.0, 3));
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), s.name.as_str()), ("tracelens", "perf_report.xlsx"));
        let total = s.trace.as_ref().and_then(|t| t.total_s);
        assert!(total.is_some_and(|t| (t / 33.1e-3 - 1.0).abs() < 1e-12), "{total:?}");
        assert!(s.notes[0].contains("GEMM"));
    }
}

#[test]
fn damaged_workbooks_are_refused() {
    let whole = workbook();
    for cut in [4, 30, whole.len() / 2, whole.len() - 5] {
        let e = read_all("x.xlsx", &whole[..cut], &ImportOptions::default()).unwrap_err();
        assert!(e.message.contains("Excel"), "{e}");
    }
    let read = |bytes: &[u8]| read_all("x.xlsx", bytes, &ImportOptions::default());
    let good = read(&whole).unwrap();
    for i in (0..whole.len()).step_by(7) {
        let mut bad = whole.clone();
        bad[i] ^= 0xff;
        // Contents are verified, so a damaged file never yields other values.
        if let (Ok(Imported::Table(d)), Imported::Table(g)) = (read(&bad), &good) {
            assert_eq!((&d.m, &d.n, &d.k), (&g.m, &g.n, &g.k), "byte {i}");
        }
    }
    let e = read_all("x.zip", &zip(&[("a.csv", "M,N,K".into())]), &ImportOptions::default())
        .unwrap_err();
    assert!(e.message.contains("zip archive"), "{e}");
}

#[test]
fn cells_and_columns() {
    assert_eq!((column_of("A1"), column_of("AB7"), column_of("7")), (Some(0), Some(27), None));
    assert_eq!(unescape("a &lt; b &amp; c&#x41;&#66; &x"), "a < b & cAB &x");
    let csv = csv_of(
        "<row r=\"2\"><c r=\"B2\"><v>1</v></c><c r=\"D2\" t=\"str\"><v>a,&quot;b</v></c></row>",
        &[],
        1 << 20,
    );
    assert_eq!(csv.unwrap(), "\n,1,,\"a,\"\"b\"\n");
}

fn csv_of(xml: &str, strings: &[String], most: usize) -> Result<String, ImportError> {
    sheet_csv(xml, strings, &DateStyles::default(), &mut Budget::new(most))
}

/// A workbook with these sheets as (name, part, XML); sheets without XML refer to the part of another.
fn workbook_of(sheets: &[(&str, &str, Option<String>)], strings: &str) -> Vec<u8> {
    workbook_with(sheets, strings, "")
}

/// The same with cell styles.
fn workbook_with(sheets: &[(&str, &str, Option<String>)], strings: &str, styles: &str) -> Vec<u8> {
    let (mut list, mut links) = (String::new(), String::new());
    for (i, (name, part, _)) in sheets.iter().enumerate() {
        list += &format!("<sheet name=\"{name}\" sheetId=\"{i}\" r:id=\"r{i}\"/>");
        links += &format!("<Relationship Id=\"r{i}\" Target=\"{part}\"/>");
    }
    let mut parts = vec![
        ("xl/workbook.xml".to_owned(), format!("<workbook><sheets>{list}</sheets></workbook>")),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships>{links}</Relationships>"),
        ),
        ("x".to_owned(), String::new()),
        ("xl/sharedStrings.xml".to_owned(), format!("<sst>{strings}</sst>")),
        ("xl/styles.xml".to_owned(), styles.to_owned()),
        ("y".to_owned(), String::new()),
    ];
    for (_, part, xml) in sheets {
        if let Some(xml) = xml {
            // An empty part before each, because every second part is compressed.
            parts.push((format!("x{part}"), String::new()));
            parts.push((format!("xl/{part}"), xml.clone()));
        }
    }
    let parts: Vec<(&str, String)> = parts.iter().map(|(n, x)| (n.as_str(), x.clone())).collect();
    zip(&parts)
}

const GEMM: &str = "<row r=\"1\"><c t=\"str\"><v>M</v></c><c t=\"str\"><v>N</v></c><c t=\"str\"><v>K</v></c>\
                    <c t=\"str\"><v>time_us</v></c></row><row r=\"2\"><c><v>64</v></c><c><v>32</v></c><c><v>16</v></c><c><v>5</v></c></row>";

/// Reads with a budget of 1 MiB.
fn within_a_mib(bytes: &[u8]) -> Result<Imported, ImportError> {
    read_within("x.xlsx", bytes, &ImportOptions::default(), Budget::new(1 << 20))
}

#[test]
fn a_small_workbook_never_takes_much_memory() {
    let far = "<row><c r=\"XFD1\"><v>1</v></c></row>".repeat(200);
    let text = "<si><t>".to_owned() + &"long ".repeat(2_000) + "</t></si>";
    let named = "<row><c t=\"s\"><v>0</v></c></row>".repeat(200);
    let gaps: String = (1..20).map(|i| format!("<row r=\"{}\"></row>", i * 50_000)).collect();
    let long = "<row><c><v>".to_owned() + &"1".repeat(2 << 20) + "</v></c></row>";
    for (what, sheets, strings) in [
        ("far columns", vec![("a", "a.xml", Some(far))], ""),
        ("a shared string", vec![("a", "a.xml", Some(named))], text.as_str()),
        (
            "gaps in two sheets",
            vec![("a", "a.xml", Some(gaps.clone())), ("b", "b.xml", Some(gaps))],
            "",
        ),
        ("a long part", vec![("a", "a.xml", Some(long))], ""),
    ] {
        let bytes = workbook_of(&sheets, strings);
        assert!(bytes.len() < 40_000, "{what}: {} bytes", bytes.len());
        let e = within_a_mib(&bytes).unwrap_err();
        assert!(e.message.contains("takes more than 1 MiB"), "{what}: {e}");
    }
}

#[test]
fn a_part_is_unpacked_once_however_many_sheets_name_it() {
    let rows = GEMM.to_owned() + &"<row><c><v>64</v></c></row>".repeat(1_000);
    let mut sheets = vec![("a", "a.xml", Some(rows))];
    sheets.extend(std::iter::repeat_n(("b", "a.xml", None), 2_000));
    let Ok(Imported::Table(data)) = within_a_mib(&workbook_of(&sheets, "")) else {
        panic!("not read")
    };
    assert_eq!((data.len(), data.sources[0].rows_read), (1, 1_001));
    let many: Vec<String> = (0..=MAX_SHEETS).map(|i| format!("{i}.xml")).collect();
    let sheets: Vec<_> = many.iter().map(|p| (p.as_str(), p.as_str(), None)).collect();
    let e = within_a_mib(&workbook_of(&sheets, "")).unwrap_err();
    assert!(e.message.contains("1001 sheets"), "{e}");
}

#[test]
fn no_row_and_no_cell_is_lost_in_silence() {
    let good = workbook_of(&[("GEMM", "a.xml", Some(GEMM.to_owned()))], "");
    assert!(matches!(within_a_mib(&good), Ok(Imported::Table(d)) if d.len() == 1));
    // A changed compressed byte, a sheet without its part, a cell beyond the last column.
    let mut changed = good.clone();
    let at = memchr::memmem::find(&good, b"xl/a.xml").unwrap();
    changed[at + 40] ^= 1;
    let e = within_a_mib(&changed).unwrap_err();
    assert!(e.message.contains("damaged in its part xl/a.xml"), "{e}");
    let e = within_a_mib(&workbook_of(&[("GEMM", "a.xml", None)], "")).unwrap_err();
    assert!(e.message.contains("damaged in its part GEMM"), "{e}");
    let e = csv_of("<row><c r=\"XFE1\"><v>1</v></c></row>", &[], 1 << 20).unwrap_err();
    assert!(e.message.contains("beyond the 16384 columns"), "{e}");
}

#[test]
fn a_text_that_is_missing_and_a_date_are_no_numbers() {
    let row =
        |time: &str| format!("<row><c><v>64</v></c><c><v>32</v></c><c><v>16</v></c>{time}</row>");
    let sheet = [
        GEMM.to_owned(),
        row("<c t=\"s\"><v>99999</v></c>"),
        row("<c r=\"D4\" t=\"s\"><v>1</v></c>"),
        row("<c s=\"1\"><v>45658</v></c>"),
        row("<c s=\"2\" t=\"n\"><v>0.5</v></c>"),
        row("<c s=\"0\"><v>7</v></c>"),
    ];
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"[h]:mm:ss\"/></numFmts>\
                  <cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>\
                  <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>";
    for strings in ["<si><t>x</t></si>", ""] {
        let bytes = workbook_with(&[("GEMM", "a.xml", Some(sheet.concat()))], strings, styles);
        let Ok(Imported::Table(data)) = within_a_mib(&bytes) else { panic!("not read") };
        assert_eq!(data.time_s, [5e-6, 7e-6]);
        let rejected = &data.sources[0].rejected;
        assert_eq!(rejected.total(), 4, "{rejected:?}");
        let texts: Vec<&str> = rejected.reasons.iter().map(|r| r.text.as_str()).collect();
        assert!(texts.iter().all(|t| t.contains("time")), "{texts:?}");
    }
}
