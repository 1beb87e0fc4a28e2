//! Rules: GEMMs that are unexpectedly slow compared with another run: in a narrow type compared with a wide one, and on
//! one platform compared with another.

use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan, is_quantized};
use crate::ledger::TIE;
use gemmscope_model::dtype::Family;
use std::collections::BTreeMap;

/// Ratio of times on two platforms from which their kernels should be compared.
const PLATFORMS: f64 = 5.0;

pub(super) const NARROW: Rule = Rule {
    id: "narrow",
    kind: Kind::Idea,
    category: Category::Precision,
    needs: &[Need::Time],
    basis: Basis::Measured,
    check: |rule, scan| check(rule, scan, &of_types),
};

pub(super) const PLATFORM: Rule = Rule {
    id: "platform",
    kind: Kind::Idea,
    category: Category::Efficiency,
    needs: &[Need::Time],
    basis: Basis::Measured,
    check: |rule, scan| check(rule, scan, &of_platforms),
};

/// True if the second of two GEMMs of the same sizes is unexpectedly faster than the first.
type Faster = dyn Fn(&Scan<'_>, &Group, &Group) -> bool;

/// A wide type beats a narrow one, on the same device and side.
fn of_types(scan: &Scan<'_>, slow: &Group, fast: &Group) -> bool {
    let wide = |g: &Group| {
        let family = scan.problem(g).op.compute.family();
        matches!(family, Some(Family::Fp16 | Family::Bf16))
    };
    let device = |g: &Group| scan.data().device[g.row as usize];
    is_quantized(&scan.problem(slow).op)
        && wide(fast)
        && (slow.side, device(slow)) == (fast.side, device(fast))
        && slow.call_s() > TIE * fast.call_s()
}

/// The same types on another device are faster than the ratio of the roofs explains.
fn of_platforms(scan: &Scan<'_>, slow: &Group, fast: &Group) -> bool {
    let device = |g: &Group| scan.data().device[g.row as usize];
    let roof = |g: &Group| g.roof_s / g.calls;
    let ratio = slow.call_s() / fast.call_s();
    let explained = ratio <= roof(slow) / roof(fast);
    scan.problem(slow).op.compute == scan.problem(fast).op.compute
        && device(slow) != device(fast)
        && ratio > PLATFORMS
        && !explained
}

fn check(rule: &Rule, scan: &Scan<'_>, faster: &Faster) -> Vec<FindingFacts> {
    let mut alike: BTreeMap<[u32; 4], Vec<u32>> = BTreeMap::new();
    for (i, g) in scan.checked() {
        let p = scan.problem(g);
        alike.entry([p.m, p.n, p.k, p.batch]).or_default().push(i);
    }
    let group = |i: u32| &scan.groups[i as usize];
    let mut pairs: Vec<(Hit, u32)> = Vec::new();
    for (_, same) in alike.into_iter().filter(|(_, same)| same.len() > 1) {
        for &slow in &same {
            let fast = same.iter().copied().filter(|fast| faster(scan, group(slow), group(*fast)));
            let Some(fast) = fast.min_by(|a, b| group(*a).call_s().total_cmp(&group(*b).call_s()))
            else {
                continue;
            };
            let saves = (group(slow).call_s() - group(fast).call_s()) * group(slow).calls;
            let alone_s = Some(saves).filter(|_| rule.id == NARROW.id);
            pairs.push((Hit { group: slow, alone_s }, fast));
        }
    }
    let beside = |hit: &Hit| pairs.iter().find(|p| p.0.group == hit.group).map(|p| group(p.1));
    let hits = pairs.iter().map(|p| p.0).collect();
    let sets: Vec<Vec<Hit>> = vec![hits];
    hits::joined(rule, scan, sets, |hits| {
        let worst =
            |h: &&Hit| beside(h).map_or(0.0, |fast| group(h.group).call_s() / fast.call_s());
        let hit = hits.iter().max_by(|a, b| worst(a).total_cmp(&worst(b)))?;
        let pair = [*group(hit.group), *beside(hit)?];
        Some(match rule.id == NARROW.id {
            true => Fact::SlowerType { pair },
            false => Fact::SlowerDevice { pair },
        })
    })
}
