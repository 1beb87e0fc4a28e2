//! Units of columns that name none, from the figures of the first rows: what a device can reach, and what
//! times and rates say of each other.

use super::Mapping;
use crate::Record;
use crate::cell;
use crate::columns::plan::Plan;
use crate::columns::row::{self, Given, ValueCaches};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning;

/// Highest rate that any device may reach, FLOP/s: with sparsity and 4-bit types.
const RATE_LIMIT: f64 = 2e16;
/// No call takes less, seconds; of most rows, as some may be wrong.
const SHORTEST_S: f64 = 0.96e-8;
/// Highest traffic out of caches, byte/s.
const BANDWIDTH_LIMIT: f64 = 2e13;

/// The work and the bytes of a sampled row whose sizes can be read.
struct Shape {
    row: usize,
    work: f64,
    bytes: f64,
}

/// M, N, K and batch of the first rows, read as those of all rows are; `None` where a row states none.
pub(crate) fn sizes(plan: &Plan, rows: &[Vec<String>]) -> Vec<Option<[f64; 4]>> {
    let of_row = |r: &Record<'_>| row::sizes(plan, &Given::default(), r).ok();
    rows.iter().map(|cells| Some(as_record(cells, of_row)?.map(f64::from))).collect()
}

/// What is read of these cells as a record.
fn as_record<T>(cells: &[String], mut read: impl FnMut(&Record<'_>) -> T) -> T {
    let (mut text, mut bounds) = (String::new(), Vec::new());
    for cell in cells {
        let from = text.len() as u32;
        text += cell;
        bounds.push((from, text.len() as u32));
    }
    read(&Record::of_cells(0, b"", text.as_bytes(), &bounds))
}

/// Those of the rows that are not set aside for another reason than a figure: what does not count says nothing
/// of the units.
fn shapes(mapping: &Mapping, rows: &[Vec<String>]) -> Vec<Shape> {
    use ColumnMeaning::*;
    let mut plan = Plan { sizes: mapping.sizes(), ..Plan::default() };
    for part in [Batch, Dtype, DtypeA, DtypeB, DtypeC, Compute, TransA, TransB, Layout] {
        if let Some(i) = mapping.position(part) {
            plan.set(part, mapping.col(i), 1.0);
        }
    }
    plan.verdicts.extend(mapping.position(Status).map(|i| mapping.col(i)));
    let mut caches = ValueCaches::default();
    let mut counts = |record: &Record<'_>| {
        row::shape(&plan, &Given::default(), &mut caches, record)?;
        row::operation(&plan, &Given::default(), &mut caches, record)
    };
    let mut out = Vec::new();
    for (row, cells) in rows.iter().enumerate() {
        let found = as_record(cells, |r| {
            counts(r).ok()?;
            row::sizes(&plan, &Given::default(), r).ok()
        });
        if let Some([m, n, k, b]) = found.map(|s| s.map(f64::from)) {
            let (work, bytes) = (2.0 * b * m * n * k, 2.0 * b * (m * k + k * n + m * n));
            out.push(Shape { row, work, bytes });
        }
    }
    out
}

fn numbers(rows: &[Vec<String>], shapes: &[Shape], column: usize) -> Vec<(usize, f64)> {
    shapes
        .iter()
        .enumerate()
        .filter_map(|(i, s)| {
            let cell = rows.get(s.row)?.get(column)?.trim();
            let v = cell::number(cell.as_bytes())?;
            (v > 0.0 && v.is_finite()).then_some((i, v))
        })
        .collect()
}

/// Changes a rate to work if its values equal 2MNK: some tools title the work of a call `GFLOPS`.
pub(crate) fn work_or_rate(mapping: &mut Mapping, rows: &[Vec<String>]) {
    let Some(i) = mapping.position(ColumnMeaning::ReportedRate) else {
        return;
    };
    let Some(unit) = mapping.columns[i].guess.rate_unit() else {
        return;
    };
    if mapping.columns[i].why == "chosen by hand" {
        return;
    }
    let shapes = shapes(mapping, rows);
    let values = numbers(rows, &shapes, i);
    let same = values
        .iter()
        .filter(|(s, v)| (v * unit.to_si() / shapes[*s].work - 1.0).abs() < 0.02)
        .count();
    if same > 0 && same * 10 >= values.len() * 9 {
        mapping.columns[i].guess.meaning = ColumnMeaning::ReportedWork;
        mapping.columns[i].why = "its values are 2MNK: work, not a rate".into();
    }
}

/// A unit inferred from the values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inferred<U> {
    pub unit: U,
    /// Another column of the file confirms it.
    pub confirmed: bool,
    /// Highest rate that the unit implies for the first rows, FLOP/s.
    pub highest: f64,
}

/// True if a time column with this unit is faster in all of the first rows than any device computes or
/// moves bytes. Some such rows among others are wrong themselves, and the unit is right where a rate of
/// the file fits it.
pub(crate) fn is_too_fast(
    mapping: &Mapping,
    rows: &[Vec<String>],
    column: usize,
    unit: TimeUnit,
) -> bool {
    let shapes = shapes(mapping, rows);
    let times = numbers(rows, &shapes, column);
    let too_fast = |(s, t): &&(usize, f64)| {
        let time = t * unit.to_si();
        shapes[*s].work / time > RATE_LIMIT || shapes[*s].bytes / time > BANDWIDTH_LIMIT
    };
    !times.is_empty()
        && times.iter().all(|t| too_fast(&t))
        && fitting(mapping, rows, (&shapes, &times), unit) == 0
}

