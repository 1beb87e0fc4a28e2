//! Shapes without a time, as in lists of problems to tune, with their roof times.

use crate::figures::figures;
use gemmscope_model::roofline::Bound;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::{Frame, shape_label};
use serde::{Serialize, Serializer};

/// A row without a time, and what the roof allows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapeWithoutTime {
    /// File.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// The dimension summed over.
    pub k: u32,
    /// GEMMs in one call.
    pub batch: u32,
    /// The sizes in words: `8 × 6144 × 4096`.
    #[serde(skip)]
    pub shape: String,
    /// Type of A.
    pub dtype: &'static str,
    /// All types, for people.
    pub types: String,
    /// Number of calls; 1 if the file states none.
    pub calls: f64,
    /// Roof time of one call, seconds.
    pub roof_time_s: f64,
    /// What limits it at the roof.
    #[serde(serialize_with = "label")]
    pub bound: Bound,
}

fn label<S: Serializer>(bound: &Bound, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(bound.label())
}

/// True if a row only lists a shape: no time, and no status that says it failed.
fn is_listed(data: &Dataset, row: usize) -> bool {
    data.time_s[row].is_nan() && data.text(ColumnMeaning::Status, row).is_empty()
}

impl ShapeWithoutTime {
    /// Rows of a frame with a roof but no time, longest call first.
    pub fn of(frame: &Frame) -> Vec<ShapeWithoutTime> {
        let data = &*frame.data;
        let rows = frame.rows.iter().map(|r| *r as usize);
        let mut found: Vec<ShapeWithoutTime> = rows
            .filter(|&row| is_listed(data, row))
            .filter_map(|row| {
                let x = figures(frame, row);
                let (p, bound) = (x.problem, x.bound?);
                x.roof_s.is_finite().then(|| ShapeWithoutTime {
                    file: data
                        .sources
                        .get(usize::from(data.source[row]))
                        .map_or_else(String::new, |s| s.name.clone()),
                    line: data.line[row],
                    m: p.m,
                    n: p.n,
                    k: p.k,
                    batch: p.batch,
                    shape: shape_label(&p),
                    dtype: p.op.a.id(),
                    types: p.op.types(),
                    calls: data.count(row),
                    roof_time_s: x.roof_s,
                    bound,
                })
            })
            .collect();
        found.sort_by(|a, b| b.roof_time_s.total_cmp(&a.roof_time_s));
        found
    }
}

/// Shapes without a time, for a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShapesWithoutTime {
    /// Number of rows without a time, with and without a roof.
    pub rows: usize,
    /// Number of these that have a roof.
    pub total: usize,
    /// Roof time of all their calls, seconds.
    pub roof_time_s: f64,
    /// The shapes with the longest call.
    pub longest: Vec<ShapeWithoutTime>,
}

impl ShapesWithoutTime {
    /// Maximum number of listed shapes.
    pub const LISTED: usize = 50;

    /// The shapes without a time of a frame.
    pub fn of(frame: &Frame) -> ShapesWithoutTime {
        let mut found = ShapeWithoutTime::of(frame);
        let rows = frame.rows.iter();
        let list = ShapesWithoutTime {
            rows: rows.filter(|r| is_listed(&frame.data, **r as usize)).count(),
            total: found.len(),
            roof_time_s: roof_time_s(&found),
            longest: Vec::new(),
        };
        found.truncate(Self::LISTED);
        ShapesWithoutTime { longest: found, ..list }
    }

    /// Number of shapes with a roof that are not listed.
    pub fn more(&self) -> usize {
        self.total - self.longest.len()
    }
}

/// Roof time of all calls of some shapes, seconds.
pub fn roof_time_s(shapes: &[ShapeWithoutTime]) -> f64 {
    // Starts from 0, because `sum` of nothing is -0.
    shapes.iter().fold(0.0, |t, s| t + s.roof_time_s * s.calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn shapes_are_listed_and_failures_are_not() {
        let mut t = Rows::new();
        let status = t.table().text_column(ColumnMeaning::Status, "status");
        let calls = t.table().number_column(ColumnMeaning::Count, "calls");
        let none = f64::NAN;
        t.table().set_number(calls, 10.0);
        t.row((8, 4096, 4096), "", none, "");
        t.row((4096, 4096, 4096), "", none, "");
        t.table().set_text(status, b"timeout");
        t.row((8192, 8192, 8192), "", none, "");
        t.row((64, 64, 64), "", 1e-6, "");
        let frame = t.frame(Some("a100-80-pcie"));
        let list = ShapesWithoutTime::of(&frame);
        let shapes: Vec<String> = list.longest.iter().map(|s| s.shape.clone()).collect();
        assert_eq!(shapes, ["4096 × 4096 × 4096", "8 × 4096 × 4096"]);
        let [large, small] = &list.longest[..] else {
            panic!("{list:?}");
        };
        assert_eq!((large.bound, small.bound), (Bound::Compute, Bound::Memory));
        // 2 * 4096^3 at 312 TFLOP/s.
        assert!((large.roof_time_s / (2.0 * 4096f64.powi(3) / 312e12) - 1.0).abs() < 1e-9);
        assert_eq!((large.calls, small.calls), (1.0, 10.0));
        let all = large.roof_time_s + 10.0 * small.roof_time_s;
        assert!((list.roof_time_s - all).abs() < 1e-15);
    }

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let mut t = Rows::new();
        for i in 1..=53 {
            t.row((64 * i, 64, 64), "", f64::NAN, "");
        }
        let list = ShapesWithoutTime::of(&t.frame(Some("a100-80-pcie")));
        assert_eq!((list.longest.len(), list.more(), list.rows), (50, 3, 53));
        let mut t = Rows::new();
        t.row((64, 64, 64), "", f64::NAN, "");
        let list = ShapesWithoutTime::of(&t.frame(None));
        assert_eq!((list.rows, list.total), (1, 0));
    }
}
