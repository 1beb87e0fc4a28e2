//! Rule: GEMM time without figures, because shape, device or peak is unknown.

use super::story::{self, Story};
use super::{Category, Confidence, Finding, Need, Rule, Scan, Severity};
use gemmscope_model::units::percent;
use gemmscope_model::units::plural;

/// From this share of the GEMM time on, the severity is above Low.
pub(super) const NOTABLE: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    id: "no_model",
    title: "GEMMs without a performance model",
    category: Category::Data,
    needs: &[Need::Time],
    threshold: "any GEMM of a trace whose shape is not known, or any measured row without a roof",
    confidence: Confidence::Certain,
    why: "Time that cannot be judged may hide the worst of it.",
    path_a: "Name the operation to whoever keeps the report tool: with its shape it can be judged.",
    path_b: "Choose the device, or type its peak for this data type, to judge rows without a roof.",
    profile: "Nothing: the shape or the peak is missing, not the time.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    for source in &scan.data().sources {
        let without = source.without_model;
        if without.rows == 0 {
            continue;
        }
        let all = without.time_s + scan.time_s;
        let mut finding = story::of_rows(
            rule,
            scan,
            Vec::new(),
            0.0,
            Story {
                title: format!(
                    "{} of the GEMM time has no known shape ({})",
                    percent(without.time_s / all),
                    source.name
                ),
                text: format!(
                    "{} with {} skipped: their sizes are not in the file.",
                    plural(without.rows, "operation"),
                    story::time(without.time_s)
                ),
                formula: format!(
                    "without a model / all GEMMs = {} / {} = {}",
                    story::time(without.time_s),
                    story::time(all),
                    percent(without.time_s / all)
                ),
                ..Story::default()
            },
        );
        if without.time_s / all > NOTABLE {
            finding.severity = Severity::Medium;
        }
        out.push(finding);
    }
    out.extend(without_roof(rule, scan));
    out
}

/// Measured rows with an unknown device or peak.
fn without_roof(rule: &Rule, scan: &Scan<'_>) -> Option<Finding> {
    let mut rows = Vec::new();
    let mut time_s = 0.0;
    for (_, g) in scan.checked().filter(|(_, g)| g.roof_s.is_nan()) {
        rows.extend_from_slice(scan.rows(g));
        time_s += g.time_s;
    }
    // If no row has a roof, the page says so elsewhere.
    if rows.is_empty() || time_s >= scan.time_s {
        return None;
    }
    rows.sort_unstable();
    let share = time_s / scan.time_s;
    Some(story::of_rows(
        rule,
        scan,
        rows,
        time_s,
        Story {
            title: format!("{} of the time has no roof", percent(share)),
            text: format!(
                "{} of GEMM time is measured on a device, or in a data type, without a known peak \
                 ({}).",
                story::time(time_s),
                scan.roof_name()
            ),
            formula: format!(
                "time without a roof / measured time = {} / {} = {}",
                story::time(time_s),
                story::time(scan.time_s),
                percent(share)
            ),
            ..Story::default()
        },
    ))
}
