//! Parses cells that hold the `repr` of a Python value: tuples, lists, dicts, `np.float64(1.0)`, `None`. They are not
//! JSON, and long ones may be truncated, so the parser never fails: unknown text becomes [`Py::Word`], and open
//! brackets are closed at the end.

use crate::cell::digits;
use std::borrow::Cow;

/// A printed Python or JSON value. Borrows text from the cell where possible.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Py<'a> {
    /// `None`, `null`, an empty cell.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// `1`, `2.5`, `nan`, `np.float64(2.5)`.
    Number(f64),
    /// `'text'` or `"text"`.
    Text(Cow<'a, str>),
    /// A tuple, list or set.
    Seq(Vec<Py<'a>>),
    /// A dict in its printed order; keys as text.
    Dict(Vec<(Cow<'a, str>, Py<'a>)>),
    /// Anything else, as written.
    Word(&'a str),
}

/// Deeper nesting is cut, so that no cell can overflow the stack.
const MAX_DEPTH: u32 = 32;

impl<'a> Py<'a> {
    /// Parses a cell.
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut p = Parser { text, at: 0 };
        p.value(0)
    }

    /// The elements of a sequence; empty for anything else.
    pub(crate) fn items(&self) -> &[Py<'a>] {
        match self {
            Py::Seq(items) => items,
            _ => &[],
        }
    }

    /// Looks up a key of a dict.
    pub(crate) fn get(&self, key: &str) -> Option<&Py<'a>> {
        match self {
            Py::Dict(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The number, also if it is printed as text (`'4096'`).
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Py::Number(n) => Some(*n),
            _ => self.text()?.trim().parse::<f64>().ok(),
        }
    }

    /// The value as a size: a whole number from 1 to 4294967295.
    pub(crate) fn size(&self) -> Option<u32> {
        let n = self.number()?;
        (n >= 1.0 && n <= f64::from(u32::MAX) && n.fract() == 0.0).then_some(n as u32)
    }

    /// The boolean, also if it is printed as text.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Py::Bool(b) => Some(*b),
            Py::Number(n) => Some(*n != 0.0),
            _ => match self.text()?.trim() {
                "True" | "true" | "T" => Some(true),
                "False" | "false" | "N" => Some(false),
                _ => None,
            },
        }
    }

    /// The text; a bare word counts.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Py::Text(t) => Some(t),
            Py::Word(t) => Some(t),
            _ => None,
        }
    }

    /// Each element as a list of sizes: `((8944, 1024), (1024,), ())`.
    pub(crate) fn shapes(&self) -> Vec<Vec<u32>> {
        self.items().iter().map(|dims| dims.items().iter().filter_map(Py::size).collect()).collect()
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: u32) -> Py<'a> {
        self.blanks();
        match self.peek() {
            None => Py::None,
            Some(b'(') => self.sequence(b')', depth),
            Some(b'[') => self.sequence(b']', depth),
            Some(b'{') => self.dict(depth),
            Some(quote @ (b'\'' | b'"')) => Py::Text(self.quoted(quote)),
            Some(_) => self.word(depth),
        }
    }

    fn sequence(&mut self, close: u8, depth: u32) -> Py<'a> {
        let mut items = Vec::new();
        self.each(close, depth, |p| items.push(p.value(depth + 1)));
        Py::Seq(items)
    }

    /// Calls `take` for each element up to the closing bracket.
    fn each(&mut self, close: u8, depth: u32, mut take: impl FnMut(&mut Self)) {
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                None => break,
                Some(b) if b == close => {
                    self.at += 1;
                    break;
                }
                // Skip a stray separator or closing bracket, so that the parser always advances.
                Some(b',' | b')' | b']' | b'}' | b':') => self.at += 1,
                Some(_) if depth >= MAX_DEPTH => self.at = self.text.len(),
                Some(_) => take(self),
            }
        }
    }

    fn dict(&mut self, depth: u32) -> Py<'a> {
        let mut entries = Vec::new();
        self.each(b'}', depth, |p| {
            let key = p.value(depth + 1);
            p.blanks();
            let mut value = Py::None;
            if p.peek() == Some(b':') {
                p.at += 1;
                value = p.value(depth + 1);
            }
            match key {
                Py::Text(key) => entries.push((key, value)),
                Py::Word(key) => entries.push((Cow::Borrowed(key), value)),
                _ => {}
            }
        });
        Py::Dict(entries)
    }

    fn quoted(&mut self, quote: u8) -> Cow<'a, str> {
        self.at += 1;
        let rest = self.rest();
        if let Some(end) = memchr::memchr2(quote, b'\\', rest.as_bytes())
            && rest.as_bytes()[end] == quote
        {
            self.at += end + 1;
            return Cow::Borrowed(&rest[..end]);
        }
        let mut out = String::new();
        let mut chars = rest.char_indices();
        while let Some((i, c)) = chars.next() {
            if c == char::from(quote) {
                self.at += i + 1;
                return Cow::Owned(out);
            }
            if c == '\\' {
                match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, other)) => out.push(other),
                    None => break,
                }
            } else {
                out.push(c);
            }
        }
        self.at = self.text.len();
        Cow::Owned(out)
    }

    fn word(&mut self, depth: u32) -> Py<'a> {
        let rest = self.rest();
        let mut end = word_end(rest.as_bytes(), 0);
        // `c10::Half` without quotes is one word.
        while rest[end..].starts_with("::") {
            end = word_end(rest.as_bytes(), end + 2);
        }
        let word = rest[..end].trim();
        self.at += end;
        if self.peek() == Some(b'(') && depth < MAX_DEPTH {
            // A call: `np.float64(2.5)`, `torch.Size([1, 2])`, `dtype('int8')`.
            let mut only = None;
            let mut count = 0;
            self.each(b')', depth + 1, |p| {
                only = Some(p.value(depth + 2));
                count += 1;
            });
            return only.filter(|_| count == 1).unwrap_or(Py::Word(word));
        }
        if end == 0 {
            // No value starts here: skip it, so that the caller advances.
            self.at += rest.chars().next().map_or(0, char::len_utf8);
            return Py::Word("");
        }
        match word {
            "" | "None" | "null" => Py::None,
            "True" | "true" => Py::Bool(true),
            "False" | "false" => Py::Bool(false),
            _ => match self.number(word) {
                Some(number) => Py::Number(number),
                None => Py::Word(word),
            },
        }
    }

    /// Parses a word as a number.
    fn number(&self, word: &str) -> Option<f64> {
        let from = word.as_ptr() as usize - self.text.as_ptr() as usize;
        let to = u32::try_from(from + word.len()).ok()?;
        digits::decimal(self.text.as_bytes(), from as u32, to).or_else(|| word.parse::<f64>().ok())
    }
}

