//! The summary in a few sentences.

use super::SIGNIFICANT_SHARE;
use super::devices::{no_roof, of_devices, on_devices};
use crate::compare::Tally;
use crate::findings::{Finding, Findings, Group, Kind, Part, Scan, Severity, Whole};
use crate::headline;
use crate::ledger::{Book, Ledger};
use crate::tile_sweep::{MOST_ROWS, Sweep, influence_sentence, influences};
use crate::trace_time::other_time_s;
use crate::untimed::UntimedList;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{capitalized, decapitalized, grouped, percent, seconds_brief};
use gemmscope_table::data_kind::DataKind;

/// GEMMs that take less than this share of the time from end to end are not what to start with.
const MINOR: f64 = 0.2;
/// If more than this share of the time has a roof, it counts as all of it.
const ALL: f64 = 0.995;

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
    let all = first(scan, findings, &groups, outside.is_none());
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
    let no_roof = known(&groups).1 <= 0.0 && findings.findings.iter().all(|f| f.saves_s.is_none());
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
    let last = settings.or_else(|| third(scan, findings));
    out.extend(last);
    out
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
fn first(scan: &Scan<'_>, findings: &Findings, groups: &[&Group], between: bool) -> String {
    if scan.compares() {
        return sides(scan, &findings.ledger);
    }
    let part = &scan.parts[0];
    let counted = scan.frame.counted().words(scan.kind);
    if findings.ledger.books.len() > 1 {
        // A total over several devices says nothing of any.
        return format!("{counted}{}. {}.", on_devices(scan), by_device(&findings.ledger));
    }
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
            format!("{} GEMMs take", grouped(n as u64))
        }
        (n, _) => format!("One call of each of {} GEMMs takes", grouped(n as u64)),
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
        format!(". {who} {} of {roof}", percent(roof_s / time_s))
    };
    format!("{what} {}{share}{reach}.", seconds_brief(part.time_s))
}

/// Devices that are named with their totals.
const NAMED: usize = 4;

/// `NVIDIA H100: 3.00 ms, 60 % of roof; ...`, those with most time.
fn by_device(ledger: &Ledger) -> String {
    let mut books: Vec<&Book> = ledger.books.iter().collect();
    books.order_by(|a, b| b.time_s.total_cmp(&a.time_s));
    let line = |b: &&Book| b.named(&headline::total(b));
    let named: Vec<String> = books.iter().take(NAMED).map(line).collect();
    match books.len().saturating_sub(NAMED) {
        0 => named.join("; "),
        n => format!("{}; and {n} more", named.join("; ")),
    }
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
fn sides(scan: &Scan<'_>, ledger: &Ledger) -> String {
    let standing = match Tally::of(scan.frame) {
        Some(tally) => tally.sentences(Some(ledger)).join(" "),
        None => format!("No GEMM ran on every side: {}.", scan.frame.counted().words(scan.kind)),
    };
    let reached = |b: &Book| Some(format!("{} {}", b.name, percent(b.share_of_roof()?)));
    let reached: Vec<String> = ledger.books.iter().filter_map(reached).collect();
    if reached.is_empty() {
        return format!("{standing} {}.", capitalized(&no_roof(scan)));
    }
    format!(
        "{standing} Share of the {}{}: {}.",
        scan.roof_name(),
        of_devices(scan),
        reached.join(", ")
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
    // Where nothing has to be done, nothing has to be looked at first.
    let open = |f: &&Finding| !f.path_a.starts_with("Nothing");
    let question = all.first().filter(|f| f.kind == Kind::Question && !f.is_outside_gemms());
    if let Some(f) = question.filter(|f| f.rule == "wrong_device") {
        return format!("{}. First {}", f.title, advice(f));
    }
    // Of several sides and devices the one that loses most by one cause.
    let books = findings.ledger.books.iter();
    let leading = books.filter_map(|book| headline::leading(all, book));
    let most = leading.reduce(|a, b| if b.1.saves_s > a.1.saves_s { b } else { a });
    let Some((word, f)) = most else {
        return match all.iter().find(open) {
            None => "No problems found.".to_owned(),
            Some(_) if outside(findings).is_some() => String::new(),
            Some(f) => format!("Look first at: {}. Try this: {}", claim(f), advice(f)),
        };
    };
    let seconds = seconds_brief(f.saves_s.unwrap_or(0.0));
    let facts = format!("{}, {seconds} {}.", claim(f), f.basis.label());
    if outside(findings).is_some() {
        return format!("{word} in the GEMMs: {facts}");
    }
    if f.severity == Severity::Low {
        return format!("No single problem stands out. {word}: {facts}");
    }
    format!("{word}: {facts} Try this: {}", advice(f))
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

/// The path that fits the kind of finding, for a sentence.
fn advice(f: &Finding) -> String {
    decapitalized(f.path().trim_start_matches("Try "))
}

/// What is lost, by account, of every side and device.
fn third(scan: &Scan<'_>, findings: &Findings) -> Option<String> {
    let ledger = &findings.ledger;
    let line = |b: &Book| Some(b.named(&b.lost_words()?));
    let lines: Vec<String> = ledger.books.iter().filter_map(line).collect();
    if lines.is_empty() {
        return None;
    }
    // Rows of a benchmark are no program that could get faster as a whole.
    let whole_s = match scan.kind {
        DataKind::Workload => scan.time_s + other_time_s(scan.frame),
        _ => 0.0,
    };
    let lost_s: f64 = ledger.books.iter().map(Book::lost_s).sum();
    let fast = whole_s / (whole_s - lost_s);
    let end = match fast {
        fast if whole_s > scan.time_s && fast >= 1.005 => {
            format!(" Without it the whole would be {fast:.2}x faster end to end.")
        }
        _ => String::new(),
    };
    Some(format!("{}.{end}", lines.join("; ")))
}
