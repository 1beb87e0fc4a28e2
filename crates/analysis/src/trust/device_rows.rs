//! What the rows of one device show about their measurement.

use super::measured::{AllSeries, Measured, Plateau};
use super::{AboveCause, EXCEPTION, Ground, ReasonFacts, Verdict, WHOLE};
use crate::findings::{REPORTED_GAP, Reach};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::roundings;
use gemmscope_table::dataset::{ColumnMeaning, Dataset, Source};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;

/// Efficiency up to which a measured peak or a clock explains a row above its roof.
const NEAR: f64 = 1.10;
/// Fraction of the datasheet bandwidth above which not all bytes came from memory.
const CACHED: f64 = 0.90;
/// Operands / last-level cache up to which they may partly stay cached between calls.
const PARTLY: f64 = 2.0;
/// Seconds below which timer and launch jitter matter.
const SHORT_S: f64 = 10e-6;
/// Standard deviation / mean above which the spread is large.
const SPREAD: f64 = 0.20;
/// Clock / peak's clock below which the clock is low.
const LOW_CLOCK: f64 = 0.90;

/// A number of rows and their seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowsTime {
    pub(super) rows: u64,
    pub(super) time_s: f64,
}

impl RowsTime {
    pub(super) fn add(&mut self, time_s: f64) {
        self.rows += 1;
        self.time_s += time_s;
    }

    /// Adds the rows of another part.
    pub(super) fn join(&mut self, other: &RowsTime) {
        self.rows += other.rows;
        self.time_s += other.time_s;
    }

    /// Its rows but for those of `other`.
    fn without(&self, other: &RowsTime) -> RowsTime {
        RowsTime { rows: self.rows - other.rows, time_s: self.time_s - other.time_s }
    }

    /// The larger of the fractions of rows and time.
    fn part(&self, of: &RowsTime) -> f64 {
        share(self.rows as f64, of.rows as f64).max(share(self.time_s, of.time_s))
    }
}

fn share(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// What the rows of one device show.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceRows {
    name: String,
    cache_bytes: f64,
    pub(super) all: RowsTime,
    roofed: RowsTime,
    above: RowsTime,
    highest: f64,
    warm: RowsTime,
    cached: RowsTime,
    short: RowsTime,
    compared: RowsTime,
    /// True if some state a rate, and if some state a bandwidth.
    states: [bool; 2],
    rates_differ: RowsTime,
    differs: RowsTime,
    pub(super) spread_known: RowsTime,
    spread: RowsTime,
    clocked: RowsTime,
    low_clock: RowsTime,
    /// By type: number of rows, and their best efficiency.
    reach: Vec<(DataType, usize, Reach)>,
    series: AllSeries,
}

/// What the series of one device show.
pub(super) struct MeasuredRows {
    plateau: Measured<Plateau>,
    drift: Measured<f64>,
    timer_step: Measured<()>,
}

