//! The roofline as a table: what a screen reader reads, and what "CSV of what is drawn" writes.

use super::settings::levels;
use super::{Input, marks};
use crate::layout::Plot;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, shape_label};
use gemmscope_table::result_table::Table;

/// The points in view, in file order, at most `limit` of them; with how many there are.
pub fn table(input: &Input<'_>, plot: &Plot, limit: usize) -> (Table, u64) {
    let frame = input.frame;
    let title =
        |field: Field| frame.info(&field).map_or_else(String::new, |i| column_format::title(&i));
    let infos = [Field::Ai, Field::Attained, Field::Efficiency].map(|f| frame.info(&f));
    let mut out = Table {
        header: vec![
            title(Field::Source),
            "Line".to_owned(),
            title(Field::Shape),
            title(Field::Dtype),
            title(Field::Ai),
            title(Field::Attained),
            "Roof (TFLOP/s)".to_owned(),
            title(Field::Efficiency),
            title(Field::Bound),
        ],
        rows: Vec::new(),
    };
    let colored = !input.color_scale.label.is_empty();
    if colored {
        out.header.push(input.color_scale.label.clone());
    }
    let mut measured = levels(&input.frame.data);
    measured.retain(|l| input.shows(*l) || input.ai.level() == Some(*l));
    for level in &measured {
        out.header.push(format!("AI by {} bytes (FLOP/B)", level.label()));
    }
    let data = &input.frame.data;
    let metrics = &input.frame.metrics;
    let mut total = 0u64;
    marks::each_visible(input, plot, |row, _, _, _| {
        total += 1;
        let r = row as usize;
        if out.rows.len() >= limit || r >= data.len() {
            return;
        }
        let [ai, rate, share] = &infos;
        let number = |info: &Option<FieldInfo>, v: f64| {
            let text = info.as_ref().map(|i| column_format::precise(i, v));
            text.unwrap_or_default()
        };
        let source = data.sources.get(usize::from(data.source[r]));
        let roof = metrics.roof(data, r);
        let mut cells = vec![
            source.map(|s| s.name.clone()).unwrap_or_default(),
            data.line[r].to_string(),
            shape_label(data.m[r], data.n[r], data.k[r], data.batch[r]),
            data.ops
                .get(usize::from(data.op[r]))
                .map(gemmscope_model::gemm::Operation::types)
                .unwrap_or_default(),
            number(ai, metrics.ai[r]),
            number(rate, metrics.rate(data, r)),
            number(rate, roof.map_or(f64::NAN, |f| f.at(metrics.ai[r]))),
            number(share, metrics.efficiency(data, r)),
            metrics.bound(data, r).map(|b| b.label().to_owned()).unwrap_or_default(),
        ];
        if colored {
            let code = usize::from(input.color_scale.code(r));
            cells.push(input.color_scale.names.get(code).cloned().unwrap_or_default());
        }
        for level in &measured {
            cells.push(number(ai, metrics.measured_ai(data, r, *level)));
        }
        out.rows.push(cells);
    });
    (out, total)
}
