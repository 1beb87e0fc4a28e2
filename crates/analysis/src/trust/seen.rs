//! What the rows of one device show of their measurement.

use super::{About, EXCEPTION, NOISE, Reason, Verdict, WHOLE};
use crate::findings::{REPORTED_GAP, Reach, far_below_question};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::{Bytes, capitalized, grouped, percent, plural};
use gemmscope_table::build::roundings;
use gemmscope_table::dataset::{ColumnMeaning, Dataset, Source};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;

/// Up to this much above the roof, a peak that is itself a measurement or a clock explains it.
const NEAR: f64 = 1.10;
/// Bytes at more than this share of the datasheet's bandwidth did not all come from memory.
const CACHED: f64 = 0.90;
/// Of operands up to so many times the last-level cache, part is still there at the next call.
const PARTLY: f64 = 2.0;
/// A call under this is as short as what timers and launches vary.
const SHORT_S: f64 = 10e-6;
/// A standard deviation over this share of the mean is large.
const SPREAD: f64 = 0.20;
/// A clock under this share of the peak's is low.
const LOW_CLOCK: f64 = 0.90;

/// Rows and their seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) rows: u64,
    pub(super) time_s: f64,
}

impl Tally {
    fn add(&mut self, time_s: f64) {
        self.rows += 1;
        self.time_s += time_s;
    }

    /// Its rows but for those of `other`.
    fn without(&self, other: &Tally) -> Tally {
        Tally { rows: self.rows - other.rows, time_s: self.time_s - other.time_s }
    }

    /// `3 of 9 rows`.
    fn some(&self, of: &Tally) -> String {
        format!("{} of {}", grouped(self.rows), plural(of.rows, "row"))
    }

    /// The larger of its shares of rows and time.
    fn part(&self, of: &Tally) -> f64 {
        share(self.rows as f64, of.rows as f64).max(share(self.time_s, of.time_s))
    }
}

fn share(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// What the rows of one device show.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    name: String,
    cache_bytes: f64,
    pub(super) all: Tally,
    roofed: Tally,
    above: Tally,
    highest: f64,
    warm: Tally,
    cached: Tally,
    short: Tally,
    compared: Tally,
    /// Whether some of them state a rate, and a bandwidth.
    states: [bool; 2],
    rates_differ: Tally,
    differs: Tally,
    pub(super) spread_known: Tally,
    spread: Tally,
    clocked: Tally,
    low_clock: Tally,
    /// By type: how many rows, and how near their roof they come.
    reach: Vec<(DataType, usize, Reach)>,
}

/// Columns that are read row by row.
pub(super) struct Columns<'a> {
    /// The file's own rates, and bandwidths, with their rounding by source.
    reported: [Option<(&'a [f64], Vec<f64>)>; 2],
    std: Option<&'a [f64]>,
    clock: Option<&'a [f64]>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(data: &'a Dataset) -> Columns<'a> {
        let reported = [ColumnMeaning::ReportedRate, ColumnMeaning::ReportedBandwidth];
        Columns {
            reported: reported.map(|m| data.numbers(m).map(|v| (v, roundings(data, v)))),
            std: data.numbers(ColumnMeaning::TimeStd),
            clock: data.numbers(ColumnMeaning::MeasuredClock),
        }
    }
}

impl Seen {
    /// No row of a device yet, whose last-level cache holds so many bytes.
    pub(super) fn new(name: &str, cache_bytes: f64) -> Seen {
        Seen { name: name.to_owned(), cache_bytes, ..Seen::default() }
    }

