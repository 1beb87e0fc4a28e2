//! How far can these figures be trusted? What the rows show about their measurement, per device, and what no file
//! states.
//!
//! One pass over the rows of a frame. Each [reason](ReasonFacts) counts rows and their share of the time; its weight is
//! the verdict that it alone would give, and the overall verdict is the heaviest weight.

use crate::findings::other_kernels;
use crate::ledger::{Evidence, Ledger};
use crate::names::distinct;
use gemmscope_model::dtype::DataType;
use gemmscope_model::pass;
use gemmscope_table::data_kind::Side;
use gemmscope_table::dataset::{RejectReason, Source};
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod device_rows;
mod measured;
mod unstated;

use device_rows::{DeviceRows, TrustColumns};
pub use unstated::{Assumed, Chosen};
use unstated::{Unstated, asked, assumed};

gemmscope_model::named! {
/// How far figures can be trusted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No reason against them.
    #[default]
    Sound = "sound";
    /// They hold under the stated conditions.
    WithCare = "with care";
    /// Something that they depend on is probably wrong.
    Doubtful = "doubtful";
}
/// Label: `sound`, `with care`, `doubtful`.
pub fn label -> &'static str;
}

/// Topic of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// Doubts about device, type or unit.
    Device,
    /// No row has a time.
    NoTime,
    /// Rows above the datasheet roof, some of which a warm cache does not explain.
    AboveRoof,
    /// The file's figures compared with the recomputed ones.
    Reported,
    /// Rows above the datasheet roof whose operands fit in the last-level cache.
    WarmCache,
    /// Calls so short that timer and launch jitter matter.
    ShortCalls,
    /// Spread of the repeats.
    Spread,
    /// Recording that slows the program.
    Recording,
    /// Clocks below the clock of the peaks.
    Clock,
    /// Times that hold the launch.
    Plateau,
    /// Times that change from run to run, one way.
    Drift,
    /// Times that the timer cannot tell apart.
    TimerStep,
    /// Rows that could not be used.
    Skipped,
    /// Rows without a roof.
    NoRoof,
    /// GEMM time of a trace without known shapes.
    Unshaped,
    /// GEMMs measured only once, without a spread.
    Once,
    /// Assumptions about what no file states.
    Assumed,
}

/// Content of a reason, besides the number of rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Ground {
    /// Kernels of some rows were built for another device.
    OtherDevice {
        /// Code of the device that cannot run them.
        device: u16,
        /// Compiler target of the kernels: `gfx942`.
        target: String,
    },
    /// No GEMM of a device and type comes near its roof.
    FarBelow {
        /// The type.
        dtype: DataType,
        /// Best efficiency among them.
        best: f64,
    },
    /// A unit or type that no file states and nobody has chosen: the first such question.
    Asked(String),
    /// Assumptions, listed in [`TrustFacts::assumed`].
    Assumed,
    /// No row has a time.
    NoTime,
    /// Rows above the datasheet roof.
    AboveRoof {
        /// Highest efficiency against it.
        highest: f64,
        /// Explanation.
        cause: AboveCause,
        /// Number of these rows whose operands fit in the last-level cache.
        warm: u64,
        /// Size of that cache, bytes.
        cache_bytes: f64,
    },
    /// Rows near the memory bandwidth whose operands nearly fit in the last-level cache.
    PartlyCached {
        /// Size of that cache, bytes.
        cache_bytes: f64,
    },
    /// Rows without a roof.
    NoRoof,
    /// Figures of the file that differ from the recomputed ones.
    Reported {
        /// Whether rows state a rate, and a bandwidth.
        states: [bool; 2],
    },
    /// Calls so short that timer and launch jitter matter.
    ShortCalls,
    /// Rows whose repeats vary.
    Spread {
        /// True if other rows were called only once.
        some_once: bool,
    },
    /// Rows measured below the peak's clock.
    Clock,
    /// Rows that take as long whatever their size.
    Plateau {
        /// The shortest and longest of their times, seconds.
        low_s: f64,
        /// See `low_s`.
        high_s: f64,
        /// The most bytes of their GEMMs over the fewest.
        bytes_range: f64,
    },
    /// GEMMs that take longer, or less, from run to run.
    Drift {
        /// The median of last over first time, less 1.
        change: f64,
    },
    /// GEMMs of other sizes take exactly as long.
    TimerStep,
    /// The recording slows the program: options that it had.
    Recording(Vec<String>),
    /// Rows that could not be used: number and reason, most frequent first.
    Skipped(Vec<(u64, String)>),
    /// GEMM time without a known shape.
    Unshaped {
        /// That time, seconds.
        time_s: f64,
        /// Time of all GEMMs, seconds.
        all_s: f64,
    },
    /// Rows that are a single measurement each, without a spread.
    Once,
    /// Gains that may be scatter, as a fraction of the time.
    Scatter(f64),
}

