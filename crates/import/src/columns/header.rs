//! The header of a table, and references to its columns.

use crate::Head;
use crate::cell::{CellError, figure, positive, quantity, scaled, size, spread};
use crate::document::title::meaning;
use crate::split::record::Record;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use std::borrow::Cow;

/// A column that a reader uses: position and header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Col {
    /// 0-based position.
    pub index: usize,
    /// Header as spelled in the file.
    pub name: String,
}

/// A rejection that quotes `text`.
pub(crate) fn flaw(reason: impl Into<String>, text: impl Into<String>) -> RowError {
    RowError { text: text.into(), ..RowError::new(reason) }
}

/// A rejection that quotes the record's cell in this column.
#[cold]
pub(crate) fn error_at(column: usize, record: &Record<'_>, reason: impl Into<String>) -> RowError {
    RowError { column: column as u32 + 1, ..flaw(reason, record.text(column)) }
}

impl Col {
    /// The cell of this column.
    #[inline]
    pub(crate) fn cell<'r>(&self, record: &Record<'r>) -> &'r [u8] {
        record.get(self.index)
    }

    /// Parses a size; `what` is its name in the error, such as `M`.
    #[inline]
    pub(crate) fn size(&self, record: &Record<'_>, what: &str) -> Result<u32, RowError> {
        size(self.cell(record)).map_err(|f| self.bad(record, what, f))
    }

    /// Parses a positive number and multiplies it by `scale`; `what` is a [`Quantity::word`]. A unit in the cell takes
    /// precedence over the scale.
    #[inline]
    pub(crate) fn positive(
        &self,
        record: &Record<'_>,
        what: &str,
        scale: f64,
    ) -> Result<f64, RowError> {
        match positive(self.cell(record)) {
            Ok(v) => Ok(scaled(v, scale)),
            Err(flaw) => {
                let other =
                    self.with_more(record, what, scale).filter(|_| flaw == CellError::NotANumber);
                other.ok_or_else(|| self.bad(record, what, flaw))
            }
        }
    }

    /// Parses a number followed by its unit or spread.
    #[cold]
    fn with_more(&self, record: &Record<'_>, what: &str, scale: f64) -> Option<f64> {
        let cell = self.cell(record);
        let of_unit = quantity(cell).filter(|(_, kind)| kind.word() == what).map(|q| q.0);
        let value = of_unit.or_else(|| spread(cell).map(|(v, _)| scaled(v, scale)))?;
        (value > 0.0).then_some(value)
    }

    /// Parses a number and multiplies it by `scale`; NaN if the cell holds none.
    #[inline]
    pub(crate) fn number(&self, record: &Record<'_>, scale: f64) -> f64 {
        let number = record.number(self.index).or_else(|| spread(self.cell(record)).map(|s| s.0));
        number.map_or(f64::NAN, |v| figure(v, scale))
    }

    /// Rejection that names this column and quotes its cell.
    #[cold]
    pub(crate) fn bad(&self, record: &Record<'_>, what: &str, flaw: CellError) -> RowError {
        error_at(self.index, record, flaw.said(what, &self.name))
    }
}

/// Strips a byte order mark; in concatenated files it may occur in any line.
#[inline]
pub(crate) fn without_bom(cell: &[u8]) -> &[u8] {
    cell.strip_prefix("\u{feff}".as_bytes()).unwrap_or(cell)
}

/// Rejection of rows below a second, different header, whose columns are unknown.
pub(crate) fn below_other_header(line: u32) -> RowError {
    RowError::new(format!("another header begins in line {line}"))
}

