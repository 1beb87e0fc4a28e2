//! Tuning histories: the variants of each generation, the best so far, and the failures.
//!
//! A file is a history if it has an order: a column with [`ColumnMeaning::Order`], or a number column named generation,
//! iteration, step, trial or round. Rows without an order are references, such as the baseline of the search. A row
//! with a status but no time is a failed variant.

use crate::history::steps;
use crate::names::name_of;
use gemmscope_model::gemm::Problem;
use gemmscope_model::units::{format_significant, trim_zeros};
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_table::field::{Field, Frame};
use serde::Serialize;
use std::collections::BTreeMap;

/// The outcome of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Ran and was correct.
    Ok,
    /// Ran, but reached less than the given fraction of the best rate.
    Slow,
    /// Was incorrect or did not run; the status says which.
    Failed,
}

/// A variant, or a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Dataset row.
    pub row: u32,
    /// Generation or iteration; NaN for a reference.
    pub order: f64,
    /// Rate, FLOP/s; NaN if it failed.
    pub rate: f64,
    /// Outcome.
    pub outcome: Outcome,
    /// Name: kernel, variant, or line of the file.
    pub name: String,
    /// Status in the file; may be empty.
    pub status: String,
    /// Time that a failed variant took, seconds; NaN if the file states none.
    pub failed_s: f64,
}

/// All variants of one generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Generation number.
    pub order: f64,
    /// Indices into [`SearchHistory::variants`].
    pub variants: Vec<usize>,
    /// Index of the best variant; `None` if all failed.
    pub best: Option<usize>,
    /// Index of the best variant up to this generation.
    pub running: Option<usize>,
}

/// A setting, or a pair of settings, and how its variants ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suspect {
    /// Title in the file: `BLOCK_M`, `BLOCK_M × BLOCK_N`.
    pub name: String,
    /// Value: `256`, `256 × 256`.
    pub value: String,
    /// Number of its variants that failed or were too slow.
    pub bad: usize,
    /// Number of all its variants.
    pub all: usize,
}

/// A variant that failed or was slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadVariant {
    /// Name.
    pub name: String,
    /// Generation or iteration.
    pub order: f64,
    /// `slow`, or `failed` with the file's own word.
    pub outcome: String,
    /// Time of its run, seconds; null if a failed one states none.
    pub time_s: f64,
    /// Settings: `stages=5 warps=8`.
    pub settings: String,
}

/// Default fraction of the best rate below which a variant is slow.
pub const SLOW_BELOW: f64 = 0.1;
/// Minimum relative gain; less is within measurement noise.
const GAIN: f64 = 0.005;
/// Maximum number of settings of a variant that are examined in pairs.
const MOST_PAIRED: usize = 12;
/// Number of generations without a gain after which a search has converged.
const QUIET: usize = 2;

/// Whether a search has converged. Gains are relative to the best rate before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convergence {
    /// No generation gained over the first.
    NoGain,
    /// The last generation still gained.
    Gaining {
        /// Relative gain.
        gain: f64,
    },
    /// Too few generations after the last gain to tell.
    Perhaps {
        /// The generation of the last gain.
        order: f64,
        /// Relative gain.
        gain: f64,
    },
    /// Enough generations without a gain.
    Converged {
        /// The generation of the last gain.
        order: f64,
        /// Relative gain.
        gain: f64,
        /// Number of generations after it.
        quiet: usize,
    },
}

/// Tuning history of one GEMM.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHistory {
    /// The tuned GEMM.
    pub problem: Problem,
    /// Title of the order column: `generation`.
    pub order_label: String,
    /// Variants in file order.
    pub variants: Vec<Variant>,
    /// Generations, ascending.
    pub generations: Vec<Generation>,
    /// Rows of the same GEMM without an order, fastest first.
    pub references: Vec<Variant>,
    /// Index of the best variant; `None` if all failed.
    pub best: Option<usize>,
    /// Attainable rate, FLOP/s; NaN if the roof is unknown.
    pub roof: f64,
    /// Name of the device of the roof.
    pub device: String,
    /// Fraction of the best rate below which a variant is slow.
    pub slow_below: f64,
}

