//! Columns under construction: dictionary-coded text, numbers, and columns whose kind is decided by their cells. Row
//! numbers count from the start of the file, including rows already handed over.

use super::cell_text::{cell_text, is_missing};
use super::cells::Cells;
use super::intern::Interner;
use crate::dataset::ColumnData;

/// A text column under construction.
#[derive(Debug, Default)]
pub(crate) struct TextColumn {
    /// Rows and texts already handed over.
    given: usize,
    given_words: usize,
    codes: Vec<u32>,
    words: Interner,
}

impl TextColumn {
    /// An empty column with capacity for `rows` rows.
    pub(crate) fn with_room(rows: usize) -> Self {
        TextColumn { codes: Vec::with_capacity(rows), ..TextColumn::default() }
    }

    /// Rows so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.given + self.codes.len()
    }

    /// The last value that was set.
    pub(crate) fn last(&self) -> Option<&str> {
        self.codes.last().map(|code| self.words.value(*code))
    }

    /// About the bytes that it takes.
    pub(crate) fn memory(&self) -> usize {
        self.codes.len() * 4 + self.words.memory()
    }

    /// Pads with "missing" up to row `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        self.codes.resize(rows - self.given, 0);
    }

    /// Sets the value of row `row`, the next row or a later one.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, cell: &[u8]) {
        let code = self.words.code(cell);
        if self.len() != row {
            self.pad(row);
        }
        self.codes.push(code);
    }

    /// Sets the values of the next rows.
    #[inline]
    pub(crate) fn extend(&mut self, cells: &impl Cells) {
        let words = &mut self.words;
        let codes = (0..cells.len()).map(|row| words.code_of(cells, row));
        self.codes.extend(codes);
    }

    /// Drops all rows from `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.codes.truncate(rows - self.given);
    }

    /// Hands over the rows and texts since the last call.
    pub(crate) fn take(&mut self) -> ColumnData {
        let values = self.words.texts_from(self.given_words).to_vec();
        let codes = take(&mut self.codes);
        self.given += codes.len();
        self.given_words += values.len();
        ColumnData::Text { codes, values }
    }

    /// Like [`take`](Self::take), at the end: moves texts instead of copying where it can.
    pub(crate) fn rest(self) -> ColumnData {
        let mut values = self.words.into_texts();
        ColumnData::Text {
            codes: self.codes,
            values: match self.given_words {
                0 => values,
                given => values.split_off(given),
            },
        }
    }
}

/// A number column under construction.
#[derive(Debug, Default)]
pub(crate) struct NumberColumn {
    /// Rows already handed over.
    given: usize,
    values: Vec<f64>,
}

impl NumberColumn {
    /// An empty column with capacity for `rows` rows.
    pub(crate) fn with_room(rows: usize) -> Self {
        NumberColumn { given: 0, values: Vec::with_capacity(rows) }
    }

    /// Rows so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.given + self.values.len()
    }

    /// Approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.values.len() * 8
    }

    /// Pads with "missing" up to row `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        self.values.resize(rows - self.given, f64::NAN);
    }

    /// The last value not yet handed over.
    pub(crate) fn last(&self) -> Option<f64> {
        self.values.last().copied()
    }

    /// Sets the value of the next row.
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Sets the value of row `row`, the next row; a second value for the same row replaces the first.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: f64) {
        self.truncate(row);
        self.values.push(value);
    }

    /// Sets the values of the next rows.
    #[inline]
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = f64>) {
        self.values.extend(values);
    }

    /// Drops all rows from `rows` on.
    #[inline]
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows - self.given);
    }

    /// Hands over the rows since the last call.
    pub(crate) fn take(&mut self) -> ColumnData {
        self.given = self.len();
        ColumnData::Number(take(&mut self.values))
    }

    /// Like [`take`](Self::take), at the end.
    pub(crate) fn rest(self) -> ColumnData {
        ColumnData::Number(self.values)
    }
}

/// Takes the values and reserves room for slightly more, since parts of a table are of similar size.
pub(super) fn take<T>(values: &mut Vec<T>) -> Vec<T> {
    let room = values.len() + values.len() / 16;
    std::mem::replace(values, Vec::with_capacity(room))
}

/// Number of cells after which a column of unknown kind becomes numbers or text.
const SAMPLE: usize = 1000;

/// A column of unknown kind. It keeps the text of the first cells; if at least 95 % of them are numbers, it then keeps
/// only numbers and the exceptions. With too many exceptions it becomes text at the end. No cell is lost.
#[derive(Debug, Default)]
pub(crate) struct AutoColumn {
    text: TextColumn,
    numbers: NumberColumn,
    /// Row and text of the exceptions: cells of a number column that are not numbers.
    odd: Vec<(usize, String)>,
    filled: usize,
    numeric: usize,
    mode: Mode,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    #[default]
    Sampling,
    Numbers,
    Text,
}

