//! From the groups a rule flags to its findings: the dearest few by themselves, the rest as one.

use super::{Confidence, Evidence, Finding, Group, Rule, Scan, Severity, finding_severity};
use crate::shape_roof::RowShape;
use crate::units::{Bytes, BytesPerSec, Flops, FlopsPerSec, Seconds};

/// Findings of one rule that stand by themselves; the rest is summed up in one more.
pub const BY_THEMSELVES: usize = 5;

/// A group that a rule flags.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Its number in `Scan::groups`.
    pub group: u32,
    /// Seconds it could give back.
    pub back: Option<(f64, f64)>,
}

/// The words of one finding.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// One line.
    pub title: String,
    /// A sentence or two.
    pub text: String,
    /// The formula with its numbers.
    pub formula: String,
    /// In place of the rule's own path A.
    pub path_a: Option<String>,
    /// In place of the rule's own path B.
    pub path_b: Option<String>,
}

/// Findings of the flagged groups. `tell` writes one group's story, `rest` the title of the
/// others, given their number.
pub fn findings(
    rule: &Rule,
    scan: &Scan<'_>,
    mut hits: Vec<Hit>,
    tell: impl Fn(&Hit, &Group) -> Story,
    rest: impl Fn(usize) -> String,
) -> Vec<Finding> {
    let time = |h: &Hit| scan.groups[h.group as usize].time_s;
    let weight = |h: &Hit| h.back.map_or(0.0, |(_, high)| high);
    let order = |a: &Hit, b: &Hit| {
        weight(b)
            .total_cmp(&weight(a))
            .then(time(b).total_cmp(&time(a)))
            .then(a.group.cmp(&b.group))
    };
    // A million groups may be flagged, of which a handful is shown: no need to sort them all.
    let shown = BY_THEMSELVES + 1;
    if hits.len() > shown {
        hits.select_nth_unstable_by(shown, order);
    }
    let head = hits.len().min(shown);
    hits[..head].sort_by(order);
    let alone = if hits.len() == BY_THEMSELVES + 1 {
        hits.len()
    } else {
        hits.len().min(BY_THEMSELVES)
    };
    let mut out: Vec<Finding> = hits[..alone]
        .iter()
        .map(|hit| {
            let group = &scan.groups[hit.group as usize];
            finding(rule, scan, std::slice::from_ref(hit), tell(hit, group))
        })
        .collect();
    let others = &hits[alone..];
    if let Some(first) = others.first() {
        let story = tell(first, &scan.groups[first.group as usize]);
        out.push(finding(
            rule,
            scan,
            others,
            Story {
                title: rest(others.len()),
                text: format!(
                    "{} These come besides the {alone} listed by themselves; the dearest of them: {}",
                    rule.why, story.text
                ),
                ..story
            },
        ));
    }
    out
}

/// One finding over the groups of `hits`.
pub fn finding(rule: &Rule, scan: &Scan<'_>, hits: &[Hit], story: Story) -> Finding {
    let mut rows: Vec<u32> = Vec::new();
    let (mut time_s, mut roof_s) = (0.0, 0.0);
    let mut back: Option<(f64, f64)> = None;
    for hit in hits {
        let group = &scan.groups[hit.group as usize];
        rows.extend_from_slice(scan.rows(group));
        time_s += group.time_s;
        roof_s += group.roof_s;
        if let Some((low, high)) = hit.back {
            // No claim beyond the rows' own time, and none below nothing.
            let high = high.clamp(0.0, group.time_s);
            let low = low.clamp(0.0, high);
            let (l, h) = back.unwrap_or((0.0, 0.0));
            back = Some((l + low, h + high));
        }
    }
    rows.sort_unstable();
    let efficiency = Some(roof_s / time_s).filter(|e| e.is_finite());
    // Sums in another order may differ in the last digit.
    let back = back.map(|(low, high)| (low.min(time_s), high.min(time_s)));
    from_parts(rule, scan, rows, time_s, efficiency, back, story)
}

