//! Rule: a larger GEMM takes less time.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{plural, seconds_brief};
use rustc_hash::FxHashMap;

/// A GEMM must take at least this many times as long as the larger one.
pub(super) const SLOWER: f64 = 1.5;
/// The part of the difference that padding saves at least.
const REALISTIC: f64 = 0.8;

pub(super) const RULE: Rule = Rule {
    id: "larger",
    title: "A larger GEMM is faster",
    category: Category::Library,
    needs: &[Need::Time],
    threshold: "a GEMM of the same types, layout and batch, larger in one of M, N and K and equal in \
                the others, takes at most two thirds of the time; not launch-bound",
    confidence: Confidence::Certain,
    why: "More work is done in less time, so the kernel for the smaller size is a bad choice.",
    path_a: "Pad the size to that of the faster GEMM.",
    path_b: "Let the library use the kernel of the larger size for this one too: it changes \
             kernels at the wrong size.",
    profile: "Run the padded size, and compare.",
    check,
};

/// The larger GEMM that is faster than another, and the side in which it is larger.
#[derive(Clone, Copy)]
struct Faster {
    group: u32,
    axis: usize,
}

fn sizes(scan: &Scan<'_>, group: u32) -> [u32; 3] {
    let (data, r) = (scan.data(), scan.groups[group as usize].row as usize);
    [data.m[r], data.n[r], data.k[r]]
}

/// By group, the fastest GEMM that is larger in one side only.
fn faster(scan: &Scan<'_>) -> FxHashMap<u32, Faster> {
    let data = scan.data();
    let call = |g: u32| scan.groups[g as usize].call_s();
    let mut out: FxHashMap<u32, Faster> = FxHashMap::default();
    for axis in 0..3 {
        // What a line has in common, and the size and the group, each in one number: sorting compares them
        // some million times.
        let mut lines: Vec<(u128, u128)> = scan
            .checked()
            .filter(|(_, g)| !story::tiny(g) && g.call_s() > 0.0)
            .map(|(i, g)| {
                let r = g.row as usize;
                let mut others = sizes(scan, i);
                let size = std::mem::take(&mut others[axis]);
                let place = [g.side, data.device[r], data.op[r]].map(u128::from);
                let place = place[0] << 32 | place[1] << 16 | place[2];
                let [batch, first, second, third] =
                    [data.batch[r], others[0], others[1], others[2]].map(u128::from);
                // One of the three is 0.
                let (first, second) = if axis == 0 {
                    (second, third)
                } else {
                    (first, second | third)
                };
                let last = second << 64 | u128::from(u32::MAX - size) << 32 | u128::from(i);
                (place << 64 | batch << 32 | first, last)
            })
            .collect();
        // Of each line the largest first.
        lines.sort_unstable();
        let mut best: Option<u32> = None;
        for (at, line) in lines.iter().enumerate() {
            let before = at.checked_sub(1).map(|b| &lines[b]);
            if before.is_none_or(|b| (b.0, b.1 >> 64) != (line.0, line.1 >> 64)) {
                best = None;
            }
            let g = line.1 as u32;
            if let Some(b) = best.filter(|b| call(g) >= SLOWER * call(*b))
                && out.get(&g).is_none_or(|o| call(b) < call(o.group))
            {
                out.insert(g, Faster { group: b, axis });
            }
            if best.is_none_or(|b| call(g) < call(b)) {
                best = Some(g);
            }
        }
    }
    out
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let faster = faster(scan);
    let call = |g: u32| scan.groups[g as usize].call_s();
    let mut hits: Vec<Hit> = faster
        .iter()
        .map(|(&group, f)| {
            let gap = (call(group) - call(f.group)) * scan.groups[group as usize].calls;
            Hit {
                group,
                back: Some((REALISTIC * gap, gap)),
            }
        })
        .collect();
    hits.order_by_key(|h| h.group);
    story::joined(rule, scan, vec![hits], |hits| tell(scan, hits, &faster))
}

/// The texts of a set; the clearest case is the example.
fn tell(scan: &Scan<'_>, hits: &[Hit], faster: &FxHashMap<u32, Faster>) -> Story {
    let call = |g: u32| scan.groups[g as usize].call_s();
    let ratio = |h: &Hit| {
        faster
            .get(&h.group)
            .map_or(0.0, |f| call(h.group) / call(f.group))
    };
    let clearest = hits
        .iter()
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)).then(b.group.cmp(&a.group)));
    let Some((hit, f)) = clearest.and_then(|h| Some((h, faster.get(&h.group)?))) else {
        return Story::default();
    };
    let name = ["M", "N", "K"][f.axis];
    let (small, large) = (sizes(scan, hit.group)[f.axis], sizes(scan, f.group)[f.axis]);
    let group = &scan.groups[hit.group as usize];
    let most = format!("{:.1}x", ratio(hit));
    let example = format!(
        "{} takes {} per call. With {name} = {large} instead of {small} it takes {}.",
        scan.title(group),
        seconds_brief(call(hit.group)),
        seconds_brief(call(f.group))
    );
    Story {
        title: match hits.len() {
            1 => format!(
                "{most} slower than with {name} = {large}: {}",
                scan.title(group)
            ),
            n => format!(
                "Up to {most} slower than a larger GEMM: {}",
                plural(n as u64, "GEMM")
            ),
        },
        text: match hits.len() {
            1 => example,
            _ => format!("{} The clearest: {example}", RULE.why),
        },
        formula: format!(
            "time at {name} = {small} / time at {name} = {large} = {} / {} = {:.2}",
            story::time(call(hit.group)),
            story::time(call(f.group)),
            ratio(hit)
        ),
        path_a: Some(match hits.len() {
            1 => format!("Pad {name} from {small} to {large}."),
            _ => format!(
                "Pad each to the size of the faster GEMM, {name} from {small} to {large} in the \
                 clearest case."
            ),
        }),
        ..Story::default()
    }
}
