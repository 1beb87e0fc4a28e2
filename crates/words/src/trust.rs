//! Trust in the figures, in sentences.

use crate::findings::{NOISE, built_for_another, far_below_question};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_analysis::names::distinct;
use gemmscope_analysis::trust::{
    About, AboveCause, Assumed, Chosen, Ground, MeasuringRule, ReasonFacts, TrustFacts, Verdict,
};
use gemmscope_model::units::{
    Bytes, FlopsPerSec, capitalized, decapitalized, grouped, percent, plural, seconds_brief,
    some_are,
};
use gemmscope_table::dataset::Assumption;
use gemmscope_table::field::Frame;
use serde::Serialize;

/// Maximum number of reasons in a line, of reasons for skipped rows, and of assumptions in a sentence.
const NAMED: usize = 6;
const SKIPPED: usize = 3;
const ASSUMED: usize = 4;

/// One reason for or against the figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Its subject.
    pub about: About,
    /// The verdict that it alone would lead to.
    pub weight: Verdict,
    /// Name of the device; "" if it concerns all rows, or none is stated.
    pub device: String,
    /// A sentence that includes the count.
    pub text: String,
    /// Number of rows concerned; of other things if it is not about rows.
    pub count: u64,
    /// Total that `count` refers to.
    pub of: u64,
    /// Share of the device's time; `None` if it is not about rows.
    pub share: Option<f64>,
}

/// A rule of measuring, and whether it was kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeptRule {
    /// The rule.
    pub rule: MeasuringRule,
    /// Whether the rows show that it was kept; `None` where they cannot tell.
    pub kept: Option<bool>,
}

/// How far the figures of a frame can be trusted, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Trust {
    /// The heaviest weight of the reasons.
    pub verdict: Verdict,
    /// Heaviest first, then by device.
    pub reasons: Vec<Reason>,
    /// The rules of measuring, each with whether it was kept; `None` where the rows cannot tell.
    pub rules: Vec<KeptRule>,
    /// What no file states and was assumed, each once. The keys are those of `ImportOptions::answers`; "" for what
    /// the rows are.
    pub assumed: Vec<Assumption>,
    /// Choices of the user that no file states, a sentence each.
    #[serde(skip)]
    pub chosen: Vec<String>,
}

impl Trust {
    /// Trust in the rows that pass the filters.
    pub fn of(frame: &Frame) -> Trust {
        Trust::new(frame, TrustFacts::of(frame))
    }

    /// As [`of`](Self::of), with a ledger that was computed before.
    pub fn beside(frame: &Frame, ledger: &Ledger) -> Trust {
        Trust::new(frame, TrustFacts::of(frame).beside(ledger))
    }

    /// Words the facts of a frame.
    pub fn new(frame: &Frame, facts: TrustFacts) -> Trust {
        let reason = |r: &ReasonFacts| Reason {
            about: r.ground.about(),
            weight: r.weight,
            device: r.device.clone(),
            text: reason_text(frame, &facts, r),
            count: r.count,
            of: r.of,
            share: r.share,
        };
        Trust {
            verdict: facts.verdict,
            reasons: facts.reasons.iter().map(reason).collect(),
            rules: MeasuringRule::ALL
                .iter()
                .zip(facts.rules)
                .map(|(rule, kept)| KeptRule { rule: *rule, kept })
                .collect(),
            assumed: facts.assumed.iter().map(assumption).collect(),
            chosen: facts.chosen.iter().map(chosen).collect(),
        }
    }

    /// One line for all forms of output: `with care: 3 of 9 rows are above the roof ...; ...`. Reasons in favour are
    /// left out if there are others.
    pub fn words(&self) -> String {
        let told = self.reasons.iter().filter(|r| r.weight == self.verdict);
        let more = told.clone().count().saturating_sub(NAMED);
        let told = told.take(NAMED).map(|r| decapitalized(r.text.trim_end_matches('.')));
        let mut told: Vec<String> = told.collect();
        told.extend((more > 0).then(|| format!("and {}", plural(more as u64, "more reason"))));
        match told.as_slice() {
            [] => self.verdict.label().to_owned(),
            _ => format!("{}: {}", self.verdict.label(), told.join("; ")),
        }
    }

    /// The first reason where the figures are doubtful, in short: `Doubtful: 191 of 204 rows take 153 µs to 195 µs,
    /// however large they are.` Nothing is claimed of such figures before it is said.
    pub fn doubt(&self) -> Option<String> {
        let reason = self.reasons.first().filter(|_| self.verdict == Verdict::Doubtful)?;
        let of_device = format!("{}: ", reason.device);
        let (device, words) = match reason.text.strip_prefix(&of_device) {
            Some(words) if !reason.device.is_empty() => (of_device.as_str(), words.to_owned()),
            _ => ("", decapitalized(&reason.text)),
        };
        let ends = [" (", ": ", ";"].iter().filter_map(|end| words.find(end)).min();
        let short = words[..ends.unwrap_or(words.len())].trim_end_matches('.');
        Some(format!("{}: {device}{short}.", capitalized(self.verdict.label())))
    }

