//! Round trip: an exported table is read back unchanged.

use crate::reader::CUT;
use crate::testing::read_as;
use gemmscope_model::dtype::DataType;
use gemmscope_model::encode::visible;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::native_csv::csv;
use proptest::prelude::*;

fn read(text: &str) -> Dataset {
    read_as("export.csv", text)
}

fn example(texts: &[String], numbers: &[f64]) -> Dataset {
    let mut t = TableBuilder::new();
    let kernel = t.text_column(ColumnMeaning::Kernel, "kernelName");
    let words = t.auto_column("note, odd");
    let rate = t.number_column(ColumnMeaning::ReportedRate, "tflops");
    let lda = t.extra_number_column("lda", "B");
    let device = t.device("=HYPERLINK(\"x\")");
    for (i, text) in texts.iter().enumerate() {
        t.set_text(kernel, text.as_bytes());
        t.set_auto(words, text.as_bytes(), None);
        t.set_number(rate, numbers[i % numbers.len()].abs());
        t.set_number(lda, numbers[i % numbers.len()]);
        let mut op = Operation::uniform(DataType::Fp8E4m3).with_layout(i % 2 == 0, true);
        op.bias = i % 3 == 0;
        let mut row = Row::new(1 + i as u32, 2, 3, op, 1.5e-6 / (1.0 + i as f64));
        row.device = if i % 2 == 0 { device } else { 0 };
        row.batch = 7;
        t.commit(i as u32 + 2, b"", Ok(row));
    }
    let mut d = t.finish();
    d.sources[0].name = "orig, inal.csv".into();
    d.sources[0].format = "generic".into();
    d
}

fn same(a: &Dataset, b: &Dataset) {
    assert_eq!(a.len(), b.len());
    for row in 0..a.len() {
        assert_eq!(a.problem(row), b.problem(row));
        assert_eq!(a.line[row], b.line[row]);
        assert_eq!(a.time_s[row].to_bits(), b.time_s[row].to_bits());
        let device = |d: &Dataset| d.devices[d.device[row] as usize].clone();
        assert_eq!(device(a), device(b));
        let source = |d: &Dataset| {
            let s = &d.sources[d.source[row] as usize];
            (s.name.clone(), s.format.clone())
        };
        assert_eq!(source(a), source(b));
    }
    assert_eq!(a.columns.len(), b.columns.len());
    for (x, y) in a.columns.iter().zip(&b.columns) {
        assert_eq!((&x.key, &x.label, x.meaning, &x.unit), (&y.key, &y.label, y.meaning, &y.unit));
        match (&x.data, &y.data) {
            (ColumnData::Number(x), ColumnData::Number(y)) => {
                for (x, y) in x.iter().zip(y) {
                    assert!(x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()), "{x} {y}");
                }
            }
            (
                ColumnData::Text { codes: cx, values: vx },
                ColumnData::Text { codes: cy, values: vy },
            ) => {
                for (x, y) in cx.iter().zip(cy) {
                    assert_eq!(vx[*x as usize], vy[*y as usize]);
                }
            }
            _ => panic!("{} changed its kind", x.key),
        }
    }
}

#[test]
fn what_is_written_reads_back() {
    let texts: Vec<String> = ["=1+1", "-x", "'y", "", "a,b", "q\"q", "-5", "+7", "@z", "l1\nl2"]
        .iter()
        .map(|s| (*s).to_owned())
        .collect();
    let d = example(&texts, &[1.5, f64::NAN, f64::INFINITY, -0.1, 1e-300, 123456789.0]);
    let text = csv(&d, 0..d.len(), None);
    assert!(text.contains("'=1+1") && text.contains("'-x") && text.contains(",'y,"));
    assert!(text.contains(",-5,") && !text.contains("'-5"));
    let back = read(&text);
    same(&d, &back);
    assert_eq!(csv(&back, 0..back.len(), None), text);
}

#[test]
fn no_cell_starts_a_formula() {
    let texts =
        ["=a", "+a", "-a", "@a", "\ta", "=1", "＝1", "＋1", "－1", "＠a"].map(str::to_owned);
    let text = csv(&example(&texts, &[1.0]), 0..10, None);
    for line in text.lines().skip(1) {
        for cell in line.split(',') {
            let cell = cell.trim_start_matches('"');
            let bad = cell.starts_with(['=', '+', '@', '\t', '＝', '＋', '－', '＠'])
                || (cell.starts_with('-') && cell.parse::<f64>().is_err());
            assert!(!bad, "{cell}");
        }
    }
}

/// A table truncated anywhere yields its complete rows, and a note if part of a row remains.
#[test]
fn a_cut_row_is_no_row() {
    let d = example(&["a".to_owned(), "b, c".to_owned()], &[1.5, 1.25e-9]);
    let text = csv(&d, 0..d.len(), None);
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in ends[1] + 1..text.len() {
        let back = read(&text[..cut]);
        assert_eq!(back.time_s, d.time_s[..1], "{}", &text[..cut]);
        let source = &back.sources[0];
        assert_eq!((source.rejected.total(), source.rejected.lines[0]), (1, 3));
        match source.rejected.reasons[0].text.as_str() {
            "quote is not closed" => {}
            why => {
                assert_eq!((why, source.notes.last().map(|n| &**n)), ("row is cut off", Some(CUT)))
            }
        }
    }
    assert_eq!(read(&text[..ends[1]]).len(), 1);
    // The end of one file and the start of another, in one line and on separate lines.
    let joined = read(&format!("{}{text}", &text[..ends[1] + 40]));
    assert_eq!(
        (joined.len(), joined.time_s[0]),
        (3, d.time_s[0]),
        "{:?}",
        joined.sources[0].rejected
    );
}

proptest! {
    #[test]
    fn any_text_and_number_reads_back(
        texts in proptest::collection::vec("[^\u{0}-\u{8}\u{b}-\u{1f}\u{7f}]{0,12}", 1..6),
        numbers in proptest::collection::vec(proptest::num::f64::ANY, 1..6),
    ) {
        let texts: Vec<String> = texts.iter().map(|t| visible(t.trim()).into_owned()).collect();
        let d = example(&texts, &numbers);
        same(&d, &read(&csv(&d, 0..d.len(), None)));
    }
}

#[test]
fn tables_that_were_joined_and_blank_lines_above() {
    let text = csv(&example(&["a".into()], &[1.0]), 0..1, None);
    let one = read(&text);
    for joined in [format!("{text}{text}"), format!("\n\n{text}\u{feff}{text}")] {
        let two = read(&joined);
        assert_eq!((two.len(), two.sources[0].name.as_str()), (2 * one.len(), "orig, inal.csv"));
        assert_eq!(two.sources[0].rejected.total(), 0);
    }
    // Different columns: the rows below cannot be interpreted.
    let (header, rows) = text.split_once('\n').unwrap();
    let swapped = header.replace(",m,n,", ",n,m,");
    let two = read(&format!("{text}{swapped}\n{rows}"));
    assert_eq!((two.len(), two.sources[0].rejected.total()), (1, 1));
    assert!(two.sources[0].rejected.reasons[0].text.contains("another header begins in line"));
}
