//! Tables of known tools within a document: their cells go to the format that recognises the header.

use super::block::{Table, bare};
use super::dress::markup::HTML;
use super::facts::Facts;
use super::spread::{MATRIX, SPREAD};
use crate::columns::defaults;
use crate::format::has_rows;
use crate::formats::surest_of_cells;
use crate::source::start::HEAD_LINES;
use crate::split::canonical::push_record;
use crate::{Claim, Format, Head, ImportError, ImportOptions, Imported};
use gemmscope_model::hardware::Device;
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::trace;

/// A table that a tool's format claims by its signature.
pub(super) struct KnownTable<'a> {
    pub format: &'static Format,
    pub claim: Claim,
    table: &'a Table,
    /// Its first lines as CSV.
    head: Head,
}

impl<'a> KnownTable<'a> {
    /// Returns the table if a known tool wrote it. A table that is `alone` in an HTML page is also accepted if a format
    /// claims its columns. `name` is the file's name.
    pub(super) fn of(table: &'a Table, name: &str, alone: bool) -> Option<Self> {
        if table.is_log || [SPREAD, MATRIX].contains(&table.dress) {
            return None;
        }
        let lines = csv(table, HEAD_LINES - 1).lines().map(str::to_owned).collect();
        let complete = table.rows.len() < HEAD_LINES;
        let head = Head { name: name.to_owned(), complete, ..Head::of_lines(lines) };
        let (format, claim) = surest_of_cells(&head)?;
        let by_columns = || {
            let of_page = alone && table.dress == HTML && head.beyond_columns().is_none();
            of_page && matches!(claim, Claim::Columns(_))
        };
        (matches!(claim, Claim::Signature(..)) || by_columns()).then_some(())?;
        Some(KnownTable { format, claim, table, head })
    }

    /// Its rows, with their lines in the document; `None` if the format finds none.
    ///
    /// # Errors
    /// If the format rejects the table as a whole.
    pub(super) fn read(self, options: &ImportOptions) -> Result<Option<Imported>, ImportError> {
        let csv = csv(self.table, usize::MAX);
        let mut imported = self.format.read_whole(&self.head, &csv, options)?;
        if !has_rows(&imported, true) {
            return Ok(None);
        }
        if let Imported::Table(data) = &mut imported {
            renumber(data, &self.table.lines);
            let reason = self.claim.reason();
            name_format(data, self.format, &self.head.name, &reason);
        }
        Ok(Some(imported))
    }
}

/// The titles and up to `rows` rows as CSV, one per line. Restores a dropped index, which some tools are recognised by.
fn csv(table: &Table, rows: usize) -> String {
    let written = matches!(table.dress, HTML | "delimited" | "printed" | "printed, with a rule");
    let clean = |cell: &String| if written { cell.clone() } else { bare(cell) };
    let mut out = String::new();
    let mut push = |index: Option<String>, cells: &[String]| {
        let cells: Vec<String> = index.into_iter().chain(cells.iter().map(clean)).collect();
        push_record(&mut out, cells.iter().map(String::as_str), false);
    };
    push(table.index.clone(), &table.titles);
    for (i, row) in table.rows.iter().enumerate().take(rows) {
        push(table.index.is_some().then(|| i.to_string()), row);
    }
    out
}

/// Maps the lines of rows from the table's CSV (first row in line 2) to the document.
fn renumber(data: &mut Dataset, lines: &[u32]) {
    let in_document = |line: &mut u32| {
        let row = line.checked_sub(2).map(|row| row as usize);
        *line = row.and_then(|row| lines.get(row)).copied().unwrap_or(*line);
    };
    data.line.iter_mut().for_each(in_document);
    for source in &mut data.sources {
        source.rejected.lines.iter_mut().for_each(in_document);
        for reason in &mut source.rejected.reasons {
            reason.first_lines.iter_mut().for_each(in_document);
        }
    }
}

/// Sets format and file on sources without one.
fn name_format(data: &mut Dataset, format: &Format, file: &str, reason: &str) {
    for source in data.sources.iter_mut().filter(|s| s.format.is_empty()) {
        source.name = file.to_owned();
        source.format = format.id.to_owned();
        source.format_name = format.name.to_owned();
        source.format_reason = reason.to_owned();
    }
}

/// Combined contents of the tables of known tools.
#[derive(Default)]
pub(super) struct OfTools {
    data: Dataset,
    devices: Vec<Device>,
    context: Option<Box<TraceContext>>,
}

impl OfTools {
    /// Adds the contents of a table. Rows without a device get the one stated around it.
    pub(super) fn add(&mut self, imported: Imported, around: &Facts) {
        match imported {
            Imported::Table(mut data) => {
                if let Some(device) = &around.device {
                    let note = format!("Device from line {}: {}.", device.line, device.value);
                    defaults::name_device(&mut data, &device.value, note);
                }
                self.data.append(*data);
            }
            Imported::Devices(devices) => self.devices.extend(devices),
            Imported::Context(context) => self.context = Some(context),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.data.sources.is_empty() && self.devices.is_empty() && self.context.is_none()
    }

    /// Merges the rows of the other tables. `name` is the file's name.
    pub(super) fn with(mut self, others: TableBuilder, name: &str) -> Imported {
        let nothing_else = others.is_empty();
        let mut others = others.finish();
        if self.is_empty() {
            return Imported::table(others);
        }
        name_format(&mut others, &super::FORMAT, name, "");
        if nothing_else && self.data.sources.is_empty() {
            return match self.context {
                Some(context) => Imported::Context(context),
                None => Imported::Devices(self.devices),
            };
        }
        match self.data.sources.first_mut() {
            Some(first) if nothing_else => {
                first.notes.extend(others.sources.into_iter().flat_map(|s| s.notes));
            }
            _ => self.data.append(others),
        }
        if let Some(context) = &self.context {
            trace::attach(&mut self.data, context);
        }
        if let (Some(first), false) = (self.data.sources.first_mut(), self.devices.is_empty()) {
            let names: Vec<&str> = self.devices.iter().map(|d| d.name.as_str()).collect();
            first.notes.push(format!("Left out a table of devices: {}.", names.join(", ")));
        }
        Imported::table(self.data)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::read;

    const TEXT: &str = "\
        # Ours on the H100\n\n\
        | kernel | backend | precision | n | gops | median_ms |\n|---|---|---|---|---|---|\n\
        | matmul | hip | fp16 | 4096 | 500000 | 0.2749 |\n\n\
        From CUTLASS:\n\n\
        | OperationKind | Operation | Disposition | Status | m | n | k | A | B | C | Runtime |\n\
        |---|---|---|---|---|---|---|---|---|---|---|\n\
        | gemm | d884gemm | passed | success | 128 | 256 | 512 | f64:column | f64:row | f64:column | 0.5 |\n\n\
        By hand, in bf16:\n\n\
        | M | N | K | time (us) |\n|---|---|---|---|\n| 64 | 128 | 256 | 3.5 |\n";

    #[test]
    fn tables_of_several_tools_join_their_rows() {
        let d = read(TEXT);
        let formats: Vec<&str> = d.sources.iter().map(|s| s.format.as_str()).collect();
        assert_eq!(formats, ["gemm-bench", "cutlass", "document"]);
        assert_eq!((&d.source[..], &d.line[..]), (&[0, 1, 2][..], &[5, 11, 17][..]));
        assert_eq!((&d.m[..], d.time_s[1]), (&[4096, 128, 64][..], 0.5e-3));
        // A device stated above a table applies to its rows.
        assert_eq!(d.devices[usize::from(d.device[0])], "H100");
    }
}
