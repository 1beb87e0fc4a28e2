//! Rows out: the long CSV that gemmscope itself reads back.
//!
//! One row a point, every column named with its unit, types written per operand, the device in
//! each row, and the file and line that the row comes from.

use crate::dataset::{Column, ColumnData, Dataset};
use crate::import::own;
use crate::metrics::Metrics;
use std::fmt::Write;

/// Writes parts of a table, so that a large one need not lie in memory twice.
#[derive(Debug)]
pub struct CsvWriter<'a> {
    data: &'a Dataset,
    metrics: Option<&'a Metrics>,
}

impl<'a> CsvWriter<'a> {
    /// A writer for this table. With metrics, roof time and efficiency are written too (and are
    /// left out again when the file is read).
    pub fn new(data: &'a Dataset, metrics: Option<&'a Metrics>) -> Self {
        CsvWriter { data, metrics }
    }

    /// The header line.
    pub fn header(&self) -> String {
        let mut out = own::FIXED.join(",");
        out.push(',');
        out.push_str(&own::DERIVED.join(","));
        if self.metrics.is_some() {
            out.push(',');
            out.push_str(&own::FROM_ROOF.join(","));
        }
        for c in &self.data.columns {
            out.push(',');
            push_text(&mut out, &own::title(c));
        }
        out.push('\n');
        out
    }

    /// The lines of these rows.
    pub fn rows(&self, rows: impl IntoIterator<Item = usize>) -> String {
        let mut out = String::new();
        for row in rows {
            if row < self.data.len() {
                self.row(&mut out, row);
            }
        }
        out
    }

    fn row(&self, out: &mut String, row: usize) {
        let d = self.data;
        let p = d.problem(row);
        let op = p.op;
        let letter = |t: bool| if t { "T" } else { "N" };
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},",
            own::VERSION,
            p.m,
            p.n,
            p.k,
            p.batch,
            op.a.id(),
            op.b.id(),
            op.c.id(),
            op.compute.id(),
            letter(op.trans_a),
            letter(op.trans_b),
            op.bias,
            op.beta,
        );
        push_number(out, d.time_s[row]);
        out.push(',');
        push_text(out, &d.devices[d.device[row] as usize]);
        out.push(',');
        let source = d.sources.get(d.source[row] as usize);
        push_text(out, source.map_or("", |s| &s.name));
        out.push(',');
        push_text(out, source.map_or("", |s| &s.format));
        let _ = write!(out, ",{},", d.line[row]);
        push_number(out, p.work().0 / d.time_s[row]);
        out.push(',');
        push_number(out, p.intensity().0);
        if let Some(m) = self.metrics {
            out.push(',');
            push_number(out, m.roof_s.get(row).copied().unwrap_or(f64::NAN));
            out.push(',');
            push_number(
                out,
                m.roof_s
                    .get(row)
                    .map_or(f64::NAN, |roof| roof / d.time_s[row]),
            );
        }
        for c in &d.columns {
            out.push(',');
            push_cell(out, c, row);
        }
        out.push('\n');
    }
}

/// The rows as one text, in that order.
pub fn csv(
    data: &Dataset,
    rows: impl IntoIterator<Item = usize>,
    metrics: Option<&Metrics>,
) -> String {
    let writer = CsvWriter::new(data, metrics);
    let mut out = writer.header();
    out.push_str(&writer.rows(rows));
    out
}

fn push_cell(out: &mut String, column: &Column, row: usize) {
    match &column.data {
        ColumnData::Number(v) => push_number(out, v[row]),
        ColumnData::Text { codes, values } => push_text(out, &values[codes[row] as usize]),
    }
}

/// The shortest text that reads as the same number; empty for NaN.
fn push_number(out: &mut String, value: f64) {
    if value.is_nan() {
        return;
    }
    let size = value.abs();
    let _ = if size != 0.0 && !(1e-4..1e15).contains(&size) && size.is_finite() {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    };
}

