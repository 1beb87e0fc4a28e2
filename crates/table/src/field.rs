//! Figures and columns by name: for axes, colours, facets and table columns.

use crate::data_kind::{Counted, CountedSet, DataKind, Decision};
use crate::dataset::{Column, ColumnData, ColumnMeaning, Dataset};
use crate::metrics::Metrics;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::units::larger;
use std::fmt;
use std::sync::{Arc, OnceLock};

mod categories;
mod derived;
mod info;

pub use categories::{Categories, Codes, shape_label};
pub use derived::Derived;
use info::BUILT_IN;
pub use info::{AI, EFFICIENCY, LOST, REFERENCE};

/// A quantity or category of a row. Links and exports use its text form (`Display`, [`Field::parse`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Rows of the output.
    M,
    /// Columns of the output.
    N,
    /// The dimension summed over.
    K,
    /// Independent GEMMs per call.
    Batch,
    /// Groups of a grouped GEMM.
    Groups,
    /// Those of them that have rows.
    ActiveGroups,
    /// Time of one call, s.
    Time,
    /// Calls that the row stands for.
    Calls,
    /// Time of all calls of the row, s.
    TotalTime,
    /// Work of one call, FLOP.
    Work,
    /// Compulsory bytes of one call.
    Bytes,
    /// Arithmetic intensity, FLOP/byte.
    Ai,
    /// Attained rate, FLOP/s.
    Attained,
    /// Compulsory bytes / time, byte/s.
    Bandwidth,
    /// Fraction of the roof, 0 to 1 (above 1: above the roof).
    Efficiency,
    /// Fraction of the device's bandwidth.
    BandwidthUse,
    /// Lost time, max(0, time - roof time), all calls, s.
    Lost,
    /// M x N x K (x batch), as a category.
    Shape,
    /// Types of the operands.
    Dtype,
    /// NN, NT, TN, TT.
    Transposes,
    /// Device, as stated or assumed.
    Device,
    /// File.
    Source,
    /// What limits the row: memory, near the ridge, compute, launch.
    Bound,
    /// Published time of one call (reference time), s.
    Reference,
    /// Reference time / measured time.
    OfReference,
    /// Faster than published, as published, slower.
    Standing,
    /// An extra column by key.
    Column(String),
}

/// Number or category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Ordered quantity.
    Number,
    /// Distinct texts.
    Category,
}

/// How a field is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldInfo {
    /// The field.
    pub field: Field,
    /// Title: `Attained`.
    pub label: String,
    /// SI base unit of the number ("" for none): `FLOP/s`.
    pub unit: String,
    /// Number or category.
    pub kind: FieldKind,
    /// True if values usually span decades, so that a logarithmic axis is the default.
    pub log: bool,
    /// `Some(true)` if higher values are better, `None` if neither is.
    pub higher_is_better: Option<bool>,
    /// One sentence that explains the term to a newcomer.
    pub hint: &'static str,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Field::Column(key) = self {
            return write!(f, "c.{key}");
        }
        let known = BUILT_IN.iter().find(|b| b.field == *self);
        f.write_str(known.map_or("", |b| b.key))
    }
}

impl Field {
    /// Parses the text form; extra columns are `c.<key>`.
    pub fn parse(text: &str) -> Option<Field> {
        if let Some(key) = text.strip_prefix("c.") {
            return (!key.is_empty()).then(|| Field::Column(key.to_owned()));
        }
        BUILT_IN.iter().find(|b| b.key == text).map(|b| b.field.clone())
    }
}

/// What every view draws from: the data, its figures, what its rows are, and the rows that pass the filters.
///
/// Frames are equal if they share data, metrics, decision and rows, compared by pointer: comparing is free, and equal
/// content that was computed twice counts as different.
/// different.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The data, with all rows.
    pub data: Arc<Dataset>,
    /// Figures of all rows.
    pub metrics: Arc<Metrics>,
    /// Rows that pass the filters, ascending.
    pub rows: Arc<Vec<u32>>,
    decision: Arc<Decision>,
    counted: Arc<OnceLock<Counted>>,
    derived: Option<Arc<dyn Derived>>,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.same_data(other)
            && Arc::ptr_eq(&self.rows, &other.rows)
            && Arc::ptr_eq(&self.decision, &other.decision)
    }
}

