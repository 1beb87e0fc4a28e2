//! Rule: a GEMM is much slower than GEMMs of nearly its size.

use super::claims::at_most;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::percent;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Sizes within this factor of each other are neighbours.
pub(super) const NEAR: f64 = 1.25;
/// The neighbour's efficiency must be at least this many times as high.
pub(super) const BETTER: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    id: "neighbour",
    title: "Slower than its neighbours",
    category: Category::Library,
    needs: &[Need::Time, Need::Roof],
    threshold: "a GEMM of the same types and layout, with M, N and K within a factor of 1.25, \
                reaches at least 1.5 times the efficiency; over 15 µs per call",
    confidence: Confidence::Likely,
    why: "A GEMM of nearly the same size runs much closer to the roof, so this device can do it.",
    path_a: "Pad the sizes to those of the faster neighbour, if the extra work is less than what is \
             lost.",
    path_b: "See which kernel each of the two uses, and try the neighbour's kernel on this \
             shape.",
    profile: "Profile both to see what they do differently.",
    check,
};

/// The cell of a size on a grid of neighbours, from 1 on; below 128.
fn cell(size: u32) -> u64 {
    (f64::from(size.max(1)).ln() / NEAR.ln()) as u64 + 1
}

/// Bits of a cell's number.
const BITS: u32 = 7;

/// GEMMs of one place and one cell of sizes: consecutive entries of a sorted list.
struct Cell {
    /// Number of the place, then the cells of M, N and K.
    key: u64,
    groups: Range<usize>,
    /// The most efficient of them, of several the first.
    best: u32,
}

/// Cells in the order of their keys, and the groups of each.
fn cells(scan: &Scan<'_>) -> (Vec<Cell>, Vec<(u64, u32)>) {
    let data = scan.data();
    let mut places: FxHashMap<(u16, u16, u32, u16), u64> = FxHashMap::default();
    let mut keys: Vec<(u64, u32)> = Vec::new();
    for (i, g) in scan.checked() {
        let fit = g.roof_s.is_finite() && g.efficiency() <= super::ANOMALY_EFFICIENCY;
        if !fit || story::tiny(g) {
            continue;
        }
        let r = g.row as usize;
        let next = places.len() as u64;
        let place = (data.op[r], data.device[r], data.batch[r], g.side);
        let place = *places.entry(place).or_insert(next);
        let sizes = [data.m[r], data.n[r], data.k[r]].map(cell);
        keys.push((sizes.iter().fold(place, |key, c| key << BITS | c), i));
    }
    keys.sort_unstable();
    let efficiency = |g: u32| scan.groups[g as usize].efficiency();
    let mut cells: Vec<Cell> = Vec::new();
    for (at, &(key, g)) in keys.iter().enumerate() {
        match cells.last_mut() {
            Some(cell) if cell.key == key => {
                cell.groups.end = at + 1;
                if efficiency(g) > efficiency(cell.best) {
                    cell.best = g;
                }
            }
            _ => cells.push(Cell { key, groups: at..at + 1, best: g }),
        }
    }
    (cells, keys)
}

