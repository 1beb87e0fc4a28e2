//! Caches parsed values of columns with few distinct texts.

use gemmscope_table::build::cell_text::cell_text;
use gemmscope_table::build::intern::Interner;

/// Stores one value per distinct cell text.
#[derive(Debug)]
pub(crate) struct ValueCache<T> {
    words: Interner,
    /// One value per code of `words`; the empty text has its own field.
    values: Vec<T>,
    empty: Option<T>,
}

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        ValueCache { words: Interner::default(), values: Vec::new(), empty: None }
    }
}

impl<T> ValueCache<T> {
    /// The value of a cell; calls `f` only for a new text.
    #[inline]
    pub(crate) fn get(&mut self, cell: &[u8], f: impl FnOnce(&str) -> T) -> &T {
        let code = self.words.code(cell) as usize;
        if code == 0 {
            return self.empty.get_or_insert_with(|| f(""));
        }
        // The interner gives out codes in order, so a new one is the next index.
        if code > self.values.len() {
            self.values.push(f(&cell_text(cell)));
        }
        &self.values[code - 1]
    }

    /// All values so far, without that of the empty text.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}
