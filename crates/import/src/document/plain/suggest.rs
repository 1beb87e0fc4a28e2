//! Suggests columns for missing values of a plain table by their values alone; the user must confirm.

use super::Plain;
use crate::document::columns::Column;
use crate::document::readings::Reading;
use crate::document::units::{EXACT, agree, proved};
use gemmscope_model::units::{RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

/// Maximum number of columns tried per kind.
const MOST: usize = 6;

/// Sizes, time and rate if rate times time equals their work; otherwise whole numbers in file order as M, N and K, and
/// the last remaining numeric column as time. Suggests no sizes unless there are enough columns for all missing ones.
pub(super) fn suggestions(plain: &Plain<'_>) -> Vec<(usize, ColumnSpec)> {
    if plain.is_complete() {
        return Vec::new();
    }
    let free: Vec<usize> = (0..plain.columns.len())
        .filter(|&i| {
            let column = &plain.columns[i];
            column.title.spec.meaning == Other && !column.by_hand && plain.probes[i].all_numbers()
        })
        .collect();
    let whole: Vec<usize> = free.iter().copied().filter(|&i| plain.probes[i].counts()).collect();
    let lacks_all = [M, N, K].iter().all(|m| plain.position(*m).is_none()) && !plain.has_sizes();
    if lacks_all
        && !plain.has_measurement()
        && let Some(found) = by_work(plain, &whole, &free)
    {
        return found;
    }
    let lacks = |m: &ColumnMeaning| plain.position(*m).is_none();
    let wanted: Vec<ColumnMeaning> = match plain.has_sizes() {
        true => Vec::new(),
        // A size and a time.
        false if plain.header_line == 0 && plain.width() == 2 => vec![Square],
        false => [M, N, K].into_iter().filter(lacks).collect(),
    };
    let mut out: Vec<(usize, ColumnSpec)> = match whole.len() >= wanted.len() {
        true => whole.into_iter().zip(wanted.into_iter().map(ColumnSpec::from)).collect(),
        false => Vec::new(),
    };
    let last = free.iter().rev().find(|at| out.iter().all(|(taken, _)| taken != *at));
    if let Some(&at) = last.filter(|_| !plain.has_measurement()) {
        out.push((at, Time.into()));
    }
    out
}

/// Three columns of whole numbers in file order, and two others whose product equals the work
/// of these sizes in all rows.
fn by_work(plain: &Plain<'_>, whole: &[usize], free: &[usize]) -> Option<Vec<(usize, ColumnSpec)>> {
    let whole = &whole[..whole.len().min(MOST)];
    if plain.rows.len() < 2 {
        return None;
    }
    for (i, &m) in whole.iter().enumerate() {
        for (j, &n) in whole.iter().enumerate().skip(i + 1) {
            for &k in &whole[j + 1..] {
                let size = |c: usize, r: usize| plain.columns[c].cells[r].whole();
                let of_row = |r| Some([size(m, r)?, size(n, r)?, size(k, r)?, 1]);
                let sizes = (0..plain.rows.len()).map(of_row).collect();
                let reading = Reading { sizes, ..Reading::default() };
                let others = free.iter().copied().filter(|c| ![m, n, k].contains(c));
                if let Some([time, rate]) = figures(plain, &reading, others.take(MOST).collect()) {
                    let sizes = [(m, M), (n, N), (k, K)].map(|(c, meaning)| (c, meaning.into()));
                    return Some(sizes.into_iter().chain([time, rate]).collect());
                }
            }
        }
    }
    None
}

/// A time and a rate among the columns, with their units.
fn figures(
    plain: &Plain<'_>,
    reading: &Reading,
    among: Vec<usize>,
) -> Option<[(usize, ColumnSpec); 2]> {
    let columns = &plain.columns;
    for (i, &a) in among.iter().enumerate() {
        for &b in &among[i + 1..] {
            // Time grows with the work; rate saturates.
            let (time, rate) = match growth(&columns[a], reading) < growth(&columns[b], reading) {
                true => (b, a),
                false => (a, b),
            };
            let ways = std::slice::from_ref(reading);
            let Some((t, r)) = proved(&columns[time], &columns[rate], ways) else { continue };
            if agree((&columns[time], t), (&columns[rate], r), reading, EXACT) < 0.999 {
                continue;
            }
            let t = TimeUnit::ALL.into_iter().find(|u| u.to_si() == t);
            let r = RateUnit::ALL.into_iter().find(|u| u.to_si() == r);
            let rate_spec = ColumnSpec::rate(ReportedRate, r);
            return Some([(time, ColumnSpec::time(Time, t)), (rate, rate_spec)]);
        }
    }
    None
}

/// Ratio of the values in the rows with the most and the least work.
fn growth(column: &Column, reading: &Reading) -> f64 {
    let rows = (0..column.cells.len()).filter_map(|r| Some((reading.work(r)?, column.value(r)?)));
    let by_work = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0);
    let (low, high) = (rows.clone().min_by(by_work), rows.max_by(by_work));
    low.zip(high).map_or(1.0, |(low, high)| high.1 / low.1)
}
