//! A table of any delimiter and locale -> comma separated values with decimal points.
//!
//! Tools write commas; a spreadsheet of another country saves the same table with semicolons or
//! tabs, quotes around cells and decimal commas. The dialect is found once, from the head of the
//! file, and the text is rewritten line by line before any format sees it: so no format knows a
//! delimiter, and a table reads the same in all of them. What a terminal or a logger adds to lines goes
//! in the same pass ([`dress`]), of logs too. A file that is canonical already passes by untouched.
//! Lines keep their numbers.

use super::dress;
use super::lines::{MAX_LINE, without_cr};
use crate::cell;
use crate::{Ended, ImportError, Reader};
use gemmscope_table::dataset::Part;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How a table is written, where that is not canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Lines have more around them than their text.
    dressed: bool,
    /// 0 where the text is no table.
    delimiter: u8,
    decimal_comma: bool,
    /// Lines begin and end with a delimiter, as in Markdown.
    framed: bool,
    /// Rows have a number in front for which the header has no title, as pandas prints them.
    indexed: bool,
}

/// The delimiter of a printed table: two blanks or more.
const BLANKS: u8 = b' ';
/// The delimiter of a table without blanks in its cells: any blanks.
const WORDS: u8 = 1;

impl Foreign {
    const TABLE: Foreign = Foreign {
        dressed: false,
        delimiter: b',',
        decimal_comma: false,
        framed: false,
        indexed: false,
    };
    /// Cells are what has blanks around it.
    pub(crate) const WORDS: Foreign = Foreign { delimiter: WORDS, ..Foreign::TABLE };
}

/// The first line is the start of JSON, and not of a log: `[0]:`, `[INFO]`, `[2026-01-31 10:00]`.
pub(crate) fn is_json(first: &str) -> bool {
    let first = first.trim_start();
    let Some(inner) = first.strip_prefix('[') else {
        return first.starts_with('{');
    };
    let inner = inner.trim_start();
    let behind = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    match inner.chars().next() {
        None | Some('{' | '[' | '"' | ']') => true,
        // `[64, 64, 32] 1.5 us`, `[---- matmul ----]`
        Some('-') => inner[1..].starts_with(|c: char| c.is_ascii_digit()),
        Some(c) if c.is_ascii_digit() => {
            let ends = inner.split_once(']').is_none_or(|(_, rest)| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with([',', ']', '}'])
            });
            ends && (behind.is_empty() || behind.starts_with([',', '.', ' ', 'e', 'E', ']']))
        }
        Some(_) => ["null", "true", "false"].iter().any(|w| inner.starts_with(w)),
    }
}

/// How a text with these first lines is written; `None` where it is canonical.
pub(crate) fn found(lines: &[String]) -> Option<Foreign> {
    let first = lines.iter().find(|l| !l.trim().is_empty())?;
    // Our own table is canonical, whatever the names in its header hold.
    if is_json(first) || first.starts_with("gemmscope,") {
        return None;
    }
    let bare: Vec<Cow<'_, str>> = lines.iter().map(|l| dress::bare(l)).collect();
    let dressed = bare.iter().any(|l| matches!(l, Cow::Owned(_)));
    let lines: Vec<&str> = bare.iter().map(|l| l.trim_end()).filter(|l| !l.is_empty()).collect();
    let table = table(&lines).map(|table| Foreign { dressed, ..table });
    let text = Foreign { dressed, delimiter: 0, ..Foreign::TABLE };
    table.or_else(|| dressed.then_some(text))
}

