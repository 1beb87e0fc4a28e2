//! Streams JSON: returns the members of the outermost object and the elements of its large arrays one by one, so that
//! memory is bounded by the largest element.

use crate::ImportError;
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;
use memchr::{memchr_iter, memchr2};
use serde_json::Value;
use std::collections::HashSet;

/// Longest element or member in bytes; a longer one has the text `None`.
const MAX_ITEM: usize = 32 << 20;

/// A member or element of a JSON file, or a line of a log.
#[derive(Clone, Copy, Debug)]
pub struct JsonItem<'a> {
    /// Member of the outermost object; "" if the outermost value is an array.
    pub key: &'a str,
    /// It is an element of that member's array, or a line.
    pub element: bool,
    /// 1-based line where it starts.
    pub line: u32,
    /// Its text; `None` if it cannot be read.
    pub text: Option<&'a [u8]>,
    /// 0-based index of the outermost value that contains it.
    pub value: u32,
    /// If it cannot be read: the reason, and its first bytes.
    pub problem: (&'static str, &'a [u8]),
}

/// Parses JSON in which a number may be `NaN`, `Infinity` or similar, as written by Python and
/// C++; these become `null`.
pub(crate) fn value(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text).or_else(|e| match without_nan(text) {
        Some(text) => serde_json::from_slice(&text),
        None => Err(e),
    })
}

/// The first key that occurs twice in an object; serde_json keeps the last value.
pub(crate) fn repeated_key(text: &[u8]) -> Option<String> {
    struct Keys;
    impl<'de> serde::de::Visitor<'de> for Keys {
        type Value = Option<String>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let (mut keys, mut twice) = (HashSet::new(), None);
            while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                if keys.contains(&key) {
                    twice.get_or_insert(key);
                } else {
                    keys.insert(key);
                }
            }
            Ok(twice)
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    serde::Deserializer::deserialize_map(&mut reader, Keys).ok().flatten()
}

