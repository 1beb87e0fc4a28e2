//! How far can these figures be trusted? What the rows themselves show of their measurement, once a
//! device, and what no file states.
//!
//! One pass over the rows of a frame. Each [`Reason`] counts rows and their share of the time; its weight
//! is what it alone would make of the figures, and the verdict is the heaviest weight.

use gemmscope_model::hardware::match_name;
use gemmscope_model::units::{
    Bytes, capitalized, decapitalized, grouped, percent, plural, seconds_brief,
};
use gemmscope_table::build::roundings;
use gemmscope_table::data_kind::{DataKind, Side};
use gemmscope_table::dataset::{Assumption, ColumnMeaning, Dataset, RejectReason, Source};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How far figures can be trusted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against them.
    #[default]
    Sound,
    /// They hold under conditions that are named.
    WithCare,
    /// Something that they rest on is probably wrong.
    Doubtful,
}

impl Verdict {
    /// The word for it: `sound`, `with care`, `doubtful`.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Sound => "sound",
            Verdict::WithCare => "with care",
            Verdict::Doubtful => "doubtful",
        }
    }
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
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

/// Up to this much above the roof, a peak that is itself a measurement or a clock explains it.
const NEAR: f64 = 1.10;
/// A figure of the file agrees within this.
const AGREES: f64 = 0.02;
/// A call under this is as short as what timers and launches vary.
const SHORT_S: f64 = 10e-6;
/// A standard deviation over this share of the mean is large.
const SPREAD: f64 = 0.20;
/// A clock under this share of the peak's is low.
const LOW_CLOCK: f64 = 0.90;
/// Reasons that a line names, reasons of skipped rows, and things that were assumed.
const NAMED: usize = 6;
const REASONS: usize = 3;
const ASSUMED: usize = 4;
/// Over this share of rows or time something concerns the whole; under the other it is an exception.
const WHOLE: f64 = 0.20;
const EXCEPTION: f64 = 0.01;

/// Rows and their seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    rows: u64,
    time_s: f64,
}

impl Tally {
    fn add(&mut self, time_s: f64) {
        self.rows += 1;
        self.time_s += time_s;
    }

    /// The larger of its shares of rows and time.
    fn part(&self, of: &Tally) -> f64 {
        let share = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        share(self.rows as f64, of.rows as f64).max(share(self.time_s, of.time_s))
    }
}

/// What the rows of one device show.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: String,
    cache_bytes: f64,
    all: Tally,
    roofed: Tally,
    above: Tally,
    highest: f64,
    warm: Tally,
    short: Tally,
    compared: Tally,
    differs: Tally,
    spread_known: Tally,
    spread: Tally,
    clocked: Tally,
    low_clock: Tally,
}

/// Columns that are read row by row.
struct Columns<'a> {
    /// The file's own rate, else its bandwidth, with its rounding by source.
    reported: Option<(&'a [f64], bool, Vec<f64>)>,
    std: Option<&'a [f64]>,
    clock: Option<&'a [f64]>,
}

