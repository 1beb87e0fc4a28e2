//! Median and quantiles: one definition for repeats, boxes and aggregates.

/// The median of the values, which are sorted for it; NaN for an empty slice.
///
/// ```
/// assert_eq!(gemmscope_table::stats::median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
/// ```
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// The quantile `q` (0 to 1) of sorted values, linear between neighbours; NaN for an empty slice.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let value = sorted[low];
    // Infinity minus infinity is NaN: a value that is hit exactly is taken as it is.
    if part == 0.0 { value } else { value + (sorted[low + 1] - value) * part }
}

#[cfg(test)]
mod tests {
    use super::*;

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
