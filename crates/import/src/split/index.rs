//! Index of the cells and lines of a text: one pass over many whole lines, 64 bytes per step.

mod masks;

use masks::{STEP, masks};

/// Separators are written in groups of eight, rounded up, to avoid a branch per separator.
const AT_ONCE: usize = 8;
/// Maximum entries written per step, including the surplus of the last group.
const SLACK: usize = STEP + AT_ONCE;

/// Positions of the cells of whole lines.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Positions of separators, preceded by one entry for the start of the text: cell `i` lies between
    /// `ends[i]` and `ends[i + 1]`.
    ends: Vec<u32>,
    /// Index of the first cell of each line, and a final entry.
    lines: Vec<u32>,
    /// Lines with quotes other than a pair around a whole cell, in order.
    odd: Vec<u32>,
    /// The text has quotes.
    quoted: bool,
}

impl Index {
    /// Indexes `text`, which must end in a line end. False if a line end lies within quotes, so
    /// that the lines are unknown.
    pub(crate) fn read(&mut self, text: &[u8], delimiter: u8, heed_quotes: bool) -> bool {
        self.lines.clear();
        self.odd.clear();
        self.quoted = false;
        self.lines.push(0);
        if self.ends.len() < text.len() + SLACK {
            self.ends.resize(text.len() + SLACK, 0);
        }
        let ends = &mut self.ends[..text.len() + SLACK];
        ends[0] = u32::MAX;
        let mut cells = 1;
        let mut quotes = Quotes::default();
        // Pad with bytes that are not a separator, quote or line end.
        let mut padded = [!delimiter; STEP];
        for (number, bytes) in text.chunks(STEP).enumerate() {
            let step = match bytes.try_into() {
                Ok(step) => step,
                Err(_) => {
                    padded[..bytes.len()].copy_from_slice(bytes);
                    &padded
                }
            };
            let found = masks(step, delimiter);
            let mut separators = found.line_ends | found.delimiters;
            if heed_quotes && quotes.matter(found.quotes) {
                self.quoted = true;
                let inside = quotes.inside(found.quotes);
                if found.line_ends & inside != 0 {
                    return false;
                }
                separators &= !inside;
                let mut wrong = quotes.wrong(found.quotes, inside, separators);
                while wrong != 0 {
                    let at = wrong.trailing_zeros();
                    wrong &= wrong - 1;
                    let at_byte = number * STEP + at as usize;
                    // A carriage return before the line feed may follow a closing quote.
                    if text[at_byte] == b'\r' && text.get(at_byte + 1) == Some(&b'\n') {
                        continue;
                    }
                    let before = found.line_ends & ((1 << at) - 1);
                    let line = self.lines.len() as u32 - 1 + before.count_ones();
                    if self.odd.last() != Some(&line) {
                        self.odd.push(line);
                    }
                }
            }
            quotes.after_separator = separators >> 63;
            let mut line_ends = found.line_ends;
            while line_ends != 0 {
                let lowest = line_ends & line_ends.wrapping_neg();
                let before = (separators & (lowest - 1)).count_ones();
                self.lines.push(cells as u32 + before);
                line_ends ^= lowest;
            }
            let from = (number * STEP) as u32;
            let count = separators.count_ones() as usize;
            let mut written = 0;
            while written < count {
                for end in &mut ends[cells + written..][..AT_ONCE] {
                    *end = from.wrapping_add(separators.trailing_zeros());
                    separators &= separators.wrapping_sub(1);
                }
                written += AT_ONCE;
            }
            cells += count;
        }
        true
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len() - 1
    }

    /// Indices of the cells of a line.
    #[inline]
    pub(crate) fn cells(&self, line: usize) -> std::ops::Range<u32> {
        self.lines[line]..self.lines[line + 1]
    }

    /// Byte range of a line, without its line end.
    #[inline]
    pub(crate) fn line(&self, line: usize) -> std::ops::Range<usize> {
        let cells = self.cells(line);
        let from = self.ends[cells.start as usize].wrapping_add(1);
        from as usize..self.ends[cells.end as usize] as usize
    }

    /// Appends the byte ranges of the cells of a line, without quotes and line end.
    #[inline]
    pub(crate) fn bounds(&self, line: usize, text: &[u8], bounds: &mut Vec<(u32, u32)>) {
        let cells = self.cells(line);
        let place = |i| inner(text, cell(&self.ends, i as usize), i + 1 == cells.end, self.quoted);
        bounds.clear();
        bounds.extend(cells.clone().map(place));
    }

    /// The separators of all cells, see [`cell`].
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Lines with quotes other than a pair around a whole cell, in order.
    pub(crate) fn odd(&self) -> &[u32] {
        &self.odd
    }

    /// True if the text has quotes.
    pub(crate) fn quoted(&self) -> bool {
        self.quoted
    }
}

/// Byte range of a cell, including its quotes.
#[inline(always)]
pub(crate) fn cell(ends: &[u32], cell: usize) -> (u32, u32) {
    (ends[cell].wrapping_add(1), ends[cell + 1])
}

