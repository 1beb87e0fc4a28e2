//! Rule: the clock was far below the clock of the peak.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Group, Kind, Need, Rule, Scan};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::ColumnMeaning;

/// A clock below this share of the peak's clock is flagged.
pub(super) const LOW: f64 = 0.90;

pub(super) const RULE: Rule = Rule {
    id: "base_clock",
    title: "Measured at a lower clock",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[
        Need::Time,
        Need::Roof,
        Need::Column(ColumnMeaning::MeasuredClock, "the clock during the measurement"),
    ],
    threshold: "the recorded clock is under 90 % of the one that the device's peak is of",
    basis: Basis::Arithmetic,
    why: "Profilers lock the clock to its base by default, and a peak falls with the clock.",
    path_a: "Nothing: these rows are judged by the peak at their own clock, here and in the table.",
    path_b: "Measure again with the clock unlocked (--clock-control none) before tuning anything.",
    profile: "The profile has the clock; only a run without the lock gives the real time.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
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
    let tell = |g: &Group| {
        let row = g.row as usize;
        let r = ratio(g).unwrap_or(f64::NAN);
        let problem = scan.problem(g);
        // The row's efficiency uses its own clock; the other one uses the peak's clock.
        let then = percent(g.efficiency());
        let device = scan.device(g);
        let roof = device.and_then(|d| d.roof(problem.op.compute, scan.metrics().kind));
        let full = roof.map_or(f64::NAN, |roof| roof.problem_time_s(&problem));
        let full = percent(full / scan.data().time_s[row]);
        Story {
            title: format!("{then} at its own clock, not {full}: {}", scan.title(g)),
            text: format!(
                "{}. Measured at {:.0} MHz, {} of the clock that the peak is of.",
                story::opening(scan, g),
                clocks[row] / 1e6,
                percent(r)
            ),
            formula: story::roof_formula(scan, g),
            ..Story::default()
        }
    };
    let many = |n| format!("{n} rows measured at a lower clock");
    story::standing_out(rule, scan, hits, |g| g.time_s, tell, many)
}
