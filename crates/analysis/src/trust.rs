//! How far can these figures be trusted? What the rows themselves show of their measurement, once a
//! device, and what no file states.
//!
//! One pass over the rows of a frame. Each [`Reason`] counts rows and their share of the time; its weight
//! is what it alone would make of the figures, and the verdict is the heaviest weight.

use crate::findings::{built_for_another, other_kernels};
use crate::ledger::{Evidence, Ledger};
use crate::names::distinct;
use gemmscope_model::pass;
use gemmscope_model::units::{decapitalized, grouped, percent, plural, seconds_brief};
use gemmscope_table::data_kind::Side;
use gemmscope_table::dataset::{Assumption, RejectReason, Source};
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod seen;
mod unstated;

use seen::{Columns, Seen};
use unstated::{Given, asked, unstated};

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

/// Reasons that a line names, and reasons of skipped rows.
const NAMED: usize = 6;
const REASONS: usize = 3;
/// Over this share of rows or time something concerns the whole; under the other it is an exception.
const WHOLE: f64 = 0.20;
const EXCEPTION: f64 = 0.01;

/// What was seen of the rows that pass the filters.
struct Looking<'a> {
    frame: &'a Frame,
    columns: Columns<'a>,
    seen: Vec<Seen>,
    /// By device code: its place in `seen`.
    place: Vec<Option<usize>>,
    /// The files that have a row.
    used: Vec<bool>,
}

impl<'a> Looking<'a> {
    /// At no row yet.
    fn new(frame: &'a Frame) -> Looking<'a> {
        let data = &*frame.data;
        Looking {
            frame,
            columns: Columns::new(data),
            seen: Vec::new(),
            place: vec![None; data.devices.len()],
            used: vec![false; data.sources.len()],
        }
    }

    fn look(&mut self, row: u32) {
        let (frame, r) = (self.frame, row as usize);
        self.used[usize::from(frame.data.source[r])] = true;
        let code = frame.device(r);
        let at = *self.place[usize::from(code)].get_or_insert_with(|| {
            let device = frame.metrics.devices[usize::from(code)].as_ref();
            let cache_bytes = device.and_then(|d| d.cache_bytes()).unwrap_or(0.0);
            self.seen.push(Seen::new(frame.device_name(code), cache_bytes));
            self.seen.len() - 1
        });
        self.seen[at].look(frame, &self.columns, r);
    }

    /// The verdict on what was seen.
    fn finish(self) -> Trust {
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
        pass::at_once(Trust::look(frame, &pass::none))
    }

    /// As [`Trust::of`]. Awaits `pause` every few thousand rows.
    pub async fn look(frame: &Frame, pause: &impl AsyncFn()) -> Trust {
        let mut looking = Looking::new(frame);
        for rows in frame.rows.chunks(pass::ROWS) {
            rows.iter().for_each(|row| looking.look(*row));
            pause().await;
        }
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

/// The reason for doubt if kernels of some rows were built for another device.
fn other_device(frame: &Frame, place: &[Option<usize>]) -> Option<Reason> {
    let (code, target) = other_kernels(frame)?;
    let text = built_for_another(frame, code, &target)?;
    let at = usize::from(frame.metrics.same_device(code));
    let used = place.get(at).is_some_and(Option::is_some);
    used.then(|| of_all(About::Device, Verdict::Doubtful, (1, 1), format!("{text}.")))
}

/// Why a little above the roof says nothing.
pub const NOISE: &str = "clocks, timers and the peak itself vary by as much";

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

#[cfg(test)]
mod tests;
