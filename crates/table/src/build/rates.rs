//! How the file's own rates compare with the recomputed ones.

use crate::dataset::{Column, ColumnData, ColumnMeaning, Dataset, ReportedCheck};

/// Counts the rows whose own rate is within 1 % of work / time.
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
    for (row, &rate) in rates.iter().enumerate() {
        let time = data.time_s[row];
        if !rate.is_finite() || !time.is_finite() {
            continue;
        }
        let ours = data.problem(row).work().0 / time;
        let check = &mut checks[usize::from(data.source[row])];
        check.compared += 1;
        check.within_1_percent += u64::from((rate - ours).abs() <= 0.01 * ours);
    }
    checks
}