/// The column that orders the rows, if any.
pub(crate) fn order_column(frame: &Frame) -> Option<&Column> {
    let named = |c: &&Column| {
        let name = c.label.trim().to_ascii_lowercase();
        matches!(
            name.as_str(),
            "generation" | "gen" | "iteration" | "iter" | "step" | "trial" | "round"
        ) && matches!(c.data, ColumnData::Number(_))
    };
    frame
        .data
        .column(ColumnMeaning::Order)
        .filter(|c| matches!(c.data, ColumnData::Number(_)))
        .or_else(|| frame.data.columns.iter().find(named))
}

/// GEMMs of a frame that have a history, with the number of their ordered rows, most first.
pub fn problems(frame: &Frame) -> Vec<(Problem, u64)> {
    let Some(column) = order_column(frame) else {
        return Vec::new();
    };
    let order = frame.numbers(&Field::Column(column.key.clone()));
    let d = &*frame.data;
    let ordered = frame.rows.iter().map(|r| *r as usize).filter(|r| order(*r).is_finite());
    let mut rows: BTreeMap<_, u64> = BTreeMap::new();
    for r in ordered {
        *rows.entry((d.m[r], d.n[r], d.k[r], d.batch[r], d.op[r])).or_default() += 1;
    }
    let problem = |((m, n, k, batch, op), rows)| {
        let op = d.ops[usize::from(op)];
        (Problem { m, n, k, batch, op }, rows)
    };
    let mut out: Vec<(Problem, u64)> = rows.into_iter().map(problem).collect();
    out.sort_by_key(|p| std::cmp::Reverse(p.1));
    out
}

impl SearchHistory {
    /// History of one GEMM; `None` if it has none. `slow_below` is a fraction of the best rate.
    pub fn new(frame: &Frame, problem: &Problem, slow_below: f64) -> Option<SearchHistory> {
        let column = order_column(frame)?;
        let order = frame.numbers(&Field::Column(column.key.clone()));
        let d = &*frame.data;
        let mut out = SearchHistory {
            problem: *problem,
            order_label: column.label.clone(),
            variants: Vec::new(),
            generations: Vec::new(),
            references: Vec::new(),
            best: None,
            roof: f64::NAN,
            device: String::new(),
            slow_below,
        };
        for &row in frame.rows.iter() {
            let r = row as usize;
            if d.problem(r) != *problem {
                continue;
            }
            let rate = frame.metrics.rate(d, r);
            let status = d.text(ColumnMeaning::Status, r).to_owned();
            let at = order(r);
            // A row without a time is a variant only if the file states what happened to it.
            if rate.is_nan() && (status.is_empty() || at.is_nan()) {
                continue;
            }
            if out.roof.is_nan()
                && let Some(roof) = frame.metrics.roof(d, r)
            {
                out.roof = roof.at(frame.metrics.ai[r]);
                out.device = frame.metrics.devices[d.device[r] as usize]
                    .as_ref()
                    .map_or_else(String::new, |dev| dev.name.clone());
            }
            let variant = Variant {
                row,
                order: at,
                rate,
                outcome: if rate.is_finite() { Outcome::Ok } else { Outcome::Failed },
                name: match name_of(frame, r) {
                    name if name.is_empty() => format!("line {}", d.line[r]),
                    name => name,
                },
                status,
                failed_s: d.number(ColumnMeaning::FailedTime, r),
            };
            if at.is_finite() {
                out.variants.push(variant);
            } else {
                out.references.push(variant);
            }
        }
        out.references.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        out.find_best();
        Some(out)
    }