/// End of the word that continues at `from`: the next bracket, comma or colon.
fn word_end(text: &[u8], from: usize) -> usize {
    let ends = |b: &u8| matches!(b, b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b':');
    let rest = &text[from..];
    from + rest.iter().position(ends).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_as_printed() {
        assert_eq!(Py::parse("(True, False)").items()[0], Py::Bool(true));
        assert_eq!(
            Py::parse("((1024,), (8944, 1024), [], ())").shapes(),
            [vec![1024], vec![8944, 1024], vec![], vec![]]
        );
        let list = Py::parse(
            "[{'name': 'void f<a, b>(int (*)[2])', 'stream': None, 'count': 48, \
             'total_duration_us': np.float64(5308.273), 'n': np.int64(47)}]",
        );
        let entry = &list.items()[0];
        assert_eq!(entry.get("name").and_then(Py::text), Some("void f<a, b>(int (*)[2])"));
        assert_eq!(entry.get("stream"), Some(&Py::None));
        assert_eq!(entry.get("total_duration_us").and_then(Py::number), Some(5308.273));
        assert_eq!(entry.get("n").and_then(Py::size), Some(47));
        assert_eq!(Py::parse("('c10::BFloat16', '')").items()[0].text(), Some("c10::BFloat16"));
        assert_eq!(Py::parse("(c10::Half, float)").items()[0].text(), Some("c10::Half"));
        assert_eq!(Py::parse("{\"M\": \"32\"}").get("M").and_then(Py::size), Some(32));
        assert_eq!(Py::parse("'it''s'"), Py::Text("it".into()));
        assert_eq!(Py::parse(r"'a\'b'"), Py::Text("a'b".into()));
        assert_eq!(Py::parse(""), Py::None);
        assert!(Py::parse("nan").number().is_some_and(f64::is_nan));
    }

    #[test]
    fn what_is_cut_off_is_closed() {
        let list = Py::parse("[{'name': 'Cijk_Ailk', 'count': 4}, {'name': 'Cijk_MT25...");
        assert_eq!(list.items().len(), 2);
        assert_eq!(list.items()[1].get("name").and_then(Py::text), Some("Cijk_MT25..."));
        let deep = "(".repeat(100_000);
        let _ = Py::parse(&deep);
        let _ = Py::parse(&"f(".repeat(100_000));
        let _ = Py::parse(&"{'a':".repeat(100_000));
    }

    proptest! {
        #[test]
        fn never_panics(text in "[(){}\\[\\]'\",: a-z0-9.µ\\\\]{0,60}") {
            let _ = Py::parse(&text);
        }

        #[test]
        fn never_panics_on_anything(text in any::<String>()) {
            let _ = Py::parse(&text);
        }
    }
}
