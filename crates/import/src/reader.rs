//! Readers of text: what a format implements, and the adapters that cut text into records and
//! lines.

use crate::{Dialect, ImportError, Imported, Line, Lines, Record, Records};

/// Takes decoded text (UTF-8) in slices that may be cut anywhere, and fills a table.
pub trait Reader {
    /// Takes the next slice.
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError>;
    /// Ends the file and returns what was read.
    fn finish(self: Box<Self>) -> Result<Imported, ImportError>;
    /// Rows so far, for the progress display.
    fn rows(&self) -> u64 {
        0
    }
}

/// A reader that gets records: see [`Delimited`].
pub(crate) trait RowReader {
    /// The next record. Records with a [`problem`](Record::problem) come too.
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError>;
    /// The end of the file.
    fn finish(self) -> Result<Imported, ImportError>;
    /// Rows so far.
    fn rows(&self) -> u64;
}

/// A [`Reader`] of delimited text around a [`RowReader`].
#[derive(Debug)]
pub(crate) struct Delimited<R> {
    records: Records,
    rows: R,
}

impl<R: RowReader> Delimited<R> {
    /// Cuts the text by `dialect` and gives the records to `rows`.
    pub(crate) fn new(dialect: Dialect, rows: R) -> Self {
        Delimited {
            records: Records::new(dialect),
            rows,
        }
    }
}

impl<R: RowReader> Reader for Delimited<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let rows = &mut self.rows;
        self.records.feed(text, |r| rows.record(r))
    }

    fn finish(self: Box<Self>) -> Result<Imported, ImportError> {
        let Delimited {
            mut records,
            mut rows,
        } = *self;
        records.finish(|r| rows.record(r))?;
        rows.finish()
    }

    fn rows(&self) -> u64 {
        self.rows.rows()
    }
}

/// A reader that gets lines: see [`Logged`].
pub(crate) trait LineReader {
    /// The next line, blank ones too.
    fn line(&mut self, line: Line<'_>) -> Result<(), ImportError>;
    /// The end of the file.
    fn finish(self) -> Result<Imported, ImportError>;
    /// Rows so far.
    fn rows(&self) -> u64;
}

/// A [`Reader`] of line-by-line logs around a [`LineReader`].
#[derive(Debug)]
pub(crate) struct Logged<R> {
    lines: Lines,
    reader: R,
}

impl<R: LineReader> Logged<R> {
    /// Gives the lines to `reader`.
    pub(crate) fn new(reader: R) -> Self {
        Logged {
            lines: Lines::default(),
            reader,
        }
    }
}

impl<R: LineReader> Reader for Logged<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let reader = &mut self.reader;
        self.lines.feed(text, |l| reader.line(l))
    }

    fn finish(self: Box<Self>) -> Result<Imported, ImportError> {
        let Logged {
            mut lines,
            mut reader,
        } = *self;
        lines.finish(|l| reader.line(l))?;
        reader.finish()
    }

    fn rows(&self) -> u64 {
        self.reader.rows()
    }
}
