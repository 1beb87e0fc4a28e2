//! How far can these figures be trusted? What the rows themselves show of their measurement, once a
//! device, and what no file states.
//!
//! One pass over the rows of a frame. Each [`Reason`] counts rows and their share of the time; its weight
//! is what it alone would make of the figures, and the verdict is the heaviest weight.

use crate::findings::{built_for_another, other_kernels};
use crate::ledger::{Evidence, Ledger};
use crate::summary::distinct;
use gemmscope_model::hardware::{BEST_MEASURED, match_name};
use gemmscope_model::units::{FlopsPerSec, decapitalized, grouped, percent, plural, seconds_brief};
use gemmscope_table::data_kind::{DataKind, Side};
use gemmscope_table::dataset::{Assumption, RejectReason, Source};
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod seen;

use seen::{Columns, Seen};

gemmscope_model::named! {
/// How far figures can be trusted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against them.
    #[default]
    Sound = "sound";
    /// They hold under conditions that are named.
    WithCare = "with care";
    /// Something that they rest on is probably wrong.
    Doubtful = "doubtful";
}
/// The word for it: `sound`, `with care`, `doubtful`.
pub fn label -> &'static str;
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// What puts the device, the type or the unit in question.
    Device,
    /// No row has a time.
    NoTime,
    /// Rows above the datasheet roof, some of which no warm cache explains.
    AboveRoof,
    /// Figures of the file against the recomputed ones.
    Reported,
    /// Rows above the datasheet roof whose operands fit in the last-level cache.
    WarmCache,
    /// Calls as short as what timers and launches vary.
    ShortCalls,
    /// Spread of the repeats.
    Spread,
    /// A recording that slows the program.
    Recording,
    /// Clocks below the one that the peaks are of.
    Clock,
    /// Rows that could not be used.
    Skipped,
    /// Rows without a roof: what compares with it could not run.
    NoRoof,
    /// GEMM time of a trace whose shapes are not known.
    Unshaped,
    /// GEMMs that were measured once, without a spread.
    Once,
    /// What no file states.
    Assumed,
}

/// One thing that speaks for or against the figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// What it is about.
    pub about: About,
    /// What it alone makes of the figures.
    pub weight: Verdict,
    /// Name of the device; "" where it concerns all rows, or none is stated.
    pub device: String,
    /// A sentence with its count.
    pub text: String,
    /// Rows that it concerns; the things themselves where it is about no rows.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// Share of the time of these, of the device's time; `None` where it is about no rows.
    pub share: Option<f64>,
}

/// How far the figures of a frame can be trusted, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Trust {
    /// The heaviest weight of the reasons.
    pub verdict: Verdict,
    /// The heaviest first, and by device.
    pub reasons: Vec<Reason>,
    /// What no file states and was assumed, each once. The keys are those of `ImportOptions::answers`; ""
    /// for what the rows are.
    pub assumed: Vec<Assumption>,
    /// What no file states and the user chose, a sentence each.
    #[serde(skip)]
    pub chosen: Vec<String>,
}

/// Reasons that a line names, reasons of skipped rows, and things that were assumed.
const NAMED: usize = 6;
const REASONS: usize = 3;
const ASSUMED: usize = 4;
/// Over this share of rows or time something concerns the whole; under the other it is an exception.
const WHOLE: f64 = 0.20;
const EXCEPTION: f64 = 0.01;

/// Looks at the rows that pass the filters in steps, so that a page stays responsive.
pub struct Looking<'a> {
    frame: &'a Frame,
    columns: Columns<'a>,
    /// Rows that were looked at.
    done: usize,
    seen: Vec<Seen>,
    /// By device code: its place in `seen`.
    place: Vec<Option<usize>>,
    /// The files that have a row.
    used: Vec<bool>,
}

/// Rows of a step.
const STEP: usize = if cfg!(test) { 3 } else { 8192 };

