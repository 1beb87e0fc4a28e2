//! Builds a [`Dataset`] of one source from the rows that a reader pushes: dictionaries, rejected rows, notes,
//! assumptions, and the check of the file's own rates.

mod admit;
pub mod cell_text;
pub mod cells;
pub(crate) mod column;
mod file_remarks;
mod groups;
pub mod intern;
mod parts;
mod rates;
pub mod run;

pub use groups::ROUTING;
pub(crate) use rates::compare_rates;
pub use rates::{compare_rates_by_source, roundings};

use crate::dataset::{
    Assumption, Column, ColumnData, ColumnMeaning, Dataset, RatePoint, Rejected, each_column,
};
use admit::impossible;
use cell_text::RowError;
use column::{AutoColumn, NumberColumn, TextColumn};
use gemmscope_model::gemm::{Operation, Problem};
use std::collections::HashMap;

/// The canonical columns of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// The dimension summed over.
    pub k: u32,
    /// Independent GEMMs per call.
    pub batch: u32,
    /// Types, layout, epilogue.
    pub op: Operation,
    /// Code from [`TableBuilder::device`]; 0 if the file does not name a device.
    pub device: u16,
    /// Time of one call in seconds. NaN only if the file lists shapes without times.
    pub time_s: f64,
}

impl Row {
    /// A row with batch 1 on a device that the file does not name.
    pub fn new(m: u32, n: u32, k: u32, op: Operation, time_s: f64) -> Self {
        Row { m, n, k, batch: 1, op, device: 0, time_s }
    }

    /// The GEMM of the row.
    pub fn problem(&self) -> Problem {
        Problem { m: self.m, n: self.n, k: self.k, batch: self.batch, op: self.op }
    }
}

/// Identifies a column of the table being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnId(usize);

#[derive(Debug)]
enum Values {
    Text(TextColumn),
    Number(NumberColumn),
    Auto(AutoColumn),
}

impl Values {
    #[inline]
    fn len(&self) -> usize {
        match self {
            Values::Text(t) => t.len(),
            Values::Number(v) => v.len(),
            Values::Auto(a) => a.len(),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Values::Text(t) => t.memory(),
            Values::Number(v) => v.memory(),
            Values::Auto(a) => a.memory(),
        }
    }

    fn pad(&mut self, rows: usize) {
        match self {
            Values::Text(t) => t.pad(rows),
            Values::Number(v) => v.pad(rows),
            Values::Auto(a) => a.pad(rows),
        }
    }
}

/// Counts of what [`TableBuilder::part`] has handed over.
#[derive(Debug, Default)]
struct HandedOver {
    rows: usize,
    ops: usize,
    devices: usize,
}

/// Bytes per row without extra columns: five sizes and lines, three codes, a time.
pub(crate) const ROW_BYTES: usize = 5 * 4 + 3 * 2 + 8;

/// Bytes per row of what the page computes: figures on the current and the previous device, positions and colours of
/// marks, orders, groups. Measured: with this the page still works on the largest table that is read.
pub(crate) const COMPUTED_BYTES: usize = 112;

/// Maximum number of remarks on one file.
const MOST_NOTES: usize = 100;

/// Slots in the cache of operations, more than most files need.
const OP_SLOTS: usize = 256;