    fn find_best(&mut self) {
        let variants = &mut self.variants;
        self.best = (0..variants.len())
            .filter(|&i| variants[i].rate.is_finite())
            .max_by(|&a, &b| variants[a].rate.total_cmp(&variants[b].rate).then(b.cmp(&a)));
        if let Some(best) = self.best {
            let least = variants[best].rate * self.slow_below;
            for v in variants.iter_mut().filter(|v| v.rate < least) {
                v.outcome = Outcome::Slow;
            }
        }
        let mut order: Vec<usize> = (0..variants.len()).collect();
        order.sort_by(|&a, &b| variants[a].order.total_cmp(&variants[b].order));
        let mut running: Option<usize> = None;
        self.generations = order
            .chunk_by(|&a, &b| variants[a].order == variants[b].order)
            .map(|members| {
                let best =
                    members.iter().copied().filter(|&i| variants[i].rate.is_finite()).max_by(
                        |&a, &b| variants[a].rate.total_cmp(&variants[b].rate).then(b.cmp(&a)),
                    );
                if let Some(b) = best
                    && running.is_none_or(|r| variants[b].rate > variants[r].rate)
                {
                    running = Some(b);
                }
                Generation {
                    order: variants[members[0]].order,
                    variants: members.to_vec(),
                    best,
                    running,
                }
            })
            .collect();
    }

    /// Number of variants with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.variants.iter().filter(|v| v.outcome == outcome).count()
    }

    /// Relative gain of the best so far in a generation: 0 if there was none, `None` if there is nothing to compare
    /// with.
    pub fn gain(&self, generation: usize) -> Option<f64> {
        let rate = |i: usize| {
            let running = self.generations.get(i)?.running?;
            Some(self.variants.get(running)?.rate)
        };
        let before = rate(generation.checked_sub(1)?)?;
        Some(rate(generation)? / before - 1.0)
    }

    /// By generation: relative change of its best against the last earlier generation that has one, negative if it
    /// fell.
    pub fn changes(&self) -> Vec<(f64, f64)> {
        let rate = |g: &Generation| Some((g.order, self.variants.get(g.best?)?.rate));
        let bests: Vec<(f64, f64)> = self.generations.iter().filter_map(rate).collect();
        let (orders, rates): (Vec<f64>, Vec<f64>) = bests.into_iter().unzip();
        orders.into_iter().skip(1).zip(steps(&rates)).collect()
    }

    /// Whether the search has converged; `None` with fewer than two generations that ran.
    pub fn convergence(&self) -> Option<Convergence> {
        let last = self.generations.len().checked_sub(1)?;
        let gains: Vec<(usize, f64)> =
            (0..=last).filter_map(|i| Some((i, self.gain(i)?))).collect();
        gains.last()?;
        let Some((at, gain)) = gains.iter().rev().find(|(_, g)| *g >= GAIN) else {
            return Some(Convergence::NoGain);
        };
        let (quiet, order, gain) = (last - at, self.generations[*at].order, *gain);
        Some(match quiet {
            0 => Convergence::Gaining { gain },
            q if q < QUIET => Convergence::Perhaps { order, gain },
            _ => Convergence::Converged { order, gain, quiet },
        })
    }

    /// Settings that failed and slow variants share, alone or in pairs: those with at least two such variants and a
    /// higher fraction of them than among all variants; pairs only if their fraction exceeds that of each setting
    /// alone. Clearest first.
    pub fn suspects(&self, frame: &Frame) -> Vec<Suspect> {
        let is_bad = |v: &Variant| v.outcome != Outcome::Ok;
        let bad_all = self.variants.iter().filter(|v| is_bad(v)).count();
        type Setting = (String, String);
        let mut found: BTreeMap<Vec<Setting>, (usize, usize)> = BTreeMap::new();
        for v in &self.variants {
            let settings = parameters(frame, v.row as usize);
            let pairs = (0..settings.len().min(MOST_PAIRED))
                .flat_map(|a| (0..a).map(move |b| (b, a)))
                .map(|(a, b)| vec![settings[a].clone(), settings[b].clone()]);
            for set in settings.iter().map(|s| vec![s.clone()]).chain(pairs) {
                let counts = found.entry(set).or_default();
                counts.0 += usize::from(is_bad(v));
                counts.1 += 1;
            }
        }
        let usual = bad_all as f64 / self.variants.len().max(1) as f64;
        let of = |set: &[Setting]| {
            let (bad, all) = found.get(set).copied().unwrap_or_default();
            bad as f64 / all as f64
        };
        let tells = |set: &[Setting]| match set {
            [_, _] => set.iter().all(|one| of(set) > of(std::slice::from_ref(one))),
            _ => of(set) > usual,
        };
        let join = |set: &[Setting], part: fn(&Setting) -> &str, by: &str| {
            set.iter().map(part).collect::<Vec<_>>().join(by)
        };
        let mut out: Vec<Suspect> = found
            .iter()
            .filter(|(set, (bad, _))| *bad >= 2 && tells(set))
            .map(|(set, &(bad, all))| Suspect {
                name: join(set, |s| &s.0, " × "),
                value: join(set, |s| &s.1, " × "),
                bad,
                all,
            })
            .collect();
        let part = |s: &Suspect| s.bad as f64 / s.all as f64;
        out.sort_by(|a, b| part(b).total_cmp(&part(a)).then(b.bad.cmp(&a.bad)));
        out
    }

    /// Failed and slow variants, in file order.
    pub fn bad<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = BadVariant> + 'a {
        let bad = self.variants.iter().filter(|v| v.outcome != Outcome::Ok);
        bad.map(|v| {
            let settings = parameters(frame, v.row as usize).into_iter();
            let settings: Vec<String> = settings.map(|(k, v)| format!("{k}={v}")).collect();
            let (outcome, time_s) = match v.outcome {
                Outcome::Failed => (format!("failed: {}", v.status), v.failed_s),
                _ => ("slow".to_owned(), frame.data.time_s[v.row as usize]),
            };
            BadVariant {
                name: v.name.clone(),
                order: v.order,
                outcome,
                time_s,
                settings: settings.join(" "),
            }
        })
    }

    /// Statuses of failed variants, with counts.
    pub fn failures(&self) -> Vec<(String, u64)> {
        let mut out: BTreeMap<&str, u64> = BTreeMap::new();
        for v in self.variants.iter().filter(|v| v.outcome == Outcome::Failed) {
            *out.entry(v.status.as_str()).or_default() += 1;
        }
        out.into_iter().map(|(s, n)| (s.to_owned(), n)).collect()
    }
}

