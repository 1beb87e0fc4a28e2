//! Tooltip of a mark.

/// A heading, and rows of caption and value below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tooltip {
    /// What the mark is. Empty if the dataset row suffices.
    pub head: String,
    /// Caption and value; the caption may be empty.
    pub rows: Vec<(String, String)>,
    /// Number of a mark whose text its picture supplies on demand.
    pub mark: Option<usize>,
}

impl Tooltip {
    /// A heading without rows.
    pub(crate) fn new(head: impl Into<String>) -> Self {
        Tooltip { head: head.into(), ..Tooltip::default() }
    }

    /// A reference to a mark, whose text is supplied on demand.
    pub(crate) fn of(mark: usize) -> Self {
        Tooltip { mark: Some(mark), ..Tooltip::default() }
    }

    /// Adds a caption and a value.
    pub(crate) fn row(mut self, caption: impl Into<String>, value: impl Into<String>) -> Self {
        self.rows.push((caption.into(), value.into()));
        self
    }

    /// Adds a value without a caption.
    pub(crate) fn line(self, value: impl Into<String>) -> Self {
        self.row("", value)
    }
}
