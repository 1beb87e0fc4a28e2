//! What a tooltip says of a mark.

/// A head, and rows of caption and value below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tooltip {
    /// What the mark is. Empty where its dataset row speaks for itself.
    pub head: String,
    /// Caption and value; the caption may be empty.
    pub rows: Vec<(String, String)>,
    /// The number of a mark whose words its picture writes once they are asked for.
    pub mark: Option<usize>,
}

impl Tooltip {
    /// A head without rows.
    pub(crate) fn new(head: impl Into<String>) -> Self {
        Tooltip { head: head.into(), ..Tooltip::default() }
    }

    /// What the picture says of a mark, written once it is asked for.
    pub(crate) fn of(mark: usize) -> Self {
        Tooltip { mark: Some(mark), ..Tooltip::default() }
    }

    /// Adds a row of a caption and a value.
    pub(crate) fn row(mut self, caption: impl Into<String>, value: impl Into<String>) -> Self {
        self.rows.push((caption.into(), value.into()));
        self
    }

    /// Adds a row without a caption.
    pub(crate) fn line(self, value: impl Into<String>) -> Self {
        self.row("", value)
    }
}
