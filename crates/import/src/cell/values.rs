//! Recognises a column by its values: transposes, data types, sizes in one cell, units.

use super::shape_text;
use crate::cell::{self, Quantity};
use crate::columns::mapping::Mapping;
use gemmscope_model::dtype::DataType;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::build::cell_text::is_missing;
use gemmscope_table::dataset::ColumnMeaning;

/// Highest rate that any device may reach, FLOP/s: with sparsity and 4-bit types.
const RATE_LIMIT: f64 = 2e16;
/// Highest traffic out of caches, byte/s.
const BANDWIDTH_LIMIT: f64 = 2e13;

/// What the first values of a column look like.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// The first different values.
    pub samples: Vec<String>,
    /// Cells that are not empty.
    pub filled: usize,
    /// Cells that are numbers.
    pub numbers: usize,
    /// What the first number with a unit measures, and the cells that measure the same.
    quantity: Option<Quantity>,
    pub quantities: usize,
    whole: usize,
    /// Cells that are whole numbers from 1 on.
    positive: usize,
    transposes: usize,
    /// At least one transpose word.
    pub any_transpose: bool,
    /// At least one data type.
    pub any_dtype: bool,
    dtypes: usize,
    /// At least one layout such as `NT`.
    pub any_layout: bool,
    /// Cells with three or four sizes.
    pub triples: usize,
    /// Cells with two sizes.
    pub pairs: usize,
    /// Cells with the dimensions of one operand, other than two plain sizes.
    dimensions: usize,
    /// Cells with M, N and K somewhere in them.
    named: usize,
    /// At least one of them is larger than a tile.
    large: bool,
}

/// Sizes in a name up to this are those of a tile, not of a GEMM.
const LARGE: u32 = 1024;
/// Bytes of a cell in which sizes are looked for.
const LONGEST: usize = 200;

impl Probe {
    pub(crate) fn new<'a>(cells: impl Iterator<Item = &'a String>) -> Self {
        let mut p = Probe::default();
        for text in cells {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            p.filled += 1;
            if p.samples.len() < 4 && !p.samples.iter().any(|s| s == text) {
                p.samples.push(text.chars().take(60).collect());
            }
            let value = cell::number(text.as_bytes());
            let number = value.is_some();
            if let Some(v) = value {
                p.numbers += 1;
                p.whole += usize::from(v.fract() == 0.0);
                p.positive += usize::from(v.fract() == 0.0 && v >= 1.0);
            } else if is_missing(text.as_bytes()) {
                p.filled -= 1;
                continue;
            }
            if let Some((_, kind)) = cell::quantity(text.as_bytes()).filter(|_| !number) {
                p.quantities += usize::from(kind == *p.quantity.get_or_insert(kind));
            }
            p.transposes += usize::from(matches!(text, "N" | "T" | "C" | "n" | "t" | "c"));
            p.any_transpose |= transpose(text).is_some();
            let is_type = types(text).is_some();
            p.any_dtype |= is_type;
            p.dtypes += usize::from(is_type && text.len() >= 3);
            p.any_layout |= layout(text).is_some();
            if number || text.len() > LONGEST || !text.bytes().any(|b| b.is_ascii_digit()) {
                continue;
            }
            match shape_text::sizes(text).len() {
                2 => p.pairs += 1,
                _ => p.dimensions += usize::from(shape_text::dimensions(text).len() >= 2),
            }
            p.triples += usize::from(shape_text::shape(text, "").is_some());
            if let Some(shape) = shape_text::named(text) {
                p.named += 1;
                p.large |= shape.sizes.iter().any(|s| *s >= LARGE);
            }
        }
        p
    }

    pub(crate) fn all_numbers(&self) -> bool {
        self.filled > 0 && self.numbers == self.filled
    }

    /// What every cell measures, in the unit that it names.
    pub(crate) fn measured(&self) -> Option<Quantity> {
        self.quantity.filter(|_| self.quantities == self.filled)
    }

    pub(crate) fn all_dtypes(&self) -> bool {
        self.filled > 0 && self.dtypes == self.filled
    }

    /// Every cell holds the dimensions of an operand.
    pub(crate) fn all_operands(&self) -> bool {
        self.filled > 0 && self.pairs + self.dimensions == self.filled
    }

    /// Every cell is a name with the sizes of a GEMM in it.
    pub(crate) fn all_named_shapes(&self) -> bool {
        self.filled > 0 && self.named == self.filled && self.large
    }

    /// Every cell is a whole number, most of them from 1 on.
    pub(crate) fn counts(&self) -> bool {
        self.all_numbers() && self.whole() && self.positive * 2 > self.filled
    }

    pub(crate) fn whole(&self) -> bool {
        self.whole == self.numbers
    }

    pub(crate) fn all_transposes(&self) -> bool {
        self.filled > 0 && self.transposes == self.filled
    }
}

