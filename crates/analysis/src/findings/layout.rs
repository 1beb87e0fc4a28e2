//! Rule: one layout is slower than another on the same sizes.

use super::same_shape;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use std::collections::HashMap;

/// The slower layout must take at least this many times as long.
pub(super) const SLOWER: f64 = 1.15;

pub(super) const RULE: Rule = Rule {
    id: "layout",
    title: "A transposed layout that loses",
    category: Category::Layout,
    needs: &[Need::Time],
    threshold: "the same sizes and types in another layout are at least 1.15 times as fast",
    confidence: Confidence::Certain,
    why: "The same product is faster with its operands stored the other way round.",
    path_a: "Store the weights in the faster order once, at load time, if the neighbours allow it.",
    path_b: "The slower layout's kernel may simply be less tuned: replay both.",
    profile: "A profile would have to show where the slower layout spends its time before the \
              access pattern may be blamed.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let data = scan.data();
    let op = |g: u32| {
        let row = scan.groups[g as usize].row as usize;
        data.ops[usize::from(data.op[row])]
    };
    let first = data.ops.first().map(|o| o.layout());
    if data.ops.iter().all(|o| Some(o.layout()) == first) {
        return Vec::new();
    }
    // Operations that differ only in the layout get the same number.
    let mut kinds: Vec<gemmscope_model::gemm::Operation> = Vec::new();
    let kind_of: Vec<u64> = data
        .ops
        .iter()
        .map(|o| {
            let plain = o.with_layout(false, false);
            let at = kinds.iter().position(|k| *k == plain).unwrap_or_else(|| {
                kinds.push(plain);
                kinds.len() - 1
            });
            at as u64
        })
        .collect();
    let sets = same_shape::sets(scan, |g| {
        let row = scan.groups[g as usize].row as usize;
        let source = u64::from(data.source[row]) << 32;
        Some(kind_of[usize::from(data.op[row])] | source)
    });
    let mut losers = same_shape::losers(scan, &sets, |g| op(g).layout(), SLOWER);
    losers.retain(|l| scan.groups[l.group as usize].checked);
    let hits = losers
        .iter()
        .map(|l| Hit {
            group: l.group,
            back: Some((0.0, l.gap_s)),
        })
        .collect();
    let partner: HashMap<u32, u32> = losers.iter().map(|l| (l.group, l.fastest)).collect();
    story::findings(
        rule,
        scan,
        hits,
        |hit, g| {
            let other = partner.get(&hit.group).copied().unwrap_or(hit.group);
            let (slow, fast) = (op(hit.group).layout(), op(other).layout());
            let fast_s = scan.groups[other as usize].call_s();
            Story {
                title: format!(
                    "{slow} takes {:.2}x the time of {fast}: {}",
                    g.call_s() / fast_s,
                    scan.title(g)
                ),
                text: format!(
                    "{}. Stored as {fast} the same product takes {}.",
                    story::opening(scan, g),
                    story::time(fast_s)
                ),
                formula: format!(
                    "time {slow} / time {fast} = {} / {} = {:.2}",
                    story::time(g.call_s()),
                    story::time(fast_s),
                    g.call_s() / fast_s
                ),
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs in their slower layout"),
    )
}
