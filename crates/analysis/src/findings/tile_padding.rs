//! Rule: tiles reach past the edge of the output.

use super::story::{self, Hit};
use super::{Category, Confidence, Need, Rule, Scan, skinny_tile};
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::percent;

/// A tile efficiency below this is flagged.
pub(super) const LOW: f64 = 0.90;
/// Share of the modelled gain for the low end of the savings.
pub(super) const REALISTIC: f64 = 0.5;

pub(super) const RULE: Rule = Rule {
    id: "tile_padding",
    title: "Tile padding",
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile],
    threshold: "tile efficiency under 90 %, not memory-limited",
    confidence: Confidence::Likely,
    why: "Edge tiles compute rows and columns outside the output.",
    path_a: "Choose sizes that are multiples of the tile where the model is free to (vocabulary, \
             hidden size, sequence padding).",
    path_b: "Choose a tile that divides the sizes better.",
    profile: "A profile shows more matrix instructions than 2MNK needs.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| !g.roof_s.is_nan() && scan.bound(g) != Some(Bound::Memory))
        .filter_map(|(i, g)| {
            let shape = scan.tile(g)?;
            let wasted = 1.0 - shape.tiling.tile_efficiency;
            let other = skinny_tile::is_wrong(&shape) || shape.memory_limited;
            if wasted <= 1.0 - LOW || other {
                return None;
            }
            let high = (g.time_s * wasted).min(g.saved_at(1.0));
            Some(Hit { group: i, back: Some((REALISTIC * high, high)) })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let wasted = shape.as_ref().map_or(f64::NAN, |s| 1.0 - s.tiling.tile_efficiency);
            let title =
                format!("{} of the tile area is padding: {}", percent(wasted), scan.title(g));
            story::of_tile(scan, g, shape.as_ref(), title)
        },
        |n| format!("{n} GEMMs whose tiles reach past the output"),
    )
}
