//! Rewrites a table of any delimiter and locale as comma-separated values with decimal points.
//!
//! Tools write commas; a spreadsheet in another locale saves the same table with semicolons or tabs, quoted cells and
//! decimal commas. The dialect is detected once from the head of the file, and the text is rewritten line by line
//! before a format reads it, so that formats need not handle delimiters. Prefixes and decoration that a terminal or a
//! logger adds are removed in the same pass ([`dress`]), from logs too. A canonical file passes through unchanged.
//! Line numbers are preserved.

use super::dialect::{BLANKS, Foreign, WORDS, apart, ends_cell, is_rule, with_point};
use super::dress;
use super::lines::{MAX_LINE, without_cr};
use crate::cell;
use crate::{Ended, ImportError, Reader};
use gemmscope_table::dataset::TablePart;
use std::borrow::Cow;

/// Rewrites text in slices that may be cut anywhere.
#[derive(Debug)]
pub(crate) struct Canonical {
    from: Foreign,
    /// The incomplete last line, after the lines of an open quote.
    carry: Vec<u8>,
    out: Vec<u8>,
    started: bool,
}

impl Canonical {
    pub(crate) fn new(from: Foreign) -> Self {
        Canonical { from, carry: Vec::new(), out: Vec::new(), started: false }
    }

    /// Rewrites the lines of a head. Quotes are removed too if the first cell has some: table readers handle them, but
    /// signatures are written without.
    pub(crate) fn lines(from: Option<Foreign>, lines: Vec<String>) -> Vec<String> {
        let quoted = || lines.iter().any(|l| l.starts_with('"'));
        let commas = Foreign::TABLE;
        let Some(from) = from.or_else(|| quoted().then_some(commas)) else {
            return lines;
        };
        let mut all = Canonical::new(from);
        let mut text = Vec::new();
        for line in &lines {
            text.extend_from_slice(all.feed(line.as_bytes()));
            text.extend_from_slice(all.feed(b"\n"));
        }
        text.extend_from_slice(all.finish());
        let text = String::from_utf8_lossy(&text);
        text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect()
    }

