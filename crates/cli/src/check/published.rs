//! Checks GEMMs against what others have published.

use super::{Published, SlowerThanOthers};
use gemmscope_table::field::{Frame, shape_label};

/// Checks every GEMM that counts and has a published time. It is over the limit if it is slower by more than `most`,
/// and by more than the error of the published time.
pub(super) fn against(frame: &Frame, most: f64) -> Published {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let mut out = Published { most, ..Published::default() };
    for row in frame.sets().into_iter().flat_map(|set| set.rows) {
        let row = row as usize;
        let time_s = data.time_s[row];
        let Some(others) = metrics.reference(data, row).filter(|_| time_s > 0.0) else {
            out.without += 1;
            continue;
        };
        out.compared += 1;
        if time_s <= others.time_s * (1.0 + most) {
            continue;
        }
        if time_s <= others.slow_s() {
            out.within_error += 1;
            continue;
        }
        out.rows.push(SlowerThanOthers {
            file: data
                .sources
                .get(usize::from(data.source[row]))
                .map_or_else(String::new, |s| s.name.clone()),
            line: data.line[row],
            gemm: shape_label(&data.problem(row)),
            types: data.ops[usize::from(data.op[row])].types(),
            longer: time_s / others.time_s - 1.0,
            published_s: others.time_s,
            now_s: time_s,
            by: others.by().to_owned(),
        });
    }
    out.rows.sort_by(|a, b| b.longer.total_cmp(&a.longer));
    if out.compared == 0 {
        out.why = Some(
            "published: no GEMM has a published time; `gemmscope reference` lists what there is"
                .into(),
        );
    } else {
        out.held = Some(out.rows.is_empty());
    }
    out
}