/// Columns that are read row by row.
pub(super) struct TrustColumns<'a> {
    /// The file's own rates, and bandwidths, each with their rounding error by source.
    reported: [Option<(&'a [f64], Vec<f64>)>; 2],
    library: Option<&'a [u32]>,
    std: Option<&'a [f64]>,
    clock: Option<&'a [f64]>,
}

impl<'a> TrustColumns<'a> {
    pub(super) fn new(data: &'a Dataset) -> TrustColumns<'a> {
        let reported = [ColumnMeaning::ReportedRate, ColumnMeaning::ReportedBandwidth];
        TrustColumns {
            reported: reported.map(|m| data.numbers(m).map(|v| (v, roundings(data, v)))),
            library: data.codes(ColumnMeaning::Library),
            std: data.numbers(ColumnMeaning::TimeStd),
            clock: data.numbers(ColumnMeaning::MeasuredClock),
        }
    }
}

impl DeviceRows {
    /// No rows yet, for a device with a last-level cache of `cache_bytes`.
    pub(super) fn new(name: &str, cache_bytes: f64) -> DeviceRows {
        DeviceRows { name: name.to_owned(), cache_bytes, ..DeviceRows::default() }
    }

    /// Adds a row.
    pub(super) fn look(&mut self, frame: &Frame, columns: &TrustColumns<'_>, r: usize) {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let call_s = data.time_s[r];
        let time_s = call_s * frame.calls(r);
        if !(time_s > 0.0 && time_s.is_finite()) {
            return;
        }
        self.all.add(time_s);
        let library = columns.library.map_or(0, |codes| codes[r]);
        self.series.add(data.source[r], library, r as u32);
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
                // A cache does not raise the compute peak.
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

    /// Adds a row's efficiency to its type.
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

    /// Reasons for types of which nothing comes near the roof.
    pub(super) fn far_below(&self) -> impl Iterator<Item = ReasonFacts> + '_ {
        let far = self.reach.iter().filter(|(.., reach)| reach.is_far());
        far.map(|(dtype, rows, reach)| ReasonFacts {
            ground: Ground::FarBelow { dtype: *dtype, best: reach.best() },
            weight: Verdict::Doubtful,
            device: self.name.clone(),
            count: *rows as u64,
            of: self.all.rows,
            share: None,
        })
    }

    /// What its series show of how they were measured.
    pub(super) fn measured(&self, frame: &Frame) -> MeasuredRows {
        MeasuredRows {
            plateau: self.series.plateau(frame),
            drift: self.series.drift(frame),
            timer_step: self.series.timer_step(frame),
        }
    }

    /// Whether each rule of measuring was kept; `None` where the rows cannot tell.
    pub(super) fn rules(&self, measured: &MeasuredRows) -> [Option<bool>; 5] {
        let known = |tells: bool, broken: bool| tells.then_some(!broken);
        let mut not_cold = self.warm;
        not_cold.join(&self.cached);
        let spread = graded(&self.spread, &self.spread_known, Verdict::WithCare);
        [
            known(measured.plateau.tells, measured.plateau.found.is_some()),
            // That no row shows a warm cache does not show a cold one.
            (not_cold.part(&self.roofed) > EXCEPTION).then_some(false),
            known(measured.drift.tells, measured.drift.found.is_some()),
            known(self.spread_known.rows > 0, spread > Verdict::Sound),
            known(measured.timer_step.tells, measured.timer_step.found.is_some()),
        ]
    }

    /// What its rows show.
    pub(super) fn reasons(&self, measured: &MeasuredRows) -> Vec<ReasonFacts> {
        let mut out = Vec::new();
        let mut add = |ground, weight, part: &RowsTime, of: &RowsTime| {
            if of.rows == 0 {
                return;
            }
            out.push(ReasonFacts {
                ground,
                weight,
                device: self.name.clone(),
                count: part.rows,
                of: of.rows,
                share: Some(share(part.time_s, self.all.time_s)),
            });
        };
        let cache_bytes = self.cache_bytes;
        let (all, roofed) = (&self.all, &self.roofed);
        if self.above.rows > 0 {
            let (cause, weight) = self.above_cause();
            let (highest, warm) = (self.highest, self.warm.rows);
            let ground = Ground::AboveRoof { highest, cause, warm, cache_bytes };
            add(ground, weight, &self.above, roofed);
        }
        if self.cached.rows > 0 {
            let weight = graded(&self.cached, roofed, Verdict::WithCare);
            add(Ground::PartlyCached { cache_bytes }, weight, &self.cached, roofed);
        }
        let roofless = all.without(roofed);
        if roofless.rows > 0 {
            // It leaves open which device, or which type.
            add(Ground::NoRoof, Verdict::WithCare, &roofless, all);
        }
        let ground = Ground::Reported { states: self.states };
        add(ground, self.reported_weight(), &self.differs, &self.compared);
        if self.short.rows > 0 {
            let much = self.short.time_s / all.time_s > WHOLE;
            let weight = if much { Verdict::WithCare } else { Verdict::Sound };
            add(Ground::ShortCalls, weight, &self.short, all);
        }
        let (wide, of) = (&self.spread, &self.spread_known);
        let ground = Ground::Spread { some_once: of.rows < all.rows };
        add(ground, graded(wide, of, Verdict::WithCare), wide, of);
        let (low, of) = (&self.low_clock, &self.clocked);
        add(Ground::Clock, graded(low, of, Verdict::WithCare), low, of);
        if let Some(Plateau { low_s, high_s, bytes_range }) = measured.plateau.found {
            let part = &measured.plateau.rows;
            let ground = Ground::Plateau { low_s, high_s, bytes_range };
            add(ground, graded(part, all, Verdict::Doubtful), part, all);
        }
        if let Some(change) = measured.drift.found {
            add(Ground::Drift { change }, Verdict::WithCare, &measured.drift.rows, all);
        }
        if measured.timer_step.found.is_some() {
            let part = &measured.timer_step.rows;
            add(Ground::TimerStep, graded(part, all, Verdict::WithCare), part, all);
        }
        out
    }

    /// Weight of differences from the file's own figures. Tools count bytes in several ways, so bandwidths alone make
    /// nothing doubtful.
    fn reported_weight(&self) -> Verdict {
        let of = &self.compared;
        let weight = graded(&self.rates_differ, of, Verdict::Doubtful);
        weight.max(graded(&self.differs, of, Verdict::WithCare))
    }

    /// Explanation of rows above the roof, and its weight.
    fn above_cause(&self) -> (AboveCause, Verdict) {
        let (warm, of) = (&self.warm, &self.roofed);
        let cold = self.above.without(warm);
        if cold.rows == 0 {
            (AboveCause::WarmCache, graded(warm, of, Verdict::WithCare))
        } else if self.highest <= NEAR {
            (AboveCause::Noise, graded(&cold, of, Verdict::WithCare))
        } else {
            (AboveCause::Wrong, graded(&cold, of, Verdict::Doubtful))
        }
    }
}

/// Weight of something that concerns part of the rows; `whole` if it concerns the whole.
fn graded(tally: &RowsTime, of: &RowsTime, whole: Verdict) -> Verdict {
    match tally.part(of) {
        part if part > WHOLE => whole,
        part if part > EXCEPTION => Verdict::WithCare,
        _ => Verdict::Sound,
    }
}
