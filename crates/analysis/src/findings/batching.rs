//! Rule: many calls of the same small GEMM.

use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Kind, Need, Rule, Scan, Sign, signs};
use gemmscope_table::dataset::ColumnMeaning;

pub(super) const RULE: Rule = Rule {
    id: "batching",
    kind: Kind::Idea,
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof, Need::Column(ColumnMeaning::Count)],
    basis: Basis::AtMost,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let hits = scan
        .checked()
        .filter(|(_, g)| signs::has(scan, g, Sign::Repeats, None))
        .map(|(i, g)| Hit {
            group: i,
            // All calls batched into one take at least the roof time and at least the time of one call.
            alone_s: Some((g.time_s - g.roof_s.max(g.call_s())).max(0.0)),
        })
        .collect();
    hits::standing_out(rule, scan, hits, |g| g.time_s, |g| Fact::Repeats { most: *g })
}
