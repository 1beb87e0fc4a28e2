//! Splits text slices into lines and these into records of fields with line numbers, in bounded memory.
//!
//! Whole lines are split by an [`Index`], which leaves the cells in place; lines with quotes other than a pair around a
//! cell go through `csv-core`.

use super::index::Index;
use super::lines::{Line, Lines, MAX_LINE, first_line, without_cr};
use super::record::Record;
use crate::ImportError;
use crate::cell;

/// After this many unclosed quotes, quotes are plain characters for the rest of the file.
const MAX_UNCLOSED: u32 = 16;

/// Bytes per batch of lines, so that the index and the values read fit in the cache.
const BATCH: usize = 64 << 10;

/// Callback for each record.
pub type Take<'f> = dyn FnMut(&Record<'_>) -> Result<(), ImportError> + 'f;

/// Push splitter into records. Skips blank lines but counts them.
#[derive(Debug)]
pub struct Records {
    lines: Lines,
    cut: Splitter,
    index: Index,
}

#[derive(Debug)]
struct Splitter {
    bounds: Vec<(u32, u32)>,
    core: csv_core::Reader,
    out: Vec<u8>,
    ends: Vec<usize>,
    filled: usize,
    fields: usize,
    /// First line and raw text of a record whose quote is still open.
    open: Option<(u32, Vec<u8>)>,
    unclosed: u32,
    /// The file ended within the current line.
    unended: bool,
}

impl Default for Records {
    fn default() -> Self {
        Records {
            lines: Lines::default(),
            index: Index::default(),
            cut: Splitter {
                bounds: Vec::new(),
                core: csv_core::ReaderBuilder::new()
                    .terminator(csv_core::Terminator::Any(b'\n'))
                    .build(),
                out: vec![0; 1024],
                ends: vec![0; 64],
                filled: 0,
                fields: 0,
                open: None,
                unclosed: 0,
                unended: false,
            },
        }
    }
}

