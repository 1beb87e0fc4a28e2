//! Rule: the device multiplies a narrower type faster.

use super::hits::{self, Hit};
use super::{
    Basis, Category, Fact, FindingFacts, Group, Kind, MEDIUM_SHARE, Need, Rule, Scan, Severity,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use std::collections::BTreeMap;

/// Minimum ratio of the narrower type's roof to the current one.
pub(super) const WORTH: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    id: "precision",
    kind: Kind::Idea,
    category: Category::Precision,
    needs: &[Need::Time, Need::Roof],
    basis: Basis::Modelled,
    check,
};

/// Below this efficiency the roof is not what costs the time.
const FAR: f64 = 0.05;

/// The next narrower type that the device multiplies faster, with the roof times of both.
fn faster(scan: &Scan<'_>, g: &Group) -> Option<(DataType, f64, f64)> {
    let problem = scan.problem(g);
    let candidates: &[DataType] = match problem.op.compute {
        DataType::Fp32 => &[DataType::Tf32, DataType::Bf16],
        DataType::Fp64 => &[DataType::Fp32],
        _ => return None,
    };
    let device = scan.device(g)?;
    let kind = scan.metrics().kind;
    let now = device.roof(problem.op.compute, kind)?.problem_time_s(&problem);
    candidates.iter().find_map(|&dtype| {
        let roof = device.roof(dtype, kind)?;
        let mut other = problem;
        other.op.compute = dtype;
        if dtype != DataType::Tf32 {
            (other.op.a, other.op.b, other.op.c) = (dtype, dtype, dtype);
        }
        let then = roof.problem_time_s(&Problem { ..other });
        (now / then >= WORTH).then_some((dtype, now, then))
    })
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    // One finding per type rather than per GEMM, because it is one decision.
    let mut sets: BTreeMap<(DataType, DataType), Vec<Hit>> = BTreeMap::new();
    for (i, g) in scan.checked() {
        // Far below its roof, a higher roof saves nothing.
        if g.roof_s.is_nan() || hits::tiny(g) || g.efficiency() < FAR {
            continue;
        }
        if let Some((to, now, then)) = faster(scan, g) {
            let from = scan.problem(g).op.compute;
            let hit = Hit { group: i, alone_s: Some((now - then) * g.calls) };
            sets.entry((from, to)).or_default().push(hit);
        }
    }
    let sets = sets.into_values().collect();
    let mut found = hits::joined(rule, scan, sets, |hits| {
        let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
        let most = groups.max_by(|a, b| a.time_s.total_cmp(&b.time_s))?;
        let (to, now, then) = faster(scan, most)?;
        Some(Fact::FasterType { most: *most, to, roof_s: [now, then] })
    });
    for finding in &mut found {
        // It is advice about the roof, not a distance from it.
        finding.severity =
            if finding.share > MEDIUM_SHARE { Severity::Medium } else { Severity::Low };
    }
    found
}
