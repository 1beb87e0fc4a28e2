//! Rule: one GEMM of many takes most of the time, far from its roof: an error in its row, or an interrupted call.

use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan, Severity};
use gemmscope_table::stats::quantile;

/// Minimum number of GEMMs for one to stand out.
const FEWEST: usize = 10;
/// Minimum fraction of the time of its side.
const MOST: f64 = 0.5;
/// Maximum efficiency, relative to what 90 % of the others reach.
const FAR: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    id: "outlier",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    (0..scan.parts.len()).filter_map(|side| of_side(rule, scan, side)).collect()
}

fn of_side(rule: &Rule, scan: &Scan<'_>, side: usize) -> Option<FindingFacts> {
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
    let fact = Fact::Outlier {
        one: *one,
        gemms: scan.gemms_of(groups.iter().map(|(_, g)| *g)),
        all_s,
        usual,
    };
    let mut found = hits::joined(rule, scan, vec![vec![Hit::of(at)]], |_| Some(fact.clone()));
    let mut finding = found.pop()?;
    finding.severity = Severity::High;
    Some(finding)
}
