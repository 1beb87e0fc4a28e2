//! Adds runs: rows of consecutive lines whose cells arrive column by column. The result is the same as adding them one
//! by one. Set the cells of the columns first, then call [`TableBuilder::commit_run`].

use super::admit::impossible;
use super::cells::Cells;
use super::column::AutoColumn;
use super::{ColumnId, Row, TableBuilder, Values, gap_fits};

/// Pads an auto column up to row `rows`; false if that needs too many cells.
#[inline]
fn fill(column: &mut AutoColumn, rows: usize, empty_cells: &mut usize) -> bool {
    if column.len() >= rows {
        return true;
    }
    let fits = gap_fits(column.len(), rows, empty_cells);
    if fits {
        column.pad(rows);
    }
    fits
}

/// Canonical columns of a run of rows, each accepted by [`admits`](TableBuilder::admits).
#[derive(Clone, Copy, Debug)]
pub struct RowRun<'a> {
    /// Line of the first row.
    pub line: u32,
    /// Consecutive rows per line.
    pub of_line: u32,
    /// As in [`Row`].
    pub m: &'a [u32],
    /// As in [`Row`].
    pub n: &'a [u32],
    /// As in [`Row`].
    pub k: &'a [u32],
    /// As in [`Row`].
    pub batch: &'a [u32],
    /// Codes from [`TableBuilder::op_code`].
    pub op: &'a [u16],
    /// As in [`Row`].
    pub device: &'a [u16],
    /// As in [`Row`].
    pub time_s: &'a [f64],
}

impl TableBuilder {
    /// True if a row can go into a run: [`commit`](Self::commit) would accept it whatever its columns hold.
    #[inline]
    pub fn admits(&mut self, row: &Row) -> bool {
        // 1 µs is a placeholder if the file's own rate is 0, which is not staged yet.
        let placeholder = row.time_s == 1e-6 && self.reported_rate.is_some();
        // The rows of each group, too.
        let divided = self.group_rows.is_some();
        !placeholder && !divided && impossible(row).is_none() && self.unmeasured(row).is_none()
    }

    /// [`set_text`](Self::set_text) for the rows of a run.
    #[inline]
    pub fn set_texts(&mut self, column: ColumnId, cells: impl Cells) {
        let rows = self.len();
        let empty = &mut self.empty_cells;
        match self.columns.get_mut(column.0).map(|c| &mut c.data) {
            Some(Values::Text(t)) if gap_fits(t.len(), rows, empty) => {
                t.pad(rows);
                t.extend(&cells);
            }
            // Every row pads the column, even if its own cell is empty.
            Some(Values::Auto(a)) => {
                for i in 0..cells.len() {
                    if fill(a, rows + i, empty) {
                        a.set(rows + i, cells.cell(i), None);
                    }
                }
            }
            _ => {}
        }
    }

    /// [`set_number`](Self::set_number) for the rows of a run.
    #[inline]
    pub fn set_numbers(&mut self, column: ColumnId, numbers: impl Iterator<Item = f64>) {
        let rows = self.len();
        if let Some(Values::Number(v)) = self.columns.get_mut(column.0).map(|c| &mut c.data)
            && gap_fits(v.len(), rows, &mut self.empty_cells)
        {
            v.pad(rows);
            v.extend(numbers);
        }
    }

    /// [`set_number`](Self::set_number) for one row of a run, `ahead` rows after its first.
    pub fn set_number_ahead(&mut self, column: ColumnId, ahead: usize, value: f64) {
        let rows = self.len() + ahead;
        if let Some(Values::Number(v)) = self.columns.get_mut(column.0).map(|c| &mut c.data)
            && gap_fits(v.len(), rows, &mut self.empty_cells)
        {
            v.pad(rows);
            v.push(value);
        }
    }

    /// [`set_auto`](Self::set_auto) for the rows of a run, in an
    /// [`auto_column`](Self::auto_column).
    #[inline]
    pub fn set_autos(&mut self, column: ColumnId, cells: impl Cells) {
        let rows = self.len();
        let empty = &mut self.empty_cells;
        if let Some(Values::Auto(a)) = self.columns.get_mut(column.0).map(|c| &mut c.data) {
            a.extend(rows, &cells, |a, row| fill(a, row, empty));
        }
    }

    /// Adds the rows of a run, whose columns already have their cells.
    pub fn commit_run(&mut self, run: &RowRun<'_>) {
        let d = &mut self.data;
        d.m.extend_from_slice(run.m);
        d.n.extend_from_slice(run.n);
        d.k.extend_from_slice(run.k);
        d.batch.extend_from_slice(run.batch);
        d.op.extend_from_slice(run.op);
        d.device.extend_from_slice(run.device);
        d.time_s.extend_from_slice(run.time_s);
        d.source.resize(d.m.len(), 0);
        let rows = run.m.len();
        match run.of_line {
            0 | 1 => d.line.extend((0..).map(|i| run.line.saturating_add(i)).take(rows)),
            n => d.line.extend((0..).map(|i| run.line.saturating_add(i / n)).take(rows)),
        }
    }
}
