//! Parquet files, read as the CSV that their flat columns would be saved as.
//!
//! The `parquet` crate finds the columns and decodes their pages. Decompression is ours (`pages`): a page may not
//! unpack to more than the limit of the file.

mod cells;
mod pages;
mod schema;

use bytes::Bytes;
use cells::{Cells, Kind};
use gemmscope_import::ImportError;
use gemmscope_model::units::{Bytes as Size, grouped, plural};
use pages::Budget;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;

/// Start and end of a Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// Number of rows of each column decoded at a time.
const ROWS: usize = 1024;
/// Bytes of text handed on at a time.
const TEXT: usize = 256 << 10;

/// A column that becomes one of the CSV.
struct Column {
    /// Index of the leaf in a row group.
    leaf: usize,
    /// Kind of its values.
    kind: Kind,
    about: ColumnDescPtr,
}

/// A Parquet file in memory.
pub(super) struct Parquet {
    bytes: Bytes,
    about: ParquetMetaData,
    columns: Vec<Column>,
    /// Names of the columns that are not in the CSV, each with the reason.
    left_out: Vec<(String, &'static str)>,
    rows: u64,
    /// Maximum bytes of unpacked pages in memory, and of text.
    limit: u64,
}

impl Parquet {
    /// Reads the footer of a whole file. `limit` bounds the text, and the bytes unpacked at a time.
    ///
    /// # Errors
    /// A file that is damaged, has no flat column, or claims more rows than fit.
    pub(super) fn open(bytes: Vec<u8>, limit: u64) -> Result<Parquet, ImportError> {
        if bytes.len() < 12 || !bytes.ends_with(MAGIC) {
            return Err(ImportError::new(
                "the Parquet file ends early: it was cut off or is still being written; copy it again",
            ));
        }
        schema::check(&bytes)?;
        let bytes = Bytes::from(bytes);
        let mut reader = ParquetMetaDataReader::new();
        let about = reader.try_parse(&bytes).and_then(|()| reader.finish()).map_err(damaged)?;
        // Each column is read on its own: where they lie over each other, a small file takes long.
        let sizes = about.row_groups().iter().flat_map(|group| group.columns());
        let mut sizes = sizes.map(|column| u64::try_from(column.compressed_size()));
        let packed = sizes.try_fold(0u64, |all, n| all.checked_add(n.ok()?));
        if packed.is_none_or(|packed| packed > bytes.len() as u64) {
            return Err(wrong("its columns take more bytes than it has"));
        }
        let (columns, left_out) = columns(&about);
        let groups = about.row_groups().iter().map(RowGroupMetaData::num_rows);
        let rows = groups.map(u64::try_from).try_fold(0u64, |all, n| all.checked_add(n.ok()?));
        let rows = rows.ok_or_else(|| wrong("its numbers of rows make no sense"))?;
        let file = Parquet { bytes, about, columns, left_out, rows, limit };
        if file.columns.is_empty() {
            let left_out = file.left_out();
            return Err(ImportError::new(format!(
                "the Parquet file has no column of numbers or text{left_out}: write M, N, K and the time as \
                 columns of their own"
            )));
        }
        // Every cell takes at least its separator byte.
        if rows.saturating_mul(file.columns.len() as u64) > limit {
            let size = Size(limit as f64).to_iec();
            return Err(ImportError::new(format!(
                "the Parquet file has {}, whose text takes more than {size}: write fewer rows, or allow more \
                 with --memory of the gemmscope command",
                file.size()
            )));
        }
        Ok(file)
    }

    /// Note for the file's card: its format, and what is left out.
    pub(super) fn note(&self) -> String {
        format!("Parquet: {}{}.", self.size(), self.left_out())
    }

    fn size(&self) -> String {
        let columns = plural(self.columns.len() as u64, "column");
        format!("{}, {columns}", plural(self.rows, "row"))
    }

    fn left_out(&self) -> String {
        let named = |(name, why): &(String, &str)| format!("{name} ({why})");
        let names: Vec<String> = self.left_out.iter().map(named).collect();
        if names.is_empty() { String::new() } else { format!("; left out: {}", names.join(", ")) }
    }