/// Explanation of rows above the datasheet roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboveCause {
    /// The operands of all of them fit in the last-level cache.
    WarmCache,
    /// The excess is small enough for clock and timer jitter.
    Noise,
    /// Device, type, unit or sizes are wrong.
    Wrong,
}

impl Ground {
    /// Topic.
    pub fn about(&self) -> About {
        match self {
            Ground::OtherDevice { .. } | Ground::FarBelow { .. } | Ground::Asked(_) => {
                About::Device
            }
            Ground::Assumed => About::Assumed,
            Ground::NoTime => About::NoTime,
            Ground::AboveRoof { cause: AboveCause::WarmCache, .. }
            | Ground::PartlyCached { .. } => About::WarmCache,
            Ground::AboveRoof { .. } => About::AboveRoof,
            Ground::NoRoof => About::NoRoof,
            Ground::Reported { .. } => About::Reported,
            Ground::ShortCalls => About::ShortCalls,
            Ground::Spread { .. } | Ground::Scatter(_) => About::Spread,
            Ground::Clock => About::Clock,
            Ground::Plateau { .. } => About::Plateau,
            Ground::Drift { .. } => About::Drift,
            Ground::TimerStep => About::TimerStep,
            Ground::Recording(_) => About::Recording,
            Ground::Skipped(_) => About::Skipped,
            Ground::Unshaped { .. } => About::Unshaped,
            Ground::Once => About::Once,
        }
    }
}

/// One reason for or against the figures.
#[derive(Clone, Debug, PartialEq)]
pub struct ReasonFacts {
    /// Content.
    pub ground: Ground,
    /// Verdict that it alone would give.
    pub weight: Verdict,
    /// Name of the device; "" if it concerns all rows, or none is stated.
    pub device: String,
    /// Number of rows concerned; if it is not about rows, number of the things it is about.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
    /// Fraction of the device's time; `None` if it is not about rows.
    pub share: Option<f64>,
}

gemmscope_model::named! {
/// A rule for measuring a GEMM, after those that CUTLASS published (NVIDIA/cutlass 3366).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasuringRule {
    /// The time holds no launch.
    Launch = "no launch in the time";
    /// The operands are not in a cache.
    ColdCache = "cold caches";
    /// The clock has settled.
    SettledClock = "a settled clock";
    /// Enough runs, and near each other.
    EnoughRuns = "enough runs";
    /// The timer tells times apart.
    FineTimer = "a fine timer";
}
/// All of them.
pub const ALL;
/// What it asks for.
pub fn label -> &'static str;
}

/// How far the figures of a frame can be trusted, and why. `gemmscope-words` makes its sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrustFacts {
    /// Heaviest weight of the reasons.
    pub verdict: Verdict,
    /// Reasons, heaviest first, then by device.
    pub reasons: Vec<ReasonFacts>,
    /// Number of devices with measured rows.
    pub devices: usize,
    /// Whether each rule of measuring was kept, in the order of [`MeasuringRule::ALL`]; `None` where the rows cannot
    /// tell. Kept is what all devices show that can.
    pub rules: [Option<bool>; 5],
    /// What no file states and was assumed, each once.
    pub assumed: Vec<Assumed>,
    /// User's choices for what no file states.
    pub chosen: Vec<Chosen>,
}

/// Fraction of rows or time above which something concerns the whole, and below which it is an exception.
const WHOLE: f64 = 0.20;
const EXCEPTION: f64 = 0.01;

