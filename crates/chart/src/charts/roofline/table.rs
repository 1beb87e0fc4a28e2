//! The roofline as a table: what a screen reader reads, and what "CSV of what is drawn" writes.

use super::settings::levels;
use super::{RooflineInput, marks};
use crate::charts::roof_rate;
use crate::columns::Columns;
use crate::layout::Plot;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, shape_label};
use gemmscope_table::result_table::ResultTable;

/// The points in view, in file order, at most `limit` of them; with how many there are.
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
        .text(title(Field::Source), |r: &usize| {
            data.sources[usize::from(data.source[*r])].name.clone()
        })
        .text("Line", |r| data.line[*r].to_string())
        .text(title(Field::Shape), |r| {
            shape_label(data.m[*r], data.n[*r], data.k[*r], data.batch[*r])
        })
        .text(title(Field::Dtype), |r| data.ops[usize::from(data.op[*r])].types())
        .field(&ai, |r| metrics.ai[*r])
        .field(&rate, |r| metrics.rate(data, *r))
        .number("Roof", "FLOP/s", |r| roof_rate(frame, *r))
        .field(&share, |r| metrics.efficiency(data, *r))
        .text(title(Field::Bound), |r| {
            metrics.bound(data, *r).map(|b| b.label().to_owned()).unwrap_or_default()
        });
    if !colors.label.is_empty() {
        columns = columns.text(colors.label.as_str(), |r| {
            colors.names.get(usize::from(colors.code(*r))).cloned().unwrap_or_default()
        });
    }
    for level in levels(data) {
        if input.shows(level) || input.ai.level() == Some(level) {
            let title = format!("AI by {} bytes", level.label());
            columns =
                columns.number(title, "FLOP/B", move |r| metrics.measured_ai(data, *r, level));
        }
    }
    let (mut total, mut rows) = (0, Vec::new());
    marks::each_visible(input, plot, |row, _, _, _| {
        total += 1;
        let row = row as usize;
        if rows.len() < limit && row < data.len() {
            rows.push(row);
        }
    });
    (columns.table(rows), total)
}