/// Columns of settings: tile, stages, warps and all others that are neither results nor names.
pub(crate) fn parameter_columns(frame: &Frame) -> Vec<&Column> {
    let order = order_column(frame).map(|c| c.key.as_str());
    let columns = frame.data.columns.iter();
    columns
        .filter(|c| Some(c.key.as_str()) != order)
        // A number that counts the variants is a name, not a setting.
        .filter(|c| !matches!(c.label.to_ascii_lowercase().as_str(), "variant" | "index" | "id"))
        .filter(|c| {
            let known = ColumnMeaning::SETTINGS.contains(&c.meaning);
            c.meaning == ColumnMeaning::Other || known && c.meaning != ColumnMeaning::Order
        })
        .collect()
}

/// Text of a row in a settings column; `None` if empty.
pub(crate) fn parameter(column: &Column, row: usize) -> Option<String> {
    let text = match &column.data {
        ColumnData::Number(v) => v.get(row).filter(|x| x.is_finite()).map(|x| plain(*x))?,
        ColumnData::Text { codes, values } => values.get(*codes.get(row)? as usize)?.clone(),
    };
    (!text.is_empty()).then_some(text)
}

/// Settings of a row, with their titles in the file.
pub fn parameters(frame: &Frame, row: usize) -> Vec<(String, String)> {
    let columns = parameter_columns(frame).into_iter();
    columns.filter_map(|c| Some((c.label.clone(), parameter(c, row)?))).collect()
}

/// An integer in full, any other number with at most six digits.
fn plain(v: f64) -> String {
    if v.fract() == 0.0 && v.abs() < 1e15 {
        return format!("{v:.0}");
    }
    trim_zeros(format_significant(v, 6))
}

#[cfg(test)]
mod tests;