/// State of the pass over the rows that pass the filters.
struct Looking<'a> {
    frame: &'a Frame,
    columns: TrustColumns<'a>,
    seen: Vec<DeviceRows>,
    /// By device code: index in `seen`.
    place: Vec<Option<usize>>,
    /// By file: true if it has a row.
    used: Vec<bool>,
}

impl<'a> Looking<'a> {
    /// Before the first row.
    fn new(frame: &'a Frame) -> Looking<'a> {
        let data = &*frame.data;
        Looking {
            frame,
            columns: TrustColumns::new(data),
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
            self.seen.push(DeviceRows::new(frame.device_name(code), cache_bytes));
            self.seen.len() - 1
        });
        self.seen[at].look(frame, &self.columns, r);
    }

    /// The verdict on what was seen.
    fn finish(self) -> TrustFacts {
        let Looking { frame, seen, used, place, .. } = self;
        let data = &*frame.data;
        let devices = seen.len();
        let sources = || data.sources.iter().zip(&used).filter(|(_, used)| **used).map(|(s, _)| s);
        // Unusable rows come before what the counted rows show.
        let mut reasons: Vec<ReasonFacts> = skipped(sources()).into_iter().collect();
        reasons.extend(other_device(frame, &place));
        reasons.extend(seen.iter().flat_map(DeviceRows::far_below));
        let mut rules = [None; 5];
        for device in &seen {
            let measured = device.measured(frame);
            reasons.extend(device.reasons(&measured));
            for (rule, own) in rules.iter_mut().zip(device.rules(&measured)) {
                // What one device breaks, the others do not mend.
                *rule = rule.map_or(own, |before| Some(before && own.unwrap_or(true)));
            }
        }
        let slowed = sources().filter_map(|s| s.trace.as_deref()).flat_map(|t| &t.slowed_by);
        reasons.extend(recording(slowed));
        let (rows, time_s) =
            seen.iter().fold((0, 0.0), |(n, t), s| (n + s.all.rows, t + s.all.time_s));
        reasons.extend(
            (rows == 0)
                .then(|| of_all(Ground::NoTime, Verdict::WithCare, (0, frame.rows.len() as u64))),
        );
        if frame.rows.len() == data.len() {
            reasons.extend(unshaped(sources(), time_s));
        }
        reasons.extend(once(frame, rows, seen.iter().any(|s| s.spread_known.rows > 0)));
        let unstated = Unstated::of(frame, &sources().collect::<Vec<_>>());
        let agrees = reasons.iter().any(|r| r.ground.about() == About::Reported)
            && reasons
                .iter()
                .all(|r| r.ground.about() != About::Reported || r.weight == Verdict::Sound);
        // Assumptions come first: everything else of the same weight depends on them.
        reasons.splice(..0, assumed(&unstated.assumed, agrees));
        reasons.splice(..0, asked(&unstated.assumed));
        // On equal weight the order above, but harmless exceptions last.
        let exception = |r: &ReasonFacts| {
            r.weight == Verdict::Sound && r.count > 0 && r.share.is_some_and(|s| s < EXCEPTION)
        };
        reasons.sort_by_key(|r| (std::cmp::Reverse(r.weight), exception(r)));
        let verdict = reasons.first().map_or(Verdict::Sound, |r| r.weight);
        let Unstated { assumed, chosen } = unstated;
        TrustFacts { verdict, reasons, devices, rules, assumed, chosen }
    }
}

impl TrustFacts {
    /// Trust in the rows that pass the filters.
    pub fn of(frame: &Frame) -> TrustFacts {
        pass::at_once(TrustFacts::look(frame, &pass::none))
    }

    /// Like [`TrustFacts::of`]. Awaits `pause` every few thousand rows.
    pub async fn look(frame: &Frame, pause: &impl AsyncFn()) -> TrustFacts {
        let mut looking = Looking::new(frame);
        for rows in frame.rows.chunks(pass::ROWS) {
            rows.iter().for_each(|row| looking.look(*row));
            pause().await;
        }
        looking.finish()
    }

