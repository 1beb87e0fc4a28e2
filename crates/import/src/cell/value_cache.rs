//! What the few different texts of a column mean, worked out once each.

use gemmscope_table::build::cell_text::cell_text;
use gemmscope_table::build::intern::Interner;

/// Remembers a value per distinct cell text.
#[derive(Debug)]
pub(crate) struct ValueCache<T> {
    words: Interner,
    /// One value a code of `words`; the empty text is worked out when it comes.
    values: Vec<T>,
    empty: Option<T>,
}

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        ValueCache { words: Interner::default(), values: Vec::new(), empty: None }
    }
}

impl<T> ValueCache<T> {
    /// The value of a cell; `f` works it out the first time.
    #[inline]
    pub(crate) fn get(&mut self, cell: &[u8], f: impl FnOnce(&str) -> T) -> &T {
        let code = self.words.code(cell) as usize;
        if code == 0 {
            return self.empty.get_or_insert_with(|| f(""));
        }
        // Codes come in order, so a new one is the next.
        if code > self.values.len() {
            self.values.push(f(&cell_text(cell)));
        }
        &self.values[code - 1]
    }

    /// All values so far.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}
