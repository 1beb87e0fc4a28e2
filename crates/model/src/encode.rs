//! Makes text from files safe to show: names invisible characters ([`visible`]), keeps text on one line of a terminal
//! or log ([`one_line`]), and escapes it for HTML and SVG ([`markup`]).

use std::borrow::Cow;

/// True for invisible characters, some of which reorder the visible ones: controls, direction marks, zero-width
/// spaces, tags. False for line ends and tabs.
pub fn is_invisible(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        ' '..='~' => false,
        _ if c.is_control() => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Replaces each invisible character by its code point. Applied to names of files, devices and kernels when they are
/// read.
///
/// ```
/// use gemmscope_model::encode::visible;
/// assert_eq!(visible("k\u{202e}gpj"), "k⟨U+202E⟩gpj");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    // In chunks of 32 bytes, a loop that the compiler vectorises.
    let all_plain = |step: &[u8]| step.iter().fold(true, |all, b| all & plain(b));
    let (steps, rest) = text.as_bytes().as_chunks::<32>();
    if steps.iter().all(|s| all_plain(s)) && all_plain(rest) || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_invisible(c) {
            push_name(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Keeps a text on one line of a terminal or a log: [`visible`], and line ends and tabs are replaced too. So are the
/// second `#` of `##[command]` and the first `:` of a leading `::command::`, which build servers would execute.
///
/// ```
/// use gemmscope_model::encode::one_line;
/// assert_eq!(one_line("k\n::error::x"), "k⟨U+000A⟩::error::x");
/// assert_eq!(one_line("::error::##[x]"), "⟨U+003A⟩:error::#⟨U+0023⟩[x]");
/// ```
pub fn one_line(text: &str) -> Cow<'_, str> {
    let acts = |c: char| matches!(c, '\t' | '\n' | '\r') || is_invisible(c);
    if !is_executed(text) && !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (c, is_mark) in executed(text) {
        if acts(c) || is_mark {
            push_name(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// True if a build server may execute something of the text in its log: a leading `::command::`, or `##[command]`.
fn is_executed(text: &str) -> bool {
    text.trim_start().starts_with("::") || text.contains("##")
}

/// The characters, each with whether it makes a command: the first `:` of a leading `::`, the second `#` of `##`.
fn executed(text: &str) -> impl Iterator<Item = (char, bool)> {
    let colon = if text.trim_start().starts_with("::") { text.find(':') } else { None };
    let mut before = ' ';
    text.char_indices().map(move |(at, c)| {
        let is_mark = colon == Some(at) || c == '#' && before == '#';
        before = c;
        (c, is_mark)
    })
}

fn push_name(out: &mut String, c: char) {
    out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
}

/// Escapes text for the content and the quoted attributes of HTML and SVG. Line ends become spaces, other invisible
/// characters their code points; the two further characters that XML forbids are left out. So that a build server
/// executes nothing of a page or picture in its log, the first `:` of a leading `::command::` and the second `#` of
/// `##[command]` are references.
///
/// ```
/// use gemmscope_model::encode::markup;
/// assert_eq!(markup("a < b"), "a &lt; b");
/// assert_eq!(markup("::error::##[x]"), "&#58;:error::#&#35;[x]");
/// ```
pub fn markup(text: &str) -> Cow<'_, str> {
    let special = |c: char| {
        matches!(c, '&' | '<' | '>' | '"' | '\'' | '\u{fffe}' | '\u{ffff}')
            || c.is_control()
            || is_invisible(c)
    };
    if !is_executed(text) && !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (c, is_mark) in executed(text) {
        match c {
            c if is_mark => out.push_str(&format!("&#{};", u32::from(c))),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if is_invisible(c) => push_name(&mut out, c),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_stays_text() {
        assert_eq!(
            markup("<img src=x onerror='a'>\"&\u{1}\u{ffff}"),
            "&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;⟨U+0001⟩"
        );
        assert_eq!(markup("plain µs"), "plain µs");
    }
}
