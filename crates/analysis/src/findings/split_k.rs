//! Rule: few tiles and a long K, which could be split further.

use super::story::{self, Hit};
use super::{Category, Confidence, Need, Rule, Scan};
use crate::tile_roof::{Limit, RowTile, SplitK};
use gemmscope_model::units::plural;

/// Share of the modelled gain for the low end, since moving and adding the parts takes time.
pub(super) const REALISTIC: f64 = 0.5;

pub(super) const RULE: Rule = Rule {
    id: "split_k",
    title: "Split-K missing, or too small",
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile, Need::Units],
    threshold: "one wave, the shape roof under 80 % of the device's, and K long enough (512 a part) \
                for twice the split",
    confidence: Confidence::Likely,
    why: "Most units have no workgroup, while K is long enough to split.",
    path_a: "Batch independent products of this kind, so that there are more tiles.",
    path_b: "Choose a kernel with more split-K (GSU, split_k_slices) or stream-K for this \
             shape; a better kernel with the same split gains little.",
    profile: "The number of workgroups is computed from the tile. A profile shows the launched \
              grid and the idle units.",
    check,
};

/// Seconds that more workgroups could save: the empty part of the wave, but not below the roof.
pub(super) fn back(shape: &RowTile, g: &super::Group) -> Option<(f64, f64)> {
    let waves = shape.waves?;
    let high = (g.time_s * (1.0 - waves.wave_efficiency)).min(g.saved_at(1.0));
    Some((REALISTIC * high, high))
}

/// `Only 8 workgroups for 304 CUs`; `Too few workgroups` if the tile is not known.
pub(super) fn few(shape: Option<&RowTile>) -> String {
    let known = shape.and_then(|s| Some((s.tiling.workgroups(), s.units.as_ref()?)));
    known.map_or("Too few workgroups".to_owned(), |(count, (units, kind))| {
        format!("Only {} for {units} {kind}s", plural(count, "workgroup"))
    })
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| !g.roof_s.is_nan())
        .filter_map(|(i, g)| {
            let shape = scan.tile(g)?;
            // A split-K that is chosen at launch is unknown, so nothing is flagged.
            let seen = shape.split_k != SplitK::AtRunTime;
            (seen && shape.limit() == Limit::SplitK)
                .then(|| Hit { group: i, back: back(&shape, g) })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let (now, room) =
                shape.as_ref().map_or((1, 1), |s| (s.split_k.factor(), s.split_k_room()));
            let how = match shape.as_ref().map(|s| s.split_k) {
                Some(SplitK::Launched(s)) => {
                    format!(" The launched grid shows a split of {s} chosen when it ran.")
                }
                _ => String::new(),
            };
            let title =
                format!("{}, split K {now} -> {room}: {}", few(shape.as_ref()), scan.title(g));
            let mut story = story::of_tile(scan, g, shape.as_ref(), title);
            story.text += &how;
            story
        },
        |n| format!("{n} GEMMs with too few workgroups and a long K"),
    )
}
