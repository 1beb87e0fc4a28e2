//! What holds for every input, shared by the fuzz targets and `tests/import_corpus.rs`.

#![allow(dead_code, reason = "each fuzz target uses a part")]

use gemmscope_import::{
    Head, ImportOptions, Imported, Record, Records, Scanner, Session, header_fingerprint, inspect,
    sniff,
};
use gemmscope_table::dataset::{Dataset, Source};
use gemmscope_table::native_csv::csv;

/// What bytes turn out to be, read in slices of `step` as one format or as what they are recognised
/// for: the whole table as text, equal for equal tables; panics where an invariant does not hold.
pub(crate) fn outcome(format: Option<&str>, name: &str, bytes: &[u8], step: usize) -> String {
    let options = ImportOptions { format: format.map(str::to_owned), ..ImportOptions::default() };
    let mut session = Session::new(name, options);
    let read = bytes
        .chunks(step.max(1))
        .try_for_each(|slice| session.feed(slice))
        .and_then(|()| session.finish());
    match read {
        Err(e) => {
            said(&e.message);
            e.to_string()
        }
        Ok(Imported::Table(data)) => {
            sound(&data, bytes.len());
            told(&data)
        }
        Ok(Imported::Devices(list)) => {
            assert!(!list.is_empty());
            format!("{list:?}")
        }
        Ok(other) => format!("{other:?}"),
    }
}

/// The whole table as text, notes included; equal for equal tables.
pub(crate) fn told(data: &Dataset) -> String {
    let told = |s: &Source| {
        let r = &s.rejected;
        format!("{} {:?} {:?} {:?} {}\n", s.name, s.notes, r.lines, r.reasons, s.rows_read)
    };
    let sources: String = data.sources.iter().map(told).collect();
    format!("{sources}{}", csv(data, 0..data.len(), None))
}

/// Slices of `step` give what the whole gives.
pub(crate) fn exercise(format: Option<&str>, bytes: &[u8], step: usize) {
    let whole = outcome(format, "", bytes, bytes.len());
    assert_eq!(outcome(format, "", bytes, step), whole, "by {step}");
}

/// As [`exercise`], with the last line of the input `times` more, so that the file is longer than
/// what it is recognised by.
pub(crate) fn long(format: Option<&str>, bytes: &[u8], times: usize, step: usize) {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let last = lines.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let mut whole = bytes.to_vec();
    for _ in 0..times {
        whole.push(b'\n');
        whole.extend_from_slice(&lines[last..]);
    }
    exercise(format, &whole, step);
}

/// A table whose parts fit each other; `bytes` is the size of what it was read from.
pub(crate) fn sound(d: &Dataset, bytes: usize) {
    for s in &d.sources {
        assert_eq!(s.rows_read, s.rows_used + s.rejected.total());
        // What is kept is bounded by the file: points, cells, texts.
        assert!(s.rejected.text.len() <= bytes * 64 + (64 << 10));
    }
    let used = d.sources.iter().map(|s| s.rows_used).sum::<u64>();
    assert_eq!(d.len() as u64, used);
    for row in 0..d.len() {
        let t = d.time_s[row];
        assert!(t.is_nan() || t > 0.0 && t <= 1e15, "time {t}");
        assert!(d.m[row] > 0 && d.n[row] > 0 && d.k[row] > 0 && d.batch[row] > 0);
        assert!(usize::from(d.op[row]) < d.ops.len());
        assert!(usize::from(d.device[row]) < d.devices.len());
        assert!(usize::from(d.source[row]) < d.sources.len());
    }
    for c in &d.columns {
        assert_eq!(c.data.len(), d.len(), "{}", c.key);
    }
}

/// A sentence, and no novel.
pub(crate) fn said(message: &str) {
    assert!(!message.is_empty());
    assert!(message.len() < 20_000, "{} bytes of message", message.len());
}

/// The tokenizer: the same records in slices of `step` and in one.
pub(crate) fn records(bytes: &[u8], step: usize) {
    assert_eq!(cut(bytes, step), cut(bytes, bytes.len().max(1)));
}

fn cut(bytes: &[u8], step: usize) -> Vec<(u32, Vec<Vec<u8>>)> {
    let mut out = Vec::new();
    let mut records = Records::default();
    let mut take = |r: &Record<'_>| {
        out.push((r.line(), r.iter().map(<[u8]>::to_vec).collect()));
        Ok(())
    };
    for slice in bytes.chunks(step.max(1)) {
        if records.feed(slice, &mut take).is_err() {
            return out;
        }
    }
    let _ = records.finish(&mut take);
    out
}

/// The JSON scanner: the same pieces in slices of `step` and in one.
pub(crate) fn json(bytes: &[u8], step: usize) {
    assert_eq!(pieces(bytes, step), pieces(bytes, bytes.len().max(1)));
}

fn pieces(bytes: &[u8], step: usize) -> Vec<(String, bool, u32, Option<Vec<u8>>)> {
    let mut scanner = Scanner::new(&["traceEvents", "a"]);
    let mut out = Vec::new();
    for slice in bytes.chunks(step.max(1)) {
        let _ = scanner.feed(slice, &mut |i| {
            let text = i.text.map(<[u8]>::to_vec);
            out.push((i.key.to_owned(), i.element, i.line, text));
            Ok(())
        });
    }
    out
}

/// Detection and the guesses of the column mapping.
pub(crate) fn head(bytes: &[u8]) {
    let head = Head::from_bytes("x.csv", bytes);
    if let Err(e) = sniff(&head, &ImportOptions::default()) {
        said(&e.message);
    }
    let _ = inspect(&head, &ImportOptions::default());
    let _ = header_fingerprint(&head);
}
