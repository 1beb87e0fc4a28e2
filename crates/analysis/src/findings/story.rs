//! Turns the groups that a rule flags into findings: one for each of the slowest groups, and one
//! for all others.

use super::claims::at_most;
use super::{Confidence, Evidence, Finding, Group, Rule, Scan, Severity, finding_severity};
use crate::tile_roof::RowTile;
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::is_launch_bound;
use gemmscope_model::units::{Bytes, BytesPerSec, Flops, FlopsPerSec, Seconds, percent, plural};

/// Largest number of separate findings of one rule; the others are joined into one more.
pub(super) const BY_THEMSELVES: usize = 5;
/// The same where several sides have findings.
pub(super) const BY_THEMSELVES_OF_A_SIDE: usize = 2;
/// A GEMM has a finding of its own from this share of its side's time on: what it could save, or, where that
/// is not known, what it takes.
const WEIGHTY_SAVING: f64 = 0.005;
const WEIGHTY_TIME: f64 = 0.01;

/// A group that a rule flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its number in `Scan::groups`.
    pub group: u32,
    /// Seconds that it could save.
    pub back: Option<(f64, f64)>,
}

impl Hit {
    /// A group whose saving timings do not tell.
    pub(super) fn of(group: u32) -> Hit {
        Hit { group, back: None }
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
    /// Replaces path A of the rule.
    pub path_a: Option<String>,
    /// Replaces path B of the rule.
    pub path_b: Option<String>,
}

/// Findings of the flagged groups, for each side by itself. `tell` writes the texts for one group,
/// `rest` the title for the others from their number.
pub(super) fn findings(
    rule: &Rule,
    scan: &Scan<'_>,
    hits: Vec<Hit>,
    tell: impl Fn(&Hit, &Group) -> Story,
    rest: impl Fn(usize) -> String,
) -> Vec<Finding> {
    let hits = scan.claims.borrow_mut().admit(rule, scan, hits, &tell);
    by_side(scan, hits)
        .into_iter()
        .flat_map(|hits| of_one_side(rule, scan, hits, &tell, &rest))
        .collect()
}

/// One finding a set of flagged groups with one cause, for each side by itself; `tell` writes the
/// texts.
pub(super) fn joined(
    rule: &Rule,
    scan: &Scan<'_>,
    sets: Vec<Vec<Hit>>,
    tell: impl Fn(&[Hit]) -> Story,
) -> Vec<Finding> {
    let mut out = Vec::new();
    for hits in sets {
        let one = |hit: &Hit, _: &Group| tell(std::slice::from_ref(hit));
        let hits = scan.claims.borrow_mut().admit(rule, scan, hits, one);
        for hits in by_side(scan, hits) {
            out.push(finding(rule, scan, &hits, tell(&hits)));
        }
    }
    out
}

fn by_side(scan: &Scan<'_>, hits: Vec<Hit>) -> Vec<Vec<Hit>> {
    let mut sides = vec![Vec::new(); scan.parts.len()];
    for hit in hits {
        sides[usize::from(scan.groups[hit.group as usize].side)].push(hit);
    }
    sides.retain(|hits| !hits.is_empty());
    sides
}

fn of_one_side(
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
    let by_themselves = if scan.compares() { BY_THEMSELVES_OF_A_SIDE } else { BY_THEMSELVES };
    // A million groups may be flagged and few are shown, so not all of them are sorted.
    let shown = by_themselves + 1;
    if hits.len() > shown {
        hits.select_nth_unstable_by(shown, order);
    }
    let head = hits.len().min(shown);
    hits[..head].order_by(order);
    let part_s = hits
        .first()
        .map_or(0.0, |h| scan.parts[usize::from(scan.groups[h.group as usize].side)].time_s);
    let weighty = |h: &&Hit| match h.back {
        Some((_, high)) => high >= WEIGHTY_SAVING * part_s,
        None => time(h) >= WEIGHTY_TIME * part_s,
    };
    let largest = hits[..head].iter().take_while(weighty).count();
    let alone = match hits.len() {
        n if n - largest.min(by_themselves) == 1 => n,
        _ => largest.min(by_themselves),
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
                    "{}{} {} {}",
                    rule.why,
                    match alone {
                        0 => " The one".to_owned(),
                        1 => " The largest is listed on its own. Of the others, the one".to_owned(),
                        n => format!(
                            " The {n} largest are listed on their own. Of the others, the one"
                        ),
                    },
                    if weight(first) > 0.0 {
                        "with the most to save"
                    } else {
                        "with the longest time"
                    },
                    match story.text.strip_prefix("Takes ") {
                        Some(rest) => format!("takes {rest}"),
                        None => format!("has {}", story.text),
                    }
                ),
                ..story
            },
        ));
    }
    out
}

