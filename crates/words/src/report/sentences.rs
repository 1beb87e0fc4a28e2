//! The summary in a few sentences.

use super::SIGNIFICANT_SHARE;
use super::devices::{no_roof, of_devices, on_devices};
use crate::compare::tally_sentences;
use crate::findings::{Finding, Findings};
use crate::headline;
use crate::sweep as words;
use crate::trust::Trust;
use gemmscope_analysis::compare::Tally;
use gemmscope_analysis::findings::{Kind, Scan, Severity, SideTime, Whole};
use gemmscope_analysis::ledger::{Book, Ledger};
use gemmscope_analysis::shapes_without_time::ShapesWithoutTime;
use gemmscope_analysis::tile_sweep::{MOST_ROWS, Sweep, influences};
use gemmscope_analysis::trace_time::other_time_s;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::{
    Seconds, and_more, capitalized, decapitalized, percent, plural, seconds_brief,
};
use gemmscope_table::data_kind::DataKind;

/// GEMMs below this share of the end-to-end time are not the place to start.
const MINOR: f64 = 0.2;

/// The summary, most important first: the leading finding with its advice, the time of the GEMMs and their efficiency,
/// and the possible savings of all findings. If sides are compared, who is fastest comes before the loss of one side. If
/// the figures are doubtful, that comes first, and no gain is named.
pub fn sentences(scan: &Scan<'_>, findings: &Findings, trust: &Trust) -> Vec<String> {
    let none = scan.checked().next().is_none();
    let shapes = ShapesWithoutTime::of(scan.frame);
    if none && shapes.rows > 0 {
        return only_shapes(&shapes);
    }
    if none {
        return vec![
            "No GEMM here has a time.".to_owned(),
            "The roofline shows what each could reach at best.".to_owned(),
            "Add a file with times or rates to see findings.".to_owned(),
        ];
    }
    let outside = outside(findings);
    let all = first(scan, findings, outside.is_none());
    // Time of rows with a roof.
    let known_s: f64 = findings.ledger.books.iter().map(|b| b.known_s).sum();
    let doubt = trust.doubt();
    let most = second(scan, findings, known_s, doubt.is_some());
    let told = |words: &str| doubt.as_ref().is_some_and(|doubt| doubt.ends_with(&words[1..]));
    let most = match far_below(findings).filter(|words| !told(words)) {
        Some(words) => format!("{words} {most}").trim_end().to_owned(),
        None => most,
    };
    // The other time of a trace comes before the loss of a GEMM.
    let minor = scan
        .parts
        .first()
        .is_some_and(|p| p.whole != Whole::MeasuredRows && end_to_end(scan, p, true).is_some());
    // Without a roof the device matters more than what findings can guess.
    let no_roof = known_s <= 0.0 && findings.findings.iter().all(|f| f.alone_s.is_none());
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
    // For a sweep the settings are the story.
    let settings = match scan.kind {
        DataKind::Sweep => {
            let few = scan.frame.rows.len() <= MOST_ROWS;
            let sweep = few.then(|| Sweep::new(scan.frame, None)).and_then(Result::ok);
            if let Some(sweep) = &sweep {
                out = vec![words::headline(sweep), out.join(" ")];
            }
            let axis = sweep.map_or(Axis::Bn, |sweep| sweep.axis);
            words::influences(&influences(scan.frame, axis))
        }
        _ => None,
    };
    let last = settings.or_else(|| third(scan, findings));
    out.extend(last);
    out.splice(..0, doubt);
    out.retain(|sentence| !sentence.is_empty());
    out
}

/// The first finding, if it is about time outside the GEMMs.
fn outside(findings: &Findings) -> Option<&Finding> {
    findings.findings.first().filter(|f| f.is_outside_gemms())
}

/// Asks whether the device is right, if nothing comes near its roof.
fn far_below(findings: &Findings) -> Option<String> {
    let found = findings.findings.iter().find(|f| f.rule == "far_below")?;
    Some(format!("{}.", found.title))
}

/// Summary of a list of shapes.
fn only_shapes(shapes: &ShapesWithoutTime) -> Vec<String> {
    let have = match shapes.rows {
        1 => "it has",
        _ => "they have",
    };
    let reach = if shapes.total == 0 {
        "Choose a device to see what its roof allows.".to_owned()
    } else {
        all_shapes(shapes)
    };
    vec![
        format!("{} only: {have} no time.", plural(shapes.rows as u64, "shape")),
        reach,
        "Add a file with times or rates to see findings.".to_owned(),
    ]
}

/// Time and efficiency of the GEMMs. `between`: if they are a small part of the time, it also says where to look, since
/// no finding does.
fn first(scan: &Scan<'_>, findings: &Findings, between: bool) -> String {
    if scan.compares() {
        return sides(scan, &findings.ledger);
    }
    let counted = scan.frame.counted().words(scan.kind);
    let [book] = findings.ledger.books.as_slice() else {
        // A total over several devices says nothing about any of them.
        return format!("{counted}{}. {}.", on_devices(scan), by_device(&findings.ledger));
    };
    let reach = match book.share_of_roof() {
        Some(_) => format!(" ({}{})", scan.roof_name(), of_devices(scan)),
        None => format!(". {}", capitalized(&no_roof(scan))),
    };
    format!("{counted}: {}{reach}.{}", headline::total(book), of_whole(scan, between))
}

