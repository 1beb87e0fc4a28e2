//! Streams JSON: gives the members of the outermost object and the elements of its large arrays one
//! after another, so that a file of any size needs only the memory of its largest element.

use crate::ImportError;
use gemmscope_table::build::TableBuilder;
use memchr::{memchr_iter, memchr2};
use serde_json::Value;

/// Longest element or member in bytes; the text of a longer one is `None`.
const MAX_ITEM: usize = 32 << 20;

/// One piece of a JSON file, or a line of a log.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Member of the outermost object; "" where the outermost value is an array.
    pub key: &'a str,
    /// It is an element of the array that this member holds, or a line.
    pub element: bool,
    /// 1-based line where it starts.
    pub line: u32,
    /// Its text; `None` where it is too long.
    pub text: Option<&'a [u8]>,
    /// Of one that is too long, what is said of it and how it begins.
    pub too_long: (&'static str, &'a [u8]),
}

/// The text of a member; "" where there is none.
pub(crate) fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The number of a member, or in its text.
pub(crate) fn number(v: &Value, key: &str) -> Option<f64> {
    let v = v.get(key)?;
    v.as_f64().or_else(|| v.as_str()?.trim().parse::<f64>().ok())
}

/// The items of a member that is a list.
pub(crate) fn items<'a>(v: &'a Value, key: &str) -> &'a [Value] {
    v.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What is said of a file whose outermost value is not closed.
pub(crate) const CUT: &str = "The file is cut off; everything before that was read.";

/// Says that a file was cut.
pub(crate) fn note_cut(table: &mut TableBuilder, complete: bool) {
    if !complete {
        table.note(CUT);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Before the outermost value.
    #[default]
    Start,
    /// In the outermost object, before a key.
    Key,
    InKey,
    Colon,
    /// Before a member's value.
    Value,
    /// In an array whose elements are wanted, before an element.
    Element,
    /// Inside a value that is collected.
    Inside,
    End,
}

/// Push scanner; see `Item`. It does not check that the text is JSON: other text gives pieces that
/// do not parse.
#[derive(Debug, Default)]
pub struct Scanner {
    arrays: &'static [&'static str],
    mode: Mode,
    /// The outermost value is an array.
    bare: bool,
    in_array: bool,
    depth: u32,
    quoted: bool,
    escaped: bool,
    key: Vec<u8>,
    kept: Vec<u8>,
    too_long: bool,
    line: u32,
    item_line: u32,
}

/// Takes the pieces that [`Scanner::feed`] completes.
type Take<'t> = dyn FnMut(Item<'_>) -> Result<(), ImportError> + 't;

impl Scanner {
    /// A new scanner.
    pub fn new(arrays: &'static [&'static str]) -> Self {
        Scanner { arrays, line: 1, item_line: 1, ..Scanner::default() }
    }

    /// The outermost value was closed.
    pub(crate) fn complete(&self) -> bool {
        self.mode == Mode::End
    }

    /// Takes the next slice and calls `take` for every piece that it completes.
    pub fn feed(&mut self, text: &[u8], take: &mut Take<'_>) -> Result<(), ImportError> {
        let mut i = 0;
        // Line ends before this are counted.
        let mut counted = 0;
        while i < text.len() && self.mode != Mode::End {
            if self.mode == Mode::Inside {
                let end = self.value_end(text, i);
                self.keep(&text[i..end.unwrap_or(text.len())]);
                let Some(end) = end else { break };
                self.give(take)?;
                i = end;
            } else if self.begins_value(text[i]) {
                self.line = self.line.saturating_add(lines(&text[counted..i]));
                counted = i;
                self.item_line = self.line;
            } else {
                i += 1;
            }
        }
        self.line = self.line.saturating_add(lines(&text[counted..]));
        Ok(())
    }

    /// Takes a byte between two values; true where it is the first of a value.
    fn begins_value(&mut self, b: u8) -> bool {
        match (self.mode, b) {
            (Mode::Start, b'{') => self.mode = Mode::Key,
            (Mode::Start, b'[') => {
                self.bare = true;
                self.in_array = true;
                self.mode = Mode::Element;
            }
            (Mode::Key, b'"') => {
                self.key.clear();
                self.mode = Mode::InKey;
            }
            (Mode::Key, b'}') => self.mode = Mode::End,
            (Mode::InKey, _) if std::mem::take(&mut self.escaped) => self.key.push(b),
            (Mode::InKey, b'\\') => self.escaped = true,
            (Mode::InKey, b'"') => self.mode = Mode::Colon,
            (Mode::InKey, _) if self.key.len() < 200 => self.key.push(b),
            (Mode::Colon, b':') => self.mode = Mode::Value,
            (Mode::Value, b'[') if self.arrays.iter().any(|a| a.as_bytes() == self.key) => {
                self.in_array = true;
                self.mode = Mode::Element;
            }
            (Mode::Element, b']') => {
                self.in_array = false;
                self.mode = if self.bare { Mode::End } else { Mode::Key };
            }
            // Not JSON: a bracket where a value belongs ends what is open.
            (Mode::Value, b'}' | b']') => self.mode = Mode::Key,
            (Mode::Element, b'}') => {}
            (Mode::Value | Mode::Element, _) if !b.is_ascii_whitespace() && b != b',' => {
                self.mode = Mode::Inside;
                self.depth = 0;
                return true;
            }
            _ => {}
        }
        false
    }

    /// Where the value ends that is open at `i`; `None`: in a later slice.
    fn value_end(&mut self, text: &[u8], mut i: usize) -> Option<usize> {
        while i < text.len() {
            if self.quoted {
                if !std::mem::take(&mut self.escaped) {
                    i += memchr2(b'"', b'\\', &text[i..])?;
                    self.escaped = text[i] == b'\\';
                    self.quoted = self.escaped;
                }
                i += 1;
                continue;
            }
            match text[i] {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.depth += 1,
                // The bracket or comma after a plain value is not part of it.
                b'}' | b']' | b',' if self.depth == 0 => return Some(i),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(i + 1);
                    }
                }
                _ => {}
            }
            i += 1;
        }
        None
    }

    /// Gives the value that is complete.
    fn give(&mut self, take: &mut Take<'_>) -> Result<(), ImportError> {
        self.mode = if self.in_array { Mode::Element } else { Mode::Key };
        let mut kept = std::mem::take(&mut self.kept);
        let long = std::mem::take(&mut self.too_long);
        let result = take(Item {
            key: std::str::from_utf8(&self.key).unwrap_or(""),
            element: self.in_array,
            line: self.item_line,
            text: (!long).then_some(kept.trim_ascii()),
            too_long: ("longer than 32 MiB", b""),
        });
        kept.clear();
        self.kept = kept;
        result
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.too_long || self.kept.len() + piece.len() > MAX_ITEM {
            self.too_long = true;
            self.kept = Vec::new();
        } else {
            self.kept.extend_from_slice(piece);
        }
    }
}

