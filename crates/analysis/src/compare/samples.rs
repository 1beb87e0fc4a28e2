//! Combines the rows of one side and configuration into one sample.

use super::SideSample;
use gemmscope_table::data_kind::{middle, variant, variant_columns};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::stats::{median, quantile};

/// Scales the median absolute deviation to the standard deviation of a normal distribution.
const MAD_TO_SIGMA: f64 = 1.4826;

/// Makes samples from rows. Reuses its buffers, as a table may have a million samples.
pub(super) struct Samples<'a> {
    frame: &'a Frame,
    /// Columns that distinguish variants from repeats.
    variants: Vec<&'a ColumnData>,
    spread: Option<&'a [f64]>,
    counts: Option<&'a [f64]>,
    /// Variant, bits of the time, row: positive floats order as their bits do.
    by_variant: Vec<(u64, u64, u32)>,
}

impl<'a> Samples<'a> {
    pub(super) fn new(frame: &'a Frame) -> Self {
        let data = &*frame.data;
        let mut variants = variant_columns(data);
        variants.extend(data.column(ColumnMeaning::Library).map(|c| &c.data));
        let [spread, counts] =
            [ColumnMeaning::TimeStd, ColumnMeaning::Count].map(|of| data.numbers(of));
        Samples { frame, variants, spread, counts, by_variant: Vec::new() }
    }

    /// Moves the rows of the fastest variant to the front, the one that counts first; returns their number. The same
    /// row counts as in [`Counted`](gemmscope_table::data_kind::Counted).
    fn fastest_first(&mut self, rows: &mut [u32]) -> usize {
        let data = &*self.frame.data;
        self.by_variant.clear();
        let keyed = rows.iter().map(|&r| {
            (variant(&self.variants, 0, r as usize), data.time_s[r as usize].to_bits(), r)
        });
        self.by_variant.extend(keyed);
        self.by_variant.sort_unstable();
        let mut best = ((u64::MAX, u32::MAX), 0, 1);
        let mut start = 0;
        for variant in self.by_variant.chunk_by(|a, b| a.0 == b.0) {
            let (_, time, row) = variant[middle(variant.len())];
            best = best.min(((time, row), start, variant.len()));
            start += variant.len();
        }
        let (_, start, n) = best;
        self.by_variant.rotate_left(start);
        self.by_variant.swap(0, middle(n));
        for (slot, (.., row)) in rows.iter_mut().zip(&self.by_variant) {
            *slot = *row;
        }
        n
    }

    /// What others reach for the GEMM of these rows, one a side: the first stands for them. `None` where nothing is
    /// published, or not the same for all.
    pub(super) fn published(&self, leads: &[u32]) -> Option<SideSample> {
        let (data, metrics) = (&*self.frame.data, &*self.frame.metrics);
        let lead = *leads.first()? as usize;
        let time_s = metrics.reference_s(lead);
        let one = leads.iter().all(|row| metrics.reference_s(*row as usize) == time_s);
        let spread_s = metrics.reference_slow_s(lead) - time_s;
        one.then(|| SideSample {
            first: 0,
            total: 1,
            n: 1,
            time_s,
            spread_s,
            iqr_s: f64::NAN,
            std_s: f64::NAN,
            rate: metrics.work(data, lead) / time_s,
            efficiency: metrics.roof_s[lead] / time_s,
            calls: self.calls(lead),
        })
    }

    /// Calls that a row stands for here.
    fn calls(&self, row: usize) -> f64 {
        self.counts.map(|n| n[row]).filter(|n| !n.is_nan()).unwrap_or(1.0)
    }

    /// Combines the rows of one side and key, and moves those of the fastest variant to the front of
    /// `rows`. `None` if they are different GEMMs or ran on different devices.
    pub(super) fn sample(&mut self, rows: &mut [u32]) -> Option<SideSample> {
        let (data, metrics) = (&*self.frame.data, &*self.frame.metrics);
        let (first, others) = rows.split_first()?;
        if !others.iter().all(|&r| data.same_gemm(r as usize, *first as usize)) {
            return None;
        }
        let n = match rows.len() {
            1 => 1,
            _ => self.fastest_first(rows),
        };
        let chosen = &rows[..n];
        let lead = chosen[0] as usize;
        let time_s = data.time_s[lead];
        let stated = self.spread.map_or(f64::NAN, |spread| spread[lead]);
        let (mut spread_s, mut iqr_s, mut std_s) = (stated, f64::NAN, stated);
        if n > 1 {
            let mut times: Vec<f64> = chosen.iter().map(|&r| data.time_s[r as usize]).collect();
            let middle_s = median(&mut times);
            let mean = times.iter().sum::<f64>() / n as f64;
            std_s = (times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt();
            let mut off: Vec<f64> = times.iter().map(|t| (t - middle_s).abs()).collect();
            spread_s = median(&mut off) * MAD_TO_SIGMA;
            if n >= 4 {
                iqr_s = quantile(&times, 0.75) - quantile(&times, 0.25);
            }
        }
        Some(SideSample {
            first: 0,
            total: rows.len() as u32,
            n: n as u32,
            time_s,
            spread_s,
            iqr_s,
            std_s,
            rate: metrics.work(data, lead) / time_s,
            efficiency: metrics.roof_s[lead] / time_s,
            calls: self.calls(lead),
        })
    }
}
