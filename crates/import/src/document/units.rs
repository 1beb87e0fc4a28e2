//! Infers unstated units: those that violate neither the shortest time of a call nor the peak of the device, and those
//! for which rate times time equals the work.

use super::columns::{Column, close, share};
use super::readings::Reading;
use super::title::Holds;
use super::unit_words::Measure;
use gemmscope_model::hardware;

/// Limits of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Peak in FLOP/s.
    pub peak: f64,
    /// Shortest plausible time of a call, seconds.
    pub floor_s: f64,
}

/// Rates above this fraction of the peak are implausible.
const OVER: f64 = 1.1;
/// Upper bound of main-memory bandwidth, byte/s.
const FASTEST_BYTES: f64 = 2e13;
/// Shortest plausible call on a GPU, seconds.
const GPU_FLOOR_S: f64 = 2e-7;
/// Shortest plausible call on a CPU core, seconds.
const CPU_FLOOR_S: f64 = 1e-8;

impl Limits {
    /// Limits of a device; of all devices if it is unknown.
    pub(super) fn of(device: &str) -> Limits {
        let known = hardware::match_name(device).candidates();
        let peak_of =
            |d: &&hardware::Device| d.peaks.iter().map(|p| p.flops_per_s).fold(0.0, f64::max);
        let known_peak = known.iter().map(peak_of).fold(0.0, f64::max);
        let all = || hardware::catalog().iter().map(|d| peak_of(&d)).fold(1e15, f64::max);
        let peak = if known_peak > 0.0 { known_peak } else { all() };
        let lower = device.to_lowercase();
        let cpu = ["neoverse", "graviton", "epyc", "xeon", "ryzen", "apple", "ultra"];
        let on_gpu = !known.is_empty() && !cpu.iter().any(|c| lower.contains(c));
        Limits { peak, floor_s: if on_gpu { GPU_FLOOR_S } else { CPU_FLOOR_S } }
    }
}

/// A measure with its factor to SI.
pub(super) type Candidate = (Measure, f64);

/// Units in the order of preference.
pub(super) const ALL: [Candidate; 8] = [
    (Measure::Rate, 1e12),
    (Measure::Rate, 1e9),
    (Measure::Time, 1e-6),
    (Measure::Time, 1e-3),
    (Measure::Time, 1.0),
    (Measure::Time, 1e-9),
    (Measure::Rate, 1e6),
    (Measure::Rate, 1.0),
];
/// Units tried if no title says whether the column is a time or a rate.
const UNTITLED: &[Candidate] = ALL.split_at(5).0;

/// Plausible units of a column, best first, and the reason to take it as a time or a rate.
pub(super) fn candidates(
    column: &Column,
    limits: Limits,
    reading: &Reading,
) -> (Vec<Candidate>, String) {
    let wanted = match column.title.holds {
        Holds::Time => Some(Measure::Time),
        Holds::Rate => Some(Measure::Rate),
        _ => None,
    };
    let value = |r: usize| column.value(r).filter(|v| *v > 0.0);
    let rows: Vec<[f64; 3]> = (0..column.cells.len())
        .filter_map(|r| Some([value(r)?, reading.work(r)?, reading.bytes(r)?]))
        .collect();
    if rows.is_empty() {
        return (Vec::new(), String::new());
    }
    let time = |[value, work, _]: &[f64; 3], (measure, factor): Candidate| match measure {
        Measure::Time => value * factor,
        _ => work / (value * factor),
    };
    let fits = |c: &Candidate| {
        let times = || rows.iter().map(|row| (time(row, *c), row[1], row[2]));
        let short = share(times().map(|(t, ..)| t < limits.floor_s * 0.96));
        let fast =
            share(times().map(|(t, work, bytes)| {
                work / t > OVER * limits.peak || bytes / t > FASTEST_BYTES
            }));
        let slow = share(times().map(|(t, work, _)| work / t < 1e7 && t > 1e-4));
        short <= 0.2 && fast <= 0.2 && slow < 0.5
    };
    let of_title = |c: &Candidate| match wanted {
        Some(measure) => measure == c.0,
        None => UNTITLED.contains(c),
    };
    let mut good: Vec<Candidate> = ALL.into_iter().filter(of_title).filter(fits).collect();
    let exponent = exponent(&rows);
    let mut values: Vec<f64> = rows.iter().map(|r| r[0]).collect();
    values.sort_by(f64::total_cmp);
    // A time that memory bounds hardly grows with the work, and its rate does. Else a rate saturates as the work grows,
    // and the time grows with it.
    let by_memory = growth_of_time(&rows).is_some_and(|growth| growth < 0.35);
    let flat = match by_memory {
        true => exponent > 0.5,
        false => values[values.len() / 2] > 1.0 && exponent < 0.75,
    };
    good.sort_by_key(|c| (c.0 == Measure::Time) == flat);
    let why = match wanted {
        Some(_) => String::new(),
        None if by_memory => {
            let kind = if flat { "rates" } else { "times" };
            format!(
                "taken as {kind}: memory bounds such sizes, so that the time hardly grows, and they grow with the \
                 work to the power of {exponent:.2}"
            )
        }
        None if flat => {
            format!("taken as rates: they grow with the work to the power of {exponent:.2}")
        }
        None => format!("taken as times: they grow with the work to the power of {exponent:.2}"),
    };
    (good, why)
}