impl Records {
    /// Reads the next slice and calls `f` for every record that it completes.
    pub fn feed(&mut self, text: &[u8], f: &mut Take<'_>) -> Result<(), ImportError> {
        let mut rest = text;
        while !rest.is_empty() {
            let taken = match self.batch(rest) {
                Some(len) => {
                    self.feed_batch(&rest[..len], f)?;
                    len
                }
                None => {
                    let len = first_line(rest);
                    self.feed_lines(&rest[..len], f)?;
                    len
                }
            };
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// The same without an index, line by line.
    pub(crate) fn feed_lines(&mut self, text: &[u8], f: &mut Take<'_>) -> Result<(), ImportError> {
        let cut = &mut self.cut;
        self.lines.feed(text, |line| cut.line(line, f))
    }

    fn feed_batch(&mut self, text: &[u8], f: &mut Take<'_>) -> Result<(), ImportError> {
        let heeds_quotes = self.heeds_quotes();
        let Records { lines, cut, index } = self;
        if memchr::memchr(0, text).is_some() || !index.read(text, b',', heeds_quotes) {
            return lines.feed(text, |line| cut.line(line, f));
        }
        let mut odd = index.odd().iter().copied().peekable();
        for l in 0..index.len() {
            let is_odd = odd.next_if_eq(&(l as u32)).is_some();
            let raw = without_cr(&text[index.line(l)]);
            lines.number = lines.number.saturating_add(1);
            if is_odd || cut.open.is_some() {
                cut.line(Line::new(lines.number, raw), f)?;
            } else if !cell::trim(raw).is_empty() {
                index.bounds(l, text, &mut cut.bounds);
                f(&Record::of_cells(lines.number, raw, text, &cut.bounds))?;
            }
        }
        Ok(())
    }

    /// Length of the whole lines at the start of `text` that are worth indexing; `None` within a
    /// record and before a long line.
    pub(crate) fn batch(&self, text: &[u8]) -> Option<usize> {
        let near = text.get(..BATCH).unwrap_or(text);
        let between = self.lines.carry.is_empty() && !self.lines.too_long && !self.is_open();
        Some(memchr::memrchr(b'\n', near).filter(|_| between)? + 1)
    }

    /// Number of lines so far.
    pub(crate) fn lines(&self) -> u32 {
        self.lines.number
    }

    /// True if a quote is open at the end of the last line.
    pub(crate) fn is_open(&self) -> bool {
        self.cut.open.is_some()
    }

    /// True if quotes are respected rather than read as plain characters.
    pub(crate) fn heeds_quotes(&self) -> bool {
        self.cut.unclosed < MAX_UNCLOSED
    }

    /// Reads one numbered line that the caller split off; see [`skip`](Self::skip).
    pub(crate) fn line(
        &mut self,
        number: u32,
        line: &[u8],
        f: &mut Take<'_>,
    ) -> Result<(), ImportError> {
        self.cut.line(Line::new(number, without_cr(line)), f)
    }

    /// Counts lines that the caller handled.
    pub(crate) fn skip(&mut self, lines: usize) {
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        self.lines.number = self.lines.number.saturating_add(lines);
    }

    /// Passes the last record to `f` at the end of the file.
    pub fn finish(&mut self, f: &mut Take<'_>) -> Result<(), ImportError> {
        let cut = &mut self.cut;
        cut.unended = true;
        self.lines.finish(|line| cut.line(line, f))?;
        cut.unended = false;
        cut.finish(f)
    }
}

/// Splits at commas; `None` if there is a quote to respect.
fn cut(line: &[u8], heed_quotes: bool, bounds: &mut Vec<(u32, u32)>) -> Option<()> {
    if heed_quotes && memchr::memchr(b'"', line).is_some() {
        return None;
    }
    bounds.clear();
    let mut from = 0;
    for end in memchr::memchr_iter(b',', line).chain([line.len()]) {
        bounds.push((from, end as u32));
        from = end as u32 + 1;
    }
    Some(())
}

impl Splitter {
    #[inline]
    fn line(&mut self, line: Line<'_>, f: &mut Take<'_>) -> Result<(), ImportError> {
        if self.open.is_some() {
            return self.continue_open(line, f);
        }
        if let Some(problem) = line.problem {
            return f(&Record::flawed(line.number, line.bytes, problem));
        }
        let heed_quotes = self.unclosed < MAX_UNCLOSED;
        if cut(line.bytes, heed_quotes, &mut self.bounds).is_none() {
            self.filled = 0;
            self.fields = 0;
            self.core.reset();
            if self.core_line(line.bytes) {
                return self.emit_core(line.number, line.bytes, f);
            }
            let mut raw = Vec::with_capacity(line.bytes.len() + 80);
            raw.extend_from_slice(line.bytes);
            raw.push(b'\n');
            self.open = Some((line.number, raw));
            return Ok(());
        }
        if cell::trim(line.bytes).is_empty() {
            return Ok(());
        }
        let record = Record::of_cells(line.number, line.bytes, line.bytes, &self.bounds);
        f(&Record { unended: self.unended, ..record })
    }

    /// Passes one line to csv-core; true if it completed the record.
    fn core_line(&mut self, bytes: &[u8]) -> bool {
        for mut input in [bytes, b"\n"] {
            // Empty input would signal the end of the file to csv-core.
            while !input.is_empty() {
                let (result, taken, written, ended) = self.core.read_record(
                    input,
                    &mut self.out[self.filled..],
                    &mut self.ends[self.fields..],
                );
                input = &input[taken..];
                self.filled += written;
                self.fields += ended;
                match result {
                    csv_core::ReadRecordResult::InputEmpty => break,
                    csv_core::ReadRecordResult::OutputFull => {
                        let len = self.out.len();
                        self.out.resize(len * 2, 0);
                    }
                    csv_core::ReadRecordResult::OutputEndsFull => {
                        let len = self.ends.len();
                        self.ends.resize(len * 2, 0);
                    }
                    csv_core::ReadRecordResult::Record | csv_core::ReadRecordResult::End => {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn emit_core(&mut self, line: u32, raw: &[u8], f: &mut Take<'_>) -> Result<(), ImportError> {
        self.bounds.clear();
        let mut from = 0;
        for &end in &self.ends[..self.fields] {
            self.bounds.push((from, end as u32));
            from = end as u32;
        }
        let record = Record::of_cells(line, raw, &self.out[..self.filled], &self.bounds);
        f(&Record { unended: self.unended, ..record })
    }

    fn continue_open(&mut self, line: Line<'_>, f: &mut Take<'_>) -> Result<(), ImportError> {
        let Some((first, mut raw)) = self.open.take() else {
            return Ok(());
        };
        if line.problem.is_some() || raw.len() + line.bytes.len() > MAX_LINE {
            self.unclosed(first, &raw, f)?;
            return self.line(line, f);
        }
        let done = self.core_line(line.bytes);
        raw.extend_from_slice(line.bytes);
        if done {
            return self.emit_core(first, &raw, f);
        }
        raw.push(b'\n');
        self.open = Some((first, raw));
        Ok(())
    }

    /// The quote in the first line of `raw` is never closed: rejects that line and reads the lines
    /// after it again, on their own.
    fn unclosed(&mut self, first: u32, raw: &[u8], f: &mut Take<'_>) -> Result<(), ImportError> {
        self.unclosed += 1;
        let mut number = first;
        for bytes in raw.split(|&b| b == b'\n') {
            if number == first {
                f(&Record::flawed(first, bytes, "quote is not closed"))?;
            } else if !bytes.is_empty() || self.open.is_some() {
                self.line(Line::new(number, bytes), f)?;
            }
            number = number.saturating_add(1);
        }
        Ok(())
    }

    fn finish(&mut self, f: &mut Take<'_>) -> Result<(), ImportError> {
        while let Some((first, mut raw)) = self.open.take() {
            if raw.last() == Some(&b'\n') {
                raw.pop();
            }
            self.unclosed(first, &raw, f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, step: usize) -> Vec<(u32, Vec<String>)> {
        let mut records = Records::default();
        let mut out = Vec::new();
        let mut take = |r: &Record<'_>| {
            let fields = match r.problem() {
                Some(p) => vec![format!("!{p}")],
                None => (0..r.len()).map(|i| r.text(i).into_owned()).collect(),
            };
            out.push((r.line(), fields));
            Ok(())
        };
        for slice in text.as_bytes().chunks(step) {
            records.feed(slice, &mut take).unwrap();
        }
        records.finish(&mut take).unwrap();
        out
    }

    #[test]
    fn records_are_the_same_in_any_slices() {
        let text = "a, b ,c\r\n\r\n1,\"x, \"\"y\"\"\n z\",3\n4,5\n\"q\"\n6";
        let want = vec![
            (1, vec!["a", "b", "c"]),
            (3, vec!["1", "x, \"y\"\n z", "3"]),
            (5, vec!["4", "5"]),
            (6, vec!["q"]),
            (7, vec!["6"]),
        ];
        for step in [1, 2, 3, 5, 1000] {
            let got = split(text, step);
            assert_eq!(got.len(), want.len(), "{got:?}");
            for (g, w) in got.iter().zip(&want) {
                assert_eq!((g.0, g.1.iter().map(String::as_str).collect()), w.clone());
            }
        }
    }

    #[test]
    fn an_unclosed_quote_costs_one_line() {
        let got = split("a,b\n\"x,1\n2,3\n4,5\n", 4);
        assert_eq!(
            got,
            vec![
                (1, vec!["a".to_owned(), "b".into()]),
                (2, vec!["!quote is not closed".into()]),
                (3, vec!["2".into(), "3".into()]),
                (4, vec!["4".into(), "5".into()]),
            ]
        );
    }

    #[test]
    fn many_unclosed_quotes_do_not_cost_quadratic_time() {
        // Guards against quadratic time: rescanning the rest each time would take hours.
        let text = "a\",\",\n".repeat(300_000);
        let got = split(&text, 1 << 16);
        assert!(got.len() > 100_000);
    }

    proptest::proptest! {
        #[test]
        fn cut_finds_what_a_plain_split_finds(line in "[a,;\"\u{e9}]{0,30}", heed in proptest::bool::ANY) {
            let mut bounds = Vec::new();
            let cut = cut(line.as_bytes(), heed, &mut bounds);
            proptest::prop_assert_eq!(cut.is_none(), heed && line.contains('"'));
            if cut.is_some() {
                let cells: Vec<&str> = bounds.iter().map(|&(a, b)| &line[a as usize..b as usize]).collect();
                proptest::prop_assert_eq!(cells, line.split(',').collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_huge_line_is_one_problem_and_the_next_line_is_read() {
        let text = format!("a,b\n{}\n1,2\n", "x".repeat(5 << 20));
        let got = split(&text, 1 << 16);
        assert_eq!(got.len(), 3);
        assert_eq!(got[1].1, ["!line is longer than 1 MiB"]);
        assert_eq!(got[2], (3, vec!["1".into(), "2".into()]));
    }
}