impl<'a> Looking<'a> {
    /// At no row yet.
    pub fn new(frame: &'a Frame) -> Looking<'a> {
        let data = &*frame.data;
        Looking {
            frame,
            columns: Columns::new(data),
            done: 0,
            seen: Vec::new(),
            place: vec![None; data.devices.len()],
            used: vec![false; data.sources.len()],
        }
    }

    /// Looks at some more rows; returns false when it has seen all.
    pub fn step(&mut self) -> bool {
        let (frame, data) = (self.frame, &*self.frame.data);
        let end = (self.done + STEP).min(frame.rows.len());
        for &row in &frame.rows[self.done..end] {
            let r = row as usize;
            self.used[usize::from(data.source[r])] = true;
            let code = frame.device(r);
            let at = *self.place[usize::from(code)].get_or_insert_with(|| {
                let device = frame.metrics.devices[usize::from(code)].as_ref();
                let cache_bytes = device.and_then(|d| d.cache_bytes()).unwrap_or(0.0);
                self.seen.push(Seen::new(frame.device_name(code), cache_bytes));
                self.seen.len() - 1
            });
            self.seen[at].look(frame, &self.columns, r);
        }
        self.done = end;
        end < frame.rows.len()
    }

    /// The verdict on what was seen.
    pub fn finish(self) -> Trust {
        let Looking { frame, seen, used, place, .. } = self;
        let data = &*frame.data;
        let several = seen.len() > 1;
        let sources = || data.sources.iter().zip(&used).filter(|(_, used)| **used).map(|(s, _)| s);
        // Rows that no figure holds come before what those show that count.
        let mut reasons: Vec<Reason> = skipped(sources()).into_iter().collect();
        reasons.extend(other_device(frame, &place));
        reasons.extend(seen.iter().flat_map(Seen::far_below));
        reasons.extend(seen.iter().flat_map(|s| s.reasons(several)));
        let slowed = sources().filter_map(|s| s.trace.as_deref()).flat_map(|t| &t.slowed_by);
        reasons.extend(recording(slowed));
        let (rows, time_s) =
            seen.iter().fold((0, 0.0), |(n, t), s| (n + s.all.rows, t + s.all.time_s));
        reasons.extend((rows == 0).then(|| {
            let (all, text) = (frame.rows.len() as u64, "No row has a time: nothing was measured.");
            of_all(About::NoTime, Verdict::WithCare, (0, all), text.to_owned())
        }));
        if frame.rows.len() == data.len() {
            reasons.extend(unshaped(sources(), time_s));
        }
        reasons.extend(once(frame, rows, seen.iter().any(|s| s.spread_known.rows > 0)));
        let given = Given::of(frame, &sources().collect::<Vec<_>>());
        let agrees = reasons.iter().any(|r| r.about == About::Reported)
            && reasons.iter().all(|r| r.about != About::Reported || r.weight == Verdict::Sound);
        // What was assumed comes first: all else of its weight holds only with it.
        reasons.splice(..0, unstated(&given.assumed, agrees));
        reasons.splice(..0, asked(&given.assumed));
        // Of equal weight in the order above, but exceptions that change nothing come last.
        let exception = |r: &Reason| {
            r.weight == Verdict::Sound && r.count > 0 && r.share.is_some_and(|s| s < EXCEPTION)
        };
        reasons.sort_by_key(|r| (std::cmp::Reverse(r.weight), exception(r)));
        let verdict = reasons.first().map_or(Verdict::Sound, |r| r.weight);
        Trust { verdict, reasons, assumed: given.assumed, chosen: given.chosen }
    }
}

impl Trust {
    /// What the rows that pass the filters show.
    pub fn of(frame: &Frame) -> Trust {
        let mut looking = Looking::new(frame);
        while looking.step() {}
        looking.finish()
    }