fn lines(text: &[u8]) -> u32 {
    u32::try_from(memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, step: usize) -> (Vec<(String, bool, u32, String)>, bool) {
        let mut s = Scanner::new(&["big"]);
        let mut out = Vec::new();
        for slice in text.as_bytes().chunks(step) {
            s.feed(slice, &mut |i| {
                let text = String::from_utf8_lossy(i.text.unwrap()).into_owned();
                out.push((i.key.to_owned(), i.element, i.line, text));
                Ok(())
            })
            .unwrap();
        }
        (out, s.complete())
    }

    #[test]
    fn members_and_elements_in_any_slices() {
        let text = "{\"a\": 1, \"b\\\"\" : {\"x\": [\"}\\\"]\", 2]},\n \"big\": [ {\"i\": \"a,]\"},\n 7\n, [1,2] ], \"c\":\"d\" }\n";
        let want: Vec<(String, bool, u32, String)> = [
            ("a", false, 1, "1"),
            ("b\"", false, 1, "{\"x\": [\"}\\\"]\", 2]}"),
            ("big", true, 2, "{\"i\": \"a,]\"}"),
            ("big", true, 3, "7"),
            ("big", true, 4, "[1,2]"),
            ("c", false, 4, "\"d\""),
        ]
        .map(|(k, e, l, t)| (k.to_owned(), e, l, t.to_owned()))
        .to_vec();
        for step in [1, 2, 3, 7, 1000] {
            assert_eq!(pieces(text, step), (want.clone(), true), "by {step}");
        }
    }

    #[test]
    fn bare_arrays_and_cut_files() {
        assert_eq!(
            pieces("[1, {\"a\": [2]}]", 2).0,
            [
                (String::new(), true, 1, "1".to_owned()),
                (String::new(), true, 1, "{\"a\": [2]}".to_owned())
            ]
        );
        let (found, complete) = pieces("{\"big\": [{\"a\": 1}, {\"a\"", 5);
        assert_eq!((found.len(), complete), (1, false));
        for odd in [
            "",
            "x",
            "{",
            "]",
            "}}}",
            "{\"a\"}",
            "[[[[",
            "{\"big\":]",
            "[}",
            "[1}",
            "{\"a\":}",
            "{\"a\":]}",
        ] {
            pieces(odd, 1);
        }
    }

    #[test]
    fn an_element_without_end_is_bounded() {
        let mut s = Scanner::new(&[]);
        s.feed(b"[\"", &mut |_| Ok(())).unwrap();
        let block = vec![b'x'; 1 << 20];
        for _ in 0..40 {
            s.feed(&block, &mut |_| Ok(())).unwrap();
        }
        assert!(s.kept.capacity() < 2 * MAX_ITEM);
        let mut got = None;
        s.feed(b"\"]", &mut |i| {
            got = Some(i.text.is_none());
            Ok(())
        })
        .unwrap();
        assert_eq!(got, Some(true));
    }
}
