//! Two sides compared: ratio per configuration, wins, means, distribution.

use super::{Comparison, SideSample};
use gemmscope_table::field::Frame;
use gemmscope_table::stats::is_noise;

/// The quantity that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Attained rate; for the same GEMM the ratio is the speed-up.
    #[default]
    Rate,
    /// Efficiency against each side's own roof, for sides on different devices.
    Roof,
}

impl Measure {
    /// Numerator of the measure for one call: work, or roof time.
    fn gain(self, of: &SideSample) -> f64 {
        of.time_s
            * match self {
                Measure::Rate => of.rate,
                Measure::Roof => of.efficiency,
            }
    }
}

/// Sums of gain and time of both sides over some configurations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    gain_a: f64,
    time_a: f64,
    gain_b: f64,
    time_b: f64,
}

impl Sums {
    /// Adds a configuration. Both sides are weighted with A's calls, or they would be different workloads.
    pub(super) fn add(&mut self, measure: Measure, a: &SideSample, b: &SideSample) {
        self.gain_a += measure.gain(a) * a.calls;
        self.time_a += a.time_s * a.calls;
        self.gain_b += measure.gain(b) * a.calls;
        self.time_b += b.time_s * a.calls;
    }

    pub(super) fn without(self, part: Sums) -> Sums {
        Sums {
            gain_a: self.gain_a - part.gain_a,
            time_a: self.time_a - part.time_a,
            gain_b: self.gain_b - part.gain_b,
            time_b: self.time_b - part.time_b,
        }
    }

    /// Ratio of the sums, B / A.
    pub(super) fn ratio(&self) -> f64 {
        (self.gain_b / self.time_b) / (self.gain_a / self.time_a)
    }
}

/// Outcome of one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DuelVerdict {
    /// A is faster by more than the threshold.
    A,
    /// B is faster by more than the threshold.
    B,
    /// Within the threshold of each other.
    Even,
    /// Further apart than the threshold, but within the sum of their spreads.
    Noise,
}

/// One configuration of a [`Duel`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Index into the [`Comparison`].
    pub configuration: u32,
    /// B / A in the measure: above 1, B is ahead.
    pub ratio: f64,
    /// Outcome.
    pub verdict: DuelVerdict,
}

/// Two sides of a [`Comparison`] compared.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Index of A.
    pub a: usize,
    /// Index of B.
    pub b: usize,
    /// The quantity that is compared.
    pub measure: Measure,
    /// Fraction by which a side must be faster to win: 0.02 is 2 %.
    pub threshold: f64,
    /// Configurations that both sides have, in key order.
    pub ratios: Vec<Ratio>,
    /// Number of configurations without a ratio because the roof is unknown.
    pub without_roof: u64,
    /// Number of configurations per verdict, in the order of [`DuelVerdict`].
    pub counts: [u64; 4],
    /// Geometric mean of the ratios; NaN without ratios.
    pub geometric_mean: f64,
    /// Ratio of the sums: (total work / total time) of B / that of A; with [`Measure::Roof`], roof time instead of
    /// work. NaN without ratios. Decides who is ahead.
    pub weighted_mean: f64,
    /// Total time of A / total time of B, for either measure; NaN without ratios.
    pub time_ratio: f64,
    /// True if the sides ran on different devices in at least one configuration.
    pub devices_differ: bool,
    /// Number of configurations in which at least one side's spread is known.
    pub with_spread: u64,
}

/// True if two sides ran on different devices in at least one configuration that both have.
pub fn devices_differ(frame: &Frame, comparison: &Comparison, (a, b): (usize, usize)) -> bool {
    let device = |s: &SideSample| comparison.rows_of(s).first().map(|&r| frame.device(r as usize));
    (0..comparison.len()).any(|i| {
        let pair = comparison.sample(i, a).zip(comparison.sample(i, b));
        pair.is_some_and(|(x, y)| device(x) != device(y))
    })
}