impl AutoColumn {
    /// Sets the value of row `row`; `number` is the cell parsed as a number.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, cell: &[u8], number: Option<f64>) {
        if cell.is_empty() {
            return;
        }
        match self.mode {
            Mode::Numbers => {
                self.set_number(row, number);
                self.filled += 1;
                if number.is_some() {
                    self.numeric += 1;
                } else if !is_missing(cell) {
                    self.odd.push((row, cell_text(cell).into_owned()));
                }
            }
            Mode::Text => self.text.set(row, cell),
            Mode::Sampling => {
                // Decide before adding the cell, so that a rejected row leaves nothing behind.
                if self.filled >= SAMPLE {
                    self.settle();
                    return self.set(row, cell, number);
                }
                self.text.set(row, cell);
                self.set_number(row, number);
                self.filled += 1;
                self.numeric += usize::from(number.is_some() || is_missing(cell));
            }
        }
    }

    #[inline]
    fn set_number(&mut self, row: usize, number: Option<f64>) {
        if self.numbers.len() != row {
            self.numbers.pad(row);
        }
        self.numbers.push(number.unwrap_or(f64::NAN));
    }

    /// [`set`](Self::set) for the rows from `first` on. Before each value, `room` pads the column up to its row, or
    /// returns false if that needs too many cells; the cell is then dropped.
    #[inline]
    pub(crate) fn extend(
        &mut self,
        first: usize,
        cells: &impl Cells,
        mut room: impl FnMut(&mut Self, usize) -> bool,
    ) {
        for i in 0..cells.len() {
            let row = first + i;
            match self.mode {
                Mode::Numbers => {
                    if let Some(number) = cells.plain_number(i) {
                        if room(self, row) {
                            self.filled += 1;
                            self.numeric += 1;
                            self.numbers.push(number);
                        }
                        continue;
                    }
                }
                Mode::Text => {
                    let code = self.text.words.code_of(cells, i);
                    if code != 0 && room(self, row) {
                        self.text.codes.push(code);
                    }
                    continue;
                }
                Mode::Sampling => {}
            }
            let cell = cells.cell(i);
            if !cell.is_empty() && room(self, row) {
                self.set(row, cell, cells.number(i));
            }
        }
    }

    /// Rows so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self.mode {
            Mode::Text => self.text.len(),
            Mode::Sampling | Mode::Numbers => self.numbers.len(),
        }
    }

    /// Approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.text.memory() + self.numbers.memory()
    }

    /// Pads with "missing" up to row `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        if self.mode != Mode::Numbers {
            self.text.pad(rows);
        }
        if self.mode != Mode::Text {
            self.numbers.pad(rows);
        }
    }

    fn settle(&mut self) {
        // Rejected rows are counted too, which hardly changes the share.
        if self.numeric * 100 >= self.filled * 95 {
            let text = std::mem::take(&mut self.text);
            for (row, &code) in text.codes.iter().enumerate() {
                let word = text.words.value(code);
                // No row is handed over before the kind is known, so rows count from the start of the file.
                let known = self.numbers.values.get(row).is_some_and(|n| !n.is_nan());
                if !known && !is_missing(word.as_bytes()) {
                    self.odd.push((row, word.to_owned()));
                }
            }
            self.mode = Mode::Numbers;
        } else {
            self.numbers = NumberColumn::default();
            self.mode = Mode::Text;
        }
    }

    /// Drops all rows from `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.text.truncate(rows);
        self.numbers.truncate(rows);
        while self.odd.last().is_some_and(|(row, _)| *row >= rows) {
            self.odd.pop();
        }
    }

    /// Hands over the rows and texts since the last call; nothing until the kind is known.
    pub(crate) fn take(&mut self) -> ColumnData {
        match self.mode {
            Mode::Sampling => ColumnData::Text { codes: Vec::new(), values: Vec::new() },
            Mode::Numbers => self.numbers.take(),
            Mode::Text => self.text.take(),
        }
    }

    /// Like [`take`](Self::take), at the end, with the exceptions of a number column.
    pub(crate) fn rest(mut self) -> (ColumnData, Vec<(usize, String)>) {
        if self.mode == Mode::Sampling {
            self.settle();
        }
        match self.mode {
            Mode::Text => (self.text.rest(), Vec::new()),
            _ => (self.numbers.rest(), self.odd),
        }
    }
}

/// A number column with exceptions: the numbers plus a text column of the exceptions, or a single text column if there
/// are too many.
pub(crate) fn with_exceptions(
    numbers: Vec<f64>,
    odd: &[(usize, String)],
) -> (ColumnData, Option<ColumnData>) {
    if odd.is_empty() {
        return (ColumnData::Number(numbers), None);
    }
    let filled = numbers.iter().filter(|n| !n.is_nan()).count() + odd.len();
    let mut text = TextColumn::default();
    if odd.len() * 20 > filled {
        let mut exceptions = odd.iter().peekable();
        for (row, n) in numbers.iter().enumerate() {
            if let Some((_, word)) = exceptions.next_if(|(r, _)| *r == row) {
                text.set(row, word.as_bytes());
            } else if !n.is_nan() {
                text.set(row, n.to_string().as_bytes());
            }
        }
        return (text.rest(), None);
    }
    for (row, word) in odd {
        text.set(*row, word.as_bytes());
    }
    (ColumnData::Number(numbers), Some(text.rest()))
}