impl<'a> Columns<'a> {
    fn new(data: &'a Dataset) -> Columns<'a> {
        let rate = data.numbers(ColumnMeaning::ReportedRate).map(|v| (v, true));
        let own = rate.or(data.numbers(ColumnMeaning::ReportedBandwidth).map(|v| (v, false)));
        Columns {
            reported: own.map(|(v, is_rate)| (v, is_rate, roundings(data, v))),
            std: data.numbers(ColumnMeaning::TimeStd),
            clock: data.numbers(ColumnMeaning::MeasuredClock),
        }
    }
}

impl Trust {
    /// What the rows that pass the filters show.
    pub fn of(frame: &Frame) -> Trust {
        let data = &*frame.data;
        let columns = Columns::new(data);
        let mut seen: Vec<Seen> = Vec::new();
        // By device code: its place in `seen`. Two codes may be one device.
        let mut place: Vec<Option<usize>> = vec![None; data.devices.len()];
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        let mut used = vec![false; data.sources.len()];
        for &row in frame.rows.iter() {
            let r = row as usize;
            used[usize::from(data.source[r])] = true;
            let code = data.device[r];
            let at = *place[usize::from(code)].get_or_insert_with(|| {
                let name = frame.device_name(code);
                *by_name.entry(name).or_insert_with(|| {
                    let device = frame.metrics.devices[usize::from(code)].as_ref();
                    let cache_bytes = device.and_then(|d| d.cache_bytes()).unwrap_or(0.0);
                    seen.push(Seen { name: name.to_owned(), cache_bytes, ..Seen::default() });
                    seen.len() - 1
                })
            });
            seen[at].look(frame, &columns, r);
        }
        let several = seen.len() > 1;
        let mut reasons: Vec<Reason> = seen.iter().flat_map(|s| s.reasons(several)).collect();
        let sources = || data.sources.iter().zip(&used).filter(|(_, used)| **used).map(|(s, _)| s);
        let slowed = sources().filter_map(|s| s.trace.as_deref()).flat_map(|t| &t.slowed_by);
        reasons.extend(recording(slowed));
        reasons.extend(skipped(sources()));
        let (rows, time_s) =
            seen.iter().fold((0, 0.0), |(n, t), s| (n + s.all.rows, t + s.all.time_s));
        if frame.rows.len() == data.len() {
            reasons.extend(unshaped(sources(), time_s));
        }
        reasons.extend(once(frame, rows, seen.iter().any(|s| s.spread_known.rows > 0)));
        let given = Given::of(frame, &sources().collect::<Vec<_>>());
        let agrees = reasons.iter().any(|r| r.about == About::Reported)
            && reasons.iter().all(|r| r.about != About::Reported || r.weight == Verdict::Sound);
        reasons.extend(unstated(&given.assumed, agrees));
        // Few, and stable: of equal weight in the order above.
        reasons.sort_by_key(|r| std::cmp::Reverse(r.weight));
        let verdict = reasons.first().map_or(Verdict::Sound, |r| r.weight);
        Trust { verdict, reasons, assumed: given.assumed, chosen: given.chosen }
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
}

impl Seen {
    fn look(&mut self, frame: &Frame, columns: &Columns<'_>, r: usize) {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let call_s = data.time_s[r];
        let time_s = call_s * frame.calls(r);
        if !(time_s > 0.0 && time_s.is_finite()) {
            return;
        }
        self.all.add(time_s);
        if call_s < SHORT_S {
            self.short.add(time_s);
        }
        if let Some(roof) = metrics.sheet_roof(data, r) {
            let (work, bytes) = (metrics.work(data, r), metrics.bytes(data, r));
            let share = roof.time_s(work, bytes) / call_s;
            self.roofed.add(time_s);
            let moved_s = bytes / roof.bandwidth_bytes_per_s;
            if share > ABOVE_ROOF {
                self.above.add(time_s);
                self.highest = self.highest.max(share);
                if bytes <= self.cache_bytes && moved_s > ABOVE_ROOF * call_s {
                    self.warm.add(time_s);
                }
            }
        }
        if let Some((theirs, is_rate, rounding)) = &columns.reported {
            let ours = if *is_rate { metrics.rate(data, r) } else { metrics.bandwidth(data, r) };
            let rounded = rounding.get(usize::from(data.source[r])).copied().unwrap_or(0.0);
            let gap = (theirs[r] - ours).abs();
            if gap.is_finite() {
                self.compared.add(time_s);
                if gap > (AGREES * ours).max(rounded) {
                    self.differs.add(time_s);
                }
            }
        }
        if let Some(std) = columns.std.map(|v| v[r]).filter(|v| v.is_finite()) {
            self.spread_known.add(time_s);
            if std > SPREAD * call_s {
                self.spread.add(time_s);
            }
        }
        let peak_hz = || metrics.devices[usize::from(data.device[r])].as_ref()?.clock_hz;
        if let Some((clock, peak)) = columns.clock.map(|v| v[r]).zip(peak_hz())
            && clock > 0.0
        {
            self.clocked.add(time_s);
            if clock < LOW_CLOCK * peak {
                self.low_clock.add(time_s);
            }
        }
    }