    /// The same beside the accounts of the rows: where gains of over a fifth of the time may be scatter, they
    /// are to be read with care.
    pub fn beside(mut self, ledger: &Ledger) -> Trust {
        let (mut all_s, mut scatter_s, mut gemms, mut all) = (0.0, 0.0, 0, 0);
        for book in &ledger.books {
            (all_s, all) = (all_s + book.time_s, all + book.groups);
            let ranked = book.ranked().into_iter();
            let may = ranked.filter(|(account, _)| book.evidence(*account) == Evidence::Scatter);
            let (seconds, most) = may.fold((0.0, 0), |(s, n): (f64, u64), (_, sum)| {
                (s + sum.seconds, n.max(sum.groups))
            });
            (scatter_s, gemms) = (scatter_s + seconds, gemms + most);
        }
        if scatter_s > WHOLE * all_s {
            let text = format!(
                "{} of the time may be scatter: no spread is stated, and of two layouts, types or sizes \
                 either is as often the faster one.",
                percent(scatter_s / all_s)
            );
            self.reasons.retain(|r| r.about != About::Once);
            let place = self.reasons.iter().position(|r| r.weight < Verdict::WithCare);
            let reason = of_all(About::Spread, Verdict::WithCare, (gemms, all), text);
            self.reasons.insert(place.unwrap_or(self.reasons.len()), reason);
            self.verdict = self.verdict.max(Verdict::WithCare);
        }
        self
    }

    /// A line for each form of output: `with care: 3 of 9 rows are above the roof ...; ...`, without the
    /// reasons that speak for the figures where others do not.
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

    /// `Trust: sound.`
    pub fn line(&self) -> String {
        format!("Trust: {}.", self.words())
    }
}

/// A reason that concerns all devices and no rows of a known time: `count` of `of` things.
fn of_all(about: About, weight: Verdict, (count, of): (u64, u64), text: String) -> Reason {
    Reason { about, weight, device: String::new(), text, count, of, share: None }
}

/// That the kernels of some rows were built for another device.
fn other_device(frame: &Frame, place: &[Option<usize>]) -> Option<Reason> {
    let (code, target) = other_kernels(frame)?;
    let text = built_for_another(frame, code, &target)?;
    let at = usize::from(frame.metrics.same_device(code));
    let used = place.get(at).is_some_and(Option::is_some);
    used.then(|| of_all(About::Device, Verdict::Doubtful, (1, 1), format!("{text}.")))
}

/// Why a little above the roof says nothing.
pub(crate) const NOISE: &str = "clocks, timers and the peak itself vary by as much";

/// How far idle time can be trusted of a recording with these.
pub(crate) fn slowed_by(what: &str) -> String {
    format!("Recorded with {what}, which slows the program: idle time is an upper bound.")
}

/// What was recorded that slows the program.
fn recording<'a>(slowed: impl Iterator<Item = &'a String>) -> Option<Reason> {
    let by = distinct(slowed.map(String::as_str));
    let text = slowed_by(&by.join(", "));
    let all = by.len() as u64;
    (all > 0).then(|| of_all(About::Recording, Verdict::WithCare, (all, all), text))
}

/// Rows that could not be used, but for other operations and runs that failed: those are no GEMMs that
/// the figures lack.
fn skipped<'a>(sources: impl Iterator<Item = &'a Source>) -> Option<Reason> {
    let meant = |r: &&RejectReason| {
        let other = ["not a GEMM", "counted in"].iter().any(|w| r.text.starts_with(w));
        !other && !r.text.contains("failed")
    };
    let (mut count, mut rows) = (0, 0);
    let mut reasons: Vec<(u64, &str)> = Vec::new();
    for source in sources {
        rows += source.rows_used;
        for reason in source.rejected.reasons.iter().filter(meant) {
            count += reason.count;
            match reasons.iter_mut().find(|(_, text)| *text == reason.text) {
                Some((n, _)) => *n += reason.count,
                None => reasons.push((reason.count, reason.text.as_str())),
            }
        }
    }
    let of = rows + count;
    // Of equal ones the first in the file.
    reasons.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let why = match reasons.as_slice() {
        [] => return None,
        [(_, only)] => (*only).to_owned(),
        several => {
            let told = several.iter().take(REASONS);
            let mut told: Vec<String> =
                told.map(|(n, t)| format!("{t} ({})", grouped(*n))).collect();
            let more = several.len().saturating_sub(REASONS);
            told.extend((more > 0).then(|| plural(more as u64, "more reason")));
            told.join(", ")
        }
    };
    let whole = count as f64 > EXCEPTION * of as f64;
    let weight = if whole { Verdict::WithCare } else { Verdict::Sound };
    let text = format!("{} of {} could not be used: {why}.", grouped(count), plural(of, "row"));
    Some(of_all(About::Skipped, weight, (count, of), text))
}