/// How many of the first rows have a rate that fits their time in this unit.
fn fitting(
    mapping: &Mapping,
    rows: &[Vec<String>],
    (shapes, times): (&[Shape], &[(usize, f64)]),
    unit: TimeUnit,
) -> usize {
    let Some(column) = mapping.position(ColumnMeaning::ReportedRate) else {
        return 0;
    };
    let Some(rate_unit) = mapping.columns[column].guess.rate_unit() else {
        return 0;
    };
    let rates = numbers(rows, shapes, column);
    agreeing(shapes, (times, unit), (&rates, rate_unit))
}

/// How many rows have a rate that fits their time.
fn agreeing(
    shapes: &[Shape],
    (times, time_unit): (&[(usize, f64)], TimeUnit),
    (rates, rate_unit): (&[(usize, f64)], RateUnit),
) -> usize {
    let fits = |(s, t): &&(usize, f64)| {
        let ours = shapes[*s].work / (t * time_unit.to_si());
        let of_row = rates.iter().find(|(r, _)| r == s);
        of_row.is_some_and(|(_, rate)| (0.7..1.4).contains(&(rate * rate_unit.to_si() / ours)))
    };
    times.iter().filter(fits).count()
}

/// Infers the unit of a time column from the sizes, a rate column and the limits of devices.
pub(crate) fn infer_time(
    mapping: &Mapping,
    rows: &[Vec<String>],
    column: usize,
) -> Inferred<TimeUnit> {
    let shapes = shapes(mapping, rows);
    let times = numbers(rows, &shapes, column);
    let highest = |u: TimeUnit| {
        times.iter().map(|(s, t)| shapes[*s].work / (t * u.to_si())).fold(0.0, f64::max)
    };
    let traffic = |u: TimeUnit| {
        times.iter().map(|(s, t)| shapes[*s].bytes / (t * u.to_si())).fold(0.0, f64::max)
    };
    for unit in TimeUnit::ALL {
        let close = fitting(mapping, rows, (&shapes, &times), unit);
        if close > 0 && close * 2 > times.len() {
            return Inferred { unit, confirmed: true, highest: highest(unit) };
        }
    }
    let too_short = |u: TimeUnit| {
        let short = times.iter().filter(|(_, t)| t * u.to_si() < SHORTEST_S).count();
        short * 5 > times.len()
    };
    let possible =
        |u: TimeUnit| highest(u) <= RATE_LIMIT && traffic(u) <= BANDWIDTH_LIMIT && !too_short(u);
    let unit = [TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Milliseconds]
        .into_iter()
        .find(|&u| !times.is_empty() && possible(u))
        .unwrap_or(if times.is_empty() { TimeUnit::Microseconds } else { TimeUnit::Seconds });
    Inferred { unit, confirmed: false, highest: highest(unit) }
}

/// Infers the unit of a rate column from a time column or from the limits of devices.
pub(crate) fn infer_rate(
    mapping: &Mapping,
    rows: &[Vec<String>],
    column: usize,
    time: Option<(usize, TimeUnit)>,
) -> Inferred<RateUnit> {
    let shapes = shapes(mapping, rows);
    let rates = numbers(rows, &shapes, column);
    let highest = |u: RateUnit| rates.iter().map(|r| r.1 * u.to_si()).fold(0.0, f64::max);
    if let Some((time_column, time_unit)) = time {
        let times = numbers(rows, &shapes, time_column);
        for unit in RateUnit::ALL {
            let close = agreeing(&shapes, (&times, time_unit), (&rates, unit));
            if close > 0 && close * 2 > rates.len() {
                return Inferred { unit, confirmed: true, highest: highest(unit) };
            }
        }
    }
    let plausible = |u: RateUnit| {
        highest(u) <= RATE_LIMIT
            && rates
                .iter()
                .all(|(s, r)| r * u.to_si() * shapes[*s].bytes / shapes[*s].work <= BANDWIDTH_LIMIT)
    };
    let unit = [RateUnit::TeraFlops, RateUnit::GigaFlops, RateUnit::MegaFlops]
        .into_iter()
        .find(|&u| plausible(u))
        .unwrap_or(RateUnit::Flops);
    Inferred { unit, confirmed: false, highest: highest(unit) }
}

/// The decimal unit that brings a bandwidth column closest to compulsory bytes over time.
pub(crate) fn infer_bandwidth(
    mapping: &Mapping,
    rows: &[Vec<String>],
    column: usize,
    time: Option<(usize, TimeUnit)>,
) -> BandwidthUnit {
    let fallback = BandwidthUnit::Gigabytes;
    let Some((time_column, time_unit)) = time else {
        return fallback;
    };
    let shapes = shapes(mapping, rows);
    let times = numbers(rows, &shapes, time_column);
    let mut ratios: Vec<f64> = numbers(rows, &shapes, column)
        .iter()
        .filter_map(|(s, v)| {
            let (_, t) = times.iter().find(|(t, _)| t == s)?;
            Some((shapes[*s].bytes / (t * time_unit.to_si()) / v).log10())
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let Some(middle) = ratios.get(ratios.len() / 2) else {
        return fallback;
    };
    match middle {
        x if *x > 10.5 => BandwidthUnit::Terabytes,
        x if *x > 7.5 => BandwidthUnit::Gigabytes,
        x if *x > 4.5 => BandwidthUnit::Megabytes,
        _ => BandwidthUnit::Bytes,
    }
}
