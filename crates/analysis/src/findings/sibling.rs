//! Rule: a type is slower than another with the same roof.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan};
use gemmscope_model::units::{plural, seconds_brief};
use std::collections::BTreeMap;

/// A GEMM must take at least this many times as long as in the other type.
pub(super) const SLOWER: f64 = 1.5;
/// Roof times within this share of each other are the same roof.
const SAME: f64 = 0.01;
/// The part of the difference that a better kernel saves at least.
const REALISTIC: f64 = 0.5;

pub(super) const RULE: Rule = Rule {
    id: "sibling",
    title: "A type slower than its sibling",
    category: Category::Library,
    needs: &[Need::Time, Need::Roof],
    threshold: "the same sizes and layout take at least 1.5 times as long in one type as in another \
                with the same roof (bf16 and fp16); not launch-bound",
    confidence: Confidence::Certain,
    why: "The hardware runs both types at the same rate, so the kernel for the slow one is missing \
          something.",
    path_a: "Use the faster type, if the numbers allow it.",
    path_b: "See which kernel each type uses. The slow one may convert the operands, or use no \
             matrix instructions.",
    profile: "Compare the matrix instructions of both kernels in a profile.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let data = scan.data();
    let call = |g: u32| scan.groups[g as usize].call_s();
    let types = |g: u32| scan.problem(&scan.groups[g as usize]).op.types();
    let mut lines: Vec<_> = scan
        .checked()
        .filter(|(_, g)| g.roof_s.is_finite() && !story::tiny(g))
        .map(|(i, g)| {
            let r = g.row as usize;
            let place = (g.side, data.device[r], data.batch[r]);
            let sizes = [data.m[r], data.n[r], data.k[r]];
            (place, sizes, scan.problem(g).op.layout(), i)
        })
        .collect();
    lines.sort_unstable();
    // By slow and fast type: the slow groups, each with the fast one.
    let mut sets: BTreeMap<(String, String), Vec<(u32, u32)>> = BTreeMap::new();
    for alike in lines.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
        for slow in alike.iter().map(|l| l.3) {
            let roof = |g: u32| {
                let g = &scan.groups[g as usize];
                g.roof_s / g.calls
            };
            let same = |g: &u32| (roof(*g) / roof(slow) - 1.0).abs() < SAME;
            let fast =
                alike.iter().map(|l| l.3).filter(same).min_by(|a, b| call(*a).total_cmp(&call(*b)));
            if let Some(fast) = fast.filter(|f| call(slow) >= SLOWER * call(*f))
                && types(slow) != types(fast)
            {
                sets.entry((types(slow), types(fast))).or_default().push((slow, fast));
            }
        }
    }
    let mut out = Vec::new();
    for ((slow, fast), mut pairs) in sets {
        pairs.sort_unstable();
        let hits = pairs
            .iter()
            .map(|(s, f)| {
                let gap = (call(*s) - call(*f)) * scan.groups[*s as usize].calls;
                Hit { group: *s, back: Some((REALISTIC * gap, gap)) }
            })
            .collect();
        let tell = |hits: &[Hit]| tell(scan, hits, &pairs, (&slow, &fast));
        out.extend(story::joined(rule, scan, vec![hits], tell));
    }
    out
}

fn tell(scan: &Scan<'_>, hits: &[Hit], pairs: &[(u32, u32)], (slow, fast): (&str, &str)) -> Story {
    let call = |g: u32| scan.groups[g as usize].call_s();
    let ratio = |p: &(u32, u32)| call(p.0) / call(p.1);
    let told = hits.iter().filter_map(|h| {
        let at = pairs.binary_search_by_key(&h.group, |p| p.0).ok()?;
        Some(pairs[at])
    });
    let Some(clearest) = told.max_by(|a, b| ratio(a).total_cmp(&ratio(b)).then(b.0.cmp(&a.0)))
    else {
        return Story::default();
    };
    let group = &scan.groups[clearest.0 as usize];
    let most = format!("{:.1}x", ratio(&clearest));
    let (t_slow, t_fast) = (call(clearest.0), call(clearest.1));
    Story {
        title: match hits.len() {
            1 => format!("{slow} takes {most} the time of {fast}: {}", scan.title(group)),
            n => format!(
                "{slow} takes up to {most} the time of {fast}: {}",
                plural(n as u64, "GEMM")
            ),
        },
        text: format!(
            "Both types have the same roof. The clearest: {} takes {} per call, in {fast} {}.",
            scan.title(group),
            seconds_brief(t_slow),
            seconds_brief(t_fast)
        ),
        formula: format!(
            "time in {slow} / time in {fast} = {} / {} = {:.2}",
            story::time(t_slow),
            story::time(t_fast),
            ratio(&clearest)
        ),
        ..Story::default()
    }
}
