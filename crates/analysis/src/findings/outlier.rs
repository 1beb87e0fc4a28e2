//! Rule: one GEMM of many takes most of the time, far from its roof: a slip in its row, or a call that was
//! interrupted.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Finding, Group, Kind, Need, Rule, Scan, Severity};
use gemmscope_model::units::{percent, plural};
use gemmscope_table::stats::quantile;

/// Among fewer GEMMs none stands out.
const FEWEST: usize = 10;
/// It takes over this share of the time of its side.
const MOST: f64 = 0.5;
/// And reaches less than this part of what nine of ten others do.
const FAR: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    id: "outlier",
    title: "One row stands out",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    threshold: "one of ten or more GEMMs takes over half of the time, at less than a tenth of the % of roof \
                that nine of ten others reach",
    basis: Basis::Arithmetic,
    why: "A first call, an interruption, another unit or a slip in the file would explain it.",
    path_a: "Measure this GEMM again, warmed up, before anything is concluded from it.",
    path_b: "Check the row in the file: its sizes, its time and the unit of that.",
    profile: "Nothing yet: a second measurement says whether it is so.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    (0..scan.parts.len()).filter_map(|side| of_side(rule, scan, side)).collect()
}

fn of_side(rule: &Rule, scan: &Scan<'_>, side: usize) -> Option<Finding> {
    let own = |(_, g): &(u32, &Group)| usize::from(g.side) == side && g.roof_s.is_finite();
    let groups: Vec<(u32, &Group)> = scan.checked().filter(own).collect();
    let (at, one) = *groups.iter().max_by(|a, b| a.1.time_s.total_cmp(&b.1.time_s))?;
    let others = groups.iter().filter(|(i, _)| *i != at).map(|(_, g)| g.efficiency());
    let mut others: Vec<f64> = others.collect();
    others.sort_by(f64::total_cmp);
    let all_s: f64 = groups.iter().map(|(_, g)| g.time_s).sum();
    let usual = quantile(&others, 0.1);
    let stands_out = one.time_s > MOST * all_s && one.efficiency() < FAR * usual;
    if groups.len() < FEWEST || !stands_out {
        return None;
    }
    let story = Story {
        title: format!(
            "Is this row right? {} takes {} of the time of {}",
            scan.title(one),
            percent(one.time_s / all_s),
            plural(groups.len() as u64, "GEMM")
        ),
        text: format!(
            "It reaches {} of the roof, and nine of ten others {} or more. {}",
            percent(one.efficiency()),
            percent(usual),
            rule.why
        ),
        formula: story::share_formula(("its time", one.time_s), ("that of all", all_s)),
        ..Story::default()
    };
    let mut found = story::joined(rule, scan, vec![vec![Hit::of(at)]], |_| story.clone());
    let mut finding = found.pop()?;
    finding.severity = Severity::High;
    Some(finding)
}
