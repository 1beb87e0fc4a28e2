//! Finds groups of the same shape that differ in one thing: type, layout or library.

use super::Scan;

/// Sets of groups with equal sizes, device and value of `also`; only sets of two or more groups,
/// each in ascending order. Groups for which `also` is `None` are left out.
pub(super) fn sets(scan: &Scan<'_>, also: impl Fn(u32) -> Option<u64>) -> Vec<Vec<u32>> {
    let data = scan.data();
    let mut keyed: Vec<([u32; 5], u64, u32)> = (0u32..)
        .zip(&scan.groups)
        .filter_map(|(i, g)| {
            let r = g.row as usize;
            let sizes = [
                data.m[r],
                data.n[r],
                data.k[r],
                data.batch[r],
                u32::from(data.device[r]),
            ];
            Some((sizes, also(i)?, i))
        })
        .collect();
    keyed.sort_unstable();
    keyed
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter(|set| set.len() > 1)
        .map(|set| set.iter().map(|(_, _, g)| *g).collect())
        .collect()
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