/// Calls `f` with each cell and the cells around it, itself included.
fn around(cells: &[Cell], mut f: impl FnMut(&Cell, &[u32])) {
    let step = [!0, 0, 1_u64];
    let offsets = step.map(|m| step.map(|n| (m << (2 * BITS)).wrapping_add(n << BITS)));
    // Cells are in order, so those at an offset are too: each is found behind the one before.
    let mut next = [0; 9];
    let mut found = Vec::with_capacity(27);
    for cell in cells {
        found.clear();
        for (offset, at) in offsets.iter().flatten().zip(&mut next) {
            let middle = cell.key.wrapping_add(*offset);
            let before = |c: &&Cell| c.key < middle - 1;
            *at += cells[*at..].iter().take_while(before).count();
            let near = cells[*at..].iter().take_while(|c| c.key <= middle + 1);
            found.extend(near.map(|c| c.best));
        }
        f(cell, &found);
    }
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let data = scan.data();
    let sizes = |g: u32| {
        let r = scan.groups[g as usize].row as usize;
        [data.m[r], data.n[r], data.k[r]]
    };
    let near = |a: [u32; 3], b: [u32; 3]| {
        a != b
            && a.iter().zip(b).all(|(a, b)| {
                let ratio = f64::from(*a) / f64::from(b);
                (1.0 / NEAR..=NEAR).contains(&ratio)
            })
    };
    let (cells, keys) = cells(scan);
    let mut hits = Vec::new();
    let mut partner: FxHashMap<u32, u32> = FxHashMap::default();
    let mut best: Vec<(f64, u32)> = Vec::with_capacity(27);
    around(&cells, |cell, found| {
        best.clear();
        best.extend(found.iter().map(|&g| (scan.groups[g as usize].efficiency(), g)));
        // The most efficient first, of several the first group.
        best.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, g) in &keys[cell.groups.clone()] {
            let group = &scan.groups[g as usize];
            let least = BETTER * group.efficiency();
            let mut better = best.iter().take_while(|(efficiency, _)| *efficiency >= least);
            let Some(&(reached, b)) = better.find(|(_, b)| near(sizes(g), sizes(*b))) else {
                continue;
            };
            let high = (group.time_s - group.roof_s / reached).clamp(0.0, at_most(rule, group));
            hits.push(Hit { group: g, back: Some((0.5 * high, high)) });
            partner.insert(g, b);
        }
    });
    hits.order_by_key(|h| h.group);
    story::findings(
        rule,
        scan,
        hits,
        |hit, g| {
            let other = partner.get(&hit.group).copied().unwrap_or(hit.group);
            let other = &scan.groups[other as usize];
            Story {
                title: format!(
                    "{:.1}x below its neighbour: {}",
                    other.efficiency() / g.efficiency(),
                    scan.title(g)
                ),
                text: format!(
                    "{}. It reaches {} of the {}; {} reaches {}.",
                    story::opening(scan, g),
                    percent(g.efficiency()),
                    scan.roof_name(),
                    scan.problem(other),
                    percent(other.efficiency()),
                ),
                formula: format!(
                    "efficiency of the neighbour / own = {} / {} = {:.2}",
                    percent(other.efficiency()),
                    percent(g.efficiency()),
                    other.efficiency() / g.efficiency()
                ),
                path_a: smaller(scan, other, g).then(|| {
                    "Choose a size that runs fast where the model is free to: padding does not lead \
                     to the faster neighbour, which is smaller."
                        .to_owned()
                }),
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs well below a neighbour of nearly their size"),
    )
}

/// True if `other` is smaller than `group` in M, N or K, so that padding does not lead there.
fn smaller(scan: &Scan<'_>, other: &super::Group, group: &super::Group) -> bool {
    let (a, b) = (scan.problem(other), scan.problem(group));
    a.m < b.m || a.n < b.n || a.k < b.k
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every cell that is one step away at most is found, and no other.
        #[test]
        fn cells_around_a_cell_are_found(keys in proptest::collection::btree_set((0..3_u64, 1..6_u64, 1..6_u64, 1..6_u64), 1..60)) {
            let keys: Vec<_> = keys.into_iter().collect();
            let cells: Vec<Cell> = (0..)
                .zip(&keys)
                .map(|(best, (place, m, n, k))| Cell {
                    key: ((place << BITS | m) << BITS | n) << BITS | k,
                    groups: 0..1,
                    best,
                })
                .collect();
            around(&cells, |cell, found| {
                let of = keys[cell.best as usize];
                let near = |other: &(u64, u64, u64, u64)| {
                    other.0 == of.0
                        && other.1.abs_diff(of.1) <= 1
                        && other.2.abs_diff(of.2) <= 1
                        && other.3.abs_diff(of.3) <= 1
                };
                let want: Vec<u32> = (0..).zip(&keys).filter(|(_, k)| near(k)).map(|(i, _)| i).collect();
                let mut found = found.to_vec();
                found.sort_unstable();
                assert_eq!(found, want);
            });
        }
    }

    #[test]
    fn every_size_has_a_cell_of_seven_bits() {
        assert_eq!(cell(1), 1);
        assert!(cell(u32::MAX) + 1 < 1 << BITS);
        // A factor of NEAR is one cell further.
        assert!((1..4096).all(|size| cell(size * 5 / 4) <= cell(size) + 1));
    }
}
