//! The tokenizer: the same records in any slices.
#![no_main]

use gemmscope::import::{Delimiter, Dialect, Records};

fn cut(bytes: &[u8], step: usize, dialect: Dialect) -> Vec<(u32, Vec<Vec<u8>>)> {
    let mut out = Vec::new();
    let mut records = Records::new(dialect);
    let mut take = |r: &gemmscope::import::Record<'_>| {
        out.push((r.line(), r.iter().map(<[u8]>::to_vec).collect()));
        Ok(())
    };
    for slice in bytes.chunks(step) {
        if records.feed(slice, &mut take).is_err() {
            return out;
        }
    }
    let _ = records.finish(&mut take);
    out
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [kind, step, bytes @ ..] = data else { return };
    let delimiter = match kind % 5 {
        0 => Delimiter::Spaces,
        k => Delimiter::Byte(b",;\t|"[usize::from(k - 1)]),
    };
    let dialect = Dialect { delimiter, decimal_comma: kind & 128 != 0 };
    assert_eq!(cut(bytes, usize::from(*step) + 1, dialect), cut(bytes, bytes.len().max(1), dialect));
});
