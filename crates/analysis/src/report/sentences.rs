//! The summary in a few sentences.

use super::SIGNIFICANT_SHARE;
use super::devices::{beaten, no_roof, of_devices, on_devices};
use crate::findings;
use crate::findings::{Category, Finding, Findings, Group, Part, Scan, Severity, Whole};
use crate::pareto::other_time_s;
use crate::standing::Standing;
use crate::tile_sweep::{MOST_ROWS, Sweep, influence_sentence, influences};
use crate::untimed::UntimedList;
use gemmscope_model::units::{
    WIDE, capitalized, grouped, percent, plural, seconds_brief, seconds_range,
};
use gemmscope_table::data_kind::DataKind;
use std::collections::HashSet;

/// GEMMs that take less than this share of the time from end to end are not what to start with.
const MINOR: f64 = 0.2;
/// If more than this share of the time has a roof, it counts as all of it.
const ALL: f64 = 0.995;
/// Lost time that no finding could save is worth a sentence from this share on.
const UNFLAGGED: f64 = 0.2;
/// What could save less than this share of the time is not what to talk about.
const TRIFLE: f64 = 0.01;
/// An efficiency from which on a GEMM is no problem.
const ACCEPTABLE: f64 = 0.4;

/// What matters most, first: the most important finding and what to try, the time of the GEMMs and
/// their efficiency, the possible savings of all findings. Where sides are compared, who is fastest
/// comes before what one of them loses.
pub fn sentences(scan: &Scan<'_>, findings: &Findings) -> Vec<String> {
    let groups: Vec<&Group> = scan.checked().map(|(_, g)| g).collect();
    let shapes = UntimedList::of(scan.frame);
    if groups.is_empty() && shapes.rows > 0 {
        return only_shapes(&shapes);
    }
    if groups.is_empty() {
        return vec![
            "No GEMM here has a time.".to_owned(),
            "The roofline shows what each could reach at best.".to_owned(),
            "Add a file with times or rates to see findings.".to_owned(),
        ];
    }
    let outside = outside(findings);
    let all = first(scan, &groups, outside.is_none());
    let most = second(scan, findings, &groups);
    let most = match unjudged(scan).or_else(|| far_below(findings)) {
        Some(words) => format!("{words} {most}"),
        None => most,
    };
    // What else the time goes to comes before what a GEMM loses.
    let minor = scan
        .parts
        .first()
        .is_some_and(|p| p.whole != Whole::MeasuredRows && end_to_end(scan, p, true).is_some());
    // Without a roof the device matters more than what findings can guess.
    let no_roof =
        known(&groups).1 <= 0.0 && findings.findings.iter().all(|f| f.gives_back_s.is_none());
    let mut out = match outside {
        Some(f) => vec![
            format!("{}.", f.heading()),
            format!("Try this first: {}", advice(f)),
            format!("{all} {most}").trim_end().to_owned(),
        ],
        None if scan.compares() || findings.findings.is_empty() || minor || no_roof => {
            vec![all, most]
        }
        None => vec![most, all],
    };
    // Of a sweep the settings are the story.
    let settings = match scan.kind {
        DataKind::Sweep => {
            let few = scan.frame.rows.len() <= MOST_ROWS;
            if let Some(Ok(sweep)) = few.then(|| Sweep::new(scan.frame, None)) {
                out = vec![sweep.headline(), out.join(" ")];
            }
            influence_sentence(&influences(scan.frame))
        }
        _ => None,
    };
    let last = settings.or_else(|| {
        let words = third(scan, findings)?;
        let saves = findings.findings.iter().any(|f| f.gives_back_s.is_some_and(|b| b.1 > 0.0));
        Some(match unflagged(scan, findings, &groups).filter(|_| saves) {
            Some(rest) => format!("{words} {rest}"),
            None => words,
        })
    });
    out.extend(last);
    out
}

/// Where the lost time is that no finding could save, if that is a large part of it.
fn unflagged(scan: &Scan<'_>, findings: &Findings, groups: &[&Group]) -> Option<String> {
    if scan.compares() || scan.frame.rows.len() > MOST_ROWS {
        return None;
    }
    let saving = |f: &&Finding| f.gives_back_s.is_some_and(|b| b.1 > 0.0);
    let found = findings.findings.iter().filter(saving);
    let flagged: HashSet<u32> = found.flat_map(|f| f.evidence.rows.iter().copied()).collect();
    let lost = |groups: &[&Group]| groups.iter().map(|g| g.lost_s()).sum::<f64>();
    let mut rest = groups.to_vec();
    rest.retain(|g| g.roof_s.is_finite());
    let all_s = lost(&rest);
    rest.retain(|g| !scan.rows(g).iter().any(|r| flagged.contains(r)));
    let rest_s = lost(&rest);
    let most = rest.iter().max_by(|a, b| a.lost_s().total_cmp(&b.lost_s()))?;
    (rest_s > UNFLAGGED * all_s && rest.len() > 1).then(|| {
        format!(
            "{} of the {} lost are in {} outside these findings, most in {} ({} at {} of its roof).",
            seconds_brief(rest_s),
            seconds_brief(all_s),
            plural(rest.len() as u64, "GEMM"),
            scan.title(most),
            seconds_brief(most.lost_s()),
            percent(most.efficiency()),
        )
    })
}

