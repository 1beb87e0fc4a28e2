//! Escapes text from files, so that no document reads it as markup, and no host that displays it as a reference.

use gemmscope_model::encode::visible;
use std::borrow::Cow;

/// Zero-width space. It keeps a host from finding names, numbers or addresses in rendered text (GitHub, GitLab), where
/// backslashes are already gone.
const APART: &str = "&#8203;";

/// Number of digits of a commit hash that GitHub recognises in a text.
const HASH: std::ops::RangeInclusive<usize> = 7..=40;

/// Escapes text for the markdown of GitHub and GitLab: no markup, mentions (`@name`), references (`#1`, `GH-1`, `!1`,
/// commits), links (`https://`, `www.`, mail addresses) or emoji (`:tada:`). Line ends become spaces, other invisible
/// characters their names.
pub(crate) fn markdown_text(text: &str) -> String {
    escaped(&visible(text).trim().chars().collect::<Vec<_>>(), None)
}

/// As [`markdown_text`], for text at the start of a line, where it must not start a list either.
pub(crate) fn markdown_line(text: &str) -> String {
    let chars: Vec<char> = visible(text).trim().chars().collect();
    escaped(&chars, opening(&chars))
}

/// The text with a backslash at `opens`, where it would start a block, and before all markup.
fn escaped(chars: &[char], opens: Option<usize>) -> String {
    let mut out = String::with_capacity(chars.len() + 16);
    for (i, &c) in chars.iter().enumerate() {
        if c.is_control() {
            out.push(' ');
            continue;
        }
        let before = i.checked_sub(1).map(|i| chars[i]);
        // An underscore inside a word is no emphasis, and is more legible without a backslash.
        let inside = c == '_' && is_word(before) && is_word(chars.get(i + 1).copied());
        if parts_before(chars, i) {
            out.push_str(APART);
        }
        if is_markup(c) && !inside || opens == Some(i) {
            out.push('\\');
        }
        out.push(c);
        if parts_behind(chars, i) {
            out.push_str(APART);
        }
    }
    out
}

/// True for characters that are markup anywhere.
fn is_markup(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '&' | '~' | '_' | '$')
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// Where a backslash keeps the text from starting a list or a rule: `- x`, `1. x`, `---`.
fn opening(chars: &[char]) -> Option<usize> {
    let digits = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    let mark = *chars.get(digits)?;
    let ends = chars.get(digits + 1).is_none_or(|c| c.is_whitespace());
    let list = ends && if digits == 0 { "-+".contains(mark) } else { ".)".contains(mark) };
    let line = chars.iter().all(|c| *c == '-' || *c == ' ') || chars.iter().all(|c| *c == '=');
    (list || line).then_some(digits)
}

/// True if a reference could start with this character.
fn parts_behind(chars: &[char], i: usize) -> bool {
    let rest = &chars[i + 1..];
    let after = rest.first().copied();
    match chars[i] {
        '@' | '#' => after.is_some_and(|c| !c.is_whitespace()),
        // GitLab: merge requests, milestones, labels, epics and snippets.
        '!' | '%' | '~' | '&' | '$' | '^' => is_word(after) || matches!(after, Some('"' | '_')),
        // The first colon of `::error::`, which at the start of a line is a command to GitHub's runner.
        ':' if rest.starts_with(&['/', '/']) || i == 0 && after == Some(':') => true,
        // Not the second colon of `aten::mm:`, a name that every reader of such reports knows.
        ':' => is_emoji(rest) && !(chars[..i].ends_with(&[':']) && is_name(chars[..i - 1].last())),
        _ => false,
    }
}

fn is_name(c: Option<&char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || *c == '_')
}

/// True if the text after a colon would make it an emoji.
fn is_emoji(rest: &[char]) -> bool {
    let name = |c: &&char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let letters = rest.iter().take_while(name).count();
    letters > 0 && rest.get(letters) == Some(&':')
}

/// True if a reference could continue with this character: `GH-1`, `www.`, every sixth digit of a commit.
fn parts_before(chars: &[char], i: usize) -> bool {
    let lower = |at: usize| chars[at].to_ascii_lowercase();
    let begins = |word: &[char]| {
        let start = i.checked_sub(word.len());
        start.is_some_and(|s| {
            let free = s == 0 || !chars[s - 1].is_alphanumeric();
            free && word.iter().enumerate().all(|(k, c)| lower(s + k) == *c)
        })
    };
    match chars[i] {
        '-' => begins(&['g', 'h']) && chars.get(i + 1).is_some_and(char::is_ascii_digit),
        '.' => begins(&['w', 'w', 'w']),
        c if c.is_ascii_hexdigit() => parts_hash(chars, i),
        _ => false,
    }
}

/// True for every sixth digit of a word that may be a commit hash. Decimal digits alone are a number.
fn parts_hash(chars: &[char], i: usize) -> bool {
    let word = |c: &&char| c.is_alphanumeric() || **c == '_';
    let before = chars[..i].iter().rev().take(*HASH.end() + 1).take_while(word).count();
    if before == 0 || !before.is_multiple_of(6) {
        return false;
    }
    let start = i - before;
    let len = chars[start..].iter().take(*HASH.end() + 1).take_while(word).count();
    let digits = &chars[start..start + len];
    HASH.contains(&len)
        && digits.iter().all(char::is_ascii_hexdigit)
        && digits.iter().any(|c| !c.is_ascii_digit())
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
mod tests;