/// The dialect of a table; `None` where it is canonical or no table.
fn table(lines: &[&str]) -> Option<Foreign> {
    let first = lines.first()?;
    // A frame of PyTorch's benchmarks, which is read line by line.
    if first.starts_with("[--") {
        return None;
    }
    if let Some(&delimiter) = first.strip_prefix("sep=").and_then(|d| d.as_bytes().first()) {
        let decimal_comma = delimiter != b',' && decimal_comma(&lines[1..], delimiter);
        return Some(Foreign { delimiter, decimal_comma, ..Foreign::TABLE });
    }
    let comma = Regular::of(lines, b',');
    let best = [b';', b'\t', b'|', b'&']
        .into_iter()
        .filter_map(|d| Regular::of(lines, d).filter(|r| r.is_table(lines, d, comma.as_ref())))
        .max_by_key(|r| r.lines * (r.count + 1));
    match (best, comma) {
        (Some(best), _) => {
            let rows = &lines[best.first..];
            let decimal_comma = decimal_comma(rows, best.delimiter);
            let framed = rows[0].trim_start().starts_with('|')
                && rows[0].ends_with('|')
                && lines.iter().any(|l| is_rule(l));
            Some(Foreign { delimiter: best.delimiter, decimal_comma, framed, ..Foreign::TABLE })
        }
        // Decimal commas among commas need quotes.
        (None, Some(comma)) if lines[comma.first..].iter().any(|l| l.contains('"')) => {
            let decimal_comma = decimal_comma(&lines[comma.first..], b',');
            let from = Foreign { decimal_comma, ..Foreign::TABLE };
            decimal_comma.then_some(from)
        }
        (None, _) => printed(lines),
    }
}

/// A table that was printed with two blanks or more between its columns, where single blanks do not tell
/// them: titles or cells have some, or the rows a number in front.
fn printed(lines: &[&str]) -> Option<Foreign> {
    let is_number = |cell: &&str| cell::number(cell.as_bytes()).is_some();
    let figure = |cell: &&&str| cell.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    lines.iter().zip(lines.iter().skip(1)).enumerate().find_map(|(i, (header, next))| {
        let row = if is_rule(next) { lines.get(i + 2)? } else { next };
        let (titles, cells) = (apart(header), apart(row));
        if titles.len() < 3 || cells.len() < 3 {
            return None;
        }
        let indexed = cells.len() == titles.len() + 1
            && header.starts_with(' ')
            && cells[0].bytes().all(|b| b.is_ascii_digit());
        let words = |line: &str| line.split_whitespace().count();
        let names = |n: &str| titles.iter().any(|t| t.eq_ignore_ascii_case(n));
        let of_gemm = names("m") && names("n") && names("k") || cells[0].starts_with('(');
        let unclear = indexed || words(header) != titles.len() || words(row) != cells.len();
        let fits = of_gemm
            && (indexed || cells.len() == titles.len())
            && !titles.iter().any(|t| is_number(t) || t.contains(['|', '=', ':', '%']))
            && !header.replace(", ", "").contains(',')
            && cells.iter().filter(|c| figure(c)).count() * 2 > cells.len();
        (fits && unclear).then_some(Foreign { delimiter: BLANKS, indexed, ..Foreign::TABLE })
    })
}

/// The cells of a printed line.
fn apart(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()
}

/// The number of delimiters that most lines agree on.
struct Regular {
    delimiter: u8,
    count: usize,
    /// Lines with that count, and the first of them.
    lines: usize,
    first: usize,
}

impl Regular {
    fn of(lines: &[&str], delimiter: u8) -> Option<Self> {
        let counts: Vec<usize> = lines.iter().map(|l| cells(l, delimiter).count() - 1).collect();
        let lines_of = |c: usize| counts.iter().filter(|&&x| x == c).count();
        let count = (1..=*counts.iter().max()?).max_by_key(|&c| lines_of(c) * (c + 1))?;
        let first = counts.iter().position(|&c| c == count)?;
        Some(Regular { delimiter, count, lines: lines_of(count), first })
    }

