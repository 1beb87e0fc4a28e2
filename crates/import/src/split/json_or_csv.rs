//! Reader for results that a tool writes either as JSON or as a table with a header.

use crate::{
    Delimited, Head, Header, ImportError, Imported, ItemReader, Pieces, Reader, Record, RowReader,
};
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;

/// A JSON reader that also reads the lines of the table.
pub(crate) trait Either: ItemReader {
    /// The columns of a header.
    type Cols;
    /// The columns of a header; `None` if the record is not one.
    fn cols(header: &Header) -> Option<Self::Cols>;
    /// Reads the next record below a header. Also called for records with a [`problem`](Record::problem).
    fn record(&mut self, cols: &Self::Cols, record: &Record<'_>, table: &mut TableBuilder);
}

/// Opens a reader: of JSON if the head starts like JSON, else of the table.
pub(crate) fn open<R: Either + 'static>(
    head: &Head,
    reader: R,
    table: TableBuilder,
) -> Box<dyn Reader>
where
    R::Cols: 'static,
{
    if is_json(head) {
        Pieces::json(reader, table)
    } else {
        let lines = Lines { cols: None, first: Vec::new(), before: 0, reader };
        Delimited::open(lines, table)
    }
}

/// True if the head starts like a JSON object.
pub(crate) fn is_json(head: &Head) -> bool {
    head.first().starts_with('{')
}

struct Lines<R: Either> {
    cols: Option<R::Cols>,
    /// First cell of the header, to recognise the next one.
    first: Vec<u8>,
    before: u64,
    reader: R,
}

impl<R: Either> RowReader for Lines<R> {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if self.cols.is_none() || record.get(0) == self.first {
            let cols = R::cols(&Header::new(record));
            if cols.is_some() {
                self.cols = cols;
                self.first = record.get(0).to_vec();
                return Ok(());
            }
        }
        match &self.cols {
            Some(cols) => self.reader.record(cols, record, table),
            None => self.before += 1,
        }
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.before > 0 {
            let note = format!("Skipped {} before the header.", plural(self.before, "line"));
            table.note(note);
        }
        self.reader.end(table, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, ImportOptions, read_all};

    #[test]
    fn a_file_of_two_runs_has_two_headers() {
        for (id, rows) in [("google-benchmark", "BM_Sgemm/64,10,5,5,us\n"), ("nvbench", "")] {
            let format = FORMATS.iter().find(|f| f.id == id).unwrap();
            let once = match rows {
                "" => format.example.to_owned(),
                rows => format!("name,iterations,real_time,cpu_time,time_unit\n{rows}"),
            };
            let text = format!("written by a script\n{once}{once}");
            let read = read_all("", text.as_bytes(), &ImportOptions::default());
            let Ok(Imported::Table(data)) = read else {
                panic!("{id}: {read:?}");
            };
            assert_eq!((data.len(), data.sources[0].rejected.total()), (2, 0), "{id}");
            let notes = data.sources[0].notes.join(" ");
            assert!(notes.contains("1 line before the header"), "{id}: {notes}");
        }
    }
}
