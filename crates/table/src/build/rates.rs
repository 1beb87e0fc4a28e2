//! Compares the file's own rates with the recomputed ones.

use crate::dataset::{Column, ColumnData, ColumnMeaning, Dataset, ReportedCheck};

/// Counts the rows whose own rate is within 1 % of work / time, or within its rounding.
pub(crate) fn compare_rates(data: &Dataset) -> ReportedCheck {
    let mut sum = ReportedCheck::default();
    for check in compare_rates_by_source(data) {
        sum.compared += check.compared;
        sum.within_1_percent += check.within_1_percent;
    }
    sum
}

/// Like `compare_rates`, one entry per source up to the last with rows; empty without rates.
pub fn compare_rates_by_source(data: &Dataset) -> Vec<ReportedCheck> {
    let Some(Column { data: ColumnData::Number(rates), .. }) =
        data.column(ColumnMeaning::ReportedRate)
    else {
        return Vec::new();
    };
    let last = data.source.iter().copied().max().unwrap_or(0);
    let mut checks = vec![ReportedCheck::default(); usize::from(last) + 1];
    let rounding = roundings(data, rates);
    for (row, &rate) in rates.iter().enumerate() {
        let time = data.time_s[row];
        if !rate.is_finite() || !time.is_finite() {
            continue;
        }
        let ours = data.problem(row).work().0 / time;
        let check = &mut checks[usize::from(data.source[row])];
        check.compared += 1;
        let rounding = rounding[usize::from(data.source[row])];
        check.within_1_percent += u64::from((rate - ours).abs() <= (0.01 * ours).max(rounding));
    }
    checks
}

/// Rounding error of `figures` per source: half a unit of the last decimal place printed, so half a hundredth for two
/// decimals. Judged by the first figures of each source; 0 if all of them have too few digits.
pub fn roundings(data: &Dataset, figures: &[f64]) -> Vec<f64> {
    let last = data.source.iter().copied().max().unwrap_or(0);
    // Last decimal place so far, and number of figures judged.
    let mut least = vec![(i32::MAX, 0); usize::from(last) + 1];
    for (&source, &figure) in data.source.iter().zip(figures) {
        let (least, seen) = &mut least[usize::from(source)];
        if *seen < TELLING
            && let Some(place) = last_place(figure)
        {
            *least = place.min(*least);
            *seen += 1;
        }
    }
    let half = |(place, _): &(i32, usize)| match *place {
        i32::MAX => 0.0,
        place => 0.5 * 10f64.powi(place),
    };
    least.iter().map(half).collect()
}

/// Number of figures per source that are judged.
const TELLING: usize = 1000;

/// Power of ten of a figure's last non-zero digit: -2 for 98.76, 10 for 98.76e12. `None` for a figure of few digits:
/// 200 may be printed to the unit or rounded to hundreds.
fn last_place(figure: f64) -> Option<i32> {
    // Digits beyond this are conversion errors, not printed digits.
    const DIGITS: usize = 9;
    const TELLS: usize = 4;
    if !figure.is_finite() || figure == 0.0 {
        return None;
    }
    let text = format!("{:.*e}", DIGITS - 1, figure);
    let (digits, exponent) = text.split_once('e')?;
    let digits = digits.trim_start_matches('-').trim_end_matches('0');
    let decimals = digits.split_once('.').map_or(0, |d| d.1.len());
    (1 + decimals >= TELLS).then_some(exponent.parse::<i32>().ok()? - decimals as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_of_a_printed_figure() {
        for (figure, place) in [
            (98.76, -2),
            (98.76 * 1e12, 10),
            (-1234.5, -1),
            // The rounding error of the sum is not a digit.
            (1000.1 + 0.2, -1),
        ] {
            assert_eq!(last_place(figure), Some(place), "{figure}");
        }
        for figure in [0.0, f64::NAN, 200.0, 3e12, 0.12, 846.0] {
            assert_eq!(last_place(figure), None, "{figure}");
        }
    }
}
