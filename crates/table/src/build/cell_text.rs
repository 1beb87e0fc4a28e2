//! Decodes cell text, recognises words for "no value", and holds the reason a row is rejected.

use gemmscope_model::encode::visible;
use std::borrow::Cow;

/// Why a row is rejected.
#[derive(Clone, Debug, PartialEq)]
pub struct RowError {
    /// Short, stable sentence that names the column: `time is zero (us)`.
    pub reason: String,
    /// 1-based column, 0 if no column is at fault.
    pub column: u32,
    /// The offending text.
    pub text: String,
}

impl RowError {
    /// A reason without a column at fault.
    pub fn new(reason: impl Into<String>) -> Self {
        RowError { reason: reason.into(), column: 0, text: String::new() }
    }
}

/// Decodes a cell. Bytes that are not UTF-8 are read as Windows-1252, which spreadsheets write to CSV (usually a micro
/// sign in a header). Invisible characters are replaced by their code point, so that no two names look alike and none
/// reorders its surroundings.
pub fn cell_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(s) => visible(s),
        Err(_) => {
            let text: String = bytes.iter().map(|&b| windows_1252(b)).collect();
            Cow::Owned(visible(&text).into_owned())
        }
    }
}

fn windows_1252(b: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match b {
        0x80..=0x9f => HIGH[usize::from(b - 0x80)],
        _ => char::from(b),
    }
}

/// True for words that stand for "no value" in a cell.
#[inline]
pub fn is_missing(cell: &[u8]) -> bool {
    match cell {
        [] => true,
        [b'0'..=b'9', ..] => false,
        _ => is_missing_word(cell),
    }
}

fn is_missing_word(cell: &[u8]) -> bool {
    matches!(cell, b"-" | b"--")
        || cell.len() <= 4
            && [&b"na"[..], b"n/a", b"null", b"none", b"nil", b"nan", b"<na>"]
                .iter()
                .any(|w| cell.eq_ignore_ascii_case(w))
}