/// GEMM share of a program's time: ` They are 80.4 % of the compute time.`
fn of_whole(scan: &Scan<'_>, between: bool) -> String {
    let part = &scan.parts[0];
    if part.whole == Whole::MeasuredRows {
        return String::new();
    }
    let look = match end_to_end(scan, part, between) {
        Some(words) => words,
        None if part.gemm_share() > SIGNIFICANT_SHARE => String::new(),
        None => " (look elsewhere first)".to_owned(),
    };
    format!(" They are {} of the {}{look}.", percent(part.share(part.time_s)), part.whole.label())
}

/// Number of devices named with their totals.
const NAMED: usize = 4;

/// `NVIDIA H100: 3.00 ms, 60 % of roof; ...`, in descending order of time.
fn by_device(ledger: &Ledger) -> String {
    let mut books: Vec<&Book> = ledger.books.iter().collect();
    books.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
    let line = |b: &&Book| b.named(&headline::total(b));
    let named: Vec<String> = books.iter().take(NAMED).map(line).collect();
    match books.len().saturating_sub(NAMED) {
        0 => named.join("; "),
        n => format!("{}; {}", named.join("; "), and_more(n)),
    }
}

/// Warns if GEMMs are a minority of the trace's wall time.
fn end_to_end(scan: &Scan<'_>, part: &SideTime, between: bool) -> Option<String> {
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

/// Who is fastest how often, and the share of the roof of each side.
fn sides(scan: &Scan<'_>, ledger: &Ledger) -> String {
    let standing = match Tally::of(scan.frame) {
        Some(tally) => tally_sentences(&tally).join(" "),
        None => format!("No GEMM ran on every side: {}.", scan.frame.counted().words(scan.kind)),
    };
    let once = |b: &Book| b.typical.map(|t| t.geometric_mean);
    let share = |b: &Book| once(b).or(b.share_of_roof());
    let reached = |b: &Book| Some(format!("{} {}", b.name, percent(share(b)?)));
    let reached: Vec<String> = ledger.books.iter().filter_map(reached).collect();
    let mean = match ledger.books.iter().any(|b| once(b).is_some()) {
        true => ", in the geometric mean",
        false => "",
    };
    if reached.is_empty() {
        return format!("{standing} {}.", capitalized(&no_roof(scan)));
    }
    format!(
        "{standing} Share of the {}{mean}{}: {}.",
        scan.roof_name(),
        of_devices(scan),
        reached.join(", ")
    )
}

fn second(scan: &Scan<'_>, findings: &Findings, time_s: f64, doubtful: bool) -> String {
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
    // A finding without anything to do needs no look.
    let open = |f: &&Finding| !f.path_a.is_empty() && !f.path_a.starts_with("Nothing");
    let question = all.first().filter(|f| f.kind == Kind::Question && !f.is_outside_gemms());
    if let Some(f) = question.filter(|f| f.rule == "wrong_device") {
        return format!("{}. First {}", f.title, advice(f));
    }
    if doubtful {
        return String::new();
    }
    // Of several sides and devices, the one with the largest gain by one cause.
    let books = findings.ledger.books.iter();
    let leading = books.filter_map(|book| headline::leading(all, book));
    let most = leading.reduce(|a, b| if b.alone_s > a.alone_s { b } else { a });
    let Some(f) = most else {
        return match all.iter().find(open) {
            None if all.iter().any(|f| f.kind == Kind::Lost) => {
                "No single problem stands out.".to_owned()
            }
            None => "No problems found.".to_owned(),
            Some(_) if outside(findings).is_some() => String::new(),
            Some(f) => format!("Look first at: {}. Try this: {}", claim(f), advice(f)),
        };
    };
    let facts = format!("{}, {}.", claim(f), f.saved().unwrap_or_default());
    if outside(findings).is_some() {
        return format!("Most to gain in the GEMMs: {facts}");
    }
    if f.severity == Severity::Low {
        return format!("No single problem stands out. Most to gain: {facts}");
    }
    format!("Most to gain: {facts} Try this: {}", advice(f))
}

/// The title of a finding, `claim: GEMM`, reworded for use in a sentence, with its side and device.
fn claim(f: &Finding) -> String {
    let title = f.inside();
    let title = match title.split_once(": ") {
        Some((claim, of)) => format!("{claim} ({of})"),
        None => title,
    };
    f.named(&title)
}

/// The finding's first advice, for use in a sentence.
fn advice(f: &Finding) -> String {
    decapitalized(f.path().trim_start_matches("Try "))
}

/// Lost time by account, of every side and device.
fn third(scan: &Scan<'_>, findings: &Findings) -> Option<String> {
    let ledger = &findings.ledger;
    let line = |b: &Book| Some(b.named(&headline::lost(b)?));
    let lines: Vec<String> = ledger.books.iter().filter_map(line).collect();
    if lines.is_empty() {
        return None;
    }
    // The rows of a benchmark are not a program that could get faster as a whole.
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

/// Number of shapes without a time, and the rates that their roof allows.
pub(super) fn all_shapes(list: &ShapesWithoutTime) -> String {
    let without = match list.rows - list.total {
        0 => String::new(),
        n => format!("; {} more have no known roof", plural(n as u64, "shape")),
    };
    format!(
        "At the roof all calls of {} take {}{without}.",
        plural(list.total as u64, "shape"),
        Seconds(list.roof_time_s)
    )
}
