//! The columnar table every view reads: one row is one measured (or listed) GEMM.
//!
//! Canonical columns are plain vectors of one length. Text is dictionary-coded; types, layout
//! and epilogue of a row are one code into [`Dataset::ops`]. Whatever else a file brings is an
//! extra [`Column`]. Every row knows its file and line.

mod aside;
pub mod wire;

use crate::gemm::{Operation, Problem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an extra column means, where gemmscope knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Name of the kernel or solution that ran.
    Kernel,
    /// Library or backend: hipBLASLt, cuBLAS, Triton.
    Library,
    /// Model or workload the shape belongs to.
    Model,
    /// Operation name in a trace: `aten::mm`.
    OpName,
    /// The producer's own verdict on the row, kept as text.
    Status,
    /// Calls of this GEMM that the row stands for (1 where absent).
    Count,
    /// Tile height over M (BM).
    TileM,
    /// Tile width over N (BN).
    TileN,
    /// Tile depth over K (BK).
    TileK,
    /// Split-K factor.
    SplitK,
    /// Software pipeline stages.
    Stages,
    /// Warps or waves per workgroup.
    Warps,
    /// Workgroups that were launched.
    Workgroups,
    /// The file's own rate, FLOP/s.
    ReportedRate,
    /// The file's own bandwidth, byte/s.
    ReportedBandwidth,
    /// The file's own arithmetic intensity, FLOP/byte.
    ReportedIntensity,
    /// The file's own work, FLOP.
    ReportedWork,
    /// The file's own bytes moved.
    ReportedBytes,
    /// The file's own percentage of a roof, as a fraction.
    ReportedEfficiency,
    /// Bytes measured by hardware counters.
    MeasuredBytes,
    /// Clock in Hz while the row was measured.
    MeasuredClock,
    /// Standard deviation of the time, seconds.
    TimeStd,
    /// Shortest time, seconds.
    TimeMin,
    /// Longest time, seconds.
    TimeMax,
    /// Position in a tuning history: generation, iteration.
    Order,
    /// Repetition number of one configuration.
    Repeat,
    /// Anything else the file brought.
    Other,
}

impl Role {
    /// Every role but [`Role::Other`].
    pub const ALL: [Role; 26] = [
        Role::Kernel,
        Role::Library,
        Role::Model,
        Role::OpName,
        Role::Status,
        Role::Count,
        Role::TileM,
        Role::TileN,
        Role::TileK,
        Role::SplitK,
        Role::Stages,
        Role::Warps,
        Role::Workgroups,
        Role::ReportedRate,
        Role::ReportedBandwidth,
        Role::ReportedIntensity,
        Role::ReportedWork,
        Role::ReportedBytes,
        Role::ReportedEfficiency,
        Role::MeasuredBytes,
        Role::MeasuredClock,
        Role::TimeStd,
        Role::TimeMin,
        Role::TimeMax,
        Role::Order,
        Role::Repeat,
    ];

    /// Key of the column with this role: the variant in snake case.
    pub fn id(self) -> &'static str {
        match self {
            Role::Kernel => "kernel",
            Role::Library => "library",
            Role::Model => "model",
            Role::OpName => "op_name",
            Role::Status => "status",
            Role::Count => "count",
            Role::TileM => "tile_m",
            Role::TileN => "tile_n",
            Role::TileK => "tile_k",
            Role::SplitK => "split_k",
            Role::Stages => "stages",
            Role::Warps => "warps",
            Role::Workgroups => "workgroups",
            Role::ReportedRate => "reported_rate",
            Role::ReportedBandwidth => "reported_bandwidth",
            Role::ReportedIntensity => "reported_intensity",
            Role::ReportedWork => "reported_work",
            Role::ReportedBytes => "reported_bytes",
            Role::ReportedEfficiency => "reported_efficiency",
            Role::MeasuredBytes => "measured_bytes",
            Role::MeasuredClock => "measured_clock",
            Role::TimeStd => "time_std",
            Role::TimeMin => "time_min",
            Role::TimeMax => "time_max",
            Role::Order => "order",
            Role::Repeat => "repeat",
            Role::Other => "other",
        }
    }

    /// SI unit of the numbers of this role, "" where they are pure numbers or text.
    pub fn unit(self) -> &'static str {
        match self {
            Role::ReportedRate => "FLOP/s",
            Role::ReportedBandwidth => "B/s",
            Role::ReportedIntensity => "FLOP/B",
            Role::ReportedWork => "FLOP",
            Role::ReportedBytes | Role::MeasuredBytes => "B",
            Role::MeasuredClock => "Hz",
            Role::TimeStd | Role::TimeMin | Role::TimeMax => "s",
            _ => "",
        }
    }

    /// The values are text.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Role::Kernel | Role::Library | Role::Model | Role::OpName | Role::Status
        )
    }
}

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

