//! How the file's own rates compare with the recomputed ones.

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

/// Like `compare_rates`, with one count for each source up to the last that has rows; none without
/// rates.
pub fn compare_rates_by_source(data: &Dataset) -> Vec<ReportedCheck> {
    let Some(Column {
        data: ColumnData::Number(rates),
        ..
    }) = data.column(ColumnMeaning::ReportedRate)
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

/// By source, half a unit of the last decimal place that its figures have: a figure that is printed
/// with two decimals is right to half a hundredth. The first figures of each source tell.
pub fn roundings(data: &Dataset, figures: &[f64]) -> Vec<f64> {
    let last = data.source.iter().copied().max().unwrap_or(0);
    // The last place so far, and the figures looked at.
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

/// Figures of a source that tell how it rounds.
const TELLING: usize = 1000;

/// The power of ten of a figure's last digit that is not 0: -2 for 0.12, 10 for 0.12e12. `None` where
/// it has no digits, or so many that it was computed and not printed.
fn last_place(figure: f64) -> Option<i32> {
    // More digits than a printed figure has are errors of a conversion.
    const DIGITS: usize = 9;
    if !figure.is_finite() || figure == 0.0 {
        return None;
    }
    let text = format!("{:.*e}", DIGITS - 1, figure);
    let (digits, exponent) = text.split_once('e')?;
    let digits = digits.trim_start_matches('-').trim_end_matches('0');
    let decimals = digits.split_once('.').map_or(0, |d| d.1.len() as i32);
    Some(exponent.parse::<i32>().ok()? - decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_of_a_printed_figure() {
        for (figure, place) in [
            (0.12, -2),
            (0.12 * 1e12, 10),
            (846.0, 0),
            (-1.5, -1),
            (3e12, 12),
        ] {
            assert_eq!(last_place(figure), Some(place), "{figure}");
        }
        assert_eq!(last_place(0.0), None);
        assert_eq!(last_place(f64::NAN), None);
        // 0.1 + 0.2 is 0.3 but for an error of the sum.
        assert_eq!(last_place(0.1 + 0.2), Some(-1));
    }
}
