//! Tuning histories: the variants of each generation, the best so far, and the failures.
//!
//! A file is a history if it has an order: a column with [`ColumnMeaning::Order`], or a number
//! column named generation, iteration, step, trial or round. Rows without an order are references,
//! such as the baseline of the search. A row with a status but no time is a failed variant.

use gemmscope_model::gemm::Problem;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{format_significant, percent, trim_zeros};
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_table::field::{Field, Frame};
use serde::Serialize;
use std::collections::BTreeMap;

/// The outcome of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Ran and was correct.
    Ok,
    /// Ran, but reached less than the given share of the best.
    Slow,
    /// Was not correct or did not run; the status tells which.
    Failed,
}

/// One variant, or one reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Dataset row.
    pub row: u32,
    /// Generation, iteration; NaN for a reference.
    pub order: f64,
    /// Rate, FLOP/s; NaN if it failed.
    pub rate: f64,
    /// Outcome.
    pub outcome: Outcome,
    /// Name: the kernel, the variant, or the file's line.
    pub name: String,
    /// Status in the file; may be empty.
    pub status: String,
    /// Time that a failed variant took, seconds; NaN if the file states none.
    pub failed_s: f64,
}

/// All variants of one generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Its number.
    pub order: f64,
    /// Indices into [`History::variants`].
    pub variants: Vec<usize>,
    /// Index of the best variant; `None` if all failed.
    pub best: Option<usize>,
    /// Index of the best variant up to this generation.
    pub running: Option<usize>,
}

/// A setting or two of them together, and how the variants that have it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suspect {
    /// Title of the setting in the file: `BLOCK_M`, `BLOCK_M × BLOCK_N`.
    pub name: String,
    /// Its value: `256`, `256 × 256`.
    pub value: String,
    /// Variants with it that failed or were too slow.
    pub bad: usize,
    /// All variants with it.
    pub all: usize,
}

/// A variant that failed or was slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadVariant {
    /// Its name.
    pub name: String,
    /// Its generation, iteration.
    pub order: f64,
    /// What became of it: `slow`, or `failed` with the file's own word.
    pub outcome: String,
    /// Time of its run, seconds; null where a failed one states none.
    pub time_s: f64,
    /// `stages=5 warps=8`.
    pub settings: String,
}

/// A variant below this share of the best rate counts as slow, where nobody says otherwise.
pub const SLOW_BELOW: f64 = 0.1;
/// A gain of less than this share is none: measurements vary by as much.
const GAIN: f64 = 0.005;
/// So many settings of a variant are looked at in pairs.
const MOST_PAIRED: usize = 12;
/// So many generations without a gain are a converged search.
const QUIET: usize = 2;

/// The history of one GEMM.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The tuned GEMM.
    pub problem: Problem,
    /// Title of the order column: `generation`.
    pub order_label: String,
    /// In the order of the file.
    pub variants: Vec<Variant>,
    /// Ascending.
    pub generations: Vec<Generation>,
    /// Rows of the same GEMM without an order, fastest first.
    pub references: Vec<Variant>,
    /// Index of the best variant; `None` if all failed.
    pub best: Option<usize>,
    /// Highest rate that the roof allows, FLOP/s; NaN if it is not known.
    pub roof: f64,
    /// Name of the device of the roof.
    pub device: String,
    /// A variant below this share of the best rate counts as slow.
    pub slow_below: f64,
}

/// The column that orders the rows.
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

/// The GEMMs with a history in a frame, and the number of their ordered rows, most rows first.
pub fn problems(frame: &Frame) -> Vec<(Problem, u64)> {
    let Some(column) = order_column(frame) else {
        return Vec::new();
    };
    let order = frame.numbers(&Field::Column(column.key.clone()));
    let d = &*frame.data;
    let mut counts: BTreeMap<(u32, u32, u32, u32, u16), u64> = BTreeMap::new();
    for &r in frame.rows.iter() {
        let r = r as usize;
        if order(r).is_finite() {
            let key = (d.m[r], d.n[r], d.k[r], d.batch[r], d.op[r]);
            *counts.entry(key).or_default() += 1;
        }
    }
    let mut out: Vec<(Problem, u64)> = counts
        .into_iter()
        .map(|((m, n, k, batch, op), count)| {
            let op = d.ops[op as usize];
            (Problem { m, n, k, batch, op }, count)
        })
        .collect();
    out.order_by_key(|p| std::cmp::Reverse(p.1));
    out
}