/// Why rows were set aside, and how many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetAsideReason {
    /// Short, stable sentence: `time is zero (mean_microseconds)`.
    pub text: String,
    /// Rows with this reason.
    pub count: u64,
    /// The first few line numbers.
    pub first_lines: Vec<u32>,
    /// Column (1-based) and offending text of the first such row.
    pub example: Option<(u32, String)>,
}

/// Rows that are no points: kept, counted, with line and reason. Their text is kept up to a
/// bound, so that a million bad rows do not cost more than the file itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetAside {
    /// Distinct reasons, most frequent last in file order; index is the code.
    pub reasons: Vec<SetAsideReason>,
    /// Line of each row.
    #[serde(skip)]
    pub lines: Vec<u32>,
    /// Reason of each row.
    #[serde(skip)]
    pub codes: Vec<u16>,
    /// Raw text of the rows, one after another, up to [`SetAside::TEXT_LIMIT`] bytes.
    #[serde(skip)]
    pub text: Vec<u8>,
    /// End of each kept row in `text`; shorter than `lines` once the limit is reached.
    #[serde(skip)]
    pub text_ends: Vec<u32>,
}

impl SetAside {
    /// Bytes of raw rows that are kept for download.
    pub const TEXT_LIMIT: usize = 32 << 20;

    /// Rows set aside.
    pub fn total(&self) -> u64 {
        self.reasons.iter().map(|r| r.count).sum()
    }

