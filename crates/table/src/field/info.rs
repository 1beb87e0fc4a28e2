//! How fields are shown.

use super::{Field, FieldInfo, FieldKind, Frame};
use crate::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_model::hardware::RoofKind;

impl Frame {
    /// How a field is shown; `None` for a column that this dataset lacks.
    pub fn info(&self, field: &Field) -> Option<FieldInfo> {
        use FieldKind::{Category, Number};
        let (label, unit, kind, log, better, hint): (&str, &str, _, _, _, &'static str) =
            match field {
                Field::M => ("M", "", Number, true, None, "Rows of A and of the output C."),
                Field::N => ("N", "", Number, true, None, "Columns of B and of the output C."),
                Field::K => {
                    ("K", "", Number, true, None, "The summed dimension: columns of A, rows of B.")
                }
                Field::Batch => (
                    "Batch",
                    "",
                    Number,
                    true,
                    None,
                    "Independent GEMMs of this shape in one call.",
                ),
                Field::Time => {
                    ("Time", "s", Number, true, Some(false), "Measured time of one call.")
                }
                Field::Calls => (
                    "Calls",
                    "",
                    Number,
                    true,
                    None,
                    "Calls that the row stands for; 1 where the file has no count.",
                ),
                Field::TotalTime => (
                    "Time of all calls",
                    "s",
                    Number,
                    true,
                    Some(false),
                    "Time of one call times the number of calls.",
                ),
                Field::Work => (
                    "Work",
                    "FLOP",
                    Number,
                    true,
                    None,
                    "2 M N K per GEMM: a multiply and an add for each of M N K products.",
                ),
                Field::Bytes => (
                    "Bytes",
                    "B",
                    Number,
                    true,
                    None,
                    "Compulsory traffic: A, B and C cross the memory bus once. The real traffic is at least this.",
                ),
                Field::Ai => (
                    "AI",
                    "FLOP/B",
                    Number,
                    true,
                    None,
                    "Arithmetic intensity: work over compulsory bytes. An upper bound of the real one.",
                ),
                Field::Attained => {
                    ("Attained", "FLOP/s", Number, true, Some(true), "Work over measured time.")
                }
                Field::Bandwidth => (
                    "Bandwidth",
                    "B/s",
                    Number,
                    true,
                    Some(true),
                    "Compulsory bytes over measured time.",
                ),
                Field::Efficiency => match self.metrics.kind {
                    RoofKind::Datasheet => (
                        "% of roof",
                        "%",
                        Number,
                        false,
                        Some(true),
                        "Attained over the datasheet roof at this AI: roof time over measured time.",
                    ),
                    RoofKind::Achievable => (
                        "% of achievable",
                        "%",
                        Number,
                        false,
                        Some(true),
                        "Attained over the achievable roof at this AI: roof time over measured time.",
                    ),
                },
                Field::BandwidthUse => (
                    "Bandwidth use",
                    "%",
                    Number,
                    false,
                    Some(true),
                    "Compulsory bytes over time, as a share of the device's bandwidth. Low is \
                     normal for a compute-bound GEMM.",
                ),
                Field::Lost => (
                    "Lost time",
                    "s",
                    Number,
                    true,
                    Some(false),
                    "Measured time minus roof time, over all calls; nothing above the roof.",
                ),
                Field::Shape => (
                    "Shape",
                    "",
                    Category,
                    false,
                    None,
                    "M x N x K, and the batch where it is not 1.",
                ),
                Field::Dtype => ("Type", "", Category, false, None, "Data types of the operands."),
                Field::Transposes => (
                    "Layout",
                    "",
                    Category,
                    false,
                    None,
                    "N: stored as is, T: stored transposed; first A, then B.",
                ),
                Field::Device => {
                    ("Device", "", Category, false, None, "The device whose roof applies.")
                }
                Field::Source => {
                    ("File", "", Category, false, None, "The file the row comes from.")
                }
                Field::Bound => (
                    "Limited by",
                    "",
                    Category,
                    false,
                    None,
                    "Memory where AI is under 0.75 of the ridge point, compute over 1.25 of it.",
                ),
                Field::Column(key) => {
                    let own = self.data.columns.iter().find(|c| c.key == *key);
                    let derived = || self.derived().find(|i| i.field == *field).cloned();
                    return own.map(of_column).or_else(derived);
                }
            };
        Some(FieldInfo {
            field: field.clone(),
            label: label.to_owned(),
            unit: unit.to_owned(),
            kind,
            log,
            higher_is_better: better,
            hint,
        })
    }
}

/// What a column of the file is.
pub(super) fn of_column(c: &Column) -> FieldInfo {
    use ColumnMeaning::{
        Count, FailedTime, ReportedBandwidth, ReportedBytes, ReportedIntensity, ReportedRate,
        ReportedWork, TimeMax, TimeMin, TimeStd,
    };
    FieldInfo {
        field: Field::Column(c.key.clone()),
        // Files call it "name", "provider", "backend".
        label: match c.meaning {
            ColumnMeaning::Library => "Library".to_owned(),
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
        hint: "A column of the file.",
    }
}
