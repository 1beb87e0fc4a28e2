//! The reader trait that formats implement, and adapters that split text into records, lines and JSON items.

use crate::columns::by_column::ByColumn;
use crate::columns::plan_rows::PlanRows;
use crate::split::json::{JsonItem, Scanner, note_cut};
use crate::split::lines::first_line;
use crate::split::record::MOST_COLUMNS;
use crate::{ImportError, Imported, Line, Lines, Record, Records};
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::{Assembly, MOST_MEMORY, Rest, TablePart, too_large};

/// Reads decoded text (UTF-8) in slices that may be cut anywhere, and fills a table.
pub(crate) trait Reader {
    /// Sets the limit in bytes for the rows of a compressed file.
    fn allow(&mut self, bytes: usize) {
        let _ = bytes;
    }
    /// Reads the next slice.
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError>;
    /// The rows since the last call, if the reader can hand them over before the end of the file.
    fn part(&mut self) -> Option<TablePart> {
        None
    }
    /// Ends the file and returns what remains.
    fn finish(self: Box<Self>) -> Result<Ended, ImportError>;
}

/// What remains at the end of a file.
#[derive(Debug)]
pub enum Ended {
    /// The whole result.
    Whole(Imported),
    /// The rows after those handed over in parts.
    Rest(Box<Rest>),
}

impl Ended {
    /// All remaining rows as a table.
    pub fn whole(self) -> Result<Imported, ImportError> {
        match self {
            Ended::Whole(imported) => Ok(imported),
            Ended::Rest(rest) => {
                let rows = Assembly::default().finish(*rest);
                rows.map(Imported::table).map_err(ImportError::new)
            }
        }
    }
}

/// Refuses a table that exceeds the memory limit.
pub(crate) fn fits(table: &TableBuilder) -> Result<(), ImportError> {
    if table.is_too_sparse() {
        return Err(ImportError::new(format!(
            "more than {} million empty cells: remove the columns that few rows use",
            TableBuilder::MOST_EMPTY >> 20
        )));
    }
    let most = table.most_memory.unwrap_or(MOST_MEMORY).min(MOST_MEMORY);
    if table.memory() <= most {
        return Ok(());
    }
    let advice = match table.most_memory {
        Some(_) => UNPACK_FIRST,
        None => "split the file, or use the gemmscope command",
    };
    Err(ImportError::new(too_large(table.rows_read(), most, advice)))
}

/// Advice for a compressed file that is too large.
pub(crate) const UNPACK_FIRST: &str =
    "unpack it first, or allow more with --memory of the gemmscope command";

/// Reason for rejecting a truncated last row.
pub(crate) const ROW_CUT: &str = "row is cut off";
/// Note on such a table.
pub(crate) const CUT: &str = "The last line ends early: the file may have been cut off.";

/// A reader of a file, or the reason why the file cannot be read.
pub(crate) type Opened = Result<Box<dyn Reader>, ImportError>;

/// Reads records, driven by [`Delimited`]. A reader of devices leaves the table empty.
pub(crate) trait RowReader {
    /// Adds the next record to the table. Also called for records with a [`problem`](Record::problem).
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError>;
    /// Whether the records after the first `lines` lines may be read by columns.
    fn planned(&mut self, lines: u32) -> Planned<'_> {
        let _ = lines;
        Planned::Never
    }
    /// True if rows may be handed over before the end of the file, because the end adds only remarks.
    fn gives_parts(&self) -> bool {
        false
    }
    /// Adds remarks at the end of the file.
    fn remark(&mut self, table: &mut TableBuilder) {
        let _ = table;
    }
    /// Ends the file: adds remarks, and rows that were held back.
    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        self.remark(&mut table);
        Ok(Imported::table(table.finish()))
    }
}

/// Whether records may be read by columns, see [`ByColumn`].
pub(crate) enum Planned<'a> {
    /// Only one by one.
    Never,
    /// Undecided; ask again after the next record.
    NotYet,
    /// From here to the end of the file.
    Now(&'a mut PlanRows),
}

/// A [`Reader`] of delimited text that drives a [`RowReader`].
pub(crate) struct Delimited {
    records: Records,
    /// `None` until it is decided whether records are read by columns.
    columns: Option<Option<Box<ByColumn>>>,
    rows: Box<dyn RowReader>,
    table: TableBuilder,
    /// Rows were handed over.
    gave: bool,
    /// Number of columns beyond [`MOST_COLUMNS`] in the widest record.
    left_out: usize,
}

impl Delimited {
    /// Opens a reader that passes records to `rows`, which fills `table`.
    pub(crate) fn open(rows: impl RowReader + 'static, table: TableBuilder) -> Box<dyn Reader> {
        Box::new(Delimited {
            records: Records::default(),
            columns: None,
            rows: Box::new(rows),
            table,
            gave: false,
            left_out: 0,
        })
    }
}