/// True for the header of a table with sizes or figures: no cell is a number, most are column names, and at least two
/// of these are required by a row.
pub(crate) fn is_titles<C: AsRef<str>>(cells: &[C]) -> bool {
    let filled = || cells.iter().map(|c| bare(c.as_ref())).filter(|c| !c.is_empty());
    // `0.69 ms`, `4096x4096x1024`
    let is_value =
        |c: &str| c.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit());
    if filled().any(is_value) {
        return false;
    }
    let meanings = || filled().map(|c| meaning(c.trim_start_matches('\u{feff}')));
    let of_row = |m: &ColumnMeaning| {
        matches!(m, M | N | K | Mnk | ShapeA | ShapeB | Square | Time | ReportedRate)
    };
    let known = meanings().filter(|m| *m != Other).count();
    known * 2 >= filled().count() && meanings().filter(of_row).count() >= 2
}

/// Drops repetitions of the header from a sample, and all records below a different header.
pub(crate) fn of_one_header(header: &[String], records: &mut Vec<Vec<String>>) {
    let filled = |cells: &[String]| cells.iter().rposition(|c| !c.is_empty()).map_or(0, |i| i + 1);
    let names = &header[..filled(header)];
    let is_same = |cells: &[String]| {
        let of_names = |(a, b): (&String, &String)| {
            without_bom(bare(a).as_bytes()).eq_ignore_ascii_case(without_bom(bare(b).as_bytes()))
        };
        filled(cells) == names.len() && cells.iter().zip(names).all(of_names)
    };
    let mut below_other = false;
    records.retain(|cells| {
        let same = is_same(cells);
        below_other = !same && (below_other || is_titles(cells));
        !same && !below_other
    });
}

/// Trims a name. Most need no trimming and hooks look up several per row, so that case is checked first.
#[inline]
pub(crate) fn bare(name: &str) -> &str {
    let shown = |b: Option<&u8>| b.is_some_and(u8::is_ascii_graphic);
    let bytes = name.as_bytes();
    if shown(bytes.first()) && shown(bytes.last()) { name } else { name.trim() }
}

/// The header of a table. Lookups ignore case and surrounding blanks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Header {
    /// Names as spelled, in file order.
    pub names: Vec<String>,
}

impl Header {
    /// The header that a record holds.
    pub(crate) fn new(record: &Record<'_>) -> Self {
        Header { names: (0..record.len()).map(|i| record.text(i).into_owned()).collect() }
    }

    /// The header in a line of the file's head.
    pub(crate) fn of_line(line: &str) -> Self {
        let names = Head::fields(line).into_iter();
        Header { names: names.map(str::to_owned).collect() }
    }

    /// Position of the column with this name.
    #[inline]
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|have| bare(have).eq_ignore_ascii_case(name))
    }

    /// The column with the first of these names that exists.
    pub(crate) fn find(&self, names: &[&str]) -> Option<Col> {
        names.iter().find_map(|name| {
            self.position(name)
                .map(|index| Col { index, name: self.names[index].trim().to_owned() })
        })
    }

    /// The record's cell below the first of these names that exists; "" if none does.
    pub(crate) fn text<'r>(&self, record: &Record<'r>, names: &[&str]) -> Cow<'r, str> {
        let at = names.iter().find_map(|name| self.position(name));
        at.map_or(Cow::Borrowed(""), |i| record.text(i))
    }

    /// The record's number below the first of these names that exists.
    pub(crate) fn number(&self, record: &Record<'_>, names: &[&str]) -> Option<f64> {
        let at = names.iter().find_map(|name| self.position(name));
        record.number(at?)
    }

    /// True if all names exist.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|n| self.position(n).is_some())
    }

    /// True if the record repeats this header, as in concatenated files.
    #[inline]
    pub(crate) fn is_repeated_by(&self, record: &Record<'_>) -> bool {
        let same = |(i, name): (usize, &String)| {
            without_bom(record.get(i)).eq_ignore_ascii_case(without_bom(bare(name).as_bytes()))
        };
        let width = self.names.len();
        record.len() >= width
            && self.names.iter().enumerate().all(same)
            && (width..record.len()).all(|i| record.get(i).is_empty())
    }
}