/// The first finding, where it is about time outside the GEMMs.
fn outside(findings: &Findings) -> Option<&Finding> {
    findings.findings.first().filter(|f| f.is_outside_gemms())
}

/// That most of the GEMM time cannot be judged, if it cannot.
fn unjudged(scan: &Scan<'_>) -> Option<String> {
    let [part] = scan.parts.as_slice() else {
        return None;
    };
    let share = part.without_s / (part.without_s + part.time_s);
    (share > 0.5).then(|| {
        let share = percent(share);
        format!("{share} of the GEMM time has no known shape, so this is of the rest.")
    })
}

/// The question whether the device is right where nothing comes near its roof.
fn far_below(findings: &Findings) -> Option<String> {
    let found = findings.findings.iter().find(|f| f.rule == "far_below")?;
    Some(format!("{}.", found.title))
}

/// What can be said of a list of shapes.
fn only_shapes(shapes: &UntimedList) -> Vec<String> {
    let (what, have) = match shapes.rows {
        1 => ("One shape".to_owned(), "it has"),
        n => (format!("{n} shapes"), "they have"),
    };
    let reach = if shapes.total == 0 {
        "Choose a device to see what its roof allows.".to_owned()
    } else {
        shapes.words()
    };
    vec![
        format!("{what} only: {have} no time."),
        reach,
        "Add a file with times or rates to see findings.".to_owned(),
    ]
}

/// Roof time and time of the groups that have a roof.
fn known(groups: &[&Group]) -> (f64, f64) {
    groups
        .iter()
        .filter(|g| g.efficiency().is_finite())
        .fold((0.0, 0.0), |(r, t), g| (r + g.roof_s, t + g.time_s))
}

/// What the GEMMs take and reach. `between`: where little of the time is theirs, it says where to look,
/// as no finding does.
fn first(scan: &Scan<'_>, groups: &[&Group], between: bool) -> String {
    if scan.compares() {
        return sides(scan);
    }
    let part = &scan.parts[0];
    let counted = scan.frame.counted().words(scan.kind);
    let what = match (groups.len(), scan.kind) {
        (_, DataKind::Sweep) => format!("{counted}: the fastest of each take"),
        (1, DataKind::Workload) => "One GEMM takes".to_owned(),
        (1, _) => "One call of one GEMM takes".to_owned(),
        (n, DataKind::Workload) => {
            let rows = scan.frame.counted().all().len();
            let different = grouped(n as u64);
            match rows {
                rows if rows == n => format!("{different} different GEMMs take"),
                rows => {
                    format!("{} GEMMs, {different} of them different, take", grouped(rows as u64))
                }
            }
        }
        (n, _) if groups.iter().any(|g| g.calls > 1.0) => {
            format!("{} GEMMs{} take", grouped(n as u64), on_devices(scan))
        }
        (n, _) => {
            format!("One call of each of {} GEMMs{} takes", grouped(n as u64), on_devices(scan))
        }
    };
    let share = match part.whole {
        Whole::MeasuredRows => String::new(),
        whole => {
            let without = match percent(part.share(part.without_s)).as_str() {
                _ if part.without_s <= 0.0 => String::new(),
                share => format!(" (GEMMs of unknown shape another {share})"),
            };
            format!(
                ", {} of the {}{without}{}",
                percent(part.share(part.time_s)),
                whole.label(),
                match end_to_end(scan, part, between) {
                    Some(words) => words,
                    None if part.gemm_share() > SIGNIFICANT_SHARE => String::new(),
                    None => " (look elsewhere first)".to_owned(),
                }
            )
        }
    };
    let (roof_s, time_s) = known(groups);
    let covered = time_s / part.time_s;
    let roof = format!("the {}{}", scan.roof_name(), of_devices(scan));
    let reach = if time_s <= 0.0 {
        format!(". {}", capitalized(&no_roof(scan)))
    } else if covered < ALL {
        format!(
            ". A roof is known for {} of that time, which reaches {} of {roof}",
            percent(covered),
            percent(roof_s / time_s)
        )
    } else {
        let who = match groups.len() {
            1 => "It reaches",
            _ => "Together they reach",
        };
        format!(". {who} {} of {roof}{}", percent(roof_s / time_s), beaten(scan, groups))
    };
    format!("{what} {}{share}{reach}.", seconds_brief(part.time_s))
}

