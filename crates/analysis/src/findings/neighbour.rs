//! Rule: a GEMM is much slower than GEMMs of nearly its size.

use super::claims::at_most;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan};
use gemmscope_model::units::percent;
use std::collections::HashMap;

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
                reaches at least 1.5 times the efficiency; over 15 µs a call",
    confidence: Confidence::Likely,
    why: "A GEMM of nearly the same size runs much closer to the roof, so this device can do it.",
    path_a: "Pad the sizes to those of the faster neighbour, if the extra work is less than what is \
             lost.",
    path_b: "See which kernel each of the two uses, and try the neighbour's kernel on this \
             shape.",
    profile: "Profile both to see what they do differently.",
    check,
};

/// The cell of a size on a grid of neighbours.
fn cell(size: u32) -> i32 {
    (f64::from(size.max(1)).ln() / NEAR.ln()).floor() as i32
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let data = scan.data();
    let sizes = |g: u32| {
        let r = scan.groups[g as usize].row as usize;
        [data.m[r], data.n[r], data.k[r]]
    };
    let place = |g: u32| {
        let group = &scan.groups[g as usize];
        let r = group.row as usize;
        (data.op[r], data.device[r], data.batch[r], group.side)
    };
    type Cell = ((u16, u16, u32, u16), [i32; 3]);
    let mut cells: HashMap<Cell, Vec<u32>> = HashMap::new();
    for (i, g) in scan.checked() {
        if g.roof_s.is_finite() && !story::tiny(g) && g.efficiency() <= super::ANOMALY_EFFICIENCY {
            let at = (place(i), sizes(i).map(cell));
            cells.entry(at).or_default().push(i);
        }
    }
    // Of each cell the most efficient group is enough.
    let best: HashMap<Cell, u32> = cells
        .iter()
        .filter_map(|(at, groups)| {
            let efficiency = |g: &u32| scan.groups[*g as usize].efficiency();
            let best = groups
                .iter()
                .max_by(|a, b| efficiency(a).total_cmp(&efficiency(b)).then(b.cmp(a)))?;
            Some((*at, *best))
        })
        .collect();
    let near = |a: [u32; 3], b: [u32; 3]| {
        a != b
            && a.iter().zip(b).all(|(a, b)| {
                let ratio = f64::from(*a) / f64::from(b);
                (1.0 / NEAR..=NEAR).contains(&ratio)
            })
    };
    let mut hits = Vec::new();
    let mut partner: HashMap<u32, u32> = HashMap::new();
    for (at, groups) in &cells {
        for &g in groups {
            let group = &scan.groups[g as usize];
            let mut found: Option<u32> = None;
            for step in 0..27 {
                let [m, n, k] = at.1;
                let other = [m + step % 3 - 1, n + step / 3 % 3 - 1, k + step / 9 - 1];
                let Some(&b) = best.get(&(at.0, other)) else {
                    continue;
                };
                let efficiency = scan.groups[b as usize].efficiency();
                let better = found.is_none_or(|f| {
                    let held = scan.groups[f as usize].efficiency();
                    efficiency > held || (efficiency == held && b < f)
                });
                if near(sizes(g), sizes(b)) && better {
                    found = Some(b);
                }
            }
            let Some(b) = found else { continue };
            let reached = scan.groups[b as usize].efficiency();
            if reached < BETTER * group.efficiency() {
                continue;
            }
            let high = (group.time_s - group.roof_s / reached).clamp(0.0, at_most(group));
            hits.push(Hit {
                group: g,
                back: Some((0.5 * high, high)),
            });
            partner.insert(g, b);
        }
    }
    hits.sort_unstable_by_key(|h| h.group);
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
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs well below a neighbour of nearly their size"),
    )
}
