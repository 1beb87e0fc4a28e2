//! Rule: a larger GEMM takes less time.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{plural, seconds_brief};
use gemmscope_table::group::{by_key, mix};
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
    let groups: Vec<u32> = scan
        .checked()
        .filter(|(_, g)| !story::tiny(g) && g.call_s() > 0.0)
        .map(|(i, _)| i)
        .collect();
    for axis in 0..3 {
        // What the GEMMs of a line have in common: all but the size on the axis.
        let line = |g: u32| {
            let r = scan.groups[g as usize].row as usize;
            let mut others = sizes(scan, g);
            let size = std::mem::take(&mut others[axis]);
            let place = [scan.groups[g as usize].side, data.device[r], data.op[r]];
            ((place, data.batch[r], others), size)
        };
        let keys = by_key(&groups, &|g| {
            let (([side, device, op], batch, [m, n, k]), _) = line(g);
            let place = u64::from(side) << 32 | u64::from(device) << 16 | u64::from(op);
            [batch, m, n, k].into_iter().fold(place, |key, x| mix(key, u64::from(x)))
        });
        // Of each line the largest first.
        let alike = keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
        let mut lines = Vec::new();
        for run in alike {
            let from = lines.len();
            lines.extend(run.iter().map(|&(_, g)| {
                let (others, size) = line(g);
                (others, u32::MAX - size, g)
            }));
            lines[from..].sort_unstable();
        }
        let mut best: Option<u32> = None;
        let mut before = None;
        for (others, _, g) in lines {
            if before.replace(others) != Some(others) {
                best = None;
            }
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
            Hit { group, back: Some((REALISTIC * gap, gap)) }
        })
        .collect();
    hits.order_by_key(|h| h.group);
    story::joined(rule, scan, vec![hits], |hits| tell(scan, hits, &faster))
}

/// The texts of a set; the clearest case is the example.
fn tell(scan: &Scan<'_>, hits: &[Hit], faster: &FxHashMap<u32, Faster>) -> Story {
    let call = |g: u32| scan.groups[g as usize].call_s();
    let ratio = |h: &Hit| faster.get(&h.group).map_or(0.0, |f| call(h.group) / call(f.group));
    let clearest =
        hits.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b)).then(b.group.cmp(&a.group)));
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
            1 => format!("{most} slower than with {name} = {large}: {}", scan.title(group)),
            n => format!("Up to {most} slower than a larger GEMM: {}", plural(n as u64, "GEMM")),
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
