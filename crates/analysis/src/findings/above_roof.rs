//! Rule: rows above their roof.

use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan, Severity};
use crate::figures::figures;
use gemmscope_model::hardware::Device;
use gemmscope_model::roofline::{AboveRoofCause, above_roof_causes};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;

pub(super) const RULE: Rule = Rule {
    id: "above_roof",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    basis: Basis::Arithmetic,
    check,
};

/// Possible explanations of a row above its roof.
pub fn causes(frame: &Frame, row: usize) -> Vec<AboveRoofCause> {
    let x = figures(frame, row);
    let of = |d: &Device| above_roof_causes(&x.problem, x.time_s, d, frame.metrics.kind);
    let mut causes = x.device.map_or_else(Vec::new, of);
    // At its recorded clock it may be above a roof that it is below at the clock of the peak.
    if causes.is_empty() {
        causes.push(AboveRoofCause::Shape);
    }
    causes
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let above = |row: &u32| scan.metrics().efficiency(scan.data(), *row as usize) > ABOVE_ROOF;
    let has = |g: &Group| scan.rows(g).iter().any(above);
    let hits =
        (0u32..).zip(&scan.groups).filter(|(_, g)| has(g)).map(|(i, _)| Hit::of(i)).collect();
    // Among a GEMM's repeats, the farthest above.
    let farthest = |g: &Group| {
        let (data, metrics) = (scan.data(), scan.metrics());
        let share = |row: &u32| metrics.efficiency(data, *row as usize);
        let mut one = *g;
        if let Some(row) = scan.rows(g).iter().max_by(|a, b| share(a).total_cmp(&share(b))) {
            let r = *row as usize;
            (one.row, one.calls) = (*row, 1.0);
            (one.time_s, one.roof_s) = (data.time_s[r], metrics.roof_s[r]);
        }
        one
    };
    let fact = |g: &Group| {
        let most = farthest(g);
        Fact::AboveRoof { most, causes: causes(scan.frame, most.row as usize) }
    };
    let mut found = hits::standing_out(rule, scan, hits, Group::efficiency, fact);
    for finding in &mut found {
        finding.severity = Severity::Medium;
        // Keep only the repeats that are above.
        finding.evidence.rows.retain(above);
    }
    found
}
