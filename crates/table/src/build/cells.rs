//! Raw cells of a text, column by column.

/// The cells of one column in consecutive rows of a text.
pub trait Cells {
    /// Number of rows.
    fn len(&self) -> usize;

    /// True if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text that the cells lie in.
    fn text(&self) -> &[u8];

    /// Start and end of a row's cell in the text, excluding quotes, including blanks.
    fn place(&self, row: usize) -> (u32, u32);

    /// The cell of a row, trimmed.
    fn cell(&self, row: usize) -> &[u8] {
        let (from, to) = self.place(row);
        &self.text()[from as usize..to as usize]
    }

    /// The number in a row's cell; `None` if it is not a number.
    fn number(&self, _row: usize) -> Option<f64> {
        None
    }

    /// Fast path of [`number`](Self::number) for plain numbers; `None` means undecided.
    fn plain_number(&self, row: usize) -> Option<f64> {
        self.number(row)
    }
}
