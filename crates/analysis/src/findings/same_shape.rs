//! Finds groups of the same shape that differ in one thing: type, layout or library.

use super::Scan;
use gemmscope_model::order::InOrder;
use gemmscope_table::group::{by_key, mix};

/// Groups of one shape on one device that are not alone, one set after another.
#[derive(Debug, Default)]
pub(super) struct SameShape {
    groups: Vec<u32>,
    /// Ends of the sets in `groups`.
    ends: Vec<usize>,
}

impl SameShape {
    /// Brings the groups of each shape together, in the order of the first of each.
    pub(super) fn of(scan: &Scan<'_>) -> Self {
        let data = scan.data();
        let row = |g: u32| scan.groups[g as usize].row as usize;
        let shape = |g: u32| {
            let r = row(g);
            let device = u32::from(data.device[r]);
            [data.m[r], data.n[r], data.k[r], data.batch[r], device]
        };
        let all: Vec<u32> = (0..scan.groups.len() as u32).collect();
        let keys = by_key(&all, &|g| mix(data.sizes_hash(row(g)), u64::from(data.device[row(g)])));
        let mut sets: Vec<Vec<u32>> = Vec::new();
        for run in keys.chunk_by(|a, b| a.0 == b.0).filter(|r| r.len() > 1) {
            // Different shapes may have one key.
            let mut run: Vec<([u32; 5], u32)> = run.iter().map(|k| (shape(k.1), k.1)).collect();
            run.sort_unstable();
            let alike = run.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1);
            sets.extend(alike.map(|s| s.iter().map(|g| g.1).collect()));
        }
        sets.order_by_key(|s| s[0]);
        let mut out = SameShape::default();
        for set in sets {
            out.groups.extend(set);
            out.ends.push(out.groups.len());
        }
        out
    }

    fn sets(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.groups[from..to])
    }
}

/// Sets of groups with equal sizes, device and value of `also`; only sets of two or more groups,
/// each in ascending order. Groups for which `also` is `None` are left out.
pub(super) fn sets(scan: &Scan<'_>, also: impl Fn(u32) -> Option<u64>) -> Vec<Vec<u32>> {
    let mut out = Vec::new();
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    for set in scan.same_shape().sets() {
        keyed.clear();
        keyed.extend(set.iter().filter_map(|&g| Some((also(g)?, g))));
        keyed.sort_unstable();
        let alike = keyed.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1);
        out.extend(alike.map(|s| s.iter().map(|g| g.1).collect()));
    }
    out
}

/// A group that is slower than another one of its set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loser {
    /// The group.
    pub group: u32,
    /// The fastest of its set.
    pub fastest: u32,
    /// Seconds that all its calls take longer than calls of the fastest group would.
    pub gap_s: f64,
}

/// The fastest groups of each kind whose call takes more than `slower` times as long as that of
/// the fastest group.
pub(super) fn losers<K: PartialEq>(
    scan: &Scan<'_>,
    sets: &[Vec<u32>],
    kind: impl Fn(u32) -> K,
    slower: f64,
) -> Vec<Loser> {
    let call = |g: u32| scan.groups[g as usize].call_s();
    let mut out = Vec::new();
    for set in sets {
        let best = fastest_by(scan, set, &kind);
        let all = best.iter().map(|(_, g)| *g);
        let Some(fastest) = all.clone().min_by(|a, b| call(*a).total_cmp(&call(*b))) else {
            continue;
        };
        let lost = all.filter(|&g| call(g) > slower * call(fastest));
        out.extend(lost.map(|group| Loser {
            group,
            fastest,
            gap_s: (call(group) - call(fastest)) * scan.groups[group as usize].calls,
        }));
    }
    out
}

/// The fastest group of each kind in a set, in order of first appearance.
pub(super) fn fastest_by<K: PartialEq>(
    scan: &Scan<'_>,
    set: &[u32],
    kind: impl Fn(u32) -> K,
) -> Vec<(K, u32)> {
    let mut best: Vec<(K, u32)> = Vec::new();
    let call = |g: u32| scan.groups[g as usize].call_s();
    for &g in set {
        let k = kind(g);
        match best.iter_mut().find(|(have, _)| *have == k) {
            Some((_, held)) if call(g) < call(*held) => *held = g,
            Some(_) => {}
            None => best.push((k, g)),
        }
    }
    best
}
