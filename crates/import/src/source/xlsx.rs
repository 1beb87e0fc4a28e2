//! Excel workbooks (.xlsx): the sheet that holds the GEMMs, as the CSV that it would be saved as.
//!
//! A workbook is a zip of XML files. This reads only the parts of both that tables need, which adds
//! far less to the page than a library for all of Excel.

use crate::{Detection, ErrorKind, Head, ImportError, ImportOptions, Imported, formats, read_all};
use flate2::read::DeflateDecoder;
use gemmscope_table::dataset::{Assumption, Dataset};
use gemmscope_table::trace;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;

/// Largest workbook that is held in memory.
pub(crate) const MAX_BYTES: usize = 128 << 20;
/// Largest part once unpacked, and all of them.
const MAX_PART: u64 = 512 << 20;
/// Columns of a sheet; Excel's own limit.
const MAX_COLUMNS: usize = 16_384;

/// True if the bytes start like a zip archive.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Reads a workbook: the best recognised sheet, or the one that the user chose (`sheet`).
///
/// # Errors
/// If the archive is not from Excel or is damaged, or if no sheet can be read.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let foreign = |text: &str| ImportError::new(text.to_owned()).kind(ErrorKind::Foreign);
    let zip = Zip::open(bytes).ok_or_else(|| {
        foreign("this zip archive or Excel workbook is damaged or cut off: copy it again")
    })?;
    if !zip.entries.contains_key("xl/workbook.xml") {
        return Err(foreign(
            "this is a zip archive: unpack it and drop the files in it",
        ));
    }
    let sheets = sheets(&zip).ok_or_else(|| {
        foreign("this Excel workbook could not be read: open it and save the sheet with the GEMMs as CSV")
    })?;
    let strings = zip
        .text("xl/sharedStrings.xml")
        .map(|t| shared_strings(&t))
        .unwrap_or_default();
    let mut graded: Vec<(u8, String, String)> = Vec::new();
    let mut timeline = None;
    for (sheet, part) in &sheets {
        let Some(xml) = zip.text(part) else { continue };
        let csv = sheet_csv(&xml, &strings);
        if csv.trim().is_empty() {
            continue;
        }
        let head = Head::from_bytes(sheet, csv.as_bytes());
        let grade = match formats::sniff(&head, &ImportOptions::default()) {
            Ok(best) if best.format.id == "tracelens_context" => {
                timeline = Some(csv);
                continue;
            }
            Ok(best) => {
                let Detection { score, .. } = best.detection;
                // In a whole report, the GEMM sheet, not the summary with the same operations.
                score + u8::from(sheet.eq_ignore_ascii_case("gemm")) * 5
            }
            Err(_) => 0,
        };
        graded.push((grade, sheet.clone(), csv));
    }
    let names: Vec<String> = graded.iter().map(|g| g.1.clone()).collect();
    let chosen = options
        .answer("sheet")
        .and_then(|a| names.iter().position(|n| n == a));
    let at = chosen.or_else(|| {
        // The first of the best.
        (0..graded.len())
            .rev()
            .max_by_key(|&i| graded[i].0)
            .filter(|&i| graded[i].0 > 0)
    });
    let Some(at) = at else {
        return Err(foreign(
            "this Excel workbook has no sheet with M, N, K and a time or a rate: save the sheet that is meant as CSV and drop that",
        ));
    };
    let (_, sheet, csv) = &graded[at];
    let mut imported = read_all(name, csv.as_bytes(), options)?;
    if let Imported::Table(data) = &mut imported {
        if let Some(text) = timeline
            && let Ok(Imported::Context(context)) =
                read_all(name, text.as_bytes(), &ImportOptions::default())
        {
            trace::attach(data, &context);
        }
        let others = graded.iter().filter(|g| g.1 != *sheet);
        if let Some((device, of)) = others
            .filter_map(|(_, of, csv)| Some((device_of_sheet(csv)?, of)))
            .next()
        {
            name_device(data, &device, of);
        }
        if let Some(s) = data.sources.first_mut() {
            s.bytes = bytes.len() as u64;
            s.notes
                .insert(0, format!("Sheet “{sheet}” of an Excel workbook."));
            if names.len() > 1 {
                s.assumptions.push(Assumption {
                    by_hand: false,
                    key: "sheet".into(),
                    text: format!(
                        "The workbook has {} sheets: “{sheet}” is read.",
                        names.len()
                    ),
                    value: sheet.clone(),
                    choices: names,
                });
            }
        }
    }
    Ok(imported)
}

