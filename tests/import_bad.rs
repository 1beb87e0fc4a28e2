//! Hostile input: no panic, no hang, bounded memory, a clear message.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_import::{ErrorKind, ImportError, ImportOptions, Imported, Session, read_all};
use gemmscope_model::units::plural;
use gemmscope_table::dataset::ColumnMeaning;
use proptest::prelude::*;
use std::fmt::Write as _;

fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    read_all("", bytes, &ImportOptions::default())
}

fn table(text: impl AsRef<[u8]>) -> gemmscope_table::dataset::Dataset {
    match read(text.as_ref()) {
        Ok(Imported::Table(d)) => *d,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_of_50_mb_is_one_row_set_aside() {
    let mut text = String::from("M,N,K,time_us,note\n1,2,3,4,a\n1,2,3,4,");
    text.push_str(&"x".repeat(50 << 20));
    text.push_str("\n5,6,7,8,b\n");
    let d = table(&text);
    assert_eq!(d.line, [2, 4]);
    let reasons = &d.sources[0].rejected.reasons;
    assert_eq!(reasons[0].text, "line is longer than 1 MiB");
    assert_eq!(reasons[0].first_lines, [3]);
    assert!(d.sources[0].rejected.text.len() < 1000);
}

#[test]
fn one_line_of_50_mb_and_nothing_else() {
    let e = read(&vec![b'x'; 50 << 20]).unwrap_err();
    assert!(e.message.len() < 500, "{}", e.message.len());
    let e = read(&vec![b'"'; 5 << 20]).unwrap_err();
    assert!(e.message.len() < 500);
}

#[test]
fn a_million_bad_rows_cost_no_more_than_the_file() {
    let mut text = String::from("M,N,K,time_us\n");
    for i in 0..1_000_000 {
        text.push_str(if i % 2 == 0 { "1,2,3,0\n" } else { "1,2,3,oops\n" });
    }
    text.push_str("1,2,3,4\n");
    let d = table(&text);
    let s = &d.sources[0];
    assert_eq!((s.rows_read, s.rows_used), (1_000_001, 1));
    assert_eq!(s.rejected.total(), 1_000_000);
    assert_eq!(s.rejected.reasons.len(), 2);
    assert!(s.rejected.text.capacity() <= 2 * text.len());
    assert_eq!(s.rejected.raw(999_999), Some(&b"1,2,3,oops"[..]));
}

/// Tables that took minutes when a part of them was scanned again for each other part.
mod many_of_everything {
    use super::*;

    #[test]
    fn headers() {
        // Each header has the columns of the first one, and another one.
        let mut text = String::from("Precision,16 bit inputs\n");
        for i in 0..8_000 {
            text += "Dense Matrix Multiplication,,M,N,K,A Transpose,B Transpose,,,,,,,,,,,Time (msec),TERAFLOPS,";
            text += &format!("own {},\n", i % 100);
            text += ",DeepSpeech,1760,16,1760,N,N,,,,,,,,,,,0.02,4.956,x\n";
        }
        let d = table(&text);
        assert_eq!((d.len(), d.sources[0].rejected.total()), (8_000, 0));
        assert!(d.columns.len() < 110, "{}", d.columns.len());
    }

    #[test]
    fn columns() {
        let columns = 100_000;
        let mut text = String::from("M,N,K,time_us");
        (0..columns).for_each(|i| text += &format!(",c{i}"));
        text += "\n1,2,3,4\n";
        let rows = 100_000;
        text += &"1,2,3,4\n".repeat(rows - 1);
        let d = table(&text);
        let s = &d.sources[0];
        assert_eq!(s.rows_read, rows as u64);
        assert_eq!(s.rows_read, s.rows_used + s.rejected.total());
    }

    #[test]
    fn columns_that_few_rows_have() {
        let mut text = String::from("M,N,K,time_us");
        (0..1_990).for_each(|i| text += &format!(",c{i}"));
        text += "\n";
        let short = "1,2,3,4\n";
        let full = "1,2,3,4".to_owned() + &",5".repeat(1_990) + "\n";
        text += &full;
        text += &short.repeat(1_500);
        text += &full;
        // 1,500 short rows of 1,990 columns fit, 35,000 do not.
        assert_eq!(table(&text).len(), 1_502);
        text += &short.repeat(35_000);
        text += &full;
        let e = read(text.as_bytes()).map(|_| ()).unwrap_err();
        assert!(e.message.contains("more than 64 million empty cells"), "{e}");
    }

    #[test]
    fn files_in_a_table_of_ours() {
        let mut text = String::from(
            "gemmscope,m,n,k,batch,dtype_a,dtype_b,dtype_c,dtype_compute,trans_a,trans_b,bias,beta,\
             time_s,device,file,format,line\n",
        );
        let files = 65_540;
        for i in 0..files {
            text += &format!("1,8,8,8,1,fp16,fp16,fp16,fp16,N,N,false,false,0.1,,f{i},generic,2\n");
        }
        let d = table(&text);
        let rejected = &d.sources[0].rejected;
        assert_eq!((d.len(), rejected.total()), (65_536, files - 65_536));
        assert_eq!(rejected.reasons[0].text, "more than 65536 files in one table");
        for row in 0..d.len() {
            assert_eq!(d.sources[usize::from(d.source[row])].name, format!("f{row}"));
        }
    }

    #[test]
    fn members_of_an_object() {
        let members: String = (0..200_000).map(|i| format!(",\"x{i}\":{i}")).collect();
        let row = "{\"M\":1,\"N\":2,\"K\":3,\"time_us\":4}";
        let text = format!("[{row},{{\"M\":1,\"N\":2,\"K\":3,\"time_us\":4{members}}}]");
        let d = table(&text);
        assert_eq!(d.len(), 2);
        let notes = d.sources[0].notes.join(" ");
        assert!(notes.contains("not a key of the first"), "{notes}");
    }
}

#[test]
fn bad_rows_below_ever_new_headers_cost_what_they_hold() {
    // Each section has a column of its own. In time proportional to all columns so far, these took minutes.
    let mut text = "Precision,16 bit inputs\n".to_owned();
    for i in 0..100_000 {
        writeln!(
            text,
            "Dense Matrix Multiplication,,M,N,K,A Transpose,B Transpose,Time (msec),TERAFLOPS,own {i}\n\
             ,x,0,16,1760,N,N,0.15,5,6"
        )
        .unwrap();
    }
    text += ",x,16,16,1760,N,N,0.15,5,6\n";
    let d = table(&text);
    assert_eq!((d.len(), d.sources[0].rejected.total()), (1, 100_000));
}

#[test]
fn characters_that_nobody_sees_have_names() {
    let text = "M,N,K,time_us,kernel,device,no\u{200b}te\n1,2,3,4,k\u{202e}gpj,my\u{1b}[31m\u{200f} card,x\n\
                1,2,3,oops\u{2066},k,d,x\n";
    for text in [text.to_owned(), format!("file \u{7}\n{text}")] {
        let Ok(Imported::Table(d)) =
            read_all("a\u{202e}vsc.csv", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("not read");
        };
        assert_eq!(d.text(ColumnMeaning::Kernel, 0), "k⟨U+202E⟩gpj");
        assert_eq!(d.devices[1], "my⟨U+200F⟩ card");
        let s = &d.sources[0];
        assert_eq!(s.name, "a⟨U+202E⟩vsc.csv");
        assert!(d.columns.iter().any(|c| c.label == "no⟨U+200B⟩te"));
        let example = s.rejected.reasons[0].example.as_ref();
        assert_eq!(example.map(|e| e.1.as_str()), Some("oops⟨U+2066⟩"));
    }
    // In JSON, as an escape.
    let d = table("[{\"M\":1,\"N\":2,\"K\":3,\"time_us\":4,\"kernel\":\"k\\u202egpj\"}]");
    assert_eq!(d.text(ColumnMeaning::Kernel, 0), "k⟨U+202E⟩gpj");
    let e = read("\u{202e}a,b\n1,2\n".as_bytes()).unwrap_err();
    assert!(!e.message.contains('\u{202e}'), "{e}");
}

#[test]
fn what_a_spreadsheet_must_not_run_comes_back() {
    let d = table("M,N,K,time_us,kernel\n1,2,3,4,\"'=cmd(),1\"\n1,2,3,4,'quoted'\n");
    let names = [0, 1].map(|row| d.text(ColumnMeaning::Kernel, row));
    assert_eq!(names, ["=cmd(),1", "'quoted'"]);
}

#[test]
fn rows_that_are_no_objects_are_counted() {
    let row = "{\"M\":1,\"N\":2,\"K\":3,\"time_us\":4}";
    let text = format!("[{row},5,{row},\"x{}\",[]", "y".repeat(33 << 20));
    let d = table(&text);
    let s = &d.sources[0];
    assert_eq!((s.rows_read, s.rows_used), (5, 2));
    let reasons: Vec<_> = s.rejected.reasons.iter().map(|r| (r.text.as_str(), r.count)).collect();
    assert_eq!(reasons, [("not a JSON object", 2), ("longer than 32 MiB", 1)]);
    assert!(s.notes.iter().any(|n| n.contains("is cut off")), "{:?}", s.notes);
    // The same, an object per line.
    let rows = format!("{row}\n").repeat(100);
    let long = "y".repeat(2 << 20);
    let d = table(format!("{rows}oops\n{row}\n{{\"M\":\"{long}\"}}\n"));
    assert_eq!(d.sources[0].rejected.lines, [101, 103]);
}

#[test]
fn words_that_are_no_numbers_never_become_points() {
    for word in ["0", "-1", "nan", "inf", "-inf", "1e999", "CUDA OOM", "not supported", "", "-"] {
        let d = table(format!("M,N,K,time_us\n1,2,3,{word}\n1,2,3,4\n"));
        assert_eq!((d.len(), d.sources[0].rejected.total()), (1, 1), "{word}");
    }
}

#[test]
fn invalid_utf_8_is_read() {
    let d = match read(b"M,N,K,Zeit (\xb5s),kernel\n1,2,3,4,\xff\xfe\xc3\n") {
        Ok(Imported::Table(d)) => d,
        other => panic!("{other:?}"),
    };
    assert_eq!(d.time_s[0], 4.0 * 1e-6);
}

#[test]
fn nul_bytes_are_left_out_and_said() {
    let d = table("M,N,K,time_us\n1,2,3,4\n1,2,3,5\n1,2,3,6\n1,2,3,7\n1,2,3,8\n1,2,3,9\n\0");
    assert_eq!(d.len(), 6);
    assert!(d.sources[0].notes.iter().any(|n| n.contains("NUL")));
}

#[test]
fn a_line_with_a_hole_is_set_aside() {
    let row = "4096,4096,4096,fp16,k1,900\n";
    // A file with more NUL bytes than text is not text.
    for (rows_before, hole) in [(2, 1), (300, 64)] {
        let (before, hole) = (row.repeat(rows_before), "\0".repeat(hole));
        for damaged in [
            format!("4096,4096,4096,fp16,k1,1{hole}234.5\n"),
            format!("4096,4096,4096,fp16,k{hole}2,900\n"),
            format!("{hole}6,4096,4096,fp16,k1,900\n"),
            format!("4096,4096,4096,fp16,k1,90{hole}0,4096,4096,fp16,k1,900\n"),
            format!("4096,4096,4096,fp16,\"k{hole}1\",900\n"),
        ] {
            let d = table(format!("M,N,K,dtype,kernel,time_us\n{before}{damaged}{row}"));
            let s = &d.sources[0];
            assert_eq!((d.len(), s.rejected.total()), (rows_before + 1, 1), "{damaged:?}");
            assert!(s.rejected.reasons[0].text.contains("NUL"), "{:?}", s.rejected);
            assert_eq!(s.rejected.reasons[0].first_lines, [rows_before as u32 + 2]);
            let note = plural(hole.len() as u64, "NUL byte");
            assert!(s.notes.iter().any(|n| n.starts_with(&note)), "{:?}", s.notes);
            assert!(d.time_s.iter().all(|t| *t == 900e-6));
        }
    }
}

#[test]
fn rows_behind_a_line_end_of_another_kind_are_read() {
    let rows = "1,2,3,4\n".repeat(3_000);
    let text = format!("M,N,K,time_us\n{rows}{}", rows.replace('\n', "\r"));
    let d = table(&text);
    assert_eq!((d.len(), d.sources[0].rejected.total()), (6_000, 0));
    assert_eq!(d.line.last(), Some(&6_001));
}

#[test]
fn what_follows_the_gzip_data_is_said() {
    use std::io::Write as _;
    let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    e.write_all(b"M,N,K,time_us\n1,2,3,4\n").unwrap();
    let packed = e.finish().unwrap();
    let d = table([&packed[..], b"5,6,7,8\n"].concat());
    assert_eq!(d.len(), 1);
    assert!(d.sources[0].notes.iter().any(|n| n.contains("8 bytes behind the gzip data")));
    let mut wrong = packed.clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    let e = read(&wrong).unwrap_err();
    assert!(e.message.contains("checksum"), "{e}");
}

#[test]
fn a_trace_with_figures_that_are_no_numbers_loses_no_kernel() {
    let trace = |more: &str| {
        format!(
            "{{\"schemaVersion\": 1, \"traceEvents\": [\n\
             {{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 9, \"args\": {{\"External id\": 5, \"Input Dims\": [[4096, 1024], [1024, 2048]], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]}}}},\n\
             {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_tst_128x256\", \"ts\": 20, \"dur\": 31.5, \"args\": {{\"External id\": 5, \"device\": 0{more}}}}}\n]}}\n"
        )
    };
    let whole = table(trace(""));
    for word in ["NaN", "Infinity", "-inf"] {
        let d = table(trace(&format!(", \"est. achieved occupancy %\": {word}")));
        assert_eq!((&d.m, &d.time_s), (&whole.m, &whole.time_s), "{word}");
        assert_eq!(d.sources[0].notes, whole.sources[0].notes);
    }
    // The same id in two traces means different calls.
    let two = table(trace("") + &trace(""));
    assert_eq!(two.time_s, whole.time_s);
    let bytes = format!("{} bytes behind the end of the JSON", trace("").len());
    assert!(two.sources[0].notes.iter().any(|n| n.contains(&bytes)), "{:?}", two.sources[0].notes);
}

#[test]
fn a_file_of_nothing_but_nul_bytes_ends_at_once() {
    let mut session = Session::new("sparse.csv", ImportOptions::default());
    let zeros = vec![0u8; 256 << 10];
    let refused = (0..8).map(|_| session.feed(&zeros)).position(|r| r.is_err());
    assert_eq!(refused, Some(4), "after a mebibyte, not after the whole file");
    let e = read(&[0; 100]).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Empty);
    assert!(e.message.contains("NUL"), "{e}");
}

#[test]
fn a_wrong_delimiter_is_found_out() {
    for d in [";", "\t", "|", " ; ", "   "] {
        let text = "M,N,K,time_us\n1,2,3,4.5\n5,6,7,8.5\n".replace(',', d);
        assert_eq!(table(&text).len(), 2, "{d:?}");
    }
}

#[test]
fn old_macintosh_line_ends() {
    assert_eq!(table("M,N,K,time_us\r1,2,3,4\r5,6,7,8\r").line, [2, 3]);
}

#[test]
fn errors_say_what_was_expected() {
    let e = read(b"M,N,time_us\n1,2,3\n").unwrap_err();
    assert_eq!(e.kind, ErrorKind::NeedsMapping);
    assert!(e.message.contains("K") && e.message.contains("time_us"), "{e}");
    let e = read(b"M,N,K,time_us\n").unwrap_err();
    assert_eq!(e.kind, ErrorKind::Empty);
    let options = ImportOptions { format: Some("quux".into()), ..ImportOptions::default() };
    assert!(read_all("", b"M,N,K,us\n1,2,3,4\n", &options).is_err());
    // A failed session returns the same error again.
    let mut s = Session::new("", ImportOptions::default());
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 70_000]].concat();
    let first = s.feed(&png).unwrap_err();
    assert_eq!(s.feed(b"more"), Err(first.clone()));
    assert_eq!(s.finish().err(), Some(first));
}

