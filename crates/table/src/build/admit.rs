//! Validates rows: possible sizes and a measured time.

use super::{Row, TableBuilder, Values};
use gemmscope_model::hardware::{Device, catalog, match_name};

impl TableBuilder {
    /// Why a time cannot be a measurement: a placeholder, or a wrong unit. `None` if it is plausible.
    #[inline]
    pub(super) fn unmeasured(&mut self, row: &Row) -> Option<&'static str> {
        if row.time_s.is_nan() {
            return None;
        }
        if row.time_s == 1e-6 && self.staged_rate() == Some(0.0) {
            return Some("a placeholder: 1 µs beside a rate of 0");
        }
        let sizes = [row.m, row.n, row.k, row.batch].map(f64::from);
        let rate = 2.0 * sizes.iter().product::<f64>() / row.time_s;
        (rate > self.limit(row.device)).then_some(
            "over ten times the highest peak: the time is a placeholder or has another unit",
        )
    }

    /// The file's own rate staged for the next row.
    fn staged_rate(&self) -> Option<f64> {
        match &self.columns.get(self.reported_rate?)?.data {
            Values::Number(v) if v.len() > self.len() => v.last(),
            _ => None,
        }
    }

    /// Ten times the highest peak of a device, over all types; over all devices if its name is unknown.
    fn limit(&mut self, device: u16) -> f64 {
        let at = usize::from(device);
        match self.limits.get(at) {
            Some(limit) if !limit.is_nan() => *limit,
            _ => self.look_up_limit(at),
        }
    }

    #[cold]
    fn look_up_limit(&mut self, at: usize) -> f64 {
        let name = self.data.devices.get(at).map_or("", String::as_str);
        let peaks = |d: &Device| d.peaks.iter().map(|p| p.flops_per_s).fold(0.0, f64::max);
        let known = match_name(name).candidates();
        let highest = if known.is_empty() {
            catalog().iter().map(peaks).fold(0.0, f64::max)
        } else {
            known.into_iter().map(peaks).fold(0.0, f64::max)
        };
        if self.limits.len() <= at {
            self.limits.resize(at + 1, f64::NAN);
        }
        self.limits[at] = 10.0 * highest;
        self.limits[at]
    }
}

/// Longest time of a row in seconds, so that sums over all rows stay finite.
const LONGEST_S: f64 = 1e15;

/// Checks the values of a row, which a reader may have computed itself.
#[inline]
pub(super) fn impossible(row: &Row) -> Option<&'static str> {
    if row.m == 0 || row.n == 0 || row.k == 0 || row.batch == 0 {
        Some("a size is zero")
    } else if row.time_s > 0.0 && row.time_s <= LONGEST_S || row.time_s.is_nan() {
        None
    } else if row.time_s.is_infinite() {
        Some("time is infinite")
    } else if row.time_s > LONGEST_S {
        Some("over 30 million years: the time has another unit")
    } else if row.time_s == 0.0 {
        Some("time is zero")
    } else {
        Some("time is negative")
    }
}
