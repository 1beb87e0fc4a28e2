//! Reads the rows of a [`Plan`](crate::columns::plan::Plan) column by column: a batch of whole lines is indexed once,
//! each column of the plan is read in one loop, and runs of valid rows are appended to the table together.
//!
//! Any other line (other width, a comment, quotes that do more than enclose a cell, an unreadable cell) is read
//! as a single record, which produces the error texts. Lines take effect in file order, so the result equals
//! reading them one by one: types and devices, which the table registers on first use, are looked up only once
//! all earlier rows are in the table.

mod combinations;
mod parts;
mod sides;
mod view;

use crate::cell::shape_text;
use crate::columns::plan::Extra;
use crate::columns::plan_rows::PlanRows;
use crate::split::index::{self, Index};
use crate::split::lines::first_line;
use crate::split::records::Records;
use crate::{ImportError, Record, RowReader as _};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::build::cell_text::cell_text;
use gemmscope_table::build::cells::Cells as _;
use gemmscope_table::build::run::RowRun;
use gemmscope_table::dataset::ColumnMeaning;
use sides::{Names, Sides};
use std::ops::Range;
use view::View;

/// Column-wise reader for one plan.
#[derive(Debug, Default)]
pub(crate) struct ByColumn {
    width: usize,
    index: Index,
    /// Per row that may be read by columns: index of its first cell, and its line within the batch.
    first: Vec<u32>,
    lines: Vec<u32>,
    flawed: Vec<bool>,
    sides: Sides,
    bounds: Vec<(u32, u32)>,
}

/// The table that receives rows, and the record reader for lines that cannot be read by columns.
struct Target<'t> {
    planned: &'t mut PlanRows,
    table: &'t mut TableBuilder,
    /// Scratch space for the cell bounds of a record.
    bounds: Vec<(u32, u32)>,
}

impl Target<'_> {
    fn any_record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        self.planned.record(record, self.table)
    }
}

/// Canonical values of the rows of a batch, as far as they are read.
#[derive(Debug, Default)]
struct Rows {
    /// M, N, K and the batch.
    sizes: [Vec<u32>; 4],
    op: Vec<u16>,
    device: Vec<u16>,
    time_s: Vec<f64>,
}

impl Rows {
    /// Resizes all columns to `rows`.
    fn resize(&mut self, rows: usize) {
        for sizes in &mut self.sizes {
            sizes.resize(rows, 1);
        }
        self.op.resize(rows, 0);
        self.device.resize(rows, 0);
        self.time_s.resize(rows, f64::NAN);
    }

    fn run(&self, rows: Range<usize>, line: u32, of_line: u32) -> RowRun<'_> {
        let [m, n, k, batch] = self.sizes.each_ref().map(|s| &s[rows.clone()]);
        RowRun {
            line,
            of_line,
            m,
            n,
            k,
            batch,
            op: &self.op[rows.clone()],
            device: &self.device[rows.clone()],
            time_s: &self.time_s[rows],
        }
    }
}

impl ByColumn {
    /// A reader for these rows; `None` if they must be read one by one.
    pub(crate) fn new(planned: &mut PlanRows) -> Option<Self> {
        let is_plain = planned.is_plain();
        let (plan, _) = planned.plan()?;
        // Grouped GEMMs and totals are rare, and need more cells of a row than the columns at hand.
        let is_rare = plan.col(ColumnMeaning::Groups).is_some() || plan.calls.is_some();
        if plan.width == 0 || is_rare {
            return None;
        }
        let (width, sides) = (plan.width, Sides::of(plan, is_plain)?);
        Some(ByColumn { width, sides, ..ByColumn::default() })
    }

    /// Reads the next slice of the text.
    pub(crate) fn feed(
        &mut self,
        text: &[u8],
        records: &mut Records,
        planned: &mut PlanRows,
        table: &mut TableBuilder,
    ) -> Result<(), ImportError> {
        let mut target = Target { planned, table, bounds: std::mem::take(&mut self.bounds) };
        let mut rest = text;
        while !rest.is_empty() {
            let taken = match records.batch(rest) {
                Some(len) => {
                    self.batch(rest, len, records, &mut target)?;
                    len
                }
                // An unfinished record, or a long line.
                None => {
                    let len = first_line(rest);
                    records.feed_lines(&rest[..len], &mut |r| target.any_record(r))?;
                    len
                }
            };
            rest = &rest[taken..];
        }
        self.bounds = target.bounds;
        Ok(())
    }

