//! Caches the value that a combination of words in a few columns stands for: types, transposes, device.

use super::view::View;
use gemmscope_table::build::intern::Interner;
use std::collections::HashMap;

/// Size of the direct-mapped cache; files rarely have more combinations.
const RECENT: usize = 1024;

/// One value per combination of words in some columns.
#[derive(Debug)]
pub(super) struct Combinations<T> {
    columns: Vec<(usize, Interner)>,
    /// Per row of the batch: the codes of its words, concatenated.
    keys: Vec<u64>,
    known: HashMap<u64, T>,
    /// Cache indexed by a few bits of the key. No valid key is all ones, see [`Self::keep`].
    recent: Vec<(u64, Option<T>)>,
}

impl<T: Copy> Combinations<T> {
    pub(super) fn of(columns: impl IntoIterator<Item = usize>) -> Self {
        let columns = columns.into_iter().map(|c| (c, Interner::default()));
        Combinations {
            columns: columns.collect(),
            keys: Vec::new(),
            known: HashMap::new(),
            recent: vec![(u64::MAX, None); RECENT],
        }
    }

    /// Bits per code in a key.
    fn bits(&self) -> u32 {
        match self.columns.len() {
            0 | 1 => 32,
            n => 64 / n as u32,
        }
    }

    /// Builds the keys of the rows of a batch.
    pub(super) fn read(&mut self, view: View<'_>) {
        let bits = self.bits();
        let most = (1_u64 << bits) - 1;
        self.keys.clear();
        self.keys.resize(view.first.len(), 0);
        for (column, words) in &mut self.columns {
            read(view, *column, words, bits, most, &mut self.keys);
        }
    }

    fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % RECENT
    }

    /// The cached value for a row's words.
    #[inline]
    pub(super) fn get(&mut self, row: usize) -> Option<T> {
        let key = self.keys[row];
        let recent = &mut self.recent[Self::slot(key)];
        if recent.0 == key {
            return recent.1;
        }
        let value = *self.known.get(&key)?;
        *recent = (key, Some(value));
        Some(value)
    }

    /// Caches the value for a row's words, unless a code exceeds its bits in the key.
    #[cold]
    pub(super) fn keep(&mut self, row: usize, value: T) {
        let (key, bits) = (self.keys[row], self.bits());
        let most = (1_u64 << bits) - 1;
        let exact = (0..self.columns.len() as u32).all(|i| key >> (i * bits) & most != most);
        if exact {
            self.known.insert(key, value);
            self.recent[Self::slot(key)] = (key, Some(value));
        }
    }
}

#[inline(never)]
fn read(
    view: View<'_>,
    column: usize,
    words: &mut Interner,
    bits: u32,
    most: u64,
    keys: &mut [u64],
) {
    let cells = view.column(column);
    for (row, key) in keys.iter_mut().enumerate() {
        let code = u64::from(words.code_of(&cells, row));
        *key = *key << bits | code.min(most);
    }
}