/// Collects rows. Per row: stage the extra columns with [`set_text`](Self::set_text), [`set_number`](Self::set_number),
/// [`set_auto`](Self::set_auto), then [`commit`](Self::commit). Rejecting a row drops its staged values.
#[derive(Debug, Default)]
pub struct TableBuilder {
    /// The rows not yet handed over; all operations and devices.
    data: Dataset,
    given: HandedOver,
    /// Columns with a value staged for the next row: a few of possibly thousands.
    staged: Vec<ColumnId>,
    /// Keys of columns, with the number to try next if the key is wanted again.
    keys: HashMap<String, u32>,
    /// Columns by meaning and label.
    labels: HashMap<(&'static str, String), Vec<ColumnId>>,
    /// Number of cells padded as missing.
    empty_cells: usize,
    /// Expected number of rows.
    room: usize,
    columns: Vec<Column<Values>>,
    /// Cache of operations: keys and codes, by a few bits of the key.
    recent_ops: Vec<(u128, u16)>,
    op_codes: HashMap<u128, u16>,
    device_codes: HashMap<String, u16>,
    /// Code of the device that the user chose; 0 if none.
    chosen_device: u16,
    rejected: Rejected,
    /// Rows of each group of grouped GEMMs, which the user gave.
    routing: Option<Vec<u32>>,
    /// Highest believable rate by code of the device, FLOP/s; NaN: not looked up.
    limits: Vec<f64>,
    /// Column with the file's own rates.
    reported_rate: Option<usize>,
    /// The column of the rows of each group.
    group_rows: Option<usize>,
    /// Assumptions for the file's card.
    pub assumptions: Vec<Assumption>,
    /// See [`Source::headers`](crate::dataset::Source::headers).
    pub headers: Vec<String>,
    /// Remarks for the file's card.
    pub notes: Vec<String>,
    /// Measurements without sizes.
    pub points: Vec<RatePoint>,
    /// Maximum bytes of the rows; `None` allows [`MOST_MEMORY`](crate::dataset::MOST_MEMORY).
    pub most_memory: Option<usize>,
    not_compared: bool,
}

impl TableBuilder {
    /// An empty table.
    pub fn new() -> Self {
        TableBuilder {
            data: Dataset::new(),
            recent_ops: vec![(0, 0); OP_SLOTS],
            ..TableBuilder::default()
        }
    }

    /// An empty table with capacity for `rows` rows; it may get more or fewer.
    pub fn with_room(rows: usize) -> Self {
        let mut table = TableBuilder::new();
        table.room = rows;
        each_column!(v of table.data => v.reserve_exact(rows));
        table
    }

    /// Rows accepted so far.
    #[inline]
    pub fn len(&self) -> usize {
        self.given.rows + self.data.m.len()
    }

    /// True if no row has been accepted yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows read so far, rejected ones included.
    pub fn rows_read(&self) -> u64 {
        self.len() as u64 + self.rejected.lines.len() as u64
    }

    /// Adds a text column with a meaning; `label` is the header as the file spells it.
    pub fn text_column(&mut self, meaning: ColumnMeaning, label: &str) -> ColumnId {
        let values = Values::Text(TextColumn::with_room(self.room));
        let id = self.column(meaning, label, "", values);
        let of_groups = (meaning == ColumnMeaning::GroupRows).then_some(id.0);
        self.group_rows = self.group_rows.or(of_groups);
        id
    }

    /// Adds a number column with a meaning, in the meaning's SI unit (`ColumnMeaning::unit`).
    pub fn number_column(&mut self, meaning: ColumnMeaning, label: &str) -> ColumnId {
        let values = Values::Number(NumberColumn::with_room(self.room));
        let id = self.column(meaning, label, meaning.unit(), values);
        if meaning == ColumnMeaning::ReportedRate {
            self.reported_rate.get_or_insert(id.0);
        }
        id
    }

    /// Adds a column of unknown kind: a number column if at least 95 % of its cells are numbers, else a text column.
    pub fn auto_column(&mut self, label: &str) -> ColumnId {
        self.column(ColumnMeaning::Other, label, "", Values::Auto(AutoColumn::default()))
    }

    /// Adds a number column without a meaning, in the reader's own unit.
    pub fn extra_number_column(&mut self, label: &str, unit: &str) -> ColumnId {
        self.column(ColumnMeaning::Other, label, unit, Values::Number(NumberColumn::default()))
    }

    /// Stages a text for the next row in the column with this meaning and label, adding the column if needed. For
    /// tables of few columns.
    pub fn stage_text(&mut self, meaning: ColumnMeaning, label: &str, cell: &[u8]) {
        let id = self.labelled(meaning, label);
        let id = id.unwrap_or_else(|| self.text_column(meaning, label));
        self.set_text(id, cell);
    }

    /// Like [`stage_text`](Self::stage_text), for a number in the meaning's SI unit.
    pub fn stage_number(&mut self, meaning: ColumnMeaning, label: &str, value: f64) {
        let id = self.labelled(meaning, label);
        let id = id.unwrap_or_else(|| self.number_column(meaning, label));
        self.set_number(id, value);
    }

    /// Like [`stage_text`](Self::stage_text), for a number without a meaning, in the reader's own unit.
    pub fn stage_extra(&mut self, label: &str, unit: &str, value: f64) {
        let id = self.labelled(ColumnMeaning::Other, label);
        let id = id.unwrap_or_else(|| self.extra_number_column(label, unit));
        self.set_number(id, value);
    }

