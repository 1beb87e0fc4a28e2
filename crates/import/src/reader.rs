//! Readers of text: what a format implements, and the adapters that cut text into records and
//! lines.

use crate::{Dialect, ImportError, Imported, Line, Lines, Record, Records};
use gemmscope_table::build::TableBuilder;

/// Takes decoded text (UTF-8) in slices that may be cut anywhere, and fills a table.
pub(crate) trait Reader {
    /// Takes the next slice.
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError>;
    /// Ends the file and returns what was read.
    fn finish(self: Box<Self>) -> Result<Imported, ImportError>;
}

/// Refuses a table whose columns are nearly empty: each cell of each row takes memory.
pub(crate) fn not_too_sparse(table: &TableBuilder) -> Result<(), ImportError> {
    if !table.is_too_sparse() {
        return Ok(());
    }
    Err(ImportError::new(format!(
        "the rows leave more than {} million cells empty: remove the columns that few rows have",
        TableBuilder::MOST_EMPTY >> 20
    )))
}

/// A reader of a file, or why the file cannot be read.
pub(crate) type Opened = Result<Box<dyn Reader>, ImportError>;

/// A reader that gets records: see [`Delimited`]. A reader of devices leaves the table empty.
pub(crate) trait RowReader: Sized {
    /// Puts the next record into the table. Records with a [`problem`](Record::problem) come too.
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError>;
    /// The end of the file: remarks, and rows that waited for it.
    fn end(self, table: TableBuilder) -> Result<Imported, ImportError> {
        Ok(Imported::table(table.finish()))
    }
}

/// A [`Reader`] of delimited text around a [`RowReader`].
#[derive(Debug)]
pub(crate) struct Delimited<R> {
    records: Records,
    rows: R,
    table: TableBuilder,
}

impl<R: RowReader + 'static> Delimited<R> {
    /// Cuts the text by `dialect` and gives the records to `rows`, which fills `table`.
    pub(crate) fn open(dialect: Dialect, rows: R, table: TableBuilder) -> Box<dyn Reader> {
        Box::new(Delimited {
            records: Records::new(dialect),
            rows,
            table,
        })
    }
}

impl<R: RowReader> Reader for Delimited<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let Delimited {
            records,
            rows,
            table,
        } = self;
        records.feed(text, |r| rows.record(r, table))?;
        not_too_sparse(table)
    }

    fn finish(mut self: Box<Self>) -> Result<Imported, ImportError> {
        let Delimited {
            records,
            rows,
            table,
        } = &mut *self;
        records.finish(|r| rows.record(r, table))?;
        self.rows.end(self.table)
    }
}

/// A reader that gets lines: see [`Logged`].
pub(crate) trait LineReader: Sized {
    /// Puts the results of the next line into the table; blank lines come too.
    fn line(&mut self, line: Line<'_>, table: &mut TableBuilder) -> Result<(), ImportError>;
    /// As [`RowReader::end`].
    fn end(self, table: TableBuilder) -> Result<Imported, ImportError>;
}

/// A [`Reader`] of line-by-line logs around a [`LineReader`].
#[derive(Debug)]
pub(crate) struct Logged<R> {
    lines: Lines,
    reader: R,
    table: TableBuilder,
}

impl<R: LineReader + 'static> Logged<R> {
    /// Gives the lines to `reader`, which fills `table`.
    pub(crate) fn open(reader: R, table: TableBuilder) -> Box<dyn Reader> {
        Box::new(Logged {
            lines: Lines::default(),
            reader,
            table,
        })
    }
}

impl<R: LineReader> Reader for Logged<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let Logged {
            lines,
            reader,
            table,
        } = self;
        lines.feed(text, |l| reader.line(l, table))?;
        not_too_sparse(table)
    }

    fn finish(mut self: Box<Self>) -> Result<Imported, ImportError> {
        let Logged {
            lines,
            reader,
            table,
        } = &mut *self;
        lines.finish(|l| reader.line(l, table))?;
        self.reader.end(self.table)
    }
}
