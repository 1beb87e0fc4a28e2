//! The findings that are sums of the ledger, as rules: one for each account that holds lost time.

use super::{Category, Kind, Need, Rule, sums};
use crate::ledger::Evidence;

/// What differs between the accounts of a measured alternative, and what they share.
const fn measured(
    id: &'static str,
    title: &'static str,
    category: Category,
    threshold: &'static str,
    paths: [&'static str; 2],
) -> Rule {
    Rule {
        id,
        title,
        kind: Kind::Lost,
        category,
        needs: &[Need::Time],
        threshold,
        basis: Evidence::Measured,
        why: "The same product was measured faster.",
        path_a: paths[0],
        path_b: paths[1],
        profile: "Run both reproducers one after the other; only then profile where the slower one \
                  spends its time.",
        check: sums::check,
    }
}

const SLOWER: &str = "The slower one may use a less tuned kernel: send the library's maintainers reproducers of both.";

pub(super) const KERNEL: Rule = measured(
    "kernel",
    "Another kernel is faster",
    Category::Library,
    "another kernel or tile of the same library ran it over 2 % faster",
    [
        "Nothing in the model: the choice of kernel is the library's.",
        "Ask for the faster kernel (a solution index, a tuned configuration), and send the \
         library's maintainers reproducers of both.",
    ],
);

pub(super) const LAYOUT: Rule = measured(
    "layout",
    "Another layout is faster",
    Category::Layout,
    "the operands stored the other way round ran over 2 % faster",
    [
        "Store the weights in the faster layout once, at load time, if the neighbouring operations \
         (in training, the backward pass) allow it.",
        SLOWER,
    ],
);

pub(super) const TYPE: Rule = measured(
    "type",
    "Another type is faster",
    Category::Precision,
    "another type with the same bytes and the same peak ran over 2 % faster",
    ["Use the other type if the numbers allow it.", SLOWER],
);

pub(super) const SIZE: Rule = measured(
    "size",
    "Padding is faster",
    Category::Layout,
    "a GEMM that is larger in exactly one of M, N, K ran over 2 % faster",
    [
        "Pad the size, if the model allows it: the extra rows or columns are zeros.",
        "Send the library's maintainers reproducers of both sizes: the smaller one should not take \
         longer.",
    ],
);

pub(super) const LIBRARY: Rule = measured(
    "library",
    "Another library or file is faster",
    Category::Library,
    "another library or file ran it over 2 % faster on the same device",
    [
        "Nothing in the model: the choice of library is enough.",
        "Choose the faster library for these shapes, or a dispatcher that measures both; send the \
         slower one's maintainers reproducers.",
    ],
);

// ANCHOR: launch
pub(super) const LAUNCH: Rule = Rule {
    id: "launch",
    title: "Launches",
    kind: Kind::Lost,
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof],
    threshold: "each call pays what starting, filling and draining a kernel takes however little it computes: 4.5 µs \
                (assumed: AMD's Origami counts that), but never more than the shortest call on the device, and nothing in a profiler's kernel times",
    basis: Evidence::Modelled,
    why: "Each call pays for its launch.",
    path_a: "Launch less: merge GEMMs that do not wait for each other (Q, K and V; a grouped GEMM), \
             batch equal ones, or fuse them into their neighbours.",
    path_b: "A kernel with fewer workgroups and less set-up helps a little; tuning the tile does not.",
    profile: "Time an empty kernel the same way: that is the floor of this device.",
    check: sums::check,
};
// ANCHOR_END: launch

pub(super) const TILE: Rule = Rule {
    id: "tile",
    title: "Padding and waves of the tile",
    kind: Kind::Lost,
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile, Need::Units],
    threshold: "the roof of the run's own tile is below the device's, and compute limits",
    basis: Evidence::Modelled,
    why: "Tiles that reach past the edge and waves that are not full leave units without useful work.",
    path_a: "Pad or cut the batch so that the tiles fill whole waves, where the model allows it.",
    path_b: "Choose a tile whose count fits the units.",
    profile: "One workgroup per unit is assumed. A profile shows the launched grid, the occupancy and \
              the units that idle at the end.",
    check: sums::check,
};

pub(super) const REST: Rule = Rule {
    id: "rest",
    title: "Unexplained",
    kind: Kind::Lost,
    category: Category::Efficiency,
    needs: &[Need::Time, Need::Roof],
    threshold: "time above the roof time that no faster run and no model explains",
    basis: Evidence::AtMost,
    why: "The device allows more than these GEMMs reach. Nobody has shown that they can be faster.",
    path_a: "Change the roof: a larger batch, fusion with a neighbour, a narrower type that this device \
             multiplies faster, or structured sparsity.",
    path_b: "Tune tile, split-K and stages for each shape, and try other libraries. Send the kernel \
             team reproducers.",
    profile: "Timings don't say why. Look for idle matrix units (low tensor or MFMA active cycles), the \
              bytes really moved, and the stall reason in a profile.",
    check: sums::check,
};

pub(super) const OTHERS: Rule = Rule {
    id: "others",
    title: "Smaller causes",
    kind: Kind::Lost,
    category: Category::Efficiency,
    needs: &[Need::Time],
    threshold: "several causes, each under 0.5 % of its side's time",
    basis: Evidence::Mixed,
    why: "Together they make the list add up to the lost time.",
    path_a: "",
    path_b: "",
    profile: "",
    check: sums::others,
};