impl History {
    /// The history of one GEMM. `slow_below` is a share of the best rate.
    pub fn new(frame: &Frame, problem: &Problem, slow_below: f64) -> Option<History> {
        let column = order_column(frame)?;
        let order = frame.numbers(&Field::Column(column.key.clone()));
        let d = &*frame.data;
        let mut out = History {
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
                name: name_of(frame, r),
                status,
                failed_s: d.number(ColumnMeaning::FailedTime, r),
            };
            if at.is_finite() {
                out.variants.push(variant);
            } else {
                out.references.push(variant);
            }
        }
        out.references.order_by(|a, b| b.rate.total_cmp(&a.rate));
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
        order.order_by(|&a, &b| variants[a].order.total_cmp(&variants[b].order));
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

    /// By how much the best so far grew in a generation, as a share; 0 where it did not, `None`
    /// where there was nothing to compare with.
    pub fn gain(&self, generation: usize) -> Option<f64> {
        let rate = |i: usize| {
            let running = self.generations.get(i)?.running?;
            Some(self.variants.get(running)?.rate)
        };
        let before = rate(generation.checked_sub(1)?)?;
        Some(rate(generation)? / before - 1.0)
    }

    /// By how much the best of each generation differs from that of the last one before it that had
    /// one, as a share: negative where it fell. Number of the generation and change.
    pub fn changes(&self) -> Vec<(f64, f64)> {
        let rate = |g: &Generation| Some((g.order, self.variants.get(g.best?)?.rate));
        let bests: Vec<(f64, f64)> = self.generations.iter().filter_map(rate).collect();
        bests.windows(2).map(|w| (w[1].0, w[1].1 / w[0].1 - 1.0)).collect()
    }

    /// Whether the search has come to an end, in a sentence; `None` with fewer than two
    /// generations that ran.
    pub fn convergence(&self) -> Option<String> {
        let last = self.generations.len().checked_sub(1)?;
        let gains: Vec<(usize, f64)> =
            (0..=last).filter_map(|i| Some((i, self.gain(i)?))).collect();
        gains.last()?;
        let label = self.order_label.to_lowercase();
        let Some((at, gain)) = gains.iter().rev().find(|(_, g)| *g >= GAIN) else {
            return Some(format!("No gain after the first {label}."));
        };
        let quiet = last - at;
        let order = self.generations[*at].order;
        let gain = percent(*gain);
        Some(match quiet {
            0 => format!("Not converged: the last {label} still gained {gain}."),
            q if q < QUIET => {
                format!("Perhaps converged: {label} {order} gained {gain}, the next nothing.")
            }
            q => format!("Converged: last gain in {label} {order} ({gain}), none in {q} since."),
        })
    }

    /// The settings that failed and slow variants share, alone or two together: those with at least
    /// two such variants, and with a larger part of them than all variants have; two together only
    /// where that part is larger than each of them has alone. The clearest first.
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
        out.order_by(|a, b| part(b).total_cmp(&part(a)).then(b.bad.cmp(&a.bad)));
        out
    }

    /// The failed and slow variants, in the order of the file.
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

    /// The statuses of failed variants and how often each occurs.
    pub fn failures(&self) -> Vec<(String, u64)> {
        let mut out: BTreeMap<&str, u64> = BTreeMap::new();
        for v in self.variants.iter().filter(|v| v.outcome == Outcome::Failed) {
            *out.entry(v.status.as_str()).or_default() += 1;
        }
        out.into_iter().map(|(s, n)| (s.to_owned(), n)).collect()
    }
}

/// The name of a row: its kernel, else values that distinguish it, else its line.
fn name_of(frame: &Frame, row: usize) -> String {
    let d = &*frame.data;
    for meaning in [ColumnMeaning::Kernel, ColumnMeaning::OpName, ColumnMeaning::Library] {
        let text = d.text(meaning, row);
        if !text.is_empty() {
            return text.to_owned();
        }
    }
    format!("line {}", d.line[row])
}

