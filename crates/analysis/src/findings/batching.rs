//! Rule: many calls of the same small GEMM.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Kind, Need, Rule, Scan};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::ColumnMeaning;

/// This many calls or more are flagged.
pub(super) const MANY_CALLS: f64 = 16.0;
/// A call below this efficiency leaves room for others on the device.
pub(super) const LOW: f64 = 0.40;
/// A longer call fills the device, whatever its efficiency.
pub(super) const SHORT_CALL_S: f64 = 200e-6;

pub(super) const RULE: Rule = Rule {
    id: "batching",
    title: "Repeated identical GEMMs that could batch",
    kind: Kind::Idea,
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof, Need::Column(ColumnMeaning::Count, "a number of calls")],
    threshold: "16 calls or more of one shape, each under 200 µs and under 40 % of the roof",
    basis: Basis::Modelled,
    why: "Many equal GEMMs that each leave most of the device idle could share it.",
    path_a: "If the calls do not depend on each other, batch them (torch.bmm, grouped GEMM, \
             stacked weights for Q, K and V); torch.compile may do it by itself.",
    path_b: "If they depend on each other, a smaller tile or split-K is the only way to fill the \
             device.",
    profile: "A timeline shows whether the calls are independent and run one after another.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| {
            let many = scan.is_program(g) && g.calls >= MANY_CALLS;
            many && g.call_s() < SHORT_CALL_S && g.efficiency() < LOW
        })
        .map(|(i, g)| Hit {
            group: i,
            // All calls in one take at least the roof time and at least the time of one call.
            saves_s: Some((g.time_s - g.roof_s.max(g.call_s())).max(0.0)),
        })
        .collect();
    story::joined(rule, scan, vec![hits], |hits| {
        let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
        let Some(g) = groups.max_by(|a, b| a.time_s.total_cmp(&b.time_s)) else {
            return Story::default();
        };
        let one = Story {
            title: format!("{} of one GEMM: {}", story::calls(g.calls), scan.title(g)),
            text: format!(
                "{}. Each call reaches {} of the roof; together they could fill the device, if \
                 they are independent of each other.",
                story::opening(scan, g),
                percent(g.efficiency())
            ),
            formula: format!(
                "{}; all calls in one: at least max(one call, roof of all) = max({}, {})",
                story::roof_formula(scan, g),
                story::time(g.call_s()),
                story::time(g.roof_s)
            ),
            ..Story::default()
        };
        match hits.len() {
            0 | 1 => one,
            _ => Story {
                title: format!("{} GEMMs that repeat and could batch", hits.len()),
                text: format!("The one that stands out most, {}: {}", scan.title(g), one.text),
                ..one
            },
        }
    })
}
