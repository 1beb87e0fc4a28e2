//! Cells as they stand in a text, a column at a time.

/// The cells of one column in consecutive rows of a text.
pub trait Cells {
    /// Number of rows.
    fn len(&self) -> usize;

    /// True where there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text that the cells are in, with what is before and behind them.
    fn text(&self) -> &[u8];

    /// Where the cell of a row begins and ends in the text: without quotes, with its blanks.
    fn place(&self, row: usize) -> (u32, u32);

    /// The cell of a row, trimmed.
    fn cell(&self, row: usize) -> &[u8] {
        let (from, to) = self.place(row);
        &self.text()[from as usize..to as usize]
    }

    /// The number in the cell of a row, `None` if it holds none.
    fn number(&self, _row: usize) -> Option<f64> {
        None
    }

    /// The same for a plain number; `None` says nothing.
    fn plain_number(&self, row: usize) -> Option<f64> {
        self.number(row)
    }
}
