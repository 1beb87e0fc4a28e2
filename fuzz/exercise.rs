//! What holds for every input, shared by the fuzz targets and `tests/import_corpus.rs`.

use gemmscope::import::{ImportOptions, Imported, Session};

/// Reads bytes in slices of `step`, as one format or as what they are recognised for; panics
/// where an invariant does not hold.
pub fn exercise(format: Option<&str>, bytes: &[u8], step: usize) {
    let options = ImportOptions {
        format: format.map(str::to_owned),
        ..ImportOptions::default()
    };
    let mut session = Session::new("", options);
    for slice in bytes.chunks(step.max(1)) {
        if let Err(e) = session.feed(slice) {
            return said(&e.message);
        }
    }
    match session.finish() {
        Err(e) => said(&e.message),
        Ok(Imported::Table(d)) => {
            let s = &d.sources[0];
            assert_eq!(s.rows_read, s.rows_used + s.set_aside.total());
            assert_eq!(
                d.len() as u64,
                d.sources.iter().map(|s| s.rows_used).sum::<u64>()
            );
            for row in 0..d.len() {
                let t = d.time_s[row];
                assert!(t.is_nan() || t > 0.0 && t.is_finite(), "time {t}");
                assert!(d.m[row] > 0 && d.n[row] > 0 && d.k[row] > 0 && d.batch[row] > 0);
                assert!(usize::from(d.op[row]) < d.ops.len());
                assert!(usize::from(d.device[row]) < d.devices.len());
            }
            for c in &d.columns {
                assert_eq!(c.data.len(), d.len(), "{}", c.key);
            }
            // What is kept is bounded by the file: points, cells, texts.
            assert!(s.set_aside.text.len() <= bytes.len() * 64 + (64 << 10));
        }
        Ok(Imported::Devices(list)) => assert!(!list.is_empty()),
        Ok(_) => {}
    }
}

fn said(message: &str) {
    assert!(!message.is_empty());
    assert!(message.len() < 20_000, "{} bytes of message", message.len());
}