    /// `Of the rules of measuring: kept no launch in the time; broken cold caches; cannot be told: a settled clock,
    /// enough runs.` "" where no row can tell any.
    pub fn measuring(&self) -> String {
        let of = |kept| {
            let rules = self.rules.iter().filter(|r| r.kept == kept).map(|r| r.rule.label());
            rules.collect::<Vec<_>>().join(", ")
        };
        let known = [("kept ", of(Some(true))), ("broken ", of(Some(false)))];
        if known.iter().all(|(_, rules)| rules.is_empty()) {
            return String::new();
        }
        let all = known.into_iter().chain([("cannot be told: ", of(None))]);
        let parts: Vec<String> = all
            .filter(|(_, rules)| !rules.is_empty())
            .map(|(word, rules)| word.to_owned() + &rules)
            .collect();
        format!("Of the rules of measuring: {}.", parts.join("; "))
    }

    /// `Trust: sound.`
    pub fn line(&self) -> String {
        format!("Trust: {}.", self.words())
    }
}

/// The sentence of a reason; if it concerns rows of one of several devices, it begins with the device.
fn reason_text(frame: &Frame, facts: &TrustFacts, r: &ReasonFacts) -> String {
    if let Some(words) = rows_text(r) {
        return match (facts.devices > 1, r.device.as_str()) {
            (true, "") => format!("Unknown device: {words}."),
            (true, name) => format!("{name}: {words}."),
            (false, _) => format!("{}.", capitalized(&words)),
        };
    }
    match &r.ground {
        Ground::OtherDevice { device, target } => {
            format!("{}.", built_for_another(frame, *device, target).unwrap_or_default())
        }
        Ground::FarBelow { dtype, best } => {
            format!("{}.", far_below_question(r.count, dtype.name(), *best, &r.device))
        }
        Ground::Asked(question) => question.clone(),
        Ground::Assumed => assumed_text(&facts.assumed),
        Ground::NoTime => "No row has a time: nothing was measured.".to_owned(),
        Ground::Recording(by) => slowed_by(by),
        Ground::Skipped(reasons) => skipped_text(r, reasons),
        Ground::Unshaped { time_s, all_s } => format!(
            "{} of the GEMM time ({} of {}) is left out: the figures are of the rest.",
            percent(time_s / all_s),
            seconds_brief(*time_s),
            seconds_brief(*all_s)
        ),
        Ground::Once => {
            format!("Each of {} is one measurement, without a spread.", plural(r.count, "row"))
        }
        Ground::Scatter(share) => format!(
            "{} of the time may be scatter: no spread is stated, and of two layouts, types or sizes \
             either is as often the faster one.",
            percent(*share)
        ),
        _ => String::new(),
    }
}

/// Reason about rows of one device, without its name and the full stop; `None` for other reasons.
fn rows_text(r: &ReasonFacts) -> Option<String> {
    let some = format!("{} of {}", grouped(r.count), plural(r.of, "row"));
    let one = r.count == 1;
    Some(match &r.ground {
        Ground::AboveRoof { highest, cause, warm, cache_bytes } => format!(
            "{} above the datasheet roof (up to {}): {}",
            some_are(r.count, r.of, "row"),
            percent(*highest),
            above_text(*cause, *warm, *cache_bytes)
        ),
        Ground::PartlyCached { cache_bytes } => format!(
            "{some} use{} over 90 % of the memory's bandwidth with operands of up to twice the last-level cache \
             ({}): part of them was likely still there from the call before",
            if one { "s" } else { "" },
            Bytes(*cache_bytes).to_iec()
        ),
        Ground::NoRoof => format!(
            "{some} {} no known roof (no device, or no peak for the type), so nothing checks {}",
            if one { "has" } else { "have" },
            if one { "it" } else { "them" },
        ),
        Ground::Reported { states } => {
            let what = match states {
                [_, false] => "rates",
                [false, true] => "bandwidths",
                [true, true] => "rates and bandwidths",
            };
            format!(
                "reported {what} agree with the recomputed ones within 1 % in {} of {}",
                grouped(r.of - r.count),
                plural(r.of, "row")
            )
        }
        Ground::ShortCalls => format!(
            "{some} ({} of the time) take{} under 10 µs, within the jitter of timers and launches",
            percent(r.share.unwrap_or_default()),
            if one { "s" } else { "" }
        ),
        Ground::Spread { some_once } => {
            // The others were called once.
            let repeated = if *some_once { " with repeats" } else { "" };
            let (count, vary) = match r.count {
                0 => ("none".to_owned(), "varies"),
                1 => ("1".to_owned(), "varies"),
                n => (grouped(n), "vary"),
            };
            format!(
                "{count} of {}{repeated} {vary} by over 20 % between repeats",
                plural(r.of, "row")
            )
        }
        Ground::Plateau { low_s, high_s, bytes_range } => format!(
            "{some} take{} {} to {}, however large they are (their bytes differ {bytes_range:.0}-fold): the time \
             holds the launch, so small shapes measure the program that launches them",
            if one { "s" } else { "" },
            seconds_brief(*low_s),
            seconds_brief(*high_s)
        ),
        Ground::Drift { change } => format!(
            "the same GEMM takes {} {} at its last run than at its first (the median of {}): clock or temperature \
             had not settled",
            percent(change.abs()),
            if *change > 0.0 { "longer" } else { "less" },
            plural(r.count, "GEMM"),
        ),
        Ground::TimerStep => format!(
            "{some} take{} exactly as long as GEMMs of other sizes, and no time is near theirs: the timer's step or \
             the file's rounding is coarse",
            if one { "s" } else { "" }
        ),
        Ground::Clock => format!(
            "{some} ran under 90 % of the clock that the peak is of; each is judged at its own clock"
        ),
        _ => return None,
    })
}

