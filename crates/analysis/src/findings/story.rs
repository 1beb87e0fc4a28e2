//! Turns groups and files that a question or an idea is about into findings, and the words that all
//! findings share.

use super::{Finding, FindingEvidence, Group, Rule, Scan, priority};
use crate::formula::{Formula, given, given_as};
use gemmscope_model::roofline::is_launch_bound;
use gemmscope_model::units::{BytesPerSec, FlopsPerSec, Seconds, percent, plural, seconds_brief};

/// A group that a question or an idea is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its number in `Scan::groups`.
    pub group: u32,
    /// Seconds that an idea would save at the roof.
    pub alone_s: Option<f64>,
}

impl Hit {
    /// A group that a question is about.
    pub(super) fn of(group: u32) -> Hit {
        Hit { group, alone_s: None }
    }
}

/// The texts of one finding.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// Title, one line.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// The formula with its numbers.
    pub formula: String,
    /// The row that they name.
    pub most: Option<u32>,
    /// The faster run that they compare it with.
    pub faster: Option<u32>,
    /// Replaces path A of the rule.
    pub path_a: Option<String>,
    /// Replaces path B of the rule.
    pub path_b: Option<String>,
}

/// One finding a set of groups, for each side by itself; `tell` writes the texts.
pub(super) fn joined(
    rule: &Rule,
    scan: &Scan<'_>,
    sets: Vec<Vec<Hit>>,
    tell: impl Fn(&[Hit]) -> Story,
) -> Vec<Finding> {
    let of_sides = sets.into_iter().flat_map(|hits| by_side(scan, hits));
    of_sides.map(|hits| finding(rule, scan, &hits, tell(&hits))).collect()
}

/// One finding a side over `hits`: of the group with the most `weight`, which `tell` writes the texts of. Of
/// several groups the title is `many`.
pub(super) fn standing_out(
    rule: &Rule,
    scan: &Scan<'_>,
    hits: Vec<Hit>,
    weight: fn(&Group) -> f64,
    tell: impl Fn(&Group) -> Story,
    many: impl Fn(usize) -> String,
) -> Vec<Finding> {
    joined(rule, scan, vec![hits], |hits| {
        let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
        let Some(g) = groups.max_by(|a, b| weight(a).total_cmp(&weight(b))) else {
            return Story::default();
        };
        let one = tell(g);
        match hits.len() {
            0 | 1 => one,
            n => Story {
                title: many(n),
                text: format!("The one that stands out most, {}: {}", scan.title(g), one.text),
                ..one
            },
        }
    })
}

fn by_side(scan: &Scan<'_>, hits: Vec<Hit>) -> Vec<Vec<Hit>> {
    let mut sides = vec![Vec::new(); scan.parts.len()];
    for hit in hits {
        sides[usize::from(scan.groups[hit.group as usize].side)].push(hit);
    }
    sides.retain(|hits| !hits.is_empty());
    sides
}

/// One finding over the groups of `hits`, which are of one side.
fn finding(rule: &Rule, scan: &Scan<'_>, hits: &[Hit], story: Story) -> Finding {
    let mut rows: Vec<u32> = Vec::new();
    let (mut time_s, mut roof_s) = (0.0, 0.0);
    let mut saves: Option<f64> = None;
    for hit in hits {
        let group = &scan.groups[hit.group as usize];
        rows.extend_from_slice(scan.rows(group));
        time_s += group.time_s;
        roof_s += group.roof_s;
        if let Some(s) = hit.alone_s {
            saves = Some(saves.unwrap_or(0.0) + s);
        }
    }
    rows.sort_unstable();
    let efficiency = Some(roof_s / time_s).filter(|e| e.is_finite());
    let side = hits.first().map_or(0, |h| scan.groups[h.group as usize].side);
    let mut out = from_parts(rule, scan, side, rows, time_s, story);
    out.groups = hits.len() as u64;
    out.efficiency = efficiency;
    out.alone_s = saves;
    out.severity = severity(rule, out.share, efficiency, saves.map(|s| s / out.whole_s));
    out
}

/// Of ideas the priority is Medium at most: they are no lost time.
fn severity(
    rule: &Rule,
    share: f64,
    efficiency: Option<f64>,
    back: Option<f64>,
) -> super::Severity {
    let severity = priority(share, back.unwrap_or(share), efficiency, true);
    match rule.kind {
        super::Kind::Idea => severity.max(super::Severity::Medium),
        _ => severity,
    }
}