    fn labelled(&self, meaning: ColumnMeaning, label: &str) -> Option<ColumnId> {
        self.columns.iter().position(|c| c.meaning == meaning && c.label == label).map(ColumnId)
    }

    /// Adds a column with this key, label, meaning, unit and kind; ignores its data.
    pub fn add_column(&mut self, column: Column) -> ColumnId {
        let values = match column.data {
            ColumnData::Text { .. } => Values::Text(TextColumn::default()),
            ColumnData::Number(_) => Values::Number(NumberColumn::default()),
        };
        self.push(&column.key, column.meaning, &column.label, &column.unit, values)
    }

    /// Adds a column with this key, or with the key and a number if it is taken.
    fn push(
        &mut self,
        key: &str,
        meaning: ColumnMeaning,
        label: &str,
        unit: &str,
        values: Values,
    ) -> ColumnId {
        let id = ColumnId(self.columns.len());
        let key = free_key(&mut self.keys, key);
        self.labels.entry((meaning.id(), label.trim().to_owned())).or_default().push(id);
        let (label, unit) = (label.to_owned(), unit.to_owned());
        self.columns.push(Column { key, label, meaning, unit, data: values });
        id
    }

    /// The `nth` column so far with this meaning and label.
    pub fn known_column(
        &self,
        meaning: ColumnMeaning,
        label: &str,
        nth: usize,
    ) -> Option<ColumnId> {
        let key = (meaning.id(), label.trim().to_owned());
        self.labels.get(&key)?.get(nth).copied()
    }

    /// True if padding missing cells would take too much memory, with many columns each filled in few rows. Further
    /// cells are then dropped, so the table is incomplete.
    pub fn is_too_sparse(&self) -> bool {
        self.empty_cells > Self::MOST_EMPTY
    }

    /// Approximate size in bytes, including what the page computes from the rows.
    pub fn memory(&self) -> usize {
        let of_columns = self.columns.iter().map(|c| c.data.memory());
        // Rows already handed over are not counted here.
        self.len() * (ROW_BYTES + COMPUTED_BYTES)
            + of_columns.sum::<usize>()
            + self.rejected.memory()
    }

    /// Maximum number of padded cells.
    pub const MOST_EMPTY: usize = 64 << 20;

    /// Pads a column up to `rows` rows; false if that needs too many cells.
    #[cold]
    fn pad(&mut self, column: usize, rows: usize) -> bool {
        let Some(c) = self.columns.get_mut(column) else {
            return false;
        };
        let fits = gap_fits(c.data.len(), rows, &mut self.empty_cells);
        if fits {
            c.data.pad(rows);
        }
        fits
    }

    fn column(
        &mut self,
        meaning: ColumnMeaning,
        label: &str,
        unit: &str,
        values: Values,
    ) -> ColumnId {
        let wanted = match meaning {
            ColumnMeaning::Other => label.trim(),
            meaning => meaning.id(),
        };
        let wanted = if wanted.is_empty() { "column" } else { wanted };
        self.push(wanted, meaning, label.trim(), unit, values)
    }

    /// The column, padded up to the next row; `None` if that needs too many cells.
    #[inline]
    fn place(&mut self, column: ColumnId) -> Option<&mut Values> {
        let rows = self.len();
        self.staged.push(column);
        if self.columns.get(column.0)?.data.len() < rows && !self.pad(column.0, rows) {
            return None;
        }
        self.columns.get_mut(column.0).map(|c| &mut c.data)
    }

    /// Stages a text for the next row.
    #[inline]
    pub fn set_text(&mut self, column: ColumnId, cell: &[u8]) {
        let rows = self.len();
        match self.place(column) {
            Some(Values::Text(t)) => t.set(rows, cell),
            Some(Values::Auto(a)) => a.set(rows, cell, None),
            _ => {}
        }
    }

    /// Sets a text of the last row, unless it has one there or was already handed over.
    pub fn amend_text(&mut self, column: ColumnId, cell: &[u8]) {
        let Some(last) = self.len().checked_sub(1) else { return };
        let has_none = |c: &Column<Values>| c.data.len() <= last;
        if self.columns.get(column.0).is_some_and(has_none)
            && self.pad(column.0, last)
            && let Some(Values::Text(t)) = self.columns.get_mut(column.0).map(|c| &mut c.data)
        {
            t.set(last, cell);
        }
    }