/// The device in a sheet of specifications: two columns, a word and what it is.
fn device_of_sheet(csv: &str) -> Option<String> {
    const WORDS: [&str; 6] = [
        "gpu model",
        "gpu",
        "device",
        "accelerator",
        "cpu model",
        "cpu",
    ];
    let pairs: Vec<(String, &str)> = csv
        .lines()
        .filter_map(|l| l.split_once(','))
        .map(|(key, value)| {
            (
                key.trim().to_ascii_lowercase(),
                value.trim_matches(['"', ',', ' ']),
            )
        })
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let value = |word: &&str| pairs.iter().find(|(key, _)| key == word);
    WORDS.iter().find_map(value).map(|(_, v)| (*v).to_owned())
}

/// Gives the device of another sheet to the rows that name none.
fn name_device(data: &mut Dataset, device: &str, sheet: &str) {
    let Some(s) = data.sources.first_mut() else {
        return;
    };
    let asked = |a: &Assumption| a.key == "device" && a.value.is_empty();
    if !s.assumptions.iter().any(asked) {
        return;
    }
    s.assumptions.retain(|a| !asked(a));
    s.notes
        .push(format!("Device from the sheet “{sheet}”: {device}."));
    data.state_device(0, device);
}

/// A zip archive in memory: name -> method and packed bytes.
struct Zip<'a> {
    entries: HashMap<String, (u16, &'a [u8])>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

impl<'a> Zip<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let end = memchr::memmem::rfind(bytes, b"PK\x05\x06")?;
        let count = usize::from(u16_at(bytes, end + 10)?);
        let mut at = u32_at(bytes, end + 16)?;
        let mut entries = HashMap::new();
        for _ in 0..count {
            if bytes.get(at..at + 4)? != b"PK\x01\x02" {
                return None;
            }
            let method = u16_at(bytes, at + 10)?;
            let packed = u32_at(bytes, at + 20)?;
            let lengths = [28, 30, 32].map(|o| u16_at(bytes, at + o).map(usize::from));
            let [Some(name), Some(extra), Some(comment)] = lengths else {
                return None;
            };
            let local = u32_at(bytes, at + 42)?;
            let text = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned();
            let start = local
                + 30
                + usize::from(u16_at(bytes, local + 26)?)
                + usize::from(u16_at(bytes, local + 28)?);
            entries.insert(
                text,
                (method, bytes.get(start..start.checked_add(packed)?)?),
            );
            at += 46 + name + extra + comment;
        }
        Some(Zip { entries })
    }

    fn text(&self, name: &str) -> Option<String> {
        let (method, packed) = self.entries.get(name)?;
        let mut out = Vec::new();
        match method {
            0 => out.extend_from_slice(packed),
            8 => {
                DeflateDecoder::new(*packed)
                    .take(MAX_PART)
                    .read_to_end(&mut out)
                    .ok()?;
            }
            _ => return None,
        }
        Some(String::from_utf8_lossy(&out).into_owned())
    }
}

