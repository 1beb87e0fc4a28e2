//! Rule: fp8 is hardly faster than 16 bit.

use super::same_shape;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use gemmscope_model::dtype::Family;
use std::collections::HashMap;

/// fp8 should be at least this many times as fast as 16 bit.
pub(super) const EXPECTED: f64 = 1.25;

pub(super) const RULE: Rule = Rule {
    id: "fp8_gain",
    title: "fp8 without gain",
    category: Category::Precision,
    needs: &[Need::Time],
    threshold: "the same sizes on the same device take more than 80 % of the 16-bit time in fp8",
    confidence: Confidence::Certain,
    why: "Halved operands and a doubled peak should show in the time.",
    path_a: "Keep 16 bit where fp8 gains nothing, or widen its use so that operands stay in fp8 \
             between products; validate the quantisation scheme.",
    path_b: "Quantised kernels need tuning of their own: replay both types of this shape.",
    profile: "A profile shows whether the time goes into scaling, conversion or the product.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let data = scan.data();
    let family = |g: u32| {
        let row = scan.groups[g as usize].row as usize;
        data.ops[usize::from(data.op[row])].compute.family()
    };
    let any_fp8 = data.ops.iter().any(|o| o.compute.family() == Some(Family::Fp8));
    if !any_fp8 {
        return Vec::new();
    }
    let mut partner: HashMap<u32, u32> = HashMap::new();
    let sets = same_shape::sets(scan, |g| match family(g) {
        Some(Family::Fp8 | Family::Fp16 | Family::Bf16) => Some(0),
        _ => None,
    });
    let mut hits = Vec::new();
    for set in sets {
        let best = same_shape::fastest_by(scan, &set, |g| family(g) == Some(Family::Fp8));
        let of = |fp8: bool| best.iter().find(|(k, _)| *k == fp8).map(|(_, g)| *g);
        let (Some(narrow), Some(wide)) = (of(true), of(false)) else {
            continue;
        };
        let (n, w) = (&scan.groups[narrow as usize], &scan.groups[wide as usize]);
        if n.checked && w.call_s() / n.call_s() < EXPECTED {
            partner.insert(narrow, wide);
            // At most the ratio of the roofs can be gained, at least the expected gain.
            let expected = w.call_s() / EXPECTED * n.calls;
            hits.push(Hit { group: narrow, back: Some((0.0, (n.time_s - expected).max(0.0))) });
        }
    }
    story::findings(
        rule,
        scan,
        hits,
        |hit, g| {
            let wide = partner.get(&hit.group).map(|w| &scan.groups[*w as usize]);
            let wide_s = wide.map_or(f64::NAN, |w| w.call_s());
            let gain = wide_s / g.call_s();
            Story {
                title: format!("fp8 is {gain:.2}x 16 bit: {}", scan.title(g)),
                text: format!(
                    "{}. The same sizes in 16 bit take {}.",
                    story::opening(scan, g),
                    story::time(wide_s)
                ),
                formula: format!(
                    "16-bit time / fp8 time = {} / {} = {gain:.2} (expected {EXPECTED} or more)",
                    story::time(wide_s),
                    story::time(g.call_s())
                ),
                ..Story::default()
            }
        },
        |n| format!("{n} shapes on which fp8 gains little"),
    )
}