    fn reasons(&self, several: bool) -> Vec<Reason> {
        let on = if several && !self.name.is_empty() {
            format!("{}: ", self.name)
        } else {
            String::new()
        };
        let mut out = Vec::new();
        let mut add = |about, weight, tally: &Tally, of: &Tally, words: String| {
            out.push(Reason {
                about,
                weight,
                device: self.name.clone(),
                text: format!("{on}{}.", if on.is_empty() { capitalized(&words) } else { words }),
                count: tally.rows,
                of: of.rows,
                share: Some(if self.all.time_s > 0.0 {
                    tally.time_s / self.all.time_s
                } else {
                    0.0
                }),
            });
        };
        let some =
            |t: &Tally, of: &Tally| format!("{} of {}", grouped(t.rows), plural(of.rows, "row"));
        let is = |t: &Tally| if t.rows == 1 { "is" } else { "are" };
        let graded = |t: &Tally, of: &Tally, whole: Verdict| match t.part(of) {
            part if part > WHOLE => whole,
            part if part > EXCEPTION => Verdict::WithCare,
            _ => Verdict::Sound,
        };
        if self.above.rows > 0 {
            let (above, warm, of) = (&self.above, &self.warm, &self.roofed);
            let cache = Bytes(self.cache_bytes).to_iec();
            let cold = Tally { rows: above.rows - warm.rows, time_s: above.time_s - warm.time_s };
            let near = self.highest <= NEAR;
            let (about, weight, why) = match (cold.rows, warm.rows) {
                (0, _) => {
                    let why = format!(
                        "their operands fit in the last-level cache ({cache}), which was warm"
                    );
                    (About::WarmCache, graded(warm, of, Verdict::WithCare), why)
                }
                _ if near => {
                    let why = "clocks, timers and the peak itself vary by as much".to_owned();
                    (About::AboveRoof, graded(&cold, of, Verdict::WithCare), why)
                }
                (_, warm) => {
                    let mut why =
                        "the device, the type, the unit or the sizes are not what is assumed"
                            .to_owned();
                    if warm > 0 {
                        why.push_str(&format!(
                            ", but for {} whose operands fit in the last-level cache ({cache})",
                            grouped(warm)
                        ));
                    }
                    (About::AboveRoof, graded(&cold, of, Verdict::Doubtful), why)
                }
            };
            let words = format!(
                "{} {} above the datasheet roof (up to {}): {why}",
                some(above, of),
                is(above),
                percent(self.highest)
            );
            add(about, weight, above, of, words);
        }
        let roofless = Tally {
            rows: self.all.rows - self.roofed.rows,
            time_s: self.all.time_s - self.roofed.time_s,
        };
        if roofless.rows > 0 {
            let of = &self.all;
            let words = format!(
                "{} {} no roof, for want of a device or of a peak for the type: nothing checks {} against it",
                some(&roofless, of),
                if roofless.rows == 1 { "has" } else { "have" },
                if roofless.rows == 1 { "it" } else { "them" },
            );
            add(About::NoRoof, Verdict::Sound, &roofless, of, words);
        }
        if self.compared.rows > 0 {
            let (differs, of) = (&self.differs, &self.compared);
            let agree = of.rows - differs.rows;
            let words = format!(
                "the file's own figures agree within 2 % in {} of {}",
                grouped(agree),
                plural(of.rows, "row")
            );
            add(About::Reported, graded(differs, of, Verdict::Doubtful), differs, of, words);
        }
        if self.short.rows > 0 {
            let (short, of) = (&self.short, &self.all);
            let share = short.time_s / of.time_s;
            let words = format!(
                "{} take{} under 10 µs, {} of the time: timers and launches vary by as much",
                some(short, of),
                if short.rows == 1 { "s" } else { "" },
                percent(share)
            );
            let weight = if share > WHOLE { Verdict::WithCare } else { Verdict::Sound };
            add(About::ShortCalls, weight, short, of, words);
        }
        if self.spread_known.rows > 0 {
            let (wide, of) = (&self.spread, &self.spread_known);
            let words = match wide.rows {
                0 => format!(
                    "none of {} varies by over 20 % between repeats",
                    plural(of.rows, "row")
                ),
                1 => format!("1 of {} varies by over 20 % between repeats", plural(of.rows, "row")),
                _ => format!("{} vary by over 20 % between repeats", some(wide, of)),
            };
            add(About::Spread, graded(wide, of, Verdict::WithCare), wide, of, words);
        }
        if self.clocked.rows > 0 {
            let (low, of) = (&self.low_clock, &self.clocked);
            let words = format!(
                "{} ran under 90 % of the clock that the peak is of; each is judged at its own clock",
                some(low, of)
            );
            add(About::Clock, graded(low, of, Verdict::WithCare), low, of, words);
        }
        out
    }
}

/// What was recorded that slows the program.
fn recording<'a>(slowed: impl Iterator<Item = &'a String>) -> Option<Reason> {
    let mut by: Vec<&str> = Vec::new();
    for what in slowed {
        if !by.contains(&what.as_str()) {
            by.push(what);
        }
    }
    (!by.is_empty()).then(|| Reason {
        about: About::Recording,
        weight: Verdict::WithCare,
        device: String::new(),
        text: format!(
            "Recorded with {}, which slows the program: idle time is an upper bound.",
            by.join(", ")
        ),
        count: by.len() as u64,
        of: by.len() as u64,
        share: None,
    })
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
    // Few, and stable: of equal ones the first in the file.
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
    let share = count as f64 / of as f64;
    Some(Reason {
        about: About::Skipped,
        weight: if share > EXCEPTION { Verdict::WithCare } else { Verdict::Sound },
        device: String::new(),
        text: format!("{} of {} could not be used: {why}.", grouped(count), plural(of, "row")),
        count,
        of,
        share: None,
    })
}

/// GEMM time without a known shape, of which no figure here is.
fn unshaped<'a>(sources: impl Iterator<Item = &'a Source>, known_s: f64) -> Option<Reason> {
    let without: Vec<_> = sources.map(|s| s.without_model).collect();
    let (count, time_s) = without.iter().fold((0, 0.0), |(n, t), w| (n + w.rows, t + w.time_s));
    let (all_s, weighs) = (known_s + time_s, time_s > EXCEPTION * (known_s + time_s));
    weighs.then(|| Reason {
        about: About::Unshaped,
        weight: if time_s > WHOLE * all_s { Verdict::WithCare } else { Verdict::Sound },
        device: String::new(),
        text: format!(
            "{} of the GEMM time ({} of {}) has no known shape: the figures are of the rest.",
            percent(time_s / all_s),
            seconds_brief(time_s),
            seconds_brief(all_s)
        ),
        count,
        of: count,
        share: None,
    })
}

