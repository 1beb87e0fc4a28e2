//! Rule: the GEMM is so small that its launch takes longer than its work.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan, Severity};
use gemmscope_model::units::seconds_brief;

pub(super) const RULE: Rule = Rule {
    id: "launch_bound",
    title: "Launch-bound tiny GEMMs",
    category: Category::Launches,
    needs: &[Need::Time, Need::Roof],
    threshold: "a call under 15 µs of which the roof explains less than a fifth",
    confidence: Confidence::Likely,
    why: "Starting a kernel and filling the device takes some microseconds whatever the work, and \
          these GEMMs have little more than that.",
    path_a: "Merge GEMMs that do not wait for each other (Q, K and V; a grouped GEMM), or fuse them \
             into their neighbours; a graph only removes the gaps between them.",
    path_b: "A kernel with fewer workgroups and less set-up helps a little; tuning the tile does \
             not.",
    profile: "Look for gaps between kernels in a timeline before blaming launches.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| story::tiny(g))
        .map(|(i, g)| Hit {
            group: i,
            // All calls in one take at least the time of one call plus the roof time of the rest.
            // Rows of a benchmark are not calls that could be joined.
            back: (scan.is_program(g) && g.calls > 1.0).then(|| {
                let all_in_one = g.call_s() + g.roof_s * (1.0 - 1.0 / g.calls);
                (0.0, (g.time_s - all_in_one).max(0.0))
            }),
        })
        .collect();
    let mut found = story::findings(
        rule,
        scan,
        hits,
        |_, g| Story {
            title: if g.calls == 1.0 {
                format!("A call of only {}: {}", seconds_brief(g.call_s()), scan.title(g))
            } else {
                format!(
                    "{} of only {} each: {}",
                    story::calls(g.calls),
                    seconds_brief(g.call_s()),
                    scan.title(g)
                )
            },
            text: format!(
                "{}. The roof needs {} of each call; the rest is what any small kernel costs.{}",
                story::opening(scan, g),
                story::time(g.roof_s / g.calls),
                match scan.is_program(g) && g.calls > 1.0 {
                    true =>
                        " The saving assumes that all calls run as one; calls that wait for each other can’t.",
                    false => "",
                }
            ),
            formula: story::roof_formula(scan, g),
            ..Story::default()
        },
        |n| format!("{n} GEMMs as short as a launch"),
    );
    if !scan.frame.decision().any_program() {
        for f in &mut found {
            // Small shapes in a benchmark always have low figures and cost no program time.
            f.severity = f.severity.max(Severity::Medium);
        }
    }
    found
}
