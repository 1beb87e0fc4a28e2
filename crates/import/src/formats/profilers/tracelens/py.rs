//! Cells that hold a Python value printed with `repr`: tuples, lists, dicts, `np.float64(1.0)`,
//! `None`. They are not JSON, and long ones may be cut off, so the parser never fails: unknown text
//! becomes [`Py::Word`], and open brackets are closed at the end.

/// A Python value as printed. JSON is read as well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Py {
    /// `None`, `null`, an empty cell.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// `1`, `2.5`, `nan`, `np.float64(2.5)`.
    Number(f64),
    /// `'text'` or `"text"`.
    Text(String),
    /// A tuple, list or set.
    Seq(Vec<Py>),
    /// A dict in its printed order; keys as text.
    Dict(Vec<(String, Py)>),
    /// Anything else, as written.
    Word(String),
}

/// Nesting beyond this is cut, so that no cell can exhaust the stack.
const MAX_DEPTH: u32 = 32;

impl Py {
    /// Reads a cell.
    pub(crate) fn parse(text: &str) -> Py {
        let mut p = Parser { text, at: 0 };
        p.value(0)
    }

    /// The elements of a sequence; none for anything else.
    pub(crate) fn items(&self) -> &[Py] {
        match self {
            Py::Seq(items) => items,
            _ => &[],
        }
    }

    /// The value under a key of a dict.
    pub(crate) fn get(&self, key: &str) -> Option<&Py> {
        match self {
            Py::Dict(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The number, also where it is printed as text (`'4096'`).
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Py::Number(n) => Some(*n),
            Py::Text(t) | Py::Word(t) => t.trim().parse().ok(),
            _ => None,
        }
    }

    /// A size: a whole number from 1 to 4294967295.
    pub(crate) fn size(&self) -> Option<u32> {
        let n = self.number()?;
        (n >= 1.0 && n <= f64::from(u32::MAX) && n.fract() == 0.0).then_some(n as u32)
    }

    /// The truth value, also where it is printed as text.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Py::Bool(b) => Some(*b),
            Py::Number(n) => Some(*n != 0.0),
            Py::Text(t) | Py::Word(t) => match t.trim() {
                "True" | "true" | "T" => Some(true),
                "False" | "false" | "N" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text; a bare word counts.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Py::Text(t) | Py::Word(t) => Some(t),
            _ => None,
        }
    }

    /// Each element as a list of sizes: `((8944, 1024), (1024,), ())`.
    pub(crate) fn shapes(&self) -> Vec<Vec<u32>> {
        self.items()
            .iter()
            .map(|dims| dims.items().iter().filter_map(Py::size).collect())
            .collect()
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

    fn value(&mut self, depth: u32) -> Py {
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

    fn sequence(&mut self, close: u8, depth: u32) -> Py {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => break,
                Some(b) if b == close => {
                    self.at += 1;
                    break;
                }
                // A stray separator or closing bracket: step over it, always forwards.
                Some(b',' | b')' | b']' | b'}' | b':') => self.at += 1,
                Some(_) if depth >= MAX_DEPTH => self.at = self.text.len(),
                Some(_) => items.push(self.value(depth + 1)),
            }
        }
        Py::Seq(items)
    }

    fn dict(&mut self, depth: u32) -> Py {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => break,
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',' | b')' | b']' | b':') => self.at += 1,
                Some(_) if depth >= MAX_DEPTH => self.at = self.text.len(),
                Some(_) => {
                    let key = self.value(depth + 1);
                    self.blanks();
                    let value = if self.peek() == Some(b':') {
                        self.at += 1;
                        self.value(depth + 1)
                    } else {
                        Py::None
                    };
                    if let Some(key) = key.text() {
                        entries.push((key.to_owned(), value));
                    }
                }
            }
        }
        Py::Dict(entries)
    }

    fn quoted(&mut self, quote: u8) -> String {
        self.at += 1;
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            if c == char::from(quote) {
                self.at += i + 1;
                return out;
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
        out
    }

    fn word(&mut self, depth: u32) -> Py {
        let rest = self.rest();
        let end = rest
            .find([',', '(', ')', '[', ']', '{', '}', ':'])
            .unwrap_or(rest.len());
        // `c10::Half` without quotes is one word.
        let mut end = end;
        while rest[end..].starts_with("::") {
            end += 2;
            end += rest[end..]
                .find([',', '(', ')', '[', ']', '{', '}', ':'])
                .unwrap_or(rest.len() - end);
        }
        let word = rest[..end].trim();
        self.at += end;
        if self.peek() == Some(b'(') && depth < MAX_DEPTH {
            // A call: `np.float64(2.5)`, `torch.Size([1, 2])`, `dtype('int8')`.
            let inner = self.sequence(b')', depth + 1);
            return match inner {
                Py::Seq(mut items) if items.len() == 1 => items.remove(0),
                _ => Py::Word(word.to_owned()),
            };
        }
        if end == 0 {
            // Not a start of anything; step over it so that the caller moves on.
            self.at += rest.chars().next().map_or(0, char::len_utf8);
            return Py::Word(String::new());
        }
        match word {
            "" | "None" | "null" => Py::None,
            "True" | "true" => Py::Bool(true),
            "False" | "false" => Py::Bool(false),
            _ => word
                .parse()
                .map_or_else(|_| Py::Word(word.to_owned()), Py::Number),
        }
    }
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
        assert_eq!(
            entry.get("name").and_then(Py::text),
            Some("void f<a, b>(int (*)[2])")
        );
        assert_eq!(entry.get("stream"), Some(&Py::None));
        assert_eq!(
            entry.get("total_duration_us").and_then(Py::number),
            Some(5308.273)
        );
        assert_eq!(entry.get("n").and_then(Py::size), Some(47));
        assert_eq!(
            Py::parse("('c10::BFloat16', '')").items()[0].text(),
            Some("c10::BFloat16")
        );
        assert_eq!(
            Py::parse("(c10::Half, float)").items()[0].text(),
            Some("c10::Half")
        );
        assert_eq!(
            Py::parse("{\"M\": \"32\"}").get("M").and_then(Py::size),
            Some(32)
        );
        assert_eq!(Py::parse("'it''s'"), Py::Text("it".to_owned()));
        assert_eq!(Py::parse(r"'a\'b'"), Py::Text("a'b".to_owned()));
        assert_eq!(Py::parse(""), Py::None);
        assert!(Py::parse("nan").number().is_some_and(f64::is_nan));
    }

    #[test]
    fn what_is_cut_off_is_closed() {
        let list = Py::parse("[{'name': 'Cijk_Ailk', 'count': 4}, {'name': 'Cijk_MT25...");
        assert_eq!(list.items().len(), 2);
        assert_eq!(
            list.items()[1].get("name").and_then(Py::text),
            Some("Cijk_MT25...")
        );
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