/// GEMMs that were measured once each, where no spread is stated: a difference may be chance.
fn once(frame: &Frame, rows: u64, spread_known: bool) -> Option<Reason> {
    let counted = frame.counted();
    let single = |s: &Side| !s.program && s.rows.len() as u64 == s.all_rows;
    let all = counted.sides.iter().all(single);
    (rows > 1 && all && !spread_known).then(|| Reason {
        about: About::Once,
        weight: Verdict::Sound,
        device: String::new(),
        text: format!("Each of {} is one measurement, without a spread.", plural(rows, "row")),
        count: rows,
        of: rows,
        share: None,
    })
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
        let mut used = vec![false; data.devices.len()];
        frame.rows.iter().for_each(|r| used[usize::from(data.device[*r as usize])] = true);
        for ((device, stated), used) in devices.iter().zip(&data.devices).zip(used) {
            if let (true, true, Some(d)) = (used, stated.is_empty(), device) {
                out.choose(format!(
                    "The file names no device. The roof is that of the {}.",
                    d.name
                ));
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
                match other {
                    // Said above, or asked for by the first sentence.
                    _ if a.key == "device" && a.value.is_empty() => {}
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

/// What no file states. Units and types that were assumed change every figure, unless the file's own
/// figures agree with the recomputed ones; of a wrong device rows above the roof tell.
fn unstated(assumed: &[Assumption], agrees: bool) -> Option<Reason> {
    let weighs = |a: &&Assumption| ["unit", "dtype"].iter().any(|s| a.key.starts_with(s));
    // What nobody answered yet is a question and no assumption.
    let assumed: Vec<&Assumption> = assumed.iter().filter(|a| !a.value.is_empty()).collect();
    let (all, heavy) =
        (assumed.len() as u64, assumed.iter().copied().filter(weighs).count() as u64);
    let mut told: Vec<String> = assumed.iter().take(ASSUMED).map(|a| named(a)).collect();
    let more = assumed.len().saturating_sub(ASSUMED);
    told.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    (all > 0).then(|| Reason {
        about: About::Assumed,
        weight: if heavy > 0 && !agrees { Verdict::WithCare } else { Verdict::Sound },
        device: String::new(),
        text: format!("Assumed: {}.", told.join("; ")),
        count: heavy,
        of: all,
        share: None,
    })
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
