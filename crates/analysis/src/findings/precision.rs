//! Rule: the device multiplies a narrower type faster.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Kind, MEDIUM_SHARE, Need, Rule, Scan, Severity};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use gemmscope_model::units::plural;
use std::collections::BTreeMap;

/// The roof of the narrower type must be at least this many times as high.
pub(super) const WORTH: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    id: "precision",
    title: "Slow data type",
    kind: Kind::Idea,
    category: Category::Precision,
    needs: &[Need::Time, Need::Roof],
    threshold: "fp32 or fp64 where tf32, bf16 or fp16 have at least 1.5 times the roof on the same \
                device",
    basis: Basis::Modelled,
    why: "These GEMMs run in a wide type although the device has a much faster narrow one.",
    path_a: "Use the faster type if the results allow it; validate the numbers.",
    path_b: "Check that this GEMM should run in this type: a stray cast or a flag is enough.",
    profile: "The kernel's name or a profile shows which matrix instruction ran; some \
              libraries use a faster type inside.",
    check,
};

/// Below this efficiency something else than the roof takes the time.
const FAR: f64 = 0.05;

/// The next narrower type that the device multiplies faster, with the roof times of both.
fn faster(scan: &Scan<'_>, g: &super::Group) -> Option<(DataType, f64, f64)> {
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

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    // One finding a type, not one a GEMM: it is one decision.
    let mut sets: BTreeMap<(DataType, DataType), Vec<Hit>> = BTreeMap::new();
    for (i, g) in scan.checked() {
        // Far below its roof, a higher roof saves nothing.
        if g.roof_s.is_nan() || story::tiny(g) || g.efficiency() < FAR {
            continue;
        }
        if let Some((to, now, then)) = faster(scan, g) {
            let from = scan.problem(g).op.compute;
            let hit = Hit { group: i, alone_s: Some((now - then) * g.calls) };
            sets.entry((from, to)).or_default().push(hit);
        }
    }
    let sets = sets.into_values().collect();
    let mut found = story::joined(rule, scan, sets, |hits| {
        let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
        let Some(g) = groups.max_by(|a, b| a.time_s.total_cmp(&b.time_s)) else {
            return Story::default();
        };
        let Some((to, now, then)) = faster(scan, g) else {
            return Story::default();
        };
        let (from, ratio) = (scan.problem(g).op.compute, now / then);
        let count = plural(hits.len() as u64, "GEMM");
        Story {
            title: format!("{to} would raise the roof of {from} {ratio:.1}x: {count}"),
            text: format!(
                "The device multiplies {to} faster than {from}. The one that takes most time, {}: \
                 {}.",
                scan.title(g),
                story::opening(scan, g),
            ),
            formula: (story::brief(&format!("roof time in {from}"), now)
                / story::brief(&format!("in {to}"), then))
            .result(|ratio| format!("{ratio:.1}")),
            path_a: Some(path_a(to)),
            ..Story::default()
        }
    });
    for finding in &mut found {
        // Advice about the roof, not a distance from it.
        finding.severity =
            if finding.share > MEDIUM_SHARE { Severity::Medium } else { Severity::Low };
    }
    found
}

/// How to use the faster type.
fn path_a(to: DataType) -> String {
    match to {
        DataType::Tf32 => "Use tf32 (torch.set_float32_matmul_precision('high')) if the results \
                           allow it; validate the numbers."
            .to_owned(),
        DataType::Bf16 => "Use bf16 with fp32 accumulation if the results allow it; validate the \
                           numbers."
            .to_owned(),
        other => format!("Use {other} if the results allow it; validate the numbers."),
    }
}
