//! The JSON scanner: the same pieces in any slices.
#![no_main]

use gemmscope::import::json::Scanner;

fn cut(bytes: &[u8], step: usize) -> Vec<(String, bool, u32, Option<Vec<u8>>)> {
    let mut scanner = Scanner::new(&["traceEvents", "a"]);
    let mut out = Vec::new();
    for slice in bytes.chunks(step) {
        let _ = scanner.feed(slice, &mut |i| {
            out.push((i.key.to_owned(), i.element, i.line, i.text.map(<[u8]>::to_vec)));
            Ok(())
        });
    }
    out
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((step, bytes)) = data.split_first() else { return };
    assert_eq!(cut(bytes, usize::from(*step) + 1), cut(bytes, bytes.len().max(1)));
});