    /// Rewrites the lines completed by the next slice.
    pub(crate) fn feed(&mut self, text: &[u8]) -> &[u8] {
        self.out.clear();
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', text) {
            let line = &text[from..=end];
            from = end + 1;
            if self.carry.is_empty() && !self.from.dressed {
                if !self.line(line) {
                    self.carry.extend_from_slice(line);
                }
                continue;
            }
            self.carry.extend_from_slice(line);
            self.carried();
        }
        self.carry.extend_from_slice(&text[from..]);
        if self.carry.len() > 2 * MAX_LINE {
            self.give_up();
        }
        &self.out
    }

    /// Rewrites the last line of the file.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.out.clear();
        let carry = self.undressed();
        if !self.line(&carry) {
            self.carry = carry;
            self.give_up();
        }
        &self.out
    }

    /// Takes the carried lines, with prefixes and colours removed from the last one.
    fn undressed(&mut self) -> Vec<u8> {
        let mut carry = std::mem::take(&mut self.carry);
        if self.from.dressed {
            let ends = carry.len() - usize::from(carry.ends_with(b"\n"));
            let from = memchr::memrchr(b'\n', &carry[..ends]).map_or(0, |at| at + 1);
            if let Ok(line) = std::str::from_utf8(&carry[from..]) {
                let text = line.trim_end_matches(['\n', '\r']);
                let bare = [dress::bare(text).as_bytes(), &line.as_bytes()[text.len()..]].concat();
                carry.splice(from.., bare);
            }
        }
        carry
    }

    /// Handles a line added to the carried ones.
    fn carried(&mut self) {
        let carry = self.undressed();
        if self.line(&carry) {
            return;
        }
        self.carry = carry;
        if self.carry.len() > MAX_LINE {
            self.give_up();
        }
    }

    /// The quote is never closed: rewrites its lines one by one, consistent with [`Records`](crate::Records).
    fn give_up(&mut self) {
        let carry = std::mem::take(&mut self.carry);
        for line in carry.split_inclusive(|&b| b == b'\n') {
            if !self.line(line) {
                self.cells(line);
            }
        }
    }

    /// Rewrites a record; false if a quote is open at its end.
    fn line(&mut self, line: &[u8]) -> bool {
        let Foreign { delimiter, decimal_comma, .. } = self.from;
        if delimiter == 0 {
            self.out.extend_from_slice(line);
            return true;
        }
        if matches!(delimiter, BLANKS | WORDS) {
            self.printed(line);
            return true;
        }
        if !self.started && line.starts_with(b"sep=") {
            self.out.extend(line.iter().copied().filter(|b| b"\r\n".contains(b)));
            return true;
        }
        self.started |= !line.trim_ascii().is_empty();
        if !decimal_comma && memchr::memchr2(b'"', b',', line).is_none() && delimiter != b'|' {
            let from = self.out.len();
            self.out.extend_from_slice(line);
            for b in &mut self.out[from..] {
                if *b == delimiter {
                    *b = b',';
                }
            }
            return true;
        }
        let before = self.out.len();
        let closed = self.cells(line);
        if !closed {
            self.out.truncate(before);
        }
        closed
    }

    /// Rewrites a line of a printed table.
    fn printed(&mut self, line: &[u8]) {
        let bare = without_cr(line.strip_suffix(b"\n").unwrap_or(line));
        let text = String::from_utf8_lossy(bare);
        let words = self.from.delimiter == WORDS;
        if words && is_rule(&text) {
            self.out.extend_from_slice(bare);
        } else if !is_rule(&text) {
            let title = self.from.indexed && text.starts_with(' ');
            let mut cells: Vec<&str> =
                if words { text.split_ascii_whitespace().collect() } else { apart(&text) };
            if title && cells.len() > 1 {
                cells.insert(0, "");
            }
            for (i, cell) in cells.iter().enumerate() {
                self.out.extend((i > 0).then_some(b','));
                match cell.contains([',', '"']) {
                    true => self.out.extend(format!("\"{}\"", cell.replace('"', "\"\"")).bytes()),
                    false => self.out.extend_from_slice(cell.as_bytes()),
                }
            }
        }
        self.out.extend_from_slice(&line[bare.len()..]);
    }

    /// Rewrites the cells of a record; true if its last quote is closed.
    fn cells(&mut self, line: &[u8]) -> bool {
        let Foreign { delimiter, decimal_comma, framed, .. } = self.from;
        let bare = without_cr(line.strip_suffix(b"\n").unwrap_or(line));
        let end = &line[bare.len()..];
        let mut rest = bare;
        if delimiter == b'|' {
            if framed {
                rest = cell::trim(rest);
            }
            if std::str::from_utf8(rest).is_ok_and(is_rule) {
                self.out.extend_from_slice(end);
                return true;
            }
            if let Some(inner) = rest.strip_prefix(b"|").filter(|_| framed) {
                rest = inner.strip_suffix(b"|").unwrap_or(inner);
            }
        }
        loop {
            let ends = |from: usize| (from..rest.len()).find(|&at| ends_cell(rest, at, delimiter));
            let mut next = ends(0).unwrap_or(rest.len());
            if rest.first() == Some(&b'"') {
                let Some(close) = closing(rest) else {
                    self.out.extend_from_slice(rest);
                    self.out.extend_from_slice(end);
                    return false;
                };
                next = ends(close).unwrap_or(rest.len());
                let inner = &rest[1..close];
                let plain = close + 1 == next;
                match with_point(inner).filter(|_| decimal_comma && plain) {
                    Some(number) => self.out.extend_from_slice(&number),
                    None if plain
                        && !inner.is_empty()
                        && !inner.iter().any(|b| b",\"\n".contains(b)) =>
                    {
                        self.out.extend_from_slice(inner);
                    }
                    None => self.out.extend_from_slice(&rest[..next]),
                }
            } else {
                let cell = match delimiter {
                    b'|' => between_bars(&rest[..next]),
                    _ => Cow::Borrowed(&rest[..next]),
                };
                let cell = &*cell;
                match with_point(cell).filter(|_| decimal_comma) {
                    Some(number) => self.out.extend_from_slice(&number),
                    None if cell.contains(&b',') => {
                        self.out.push(b'"');
                        for &b in cell {
                            self.out.extend_from_slice(if b == b'"' { b"\"\"" } else { &[] });
                            self.out.extend((b != b'"').then_some(b));
                        }
                        self.out.push(b'"');
                    }
                    None => self.out.extend_from_slice(cell),
                }
            }
            if next == rest.len() {
                break;
            }
            self.out.push(b',');
            rest = &rest[next + 1..];
        }
        self.out.extend_from_slice(end);
        true
    }
}

/// Content of a cell between bars, without alignment blanks and with `\\|` unescaped to a bar.
fn between_bars(cell: &[u8]) -> Cow<'_, [u8]> {
    let cell = cell::trim(cell);
    match cell.contains(&b'\\') {
        true => Cow::Owned(String::from_utf8_lossy(cell).replace("\\|", "|").into_bytes()),
        false => Cow::Borrowed(cell),
    }
}

/// Position of the closing quote of a quoted cell.
fn closing(cell: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr(b'"', cell.get(at..)?)?;
        if cell.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Appends a record to a CSV text, with quotes around each cell (`quoted`) or only where needed.
pub(crate) fn push_record<'a>(
    out: &mut String,
    cells: impl Iterator<Item = &'a str>,
    quoted: bool,
) {
    for (i, cell) in cells.enumerate() {
        out.push_str(if i > 0 { "," } else { "" });
        if !quoted && !cell.contains([',', '"', '\n', '\r']) {
            out.push_str(cell);
            continue;
        }
        out.push('"');
        // Keep each row on one line.
        for c in cell.chars() {
            match c {
                '"' => out.push_str("\"\""),
                '\n' | '\r' => out.push(' '),
                c => out.push(c),
            }
        }
        out.push('"');
    }
    out.push('\n');
}