/// Passes records to `rows`, and counts the columns beyond the limit.
fn take<'t>(
    rows: &'t mut Box<dyn RowReader>,
    table: &'t mut TableBuilder,
    left_out: &'t mut usize,
) -> impl FnMut(&Record<'_>) -> Result<(), ImportError> + 't {
    move |r| {
        *left_out = r.left_out().max(*left_out);
        rows.record(r, table)
    }
}

impl Reader for Delimited {
    fn allow(&mut self, bytes: usize) {
        self.table.most_memory = Some(bytes);
    }

    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let mut rest = text;
        while self.columns.is_none() && !rest.is_empty() {
            match self.rows.planned(self.records.lines()) {
                Planned::Never => self.columns = Some(None),
                Planned::Now(rows) => {
                    self.columns = Some(ByColumn::new(rows).map(Box::new));
                }
                Planned::NotYet => {
                    let line = first_line(rest);
                    let Delimited { records, rows, table, left_out, .. } = self;
                    records.feed(&rest[..line], &mut take(rows, table, left_out))?;
                    rest = &rest[line..];
                }
            }
        }
        let Delimited { records, columns, rows, table, left_out, .. } = self;
        match (columns, rows.planned(records.lines())) {
            (Some(Some(columns)), Planned::Now(rows)) => {
                columns.feed(rest, records, rows, table)?;
            }
            _ => records.feed(rest, &mut take(rows, table, left_out))?,
        }
        fits(table)
    }

    fn part(&mut self) -> Option<TablePart> {
        let part = self.rows.gives_parts().then(|| self.table.part())?;
        self.gave |= part.is_some();
        part
    }

    fn finish(mut self: Box<Self>) -> Result<Ended, ImportError> {
        let Delimited { records, rows, table, left_out, .. } = &mut *self;
        records.finish(&mut take(rows, table, left_out))?;
        if *left_out > 0 {
            let more = plural(*left_out as u64, "column");
            table.note(format!("Left out {more} beyond the first {MOST_COLUMNS}."));
        }
        if self.gave {
            self.rows.remark(&mut self.table);
            return Ok(Ended::Rest(Box::new(self.table.rest())));
        }
        self.rows.end(self.table).map(Ended::Whole)
    }
}

/// A [`Reader`] of a file that is small enough to be read in one piece.
pub(crate) struct Whole<F> {
    text: Vec<u8>,
    most_mib: usize,
    expected: &'static str,
    read: F,
}

impl<F: FnOnce(&str) -> Result<Imported, ImportError> + 'static> Whole<F> {
    /// Opens a reader that calls `read` with the whole text. A text over `most_mib` is not
    /// what is `expected`: an error.
    pub(crate) fn open(most_mib: usize, expected: &'static str, read: F) -> Box<dyn Reader> {
        Box::new(Whole { text: Vec::new(), most_mib, expected, read })
    }
}

impl<F: FnOnce(&str) -> Result<Imported, ImportError>> Reader for Whole<F> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let Whole { most_mib, expected, .. } = self;
        if self.text.len() + text.len() > *most_mib << 20 {
            let message = format!("the file is larger than {most_mib} MiB: expected {expected}");
            return Err(ImportError::new(message));
        }
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Ended, ImportError> {
        (self.read)(&String::from_utf8_lossy(&self.text)).map(Ended::Whole)
    }
}

/// Reads items of a file, driven by [`Pieces`].
pub(crate) trait ItemReader: Sized {
    /// Members whose arrays are streamed by element. The elements of an outermost array always are.
    const ARRAYS: &'static [&'static str];
    /// Read further values after the outermost one, as in files with one array per line or concatenated files.
    const READS_ON: bool = false;
    /// Adds the rows of the next item to the table. Also called for blank lines.
    fn item(&mut self, item: JsonItem<'_>, table: &mut TableBuilder) -> Result<(), ImportError>;
    /// See [`RowReader::end`]. `complete`: the outermost value was closed.
    fn end(self, mut table: TableBuilder, complete: bool) -> Result<Imported, ImportError> {
        note_cut(&mut table, complete);
        Ok(Imported::table(table.finish()))
    }
}

/// Splitter of a text into items.
#[derive(Debug)]
enum Cutter {
    Lines(Lines),
    Json(Scanner),
}

/// A [`Reader`] of lines or JSON that drives an [`ItemReader`].
#[derive(Debug)]
pub(crate) struct Pieces<R> {
    cutter: Cutter,
    reader: R,
    table: TableBuilder,
}

