//! The columnar table every view reads: one row is one measured (or listed) GEMM.
//!
//! Canonical columns are plain vectors of one length. Text is dictionary-coded; types, layout
//! and epilogue of a row are one code into [`Dataset::ops`]. Whatever else a file brings is an
//! extra [`Column`]. Every row knows its file and line.

mod append;
mod aside;
mod role;
pub mod wire;

pub use aside::{SetAside, SetAsideReason};
pub use role::Role;

use crate::gemm::{Operation, Problem};
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
    /// Numbers in SI base units where the role has one; NaN is missing.
    Number(Vec<f64>),
}

impl ColumnData {
    /// An empty text column.
    pub fn text() -> Self {
        ColumnData::Text {
            codes: Vec::new(),
            values: vec![String::new()],
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnData::Text { codes, .. } => codes.len(),
            ColumnData::Number(v) => v.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills with "missing" up to `len` rows.
    pub fn pad(&mut self, len: usize) {
        match self {
            ColumnData::Text { codes, .. } => codes.resize(len, 0),
            ColumnData::Number(v) => v.resize(len, f64::NAN),
        }
    }
}

/// A column beyond the canonical ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Stable key in links and exports: the role's name in snake case, or the header text.
    pub key: String,
    /// What the page shows: the header as the file spells it.
    pub label: String,
    /// What it means.
    pub role: Role,
    /// Unit of the numbers ("s", "FLOP/s", "B/s", ""), for labels and export headers.
    pub unit: String,
    /// The values.
    pub data: ColumnData,
}

/// An assumption an importer made, shown on the file's card; `choices` can replace `value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    /// What it is about: `unit:Runtime`, `dtype`, `layout`; the key in `ImportOptions::answers`.
    pub key: String,
    /// The sentence for the reader.
    pub text: String,
    /// What was assumed.
    pub value: String,
    /// What may be chosen instead (empty: free text).
    pub choices: Vec<String>,
}

/// How the file's own rate compares with the recomputed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedCheck {
    /// Rows that carry a rate of their own.
    pub compared: u64,
    /// Of these, within 1 % of work / time.
    pub within_1_percent: u64,
}

/// One imported file (or paste) and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// File name.
    pub name: String,
    /// Size in bytes as read (after gzip).
    pub bytes: u64,
    /// Key in `import::FORMATS`.
    pub format: String,
    /// Format name for people.
    pub format_name: String,
    /// Why this format was taken.
    pub format_reason: String,
    /// Rows (points) in the file: used + set aside.
    pub rows_read: u64,
    /// Rows that became points.
    pub rows_used: u64,
    /// The others.
    pub set_aside: SetAside,
    /// What was assumed and can be changed.
    pub assumptions: Vec<Assumption>,
    /// Remarks: device found in a preamble, other kernels skipped, quirks corrected.
    pub notes: Vec<String>,
    /// Agreement of the file's own rates.
    pub reported_rate: ReportedCheck,
    /// GEMMs whose shape the producer does not know, so that they can be no points: how many and
    /// how much of the time.
    #[serde(default)]
    pub without_model: RowsAndTime,
    /// Rows set aside because another row already holds their time.
    #[serde(default)]
    pub counted_twice: RowsAndTime,
    /// Other operations of the same trace.
    #[serde(default)]
    pub not_gemm: RowsAndTime,
    /// What the other files of the same trace report say.
    #[serde(default)]
    pub trace: Option<Box<crate::trace::TraceContext>>,
}

/// How many rows, and their time over all calls in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsAndTime {
    /// Rows.
    pub rows: u64,
    /// Seconds.
    pub time_s: f64,
}

impl RowsAndTime {
    /// Counts one more row.
    pub fn add(&mut self, time_s: f64) {
        self.rows += 1;
        if time_s.is_finite() {
            self.time_s += time_s;
        }
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
    /// Summed dimension.
    pub k: Vec<u32>,
    /// Independent GEMMs per call.
    pub batch: Vec<u32>,
    /// Code into `ops`.
    pub op: Vec<u16>,
    /// Code into `devices`.
    pub device: Vec<u16>,
    /// Time of one call in seconds; NaN where the row is a shape without a measurement.
    pub time_s: Vec<f64>,
    /// Code into `sources`.
    pub source: Vec<u16>,
    /// 1-based line in the file where the row starts.
    pub line: Vec<u32>,
    /// Everything else.
    pub columns: Vec<Column>,
}

impl Dataset {
    /// An empty dataset.
    pub fn new() -> Self {
        Dataset {
            devices: vec![String::new()],
            ..Dataset::default()
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.m.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.m.is_empty()
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

    /// The column with this role, if a file brought one.
    pub fn role(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|c| c.role == role)
    }

    /// A number of a row by role; NaN where missing.
    pub fn number(&self, role: Role, row: usize) -> f64 {
        match self.role(role).map(|c| &c.data) {
            Some(ColumnData::Number(v)) => v[row],
            _ => f64::NAN,
        }
    }

    /// A text of a row by role; "" where missing.
    pub fn text(&self, role: Role, row: usize) -> &str {
        match self.role(role).map(|c| &c.data) {
            Some(ColumnData::Text { codes, values }) => &values[codes[row] as usize],
            _ => "",
        }
    }

    /// Calls the row stands for (1 where the file does not say).
    pub fn count(&self, row: usize) -> f64 {
        let n = self.number(Role::Count, row);
        if n.is_nan() { 1.0 } else { n }
    }
}
