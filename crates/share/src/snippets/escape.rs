//! How a value is written in each language of a snippet.

use gemmscope_model::encode::{is_invisible, visible};

/// One percent-encoded component of an address: all but the unreserved characters of RFC 3986 is
/// encoded, so the result is inert in HTML, Markdown, YAML, JavaScript and Python too.
pub(crate) fn component(text: &str) -> String {
    percent(text, |b| matches!(b, b'-' | b'.' | b'_' | b'~'))
}

/// A whole address: keeps the reserved characters that no language of a snippet gives a meaning
/// inside its quotes or brackets, and escapes that are there.
pub(crate) fn address(text: &str) -> String {
    percent(text, |b| b"-._~:/?#@=&%+,$*![]".contains(&b))
}

fn percent(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || keep(b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

/// The value of an attribute in double quotes. What ends it or stands for code in HTML, JSX and
/// the dialects of Markdown around it is a character reference, line ends too.
pub(crate) fn attribute(text: &str) -> String {
    references(text, |c, _, _| " -._~:/?#@=%+,;$*()".contains(c))
}

/// The text of an element in HTML, MDX or a paragraph of Markdown: no character is markup in any.
pub(crate) fn link_text(text: &str) -> String {
    references(text, |c, before, after| match c {
        // Markdown drops blanks at the edges, and takes these for markup beside a blank.
        ' ' | '_' | '-' => before.is_alphanumeric() && after.is_alphanumeric(),
        '.' | ',' => before.is_alphanumeric(),
        _ => false,
    })
}

/// `keep` says of an ASCII character, between its neighbours (a blank at the ends), whether it
/// stays; references cannot take the place of markup in HTML, JSX or Markdown.
fn references(text: &str, keep: impl Fn(char, char, char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let text = visible(text);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next().unwrap_or(' ');
        let stays = match c.is_ascii() {
            true => c.is_ascii_alphanumeric() || keep(c, before, after),
            false => !c.is_whitespace(),
        };
        match c {
            _ if stays => out.push(c),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            c => out.push_str(&format!("&#{};", u32::from(c))),
        }
        before = c;
    }
    out
}

/// Text in a paragraph of Markdown: what might be markup has a backslash before it, and no line
/// ends.
pub(crate) fn markdown(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '.' | ',' | '-' => out.push(c),
            c if c.is_ascii_punctuation() => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// A string literal in double quotes, the same in Python, JavaScript and YAML for the characters
/// of the basic plane.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || is_invisible(c) => match u32::from(c) {
                n @ 0x1_0000.. => out.push_str(&format!("\\U{n:08x}")),
                n => out.push_str(&format!("\\u{n:04x}")),
            },
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A word of a shell's command line, on one line. It holds no `>`, so it ends no comment of HTML
/// either, and no character that a terminal acts upon when it is pasted.
pub(crate) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let coded = |c: char| c == '>' || c.is_control() || is_invisible(c);
    if !text.contains(coded) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut out = "$'".to_owned();
    let mut bytes = [0; 4];
    for c in text.chars() {
        if plain(c) || c == ' ' || !c.is_ascii() && !coded(c) {
            out.push(c);
        } else {
            for b in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("\\{b:03o}"));
            }
        }
    }
    out.push('\'');
    out
}