    /// The lines are a table by this delimiter, rather than by commas or the text of a log: a header
    /// has fewer commas, and below it are cells that are numbers.
    fn is_table(&self, lines: &[&str], delimiter: u8, comma: Option<&Regular>) -> bool {
        let header = lines[self.first];
        let rows = || {
            let of_table = |l: &&&str| cells(l, delimiter).count() == self.count + 1;
            lines[self.first..].iter().filter(of_table).filter(|l| !is_rule(l))
        };
        let number = |cell: &str| number(cell, false).or(number(cell, true)).is_some();
        let quantity = |cell: &str| {
            let point = with_point(cell.as_bytes());
            cell::quantity(point.as_deref().unwrap_or(cell.as_bytes())).is_some()
        };
        // `12.3 us` is a figure below a title; above none it is a line of a log.
        let titled = !cells(header, delimiter).any(quantity);
        let figure = |cell: &str| number(cell) || titled && quantity(cell);
        let numbers = |l: &&str| cells(l, delimiter).any(figure);
        let all = lines.iter().all(|l| cells(l, delimiter).nth(1).is_some());
        let by_comma = comma.is_some_and(|c| {
            c.count > 1 && (c.lines > self.lines || c.lines == self.lines && c.count > self.count)
        });
        (self.count > 1 || self.lines == lines.len() || delimiter != b'|')
            && cells(header, b',').count() - 1 < self.count
            && !by_comma
            && ((self.lines > 1 || all) && rows().filter(|l| numbers(l)).count() * 4 >= self.lines
                || lines.len() == 1 && self.count > 2)
    }
}

/// The cells of a line, trimmed, with their quotes.
pub(crate) fn cells(line: &str, delimiter: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut quoted = false;
        let end = text.bytes().position(|b| {
            quoted ^= b == b'"';
            b == delimiter && !quoted
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(text[..end.unwrap_or(text.len())].trim())
    })
}

/// A cell that is a number in this style.
fn number(cell: &str, decimal_comma: bool) -> Option<f64> {
    let cell = cell.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(cell).trim();
    cell::number(cell.as_bytes()).filter(|_| !decimal_comma).or_else(|| {
        let text = with_point(cell.as_bytes()).filter(|_| decimal_comma)?;
        cell::number(&text)
    })
}

/// Decides the decimal sign by numbers that can be read in only one way; where there are none, a
/// comma in a number is its decimal sign, unless commas are what separates the cells.
fn decimal_comma(lines: &[&str], delimiter: u8) -> bool {
    let (mut comma, mut point, mut unsure) = (0, 0, 0);
    // Each cell once: a version `8.0` in every line says no more than in one.
    let cells: BTreeSet<&str> = lines.iter().flat_map(|l| cells(l, delimiter)).collect();
    for cell in cells {
        let cell = cell.trim_matches(['"', ' ']).trim_start_matches(['-', '+']);
        let end = cell.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'));
        let (mantissa, unit) = cell.split_at(end.unwrap_or(cell.len()));
        if mantissa.starts_with(['.', ',']) || unit.contains(',') {
            continue;
        }
        let of = |c: char| (mantissa.matches(c).count(), mantissa.rfind(c).unwrap_or(0));
        let ((commas, last_comma), (points, last_point)) = (of(','), of('.'));
        // A group of thousands has three digits, and the first of a number is not 0.
        let group = |at: usize| mantissa.len() - at == 4 && !mantissa.starts_with('0') && at < 4;
        match (commas, points) {
            (0, 0) => {}
            (1, 0) if group(last_comma) => unsure += 1,
            (0, 1) if group(last_point) => {}
            (1, 0) => comma += 1,
            // A text with a unit stays as the tool wrote it.
            (0, 1) => point += usize::from(unit.is_empty() || unit.starts_with(['e', 'E'])),
            (0, _) if mantissa.split('.').skip(1).all(|g| g.len() == 3) => comma += 1,
            (_, 0) if mantissa.split(',').skip(1).all(|g| g.len() == 3) => point += 1,
            (1, _) if last_comma > last_point => comma += 1,
            (_, 1) if last_point > last_comma => point += 1,
            _ => {}
        }
    }
    comma > point || comma + point == 0 && unsure > 0 && delimiter != b','
}

