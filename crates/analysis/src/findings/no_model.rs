//! Rule: GEMM time without figures, because shape, device or peak is unknown.

use super::story::{self, Story};
use super::{Basis, Category, Finding, HIGH_SHARE, Kind, Need, Rule, Scan, Severity};
use crate::names::short;
use gemmscope_model::units::{and_more, capitalized, percent, plural};
use gemmscope_table::dataset::{RowsAndTime, Source};

/// From this share of the GEMM time on, the severity is above Low.
pub(super) const NOTABLE: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    id: "no_model",
    title: "GEMMs without a performance model",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time],
    threshold: "any GEMM of a trace whose shape is not known, or any measured row without a roof",
    basis: Basis::Arithmetic,
    why: "Time without a roof may hide the worst kernels.",
    path_a: "Have the tool that wrote this file record the sizes of these operations.",
    path_b: "Look at these kernels in a profiler: no figure here is about them.",
    profile: "Nothing: the shape or the peak is missing, not the time.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    for (number, source) in (0u16..).zip(&scan.data().sources) {
        let without = source.without_model;
        if without.rows == 0 {
            continue;
        }
        let own = scan.checked().filter(|(_, g)| scan.data().source[g.row as usize] == number);
        let all = without.time_s + own.map(|(_, g)| g.time_s).sum::<f64>();
        let trace = source.trace.as_ref();
        let compute = trace.and_then(|t| t.compute_s.or(t.total_s));
        let whole = compute.unwrap_or(all + source.not_gemm.time_s);
        let share = without.time_s / whole;
        let names = named(&source.without_model_names);
        let mut finding = story::of_file(
            rule,
            scan,
            number,
            0.0,
            Story {
                title: format!(
                    "{} of the GEMM time is left out{names}",
                    percent(without.time_s / all),
                ),
                text: format!(
                    "{} of {} with {} left out. They are in the share of GEMMs, not in the \
                     efficiency.",
                    plural(without.rows, "call"),
                    source.name,
                    story::time(without.time_s)
                ),
                formula: story::share_formula(
                    ("without a model", without.time_s),
                    ("all GEMMs", all),
                ),
                path_a: record_shapes(source),
                ..Story::default()
            },
        );
        finding.time_s = without.time_s;
        finding.share = share;
        finding.severity = if share > HIGH_SHARE {
            Severity::High
        } else if without.time_s / all > NOTABLE {
            Severity::Medium
        } else {
            Severity::Low
        };
        out.push(finding);
    }
    out.extend(without_roof(rule, scan));
    out
}

/// What to record, for the kind of file; `None` where nothing is known of it.
fn record_shapes(source: &Source) -> Option<String> {
    let what = match (source.remedy.as_str(), source.format.as_str()) {
        _ if source.lacks_no_shape() => {
            "nothing to record: a product that reads one value again and again, as the gradient of .sum() \
             does, moves other bytes and runs faster than a GEMM of its sizes"
        }
        ("", "kineto") => {
            "custom operators and graphs launch kernels without a shape: give these operators one \
             (torch.library, record_function), or open the trace of the graph's capture too"
        }
        ("", _) => return None,
        (remedy, _) => remedy,
    };
    Some(format!("{}.", capitalized(what)))
}

/// `: vllm::fused_moe and 2 more`, the ones that take most time first; "" without names.
fn named(names: &[(String, RowsAndTime)]) -> String {
    match names {
        [] => String::new(),
        [(one, _)] => format!(": {}", short(one)),
        [(a, _), (b, _)] => format!(": {} and {}", short(a), short(b)),
        [(a, _), (b, _), rest @ ..] => {
            format!(": {}, {} {}", short(a), short(b), and_more(rest.len()))
        }
    }
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
    let several = rows.windows(2).any(|two| scan.side_of(two[0]) != scan.side_of(two[1]));
    // Of the side that is named, or of all.
    let whole_s = match several {
        true => scan.time_s,
        false => scan.parts[usize::from(scan.side_of(rows[0]))].time_s,
    };
    let share = time_s / whole_s;
    let mut found = story::of_rows(
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
            formula: story::share_formula(
                ("time without a roof", time_s),
                ("measured time", whole_s),
            ),
            path_a: Some("Choose the device, or enter its peak for this data type.".to_owned()),
            path_b: Some("Nothing to tune yet: without a roof no row can be judged.".to_owned()),
            ..Story::default()
        },
    );
    if several {
        found.side.clear();
        found.of.clear();
    }
    Some(found)
}