    /// Records one row. `column` is 1-based.
    pub fn push(&mut self, line: u32, reason: &str, offending: Option<(u32, &str)>, raw: &[u8]) {
        let code = match self.reasons.iter().position(|r| r.text == reason) {
            Some(i) => i,
            None => {
                self.reasons.push(SetAsideReason {
                    text: reason.to_owned(),
                    count: 0,
                    first_lines: Vec::new(),
                    example: offending.map(|(c, t)| (c, t.chars().take(80).collect())),
                });
                self.reasons.len() - 1
            }
        };
        let entry = &mut self.reasons[code];
        entry.count += 1;
        if entry.first_lines.len() < 8 {
            entry.first_lines.push(line);
        }
        self.lines.push(line);
        self.codes.push(u16::try_from(code).unwrap_or(u16::MAX));
        if self.text_ends.len() + 1 == self.lines.len()
            && self.text.len() + raw.len() <= Self::TEXT_LIMIT
        {
            self.text.extend_from_slice(raw);
            self.text_ends
                .push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
    }

    /// Raw text of the `i`-th row, where it was kept.
    pub fn raw(&self, i: usize) -> Option<&[u8]> {
        let end = *self.text_ends.get(i)? as usize;
        let start = if i == 0 {
            0
        } else {
            self.text_ends[i - 1] as usize
        };
        self.text.get(start..end)
    }
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

    /// Adds the rows of another dataset, uniting dictionaries. Columns are united by key and
    /// kind; a column that one side lacks is filled with "missing".
    pub fn append(&mut self, other: Dataset) {
        if self.is_empty() && self.sources.is_empty() {
            *self = other;
            if self.devices.is_empty() {
                self.devices.push(String::new());
            }
            return;
        }
        let old_len = self.len();
        let new_len = old_len + other.len();
        let op_map = unite(&mut self.ops, &other.ops);
        let device_map = unite(&mut self.devices, &other.devices);
        let source_base = self.sources.len();
        self.sources.extend(other.sources);
        self.m.extend(other.m);
        self.n.extend(other.n);
        self.k.extend(other.k);
        self.batch.extend(other.batch);
        self.op.extend(other.op.iter().map(|&c| op_map[c as usize]));
        self.device
            .extend(other.device.iter().map(|&c| device_map[c as usize]));
        self.time_s.extend(other.time_s);
        self.source.extend(
            other
                .source
                .iter()
                .map(|&c| u16::try_from(c as usize + source_base).unwrap_or(u16::MAX)),
        );
        self.line.extend(other.line);
        for theirs in other.columns {
            let same = self.columns.iter_mut().find(|c| {
                c.key == theirs.key
                    && matches!(
                        (&c.data, &theirs.data),
                        (ColumnData::Text { .. }, ColumnData::Text { .. })
                            | (ColumnData::Number(_), ColumnData::Number(_))
                    )
            });
            match same {
                Some(ours) => ours.append(theirs.data),
                None => {
                    let mut fresh = Column {
                        data: match theirs.data {
                            ColumnData::Text { .. } => ColumnData::text(),
                            ColumnData::Number(_) => ColumnData::Number(Vec::new()),
                        },
                        key: theirs.key,
                        label: theirs.label,
                        role: theirs.role,
                        unit: theirs.unit,
                    };
                    // A second column of the same name but another kind keeps both.
                    if self.columns.iter().any(|c| c.key == fresh.key) {
                        fresh.key.push_str(match fresh.data {
                            ColumnData::Text { .. } => " (text)",
                            ColumnData::Number(_) => " (number)",
                        });
                    }
                    fresh.data.pad(old_len);
                    fresh.append(theirs.data);
                    self.columns.push(fresh);
                }
            }
        }
        for c in &mut self.columns {
            c.data.pad(new_len);
        }
    }

    /// The dataset without one of its files.
    pub fn without_source(&self, index: usize) -> Dataset {
        let keep: Vec<usize> = (0..self.len())
            .filter(|&r| self.source[r] as usize != index)
            .collect();
        let mut out = self.select(&keep);
        out.sources.remove(index);
        for s in &mut out.source {
            if *s as usize > index {
                *s -= 1;
            }
        }
        out.columns.retain(|c| match &c.data {
            ColumnData::Text { codes, .. } => codes.iter().any(|&v| v != 0),
            ColumnData::Number(v) => v.iter().any(|v| !v.is_nan()),
        });
        out
    }

    /// The rows at `rows`, in that order, with all sources and dictionaries.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        fn pick<T: Copy>(v: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&r| v[r]).collect()
        }
        Dataset {
            sources: self.sources.clone(),
            ops: self.ops.clone(),
            devices: self.devices.clone(),
            m: pick(&self.m, rows),
            n: pick(&self.n, rows),
            k: pick(&self.k, rows),
            batch: pick(&self.batch, rows),
            op: pick(&self.op, rows),
            device: pick(&self.device, rows),
            time_s: pick(&self.time_s, rows),
            source: pick(&self.source, rows),
            line: pick(&self.line, rows),
            columns: self
                .columns
                .iter()
                .map(|c| Column {
                    key: c.key.clone(),
                    label: c.label.clone(),
                    role: c.role,
                    unit: c.unit.clone(),
                    data: match &c.data {
                        ColumnData::Text { codes, values } => ColumnData::Text {
                            codes: pick(codes, rows),
                            values: values.clone(),
                        },
                        ColumnData::Number(v) => ColumnData::Number(pick(v, rows)),
                    },
                })
                .collect(),
        }
    }
}