fn push_text(out: &mut String, text: &str) {
    let text = own::guard(text);
    let quote = text.contains([',', '"', '\n', '\r', ';', '\t', '|'])
        || text.starts_with(char::is_whitespace)
        || text.ends_with(char::is_whitespace);
    if quote {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Role;
    use crate::dtype::DataType;
    use crate::gemm::Operation;
    use crate::import::{ImportOptions, Imported, Row, TableBuilder, read_all};
    use proptest::prelude::*;

    fn read(text: &str) -> Dataset {
        match read_all("export.csv", text.as_bytes(), &ImportOptions::default()).unwrap() {
            Imported::Table(d) => *d,
            other => panic!("{other:?}"),
        }
    }

    fn example(texts: &[String], numbers: &[f64]) -> Dataset {
        let mut t = TableBuilder::new();
        let kernel = t.text_column(Role::Kernel, "kernelName");
        let words = t.auto_column("note, odd");
        let rate = t.number_column(Role::ReportedRate, "tflops");
        let lda = t.extra_number_column("lda", "B");
        let device = t.device("=HYPERLINK(\"x\")");
        for (i, text) in texts.iter().enumerate() {
            t.set_text(kernel, text.as_bytes());
            t.set_auto(words, text.as_bytes(), None);
            t.set_number(rate, numbers[i % numbers.len()].abs());
            t.set_number(lda, numbers[i % numbers.len()]);
            let mut op = Operation::uniform(DataType::Fp8E4m3).with_layout(i % 2 == 0, true);
            op.bias = i % 3 == 0;
            let mut row = Row::new(1 + i as u32, 2, 3, op, 1e-6 / (1.0 + i as f64));
            row.device = if i % 2 == 0 { device } else { 0 };
            row.batch = 7;
            t.commit_line(i as u32 + 2, b"", Ok(row));
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
            assert_eq!(
                (&x.key, &x.label, x.role, &x.unit),
                (&y.key, &y.label, y.role, &y.unit)
            );
            match (&x.data, &y.data) {
                (ColumnData::Number(x), ColumnData::Number(y)) => {
                    for (x, y) in x.iter().zip(y) {
                        assert!(
                            x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
                            "{x} {y}"
                        );
                    }
                }
                (
                    ColumnData::Text {
                        codes: cx,
                        values: vx,
                    },
                    ColumnData::Text {
                        codes: cy,
                        values: vy,
                    },
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
        let texts: Vec<String> = [
            "=1+1", "-x", "'y", "", "a,b", "q\"q", "-5", "+7", "@z", "l1\nl2",
        ]
        .iter()
        .map(|s| (*s).to_owned())
        .collect();
        let d = example(
            &texts,
            &[1.5, f64::NAN, f64::INFINITY, -0.1, 1e-300, 123456789.0],
        );
        let text = csv(&d, 0..d.len(), None);
        assert!(text.contains("'=1+1") && text.contains("'-x") && text.contains("''y"));
        assert!(text.contains(",-5,") && !text.contains("'-5"));
        let back = read(&text);
        same(&d, &back);
        assert_eq!(csv(&back, 0..back.len(), None), text);
    }

    #[test]
    fn no_cell_starts_a_formula() {
        let texts = ["=a", "+a", "-a", "@a", "\ta", "=1"].map(str::to_owned);
        let text = csv(&example(&texts, &[1.0]), 0..6, None);
        for line in text.lines().skip(1) {
            for cell in line.split(',') {
                let cell = cell.trim_start_matches('"');
                let bad = cell.starts_with(['=', '+', '@', '\t'])
                    || (cell.starts_with('-') && cell.parse::<f64>().is_err());
                assert!(!bad, "{cell}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_and_number_reads_back(
            texts in proptest::collection::vec("[^\u{0}-\u{8}\u{b}-\u{1f}\u{7f}]{0,12}", 1..6),
            numbers in proptest::collection::vec(proptest::num::f64::ANY, 1..6),
        ) {
            let texts: Vec<String> = texts.iter().map(|t| t.trim().to_owned()).collect();
            let d = example(&texts, &numbers);
            same(&d, &read(&csv(&d, 0..d.len(), None)));
        }
    }
}