impl<R: ItemReader + 'static> Pieces<R> {
    /// Opens a reader that passes lines to `reader`, which fills `table`.
    pub(crate) fn lines(reader: R, table: TableBuilder) -> Box<dyn Reader> {
        Box::new(Pieces { cutter: Cutter::Lines(Lines::default()), reader, table })
    }

    /// The same for members and elements of JSON.
    pub(crate) fn json(reader: R, table: TableBuilder) -> Box<dyn Reader> {
        Box::new(Pieces {
            cutter: Cutter::Json(Scanner::new(R::ARRAYS).reading_on(R::READS_ON)),
            reader,
            table,
        })
    }
}

fn piece(line: Line<'_>) -> JsonItem<'_> {
    JsonItem {
        key: "",
        element: true,
        value: 0,
        line: line.number,
        text: line.problem.is_none().then_some(line.bytes),
        problem: (line.problem.unwrap_or_default(), line.bytes),
    }
}

impl<R: ItemReader> Reader for Pieces<R> {
    fn allow(&mut self, bytes: usize) {
        self.table.most_memory = Some(bytes);
    }

    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let Pieces { cutter, reader, table } = self;
        match cutter {
            Cutter::Lines(lines) => lines.feed(text, |l| reader.item(piece(l), table))?,
            Cutter::Json(scanner) => scanner.feed(text, &mut |i| reader.item(i, table))?,
        }
        fits(table)
    }

    fn finish(mut self: Box<Self>) -> Result<Ended, ImportError> {
        let Pieces { cutter, reader, table } = &mut *self;
        let complete = match cutter {
            Cutter::Lines(lines) => {
                lines.finish(|l| reader.item(piece(l), table))?;
                true
            }
            Cutter::Json(scanner) => scanner.complete(),
        };
        let behind = match cutter {
            Cutter::Lines(_) => None,
            Cutter::Json(scanner) => scanner.behind(),
        };
        let mut imported = self.reader.end(self.table, complete)?;
        if let (Some(note), Imported::Table(data)) = (behind, &mut imported)
            && let Some(source) = data.sources.first_mut()
        {
            source.notes.push(note);
        }
        Ok(Ended::Whole(imported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportOptions, read_all};
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::build::Row;
    use gemmscope_table::dataset::ColumnMeaning;

    #[test]
    fn columns_beyond_the_limit_are_counted_and_left_out() {
        let read = |text: &str| match read_all("", text.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Table(data)) => *data,
            other => panic!("{other:?}"),
        };
        // The generic reader, and a format with a signature.
        for header in ["M,N,K,dtype,time_us", "provider,M,N,K,dtype,time_us"] {
            let cells = header.replace("M,N,K,dtype,time_us", "512,512,512,bf16,8");
            let more = MOST_COLUMNS + 70 - header.split(',').count();
            let names: String = (0..more).map(|i| format!(",c{i}")).collect();
            let row = format!("{cells}{}\n", ",1".repeat(more));
            let data = read(&format!("{header}{names}\n{row}{row}"));
            assert_eq!((data.len(), data.sources[0].rejected.total()), (2, 0));
            let note = format!("Left out 70 columns beyond the first {MOST_COLUMNS}.");
            let notes = &data.sources[0].notes;
            assert!(notes.contains(&note), "{notes:?}");
            assert!(data.columns.len() <= MOST_COLUMNS);
            let fewer = ",1".repeat(MOST_COLUMNS - header.split(',').count());
            let header = format!("{header}{}", fewer.replace('1', "x"));
            let data = read(&format!("{header}\n{cells}{fewer}\n"));
            assert!(data.sources[0].notes.iter().all(|n| !n.contains("Left out")));
        }
    }

    #[test]
    fn a_table_is_refused_before_memory_runs_out() {
        let mut table = TableBuilder::new();
        let kernel = table.text_column(ColumnMeaning::Kernel, "kernel");
        let op = Operation::uniform(DataType::Fp16);
        for line in 1..=1_000 {
            table.set_text(kernel, format!("kernel {line:043}").as_bytes());
            table.commit(line, b"", Ok(Row::new(1, 1, 1, op, 1.0)));
        }
        // Per row: 34 bytes of values, 112 of derived values, 4 for a code, and a distinct name of 50 bytes.
        let least = 1_000 * (34 + 112 + 4 + 50);
        assert!((least..2 * least).contains(&table.memory()), "{}", table.memory());
        assert!(fits(&table).is_ok());
        table.most_memory = Some(64 << 10);
        let e = fits(&table).unwrap_err();
        assert!(
            e.message.contains("1000 rows and what is computed of them take more than 64.0 KiB"),
            "{e}"
        );
    }
}