    /// Passes the CSV to `take` in pieces: the names of the columns, then the rows.
    ///
    /// # Errors
    /// A damaged file or unsupported compression; else what `take` returns.
    pub(super) fn csv(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut text = String::new();
        for (i, column) in self.columns.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            push_quoted(&mut text, column.about.name());
        }
        text.push('\n');
        for group in self.about.row_groups() {
            let budget = Budget::new(self.limit);
            let cells = |c: &Column| self.cells(group, c, &budget);
            let mut columns: Vec<_> = self.columns.iter().map(cells).collect::<Result<_, _>>()?;
            // Not negative: `open` added the numbers up.
            let mut left = usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
            while left > 0 {
                let rows = left.min(ROWS);
                for (cells, column) in columns.iter_mut().zip(&self.columns) {
                    if cells.load(rows).map_err(damaged)? != rows {
                        let name = column.about.name();
                        return Err(wrong(&format!("column {name} has too few values")));
                    }
                }
                for row in 0..rows {
                    for (i, cells) in columns.iter_mut().enumerate() {
                        if i > 0 {
                            text.push(',');
                        }
                        cells.push(row, &mut text);
                    }
                    text.push('\n');
                    if text.len() >= TEXT {
                        take(text.as_bytes())?;
                        text.clear();
                    }
                }
                left -= rows;
            }
        }
        take(text.as_bytes())
    }

    /// The values of a column in a row group.
    fn cells(
        &self,
        group: &RowGroupMetaData,
        column: &Column,
        budget: &Arc<Budget>,
    ) -> Result<Box<dyn Cells>, ImportError> {
        let chunk = group.columns().get(column.leaf);
        let chunk = chunk.ok_or_else(|| wrong("a row group lacks a column"))?;
        let pages = pages::open(&self.bytes, chunk, group.num_rows(), budget)?;
        Ok(cells::open(column.about.clone(), column.kind, pages))
    }
}

/// The flat columns with numbers or text, and the others by name, each with the reason why it is left out.
fn columns(about: &ParquetMetaData) -> (Vec<Column>, Vec<(String, &'static str)>) {
    let mut columns = Vec::new();
    let mut left_out: Vec<(String, &'static str)> = Vec::new();
    for (leaf, about) in about.file_metadata().schema_descr().columns().iter().enumerate() {
        let flat = about.path().parts().len() == 1 && about.max_rep_level() == 0;
        let kind = if flat { cells::kind(about) } else { Err("nested") };
        let name = about.path().parts().first().map_or("", String::as_str);
        match kind {
            Ok(kind) => columns.push(Column { leaf, kind, about: about.clone() }),
            // A group has several leaves; list it once.
            Err(_) if left_out.last().is_some_and(|(last, _)| !flat && last == name) => {}
            Err(why) => left_out.push((name.to_owned(), why)),
        }
    }
    (columns, left_out)
}

/// Appends a cell, quoted if necessary (RFC 4180).
fn push_quoted(text: &mut String, cell: &str) {
    if !cell.contains([',', '"', '\n', '\r']) {
        text.push_str(cell);
        return;
    }
    text.push('"');
    for part in cell.split_inclusive('"') {
        text.push_str(part);
        if part.ends_with('"') {
            text.push('"');
        }
    }
    text.push('"');
}

fn wrong(why: &str) -> ImportError {
    ImportError::new(format!("the Parquet file is damaged: {why}; copy it again"))
}

/// An error of the crate, or one of our own that was passed through it.
fn damaged(error: ParquetError) -> ImportError {
    match error {
        ParquetError::External(own) => match own.downcast::<ImportError>() {
            Ok(own) => *own,
            Err(other) => wrong(&other.to_string()),
        },
        ParquetError::General(why) | ParquetError::EOF(why) | ParquetError::NYI(why) => wrong(&why),
        other => wrong(&other.to_string()),
    }
}

/// More bytes than may be in memory at a time.
pub(super) fn too_large(limit: u64) -> ImportError {
    ImportError::new(format!(
        "the Parquet file takes more than {}: allow more with --memory of the gemmscope command",
        Size(limit as f64).to_iec()
    ))
}

/// A page with more values than any tool writes.
fn too_many(values: u64) -> ImportError {
    wrong(&format!("it claims a page of {} values", grouped(values)))
}
