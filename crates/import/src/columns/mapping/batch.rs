//! Whether a batch counts independent GEMMs, or is part of M already: in `batch, seq_len, M` of a model one GEMM
//! takes the whole batch, and what counts as work is a batch times less.

use super::Mapping;
use super::guess::BY_HAND;
use super::units;
use crate::ImportOptions;
use crate::cell;
use crate::columns::defaults::assumption;
use crate::columns::plan::Plan;
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning::*;

/// The key of the question.
const KEY: &str = "batch";
/// Its answers: one GEMM takes the whole batch, or each of the batch is a GEMM.
const IN_M: &str = "in M";
const APART: &str = "apart";

/// Rate times time agrees with the work up to this share.
const CLOSE: f64 = 0.1;
/// Of the rows that tell, so many agree where figures decide.
const MOST: f64 = 0.9;

/// How the batch of a table enters its GEMMs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BatchRole {
    header: String,
    in_m: bool,
    why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Why {
    Answered,
    /// Rate, time or work of so many rows, of so many that tell.
    Figures(usize, usize),
    /// M is the batch times other columns, or the batch alone.
    Columns,
    /// Nothing tells.
    Open,
}

impl BatchRole {
    /// What is assumed, or could be otherwise; `None` where the figures of the file show that each of the batch
    /// is a GEMM.
    pub(crate) fn assumption(&self) -> Option<Assumption> {
        let BatchRole { header, in_m, why } = self;
        let whole = format!("“{header}” is part of M already: one GEMM takes the whole batch");
        let each = format!("“{header}” counts independent GEMMs of M × N × K each");
        let text = match (in_m, why) {
            (false, Why::Figures(..)) => return None,
            (true, Why::Figures(agree, of)) => {
                format!("{whole}, as rate and time say in {agree} of {of} rows.")
            }
            (true, Why::Answered) => format!("{whole}, as chosen."),
            (true, _) => format!("{whole}."),
            (false, Why::Answered) => format!("{each}, as chosen."),
            (false, _) => format!("{each}, unless M holds the whole batch already."),
        };
        Some(assumption(KEY, text, if *in_m { IN_M } else { APART }, &[IN_M, APART]))
    }

    /// A column is a label of the rows, as the batch is that M holds.
    pub(crate) fn is_label(&self, header: &str) -> bool {
        self.in_m && self.header == header
    }
}

/// Decides by the answer, else by rates and times, else by the other columns. A batch that is part of M stays a
/// column of the file, and so a filter.
pub(super) fn settle(mapping: &mut Mapping, rows: &[Vec<String>], options: &ImportOptions) {
    let Some(at) = mapping.position(Batch).filter(|at| mapping.columns[*at].why != BY_HAND) else {
        return;
    };
    let mut plan = Plan { sizes: mapping.sizes(), ..Plan::default() };
    plan.set(Batch, mapping.col(at), 1.0);
    let shapes = units::sizes(&plan, rows);
    // A batch of one is part of anything.
    let counted: Vec<usize> =
        (0..rows.len()).filter(|row| shapes[*row].is_some_and(|[.., b]| b > 1.0)).collect();
    let answer = match options.answer(KEY) {
        Some(IN_M) => Some(true),
        Some(APART) => Some(false),
        _ => None,
    };
    if counted.is_empty() && answer.is_none() {
        return;
    }
    let decided = || {
        let evidence = Evidence::of(mapping, rows, &shapes, &counted);
        let clear = |agree: usize| agree > 0 && agree as f64 >= MOST * evidence.rows as f64;
        match (clear(evidence.in_m), clear(evidence.apart)) {
            (true, false) => (true, Why::Figures(evidence.in_m, evidence.rows)),
            (false, true) => (false, Why::Figures(evidence.apart, evidence.rows)),
            _ if is_factor_of_m(mapping, rows, at) => (true, Why::Columns),
            _ => (false, Why::Open),
        }
    };
    let (in_m, why) = answer.map_or_else(decided, |in_m| (in_m, Why::Answered));
    let column = &mut mapping.columns[at];
    mapping.batch = Some(BatchRole { header: column.header.clone(), in_m, why });
    if in_m {
        column.guess = Other.into();
        column.why = "part of M already".to_owned();
    }
}