    /// Reads the lines in the first `len` bytes of a text.
    fn batch(
        &mut self,
        text: &[u8],
        len: usize,
        records: &mut Records,
        target: &mut Target<'_>,
    ) -> Result<(), ImportError> {
        let lines = &text[..len];
        let heeds_quotes = records.heeds_quotes();
        if memchr::memchr(0, lines).is_some() || !self.index.read(lines, b',', heeds_quotes) {
            return records.feed_lines(lines, &mut |r| target.any_record(r));
        }
        self.choose(text);
        self.read_parts(text);
        let line_before = records.lines();
        let number = |line: usize| {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            line_before.saturating_add(1).saturating_add(line)
        };
        let (mut line, mut row) = (0, 0);
        while line < self.index.len() {
            let end = match target.planned.is_suspended() {
                true => row,
                false => self.end_of_run(line, row),
            };
            let settled = self.settle(text, row..end, number(line), target);
            line += settled;
            row += settled;
            if line == self.index.len() {
                break;
            }
            // Reads one line as a record, and further lines while a quote is open.
            loop {
                let bytes = &text[self.index.line(line)];
                records.line(number(line), bytes, &mut |r| target.any_record(r))?;
                row += usize::from(self.lines.get(row) == Some(&(line as u32)));
                line += 1;
                if line == self.index.len() || !records.is_open() {
                    break;
                }
            }
        }
        records.skip(self.index.len());
        Ok(())
    }

    /// Selects the lines that may be read by columns.
    fn choose(&mut self, text: &[u8]) {
        self.first.clear();
        self.lines.clear();
        let mut odd = self.index.odd().iter().copied().peekable();
        for line in 0..self.index.len() {
            let is_odd = odd.next_if_eq(&(line as u32)).is_some();
            let cells = self.index.cells(line);
            let (from, _) = index::cell(self.index.ends(), cells.start as usize);
            if cells.len() == self.width && !is_odd && text[from as usize] != b'#' {
                self.first.push(cells.start);
                self.lines.push(line as u32);
            }
        }
        self.flawed.clear();
        self.flawed.resize(self.first.len(), false);
    }

    fn read_parts(&mut self, text: &[u8]) {
        let mut sides = std::mem::take(&mut self.sides);
        let mut flawed = std::mem::take(&mut self.flawed);
        sides.read(self.view(text), &mut flawed);
        (self.sides, self.flawed) = (sides, flawed);
    }

    fn view<'a>(&'a self, text: &'a [u8]) -> View<'a> {
        View {
            text,
            ends: self.index.ends(),
            first: &self.first,
            width: self.width,
            quoted: self.index.quoted(),
        }
    }

    /// End of the run of valid rows in consecutive lines that starts at `row` in line `line`.
    fn end_of_run(&self, line: usize, row: usize) -> usize {
        let mut end = row;
        while self.lines.get(end) == Some(&((line + end - row) as u32)) && !self.flawed[end] {
            end += 1;
        }
        end
    }

    /// Appends rows of consecutive lines to the table, up to the first that must be read as a record.
    /// Returns the number appended.
    fn settle(
        &mut self,
        text: &[u8],
        rows: Range<usize>,
        line: u32,
        target: &mut Target<'_>,
    ) -> usize {
        if rows.is_empty() {
            return 0;
        }
        let mut sides = std::mem::take(&mut self.sides);
        let lines = sides.settle(self.view(text), rows, line, target);
        self.sides = sides;
        lines
    }
}

/// Reads rows as records, up to the first flawed one. Returns the number read.
fn settle_records(
    view: View<'_>,
    rows: Range<usize>,
    line: u32,
    settled: &mut Rows,
    target: &mut Target<'_>,
) -> usize {
    let Target { planned, table, bounds, .. } = target;
    for (ahead, at) in rows.clone().enumerate() {
        let record = view.record(at, line.saturating_add(ahead as u32), bounds);
        let Some(row) = planned.row(&record, table).filter(|r| table.admits(r)) else {
            return at;
        };
        let Some(op) = table.op_code(row.op) else {
            return at;
        };
        let sizes = [row.m, row.n, row.k, row.batch];
        for (column, size) in settled.sizes.iter_mut().zip(sizes) {
            column[at] = size;
        }
        settled.op[at] = op;
        settled.device[at] = row.device;
        settled.time_s[at] = row.time_s;
    }
    rows.end
}

/// Stages the cells of the kept columns for the next rows.
fn stage(extras: &[Extra], view: View<'_>, table: &mut TableBuilder) {
    for e in extras {
        match e {
            Extra::Fixed(text, id) => {
                let (places, rows) = ([(0, text.len() as u32)], view.first.len());
                let names = Names { text: text.as_bytes(), places: &places, rows };
                table.set_texts(*id, names);
            }
            Extra::Text(i, id) => table.set_texts(*id, view.column(*i)),
            Extra::Number(i, id, scale) => {
                table.set_numbers(*id, view.column(*i).numbers(*scale));
            }
            Extra::Auto(i, id) => table.set_autos(*id, view.column(*i)),
            Extra::Tile(i, ids) => {
                let cells = view.column(*i);
                for row in 0..cells.len() {
                    let sizes = shape_text::sizes(&cell_text(cells.cell(row)));
                    for (id, size) in ids.iter().zip(sizes) {
                        table.set_number_ahead(*id, row, f64::from(size));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
