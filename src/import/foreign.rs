//! Known files that are no GEMM benchmarks: one sentence each, with what to do instead.

use super::Head;

/// A binary file by its first bytes.
pub fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 3] = [
        (
            b"\x89PNG",
            "this is a picture (PNG), not a benchmark: drop the CSV that it was drawn from",
        ),
        (
            b"\xff\xd8\xff",
            "this is a picture (JPEG), not a benchmark: drop the CSV that it was drawn from",
        ),
        (
            b"%PDF",
            "this is a PDF: copy its table into a spreadsheet and save that as CSV",
        ),
    ];
    MAGIC
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, sentence)| *sentence)
}

/// A text file by its head.
pub fn by_text(_head: &Head) -> Option<&'static str> {
    None
}

/// Control characters that no text has.
pub fn looks_binary(text: &[u8]) -> bool {
    let odd = text
        .iter()
        .filter(|&&b| b < 32 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        .count();
    odd * 50 > text.len()
}