/// The cell holds more than sizes and the words that go with them.
pub(crate) fn is_name(text: &str) -> bool {
    shape_text::sizes(text).is_empty() && text.contains(|c: char| c.is_alphabetic())
}

/// Reads a transpose: `T`, `N`, `True`, `row`. Column-major is BLAS's layout without a transpose.
pub(crate) fn transpose(text: &str) -> Option<bool> {
    Some(match text.trim().to_ascii_lowercase().as_str() {
        // The numbers are those of cblas.h.
        "111" | "n" | "0" | "false" | "no" | "notrans" | "no_trans" | "normal" | "col"
        | "column" | "col_major" | "column_major" | "columnmajor" | "colmajor" | "cublas_op_n" => {
            false
        }
        "t" | "1" | "true" | "yes" | "trans" | "transpose" | "transposed" | "row" | "row_major"
        | "rowmajor" | "cublas_op_t" | "c" | "conj" | "112" | "113" => true,
        _ => return None,
    })
}

/// `NT`, `tn`, `tnn`, `N/T`: transposes of A and B.
pub(crate) fn layout(text: &str) -> Option<(bool, bool)> {
    let letters: Vec<char> = text
        .trim()
        .to_ascii_lowercase()
        .chars()
        .filter(|c| !matches!(c, '/' | '_' | '-' | ',' | ' ' | '(' | ')'))
        .collect();
    let flag = |c: char| match c {
        'n' => Some(false),
        't' => Some(true),
        _ => None,
    };
    match letters.as_slice() {
        [a, b] | [a, b, 'n' | 't'] => flag(*a).zip(flag(*b)),
        // r and c: row- and column-major operands.
        [a @ ('r' | 'c'), b @ ('r' | 'c'), 'r' | 'c'] => Some((*a == 'r', *b == 'r')),
        _ => None,
    }
}

/// Data types of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Types {
    /// Of A.
    pub a: DataType,
    /// Of B.
    pub b: DataType,
    /// Of the output, where the cell says it.
    pub c: Option<DataType>,
    /// Layout behind a colon (`f16:column`).
    pub transposed: Option<bool>,
    /// What was assumed about the spelling.
    pub assumed: Option<&'static str>,
}

/// `fp16`, `bf16xint4->bf16`, `('c10::BFloat16', 'c10::BFloat16')`, `f16:column`.
pub(crate) fn types(text: &str) -> Option<Types> {
    let text = text.trim();
    if let Some(p) = DataType::parse_noting(text) {
        return Some(Types {
            a: p.dtype,
            b: p.dtype,
            c: None,
            transposed: None,
            assumed: p.assumed,
        });
    }
    if let Some((name, order)) = text.rsplit_once(':')
        && let Some(t) = transpose(order)
        && let Some(p) = DataType::parse_noting(name)
    {
        return Some(Types {
            a: p.dtype,
            b: p.dtype,
            c: None,
            transposed: Some(t),
            assumed: p.assumed,
        });
    }
    let (inputs, output) = match text.split_once("->") {
        Some((i, o)) => (i, Some(DataType::parse(o)?)),
        None => (text, None),
    };
    if let Some(p) = DataType::parse_noting(inputs) {
        return Some(Types {
            a: p.dtype,
            b: p.dtype,
            c: output,
            transposed: None,
            assumed: p.assumed,
        });
    }
    let inputs = inputs.trim().trim_matches(['(', ')', '[', ']']);
    let pair = inputs
        .split_once(',')
        .or_else(|| inputs.split_once(" x "))
        .or_else(|| inputs.split_once('x'))?;
    let a = DataType::parse_noting(pair.0)?;
    let b = DataType::parse_noting(pair.1)?;
    Some(Types {
        a: a.dtype,
        b: b.dtype,
        c: output,
        transposed: None,
        assumed: a.assumed.or(b.assumed),
    })
}

