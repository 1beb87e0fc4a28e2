//! Escapes a value for each language of a snippet.

use gemmscope_model::encode::{is_invisible, visible};

/// A percent-encoded component of an address: everything except the unreserved characters of RFC 3986 is encoded, so
/// the result is inert in HTML, Markdown, YAML, JavaScript and Python too.
pub(crate) fn component(text: &str) -> String {
    percent(text, |b| matches!(b, b'-' | b'.' | b'_' | b'~'))
}

/// A whole address: keeps existing escapes, and the reserved characters that have no meaning inside quotes or brackets
/// in any language of a snippet.
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

/// An attribute value in double quotes. Characters that end it or mean something in HTML, JSX and Markdown dialects
/// around it become character references, line ends too.
pub(crate) fn attribute(text: &str) -> String {
    references(text, |c, _, _| " -._~:/?#@=%+,;$*()".contains(c))
}

/// Element text that is inert in HTML, MDX and Markdown paragraphs.
pub(crate) fn link_text(text: &str) -> String {
    references(text, |c, before, after| match c {
        // Markdown drops blanks at the edges, and treats these as markup next to a blank.
        ' ' | '_' | '-' => before.is_alphanumeric() && after.is_alphanumeric(),
        '.' | ',' => before.is_alphanumeric(),
        _ => false,
    })
}

/// Replaces characters by references. `keep` says whether an ASCII character stays, given its neighbours (a blank at
/// the ends). A reference is never markup in HTML, JSX or Markdown.
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

/// Text in a Markdown paragraph: possible markup is escaped with a backslash, and line ends are replaced.
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

/// A string literal in double quotes, the same in Python, JavaScript and YAML for characters of the basic multilingual
/// plane.
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

/// A word of a shell command line, on one line. Contains no `>`, so it cannot end an HTML comment either, and no
/// character that a terminal acts on when it is pasted.
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
