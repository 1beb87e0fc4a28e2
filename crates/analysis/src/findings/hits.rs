//! Turns groups, rows and files of a question or an idea into findings.

use super::{Fact, FindingEvidence, FindingFacts, Group, Kind, Rule, Scan, Severity, priority};
use gemmscope_model::roofline::is_launch_bound;

/// A group that a question or an idea is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its index in `Scan::groups`.
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

/// One finding per set of groups and side; `fact` returns its content.
pub(super) fn joined(
    rule: &Rule,
    scan: &Scan<'_>,
    sets: Vec<Vec<Hit>>,
    fact: impl Fn(&[Hit]) -> Option<Fact>,
) -> Vec<FindingFacts> {
    let of_sides = sets.into_iter().flat_map(|hits| by_side(scan, hits));
    of_sides.filter_map(|hits| Some(finding(rule, scan, &hits, fact(&hits)?))).collect()
}

/// One finding per side over `hits`; `fact` names the group with the most `weight`.
pub(super) fn standing_out(
    rule: &Rule,
    scan: &Scan<'_>,
    hits: Vec<Hit>,
    weight: fn(&Group) -> f64,
    fact: impl Fn(&Group) -> Fact,
) -> Vec<FindingFacts> {
    joined(rule, scan, vec![hits], |hits| {
        let groups = hits.iter().map(|h| &scan.groups[h.group as usize]);
        groups.max_by(|a, b| weight(a).total_cmp(&weight(b))).map(&fact)
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

/// One finding over the groups of `hits`, which share a side.
fn finding(rule: &Rule, scan: &Scan<'_>, hits: &[Hit], fact: Fact) -> FindingFacts {
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
    let mut out = from_parts(rule, scan, side, rows, time_s, fact);
    out.efficiency = efficiency;
    out.alone_s = saves;
    out.severity = severity(rule, out.share, efficiency, saves.map(|s| s / out.whole_s));
    out
}

/// Severity; Medium at most for ideas, which are not lost time.
fn severity(rule: &Rule, share: f64, efficiency: Option<f64>, back: Option<f64>) -> Severity {
    let severity = priority(share, back.unwrap_or(share), efficiency, true);
    match rule.kind {
        Kind::Idea => severity.max(Severity::Medium),
        _ => severity,
    }
}

/// A finding about a file, without rows: on the side of its GEMMs, else under the file's name.
pub(super) fn of_file(
    rule: &Rule,
    scan: &Scan<'_>,
    source: u16,
    time_s: f64,
    fact: Fact,
) -> FindingFacts {
    let own = |g: &&Group| scan.data().source[g.row as usize] == source;
    let mut sides: Vec<u16> = scan.groups.iter().filter(own).map(|g| g.side).collect();
    sides.dedup();
    let all_on = sides.first().filter(|_| sides.len() == 1);
    let side = all_on.copied().unwrap_or(0);
    let mut out = from_parts(rule, scan, side, Vec::new(), time_s, fact);
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
    fact: Fact,
) -> FindingFacts {
    let side = rows.first().map_or(0, |row| scan.side_of(*row));
    from_parts(rule, scan, side, rows, time_s, fact)
}

/// Assembles a finding.
pub(super) fn from_parts(
    rule: &Rule,
    scan: &Scan<'_>,
    side: u16,
    rows: Vec<u32>,
    time_s: f64,
    fact: Fact,
) -> FindingFacts {
    let part = &scan.parts[usize::from(side)];
    let share = part.share(time_s);
    let [most, faster] = fact.rows();
    FindingFacts {
        rule: rule.id.to_owned(),
        kind: rule.kind,
        side: part.label.clone(),
        device: String::new(),
        of: part.label.clone(),
        severity: severity(rule, share, None, None),
        basis: rule.basis,
        category: rule.category,
        groups: scan.gemms(&rows),
        evidence: FindingEvidence { rows, most, faster },
        time_s,
        share,
        efficiency: None,
        split_s: None,
        alone_s: None,
        changes: Vec::new(),
        whole_s: part.whole_s,
        signs: Vec::new(),
        fact,
    }
}

/// True for groups whose calls are mostly launch time, so that their roof hardly matters.
pub(super) fn tiny(group: &Group) -> bool {
    is_launch_bound(group.call_s(), group.roof_s / group.calls, group.launch_s)
}