/// The work and the bytes of a sampled row whose sizes can be read.
struct Shape {
    row: usize,
    work: f64,
    bytes: f64,
}

fn shapes(mapping: &Mapping, rows: &[Vec<String>]) -> Vec<Shape> {
    let at = |t: ColumnMeaning, row: &[String]| {
        let cell = row.get(mapping.position(t)?)?.trim();
        cell::size(cell.as_bytes()).ok().map(f64::from)
    };
    let one = |row: &[String]| -> Option<[f64; 4]> {
        let batch = at(ColumnMeaning::Batch, row).unwrap_or(1.0);
        let found = match mapping.position(ColumnMeaning::Mnk) {
            Some(i) => {
                let text = row.get(i)?;
                let header = &mapping.columns[i].header;
                Some(shape_text::shape(text, header).or_else(|| shape_text::named(text))?)
            }
            None => match (
                mapping.position(ColumnMeaning::ShapeA),
                mapping.position(ColumnMeaning::ShapeB),
            ) {
                (Some(a), Some(b)) => Some(shape_text::operands(
                    &shape_text::dimensions(row.get(a)?),
                    &shape_text::dimensions(row.get(b)?),
                )?),
                _ => None,
            },
        };
        if let Some(found) = found {
            let [m, n, k] = found.sizes.map(f64::from);
            return Some([m, n, k, found.batch.map_or(batch, f64::from)]);
        }
        if let Some(s) = at(ColumnMeaning::Square, row) {
            return Some([s, s, s, batch]);
        }
        Some([
            at(ColumnMeaning::M, row)?,
            at(ColumnMeaning::N, row)?,
            at(ColumnMeaning::K, row)?,
            batch,
        ])
    };
    rows.iter()
        .enumerate()
        .filter_map(|(row, cells)| {
            let [m, n, k, b] = one(cells)?;
            Some(Shape { row, work: 2.0 * b * m * n * k, bytes: 2.0 * b * (m * k + k * n + m * n) })
        })
        .collect()
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

/// True if a time column with this unit is faster in the first rows than any device computes or
/// moves bytes. A single such row among others is wrong itself, and the unit is right where a rate
/// of the file fits it.
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
    let fast = times.iter().filter(too_fast).count();
    let alone = fast == 1 && times.len() > 1;
    fast > 0 && !alone && fitting(mapping, rows, (&shapes, &times), unit) == 0
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
    let fits = |(s, t): &&(usize, f64)| {
        let ours = shapes[*s].work / (t * unit.to_si());
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
    let unit = [TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Milliseconds]
        .into_iter()
        .find(|&u| !times.is_empty() && highest(u) <= RATE_LIMIT && traffic(u) <= BANDWIDTH_LIMIT)
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
            let close = rates
                .iter()
                .filter(|(s, rate)| {
                    times.iter().find(|(t, _)| t == s).is_some_and(|(_, t)| {
                        let ours = shapes[*s].work / (t * time_unit.to_si());
                        (0.7..1.4).contains(&(rate * unit.to_si() / ours))
                    })
                })
                .count();
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
    ratios.order_by(f64::total_cmp);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_one_cell() {
        let t = types("('c10::BFloat16', 'c10::BFloat16')").unwrap();
        assert_eq!((t.a, t.b), (DataType::Bf16, DataType::Bf16));
        let t = types("bf16xint4->bf16").unwrap();
        assert_eq!((t.a, t.b, t.c), (DataType::Bf16, DataType::Int4, Some(DataType::Bf16)));
        assert_eq!(types("f16:row").unwrap().transposed, Some(true));
        assert_eq!(types("gemm"), None);
    }

    #[test]
    fn layouts() {
        assert_eq!(layout("NT"), Some((false, true)));
        assert_eq!(layout("tnn"), Some((true, false)));
        assert_eq!(layout("rcr"), Some((true, false)));
        assert_eq!(layout("row"), None);
    }
}