impl Frame {
    /// True if both have the same data and metrics, compared by pointer, whatever rows pass.
    pub fn same_data(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data) && Arc::ptr_eq(&self.metrics, &other.metrics)
    }

    /// A frame over all rows, with the kind that the data shows.
    pub fn all(data: Arc<Dataset>, metrics: Arc<Metrics>) -> Self {
        let decision = Arc::new(Decision::new(&data, None));
        let rows = Arc::new((0..data.len() as u32).collect());
        Frame::new(data, metrics, decision, rows)
    }

    /// A frame over some rows, ascending.
    pub fn new(
        data: Arc<Dataset>,
        metrics: Arc<Metrics>,
        decision: Arc<Decision>,
        rows: Arc<Vec<u32>>,
    ) -> Self {
        Frame { data, metrics, rows, decision, counted: Arc::default(), derived: None }
    }

    /// Adds columns derived from the frame's data and metrics.
    pub fn with_derived(self, derived: Arc<dyn Derived>) -> Self {
        Frame { derived: Some(derived), ..self }
    }

    /// The derived columns.
    pub fn derived(&self) -> impl Iterator<Item = &FieldInfo> {
        self.derived.iter().flat_map(|d| d.fields())
    }

    /// The frame over other rows, ascending.
    pub fn with_rows(&self, rows: Arc<Vec<u32>>) -> Self {
        Frame { rows, counted: Arc::default(), ..self.clone() }
    }

    /// The frame with other metrics of the same data. Drops the derived columns.
    pub fn with_metrics(&self, metrics: Arc<Metrics>) -> Self {
        Frame { metrics, derived: None, ..self.clone() }
    }

    /// The frame with another decision on what its rows are.
    pub fn decided(&self, decision: Arc<Decision>) -> Self {
        Frame { decision, counted: Arc::default(), ..self.clone() }
    }

    /// What the rows are, and why.
    pub fn decision(&self) -> &Arc<Decision> {
        &self.decision
    }

    /// The rows that totals are over, by side. Computed once per frame.
    pub fn counted(&self) -> &Counted {
        self.counted.get_or_init(|| Counted::new(self, &self.decision))
    }

    /// The rows that are added up, one set per side and device.
    pub fn sets(&self) -> Vec<CountedSet> {
        CountedSet::of(self)
    }

    /// Device code of a row, the same for all names of a device.
    pub fn device(&self, row: usize) -> u16 {
        self.metrics.same_device(self.data.device[row])
    }

    /// Name of the device with this code, the catalogue's if known; "" if none is stated.
    pub fn device_name(&self, device: u16) -> &str {
        let known = self.metrics.devices.get(usize::from(device)).and_then(Option::as_ref);
        known.map_or(self.data.devices[usize::from(device)].as_str(), |d| d.name.as_str())
    }

    /// True if [`Frame::counted`] has been computed already.
    pub fn is_counted(&self) -> bool {
        self.counted.get().is_some()
    }

    /// Stores what [`Frame::count`] computed.
    pub(crate) fn set_counted(&self, counted: Counted) {
        let _ = self.counted.set(counted);
    }

    /// The figure to show first: `efficiency`, or the rate for a sweep and if no row has a roof.
    pub fn leading_figure(&self) -> &'static str {
        let judged = self.rows.iter().any(|r| !self.metrics.roof_s[*r as usize].is_nan());
        // All variants of a GEMM have the same roof.
        match judged && self.kind() != DataKind::Sweep {
            true => "efficiency",
            false => "attained",
        }
    }

    /// The default colour: the sides; else file, device or library if there are several; else the types, or the layouts
    /// if all types have the same roof, as fp16 and bf16 do. Independent of the filters.
    pub fn main_field(&self) -> Field {
        let data = &*self.data;
        if let (DataKind::Sides, Some(side)) = (self.decision.kind, &self.decision.side) {
            return side.clone();
        }
        let several = |codes: &mut dyn Iterator<Item = u32>| {
            let mut stated = codes.filter(|c| *c != u32::MAX);
            let first = stated.next();
            stated.any(|c| Some(c) != first)
        };
        if data.sources.len() > 1 && several(&mut data.source.iter().map(|s| u32::from(*s))) {
            return Field::Source;
        }
        // Different roofs matter most, so the device comes first.
        let used = (0..).zip(data.devices_used()).filter(|(_, used)| *used);
        if several(&mut used.map(|(code, _)| u32::from(self.metrics.same_device(code)))) {
            return Field::Device;
        }
        if let Some(Column { key, data: ColumnData::Text { codes, values }, .. }) =
            data.column(ColumnMeaning::Library)
        {
            // Rows without a library do not count as one.
            let known = |c: &u32| match values[*c as usize].is_empty() {
                true => u32::MAX,
                false => *c,
            };
            if several(&mut codes.iter().map(known)) {
                return Field::Column(key.clone());
            }
        }
        let layout = |op: &Operation| (op.trans_a, op.trans_b);
        let layouts = data.ops.windows(2).any(|two| layout(&two[0]) != layout(&two[1]));
        if layouts && self.has_one_roof() { Field::Transposes } else { Field::Dtype }
    }

    /// True if all types of the rows have the same roof, as fp16 and bf16 do.
    pub fn has_one_roof(&self) -> bool {
        let roof = |op: &Operation| match op.compute {
            DataType::Bf16 => (op.a.bits(), op.b.bits(), DataType::Fp16),
            compute => (op.a.bits(), op.b.bits(), compute),
        };
        self.data.ops.windows(2).all(|two| roof(&two[0]) == roof(&two[1]))
    }

    /// All fields of this dataset, built-in first, derived last.
    pub fn fields(&self) -> Vec<FieldInfo> {
        let mut out: Vec<FieldInfo> = BUILT_IN.iter().filter_map(|b| self.info(&b.field)).collect();
        out.extend(self.data.columns.iter().map(info::of_column));
        out.extend(self.derived().cloned());
        out
    }

    /// Returns a function from row to number; NaN if the value is missing or not a number.
    pub fn numbers<'a>(&'a self, field: &Field) -> Box<dyn Fn(usize) -> f64 + 'a> {
        let (d, x) = (&*self.data, &*self.metrics);
        match field {
            Field::M => Box::new(|r| f64::from(d.m[r])),
            Field::N => Box::new(|r| f64::from(d.n[r])),
            Field::K => Box::new(|r| f64::from(d.k[r])),
            Field::Batch => Box::new(|r| f64::from(d.batch[r])),
            Field::Groups => Box::new(|r| {
                d.ops[usize::from(d.op[r])].groups.map_or(f64::NAN, |g| f64::from(g.count))
            }),
            Field::ActiveGroups => Box::new(|r| d.problem(r).active().unwrap_or(f64::NAN)),
            Field::Time => Box::new(|r| d.time_s[r]),
            Field::Calls => Box::new(|r| self.calls(r)),
            Field::TotalTime => Box::new(|r| d.time_s[r] * self.calls(r)),
            Field::Work => Box::new(|r| x.work(d, r)),
            Field::Bytes => Box::new(|r| x.bytes(d, r)),
            Field::Ai => Box::new(|r| x.ai[r]),
            Field::Attained => Box::new(|r| x.rate(d, r)),
            Field::Bandwidth => Box::new(|r| x.bandwidth(d, r)),
            Field::Efficiency => Box::new(|r| x.roof_s[r] / d.time_s[r]),
            Field::BandwidthUse => Box::new(|r| x.bandwidth_use(d, r)),
            Field::Reference => Box::new(|r| x.reference_s(r)),
            Field::OfReference => Box::new(|r| x.reference_s(r) / d.time_s[r]),
            Field::Lost => Box::new(|r| larger(d.time_s[r] - x.roof_s[r], 0.0) * self.calls(r)),
            Field::Column(key) => match d.columns.iter().find(|c| c.key == *key).map(|c| &c.data) {
                Some(ColumnData::Number(v)) => Box::new(|r| v[r]),
                Some(ColumnData::Text { codes, values }) => {
                    let parsed: Vec<f64> = values
                        .iter()
                        .map(|v| v.trim().parse::<f64>().ok().unwrap_or(f64::NAN))
                        .collect();
                    Box::new(move |r| parsed[codes[r] as usize])
                }
                None => {
                    let derived = self.derived.as_ref().and_then(|d| d.numbers(self, key));
                    derived.unwrap_or_else(|| Box::new(|_| f64::NAN))
                }
            },
            _ => Box::new(|_| f64::NAN),
        }
    }
}