/// The settings of a row with their titles in the file: tile, stages, warps and all other columns
/// that are neither results nor names.
pub fn parameters(frame: &Frame, row: usize) -> Vec<(String, String)> {
    let d = &*frame.data;
    let order = order_column(frame).map(|c| c.key.as_str());
    d.columns
        .iter()
        .filter(|c| Some(c.key.as_str()) != order)
        // A number that counts the variants is a name, not a setting.
        .filter(|c| !matches!(c.label.to_ascii_lowercase().as_str(), "variant" | "index" | "id"))
        .filter(|c| {
            matches!(
                c.meaning,
                ColumnMeaning::TileM
                    | ColumnMeaning::TileN
                    | ColumnMeaning::TileK
                    | ColumnMeaning::SplitK
                    | ColumnMeaning::Stages
                    | ColumnMeaning::Warps
                    | ColumnMeaning::Workgroups
                    | ColumnMeaning::Other
            )
        })
        .filter_map(|c| {
            let text = match &c.data {
                ColumnData::Number(v) => match v.get(row) {
                    Some(x) if x.is_finite() => plain(*x),
                    _ => return None,
                },
                ColumnData::Text { codes, values } => {
                    values.get(*codes.get(row)? as usize)?.clone()
                }
            };
            (!text.is_empty()).then(|| (c.label.clone(), text))
        })
        .collect()
}

