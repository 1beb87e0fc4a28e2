//! The columnar table that every view reads: one row is one measured (or listed) GEMM.
//!
//! Canonical columns are plain vectors of equal length. Text is dictionary-coded; types, layout and epilogue of a row
//! are one code into [`Dataset::ops`]. Everything else in a file is an extra [`Column`]. Every row has its file and
//! line.

/// Repeats an expression for each canonical column: `each_column!(v of data => v.clear())`. This is the only list of
/// them, in the order in which they are transferred. Can walk two tables side by side; `name` is the column's name.
macro_rules! each_column {
    ($v:ident of $data:expr => $do:expr) => {
        each_column!(@one [m n k batch op device time_s source line] _name, $v, $data, $do)
    };
    ($name:ident, $v:ident of $data:expr => $do:expr) => {
        each_column!(@one [m n k batch op device time_s source line] $name, $v, $data, $do)
    };
    ($v:ident of $data:expr, $w:ident of $other:expr => $do:expr) => {
        each_column!(@two [m n k batch op device time_s source line] $v, $data, $w, $other, $do)
    };
    (@one [$($field:ident)*] $name:ident, $v:ident, $data:expr, $do:expr) => {
        $({
            let ($name, $v) = (stringify!($field), &mut $data.$field);
            $do;
        })*
    };
    (@two [$($field:ident)*] $v:ident, $data:expr, $w:ident, $other:expr, $do:expr) => {
        $({
            let ($v, $w) = (&mut $data.$field, &mut $other.$field);
            $do;
        })*
    };
}
pub(crate) use each_column;

mod about;
mod append;
mod assembly;
mod capture;
mod column_meaning;
mod column_spec;
mod library;
mod rate_point;
mod rejected;
mod run_info;
mod source;
mod trace_context;
pub mod wire;

pub(crate) use append::Joiner;
pub(crate) use assembly::Tail;
pub use assembly::{
    Assembly, MOST_MEMORY, MOST_TOGETHER, Rest, TablePart, too_large, too_large_together,
};
pub use capture::Capture;
pub use column_meaning::{ColumnGroup, ColumnMeaning};
pub use column_spec::{ColumnSpec, ColumnUnit, UnknownMeaning};
pub use library::{LIBRARIES, library_name};
pub use rate_point::RatePoint;
pub use rejected::{RejectReason, Rejected};
pub use run_info::RunInfo;
pub use source::{Assumption, ReportedCheck, RowsAndTime, Source, longest_first};
pub use trace_context::{
    CallStack, CategoryTime, MEASURED, ReportedFigures, ReportedOperation, TraceContext,
    UnfusedAttention,
};

use crate::group::mix;
use gemmscope_model::gemm::{Operation, Problem, parse_rows};
use serde::{Deserialize, Serialize};

/// Values of an extra column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// Codes into `values`; code 0 is always the empty text (missing).
    Text {
        /// One code per row.
        codes: Vec<u32>,
        /// Distinct values, `values[0] == ""`.
        values: Vec<String>,
    },
    /// Numbers, in SI base units if the meaning has a unit; NaN is missing.
    Number(Vec<f64>),
}

impl ColumnData {
    /// An empty text column.
    pub(crate) fn text() -> Self {
        ColumnData::Text { codes: Vec::new(), values: vec![String::new()] }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnData::Text { codes, .. } => codes.len(),
            ColumnData::Number(v) => v.len(),
        }
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Pads with "missing" up to `len` rows.
    pub(crate) fn pad(&mut self, len: usize) {
        match self {
            ColumnData::Text { codes, .. } => codes.resize(len, 0),
            ColumnData::Number(v) => v.resize(len, f64::NAN),
        }
    }
}

/// A column beyond the canonical ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column<D = ColumnData> {
    /// Stable key in links and exports: the id of its meaning, or the header text.
    pub key: String,
    /// Title on the page: the header as the file spells it.
    pub label: String,
    /// What it means.
    pub meaning: ColumnMeaning,
    /// Unit of the numbers ("s", "FLOP/s", "B/s", ""), for labels and export headers.
    pub unit: String,
    /// The values.
    pub data: D,
}

