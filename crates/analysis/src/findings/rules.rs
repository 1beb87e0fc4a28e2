//! Rules that report sums of the ledger: one per account of lost time.

use super::{Category, Kind, Need, Rule, causes};
use crate::ledger::Evidence;

/// Rule of a measured alternative's account; only id and category differ.
const fn measured(id: &'static str, category: Category) -> Rule {
    Rule {
        id,
        kind: Kind::Lost,
        category,
        needs: &[Need::Time],
        basis: Evidence::Measured,
        check: causes::check,
    }
}

pub(super) const KERNEL: Rule = measured("kernel", Category::Library);
pub(super) const LAYOUT: Rule = measured("layout", Category::Layout);
pub(super) const TYPE: Rule = measured("type", Category::Precision);
pub(super) const SIZE: Rule = measured("size", Category::Layout);
pub(super) const LIBRARY: Rule = measured("library", Category::Library);

// ANCHOR: launch
pub(super) const LAUNCH: Rule = Rule {
    id: "launch",
    kind: Kind::Lost,
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof],
    basis: Evidence::Modelled,
    check: causes::check,
};
// ANCHOR_END: launch

pub(super) const TILE: Rule = Rule {
    id: "tile",
    kind: Kind::Lost,
    category: Category::Tiling,
    needs: &[Need::Time, Need::Roof, Need::Tile, Need::Units],
    basis: Evidence::Modelled,
    check: causes::check,
};

pub(super) const PUBLISHED: Rule = Rule {
    id: "published",
    kind: Kind::Lost,
    category: Category::Efficiency,
    needs: &[Need::Time, Need::Roof, Need::Reference],
    basis: Evidence::Published,
    check: causes::check,
};

pub(super) const REST: Rule = Rule {
    id: "rest",
    kind: Kind::Lost,
    category: Category::Efficiency,
    needs: &[Need::Time, Need::Roof],
    basis: Evidence::AtMost,
    check: causes::check,
};