/// A whole number in full, any other number with at most six digits.
fn plain(v: f64) -> String {
    if v.fract() == 0.0 && v.abs() < 1e15 {
        return format!("{v:.0}");
    }
    trim_zeros(format_significant(v, 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::units::signed_percent;
    use gemmscope_table::fixture::Rows;
    use proptest::prelude::*;

    pub(super) fn history(rows: &[(f64, f64, &str)]) -> Option<History> {
        let mut t = Rows::new();
        let order = t.table().number_column(ColumnMeaning::Order, "generation");
        let status = t.table().text_column(ColumnMeaning::Status, "status");
        let work = 2.0 * 4096f64.powi(3);
        for (generation, tflops, said) in rows {
            t.table().set_number(order, *generation);
            t.table().set_text(status, said.as_bytes());
            t.row((4096, 4096, 4096), "Triton", work / (tflops * 1e12), "");
        }
        let frame = t.frame(Some("a100-80-pcie"));
        let (problem, _) = problems(&frame).into_iter().next()?;
        History::new(&frame, &problem, 0.1)
    }

    const NONE: f64 = f64::NAN;

    #[test]
    fn a_search_ends_where_nothing_is_gained() {
        let of = |bests: &[f64]| {
            let rows: Vec<(f64, f64, &str)> =
                bests.iter().enumerate().map(|(g, t)| (g as f64, *t, "ok")).collect();
            history(&rows).unwrap()
        };
        let seed = of(&[161.87, 186.12, 201.80, 177.98, 197.56]);
        let gain = |i| seed.gain(i).map(|g| (g * 1000.0).round());
        assert_eq!([gain(0), gain(1), gain(3)], [None, Some(150.0), Some(0.0)]);
        let changes: Vec<String> = seed.changes().iter().map(|c| signed_percent(c.1)).collect();
        assert_eq!(changes, ["+15 %", "+8.4 %", "−11.8 %", "+11 %"]);
        let said = seed.convergence().unwrap();
        assert!(said == "Converged: last gain in generation 2 (8.4 %), none in 2 since.", "{said}");
        let said = of(&[100.0, 120.0]).convergence().unwrap();
        assert!(said.starts_with("Not converged"), "{said}");
        let said = of(&[100.0, 120.0, 119.0]).convergence().unwrap();
        assert!(said.starts_with("Perhaps converged"), "{said}");
        assert_eq!(of(&[100.0]).convergence(), None);
        let said = of(&[100.0, 90.0]).convergence().unwrap();
        assert!(said == "No gain after the first generation.", "{said}");
    }

    #[test]
    fn what_bad_variants_share_is_named() {
        let mut t = Rows::new();
        let order = t.table().number_column(ColumnMeaning::Order, "generation");
        let stages = t.table().number_column(ColumnMeaning::Stages, "stages");
        let warps = t.table().number_column(ColumnMeaning::Warps, "warps");
        // With five stages all are ten times as slow.
        for i in 0..12u32 {
            t.table().set_number(order, f64::from(i / 4));
            t.table().set_number(stages, f64::from(3 + 2 * u32::from(i % 4 == 0)));
            t.table().set_number(warps, f64::from(4 << (i % 2)));
            let time = if i % 4 == 0 { 1e-2 } else { 5e-4 };
            t.row((4096, 4096, 4096), "Triton", time, "");
        }
        let frame = t.frame(Some("a100-80-pcie"));
        let (problem, _) = problems(&frame).into_iter().next().unwrap();
        let h = History::new(&frame, &problem, 0.5).unwrap();
        let found = h.suspects(&frame);
        let first = Suspect { name: "stages".to_owned(), value: "5".to_owned(), bad: 3, all: 3 };
        assert_eq!(found[0], first);
        assert!(found.iter().all(|s| s.value != "3"), "{found:?}");
    }

    #[test]
    fn two_settings_that_fail_together_are_named() {
        let mut t = Rows::new();
        let order = t.table().number_column(ColumnMeaning::Order, "generation");
        let status = t.table().text_column(ColumnMeaning::Status, "status");
        let m = t.table().number_column(ColumnMeaning::TileM, "BLOCK_M");
        let n = t.table().number_column(ColumnMeaning::TileN, "BLOCK_N");
        // 256 x 256 spills; each 256 alone runs.
        for (generation, tiles) in
            [[128, 256], [256, 128], [256, 256], [128, 128]].iter().enumerate()
        {
            for _ in 0..2 {
                let spills = *tiles == [256, 256];
                t.table().set_number(order, generation as f64);
                t.table().set_number(m, f64::from(tiles[0]));
                t.table().set_number(n, f64::from(tiles[1]));
                t.table().set_text(status, if spills { b"spilled registers" } else { b"ok" });
                let time = if spills { f64::NAN } else { 7e-4 };
                t.row((4096, 4096, 4096), "Triton", time, "");
            }
        }
        let frame = t.frame(Some("a100-80-pcie"));
        let (problem, _) = problems(&frame).into_iter().next().unwrap();
        let found = History::new(&frame, &problem, 0.1).unwrap().suspects(&frame);
        let pair = Suspect {
            name: "BLOCK_M × BLOCK_N".to_owned(),
            value: "256 × 256".to_owned(),
            bad: 2,
            all: 2,
        };
        assert_eq!(found[0], pair);
        assert!(found[1..].iter().all(|s| s.bad < s.all), "{found:?}");
    }

    #[test]
    fn the_generations_of_the_seed() {
        let h = history(&[
            (0.0, NONE, "correctness failed"),
            (0.0, 2.93, "ok"),
            (0.0, 161.87, "ok"),
            (1.0, 54.38, "ok"),
            (1.0, 186.01, "ok"),
            (1.0, 186.12, "ok"),
            (2.0, 2.88, "ok"),
            (2.0, 201.80, "ok"),
            (2.0, 131.46, "ok"),
            (3.0, 177.98, "ok"),
            (4.0, 197.56, "ok"),
            (NONE, 199.13, "ok"),
        ])
        .unwrap();
        let rate = |i: Option<usize>| (h.variants[i.unwrap()].rate / 1e10).round() / 100.0;
        let best: Vec<f64> = h.generations.iter().map(|g| rate(g.best)).collect();
        assert_eq!(best, [161.87, 186.12, 201.80, 177.98, 197.56]);
        let running: Vec<f64> = h.generations.iter().map(|g| rate(g.running)).collect();
        assert_eq!(running, [161.87, 186.12, 201.80, 201.80, 201.80]);
        assert_eq!(
            (h.count(Outcome::Failed), h.count(Outcome::Slow), h.count(Outcome::Ok)),
            (1, 2, 8)
        );
        assert_eq!(h.failures(), [("correctness failed".to_owned(), 1)]);
        assert_eq!((h.references.len(), h.roof), (1, 312e12));
        assert_eq!(h.best, Some(7));
    }

    #[test]
    fn without_an_order_there_is_no_history() {
        let mut t = Rows::new();
        t.row((8, 8, 8), "x", 1e-6, "");
        let frame = t.frame(None);
        assert!(problems(&frame).is_empty());
        assert!(History::new(&frame, &frame.data.problem(0), 0.1).is_none());
        // A generation in which everything failed has no best.
        let h = history(&[(0.0, NONE, "timeout"), (1.0, NONE, "timeout")]).unwrap();
        assert!(h.best.is_none() && h.generations.iter().all(|g| g.best.is_none()));
    }

    proptest! {
        #[test]
        fn the_running_best_never_falls(rows in proptest::collection::vec(
            (0u8..6, prop_oneof![Just(f64::NAN), 0.1..300.0f64]), 1..40)) {
            let rows: Vec<(f64, f64, &str)> = rows.iter().map(|(g, t)| (f64::from(*g), *t, "said")).collect();
            let Some(h) = history(&rows) else { return Ok(()) };
            let all: usize = h.generations.iter().map(|g| g.variants.len()).sum();
            prop_assert_eq!(all, rows.len());
            let rates: Vec<f64> = h.generations.iter().filter_map(|g| g.running).map(|i| h.variants[i].rate).collect();
            prop_assert!(rates.windows(2).all(|w| w[0] <= w[1]));
            prop_assert_eq!(rates.last().copied(), h.best.map(|i| h.variants[i].rate));
        }
    }
}