#[test]
fn a_packed_bomb_does_not_blow_up_the_head() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let mut e = GzEncoder::new(Vec::new(), Compression::best());
    e.write_all(b"M,N,K,time_us\n1,2,3,4\n").unwrap();
    for _ in 0..16 {
        e.write_all(&vec![b'\n'; 1 << 20]).unwrap();
    }
    let packed = e.finish().unwrap();
    assert!(packed.len() < 1 << 16);
    assert_eq!(table_of(&packed), 1);
}

fn table_of(bytes: &[u8]) -> usize {
    match read(bytes) {
        Ok(Imported::Table(d)) => d.len(),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_table_adds_up(
        header in proptest::sample::subsequence(
            vec!["M", "N", "K", "time_us", "tflops", "dtype", "A", "B", "batch", "gpu", "x", "\"q\"", "Runtime", "shape"], 3..14),
        cells in proptest::collection::vec("[0-9a-zN\\-.,;\"'\n=x ]{0,8}", 0..120),
    ) {
        let mut text = header.join(",");
        for row in cells.chunks(header.len()) {
            text.push('\n');
            text.push_str(&row.join(","));
        }
        if let Ok(Imported::Table(d)) = read(text.as_bytes()) {
            for s in &d.sources {
                prop_assert_eq!(s.rows_read, s.rows_used + s.rejected.total());
            }
            prop_assert_eq!(d.len() as u64, d.sources.iter().map(|s| s.rows_used).sum::<u64>());
            for row in 0..d.len() {
                let t = d.time_s[row];
                prop_assert!(t.is_nan() || (t > 0.0 && t.is_finite()));
                prop_assert!(d.m[row] > 0 && d.n[row] > 0 && d.k[row] > 0 && d.batch[row] > 0);
            }
            for c in &d.columns {
                prop_assert_eq!(c.data.len(), d.len());
            }
        }
    }

    #[test]
    fn a_damaged_example_gives_an_answer(
        format in 0..gemmscope_import::FORMATS.len(),
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut bytes = gemmscope_import::FORMATS[format].example.as_bytes().to_vec();
        let i = at.index(bytes.len());
        bytes[i] = byte;
        let _ = read(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        let _ = read(&bytes);
    }
}