impl Duel {
    /// Compares sides `a` and `b`. Indices out of range give an empty duel.
    pub fn new(
        frame: &Frame,
        comparison: &Comparison,
        (a, b): (usize, usize),
        measure: Measure,
        threshold: f64,
    ) -> Duel {
        let threshold = if threshold.is_finite() { threshold.max(0.0) } else { 0.0 };
        let mut duel = Duel {
            a,
            b,
            measure,
            threshold,
            ratios: Vec::new(),
            without_roof: 0,
            counts: [0; 4],
            geometric_mean: f64::NAN,
            weighted_mean: f64::NAN,
            time_ratio: f64::NAN,
            devices_differ: devices_differ(frame, comparison, (a, b)),
            with_spread: 0,
        };
        let mut logs = 0.0;
        let mut sums = Sums::default();
        for i in 0..comparison.len() {
            let (Some(x), Some(y)) = (comparison.sample(i, a), comparison.sample(i, b)) else {
                continue;
            };
            let [gain_a, gain_b] = [x, y].map(|s| measure.gain(s));
            let ratio = (gain_b / y.time_s) / (gain_a / x.time_s);
            if !(ratio.is_finite() && ratio > 0.0) {
                duel.without_roof += 1;
                continue;
            }
            duel.with_spread += u64::from(!(x.spread_s.is_nan() && y.spread_s.is_nan()));
            let verdict = verdict(
                threshold,
                (x.time_s / gain_a, x.spread_s / gain_a),
                (y.time_s / gain_b, y.spread_s / gain_b),
            );
            duel.counts[verdict as usize] += 1;
            logs += ratio.ln();
            sums.add(measure, x, y);
            duel.ratios.push(Ratio { configuration: i as u32, ratio, verdict });
        }
        if !duel.ratios.is_empty() {
            duel.geometric_mean = (logs / duel.ratios.len() as f64).exp();
            duel.weighted_mean = sums.ratio();
            duel.time_ratio = sums.time_a / sums.time_b;
        }
        duel
    }

    /// Number of configurations with this verdict.
    pub fn count(&self, verdict: DuelVerdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// Indices into `ratios`, lowest ratio first (A furthest ahead).
    pub fn ranked(&self) -> Vec<usize> {
        // Positive floats order as their bits do.
        let bits = self.ratios.iter().map(|r| r.ratio.to_bits());
        let mut order: Vec<(u64, u32)> = bits.zip(0..).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, at)| at as usize).collect()
    }

    /// Histogram of log2(ratio) with equal bins whose edges are multiples of their width, so that one edge is at 1x.
    pub fn distribution(&self) -> Distribution {
        let logs: Vec<f64> = self.ratios.iter().map(|r| r.ratio.log2()).collect();
        let (lo, hi) =
            logs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
        if logs.is_empty() {
            return Distribution::default();
        }
        // About two dozen bins of a round width.
        let width = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0]
            .into_iter()
            .find(|w| (hi - lo) / w <= 26.0)
            .unwrap_or(8.0);
        let first = (lo / width).floor();
        let bins = ((hi / width).floor() - first + 1.0).clamp(1.0, 400.0) as usize;
        let mut members = vec![Vec::new(); bins];
        for (i, v) in logs.iter().enumerate() {
            let bin = ((v / width).floor() - first).clamp(0.0, (bins - 1) as f64) as usize;
            members[bin].push(i as u32);
        }
        Distribution { start: first * width, width, members }
    }

    /// True if A is ahead over all configurations, weighted by time.
    pub fn a_leads(&self) -> bool {
        self.weighted_mean < 1.0
    }

    /// True if total time, number of wins and geometric mean agree on who is ahead, by more than the threshold; a mean
    /// that rounds to 1.00x favours nobody.
    pub fn is_clear(&self) -> bool {
        let (g, w) = (self.geometric_mean, self.weighted_mean);
        let [a, b] = [DuelVerdict::A, DuelVerdict::B].map(|v| self.count(v));
        let agree = if self.a_leads() { a > b && g <= 1.0 } else { b > a && g >= 1.0 };
        agree && lead_of(w) > 1.0 + self.threshold && lead_of(g) >= LEAST_LEAD
    }

    /// Names of A and B.
    pub fn names<'a>(&self, comparison: &'a Comparison) -> (&'a str, &'a str) {
        let name = |i: usize| comparison.names.get(i).map_or("", String::as_str);
        (name(self.a), name(self.b))
    }
}

/// A histogram of log2 ratios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// log2 of the lower edge of the first bin.
    pub start: f64,
    /// Width of a bin in log2.
    pub width: f64,
    /// Indices into [`Duel::ratios`], by bin.
    pub members: Vec<Vec<u32>>,
}

/// Decides one configuration from (time, spread) of each side, both divided by work or roof time, so that shorter is
/// better. A single run without a known spread counts as exact.
pub fn verdict(threshold: f64, a: (f64, f64), b: (f64, f64)) -> DuelVerdict {
    let (ratio, edge) = (a.0 / b.0, 1.0 + threshold);
    if ratio <= edge && ratio >= 1.0 / edge {
        return DuelVerdict::Even;
    }
    if is_noise((a.0 - b.0).abs(), [a.1, b.1]) {
        DuelVerdict::Noise
    } else if ratio > 1.0 {
        DuelVerdict::B
    } else {
        DuelVerdict::A
    }
}

/// Smallest lead that does not round to 1.00x.
pub const LEAST_LEAD: f64 = 1.005;

/// Lead of the faster side, whichever it is: 2 for a ratio of 2 and of 0.5.
pub fn lead_of(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio)
}