/// One step through an XML text.
enum Xml<'a> {
    /// An opening tag: name without its prefix, attributes as written.
    Open(&'a str, &'a str, bool),
    Close(&'a str),
    Text(&'a str),
}

fn steps(text: &str) -> impl Iterator<Item = Xml<'_>> {
    let bare = |n: &'_ str| n.rsplit_once(':').map_or(n.len(), |(_, b)| b.len());
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find('<')?;
            if at > 0 {
                let piece = &rest[..at];
                rest = &rest[at..];
                return Some(Xml::Text(piece));
            }
            let end = rest.find('>')?;
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            if tag.starts_with(['?', '!']) {
                continue;
            }
            if let Some(name) = tag.strip_prefix('/') {
                let name = name.trim();
                return Some(Xml::Close(&name[name.len() - bare(name)..]));
            }
            let (tag, empty) = match tag.strip_suffix('/') {
                Some(t) => (t, true),
                None => (tag, false),
            };
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            return Some(Xml::Open(
                &name[name.len() - bare(name)..],
                attributes,
                empty,
            ));
        }
    })
}

fn attribute(attributes: &str, wanted: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, more) = after[1..].split_once(quote)?;
        if name.trim() == wanted {
            return Some(unescape(value));
        }
        rest = more;
    }
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find(';').filter(|e| *e < 12) else {
            break;
        };
        let word = &rest[1..end];
        let known = match word {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => word
                .strip_prefix("#x")
                .and_then(|h| u32::from_str_radix(h, 16).ok())
                .or_else(|| word.strip_prefix('#')?.parse().ok())
                .and_then(char::from_u32),
        };
        match known {
            Some(c) => out.push(c),
            None => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Name and part of every sheet, in the workbook's order.
fn sheets(zip: &Zip<'_>) -> Option<Vec<(String, String)>> {
    let mut targets = HashMap::new();
    for step in steps(&zip.text("xl/_rels/workbook.xml.rels")?) {
        if let Xml::Open("Relationship", a, _) = step
            && let (Some(id), Some(target)) = (attribute(a, "Id"), attribute(a, "Target"))
        {
            let part = match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None => format!("xl/{target}"),
            };
            targets.insert(id, part);
        }
    }
    let mut out = Vec::new();
    for step in steps(&zip.text("xl/workbook.xml")?) {
        if let Xml::Open("sheet", a, _) = step
            && let (Some(name), Some(id)) = (attribute(a, "name"), attribute(a, "r:id"))
            && let Some(part) = targets.get(&id)
        {
            out.push((name, part.clone()));
        }
    }
    Some(out)
}

fn shared_strings(xml: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut text, mut inside, mut spoken) = (String::new(), false, false);
    for step in steps(xml) {
        match step {
            Xml::Open("si", _, true) => out.push(String::new()),
            Xml::Open("t", _, empty) => inside = !empty && !spoken,
            // Skip the phonetic reading of a word.
            Xml::Open("rPh", _, empty) => spoken = !empty,
            Xml::Close("rPh") => spoken = false,
            Xml::Close("t") => inside = false,
            Xml::Close("si") => out.push(std::mem::take(&mut text)),
            Xml::Text(t) if inside => text += &unescape(t),
            _ => {}
        }
    }
    out
}

/// `C12` -> 2.
fn column_of(reference: &str) -> Option<usize> {
    let mut column = 0usize;
    for b in reference.bytes().take_while(u8::is_ascii_alphabetic) {
        column = column * 26 + usize::from(b.to_ascii_uppercase() - b'A') + 1;
        if column > MAX_COLUMNS {
            return None;
        }
    }
    column.checked_sub(1)
}

