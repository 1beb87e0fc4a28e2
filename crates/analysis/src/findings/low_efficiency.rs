//! Rule: far below the compute roof.

use super::advice;
use super::memory_bandwidth;
use super::story::{self, Hit, Story};
use super::{ANOMALY_EFFICIENCY, Category, Confidence, Group, MEDIUM_SHARE, Need, Rule, Scan};
use crate::tile_roof::{AT_TILE_ROOF, Limit};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::percent;

/// Below this, a GEMM is flagged whatever its time.
pub(super) const LOW: f64 = 0.40;
/// Below this, it is flagged if it takes over 5 % of the time.
pub(super) const FAIR: f64 = 0.60;
/// Efficiency that a tuned kernel usually reaches, for the low end of the savings.
pub(super) const REACHABLE: f64 = 0.80;

pub(super) const RULE: Rule = Rule {
    id: "low_efficiency",
    title: "Low efficiency",
    category: Category::Efficiency,
    needs: &[Need::Time, Need::Roof],
    threshold: "under 40 % of the roof, or under 60 % with over 5 % of the time; not launch-bound, \
                and if memory-bound under 10 %",
    confidence: Confidence::Certain,
    why: "These GEMMs run far below what the device delivers.",
    path_a: "Change the roof: a larger batch, fusion with a neighbour, a narrower type that \
             this device multiplies faster, or structured sparsity.",
    path_b: "Tune tile, split-K and stages for each shape, and try other libraries. Send the \
             kernel team reproducers.",
    profile: "Timings don't say why. Look for idle matrix units (low tensor or MFMA active \
              cycles) and the stall reason in a profile.",
    check,
};

/// The share of the roof that a good kernel reaches: [`REACHABLE`], and no more than the rate that
/// somebody measured.
fn reachable(scan: &Scan<'_>, g: &Group) -> f64 {
    let measured = || {
        let op = scan.problem(g).op;
        let [ours, measured] =
            [scan.roof(g)?, scan.device(g)?.roof(op.compute, RoofKind::Achievable)?]
                .map(|roof| roof.at(scan.metrics().ai[g.row as usize]));
        Some(measured / ours)
    };
    measured().map_or(REACHABLE, |share| share.min(REACHABLE))
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| {
            let e = g.efficiency();
            let low = e < LOW || (e < FAIR && scan.share(g, g.time_s) > MEDIUM_SHARE);
            low && e <= ANOMALY_EFFICIENCY
                && (scan.bound(g) != Some(Bound::Memory) || e < memory_bandwidth::NEITHER)
                && !story::tiny(g)
        })
        .map(|(i, g)| Hit {
            group: i,
            back: Some((g.saved_at(reachable(scan, g)), g.saved_at(1.0))),
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let explained = shape.as_ref().filter(|s| {
                s.roof.is_some()
                    && s.limit() != Limit::Kernel
                    && s.efficiency().is_some_and(|e| e >= AT_TILE_ROOF)
            });
            let second = shape
                .as_ref()
                .filter(|s| s.roof.is_some())
                .map_or(String::new(), |s| format!(" {}", s.sentence()));
            Story {
                title: format!(
                    "Only {} of the {}: {}",
                    percent(g.efficiency()),
                    scan.roof_name(),
                    scan.title(g)
                ),
                text: format!(
                    "{}. Attained {} where the roof allows {}.{second} The saving runs from reaching {} to \
                     reaching the roof.",
                    story::opening(scan, g),
                    story::rate(scan.rate(g)),
                    story::rate(scan.rate(g) / g.efficiency()),
                    match reachable(scan, g) < REACHABLE {
                        true => "the max-achievable rate".to_owned(),
                        false => format!("{} of the roof", percent(REACHABLE)),
                    },
                ),
                formula: story::roof_formula(scan, g),
                path_a: Some(advice::padded_then(scan, g, &advice::compute_path(scan, g))),
                path_b: explained.map(|_| {
                    "The kernel already does what its workgroups allow; tuning inside the tile \
                     gains little. Change how the problem is cut: split-K, tile size, batching."
                        .to_owned()
                }),
            }
        },
        |n| format!("{n} GEMMs far below the {}", scan.roof_name()),
    )
}