/// A number with a decimal comma and maybe a unit behind it, rewritten with a point.
fn with_point(cell: &[u8]) -> Option<Cow<'_, [u8]>> {
    let trimmed = cell::trim(cell);
    let digits = trimmed.strip_prefix(b"-").or(trimmed.strip_prefix(b"+")).unwrap_or(trimmed);
    let end = digits.iter().position(|b| !b.is_ascii_digit() && !b",.".contains(b));
    let (mantissa, rest) = digits.split_at(end.unwrap_or(digits.len()));
    let mut by_comma = mantissa.split(|&b| b == b',');
    let (whole, fraction) = (by_comma.next()?, by_comma.next());
    if by_comma.next().is_some() || whole.is_empty() || rest.contains(&b',') {
        return None;
    }
    let mut groups = whole.split(|&b| b == b'.');
    let first = groups.next()?;
    let grouped = groups.clone().all(|g| g.len() == 3);
    let thousands = groups.next().is_some();
    if thousands && !(grouped && (1..4).contains(&first.len()) && first != b"0")
        || fraction.is_none() && !thousands
        || fraction.is_some_and(|f| f.contains(&b'.'))
    {
        return None;
    }
    let mut out = Vec::with_capacity(cell.len());
    out.extend_from_slice(&trimmed[..trimmed.len() - digits.len()]);
    out.extend(whole.iter().filter(|&&b| b != b'.'));
    if let Some(fraction) = fraction {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    out.extend_from_slice(rest);
    Some(Cow::Owned(out))
}

/// A line below a header or around a printed table: `|---|:---:|`, `+----+----+`.
fn is_rule(line: &str) -> bool {
    (line.contains("--") || line.contains("=="))
        && line.contains(['|', '+', ' '])
        && line.bytes().all(|b| b"|-+:= \t".contains(&b))
}

/// Rewrites the text of a table, in slices that may be cut anywhere.
#[derive(Debug)]
pub(crate) struct Canonical {
    from: Foreign,
    /// The line that is not complete yet, behind the lines of a quote that is open.
    carry: Vec<u8>,
    out: Vec<u8>,
    started: bool,
}

impl Canonical {
    pub(crate) fn new(from: Foreign) -> Self {
        Canonical { from, carry: Vec::new(), out: Vec::new(), started: false }
    }

    /// The lines of a head. Its quotes go too where the first cell has some: readers of tables take
    /// them, but a signature is written without.
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

    /// What the next slice completes.
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

    /// What is left at the end of the file.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.out.clear();
        let carry = self.undressed();
        if !self.line(&carry) {
            self.carry = carry;
            self.give_up();
        }
        &self.out
    }

    /// The carried lines, the last of them without what surrounds it.
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

    /// A line was added to the carried ones.
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

    /// The quote that is open is never closed: its lines are read on their own, as those who cut
    /// them into records do.
    fn give_up(&mut self) {
        let carry = std::mem::take(&mut self.carry);
        for line in carry.split_inclusive(|&b| b == b'\n') {
            if !self.line(line) {
                self.cells(line);
            }
        }
    }

    /// Rewrites a record; false where a quote is open at its end.
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

    /// Rewrites the cells of a record, true where its last quote is closed.
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
            let mut next = rest.iter().position(|&b| b == delimiter).unwrap_or(rest.len());
            if rest.first() == Some(&b'"') {
                let Some(close) = closing(rest) else {
                    self.out.extend_from_slice(rest);
                    self.out.extend_from_slice(end);
                    return false;
                };
                let behind = rest[close..].iter().position(|&b| b == delimiter);
                next = behind.map_or(rest.len(), |at| close + at);
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
                let cell = &rest[..next];
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

/// Where the quote at the start of a cell is closed.
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

/// A reader behind a [`Canonical`].
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

    fn part(&mut self) -> Option<Part> {
        self.reader.part()
    }

    fn finish(mut self: Box<Self>) -> Result<Ended, ImportError> {
        self.reader.feed(self.text.finish())?;
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    /// The canonical text, the same in slices of any size.
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
            ("| M | us |\n|---|---:|\n| 1 | 2 |\n", " M , us \n\n 1 , 2 \n"),
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
            ("│ M ┆ us │\n╞═══╪════╡\n│ 1 ┆ 2  │\n", " M , us \n\n 1 , 2  \n"),
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