/// GEMM time without a known shape, of which no figure here is.
fn unshaped<'a>(sources: impl Iterator<Item = &'a Source>, known_s: f64) -> Option<Reason> {
    let without: Vec<_> = sources.map(|s| s.without_model).collect();
    let (count, time_s) = without.iter().fold((0, 0.0), |(n, t), w| (n + w.rows, t + w.time_s));
    let all_s = known_s + time_s;
    let weight = if time_s > WHOLE * all_s { Verdict::WithCare } else { Verdict::Sound };
    let text = format!(
        "{} of the GEMM time ({} of {}) is left out: the figures are of the rest.",
        percent(time_s / all_s),
        seconds_brief(time_s),
        seconds_brief(all_s)
    );
    (time_s > EXCEPTION * all_s).then(|| of_all(About::Unshaped, weight, (count, count), text))
}

/// GEMMs that were measured once each, where no spread is stated: a difference may be chance.
fn once(frame: &Frame, rows: u64, spread_known: bool) -> Option<Reason> {
    let counted = frame.counted();
    let single = |s: &Side| !s.program && s.rows.len() as u64 == s.all_rows;
    let all = counted.sides.iter().all(single);
    let text = format!("Each of {} is one measurement, without a spread.", plural(rows, "row"));
    let once = rows > 1 && all && !spread_known;
    once.then(|| of_all(About::Once, Verdict::Sound, (rows, rows), text))
}

/// What no file states: device, units, types, what the rows are.
#[derive(Default)]
struct Given {
    assumed: Vec<Assumption>,
    chosen: Vec<String>,
}

