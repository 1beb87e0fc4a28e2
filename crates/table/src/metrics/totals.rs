//! Totals over sets of rows.

use super::typical::Typical;
use crate::dataset::ColumnMeaning;
use crate::field::Frame;
use gemmscope_model::roofline::{Bound, LostTime};
use gemmscope_model::units::larger;
use serde::{Deserialize, Serialize};

/// A row is above its roof if its efficiency exceeds this; less is within the jitter of clocks and timers. Used
/// wherever rows above the roof are counted.
pub const ABOVE_ROOF: f64 = 1.02;

/// Totals of a set of rows. A frame has one per side and device: [`Totals::of`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Rows in the set.
    pub rows: u64,
    /// Rows with a measured time.
    pub measured: u64,
    /// Sum of time x count, seconds.
    pub time_s: f64,
    /// Sum of work x count / that time, FLOP/s; 0 without a measured time.
    pub attained_flops_per_s: f64,
    /// Highest rate of one row, FLOP/s.
    pub max_flops_per_s: f64,
    /// Share of the roof over the rows that have one: [`LostTime::share_of_roof`], not a mean of percentages.
    pub weighted_efficiency: Option<f64>,
    /// The same with rows above their roof counted as at it: [`LostTime::share_kept`].
    pub share_kept: Option<f64>,
    /// Efficiency with every GEMM counted once; `None` for calls of a program.
    pub typical: Option<Typical>,
    /// Highest efficiency of one row.
    pub max_efficiency: Option<f64>,
    /// Fraction of the time in memory-bound rows, among rows with a roof.
    pub share_memory_bound: Option<f64>,
    /// Fraction of the time in compute-bound rows, among rows with a roof.
    pub share_compute_bound: Option<f64>,
    /// Lost time: sum of max(0, time - roof time) x count, seconds.
    pub lost_s: Option<f64>,
    /// Rows [above their roof](ABOVE_ROOF).
    pub above_roof: u64,
    /// Measured rows without a known roof, and their time in seconds.
    pub without_roof: (u64, f64),
}

impl Totals {
    /// Name and totals of each side and device.
    pub fn of(frame: &Frame) -> Vec<(String, Totals)> {
        let sets = frame.sets().into_iter();
        sets.map(|set| (set.name, Totals::over(frame, &set.rows))).collect()
    }

    /// Sums over `rows`.
    pub fn over(frame: &Frame, rows: &[u32]) -> Totals {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let count = data.numbers(ColumnMeaning::Count);
        let decision = frame.decision();
        let typical = Typical::over(frame, rows);
        let mut t = Totals { rows: rows.len() as u64, typical, ..Totals::default() };
        let (mut work, mut mem, mut comp, mut roofed) = (0.0, 0.0, 0.0, LostTime::default());
        let mut best = f64::NEG_INFINITY;
        for &r in rows {
            let r = r as usize;
            let time = data.time_s[r];
            if time.is_nan() {
                continue;
            }
            let calls = match count {
                Some(v) if !v[r].is_nan() && decision.is_program(usize::from(data.source[r])) => {
                    v[r]
                }
                _ => 1.0,
            };
            t.measured += 1;
            let total = time * calls;
            t.time_s += total;
            let rate = metrics.rate(data, r);
            work += rate * total;
            t.max_flops_per_s = larger(t.max_flops_per_s, rate);
            let roof_s = metrics.roof_s[r];
            if roof_s.is_nan() {
                t.without_roof.0 += 1;
                t.without_roof.1 += total;
                continue;
            }
            roofed.add(calls, time, roof_s);
            let efficiency = roof_s / time;
            best = larger(best, efficiency);
            t.above_roof += u64::from(efficiency > ABOVE_ROOF);
            match metrics.bound(data, r) {
                Some(Bound::Memory) => mem += total,
                Some(Bound::Compute) => comp += total,
                _ => {}
            }
        }
        if t.time_s > 0.0 {
            t.attained_flops_per_s = work / t.time_s;
        }
        if roofed.time_s > 0.0 {
            t.weighted_efficiency = Some(roofed.share_of_roof());
            t.share_kept = Some(roofed.share_kept());
            t.max_efficiency = Some(best);
            t.share_memory_bound = Some(mem / roofed.time_s);
            t.share_compute_bound = Some(comp / roofed.time_s);
            t.lost_s = Some(roofed.lost_s);
        }
        t
    }
}