/// Replaces non-finite numbers by `null`; `None` if there are none.
fn without_nan(text: &[u8]) -> Option<Vec<u8>> {
    let is_missing = |word: &[u8]| {
        let word = String::from_utf8_lossy(word).to_ascii_lowercase();
        let bare = word.trim_start_matches(['-', '+']);
        // printf of Windows writes `-nan(ind)` and `1.#INF`.
        word.parse::<f64>().is_ok_and(|v| !v.is_finite())
            || bare.starts_with("nan(")
            || bare.starts_with("1.#")
    };
    let (mut out, mut found, mut at) = (Vec::with_capacity(text.len()), false, 0);
    while let Some(&b) = text.get(at) {
        let rest = &text[at..];
        let len = match b {
            b'"' => quoted_len(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            b if b.is_ascii_whitespace() => 1,
            _ => {
                let ends = |b: &u8| b.is_ascii_whitespace() || b"{}[],:\"".contains(b);
                rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        let (word, _) = rest.split_at(len);
        let missing = b != b'"' && is_missing(word);
        out.extend_from_slice(if missing { b"null" } else { word });
        found |= missing;
        at += len;
    }
    found.then_some(out)
}

/// Length of the string at the start, including quotes.
fn quoted_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(b) = bytes.get(at) {
        match b {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The string value of a member; "" if there is none.
pub(crate) fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The numeric value of a member, also if it is a string.
pub(crate) fn number(v: &Value, key: &str) -> Option<f64> {
    let v = v.get(key)?;
    v.as_f64().or_else(|| v.as_str()?.trim().parse::<f64>().ok())
}

/// The elements of a member that is an array; empty otherwise.
pub(crate) fn items<'a>(v: &'a Value, key: &str) -> &'a [Value] {
    v.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Note on a file whose outermost value is not closed.
pub(crate) const CUT: &str = "The file is cut off; everything before that was read.";

/// Notes that a file is truncated.
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
    /// In a streamed array, before an element.
    Element,
    /// Within a value that is collected.
    Inside,
    /// After the outermost value.
    End,
    /// In text after it that is ignored.
    Behind,
}

/// Push scanner that produces [`JsonItem`]s. It does not validate JSON; other text gives items that fail to parse.
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
    reads_on: bool,
    /// Number of outermost values before the current one.
    values: u32,
    /// Number of ignored bytes after the outermost value, and the line where they start.
    behind: (u64, u32),
}

/// Receives the items that [`Scanner::feed`] completes.
type Take<'t> = dyn FnMut(JsonItem<'_>) -> Result<(), ImportError> + 't;

impl Scanner {
    /// A scanner that streams the elements of the members `arrays`.
    pub fn new(arrays: &'static [&'static str]) -> Self {
        Scanner { arrays, line: 1, item_line: 1, ..Scanner::default() }
    }

    /// Sets whether further values after the outermost one are read.
    pub(crate) fn reading_on(self, reads_on: bool) -> Self {
        Scanner { reads_on, ..self }
    }

    /// True if the outermost value is closed.
    pub(crate) fn complete(&self) -> bool {
        matches!(self.mode, Mode::End | Mode::Behind)
    }

    /// Note on text after the outermost value, if any.
    pub(crate) fn behind(&self) -> Option<String> {
        let (bytes, line) = self.behind;
        let bytes = plural(Some(bytes).filter(|b| *b > 0)?, "byte");
        Some(format!("Left out {bytes} behind the end of the JSON, from line {line} on."))
    }

    /// Reads the next slice and calls `take` for every item that it completes.
    pub fn feed(&mut self, text: &[u8], take: &mut Take<'_>) -> Result<(), ImportError> {
        let mut i = 0;
        // Line ends before this index are counted.
        let mut counted = 0;
        while i < text.len() {
            if self.mode == Mode::Behind {
                self.behind.0 += (text.len() - i) as u64;
                break;
            } else if self.mode == Mode::End && !self.goes_on(text[i]) {
                self.behind.1 = self.line.saturating_add(lines(&text[counted..i]));
            } else if self.mode == Mode::Inside {
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

    /// Handles a byte after the outermost value; false if it starts text to ignore.
    fn goes_on(&mut self, b: u8) -> bool {
        match b {
            b'{' | b'[' if self.reads_on => {
                (self.mode, self.bare, self.in_array) = (Mode::Start, false, false);
                self.key.clear();
                self.values += 1;
                true
            }
            // In a JSON text sequence, a record separator precedes each value.
            b'\x1e' => true,
            b if b.is_ascii_whitespace() => true,
            _ => {
                self.mode = Mode::Behind;
                false
            }
        }
    }

    /// Handles a byte between values; true if it is the first byte of a value.
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
            // Invalid JSON: a bracket in place of a value closes the open one.
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

    /// End of the open value, searched from `i`; `None` if it is in a later slice.
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
                // The bracket or comma after a scalar is not part of it.
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

    /// Passes the completed value to `take`.
    fn give(&mut self, take: &mut Take<'_>) -> Result<(), ImportError> {
        self.mode = if self.in_array { Mode::Element } else { Mode::Key };
        let mut kept = std::mem::take(&mut self.kept);
        let long = std::mem::take(&mut self.too_long);
        let result = take(JsonItem {
            key: std::str::from_utf8(&self.key).unwrap_or(""),
            element: self.in_array,
            line: self.item_line,
            text: (!long).then_some(kept.trim_ascii()),
            value: self.values,
            problem: ("longer than 32 MiB", b""),
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
    fn what_is_no_number_is_missing() {
        for word in [
            "NaN",
            "nan",
            "-NaN",
            "Infinity",
            "-Infinity",
            "inf",
            "-inf",
            "+Inf",
            "1e999",
            "-nan(ind)",
            "1.#INF",
            "-1.#QNAN",
        ] {
            let text = format!("{{\"a\":{word}, \"b\": [1,{word} ], \"c\": \"x \\\" {word}, \"}}");
            let read = value(text.as_bytes()).unwrap();
            assert_eq!((&read["a"], &read["b"][1]), (&Value::Null, &Value::Null), "{text}");
            assert_eq!(read["c"], format!("x \" {word}, "));
        }
        for bad in ["{\"a\": nano}", "{NaN: 1}", "{\"a\": NaN", "[1 2]", "{\"a\": \"b", "{\"a\\"] {
            assert!(value(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_follows_the_value_is_read_or_counted() {
        let read = |text: &str, reads_on: bool, step: usize| {
            let mut s = Scanner::new(&["big"]).reading_on(reads_on);
            let mut out = Vec::new();
            for slice in text.as_bytes().chunks(step) {
                let mut take = |i: JsonItem<'_>| {
                    out.push(format!("{}:{}", i.value, String::from_utf8_lossy(i.text.unwrap())));
                    Ok(())
                };
                s.feed(slice, &mut take).unwrap();
            }
            (out.join(" "), s.complete(), s.behind().unwrap_or_default())
        };
        let left = |bytes: &str, line: u32| {
            format!("Left out {bytes} behind the end of the JSON, from line {line} on.")
        };
        for step in [1, 2, 1000] {
            let two = read("[1]\n[2, 3]\n", true, step);
            assert_eq!(two, ("0:1 1:2 1:3".into(), true, String::new()));
            let two = read("{\"big\":[1]}{\"big\":[2", true, step);
            assert_eq!((two.0.as_str(), two.1), ("0:1", false));
            assert_eq!(read("[1]\n[2]\n", false, step), ("0:1".into(), true, left("4 bytes", 2)));
            assert_eq!(read("[1]x[2]", true, step), ("0:1".into(), true, left("4 bytes", 1)));
            assert_eq!(read("[1]\n\nM,N\n", true, step), ("0:1".into(), true, left("4 bytes", 3)));
            assert_eq!(read("[1]\n \n", true, step).2, "");
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
