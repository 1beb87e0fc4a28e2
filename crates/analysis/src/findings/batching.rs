//! Rule: many calls of the same small GEMM.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Group, Kind, Need, Rule, Scan, Sign, signs};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::ColumnMeaning;

pub(super) const RULE: Rule = Rule {
    id: "batching",
    title: "Repeated identical GEMMs that could batch",
    kind: Kind::Idea,
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof, Need::Column(ColumnMeaning::Count, "a number of calls")],
    threshold: "16 calls or more of one shape, each under 200 µs and under 40 % of the roof",
    basis: Basis::AtMost,
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
        .filter(|(_, g)| signs::has(scan, g, Sign::Repeats, None))
        .map(|(i, g)| Hit {
            group: i,
            // All calls in one take at least the roof time and at least the time of one call.
            alone_s: Some((g.time_s - g.roof_s.max(g.call_s())).max(0.0)),
        })
        .collect();
    let tell = |g: &Group| Story {
        title: format!("{} of one GEMM: {}", story::calls(g.calls), scan.title(g)),
        text: format!(
            "{}. Each call reaches {} of the roof; together they could fill the device, if \
             they are independent of each other.",
            story::opening(scan, g),
            percent(g.efficiency())
        ),
        formula: {
            let least =
                story::brief("one call", g.call_s()).max(story::brief("roof of all", g.roof_s));
            let saved = story::brief("all calls", g.time_s) - least;
            saved.result(|s| story::time(s.0.max(0.0)))
        },
        ..Story::default()
    };
    let many = |n| format!("{n} GEMMs that repeat and could batch");
    story::standing_out(rule, scan, hits, |g| g.time_s, tell, many)
}
