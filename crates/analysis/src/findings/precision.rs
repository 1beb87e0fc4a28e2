//! Rule: the device multiplies a narrower type faster.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;

/// The roof of the narrower type must be at least this many times as high.
pub(super) const WORTH: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    id: "precision",
    title: "Slow data type",
    category: Category::Precision,
    needs: &[Need::Time, Need::Roof],
    threshold: "fp32 or fp64 where tf32, bf16 or fp16 have at least 1.5 times the roof on the same \
                device",
    confidence: Confidence::Likely,
    why: "The products run at the rate of a wide type while the device has a much faster narrow one.",
    path_a: "Use tf32 (torch.set_float32_matmul_precision('high')) or bf16 with fp32 accumulation, \
             if the results allow it; validate the numbers.",
    path_b: "Check that this product was meant to run in this type: a stray cast or a flag is \
             enough.",
    profile: "The kernel's name or a profile would have to show which matrix instruction ran; \
              some libraries use a faster type inside.",
    check,
};

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
    let now = device
        .roof(problem.op.compute, kind)?
        .problem_time_s(&problem);
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
    let hits = scan
        .checked()
        .filter(|(_, g)| !g.roof_s.is_nan() && !story::tiny(g))
        .filter_map(|(i, g)| {
            let (_, now, then) = faster(scan, g)?;
            // With the same efficiency at most; at least half of that.
            let high = g.time_s * (1.0 - then / now);
            Some(Hit {
                group: i,
                back: Some((0.5 * high, high)),
            })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let found = faster(scan, g);
            let (name, ratio, formula) = found.map_or(Default::default(), |(t, now, then)| {
                (
                    t.name(),
                    now / then,
                    format!(
                        "roof time as is / as {} = {} / {} = {:.1}",
                        t.name(),
                        story::time(now),
                        story::time(then),
                        now / then
                    ),
                )
            });
            Story {
                title: format!("{name} would raise the roof {ratio:.1}x: {}", scan.title(g)),
                text: format!(
                    "{}. On this device {name} has {ratio:.1} times the roof of {}.",
                    story::opening(scan, g),
                    scan.problem(g).op.compute
                ),
                formula,
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs in a slow data type"),
    )
}
