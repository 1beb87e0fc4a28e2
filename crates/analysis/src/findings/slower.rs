//! Rules: GEMMs that are slower than they should be beside another one that is open: in a narrow type than in a
//! wide one, and on one platform than on another.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Finding, Group, Kind, Need, Rule, Scan, is_quantized};
use crate::ledger::TIE;
use gemmscope_model::dtype::Family;
use gemmscope_model::hardware::short_name;
use gemmscope_model::units::{fixed, percent, plural};
use std::collections::BTreeMap;

/// The time on one platform over that on another from which kernels are to be compared.
const PLATFORMS: f64 = 5.0;

pub(super) const NARROW: Rule = Rule {
    id: "narrow",
    title: "A narrow type that is slower",
    kind: Kind::Idea,
    category: Category::Precision,
    needs: &[Need::Time],
    threshold: "8 bit or less takes over 2 % longer than fp16 or bf16 of the same sizes on the same device",
    basis: Basis::Measured,
    why: "A narrow type has the higher roof and should never be slower.",
    path_a: "Keep the wider type for these shapes: it is faster and loses no digits.",
    path_b: "The narrow kernel is not tuned for these shapes: time its other solutions and tiles, and send the \
             library's maintainers reproducers of both types.",
    profile: "Run both reproducers one after the other: conversion and scaling kernels beside the GEMM, and the \
              matrix instruction that it uses, show where the time goes.",
    check: |rule, scan| check(rule, scan, &of_types),
};

pub(super) const PLATFORM: Rule = Rule {
    id: "platform",
    title: "Over 5 times as slow as on another device",
    kind: Kind::Idea,
    category: Category::Efficiency,
    needs: &[Need::Time],
    threshold: "over 5 times as slow as the same GEMM on another device, and by more than the roofs of the two differ",
    basis: Basis::Measured,
    why: "Devices of one age differ by less: the kernel is at fault before the device is.",
    path_a: "Batch more of them into one call (torch.bmm, or a grouped GEMM), or run this shape on the faster device.",
    path_b: "Compare the kernels of the two devices and send the slower one's library reproducers: another kernel, \
             tile or layout is likely.",
    profile: "Profile both: the kernel's name, its grid and the bytes that it moves tell what differs.",
    check: |rule, scan| check(rule, scan, &of_platforms),
};

/// True where the second of two GEMMs of the same sizes is faster as it should not be.
type Faster = dyn Fn(&Scan<'_>, &Group, &Group) -> bool;

/// The wide type beside a narrow one, on one device and side.
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

/// The same types on another device; a device with a lower roof may be slower by as much.
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

fn check(rule: &Rule, scan: &Scan<'_>, faster: &Faster) -> Vec<Finding> {
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
    story::joined(rule, scan, sets, |hits| {
        let worst =
            |h: &&Hit| beside(h).map_or(0.0, |fast| group(h.group).call_s() / fast.call_s());
        let Some(hit) = hits.iter().max_by(|a, b| worst(a).total_cmp(&worst(b))) else {
            return Story::default();
        };
        let (slow, Some(fast)) = (group(hit.group), beside(hit)) else { return Story::default() };
        tell(rule, scan, slow, fast, hits.len())
    })
}

fn tell(rule: &Rule, scan: &Scan<'_>, slow: &Group, fast: &Group, count: usize) -> Story {
    let ratio = slow.call_s() / fast.call_s();
    let types = [slow, fast].map(|g| scan.problem(g).op.compute.name());
    let device = |g| scan.device(g).map_or("another device".to_owned(), |d| short_name(&d.name));
    let gemms = plural(count as u64, "GEMM");
    let (title, by, other) = match rule.id == NARROW.id {
        true => (
            format!("{} is slower than {}: {gemms}", types[0], types[1]),
            format!("{} longer", percent(ratio - 1.0)),
            types[1].to_owned(),
        ),
        false => (
            format!("Over 5 times as slow as on {}: {gemms}", device(fast)),
            format!("{} times as long", fixed(ratio, 1)),
            device(fast),
        ),
    };
    let times = [slow, fast].map(|g| story::time(g.call_s()));
    Story {
        title,
        text: format!(
            "Most in {}: {} a call, {by} than the {} of {other}.",
            scan.problem(slow),
            times[0],
            times[1]
        ),
        formula: (story::brief("time of a call", slow.call_s())
            / story::brief("of the faster one", fast.call_s()))
        .result(|ratio| fixed(ratio, 2)),
        most: Some(slow.row),
        faster: Some(fast.row),
        ..Story::default()
    }
}