/// True if, with this unit, all times are shorter than any device needs to compute or to move the bytes.
pub(super) fn is_too_fast(time: &Column, factor: f64, way: &Reading) -> bool {
    let limits = Limits::of("");
    let rows: Vec<bool> = (0..time.cells.len())
        .filter_map(|r| {
            let t = time.value(r).filter(|v| *v > 0.0)? * factor;
            Some(way.work(r)? / t > OVER * limits.peak || way.bytes(r)? / t > FASTEST_BYTES)
        })
        .collect();
    !rows.is_empty() && rows.iter().all(|fast| *fast)
}

/// Work per byte under which memory bounds a GEMM on most devices, FLOP/byte.
const BALANCE: f64 = 100.0;

/// Exponent of the growth with the work of the least time of the rows; `None` if their work hardly varies.
fn growth_of_time(rows: &[[f64; 3]]) -> Option<f64> {
    let least = |[_, work, bytes]: &[f64; 3]| [bytes.max(work / BALANCE), *work, *bytes];
    let work = || rows.iter().map(|row| row[1]);
    let (low, high) = work().fold((f64::INFINITY, 0f64), |(l, h), w| (l.min(w), h.max(w)));
    let times: Vec<[f64; 3]> = rows.iter().map(least).collect();
    (high > 1.5 * low).then(|| exponent(&times))
}

/// Exponent of the growth of values with the work, between the rows with the least and the most work.
fn exponent(rows: &[[f64; 3]]) -> f64 {
    let by_work = |a: &&[f64; 3], b: &&[f64; 3]| a[1].total_cmp(&b[1]);
    let (Some(low), Some(high)) = (rows.iter().min_by(by_work), rows.iter().max_by(by_work)) else {
        return 0.0;
    };
    if high[1] > 1.5 * low[1] && low[0] > 0.0 {
        (high[0] / low[0]).ln() / (high[1] / low[1]).ln()
    } else {
        0.0
    }
}

/// The units of a time and a rate for which rate times time equals the work in most rows.
pub(super) fn proved(time: &Column, rate: &Column, readings: &[Reading]) -> Option<(f64, f64)> {
    const TIMES: [f64; 4] = [1e-6, 1e-3, 1.0, 1e-9];
    const RATES: [f64; 4] = [1e12, 1e9, 1e6, 1.0];
    let pairs = || TIMES.into_iter().flat_map(|t| RATES.into_iter().map(move |r| (t, r)));
    let found = |slack: f64, reading: &Reading| {
        pairs().find(|(t, r)| agree((time, *t), (rate, *r), reading, slack) >= 0.5)
    };
    let exact = readings.iter().find_map(|reading| found(EXACT, reading));
    exact.or_else(|| found(NEAR, readings.first()?))
}

/// Tolerance of rate times time against the work, for rounding.
pub(super) const EXACT: f64 = 0.02;
/// Wider tolerance that still fixes a unit: the rate may be of another run or of all runs together.
pub(super) const NEAR: f64 = 0.3;

/// Fraction of rows in which rate times time equals the work.
pub(super) fn agree(
    (time, t): (&Column, f64),
    (rate, r): (&Column, f64),
    reading: &Reading,
    slack: f64,
) -> f64 {
    share((0..time.cells.len()).filter_map(|row| {
        let (a, b, work) = (time.value(row)?, rate.value(row)?, reading.work(row)?);
        let slack = slack + time.cells[row].loose + rate.cells[row].loose;
        (a > 0.0 && b > 0.0).then(|| close(a * t * b * r, work, slack))
    }))
}

/// Factor by which a column equals the work per call, 2MNK, in most rows: some tools title it `GFLOPS`.
pub(super) fn work_scale(column: &Column, way: &Reading) -> Option<f64> {
    let equals = |scale: &f64| {
        share((0..column.cells.len()).filter_map(|r| {
            let (value, work) = (column.value(r)?, way.work(r)?);
            Some(close(value * scale, work, EXACT + column.cells[r].loose))
        })) > 0.8
    };
    match column.title.factor {
        Some(stated) => Some(stated).filter(equals),
        None => [1.0, 1e6, 1e9, 1e12].into_iter().find(equals),
    }
}
