//! Rule: the tile is much wider than the output.

use super::story::{self, Hit};
use super::{Category, Confidence, Need, Rule, Scan};
use crate::tile_roof::RowTile;

/// A side of up to this size is skinny.
pub(super) const SKINNY: u32 = 64;
/// The tile covers at least this many times the skinny side.
pub(super) const TOO_WIDE: u32 = 2;

pub(super) const RULE: Rule = Rule {
    id: "skinny_tile",
    title: "Wrong tile for a skinny shape",
    category: Category::Tiling,
    needs: &[Need::Time, Need::Tile],
    threshold: "M or N up to 64, and a tile at least twice as wide on that side",
    confidence: Confidence::Likely,
    why: "Half or more of every tile lies outside the output.",
    path_a: "Batch more rows into the product (continuous batching, speculative tokens), so that \
             the tile fills.",
    path_b: "Ask for a kernel with a tile of 16 or 32 on the skinny side, or a matrix-vector \
             kernel; a column-major library may have the sides swapped, so check which is which.",
    profile: "Memory-bound shapes may hide the waste. A profile shows matrix instructions \
              beyond 2MNK and how busy the matrix units are.",
    check,
};

/// True if the tile is at least twice as wide as a skinny side.
pub(super) fn is_wrong(shape: &RowTile) -> bool {
    let [m, n, _, _] = shape.sizes;
    let too_wide =
        |size: u32, tile: u32| size <= SKINNY && tile >= size.saturating_mul(TOO_WIDE) && tile > 16;
    too_wide(m, shape.tile.m) || too_wide(n, shape.tile.n)
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter_map(|(i, g)| {
            let shape = scan.tile(g)?;
            is_wrong(&shape).then(|| Hit {
                group: i,
                // If memory limits the shape, the padding may cost nothing.
                back: (!shape.memory_limited && !g.roof_s.is_nan()).then(|| {
                    let wasted = 1.0 - shape.tiling.tile_efficiency;
                    (0.0, (g.time_s * wasted).min(g.saved_at(1.0)))
                }),
            })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let shape = scan.tile(g);
            let tile =
                shape.as_ref().map_or(String::new(), |s| format!("{}x{}", s.tile.m, s.tile.n));
            let title = format!("{tile} tile is mostly padding for {}", scan.title(g));
            story::of_tile(scan, g, shape.as_ref(), title)
        },
        |n| format!("{n} skinny GEMMs whose tile is too wide"),
    )
}
