//! Escapes text from files, so that a document never reads it as markup.

use gemmscope_model::encode::visible;
use std::borrow::Cow;

/// Escapes text for markdown; line ends become spaces, other characters that nobody
/// sees their names.
pub(crate) fn markdown_text(text: &str) -> Cow<'_, str> {
    match visible(text) {
        Cow::Borrowed(text) => escaped(text),
        Cow::Owned(text) => Cow::Owned(escaped(&text).into_owned()),
    }
}

fn escaped(text: &str) -> Cow<'_, str> {
    let special = |c: char| {
        matches!(
            c,
            '\\' | '`'
                | '*'
                | '['
                | ']'
                | '<'
                | '>'
                | '|'
                | '#'
                | '!'
                | '&'
                | '~'
                | '_'
                | '$'
                | '@'
        ) || c.is_control()
    };
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 16);
    for (i, &c) in chars.iter().enumerate() {
        if c.is_control() {
            out.push(' ');
            continue;
        }
        // An underscore inside a word is not emphasis, and is easier to read without a backslash.
        let inside = c == '_'
            && i > 0
            && chars[i - 1].is_alphanumeric()
            && chars.get(i + 1).is_some_and(|n| n.is_alphanumeric());
        if special(c) && !inside {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

/// Encodes an SVG document for a data URL.
pub(crate) fn data_url(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() + svg.len() / 2);
    for b in svg.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(b)),
            b' ' | b'.' | b',' | b'-' | b'_' | b'=' | b':' | b';' | b'/' | b'(' | b')' => {
                out.push(char::from(b));
            }
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.push('%');
                out.push(char::from(HEX[usize::from(b >> 4)]));
                out.push(char::from(HEX[usize::from(b & 15)]));
            }
        }
    }
    out
}

/// Shortens a long name for a table, with an ellipsis.
pub(crate) fn short(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().count() <= limit {
        return Cow::Borrowed(text);
    }
    let mut out: String = text.chars().take(limit.saturating_sub(1)).collect();
    out.push('…');
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_stays_text() {
        assert_eq!(markdown_text("a|b\n<b>*x*"), "a\\|b \\<b\\>\\*x\\*");
        assert_eq!(markdown_text("k\u{202e}gpj"), "k⟨U+202E⟩gpj");
        assert_eq!(markdown_text("aten::_scaled_mm"), "aten::\\_scaled_mm");
        assert_eq!(markdown_text("[x](javascript:1)"), "\\[x\\](javascript:1)");
        assert_eq!(data_url("<a b=\"µ\">"), "%3Ca b=%22%C2%B5%22%3E");
        assert_eq!(short("abcdef", 4), "abc…");
    }
}
