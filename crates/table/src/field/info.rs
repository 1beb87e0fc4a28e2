//! How fields are shown.

use super::{Field, FieldInfo, FieldKind, Frame};
use crate::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::capitalized;

/// A built-in field.
pub(super) struct BuiltIn {
    pub field: Field,
    /// Text form in links and exports.
    pub key: &'static str,
    label: &'static str,
    unit: &'static str,
    shown: Shown,
    hint: &'static str,
}

/// Kind of the values, and which are better.
#[derive(Clone, Copy)]
enum Shown {
    /// Numbers on a logarithmic axis. `Amount`: neither is better; `Less`: lower is better; `More`: higher is better.
    Amount,
    Less,
    More,
    /// Numbers on a linear axis, higher is better.
    Share,
    Names,
}
use Shown::{Amount, Less, More, Names, Share};

const fn built_in(
    field: Field,
    key: &'static str,
    label: &'static str,
    unit: &'static str,
    shown: Shown,
    hint: &'static str,
) -> BuiltIn {
    BuiltIn { field, key, label, unit, shown, hint }
}

/// In the order of the page.
#[rustfmt::skip]
pub(super) static BUILT_IN: [BuiltIn; 26] = [
    built_in(Field::Shape, "shape", "Shape", "", Names, "M x N x K, and the batch where it is not 1."),
    built_in(Field::M, "m", "M", "", Amount, "Rows of A and of the output C."),
    built_in(Field::N, "n", "N", "", Amount, "Columns of B and of the output C."),
    built_in(Field::K, "k", "K", "", Amount, "The summed dimension: columns of A, rows of B."),
    built_in(Field::Batch, "batch", "Batch", "", Amount, "Independent GEMMs of this shape in one call."),
    built_in(Field::Groups, "groups", "Groups", "", Amount, "Products of a grouped GEMM, each with rows and a B of its own: the experts of a layer."),
    built_in(Field::ActiveGroups, "active_groups", "Active groups", "", Amount, "Groups with at least one row: only their B is read. With unknown routing the number to expect if all are equally likely."),
    built_in(Field::Dtype, "dtype", "Type", "", Names, ""),
    built_in(Field::Transposes, "transposes", "Layout", "", Names, "N: stored as is, T: stored transposed; first A, then B."),
    built_in(Field::Device, "device", "Device", "", Names, "The device whose roof applies."),
    built_in(Field::Time, "time", "Time", "s", Less, "Measured time of one call."),
    built_in(Field::Calls, "calls", "Calls", "", Amount, "Calls that the row stands for; 1 where the file has no count."),
    built_in(Field::TotalTime, "total_time", "Time of all calls", "s", Less, ""),
    built_in(Field::Attained, "attained", "Attained", "FLOP/s", More, "Work over measured time."),
    built_in(Field::Efficiency, "efficiency", "% of roof", "%", Share, EFFICIENCY),
    built_in(Field::Ai, "ai", "AI", "FLOP/B", Amount, AI),
    built_in(Field::Bandwidth, "bandwidth", "Bandwidth", "B/s", More, "Compulsory bytes over measured time."),
    built_in(Field::BandwidthUse, "bandwidth_use", "Bandwidth use", "%", Share, "Compulsory bytes over time, as a share of the device's bandwidth. Low is normal for a compute-bound GEMM."),
    built_in(Field::Bound, "bound", "Limited by", "", Names, "Memory where AI is under 0.75 of the ridge point, compute over 1.25 of it."),
    built_in(Field::Lost, "lost", "Lost time", "s", Less, LOST),
    built_in(Field::Reference, "reference", "Others reach", "s", Amount, REFERENCE),
    built_in(Field::OfReference, "of_reference", "% of what others reach", "%", Share, "Published time over measured time: 100 % is as good as others, more is faster."),
    built_in(Field::Standing, "standing", "Beside others", "", Names, STANDING),
    built_in(Field::Work, "work", "Work", "FLOP", Amount, "2 M N K per GEMM: a multiply and an add for each of M N K products."),
    built_in(Field::Bytes, "bytes", "Bytes", "B", Amount, "Compulsory traffic: A, B and C cross the memory bus once. The real traffic is at least this."),
    built_in(Field::Source, "source", "File", "", Names, ""),
];