/// One finding over the groups of `hits`, which are of one side.
pub(super) fn finding(rule: &Rule, scan: &Scan<'_>, hits: &[Hit], story: Story) -> Finding {
    let mut rows: Vec<u32> = Vec::new();
    let (mut time_s, mut roof_s) = (0.0, 0.0);
    let mut back: Option<(f64, f64)> = None;
    for hit in hits {
        let group = &scan.groups[hit.group as usize];
        rows.extend_from_slice(scan.rows(group));
        time_s += group.time_s;
        roof_s += group.roof_s;
        if let Some((low, high)) = hit.back {
            // The savings are at most what the rows lose and at least 0.
            let high = high.clamp(0.0, at_most(rule, group));
            let low = low.clamp(0.0, high);
            let (l, h) = back.unwrap_or((0.0, 0.0));
            back = Some((l + low, h + high));
        }
    }
    rows.sort_unstable();
    let efficiency = Some(roof_s / time_s).filter(|e| e.is_finite());
    // Sums in a different order may differ in the last digit.
    let back = back.map(|(low, high)| (low.min(time_s), high.min(time_s)));
    let side = hits.first().map_or(0, |h| scan.groups[h.group as usize].side);
    let mut out = from_parts(rule, scan, side, rows, time_s, efficiency, back, story);
    out.key = Some(scan.claims.borrow_mut().record(scan, hits));
    out
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
    let mut out = from_parts(rule, scan, side, Vec::new(), time_s, None, None, story);
    if all_on.is_none() && scan.compares() {
        let of = scan.data().sources.get(usize::from(source));
        out.side = of.map_or_else(String::new, |s| s.name.clone());
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
    from_parts(rule, scan, side, rows, time_s, None, None, story)
}

/// A finding from its parts, for rules that do not check single groups.
#[allow(clippy::too_many_arguments, reason = "two callers; a struct would only rename them")]
fn from_parts(
    rule: &Rule,
    scan: &Scan<'_>,
    side: u16,
    rows: Vec<u32>,
    time_s: f64,
    efficiency: Option<f64>,
    back: Option<(f64, f64)>,
    story: Story,
) -> Finding {
    let part = &scan.parts[usize::from(side)];
    let share = part.share(time_s);
    let mut severity = finding_severity(share, efficiency, back.map(|(_, high)| part.share(high)));
    if rule.confidence == Confidence::Hint {
        // A hint never ranks above a certain finding.
        severity = severity.max(Severity::Medium);
    }
    Finding {
        rule: rule.id.to_owned(),
        side: part.label.clone(),
        title: story.title,
        text: story.text,
        severity,
        confidence: rule.confidence,
        category: rule.category,
        evidence: Evidence { rows, formula: story.formula },
        time_s,
        share,
        efficiency,
        gives_back_s: back,
        whole_s: part.whole_s,
        also: Vec::new(),
        key: None,
        path_a: story.path_a.unwrap_or_else(|| rule.path_a.to_owned()),
        path_b: story.path_b.unwrap_or_else(|| rule.path_b.to_owned()),
        profile: rule.profile.to_owned(),
    }
}

/// `48 calls`, `1 call`.
pub(super) fn calls(n: f64) -> String {
    plural(n.round() as u64, "call")
}

/// `31 % of the measured time`: what the GEMMs take of their side's.
pub(super) fn share_of_time(scan: &Scan<'_>, hits: &[Hit]) -> String {
    let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
    let own: f64 = groups.clone().map(|g| g.time_s).sum();
    let part = groups.map(|g| &scan.parts[usize::from(g.side)]).next();
    part.map_or(String::new(), |part| {
        format!("{} of the {}", percent(part.share(own)), part.whole.label())
    })
}

/// A time with its unit.
pub(super) fn time(seconds: f64) -> String {
    Seconds(seconds).to_string()
}

/// A rate with its unit.
pub(super) fn rate(flops_per_s: f64) -> String {
    FlopsPerSec(flops_per_s).to_string()
}

/// A bandwidth with its unit.
pub(super) fn bandwidth(bytes_per_s: f64) -> String {
    BytesPerSec(bytes_per_s).to_string()
}

/// The formula of roof time and efficiency of one call, with its numbers.
pub(super) fn roof_formula(scan: &Scan<'_>, group: &Group) -> String {
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

/// The texts for a group whose tile limits it.
pub(super) fn of_tile(
    scan: &Scan<'_>,
    group: &Group,
    shape: Option<&RowTile>,
    title: String,
) -> Story {
    Story {
        title,
        text: format!(
            "{}. {}",
            opening(scan, group),
            shape.map_or(String::new(), RowTile::sentence)
        ),
        formula: shape.map_or(String::new(), RowTile::formula),
        ..Story::default()
    }
}

/// True for groups that are too small for their roof to matter: a call is mostly launch time.
pub(super) fn tiny(group: &Group) -> bool {
    is_launch_bound(group.call_s(), group.roof_s / group.calls, group.launch_s)
}