/// That most of the time from the first to the last kernel is none of GEMMs, if it is.
fn end_to_end(scan: &Scan<'_>, part: &Part, between: bool) -> Option<String> {
    let all = part.time_s + other_time_s(scan.frame);
    let share = part.time_s / all;
    (share < MINOR).then(|| {
        format!(
            ", but only {} of the {} from end to end{}",
            percent(share),
            seconds_brief(all),
            match between {
                true => ": look at what happens between kernels first",
                false => "",
            }
        )
    })
}

/// Who is fastest on how many GEMMs, and how near its roof each side is.
fn sides(scan: &Scan<'_>) -> String {
    let standing = match Standing::of(scan.frame) {
        Some(standing) => format!("Fastest: {}.", standing.words()),
        None => format!("No GEMM ran on every side: {}.", scan.frame.counted().words(scan.kind)),
    };
    let reached: Vec<String> = scan
        .parts
        .iter()
        .filter_map(|p| Some(format!("{} {}", p.label, percent(p.efficiency()?))))
        .collect();
    if reached.is_empty() {
        return format!("{standing} {}.", capitalized(&no_roof(scan)));
    }
    let groups: Vec<&Group> = scan.checked().map(|(_, g)| g).collect();
    format!(
        "{standing} Share of the {}{}: {}{}.",
        scan.roof_name(),
        of_devices(scan),
        reached.join(", "),
        beaten(scan, &groups)
    )
}

fn second(scan: &Scan<'_>, findings: &Findings, groups: &[&Group]) -> String {
    let (_, time_s) = known(groups);
    let all = &findings.findings;
    if time_s <= 0.0 && all.is_empty() {
        return "Most checks compare with a roof, so they wait for a device.".to_owned();
    }
    if time_s > 0.0 && time_s < 0.5 * scan.time_s {
        return format!(
            "{} of the time has no roof yet: {}.",
            percent(1.0 - time_s / scan.time_s),
            no_roof(scan)
        );
    }
    let weighs = |f: &&Finding| f.gives_back_s.is_some_and(|b| b.1 > 0.0);
    // Where nothing has to be done, nothing has to be looked at first.
    let open = |f: &&Finding| !f.path_a.starts_with("Nothing");
    let Some(f) = all.iter().find(weighs).or(all.iter().find(open)) else {
        return "No problems found.".to_owned();
    };
    let claim = claim(f);
    let facts = match f.gives_back_s.filter(|b| b.1 > 0.0) {
        Some(back) => {
            format!(" Fixing it could save {} of {}.", seconds_range(back), seconds_brief(f.time_s))
        }
        // A doubt about the data costs no time.
        None if f.time_s > 0.0 && f.category != Category::Data => {
            // Titles of several GEMMs begin with their number.
            let took = match f.title.starts_with(|c: char| c.is_ascii_digit()) {
                true => "They take",
                false => "It takes",
            };
            format!(" {took} {}.", seconds_brief(f.time_s))
        }
        None => String::new(),
    };
    if f.rule == "wrong_device" {
        return format!("{}. First {}", f.title, advice(f));
    }
    let lead = match f.gives_back_s {
        Some(_) => "Most to gain",
        None => "Look first at",
    };
    if outside(findings).is_some() {
        return match f.gives_back_s {
            Some(_) => format!("Most to gain in the GEMMs: {claim}.{facts}"),
            None => String::new(),
        };
    }
    if f.severity == Severity::Low
        && !scan.compares()
        && let Some(words) = nothing_much(scan, findings, groups)
    {
        return words;
    }
    if f.severity == Severity::Low {
        return format!("No single problem stands out. {lead}: {claim}.{facts}");
    }
    format!("{lead}: {claim}.{facts} Try this: {}", advice(f))
}

/// Where the time goes, if all findings together could save next to nothing of it.
fn nothing_much(scan: &Scan<'_>, findings: &Findings, groups: &[&Group]) -> Option<String> {
    let part = scan.parts.first()?;
    let flagged = flagged_s(scan, findings, groups);
    if flagged > 0.0 && flagged < TRIFLE * part.time_s {
        let share = percent(flagged / part.time_s);
        return Some(match known(groups).1 > 0.0 {
            true => {
                format!("No problem stands out: the GEMMs with findings take {share} of the time.")
            }
            false => format!(
                "Most checks compare with a roof, so they wait for a device; those that ran found only \
                 GEMMs that take {share} of the time."
            ),
        });
    }
    let (_, high_s) = findings::gives_back_together(&findings.findings, &part.label);
    let most = groups
        .iter()
        .filter(|g| g.efficiency().is_finite())
        .max_by(|a, b| a.time_s.total_cmp(&b.time_s))?;
    let efficiency = most.efficiency();
    if high_s > TRIFLE * part.time_s || efficiency < ACCEPTABLE {
        return None;
    }
    Some(format!(
        "No problem stands out: the findings could save under 1 % of the time. Most of it goes to {}, at \
         {} of its roof, which is {}.",
        scan.title(most),
        percent(efficiency),
        findings::band(efficiency)
    ))
}