impl Field {
    /// One sentence that explains a built-in field; "" for a column.
    pub fn hint(&self) -> &'static str {
        BUILT_IN.iter().find(|b| b.field == *self).map_or("", |b| b.hint)
    }
}

/// Explanations of the layout letters, for files that all agree.
const ROW_MAJOR: &str = "Row-major, as in PyTorch: A of N is contiguous along K, of T along M; B of N along N, of T along K.";
const COLUMN_MAJOR: &str = "Column-major, as in BLAS: A of N is contiguous along M, of T along K; B of N along K, of T along N.";

/// Explanation of the arithmetic intensity.
pub const AI: &str = "Arithmetic intensity: work over compulsory bytes (each operand once), an upper bound of the real one.";
/// Explanation of lost time.
pub const LOST: &str = "Measured time minus roof time, over all calls: what a perfect kernel would save; nothing above the roof.";
/// Explanation of the reference time.
pub const REFERENCE: &str = "Time of one call that others have published for such a GEMM on this device, by the nearest shapes: a layer of a framework in a CUDA graph, or a kernel in a tuner's loop.";
/// How a time stands beside the published one.
const STANDING: &str = "Measured time beside the published one: faster by more than twice its error, slower by more than its error, or as published.";
/// What the efficiency is.
pub const EFFICIENCY: &str =
    "Attained over the chosen roof at this AI, which is roof time over measured time.";

impl Frame {
    /// How a field is shown; `None` if this dataset lacks the column.
    pub fn info(&self, field: &Field) -> Option<FieldInfo> {
        if let Field::Column(key) = field {
            let own = self.data.columns.iter().find(|c| c.key == *key);
            let derived = || self.derived().find(|i| i.field == *field).cloned();
            return own.map(of_column).or_else(derived);
        }
        let of_others = matches!(field, Field::Reference | Field::OfReference | Field::Standing);
        if of_others && !self.metrics.has_references() {
            return None;
        }
        if matches!(field, Field::Groups | Field::ActiveGroups) && !self.data.has_groups() {
            return None;
        }
        let known = BUILT_IN.iter().find(|b| b.field == *field)?;
        let achievable = *field == Field::Efficiency && self.metrics.kind == RoofKind::Achievable;
        let blas = |wanted| self.data.sources.iter().all(|s| s.is_column_major() == wanted);
        let (label, hint) = match field {
            _ if achievable => ("% of achievable", EFFICIENCY),
            Field::Transposes if blas(false) => (known.label, ROW_MAJOR),
            Field::Transposes if blas(true) => (known.label, COLUMN_MAJOR),
            _ => (known.label, known.hint),
        };
        Some(FieldInfo {
            field: field.clone(),
            label: label.to_owned(),
            unit: known.unit.to_owned(),
            kind: match known.shown {
                Names => FieldKind::Category,
                _ => FieldKind::Number,
            },
            log: matches!(known.shown, Amount | Less | More),
            higher_is_better: match known.shown {
                Less => Some(false),
                More | Share => Some(true),
                Amount | Names => None,
            },
            hint,
        })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// How a file's column is shown.
pub(super) fn of_column(c: &Column) -> FieldInfo {
    use ColumnMeaning::{
        Count, FailedTime, ReportedBandwidth, ReportedBytes, ReportedIntensity, ReportedRate,
        ReportedWork, TimeMax, TimeMin, TimeStd,
    };
    FieldInfo {
        field: Field::Column(c.key.clone()),
        label: match c.meaning {
            // Files call it "name", "provider" or "backend".
            ColumnMeaning::Library => "Library".to_owned(),
            ColumnMeaning::Other => c.label.clone(),
            // Words such as "kernel" or "call_stack", but not headers such as "N_iter".
            _ if (c.is_text() || c.meaning == Count) && c.label.bytes().all(is_word) => {
                capitalized(&c.label.replace('_', " "))
            }
            _ => c.label.clone(),
        },
        unit: c.unit.clone(),
        kind: match c.data {
            ColumnData::Text { .. } => FieldKind::Category,
            ColumnData::Number(_) => FieldKind::Number,
        },
        log: matches!(
            c.meaning,
            ReportedRate
                | ReportedBandwidth
                | ReportedIntensity
                | ReportedWork
                | ReportedBytes
                | TimeStd
                | TimeMin
                | TimeMax
                | FailedTime
                | Count
        ),
        higher_is_better: None,
        hint: "",
    }
}