/// A finding about a file, without rows: of the side that its GEMMs are on, else under its name.
pub(super) fn of_file(
    rule: &Rule,
    scan: &Scan<'_>,
    source: u16,
    time_s: f64,
    story: Story,
) -> Finding {
    let own = |g: &&Group| scan.data().source[g.row as usize] == source;
    let mut sides: Vec<u16> = scan.groups.iter().filter(own).map(|g| g.side).collect();
    sides.dedup();
    let all_on = sides.first().filter(|_| sides.len() == 1);
    let side = all_on.copied().unwrap_or(0);
    let mut out = from_parts(rule, scan, side, Vec::new(), time_s, story);
    if all_on.is_none() && scan.compares() {
        let of = scan.data().sources.get(usize::from(source));
        out.side = of.map_or_else(String::new, |s| s.name.clone());
        out.of = out.side.clone();
    }
    out
}

/// A finding about rows without a roof.
pub(super) fn of_rows(
    rule: &Rule,
    scan: &Scan<'_>,
    rows: Vec<u32>,
    time_s: f64,
    story: Story,
) -> Finding {
    let side = rows.first().map_or(0, |row| scan.side_of(*row));
    from_parts(rule, scan, side, rows, time_s, story)
}

/// A finding from its parts.
pub(super) fn from_parts(
    rule: &Rule,
    scan: &Scan<'_>,
    side: u16,
    rows: Vec<u32>,
    time_s: f64,
    story: Story,
) -> Finding {
    let part = &scan.parts[usize::from(side)];
    let share = part.share(time_s);
    Finding {
        rule: rule.id.to_owned(),
        kind: rule.kind,
        side: part.label.clone(),
        device: String::new(),
        of: part.label.clone(),
        title: story.title,
        text: story.text,
        severity: severity(rule, share, None, None),
        basis: rule.basis,
        category: rule.category,
        groups: rows.len() as u64,
        evidence: FindingEvidence {
            rows,
            formula: story.formula,
            most: story.most,
            faster: story.faster,
        },
        time_s,
        share,
        efficiency: None,
        split_s: None,
        alone_s: None,
        changes: Vec::new(),
        whole_s: part.whole_s,
        signs: Vec::new(),
        path_a: story.path_a.unwrap_or_else(|| rule.path_a.to_owned()),
        path_b: story.path_b.unwrap_or_else(|| rule.path_b.to_owned()),
        profile: rule.profile.to_owned(),
    }
}

/// `48 calls`, `1 call`.
pub(super) fn calls(n: f64) -> String {
    plural(n.round() as u64, "call")
}

/// A time with its unit.
pub(super) fn time(seconds: f64) -> String {
    seconds_brief(seconds)
}

/// A rate with its unit.
pub(super) fn rate(flops_per_s: f64) -> String {
    FlopsPerSec(flops_per_s).to_string()
}

/// A bandwidth with its unit.
pub(super) fn bandwidth(bytes_per_s: f64) -> String {
    BytesPerSec(bytes_per_s).to_string()
}

/// A time in a formula, with the digits of a sentence.
pub(super) fn brief(name: &str, seconds: f64) -> Formula<Seconds> {
    given_as(name, Seconds(seconds), time(seconds))
}

/// How a share of a time follows from its part and the whole.
pub(super) fn share_formula(part: (&str, f64), whole: (&str, f64)) -> String {
    (brief(part.0, part.1) / brief(whole.0, whole.1)).result(percent)
}

/// The formula of roof time and efficiency of one call, with its numbers.
pub(super) fn roof_formula(scan: &Scan<'_>, group: &Group) -> String {
    let problem = scan.problem(group);
    let Some(roof) = scan.roof(group) else {
        return String::new();
    };
    let peak = FlopsPerSec(roof.peak_flops_per_s);
    let computing = given("work", problem.work()) / given_as("peak", peak, peak.peak());
    let moving = given("bytes", problem.bytes())
        / given("bandwidth", BytesPerSec(roof.bandwidth_bytes_per_s));
    let roof_time = computing.max(moving).named("roof time");
    let call = || brief("time", group.call_s());
    let in_full = roof_time.clone() / call();
    in_full.result_by(&(roof_time.worked_out(|s| time(s.0)) / call()), percent)
}

/// Calls, time and share of a group: the first words of most descriptions.
pub(super) fn opening(scan: &Scan<'_>, group: &Group) -> String {
    let share = format!(
        "({} of the {})",
        percent(scan.share(group, group.time_s)),
        scan.part(group).whole.label()
    );
    match group.calls {
        1.0 => format!("Takes {} {share}", time(group.time_s)),
        n => format!(
            "{} of {}, {} in all {share}",
            calls(n),
            time(group.call_s()),
            time(group.time_s)
        ),
    }
}

/// True for groups that are too small for their roof to matter: a call is mostly launch time.
pub(super) fn tiny(group: &Group) -> bool {
    is_launch_bound(group.call_s(), group.roof_s / group.calls, group.launch_s)
}