/// A reader that receives text through [`Canonical`].
pub(crate) struct Rewritten {
    text: Canonical,
    reader: Box<dyn Reader>,
}

impl Rewritten {
    pub(crate) fn open(from: Foreign, reader: Box<dyn Reader>) -> Box<dyn Reader> {
        Box::new(Rewritten { text: Canonical::new(from), reader })
    }
}

impl Reader for Rewritten {
    fn allow(&mut self, bytes: usize) {
        self.reader.allow(bytes);
    }

    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        self.reader.feed(self.text.feed(text))
    }

    fn part(&mut self) -> Option<TablePart> {
        self.reader.part()
    }

    fn finish(mut self: Box<Self>) -> Result<Ended, ImportError> {
        self.reader.feed(self.text.finish())?;
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect::found;
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    /// The canonical text; asserts that it does not depend on the slice size.
    fn canonical(text: &str) -> String {
        let Some(from) = found(&lines(text)) else {
            return text.to_owned();
        };
        let by = |step: usize| {
            let mut all = Canonical::new(from);
            let mut out = Vec::new();
            for slice in text.as_bytes().chunks(step) {
                out.extend_from_slice(all.feed(slice));
            }
            out.extend_from_slice(all.finish());
            String::from_utf8(out).unwrap_or_default()
        };
        for step in [1, 3, 7] {
            assert_eq!(by(step), by(text.len()));
        }
        by(text.len())
    }

    #[test]
    fn tables_of_spreadsheets() {
        for (text, wanted) in [
            ("M;N;us\n1;2;4,5\n1;2;1.024,25\n", "M,N,us\n1,2,4.5\n1,2,1024.25\n"),
            ("M\tN\tus\r\n1\t2\t4.5\r\n", "M,N,us\r\n1,2,4.5\r\n"),
            ("| M | us |\n|---|---:|\n| 1 | 2 |\n", "M,us\n\n1,2\n"),
            ("sep=;\nM;N\n1;2\n", "\nM,N\n1,2\n"),
            ("\"M\",\"N\",\"us\"\n\"1\",\"2\",\"0,25\"\n", "M,N,us\n1,2,0.25\n"),
            ("M;type\n1;a, \"b\"\n", "M,type\n1,\"a, \"\"b\"\"\"\n"),
            ("M;note\n1;\"a;\nb\"\n2;c\n", "M,note\n1,\"a;\nb\"\n2,c\n"),
            ("M;note\n1;\"open\n2;c\n3;d\n", "M,note\n1,\"open\n2,c\n3,d\n"),
            ("M;us\n1;2,5 ms\n2;3,25 ms\n", "M,us\n1,2.5 ms\n2,3.25 ms\n"),
        ] {
            assert_eq!(canonical(text), wanted);
        }
    }

    #[test]
    fn printed_and_drawn_tables() {
        for (text, wanted) in [
            (
                "      m    n    k  a (ms)\n0   64   32   16     1.5\n1  128   32   16     2.5\n",
                ",m,n,k,a (ms)\n0,64,32,16,1.5\n1,128,32,16,2.5\n",
            ),
            (
                "  (M, N, K)    a-latency    a-tflops\n-----------  -----------  ----------\n\
                 (1, 2, 3)    0.2 (±1%)          3\n",
                "\"(M, N, K)\",a-latency,a-tflops\n\n\"(1, 2, 3)\",0.2 (±1%),3\n",
            ),
            ("| M | a\\|b |\n|---|---|\n| 1 | 2 |\n", "M,a|b\n\n1,2\n"),
            ("│ M ┆ us │\n╞═══╪════╡\n│ 1 ┆ 2  │\n", "M,us\n\n1,2\n"),
            ("\u{1b}[1mM;us\u{1b}[0m\n1;2\n", "M,us\n1,2\n"),
            ("[rank0]: M,us\n[rank0]: 1,2\n", " M,us\n 1,2\n"),
            ("M & us \\\\\n\\midrule\n1 & \\textbf{2} \\\\\n", "M , us \n\n1 , 2 \n"),
        ] {
            assert_eq!(canonical(text), wanted);
        }
    }

    #[test]
    fn what_is_canonical_or_no_table_stays() {
        for text in [
            "M,N,K,us\n1,2,3,4.5\n",
            "M,N,tags\n1,2,a;b;c;d;e;f\n1,2,a;b;c;d;e;f\n",
            "name,\"a;b\"\n\"x;y\",\"a;b\"\n1,2\n",
            "\"M\",\"us\"\n\"1,024\",\"2.5\"\n",
            " > Perf (m=4096, n=24576, k=1536): 123 us | 1404 TFLOPS | 900 GB/s\n",
            "M=64 N=64 K=64 | 1.5 ms | 3 TFLOPS\nM=65 N=64 K=64 | 1.5 ms | 3 TFLOPS\n",
            "{\"a\": 1; 2; 3}\n",
            "[---- mm ----]\n      |  a  |  b\n1 threads: ---\n  64  |  1  |  2\n",
            "      M      N      K\n     64     64     64\n",
        ] {
            assert_eq!(canonical(text), text);
        }
    }
}
