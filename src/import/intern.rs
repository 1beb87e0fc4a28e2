//! Columns while they are filled: dictionary-coded text, and columns whose kind shows only as
//! the cells come.

use super::cell;
use super::text::cell_text;
use crate::dataset::ColumnData;
use hashbrown::HashTable;
use std::hash::Hasher;

const SLOTS: usize = 64;

/// A dictionary of cell texts. Code 0 is the empty text.
#[derive(Debug)]
pub struct Interner {
    values: Vec<String>,
    table: HashTable<u32>,
    /// Code last seen for a cheap hash: files repeat a few texts.
    recent: [u32; SLOTS],
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            values: vec![String::new()],
            table: HashTable::new(),
            recent: [0; SLOTS],
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut h = rustc_hash::FxHasher::default();
    h.write(bytes);
    h.finish()
}

#[inline]
fn slot(bytes: &[u8]) -> usize {
    let n = bytes.len();
    let pick = |i: usize| u64::from(bytes.get(i).copied().unwrap_or(0));
    let word = pick(0)
        | pick(n / 3) << 8
        | pick(n / 2) << 16
        | pick(n.wrapping_sub(1)) << 24
        | pick(n.wrapping_sub(2)) << 32
        | (n as u64) << 40;
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

impl Interner {
    /// Code of a cell.
    #[inline]
    pub fn code(&mut self, cell: &[u8]) -> u32 {
        if cell.is_empty() {
            return 0;
        }
        let slot = slot(cell);
        let recent = self.recent[slot];
        if self.values[recent as usize].as_bytes() == cell {
            return recent;
        }
        let code = self.find_or_add(cell);
        self.recent[slot] = code;
        code
    }

    fn find_or_add(&mut self, cell: &[u8]) -> u32 {
        let text = cell_text(cell);
        let bytes = text.as_bytes();
        let hash_of = hash(bytes);
        let values = &self.values;
        if let Some(&code) = self
            .table
            .find(hash_of, |&c| values[c as usize].as_bytes() == bytes)
        {
            return code;
        }
        let code = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(text.into_owned());
        let values = &self.values;
        self.table
            .insert_unique(hash_of, code, |&c| hash(values[c as usize].as_bytes()));
        code
    }

    /// The texts by code.
    pub fn values(&self) -> &[String] {
        &self.values
    }
}

/// A text column being filled.
#[derive(Debug, Default)]
pub struct TextColumn {
    codes: Vec<u32>,
    words: Interner,
}

impl TextColumn {
    /// Sets the value of row `row`, which is the next one or later.
    #[inline]
    pub fn set(&mut self, row: usize, cell: &[u8]) {
        let code = self.words.code(cell);
        if self.codes.len() != row {
            self.codes.resize(row, 0);
        }
        self.codes.push(code);
    }

    /// Drops everything from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.codes.truncate(rows);
    }

    /// The column. Texts that only rejected rows had are left out.
    pub fn finish(self) -> ColumnData {
        let mut used = vec![false; self.words.values.len()];
        used[0] = true;
        for &c in &self.codes {
            used[c as usize] = true;
        }
        if used.iter().all(|&u| u) {
            return ColumnData::Text {
                codes: self.codes,
                values: self.words.values,
            };
        }
        let mut new_code = vec![0u32; used.len()];
        let mut values = Vec::new();
        for (i, text) in self.words.values.into_iter().enumerate() {
            if used[i] {
                new_code[i] = values.len() as u32;
                values.push(text);
            }
        }
        ColumnData::Text {
            codes: self.codes.iter().map(|&c| new_code[c as usize]).collect(),
            values,
        }
    }
}

/// Cells after which an unknown column is settled as numbers or text for the time being.
const SAMPLE: usize = 1000;

/// A column of unknown kind. It keeps the spelling of the first cells; then, where at least
/// 95 % were numbers, only numbers and the exceptions. At the end, with too many exceptions,
/// it becomes text after all: no cell is lost.
#[derive(Debug, Default)]
pub struct AutoColumn {
    text: TextColumn,
    numbers: Vec<f64>,
    /// Row and text of cells that are no numbers, once the column holds numbers.
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
    /// Sets the value of row `row`; `number` is what the cell reads as.
    #[inline]
    pub fn set(&mut self, row: usize, cell: &[u8], number: Option<f64>) {
        if cell.is_empty() {
            return;
        }
        match self.mode {
            Mode::Numbers => {
                if self.numbers.len() != row {
                    self.numbers.resize(row, f64::NAN);
                }
                self.filled += 1;
                self.numbers.push(number.unwrap_or(f64::NAN));
                if number.is_some() {
                    self.numeric += 1;
                } else if !cell::is_missing(cell) {
                    self.odd.push((row, cell_text(cell).into_owned()));
                }
            }
            Mode::Text => self.text.set(row, cell),
            Mode::Sampling => {
                // Settled before the cell, so that a rejected row leaves nothing behind.
                if self.filled >= SAMPLE {
                    self.settle();
                    return self.set(row, cell, number);
                }
                self.text.set(row, cell);
                if self.numbers.len() != row {
                    self.numbers.resize(row, f64::NAN);
                }
                self.numbers.push(number.unwrap_or(f64::NAN));
                self.filled += 1;
                self.numeric += usize::from(number.is_some() || cell::is_missing(cell));
            }
        }
    }

    fn settle(&mut self) {
        // Rejected rows make these two counts a little too high, never wrong in kind.
        if self.numeric * 100 >= self.filled * 95 {
            let text = std::mem::take(&mut self.text);
            for (row, &code) in text.codes.iter().enumerate() {
                let word = &text.words.values[code as usize];
                let known = self.numbers.get(row).is_some_and(|n| !n.is_nan());
                if !known && !cell::is_missing(word.as_bytes()) {
                    self.odd.push((row, word.clone()));
                }
            }
            self.mode = Mode::Numbers;
        } else {
            self.numbers = Vec::new();
            self.mode = Mode::Text;
        }
    }

    /// Drops everything from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.text.truncate(rows);
        self.numbers.truncate(rows);
        while self.odd.last().is_some_and(|(row, _)| *row >= rows) {
            self.odd.pop();
        }
    }

    /// The column, and a text column of the exceptions where it holds numbers.
    pub fn finish(mut self) -> (ColumnData, Option<ColumnData>) {
        if self.mode == Mode::Sampling {
            self.settle();
        }
        if self.mode == Mode::Text {
            return (self.text.finish(), None);
        }
        let filled = self.numbers.iter().filter(|n| !n.is_nan()).count() + self.odd.len();
        let mut odd = TextColumn::default();
        if self.odd.len() * 20 > filled {
            let mut all = TextColumn::default();
            let mut exceptions = self.odd.iter().peekable();
            for (row, n) in self.numbers.iter().enumerate() {
                if let Some((_, word)) = exceptions.next_if(|(r, _)| *r == row) {
                    all.set(row, word.as_bytes());
                } else if !n.is_nan() {
                    all.set(row, n.to_string().as_bytes());
                }
            }
            return (all.finish(), None);
        }
        for (row, word) in &self.odd {
            odd.set(*row, word.as_bytes());
        }
        let rest = (!self.odd.is_empty()).then(|| odd.finish());
        (ColumnData::Number(self.numbers), rest)
    }
}