impl Column {
    fn append(&mut self, other: ColumnData) {
        match (&mut self.data, other) {
            (
                ColumnData::Text { codes, values },
                ColumnData::Text {
                    codes: theirs,
                    values: their_values,
                },
            ) => {
                let mut known: BTreeMap<String, u32> = values.iter().cloned().zip(0u32..).collect();
                let map: Vec<u32> = their_values
                    .into_iter()
                    .map(|v| {
                        *known.entry(v).or_insert_with_key(|v| {
                            values.push(v.clone());
                            (values.len() - 1) as u32
                        })
                    })
                    .collect();
                codes.extend(theirs.iter().map(|&c| map[c as usize]));
            }
            (ColumnData::Number(v), ColumnData::Number(theirs)) => v.extend(theirs),
            _ => {}
        }
    }
}

/// Adds what is missing from `theirs` to `ours`; returns the new code of each of `theirs`.
fn unite<T: PartialEq + Clone>(ours: &mut Vec<T>, theirs: &[T]) -> Vec<u16> {
    theirs
        .iter()
        .map(|t| {
            let i = ours.iter().position(|o| o == t).unwrap_or_else(|| {
                ours.push(t.clone());
                ours.len() - 1
            });
            u16::try_from(i).unwrap_or(u16::MAX)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;

    fn op(t: DataType) -> Operation {
        Operation {
            a: t,
            b: t,
            c: t,
            compute: t,
            trans_a: false,
            trans_b: false,
            bias: false,
            beta: false,
        }
    }

    fn one(name: &str, dtype: DataType, device: &str, kernel: &str) -> Dataset {
        let mut d = Dataset::new();
        d.sources.push(Source {
            name: name.into(),
            ..Source::default()
        });
        d.ops.push(op(dtype));
        d.devices.push(device.into());
        d.m.push(1);
        d.n.push(2);
        d.k.push(3);
        d.batch.push(1);
        d.op.push(0);
        d.device.push(1);
        d.time_s.push(1e-6);
        d.source.push(0);
        d.line.push(2);
        d.columns.push(Column {
            key: "kernel".into(),
            label: "kernel".into(),
            role: Role::Kernel,
            unit: String::new(),
            data: ColumnData::Text {
                codes: vec![1],
                values: vec!["".into(), kernel.into()],
            },
        });
        d
    }

    #[test]
    fn append_unites_dictionaries_and_pads_missing_columns() {
        let mut d = one("a.csv", DataType::Fp16, "H100", "k1");
        let mut b = one("b.csv", DataType::Bf16, "H100", "k2");
        b.columns.push(Column {
            key: "clock".into(),
            label: "clock".into(),
            role: Role::Other,
            unit: "Hz".into(),
            data: ColumnData::Number(vec![1e9]),
        });
        d.append(b);
        assert_eq!(d.len(), 2);
        assert_eq!(d.devices, ["", "H100"]);
        assert_eq!(d.problem(1).op.a, DataType::Bf16);
        assert_eq!(d.text(Role::Kernel, 0), "k1");
        assert_eq!(d.text(Role::Kernel, 1), "k2");
        let ColumnData::Number(clock) = &d.columns[1].data else {
            panic!("number column")
        };
        assert!(clock[0].is_nan() && clock[1] == 1e9);
        let back = d.without_source(0);
        assert_eq!((back.len(), back.sources.len(), back.source[0]), (1, 1, 0));
        assert_eq!(back.text(Role::Kernel, 0), "k2");
    }

    #[test]
    fn set_aside_counts_without_keeping_a_string_per_row() {
        let mut s = SetAside::default();
        for line in 0..1000 {
            s.push(line, "time is zero (us)", Some((4, "0")), b"1,2,3,0");
        }
        assert_eq!((s.total(), s.reasons.len()), (1000, 1));
        assert_eq!(s.reasons[0].first_lines.len(), 8);
        assert_eq!(s.raw(999), Some(&b"1,2,3,0"[..]));
    }
}