/// Time of the GEMMs that findings are about, those on the data left out, in seconds.
fn flagged_s(scan: &Scan<'_>, findings: &Findings, groups: &[&Group]) -> f64 {
    let of = findings.findings.iter();
    let rows: HashSet<u32> = of
        .filter(|f| f.category != Category::Data)
        .flat_map(|f| f.evidence.rows.iter().copied())
        .collect();
    let about = groups.iter().filter(|g| scan.rows(g).iter().any(|r| rows.contains(r)));
    about.map(|g| g.time_s).sum()
}

/// The title of a finding, which is `claim: GEMM`, inside a sentence, with its side.
fn claim(f: &Finding) -> String {
    let title = match f.title.split_once(": ") {
        Some((claim, of)) => format!("{} ({of})", decapitalized(claim)),
        None => decapitalized(&f.title),
    };
    match f.side.as_str() {
        side if title.starts_with(side) => title,
        side => format!("{side}: {title}"),
    }
}

/// A text that goes on in a sentence. A word with a second capital letter (`GEMM`) keeps its first.
fn decapitalized(text: &str) -> String {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.clone().next());
    match (first, second) {
        (Some(a), Some(b)) if b.is_lowercase() || text.starts_with("A ") => {
            a.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// The path that fits the kind of finding, for a sentence.
fn advice(f: &Finding) -> String {
    let path = match f.category {
        _ if f.path_a.starts_with("Nothing") => &f.path_b,
        Category::Launches
        | Category::Precision
        | Category::Layout
        | Category::Library
        | Category::Timeline
        | Category::Data => &f.path_a,
        _ => &f.path_b,
    };
    decapitalized(path.trim_start_matches("Try "))
}

fn third(scan: &Scan<'_>, findings: &Findings) -> Option<String> {
    let parts: Vec<(&Part, (f64, f64))> = scan
        .parts
        .iter()
        .map(|p| (p, findings::gives_back_together(&findings.findings, &p.label)))
        .filter(|(_, (_, high))| *high > 0.0)
        .collect();
    if parts.is_empty() {
        let words = "Times alone don\u{2019}t tell how much the findings would save.";
        let groups: Vec<&Group> = scan.checked().map(|(_, g)| g).collect();
        let matters = flagged_s(scan, findings, &groups) >= TRIFLE * scan.time_s;
        return matters.then(|| words.to_owned());
    }
    let share = |part: &Part, (low, high): (f64, f64)| {
        let [low, high] = [low, high].map(|t| (t / part.time_s * 100.0).round());
        match (low, high) {
            (_, 0.0) => "under 1 %".to_owned(),
            _ if low == high => format!("{high:.0} %"),
            _ if low * WIDE < high => format!("up to {high:.0} %"),
            _ => format!("{low:.0} to {high:.0} %"),
        }
    };
    let all = match findings.findings.iter().any(|f| f.is_outside_gemms()) {
        true => "The findings on GEMMs",
        false => "All findings",
    };
    if scan.compares() {
        let each: Vec<String> = parts
            .iter()
            .map(|(p, back)| format!("{} {} ({})", p.label, seconds_range(*back), share(p, *back)))
            .collect();
        let each = each.join(", ");
        return Some(format!("{all} together could save: {each}."));
    }
    let (part, (low_s, high_s)) = parts[0];
    // Rows of a benchmark are no program that could get faster as a whole.
    let other = match scan.kind {
        DataKind::Workload => other_time_s(scan.frame),
        _ => 0.0,
    };
    let time = match part.without_s > 0.0 {
        true => "time of GEMMs with a known shape",
        false => "GEMM time",
    };
    let whole = part.time_s + other;
    let fast = |back: f64| match whole / (whole - back) {
        times if times < 10.0 => format!("{times:.2}"),
        times => format!("{times:.0}"),
    };
    let end = match (fast(low_s), fast(high_s)) {
        _ if other <= 0.0 => String::new(),
        (_, b) if b == "1.00" => String::new(),
        (a, b) if a == b => format!(" ({b}x faster end to end)"),
        (a, b) if a == "1.00" => format!(" (up to {b}x faster end to end)"),
        (a, b) => format!(" ({a}x to {b}x faster end to end)"),
    };
    Some(format!(
        "{all} together could save {}, {} of the {time}{end}.",
        seconds_range((low_s, high_s)),
        share(part, (low_s, high_s)),
    ))
}
