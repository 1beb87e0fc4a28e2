//! Median, quantiles and noise: one definition for repeats, boxes, aggregates, comparisons and the ledger.

/// The median of the values; sorts them. NaN for an empty slice.
///
/// ```
/// assert_eq!(gemmscope_table::stats::median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
/// ```
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// The quantile `q` (0 to 1) of sorted values, linearly interpolated; NaN for an empty slice.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let value = sorted[low];
    // An exact hit is returned as is, because interpolating between infinities gives NaN.
    if part == 0.0 { value } else { value + (sorted[low + 1] - value) * part }
}

/// True if two times differ by at most the sum of their spreads, with a tolerance for rounding. An unknown spread (NaN)
/// counts as 0.
pub fn is_noise(difference: f64, spreads: [f64; 2]) -> bool {
    let both: f64 = spreads.into_iter().filter(|s| !s.is_nan()).sum();
    difference <= both * (1.0 + 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_just_both_spreads_is_noise_in_any_unit() {
        // 27.178 µs and 26.416 µs differ by exactly 0.411 + 0.351.
        for unit in [1.0, 1e-6, 1e-6 / 117.4e6] {
            let [slow, fast, its, own] = [27.178, 26.416, 0.411, 0.351].map(|v| v * unit);
            assert!(is_noise(slow - fast, [its, own]), "{unit}");
            assert!(!is_noise(slow - fast, [its, 0.35 * unit]), "{unit}");
            assert!(!is_noise(slow - fast, [its, f64::NAN]), "{unit}");
        }
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0, f64::INFINITY];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.5), 4.0);
        assert_eq!(quantile(&sorted, 0.625), 6.0);
        assert_eq!(quantile(&sorted, 1.0), f64::INFINITY);
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!(median(&mut [7.0]), 7.0);
    }
}
