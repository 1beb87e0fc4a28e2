//! The roofline as a table, for screen readers and for "CSV of what is drawn".

use super::settings::levels;
use super::{RooflineInput, marks};
use crate::charts::roof_rate;
use crate::columns::Columns;
use crate::layout::Plot;
use gemmscope_table::column_format;
use gemmscope_table::dataset::{RatePoint, Source};
use gemmscope_table::field::{Field, shape_label};
use gemmscope_table::result_table::ResultTable;

/// A row of the table.
enum Entry<'a> {
    Row(usize),
    /// A measurement without sizes, with its file.
    Point(&'a Source, &'a RatePoint),
}

/// The visible points in file order, at most `limit`, then the measurements without sizes; and the total number of
/// both.
pub fn table(input: &RooflineInput<'_>, plot: &Plot, limit: usize) -> (ResultTable, u64) {
    let (frame, colors) = (input.frame, input.color_scale);
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let title =
        |field: Field| frame.info(&field).map_or_else(String::new, |i| column_format::title(&i));
    let [Some(ai), Some(rate), Some(share)] =
        [Field::Ai, Field::Attained, Field::Efficiency].map(|f| frame.info(&f))
    else {
        return (ResultTable::default(), 0);
    };
    let mut columns = Columns::new()
        .text(title(Field::Source), |e| match e {
            Entry::Row(r) => data.sources[usize::from(data.source[*r])].name.clone(),
            Entry::Point(source, _) => source.name.clone(),
        })
        .text("Line", |e| match e {
            Entry::Row(r) => data.line[*r].to_string(),
            Entry::Point(_, p) => p.line.to_string(),
        })
        .text(title(Field::Shape), |e| match e {
            Entry::Row(r) => shape_label(&data.problem(*r)),
            Entry::Point(..) => "not stated".to_owned(),
        })
        .text(title(Field::Dtype), |e| match e {
            Entry::Row(r) => data.ops[usize::from(data.op[*r])].types(),
            Entry::Point(_, p) => p.dtype.name().to_owned(),
        })
        .field(&ai, |e| match e {
            Entry::Row(r) => metrics.ai[*r],
            Entry::Point(_, p) => p.intensity,
        })
        .field(&rate, |e| match e {
            Entry::Row(r) => metrics.rate(data, *r),
            Entry::Point(_, p) => p.rate,
        })
        .number("Roof", "FLOP/s", |e| match e {
            Entry::Row(r) => roof_rate(frame, *r),
            Entry::Point(_, p) => p.roof(data, metrics).map_or(f64::NAN, |r| r.at(p.intensity)),
        })
        .field(&share, |e| match e {
            Entry::Row(r) => metrics.efficiency(data, *r),
            Entry::Point(_, p) => p.efficiency(data, metrics).unwrap_or(f64::NAN),
        })
        .text(title(Field::Bound), |e| {
            let bound = match e {
                Entry::Row(r) => metrics.bound(data, *r),
                Entry::Point(_, p) => p.roof(data, metrics).map(|r| r.bound(p.intensity)),
            };
            bound.map(|b| b.label().to_owned()).unwrap_or_default()
        });
    if !colors.label.is_empty() {
        columns = columns.text(colors.label.as_str(), |e| match e {
            Entry::Row(r) => {
                colors.names.get(usize::from(colors.code(*r))).cloned().unwrap_or_default()
            }
            Entry::Point(..) => String::new(),
        });
    }
    for level in levels(data) {
        if input.shows(level) || input.ai.level() == Some(level) {
            let title = format!("AI by {} bytes", level.label());
            columns = columns.number(title, "FLOP/B", move |e| match e {
                Entry::Row(r) => metrics.measured_ai(data, *r, level),
                Entry::Point(..) => f64::NAN,
            });
        }
    }
    let (mut total, mut rows) = (0, Vec::new());
    marks::each_visible(input, plot, |row, _, _, _| {
        total += 1;
        let row = row as usize;
        if rows.len() < limit && row < data.len() {
            rows.push(Entry::Row(row));
        }
    });
    if input.extras.stated() > 0 {
        let points = data.sources.iter().flat_map(|s| s.points.iter().map(move |p| (s, p)));
        for (source, point) in points {
            total += 1;
            if rows.len() < limit {
                rows.push(Entry::Point(source, point));
            }
        }
    }
    (columns.table(rows), total)
}