    /// Adds what the ledger shows: if gains of over a fifth of the time may be scatter, they need care.
    pub fn beside(mut self, ledger: &Ledger) -> TrustFacts {
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
            self.reasons.retain(|r| r.ground != Ground::Once);
            let place = self.reasons.iter().position(|r| r.weight < Verdict::WithCare);
            let ground = Ground::Scatter(scatter_s / all_s);
            let reason = of_all(ground, Verdict::WithCare, (gemms, all));
            self.reasons.insert(place.unwrap_or(self.reasons.len()), reason);
            self.verdict = self.verdict.max(Verdict::WithCare);
        }
        self
    }
}

/// A reason for all devices, without rows or time: `count` of `of` things.
fn of_all(ground: Ground, weight: Verdict, (count, of): (u64, u64)) -> ReasonFacts {
    ReasonFacts { ground, weight, device: String::new(), count, of, share: None }
}

/// Reason for doubt if kernels of some rows were built for another device.
fn other_device(frame: &Frame, place: &[Option<usize>]) -> Option<ReasonFacts> {
    let (device, target) = other_kernels(frame)?;
    frame.metrics.devices.get(usize::from(device))?.as_ref()?;
    let at = usize::from(frame.metrics.same_device(device));
    let used = place.get(at).is_some_and(Option::is_some);
    used.then(|| of_all(Ground::OtherDevice { device, target }, Verdict::Doubtful, (1, 1)))
}

/// Reason if recording slowed the program.
fn recording<'a>(slowed: impl Iterator<Item = &'a String>) -> Option<ReasonFacts> {
    let by = distinct(slowed.map(String::as_str));
    let all = by.len() as u64;
    (all > 0).then(|| of_all(Ground::Recording(by), Verdict::WithCare, (all, all)))
}

/// Reason about unusable rows, except other operations and failed runs, which are not GEMMs missing from the figures.
fn skipped<'a>(sources: impl Iterator<Item = &'a Source>) -> Option<ReasonFacts> {
    let meant = |r: &&RejectReason| {
        let other = ["not a GEMM", "counted in"].iter().any(|w| r.text.starts_with(w));
        !other && !r.text.contains("failed")
    };
    let (mut count, mut rows) = (0, 0);
    let mut reasons: Vec<(u64, String)> = Vec::new();
    for source in sources {
        rows += source.rows_used;
        for reason in source.rejected.reasons.iter().filter(meant) {
            count += reason.count;
            match reasons.iter_mut().find(|(_, text)| *text == reason.text) {
                Some((n, _)) => *n += reason.count,
                None => reasons.push((reason.count, reason.text.clone())),
            }
        }
    }
    let of = rows + count;
    // Stable sort: ties stay in file order.
    reasons.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    if reasons.is_empty() {
        return None;
    }
    let whole = count as f64 > EXCEPTION * of as f64;
    let weight = if whole { Verdict::WithCare } else { Verdict::Sound };
    Some(of_all(Ground::Skipped(reasons), weight, (count, of)))
}

/// Reason about GEMM time without known shapes, which is in no figure here.
fn unshaped<'a>(sources: impl Iterator<Item = &'a Source>, known_s: f64) -> Option<ReasonFacts> {
    let without: Vec<_> = sources.map(|s| s.without_model).collect();
    let (count, time_s) = without.iter().fold((0, 0.0), |(n, t), w| (n + w.rows, t + w.time_s));
    let all_s = known_s + time_s;
    let weight = if time_s > WHOLE * all_s { Verdict::WithCare } else { Verdict::Sound };
    let ground = Ground::Unshaped { time_s, all_s };
    (time_s > EXCEPTION * all_s).then(|| of_all(ground, weight, (count, count)))
}

/// Reason about GEMMs measured once without a stated spread: a difference may be chance.
fn once(frame: &Frame, rows: u64, spread_known: bool) -> Option<ReasonFacts> {
    let counted = frame.counted();
    let single = |s: &Side| !s.program && s.rows.len() as u64 == s.all_rows;
    let all = counted.sides.iter().all(single);
    let once = rows > 1 && all && !spread_known;
    once.then(|| of_all(Ground::Once, Verdict::Sound, (rows, rows)))
}