impl<D> Column<D> {
    /// Replaces the values and returns the old ones too.
    pub(crate) fn replace<T>(self, data: T) -> (Column<T>, D) {
        let Column { key, label, meaning, unit, data: own } = self;
        (Column { key, label, meaning, unit, data }, own)
    }

    /// A copy of the column with other values.
    pub(crate) fn with<T>(&self, data: T) -> Column<T> {
        let (key, label, unit) = (self.key.clone(), self.label.clone(), self.unit.clone());
        Column { key, label, meaning: self.meaning, unit, data }
    }
}

/// All rows of all loaded files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// The files; `source` holds indices into it.
    pub sources: Vec<Source>,
    /// Distinct operations; `op` holds indices into it.
    pub ops: Vec<Operation>,
    /// Distinct device names as the files state them; index 0 is "" (not stated).
    pub devices: Vec<String>,
    /// Rows of A and C.
    pub m: Vec<u32>,
    /// Columns of B and C.
    pub n: Vec<u32>,
    /// The dimension summed over.
    pub k: Vec<u32>,
    /// Independent GEMMs per call.
    pub batch: Vec<u32>,
    /// Code into `ops`.
    pub op: Vec<u16>,
    /// Code into `devices`.
    pub device: Vec<u16>,
    /// Time of one call in seconds; NaN if the row is a shape without a measurement.
    pub time_s: Vec<f64>,
    /// Code into `sources`.
    pub source: Vec<u16>,
    /// 1-based line in the file where the row starts.
    pub line: Vec<u32>,
    /// All other columns.
    pub columns: Vec<Column>,
}

impl Dataset {
    /// Maximum number of device names, including "not stated" and excluding [`FURTHER_DEVICE`](Self::FURTHER_DEVICE):
    /// each is matched with the catalogue and has its own roofs.
    pub(crate) const MOST_DEVICES: usize = 4096;
    /// Device name of rows beyond [`MOST_DEVICES`](Self::MOST_DEVICES). The catalogue has no such device, so these rows
    /// get no roof, rather than that of the device chosen for rows without a name.
    pub(crate) const FURTHER_DEVICE: &str = "another device";

    /// The note on devices beyond [`MOST_DEVICES`](Self::MOST_DEVICES): `of` names the file ("" if it is the only one),
    /// `rows` the rows concerned.
    pub(crate) fn further_devices(of: &str, rows: &str) -> String {
        let (most, name) = (Self::MOST_DEVICES - 1, Self::FURTHER_DEVICE);
        format!("More than {most} device names{of}: {rows} of the further ones have \"{name}\".")
    }

