//! Rule: the last wave is not full.

use super::story::{self, Hit};
use super::{Category, Confidence, Need, Rule, Scan};
use crate::tile_roof::SplitK;
use gemmscope_model::units::percent;

/// A wave efficiency below this is flagged.
pub(super) const LOW: f64 = 0.80;
/// Share of the modelled gain for the low end of the savings.
pub(super) const REALISTIC: f64 = 0.5;

pub(super) const RULE: Rule = Rule {
    id: "tail_wave",
    title: "Tail wave",
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile, Need::Units],
    threshold: "more than one wave and wave efficiency under 80 %, not memory-limited",
    confidence: Confidence::Likely,
    why: "The last wave of workgroups leaves many units without work while the others finish.",
    path_a: "Pad or cut the batch so that the tiles fill whole waves, where the model allows it.",
    path_b: "Choose a tile whose count fits the units, or a stream-K kernel, which shares the last \
             wave out.",
    profile: "One workgroup per unit is assumed. A profile shows the occupancy and the units \
              that idle at the end.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| !g.roof_s.is_nan())
        .filter_map(|(i, g)| {
            let shape = scan.tile(g)?;
            let waves = shape.waves?;
            let tail = waves.waves > 1 && waves.wave_efficiency < LOW;
            if !tail || shape.memory_limited || shape.split_k == SplitK::AtRunTime {
                return None;
            }
            let high = (g.time_s * (1.0 - waves.wave_efficiency)).min(g.saved_at(1.0));
            Some(Hit { group: i, back: Some((REALISTIC * high, high)) })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let waves = shape.as_ref().and_then(|s| s.waves);
            let title = format!(
                "{} waves, on average {} full: {}",
                waves.map_or(0, |w| w.waves),
                percent(waves.map_or(f64::NAN, |w| w.wave_efficiency)),
                scan.title(g)
            );
            story::of_tile(scan, g, shape.as_ref(), title)
        },
        |n| format!("{n} GEMMs whose last wave is mostly empty"),
    )
}