/// Explanation of rows above the roof.
fn above_text(cause: AboveCause, warm: u64, cache_bytes: f64) -> String {
    let cache = Bytes(cache_bytes).to_iec();
    match cause {
        AboveCause::WarmCache => {
            format!("their operands fit in the last-level cache ({cache}), which was warm")
        }
        AboveCause::Noise => NOISE.to_owned(),
        AboveCause::Wrong => {
            let why = "the device, the type, the unit or the sizes are not what is assumed";
            match warm {
                0 => why.to_owned(),
                _ => format!(
                    "{why}, except for {} whose operands fit in the last-level cache ({cache})",
                    grouped(warm)
                ),
            }
        }
    }
}

/// How reliable idle time is in a recording with these options.
pub(crate) fn slowed_by(by: &[String]) -> String {
    let what = by.join(", ");
    format!("Recorded with {what}, which slows the program: idle time is an upper bound.")
}

fn skipped_text(r: &ReasonFacts, reasons: &[(u64, String)]) -> String {
    let why = match reasons {
        [(_, only)] => only.clone(),
        several => {
            let told = several.iter().take(SKIPPED);
            let mut told: Vec<String> =
                told.map(|(n, t)| format!("{t} ({})", grouped(*n))).collect();
            let more = several.len().saturating_sub(SKIPPED);
            told.extend((more > 0).then(|| plural(more as u64, "more reason")));
            told.join(", ")
        }
    };
    format!("{} of {} could not be used: {why}.", grouped(r.count), plural(r.of, "row"))
}

fn assumed_text(assumed: &[Assumed]) -> String {
    let each: Vec<String> = assumed
        .iter()
        .filter(|a| !a.assumption.value.is_empty())
        .map(|a| named(&assumption(a)))
        .collect();
    let each = distinct(each.iter().map(String::as_str));
    let more = each.len().saturating_sub(ASSUMED);
    let mut told: Vec<String> = each.into_iter().take(ASSUMED).collect();
    told.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    format!("Assumed: {}.", told.join("; "))
}

/// An assumption in a word or two if its key suffices, else its sentence.
fn named(a: &Assumption) -> String {
    match a.key.split_once(':') {
        Some(("unit", column)) => format!("{} for \u{201c}{column}\u{201d}", a.value),
        None if ["dtype", "device", "layout"].contains(&a.key.as_str()) => {
            let what = if a.key == "dtype" { "type" } else { a.key.as_str() };
            format!("{what} {}", a.value)
        }
        _ => decapitalized(a.text.trim_end_matches('.')),
    }
}

/// An assumption whose sentence names the file, unless it holds for all files.
fn assumption(a: &Assumed) -> Assumption {
    let mut of = a.assumption.clone();
    if let Some(file) = &a.file {
        of.text = of.text.replacen("The file", file, 1);
    }
    of
}

fn chosen(what: &Chosen) -> String {
    match what {
        Chosen::Device(device) => {
            format!("The file names no device. The roof is that of the {device}.")
        }
        Chosen::OtherDevice { file, device } => {
            let who = file.as_deref().unwrap_or("The file");
            format!("{who} names no device: you chose {device}.")
        }
        Chosen::LaunchFloor { device, floor_s, source } => {
            format!("Launch floor of the {device}: {}, {source}.", seconds_brief(*floor_s))
        }
        Chosen::Achievable { dtype, rate, source } => {
            format!("Achievable {dtype} is {}, {source}.", FlopsPerSec(*rate))
        }
        Chosen::Answer(text) => text.clone(),
        Chosen::Kind(kind) => format!("You chose: {}", kind.hint()),
    }
}

#[cfg(test)]
mod tests;