    /// An empty dataset.
    pub fn new() -> Self {
        Dataset { devices: vec![String::new()], ..Dataset::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.m.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.m.is_empty()
    }

    /// Measurements without sizes, of all files.
    pub fn points(&self) -> impl Iterator<Item = &RatePoint> {
        self.sources.iter().flat_map(|source| &source.points)
    }

    /// True if there is nothing to draw: no rows and no measurements without sizes.
    pub fn is_blank(&self) -> bool {
        self.is_empty() && self.points().next().is_none()
    }

    /// By device: true if a row or a measurement without sizes has it.
    pub fn devices_used(&self) -> Vec<bool> {
        let mut used = vec![false; self.devices.len()];
        // Consecutive rows mostly share a device.
        let mut last = None;
        for &code in &self.device {
            if last != Some(code) {
                used[usize::from(code)] = true;
                last = Some(code);
            }
        }
        for point in self.points() {
            if let Some(code) = self.devices.iter().position(|name| *name == point.device) {
                used[code] = true;
            }
        }
        used
    }

    /// A hash of M, N, K and batch of a row.
    pub fn sizes_hash(&self, r: usize) -> u64 {
        let hash = mix(0x9e37_79b9, u64::from(self.m[r]) | u64::from(self.n[r]) << 32);
        mix(hash, u64::from(self.k[r]) | u64::from(self.batch[r]) << 32)
    }

    /// True if two rows are the same GEMM on the same device: sizes, types, layout.
    pub fn same_gemm(&self, a: usize, b: usize) -> bool {
        self.m[a] == self.m[b]
            && self.n[a] == self.n[b]
            && self.k[a] == self.k[b]
            && self.batch[a] == self.batch[b]
            && self.op[a] == self.op[b]
            && self.device[a] == self.device[b]
    }

    /// See [`Source::is_column_major`].
    pub fn is_column_major(&self, row: usize) -> bool {
        self.sources.get(usize::from(self.source[row])).is_some_and(Source::is_column_major)
    }

    /// The GEMM of a row.
    pub fn problem(&self, row: usize) -> Problem {
        Problem {
            m: self.m[row],
            n: self.n[row],
            k: self.k[row],
            batch: self.batch[row],
            op: self.ops[self.op[row] as usize],
        }
    }

    /// Sets the device of the rows of one source that state none.
    pub fn state_device(&mut self, source: usize, name: &str) {
        let known = self.devices.iter().position(|d| d == name);
        let code = known.unwrap_or(self.devices.len().min(Self::MOST_DEVICES));
        if code == self.devices.len() {
            let full = code == Self::MOST_DEVICES;
            self.devices.push(if full { Self::FURTHER_DEVICE } else { name }.to_owned());
        }
        for (device, from) in self.device.iter_mut().zip(&self.source) {
            if usize::from(*from) == source && *device == 0 {
                *device = code as u16;
            }
        }
    }

    /// By entry of [`devices`](Self::devices): true if no file states it and a reader guessed it from a file name or
    /// format.
    pub fn implied_devices(&self) -> Vec<bool> {
        let guess = |s: &Source| {
            let device = s.assumptions.iter().find(|a| a.key == "device");
            let name = device.filter(|a| !a.by_hand).map(|a| a.value.as_str())?;
            self.devices.iter().position(|d| d == name && !d.is_empty())
        };
        let guesses: Vec<Option<usize>> = self.sources.iter().map(guess).collect();
        let mut implied = vec![false; self.devices.len()];
        for &device in guesses.iter().flatten() {
            implied[device] = true;
        }
        if implied.contains(&true) {
            // Another file may state the same device.
            for (device, source) in self.device.iter().zip(&self.source) {
                let device = usize::from(*device);
                if guesses.get(usize::from(*source)) != Some(&Some(device)) {
                    implied[device] = false;
                }
            }
        }
        implied
    }

    /// True if some operation is a grouped GEMM.
    pub fn has_groups(&self) -> bool {
        self.ops.iter().any(|op| op.groups.is_some())
    }

    /// Rows of each group of a grouped GEMM, where the file lists them.
    pub fn group_rows(&self, row: usize) -> Option<Vec<u32>> {
        parse_rows(self.text(ColumnMeaning::GroupRows, row))
    }

    /// The column with this meaning, if there is one.
    pub fn column(&self, meaning: ColumnMeaning) -> Option<&Column> {
        self.columns.iter().find(|c| c.meaning == meaning)
    }

    /// Values of the number column with this meaning, by row; NaN is missing.
    pub fn numbers(&self, meaning: ColumnMeaning) -> Option<&[f64]> {
        match &self.column(meaning)?.data {
            ColumnData::Number(values) => Some(values),
            ColumnData::Text { .. } => None,
        }
    }

    /// Codes of the text column with this meaning, by row.
    pub fn codes(&self, meaning: ColumnMeaning) -> Option<&[u32]> {
        match &self.column(meaning)?.data {
            ColumnData::Text { codes, .. } => Some(codes),
            ColumnData::Number(_) => None,
        }
    }

    /// Number of a row by meaning; NaN if missing.
    pub fn number(&self, meaning: ColumnMeaning, row: usize) -> f64 {
        self.numbers(meaning).map_or(f64::NAN, |v| v[row])
    }

    /// Text of a row by meaning; "" if missing.
    pub fn text(&self, meaning: ColumnMeaning, row: usize) -> &str {
        match self.column(meaning).map(|c| &c.data) {
            Some(ColumnData::Text { codes, values }) => &values[codes[row] as usize],
            _ => "",
        }
    }

    /// The first non-empty text of a row among these meanings, else "".
    pub fn first_text(&self, meanings: &[ColumnMeaning], row: usize) -> &str {
        let texts = meanings.iter().map(|meaning| self.text(*meaning, row));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or("")
    }

    /// Calls that the row stands for (1 if the file does not say).
    pub fn count(&self, row: usize) -> f64 {
        let n = self.number(ColumnMeaning::Count, row);
        if n.is_nan() { 1.0 } else { n }
    }
}
