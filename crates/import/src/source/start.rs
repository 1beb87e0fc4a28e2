//! Builds a [`Head`] from the first bytes of a file.

use super::text::Decoder;
use crate::Head;
use crate::columns::header::without_bom;
use crate::split::lines::Lines;
use gemmscope_table::build::cell_text::cell_text;

pub(crate) const HEAD_LINES: usize = 80;
pub(super) const HEAD_BYTES: usize = 64 << 10;
/// Bytes, possibly compressed, decoded at a time.
const STEP: usize = 16 << 10;

/// True for JSON, which may have one value per line, so that 80 lines say little.
pub(super) fn is_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

pub(super) fn head_of(name: &str, start: &[u8], complete: bool) -> Head {
    let lines = Lines::of(start)
        .take(if is_json(start) { usize::MAX } else { HEAD_LINES })
        .map(|l| cell_text(without_bom(l)).into_owned())
        .collect();
    Head { name: name.to_owned(), complete, ..Head::of_lines(lines) }
}

pub(crate) fn head_from_bytes(name: &str, bytes: &[u8]) -> Head {
    let mut decoder = Decoder::default();
    let mut text = Vec::new();
    for piece in bytes.chunks(STEP) {
        match decoder.feed(piece) {
            Ok(more) if text.len() < HEAD_BYTES => text.extend_from_slice(more),
            _ => break,
        }
    }
    // The bytes may end anywhere, so a truncated end is not an error.
    if let Ok(more) = decoder.finish() {
        text.extend_from_slice(more);
    }
    text.truncate(HEAD_BYTES);
    let complete = text.len() < HEAD_BYTES
        && (is_json(&text) || memchr::memchr_iter(b'\n', &text).count() < HEAD_LINES);
    head_of(name, &text, complete)
}