    /// Adds a row up.
    pub(super) fn look(&mut self, frame: &Frame, columns: &Columns<'_>, r: usize) {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let call_s = data.time_s[r];
        let time_s = call_s * frame.calls(r);
        if !(time_s > 0.0 && time_s.is_finite()) {
            return;
        }
        self.all.add(time_s);
        // A profiler's kernel times hold no launch, and its clock counts nanoseconds.
        let source = || data.sources.get(usize::from(data.source[r]));
        if call_s < SHORT_S && !source().is_some_and(Source::times_kernels) {
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
                // No cache lets a device compute faster than its peak.
                let computed_s = roof.time_s(work, 0.0);
                let computable = computed_s <= ABOVE_ROOF * call_s;
                if computable && bytes <= self.cache_bytes && moved_s > ABOVE_ROOF * call_s {
                    self.warm.add(time_s);
                }
            } else if bytes <= PARTLY * self.cache_bytes && moved_s > CACHED * call_s {
                self.cached.add(time_s);
            }
        }
        self.reach(frame, r);
        let differs = |reported: &Option<(&[f64], Vec<f64>)>, ours: f64| {
            let (theirs, rounding) = reported.as_ref()?;
            let rounded = rounding.get(usize::from(data.source[r])).copied().unwrap_or(0.0);
            let gap = (theirs[r] - ours).abs();
            gap.is_finite().then_some(gap > (REPORTED_GAP * ours).max(rounded))
        };
        let rate = differs(&columns.reported[0], metrics.rate(data, r));
        let bandwidth = differs(&columns.reported[1], metrics.bandwidth(data, r));
        if rate.or(bandwidth).is_some() {
            self.compared.add(time_s);
            self.states = [self.states[0] | rate.is_some(), self.states[1] | bandwidth.is_some()];
            if rate == Some(true) {
                self.rates_differ.add(time_s);
            }
            if rate == Some(true) || bandwidth == Some(true) {
                self.differs.add(time_s);
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

    /// Adds how near its roof a row comes.
    fn reach(&mut self, frame: &Frame, r: usize) {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let device = metrics.devices[usize::from(data.device[r])].as_ref();
        let Some(device) = device.filter(|_| metrics.roof_s[r].is_finite()) else { return };
        let problem = data.problem(r);
        let dtype = problem.op.compute;
        let at = self.reach.iter().position(|(of, ..)| *of == dtype).unwrap_or_else(|| {
            self.reach.push((dtype, 0, Reach::default()));
            self.reach.len() - 1
        });
        let (_, rows, reach) = &mut self.reach[at];
        *rows += 1;
        reach.add(&problem, device, metrics.efficiency(data, r), metrics.roof_s[r]);
    }

    /// The types of which nothing comes near the roof.
    pub(super) fn far_below(&self) -> impl Iterator<Item = Reason> + '_ {
        let far = self.reach.iter().filter(|(.., reach)| reach.is_far());
        far.map(|(dtype, rows, reach)| Reason {
            about: About::Device,
            weight: Verdict::Doubtful,
            device: self.name.clone(),
            text: format!("{}.", far_below_question(*rows, dtype.name(), reach.best(), &self.name)),
            count: *rows as u64,
            of: self.all.rows,
            share: None,
        })
    }

    /// What its rows show, a sentence each; with its name where devices are several.
    pub(super) fn reasons(&self, several: bool) -> Vec<Reason> {
        let on = match (several, self.name.as_str()) {
            (true, "") => "Unknown device: ".to_owned(),
            (true, name) => format!("{name}: "),
            (false, _) => String::new(),
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
                share: Some(share(tally.time_s, self.all.time_s)),
            });
        };
        let some = Tally::some;
        let is = |t: &Tally| if t.rows == 1 { "is" } else { "are" };
        if self.above.rows > 0 {
            let (about, weight, why) = self.above_words();
            let words = format!(
                "{} {} above the datasheet roof (up to {}): {why}",
                some(&self.above, &self.roofed),
                is(&self.above),
                percent(self.highest)
            );
            add(about, weight, &self.above, &self.roofed, words);
        }
        if self.cached.rows > 0 {
            let weight = graded(&self.cached, &self.roofed, Verdict::WithCare);
            let words = self.cached_words();
            add(About::WarmCache, weight, &self.cached, &self.roofed, words);
        }
        let roofless = self.all.without(&self.roofed);
        if roofless.rows > 0 {
            let of = &self.all;
            let words = format!(
                "{} {} no known roof (no device, or no peak for the type), so nothing checks {}",
                some(&roofless, of),
                if roofless.rows == 1 { "has" } else { "have" },
                if roofless.rows == 1 { "it" } else { "them" },
            );
            // Which device, or which type, is a question.
            add(About::NoRoof, Verdict::WithCare, &roofless, of, words);
        }
        if self.compared.rows > 0 {
            let (weight, words) = self.reported_words();
            add(About::Reported, weight, &self.differs, &self.compared, words);
        }
        if self.short.rows > 0 {
            let (short, of) = (&self.short, &self.all);
            let share = short.time_s / of.time_s;
            let words = format!(
                "{} ({} of the time) take{} under 10 µs, within the jitter of timers and launches",
                some(short, of),
                percent(share),
                if short.rows == 1 { "s" } else { "" }
            );
            let weight = if share > WHOLE { Verdict::WithCare } else { Verdict::Sound };
            add(About::ShortCalls, weight, short, of, words);
        }
        if self.spread_known.rows > 0 {
            let (wide, of) = (&self.spread, &self.spread_known);
            let words = self.spread_words();
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

    /// How many rows moved bytes faster than memory alone does.
    fn cached_words(&self) -> String {
        format!(
            "{} use{} over 90 % of the memory's bandwidth with operands of up to twice the last-level cache \
             ({}): part of them was likely still there from the call before",
            self.cached.some(&self.roofed),
            if self.cached.rows == 1 { "s" } else { "" },
            Bytes(self.cache_bytes).to_iec()
        )
    }

    /// How figures of the file weigh, and in how many rows they agree. Tools count bytes in several ways, so
    /// bandwidths alone make nothing doubtful.
    fn reported_words(&self) -> (Verdict, String) {
        let (differs, of) = (&self.differs, &self.compared);
        let what = match self.states {
            [_, false] => "rates",
            [false, true] => "bandwidths",
            [true, true] => "rates and bandwidths",
        };
        let words = format!(
            "reported {what} agree with the recomputed ones within 1 % in {} of {}",
            grouped(of.rows - differs.rows),
            plural(of.rows, "row")
        );
        let weight = graded(&self.rates_differ, of, Verdict::Doubtful);
        (weight.max(graded(differs, of, Verdict::WithCare)), words)
    }

    /// How many rows vary between repeats.
    fn spread_words(&self) -> String {
        let (wide, of) = (self.spread.rows, self.spread_known.rows);
        // The others were called once.
        let repeated = if of < self.all.rows { " with repeats" } else { "" };
        let of_these = format!("{}{repeated}", plural(of, "row"));
        let (count, vary) = match wide {
            0 => ("none".to_owned(), "varies"),
            1 => ("1".to_owned(), "varies"),
            n => (grouped(n), "vary"),
        };
        format!("{count} of {of_these} {vary} by over 20 % between repeats")
    }

    /// What rows above the roof are about, how they weigh, and what explains them.
    fn above_words(&self) -> (About, Verdict, String) {
        let (above, warm, of) = (&self.above, &self.warm, &self.roofed);
        let cache = Bytes(self.cache_bytes).to_iec();
        let cold = above.without(warm);
        if cold.rows == 0 {
            let why =
                format!("their operands fit in the last-level cache ({cache}), which was warm");
            return (About::WarmCache, graded(warm, of, Verdict::WithCare), why);
        }
        if self.highest <= NEAR {
            let why = NOISE.to_owned();
            return (About::AboveRoof, graded(&cold, of, Verdict::WithCare), why);
        }
        let mut why =
            "the device, the type, the unit or the sizes are not what is assumed".to_owned();
        if warm.rows > 0 {
            why.push_str(&format!(
                ", except for {} whose operands fit in the last-level cache ({cache})",
                grouped(warm.rows)
            ));
        }
        (About::AboveRoof, graded(&cold, of, Verdict::Doubtful), why)
    }
}

/// The weight of something that concerns a part of the rows; `whole` where it concerns the whole.
fn graded(tally: &Tally, of: &Tally, whole: Verdict) -> Verdict {
    match tally.part(of) {
        part if part > WHOLE => whole,
        part if part > EXCEPTION => Verdict::WithCare,
        _ => Verdict::Sound,
    }
}
