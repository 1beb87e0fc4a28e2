//! One record of a table: its text and its cells.

use crate::cell;
use gemmscope_table::native_csv::unguard;

/// Maximum number of fields in use. Tensile's tables have a column for each of some 2,900 kernels; no tool writes more,
/// and each field takes time in every later step. Further fields are counted and dropped.
pub(crate) const MOST_COLUMNS: usize = 4_096;

/// One record: the fields of one line, or of several if a quoted field contains line ends.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub(super) line: u32,
    pub(super) raw: &'a [u8],
    pub(super) text: &'a [u8],
    pub(super) bounds: &'a [(u32, u32)],
    pub(super) problem: Option<&'static str>,
    pub(super) unended: bool,
}

impl<'a> Record<'a> {
    /// A valid record of one line, with its cells at `bounds` of `text`.
    pub(crate) fn of_cells(
        line: u32,
        raw: &'a [u8],
        text: &'a [u8],
        bounds: &'a [(u32, u32)],
    ) -> Self {
        Record { line, raw, text, bounds, problem: None, unended: false }
    }

    /// A line that cannot be read.
    pub(super) fn flawed(line: u32, raw: &'a [u8], problem: &'static str) -> Self {
        Record { problem: Some(problem), ..Record::of_cells(line, raw, raw, &[]) }
    }

    /// 1-based line where the record starts.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// True if the file ends within its line, so that it may be truncated.
    pub(crate) fn is_unended(&self) -> bool {
        self.unended
    }

    /// The record as written in the file.
    pub(crate) fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Number of fields, up to [`MOST_COLUMNS`].
    pub(crate) fn len(&self) -> usize {
        self.bounds.len().min(MOST_COLUMNS)
    }

    /// Number of fields beyond [`MOST_COLUMNS`].
    pub(crate) fn left_out(&self) -> usize {
        self.bounds.len() - self.len()
    }

    /// The `i`-th field (0-based), trimmed and without the apostrophe that stops a spreadsheet from evaluating it;
    /// empty if the record is shorter.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> &'a [u8] {
        unguard(cell::trim(self.untrimmed(i)))
    }

    /// The `i`-th field with surrounding blanks.
    #[inline]
    pub(crate) fn untrimmed(&self, i: usize) -> &'a [u8] {
        match self.bounds.get(i).filter(|_| i < MOST_COLUMNS) {
            Some(&(a, b)) => self.text.get(a as usize..b as usize).unwrap_or_default(),
            None => &[],
        }
    }

    /// The `i`-th field as text.
    pub(crate) fn text(&self, i: usize) -> std::borrow::Cow<'a, str> {
        gemmscope_table::build::cell_text::cell_text(self.get(i))
    }

    /// The `i`-th field as a number; `None` if it is not one.
    #[inline]
    pub(crate) fn number(&self, i: usize) -> Option<f64> {
        cell::number(self.get(i))
    }

    /// All fields, trimmed.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Why the record cannot be read: its line is too long or a quote is not closed.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        self.problem
    }
}