    /// Stages a number for the next row; NaN is missing.
    #[inline]
    pub fn set_number(&mut self, column: ColumnId, value: f64) {
        let rows = self.len();
        if let Some(Values::Number(v)) = self.place(column) {
            v.set(rows, value);
        }
    }

    /// Stages a cell of an [`auto_column`](Self::auto_column); `number` is the cell parsed as a number.
    #[inline]
    pub fn set_auto(&mut self, column: ColumnId, cell: &[u8], number: Option<f64>) {
        if cell.is_empty() {
            return;
        }
        let rows = self.len();
        match self.place(column) {
            Some(Values::Auto(a)) => a.set(rows, cell, number),
            Some(Values::Text(t)) => t.set(rows, cell),
            Some(Values::Number(v)) => v.set(rows, number.unwrap_or(f64::NAN)),
            None => {}
        }
    }

    /// Adds the row that starts at this line, or rejects it and keeps its text.
    #[inline]
    pub fn commit(&mut self, line: u32, raw: &[u8], row: Result<Row, RowError>) {
        let row = match row.and_then(|row| self.routed(row)) {
            Ok(row) => row,
            Err(error) => return self.reject(line, raw, &error),
        };
        if let Some(reason) = impossible(&row).or_else(|| self.unmeasured(&row)) {
            return self.reject(line, raw, &RowError::new(reason));
        }
        let Some(op) = self.op_code(row.op) else {
            let error = RowError::new("more than 65535 combinations of types and layout");
            return self.reject(line, raw, &error);
        };
        let d = &mut self.data;
        d.m.push(row.m);
        d.n.push(row.n);
        d.k.push(row.k);
        d.batch.push(row.batch);
        d.op.push(op);
        d.device.push(row.device);
        d.time_s.push(row.time_s);
        d.source.push(0);
        d.line.push(line);
        self.staged.clear();
    }

    /// Code of the operation of a row that can be added; `None` if there are too many.
    #[inline]
    pub fn op_code(&mut self, op: Operation) -> Option<u16> {
        let key = op.key();
        let hash = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (hash >> 40) as usize % OP_SLOTS;
        match self.recent_ops.get(slot) {
            Some(&(known, code)) if known == key => Some(code),
            _ => {
                let code = self.find_or_add_op(op, key)?;
                if let Some(seen) = self.recent_ops.get_mut(slot) {
                    *seen = (key, code);
                }
                Some(code)
            }
        }
    }

    fn find_or_add_op(&mut self, op: Operation, key: u128) -> Option<u16> {
        if let Some(&code) = self.op_codes.get(&key) {
            return Some(code);
        }
        let code = u16::try_from(self.data.ops.len()).ok()?;
        self.data.ops.push(op);
        self.op_codes.insert(key, code);
        Some(code)
    }

    /// Rejects a record and drops the values staged for it.
    #[cold]
    pub fn reject(&mut self, line: u32, raw: &[u8], error: &RowError) {
        let rows = self.len();
        for column in self.staged.drain(..) {
            match self.columns.get_mut(column.0).map(|c| &mut c.data) {
                Some(Values::Text(t)) => t.truncate(rows),
                Some(Values::Number(v)) => v.truncate(rows),
                Some(Values::Auto(a)) => a.truncate(rows),
                None => {}
            }
        }
        let offending = (error.column > 0).then_some((error.column, error.text.as_str()));
        self.rejected.push(line, &error.reason, offending, raw);
    }
}

/// Counts the cells missing between the end of a column of `len` rows and row `rows`; false if there are too many to
/// pad.
#[inline]
fn gap_fits(len: usize, rows: usize, empty_cells: &mut usize) -> bool {
    if len >= rows {
        return true;
    }
    *empty_cells += rows - len;
    *empty_cells <= TableBuilder::MOST_EMPTY
}

/// The wanted key, with a number appended if it is taken.
pub(crate) fn free_key(keys: &mut HashMap<String, u32>, wanted: &str) -> String {
    let mut n = match keys.get(wanted) {
        None => {
            keys.insert(wanted.to_owned(), 2);
            return wanted.to_owned();
        }
        Some(n) => *n,
    };
    loop {
        let key = format!("{wanted} ({n})");
        n += 1;
        if !keys.contains_key(&key) {
            keys.insert(wanted.to_owned(), n);
            keys.insert(key.clone(), 2);
            return key;
        }
    }
}

#[cfg(test)]
mod tests;