/// How many rows with a batch state a work, or a rate and a time, and with which work these agree.
#[derive(Default)]
struct Evidence {
    rows: usize,
    in_m: usize,
    apart: usize,
}

impl Evidence {
    fn of(
        mapping: &Mapping,
        rows: &[Vec<String>],
        shapes: &[Option<[f64; 4]>],
        counted: &[usize],
    ) -> Evidence {
        let of_column =
            |meaning| mapping.position(meaning).map(|at| (at, mapping.columns[at].guess));
        let value = |row: usize, at: usize| {
            let cell = rows[row].get(at)?.trim().as_bytes();
            cell::number(cell).or_else(|| Some(cell::quantity(cell)?.0)).filter(|v| *v > 0.0)
        };
        let (time, rate, work) =
            (of_column(Time), of_column(ReportedRate), of_column(ReportedWork));
        // The work of a call as the row states it, in units that may not be known.
        let stated = |row: usize| {
            if let Some((at, _)) = work {
                return value(row, at);
            }
            Some(value(row, time?.0)? * value(row, rate?.0)?)
        };
        let scale = match (work, time, rate) {
            (Some((_, work)), ..) => work.rate_unit().map(|u| u.to_si()),
            (_, Some((_, time)), Some((_, rate))) => {
                time.time_unit().zip(rate.rate_unit()).map(|(t, r)| t.to_si() * r.to_si())
            }
            _ => return Evidence::default(),
        };
        let ratios: Vec<(f64, f64)> = counted
            .iter()
            .filter_map(|&row| {
                let [m, n, k, batch] = shapes[row]?;
                Some((stated(row)? / (2.0 * m * n * k), batch))
            })
            .collect();
        let at_scale = |scale: f64| {
            let near = |ratio: f64, of: f64| (ratio * scale / of - 1.0).abs() < CLOSE;
            Evidence {
                rows: ratios.len(),
                in_m: ratios.iter().filter(|(ratio, _)| near(*ratio, 1.0)).count(),
                apart: ratios.iter().filter(|(ratio, batch)| near(*ratio, *batch)).count(),
            }
        };
        match scale {
            Some(scale) => at_scale(scale),
            // Units differ by powers of 1000: what fits most rows.
            None => {
                let each = (-3..=7).map(|thousands| at_scale(1e3f64.powi(thousands)));
                each.max_by_key(|e| e.in_m.max(e.apart)).unwrap_or_default()
            }
        }
    }
}

/// M equals the batch, or the batch times one or two other columns of no known meaning, in all rows. Leading
/// dimensions, strides and factors are no such columns.
fn is_factor_of_m(mapping: &Mapping, rows: &[Vec<String>], batch: usize) -> bool {
    let Some(m) = mapping.position(M) else { return false };
    let size = |r: &[String], i: usize| cell::size(r.get(i)?.trim().as_bytes()).ok().map(u64::from);
    let rows: Vec<&[String]> = rows
        .iter()
        .map(Vec::as_slice)
        .filter(|r| size(r, m).is_some() && size(r, batch).is_some())
        .collect();
    let of_call = |name: &str| {
        let name = name.trim().to_lowercase();
        ["ld", "stride", "alpha", "beta"].iter().any(|p| name.starts_with(p))
    };
    let columns = &mapping.columns;
    let other = |i: &usize| columns[*i].guess.meaning == Other && !of_call(&columns[*i].header);
    let others: Vec<usize> = (0..columns.len()).filter(other).collect();
    let product = |factors: &[usize]| {
        rows.iter().all(|r| {
            let of = |p: Option<u64>, i: &usize| p?.checked_mul(size(r, *i)?);
            factors.iter().fold(size(r, batch), of).is_some_and(|p| Some(p) == size(r, m))
        })
    };
    let of_two = |i: &usize| others.iter().any(|j| j > i && product(&[*i, *j]));
    product(&[]) || others.iter().any(|i| product(&[*i]) || of_two(i))
}