/// A sheet as CSV; blank lines keep each row's number.
fn sheet_csv(xml: &str, strings: &[String]) -> String {
    let mut out = String::new();
    let mut line = 1u32;
    let mut row: Vec<String> = Vec::new();
    let (mut at, mut next) = (0, 0);
    let (mut kind, mut value, mut inside) = (String::new(), String::new(), false);
    for step in steps(xml) {
        match step {
            Xml::Open("row", a, _) => {
                row.clear();
                next = 0;
                let number = attribute(a, "r").and_then(|r| r.parse::<u32>().ok());
                // Do not add blank lines up to a far row: its number may be anything.
                if let Some(n) = number.filter(|n| *n > line && *n - line < 100_000) {
                    out.extend(std::iter::repeat_n('\n', (n - line) as usize));
                    line = n;
                }
            }
            Xml::Open("c", a, empty) => {
                at = attribute(a, "r")
                    .and_then(|r| column_of(&r))
                    .unwrap_or(next);
                next = (at + 1).min(MAX_COLUMNS);
                kind = attribute(a, "t").unwrap_or_default();
                value.clear();
                if empty {
                    kind.clear();
                }
            }
            Xml::Open("v" | "t", _, empty) => inside = !empty,
            Xml::Close("v" | "t") => inside = false,
            Xml::Text(t) if inside => value += &unescape(t),
            Xml::Close("c") => {
                let text = match kind.as_str() {
                    "s" => value
                        .trim()
                        .parse::<usize>()
                        .ok()
                        .and_then(|i| strings.get(i))
                        .cloned()
                        .unwrap_or_default(),
                    "b" => if value.trim() == "1" { "True" } else { "False" }.to_owned(),
                    _ => std::mem::take(&mut value),
                };
                if row.len() <= at {
                    row.resize(at + 1, String::new());
                }
                row[at] = text;
            }
            Xml::Close("row") => {
                for (i, cell) in row.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    if cell.contains([',', '"', '\n', '\r']) {
                        let _ = write!(
                            out,
                            "\"{}\"",
                            cell.replace('"', "\"\"").replace(['\n', '\r'], " ")
                        );
                    } else {
                        out.push_str(cell);
                    }
                }
                out.push('\n');
                line += 1;
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write as _;

    /// A zip of these parts; every second one is packed.
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
            let sizes = [
                (data.len() as u32).to_le_bytes(),
                (text.len() as u32).to_le_bytes(),
            ]
            .concat();
            let name_len = (name.len() as u16).to_le_bytes();
            out.extend(b"PK\x03\x04\x14\0\0\0");
            out.extend(method.to_le_bytes());
            out.extend([0; 8]);
            out.extend(&sizes);
            out.extend(name_len);
            out.extend([0, 0]);
            out.extend(name.as_bytes());
            out.extend(&data);
            directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0");
            directory.extend(method.to_le_bytes());
            directory.extend([0; 8]);
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
            format!(
                "<c r=\"{}3\" t=\"{t}\"><v>{v}</v></c>",
                char::from(b'A' + i as u8)
            )
        };
        let head: String = (0..header.len())
            .map(|i| cell(i, "s", &i.to_string()).replace("3\" t", "1\" t"))
            .collect();
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
            assert_eq!(
                (d.m[0], d.n[0], d.k[0], d.count(0), d.line[0]),
                (8944, 2816, 1024, 48.0, 3)
            );
            let s = &d.sources[0];
            assert_eq!(
                (s.format.as_str(), s.name.as_str()),
                ("tracelens", "perf_report.xlsx")
            );
            let total = s.trace.as_ref().and_then(|t| t.total_s);
            assert!(
                total.is_some_and(|t| (t / 33.1e-3 - 1.0).abs() < 1e-12),
                "{total:?}"
            );
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
        for i in (0..whole.len()).step_by(7) {
            let mut bad = whole.clone();
            bad[i] ^= 0xff;
            let _ = read_all("x.xlsx", &bad, &ImportOptions::default());
        }
        let e = read_all(
            "x.zip",
            &zip(&[("a.csv", "M,N,K".into())]),
            &ImportOptions::default(),
        )
        .unwrap_err();
        assert!(e.message.contains("zip archive"), "{e}");
    }

    #[test]
    fn cells_and_columns() {
        assert_eq!(
            (column_of("A1"), column_of("AB7"), column_of("7")),
            (Some(0), Some(27), None)
        );
        assert_eq!(unescape("a &lt; b &amp; c&#x41;&#66; &x"), "a < b & cAB &x");
        let csv = sheet_csv(
            "<row r=\"2\"><c r=\"B2\"><v>1</v></c><c r=\"D2\" t=\"str\"><v>a,&quot;b</v></c></row>",
            &[],
        );
        assert_eq!(csv, "\n,1,,\"a,\"\"b\"\n");
    }
}