impl Given {
    fn of(frame: &Frame, sources: &[&Source]) -> Given {
        let (data, devices) = (&*frame.data, &frame.metrics.devices);
        let mut out = Given::default();
        if sources.is_empty() {
            return out;
        }
        let launches = !sources.iter().all(|s| s.times_kernels());
        let mut used = vec![false; data.devices.len()];
        frame.rows.iter().for_each(|r| used[usize::from(data.device[*r as usize])] = true);
        for ((device, stated), used) in devices.iter().zip(&data.devices).zip(used) {
            if let (true, true, Some(d)) = (used, stated.is_empty(), device) {
                out.choose(format!(
                    "The file names no device. The roof is that of the {}.",
                    d.name
                ));
            }
            let floor = device.as_ref().filter(|_| used && launches).map(|d| (d, d.launch_floor()));
            if let Some((d, (floor_s, why))) =
                floor.filter(|(_, (_, why))| why.starts_with("assumed"))
            {
                let floor = seconds_brief(floor_s);
                out.choose(format!("Launch floor of the {}: {floor}, {why}.", d.name));
            }
            let peaks = device.iter().filter(|_| used).flat_map(|d| &d.peaks);
            for peak in peaks {
                if let (Some(rate), Some(source)) =
                    (peak.achievable_flops_per_s, &peak.achievable_source)
                    && source.starts_with(BEST_MEASURED)
                {
                    let rate = FlopsPerSec(rate);
                    out.choose(format!("Achievable {} is {rate}, {source}.", peak.dtype));
                }
            }
        }
        for source in sources {
            for a in &source.assumptions {
                // What is not so of every file names its own.
                let says = |s: &&Source| s.assumptions.iter().any(|o| o.text == a.text);
                let who = match sources.iter().all(says) {
                    true => "The file",
                    false => source.name.as_str(),
                };
                let code = data.devices.iter().position(|d| *d == a.value);
                // What a format implies gives way to the user's choice.
                let other = code.and_then(|code| devices[code].as_ref()).filter(|d| {
                    let may_be = match_name(&a.value).candidates();
                    a.key == "device" && may_be.iter().all(|c| c.id != d.id)
                });
                // Of a name that fits several devices, none is assumed.
                let open = code.is_some_and(|code| devices[code].is_none());
                match other {
                    // Said above, or asked for by the first sentence.
                    _ if a.key == "device" && (open || a.value.is_empty()) => {}
                    _ if a.by_hand => out.choose(a.text.clone()),
                    Some(d) => out.choose(format!("{who} names no device: you chose {}.", d.name)),
                    None => {
                        let text = match a.key.as_str() {
                            "device" => a.text.replacen("The file", who, 1),
                            _ => a.text.clone(),
                        };
                        out.assume(Assumption { text, ..a.clone() });
                    }
                }
            }
        }
        let decision = frame.decision();
        if decision.overridden() {
            out.choose(format!("You chose: {}", decision.kind.hint()));
        } else if matches!(decision.kind, DataKind::Sweep | DataKind::Sides) {
            out.assume(Assumption {
                key: String::new(),
                text: decision.reason.to_owned(),
                value: String::new(),
                choices: Vec::new(),
                by_hand: false,
            });
        }
        out
    }

    fn choose(&mut self, text: String) {
        if !self.chosen.contains(&text) {
            self.chosen.push(text);
        }
    }

    fn assume(&mut self, a: Assumption) {
        let known = self.assumed.iter().any(|o| (&o.key, &o.text) == (&a.key, &a.text));
        if !known && !a.text.is_empty() {
            self.assumed.push(a);
        }
    }
}

/// Units and types that no file states and nobody chose yet.
fn asked(assumed: &[Assumption]) -> Option<Reason> {
    let open = |a: &&Assumption| {
        a.value.is_empty() && ["unit", "dtype"].iter().any(|key| a.key.starts_with(key))
    };
    let open: Vec<&Assumption> = assumed.iter().filter(open).collect();
    let text = &open.first()?.text;
    let count = open.len() as u64;
    Some(of_all(About::Device, Verdict::WithCare, (count, count), text.clone()))
}

/// What no file states. An assumed device or type changes every share of a roof, and a unit every figure, unless
/// the file's own figures agree with the recomputed ones.
fn unstated(assumed: &[Assumption], agrees: bool) -> Option<Reason> {
    let weighs = |a: &&Assumption| {
        // Rates and times of a file that agree confirm its units, and say nothing of its types.
        let unit = a.key.starts_with("unit") && !agrees;
        a.key == "device" || a.key.starts_with("dtype") || unit
    };
    let assumed: Vec<&Assumption> = assumed.iter().filter(|a| !a.value.is_empty()).collect();
    let (all, heavy) =
        (assumed.len() as u64, assumed.iter().copied().filter(weighs).count() as u64);
    let each: Vec<String> = assumed.iter().map(|a| named(a)).collect();
    let each = distinct(each.iter().map(String::as_str));
    let more = each.len().saturating_sub(ASSUMED);
    let mut told: Vec<String> = each.into_iter().take(ASSUMED).collect();
    told.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    let weight = if heavy > 0 { Verdict::WithCare } else { Verdict::Sound };
    let text = format!("Assumed: {}.", told.join("; "));
    (all > 0).then(|| of_all(About::Assumed, weight, (heavy, all), text))
}

/// An assumption in a word or two where its key says what it is, else its sentence.
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

#[cfg(test)]
mod tests;
