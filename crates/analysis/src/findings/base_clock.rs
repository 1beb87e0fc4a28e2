//! Rule: rows measured far below the clock of the peak.

use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan};
use gemmscope_table::dataset::ColumnMeaning;

/// A clock below this fraction of the peak's clock is flagged.
pub(super) const LOW: f64 = 0.90;

pub(super) const RULE: Rule = Rule {
    id: "base_clock",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof, Need::Column(ColumnMeaning::MeasuredClock)],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let Some(clocks) = scan.data().numbers(ColumnMeaning::MeasuredClock) else {
        return Vec::new();
    };
    let ratio = |g: &Group| {
        let clock = clocks[g.row as usize];
        let peak = scan.device(g)?.clock_hz?;
        (clock > 0.0).then_some(clock / peak)
    };
    let hits = scan
        .checked()
        .filter(|(_, g)| ratio(g).is_some_and(|r| r < LOW))
        .map(|(i, _)| Hit::of(i))
        .collect();
    let fact = |g: &Group| {
        let row = g.row as usize;
        let problem = scan.problem(g);
        // The row's efficiency is at its own clock; this one is at the peak's clock.
        let device = scan.device(g);
        let roof = device.and_then(|d| d.roof(problem.op.compute, scan.metrics().kind));
        let full = roof.map_or(f64::NAN, |roof| roof.problem_time_s(&problem));
        Fact::LowClock {
            most: *g,
            clock_hz: clocks[row],
            ratio: ratio(g).unwrap_or(f64::NAN),
            at_full_clock: full / scan.data().time_s[row],
        }
    };
    hits::standing_out(rule, scan, hits, |g| g.time_s, fact)
}