/// A finding about rows that no roof judges, or (without rows) about a file.
pub fn of_rows(rule: &Rule, scan: &Scan<'_>, rows: Vec<u32>, time_s: f64, story: Story) -> Finding {
    from_parts(rule, scan, rows, time_s, None, None, story)
}

/// A finding from its parts, for rules that look at more than groups.
fn from_parts(
    rule: &Rule,
    scan: &Scan<'_>,
    rows: Vec<u32>,
    time_s: f64,
    efficiency: Option<f64>,
    back: Option<(f64, f64)>,
    story: Story,
) -> Finding {
    let share = scan.share(time_s);
    let mut severity = finding_severity(share, efficiency, back.map(|(_, high)| scan.share(high)));
    if rule.confidence == Confidence::Hint {
        // A pattern that is worth a look never outranks what is known.
        severity = severity.max(Severity::Medium);
    }
    Finding {
        rule: rule.id.to_owned(),
        title: story.title,
        text: story.text,
        severity,
        confidence: rule.confidence,
        category: rule.category,
        evidence: Evidence {
            rows,
            formula: story.formula,
        },
        time_s,
        share,
        efficiency,
        gives_back_s: back,
        path_a: story.path_a.unwrap_or_else(|| rule.path_a.to_owned()),
        path_b: story.path_b.unwrap_or_else(|| rule.path_b.to_owned()),
        profile: rule.profile.to_owned(),
    }
}

/// `63.8 %`; two digits under 1 %.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        "unknown".to_owned()
    } else if share.abs() < 0.01 && share != 0.0 {
        format!("{:.2} %", share * 100.0)
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// `48 calls`, `1 call`.
pub fn calls(n: f64) -> String {
    if n == 1.0 {
        "1 call".to_owned()
    } else {
        format!("{n:.0} calls")
    }
}

/// A time with its unit.
pub fn time(seconds: f64) -> String {
    Seconds(seconds).to_string()
}

/// A rate with its unit.
pub fn rate(flops_per_s: f64) -> String {
    FlopsPerSec(flops_per_s).to_string()
}

/// A bandwidth with its unit.
pub fn bandwidth(bytes_per_s: f64) -> String {
    BytesPerSec(bytes_per_s).to_string()
}

/// The roof time and efficiency of one call, with the numbers put in.
pub fn roof_formula(scan: &Scan<'_>, group: &Group) -> String {
    let problem = scan.problem(group);
    let Some(roof) = scan.roof(group) else {
        return String::new();
    };
    let call = group.call_s();
    let roof_s = group.roof_s / group.calls;
    format!(
        "roof time / time = max({} / {}, {} / {}) / {} = {} / {} = {}",
        Flops(problem.work().0),
        rate(roof.peak_flops_per_s),
        Bytes(problem.bytes().0),
        bandwidth(roof.bandwidth_bytes_per_s),
        time(call),
        time(roof_s),
        time(call),
        percent(roof_s / call)
    )
}

/// Calls, time and share of a group, as the stories begin.
pub fn opening(scan: &Scan<'_>, group: &Group) -> String {
    format!(
        "{} of {}, {} in all ({} of the {})",
        calls(group.calls),
        time(group.call_s()),
        time(group.time_s),
        percent(scan.share(group.time_s)),
        scan.whole.label()
    )
}

/// A story about a kernel's tile: what its shape allows, in the shape's own words.
pub fn of_shape(scan: &Scan<'_>, group: &Group, shape: Option<&RowShape>, title: String) -> Story {
    Story {
        title,
        text: format!(
            "{}. {}",
            opening(scan, group),
            shape.map_or(String::new(), RowShape::sentence)
        ),
        formula: shape.map_or(String::new(), RowShape::formula),
        ..Story::default()
    }
}

/// Groups that are too small to be judged by their roof: one call is launch time mostly.
pub fn tiny(group: &Group) -> bool {
    let call = group.call_s();
    call < super::launch_bound::SHORT_CALL_S
        && group.roof_s / group.calls < super::launch_bound::ROOF_SHARE * call
}
