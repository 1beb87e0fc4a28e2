//! Rule: fewer workgroups than units, and K is too short to split.

use super::split_k::{back, few};
use super::story::{self, Hit};
use super::{Category, Confidence, Need, Rule, Scan};
use crate::tile_roof::Limit;

pub(super) const RULE: Rule = Rule {
    id: "few_workgroups",
    title: "Too few workgroups for the device",
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile, Need::Units],
    threshold: "one wave, the shape roof under 80 % of the device's, and K too short to split",
    confidence: Confidence::Likely,
    why: "The output has fewer tiles than the device has units, so that some never get work.",
    path_a: "Batch independent products of this kind (bmm, grouped GEMM) or raise the batch size.",
    path_b: "Choose a smaller tile, so that more workgroups share the output.",
    profile: "The number of workgroups is computed from the tile. A profile shows the launched \
              grid and the idle units.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| !g.roof_s.is_nan())
        .filter_map(|(i, g)| {
            let shape = scan.tile(g)?;
            (shape.limit() == Limit::FewWorkgroups).then(|| Hit { group: i, back: back(&shape, g) })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let title = format!("{}: {}", few(shape.as_ref()), scan.title(g));
            story::of_tile(scan, g, shape.as_ref(), title)
        },
        |n| format!("{n} GEMMs with too few workgroups for the device"),
    )
}