/// Byte range of a cell without enclosing quotes. The `last` cell of a line may be followed by a carriage return.
#[inline(always)]
pub(crate) fn inner(text: &[u8], cell: (u32, u32), last: bool, quoted: bool) -> (u32, u32) {
    let (mut from, mut to) = cell;
    if last && to > from && text[to as usize - 1] == b'\r' {
        to -= 1;
    }
    if quoted && to > from && text[from as usize] == b'"' {
        from += 1;
        to -= 1;
    }
    (from, to)
}

/// Quote state carried from one step to the next.
#[derive(Debug)]
struct Quotes {
    /// All ones if within quotes.
    open: u64,
    /// 1 if the last byte was a separator.
    after_separator: u64,
    /// 1 if the last byte was a closing quote.
    after_close: u64,
}

impl Default for Quotes {
    fn default() -> Self {
        Quotes { open: 0, after_separator: 1, after_close: 0 }
    }
}

impl Quotes {
    fn matter(&self, quotes: u64) -> bool {
        quotes | self.open | self.after_close != 0
    }

    /// Mask of the bytes within quotes, including opening and excluding closing quotes.
    fn inside(&mut self, quotes: u64) -> u64 {
        let mut inside = quotes;
        for by in [1, 2, 4, 8, 16, 32] {
            inside ^= inside << by;
        }
        inside ^= self.open;
        self.open = ((inside as i64) >> 63) as u64;
        inside
    }

    /// Mask of opening quotes not after a separator, and of bytes other than a separator after a closing quote.
    fn wrong(&mut self, quotes: u64, inside: u64, separators: u64) -> u64 {
        let (opening, closing) = (quotes & inside, quotes & !inside);
        let behind = closing << 1 | self.after_close;
        self.after_close = closing >> 63;
        opening & !(separators << 1 | self.after_separator) | behind & !separators
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cells of every line, with quotes as plain characters.
    fn plain(text: &str, delimiter: char) -> Vec<Vec<&str>> {
        let lines = text.strip_suffix('\n').unwrap().split('\n');
        lines.map(|l| l.split(delimiter).collect()).collect()
    }

    fn indexed<'t>(index: &Index, text: &'t str) -> Vec<Vec<&'t str>> {
        let of = |l| {
            let cells = index.cells(l).map(|c| {
                let (a, b) = cell(index.ends(), c as usize);
                &text[a as usize..b as usize]
            });
            cells.collect()
        };
        (0..index.len()).map(of).collect()
    }

    proptest! {
        #[test]
        fn without_quotes_it_splits(text in "([a-c]{0,9}[,;\n\"]){0,90}") {
            let mut index = Index::default();
            // Reusing an index gives the same result.
            prop_assert!(index.read(b"x,y,\"z\"\n\n", b',', true));
            let text = text + "\n";
            for delimiter in [',', ';'] {
                prop_assert!(index.read(text.as_bytes(), delimiter as u8, false));
                prop_assert_eq!(indexed(&index, &text), plain(&text, delimiter));
                for l in 0..index.len() {
                    prop_assert_eq!(text[index.line(l)].split(delimiter).count(), index.cells(l).len());
                }
            }
        }

        /// A line that is not odd has the cells that csv-core finds.
        #[test]
        fn a_line_that_is_not_odd_needs_no_csv_reader(text in "([ab]{0,8}|\"[ab,]{0,30}\"|[ab\"]{0,9}|\"\"|[,\n]|\r\n){0,60}") {
            use crate::split::records::Records;
            let text = text + "\n";
            let mut index = Index::default();
            if !index.read(text.as_bytes(), b',', true) {
                return Ok(());
            }
            for l in (0..index.len()).filter(|l| !index.odd().contains(&(*l as u32))) {
                let line = &text[index.line(l)];
                let mut records = Records::default();
                let mut wanted = Vec::new();
                let mut keep = |r: &crate::Record<'_>| {
                    prop_assert_eq!(r.problem(), None);
                    wanted.extend(r.iter().map(<[u8]>::to_vec));
                    Ok(())
                };
                let mut failed = Ok(());
                let mut f = |r: &crate::Record<'_>| { failed = keep(r); Ok(()) };
                records.feed(line.as_bytes(), &mut f).unwrap();
                records.finish(&mut f).unwrap();
                failed?;
                if line.trim().is_empty() {
                    continue;
                }
                let mut found = Vec::new();
                for c in index.cells(l) {
                    let (a, b) = cell(index.ends(), c as usize);
                    let cell = text[a as usize..b as usize].trim();
                    let inner = cell.strip_prefix('"').and_then(|c| c.strip_suffix('"'));
                    found.push(inner.unwrap_or(cell).trim().as_bytes().to_vec());
                }
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn a_line_end_within_quotes_is_told() {
        let mut index = Index::default();
        assert!(!index.read(b"a,\"b\nc\",d\n", b',', true));
        assert!(index.read(b"a,\"b\nc\",d\n", b',', false));
        assert_eq!(index.len(), 2);
    }
}
