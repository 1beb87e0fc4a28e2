//! Dispatch table: the best side for each GEMM, its saving over the best single side, and the totals.

use super::duel::{DuelVerdict, verdict};
use super::winner::fastest;
use super::{Comparison, Setup, SideSample, TIE};
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;

/// The choice for one GEMM.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Index into the [`Comparison`].
    pub configuration: usize,
    /// Index of the chosen side.
    pub side: usize,
    /// A row of the chosen run.
    pub row: u32,
    /// Seconds of one call.
    pub time_s: f64,
    /// Number of calls, the same for every side.
    pub calls: f64,
    /// Seconds of one call on the baseline; `None` if it did not run there.
    pub baseline_s: Option<f64>,
    /// Time of the fastest other side / its own time. `None` if no other side ran it.
    pub lead: Option<f64>,
    /// True if another side is within the threshold, or within the spread of both.
    pub ties: bool,
}

impl Pick {
    /// Seconds saved over the baseline, over all calls; `None` if the baseline did not run it.
    pub fn saves_s(&self) -> Option<f64> {
        self.baseline_s.map(|baseline_s| (baseline_s - self.time_s) * self.calls)
    }
}

/// The best side for each GEMM: the fastest, and of equal ones the baseline, so that the total is the sum of the shortest
/// times. The baseline is the single side with the least total time (if no GEMM was run by all sides: the side that ran
/// most).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dispatch {
    /// Names of the sides.
    pub names: Vec<String>,
    /// Index of the baseline.
    pub baseline: usize,
    /// Choices in the order of the comparison's configurations.
    pub picks: Vec<Pick>,
    /// Number of GEMMs in the totals: those that all sides ran, or if there are none, those that the baseline and
    /// another side ran.
    pub shared: u64,
    /// By side: number of these on which it is fastest without a [tie](Pick::ties).
    pub used: Vec<u64>,
    /// Number of these on which sides tie.
    pub ties: u64,
    /// By side: its part of [`time_s`](Self::time_s), seconds.
    pub used_s: Vec<f64>,
    /// By side: their total time if it ran all of them, seconds; else `None`.
    pub totals_s: Vec<Option<f64>>,
    /// Their total time on the baseline, seconds.
    pub baseline_s: f64,
    /// Their total time with the choices, seconds.
    pub time_s: f64,
}

impl Dispatch {
    /// Dispatch table over the sides of a frame; `None` if it has no sides.
    pub fn of(frame: &Frame) -> Option<(Comparison, Dispatch)> {
        let setup = Setup::of_sides(frame)?;
        let comparison = Comparison::new(frame, &setup);
        let dispatch = Dispatch::new(frame, &comparison, TIE)?;
        Some((comparison, dispatch))
    }

    /// The table of a comparison. A lead of up to `threshold`, or within the spread of both, counts as a tie. `None`
    /// where no GEMM has two sides, one is what others reach, or sides ran on different devices: nobody can choose between these
    /// call by call.
    pub fn new(frame: &Frame, comparison: &Comparison, threshold: f64) -> Option<Dispatch> {
        let found = Dispatch::over(comparison, threshold);
        let device =
            |s: &SideSample| comparison.rows_of(s).first().map(|r| frame.device(*r as usize));
        let apart = |c: usize| {
            let mut devices = comparison.samples(c).iter().map(|s| device(&s.1));
            let first = devices.next();
            devices.any(|device| Some(device) != first)
        };
        let several =
            found.shared > 0 && !comparison.setup.published && !(0..comparison.len()).any(apart);
        several.then_some(found)
    }

    fn over(comparison: &Comparison, threshold: f64) -> Dispatch {
        let sides = comparison.setup.sides.len();
        let complete = comparison.matched > 0;
        let is_shared = |c: usize, baseline: usize| match comparison.samples(c).len() {
            n if complete => n == sides,
            n => n > 1 && comparison.sample(c, baseline).is_some(),
        };
        let all = || 0..comparison.len();
        let total = |side: usize| -> f64 {
            let shared = all().filter(|c| is_shared(*c, side));
            let of = |c| Some(comparison.sample(c, side)?.time_s * calls(comparison.samples(c)));
            shared.filter_map(of).sum()
        };
        let ran = |side: usize| all().filter(|c| is_shared(*c, side)).count();
        // If sides ran different GEMMs, the one that ran most is the baseline that others add to.
        let baseline =
            (0..sides).min_by(|a, b| ran(*b).cmp(&ran(*a)).then(total(*a).total_cmp(&total(*b))));
        let Some(baseline) = baseline else {
            return Dispatch::default();
        };
        let mut out = Dispatch {
            names: comparison.names.clone(),
            baseline,
            used: vec![0; sides],
            used_s: vec![0.0; sides],
            ..Dispatch::default()
        };
        let mut ran = vec![(0, 0.0); sides];
        for c in all() {
            let Some(pick) = pick(comparison, c, (baseline, threshold)) else { continue };
            if is_shared(c, baseline) {
                out.shared += 1;
                match pick.ties {
                    true => out.ties += 1,
                    false => out.used[pick.side] += 1,
                }
                out.time_s += pick.time_s * pick.calls;
                out.used_s[pick.side] += pick.time_s * pick.calls;
                for (side, sample) in comparison.samples(c) {
                    let (n, total_s) = &mut ran[usize::from(*side)];
                    *n += 1;
                    *total_s += sample.time_s * pick.calls;
                }
                out.baseline_s += pick.baseline_s.unwrap_or(pick.time_s) * pick.calls;
            }
            out.picks.push(pick);
        }
        let total = |(n, total_s)| (n == out.shared).then_some(total_s);
        out.totals_s = ran.into_iter().map(total).collect();
        out
    }

    /// Time of the baseline / time with the choices.
    pub fn ratio(&self) -> f64 {
        self.baseline_s / self.time_s
    }

    /// Choices, largest saving first.
    pub fn ranked(&self) -> Vec<&Pick> {
        let saves = |pick: &Pick| pick.saves_s().unwrap_or(0.0);
        let mut ranked: Vec<&Pick> = self.picks.iter().collect();
        ranked.sort_by(|a, b| {
            saves(b).total_cmp(&saves(a)).then(a.configuration.cmp(&b.configuration))
        });
        ranked
    }

    /// One line per choice, largest saving first.
    pub fn lines(&self, frame: &Frame, comparison: &Comparison) -> Vec<DispatchLine> {
        let ranked = self.ranked().into_iter();
        ranked.map(|p| DispatchLine::of(frame, comparison, self, p)).collect()
    }
}

/// Names of default libraries by priority; a side is the default if its name contains one.
const DEFAULTS: [&str; 7] =
    ["default", "heuristic", "aten", "cublaslt", "cublas", "hipblaslt", "rocblas"];

/// Regretted if slower than the best by more than this fraction.
const REGRET: f64 = 0.1;

/// Cost of leaving the choice to the default library.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret {
    /// Name of the default side.
    pub side: String,
    /// Number of GEMMs on which it is over 10 % slower than the best.
    pub slow: u64,
    /// Number of GEMMs that it and another side ran.
    pub all: u64,
    /// Fraction of its time in the slow ones.
    pub share: f64,
}

impl Regret {
    /// `None` if no side is a default, or it shares no GEMM with another.
    pub fn of(comparison: &Comparison) -> Option<Regret> {
        let names: Vec<String> = comparison.names.iter().map(|name| name.to_lowercase()).collect();
        let side = DEFAULTS.iter().find_map(|d| names.iter().position(|name| name.contains(d)))?;
        let (mut slow, mut all) = ((0u64, 0.0), (0u64, 0.0));
        for c in 0..comparison.len() {
            let samples = comparison.samples(c);
            let Some(own) = comparison.sample(c, side).filter(|_| samples.len() > 1) else {
                continue;
            };
            let best_s = samples.iter().map(|s| s.1.time_s).fold(f64::INFINITY, f64::min);
            let time_s = own.time_s * calls(samples);
            all = (all.0 + 1, all.1 + time_s);
            if own.time_s > (1.0 + REGRET) * best_s {
                slow = (slow.0 + 1, slow.1 + time_s);
            }
        }
        (all.0 > 0).then(|| Regret {
            side: comparison.names[side].clone(),
            slow: slow.0,
            all: all.0,
            share: slow.1 / all.1,
        })
    }
}

/// One line of the table. Texts are "" if the data has none.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DispatchLine {
    /// Rows of the output.
    pub m: u32,
    /// Columns of the output.
    pub n: u32,
    /// The dimension summed over.
    pub k: u32,
    /// Batch: independent products.
    pub batch: u32,
    /// Types: `bf16`.
    pub types: String,
    /// Layout: `NT`.
    pub layout: &'static str,
    /// Epilogue: ` + bias`.
    pub epilogue: &'static str,
    /// Name of the device, if there are several.
    pub device: String,
    /// The chosen side.
    pub side: String,
    /// Its kernel.
    pub kernel: String,
    /// Index or name of its solution.
    pub solution: String,
    /// Seconds of one call.
    pub time_s: f64,
    /// Time of the fastest other side / its own time.
    pub lead: Option<f64>,
    /// Number of calls.
    pub calls: f64,
    /// Seconds saved over the baseline, over all calls.
    pub saves_s: Option<f64>,
}

impl DispatchLine {
    fn of(frame: &Frame, comparison: &Comparison, all: &Dispatch, pick: &Pick) -> DispatchLine {
        let (data, r) = (&*frame.data, pick.row as usize);
        let op = &data.ops[usize::from(data.op[r])];
        let kernel = match data.column(ColumnMeaning::Kernel) {
            Some(column) => text_of(column, r),
            None => String::new(),
        };
        let device = match comparison.on_one_device {
            true => String::new(),
            false => frame.device_name(data.device[r]).to_owned(),
        };
        DispatchLine {
            m: data.m[r],
            n: data.n[r],
            k: data.k[r],
            batch: data.batch[r],
            types: op.types(),
            layout: op.layout(),
            epilogue: op.epilogue(),
            device,
            side: all.names[pick.side].clone(),
            kernel,
            solution: solution_column(data).map_or_else(String::new, |c| text_of(c, r)),
            time_s: pick.time_s,
            lead: pick.lead,
            calls: pick.calls,
            saves_s: pick.saves_s(),
        }
    }
}

/// Column of solution indices, under the names that benchmarks of hipBLASLt and rocBLAS use.
fn solution_column(data: &Dataset) -> Option<&Column> {
    let is_index = |c: &&Column| {
        let words = c.label.to_lowercase().replace(['_', '-'], " ");
        c.meaning != ColumnMeaning::Kernel && words.contains("solution") && words.contains("index")
    };
    data.columns.iter().find(is_index)
}

/// A cell as text; "" if empty.
fn text_of(column: &Column, row: usize) -> String {
    match &column.data {
        ColumnData::Text { codes, values } => values[codes[row] as usize].clone(),
        ColumnData::Number(values) => match values[row] {
            v if v.is_nan() => String::new(),
            v => v.to_string(),
        },
    }
}

/// Number of calls: the first side's for all sides, or they would be different workloads.
fn calls(samples: &[(u16, SideSample)]) -> f64 {
    samples.first().map_or(1.0, |s| s.1.calls)
}

/// Chooses the side for a configuration: the fastest, and of equal ones the baseline.
fn pick(
    comparison: &Comparison,
    configuration: usize,
    (baseline, threshold): (usize, f64),
) -> Option<Pick> {
    let samples = comparison.samples(configuration);
    let first = usize::from(samples.first()?.0);
    let best = fastest(comparison, configuration).map_or(first, |(side, _)| side);
    let best_sample = comparison.sample(configuration, best)?;
    let own = comparison.sample(configuration, baseline);
    let equal = own.filter(|own| own.time_s <= best_sample.time_s);
    let (side, sample) = equal.map_or((best, best_sample), |own| (baseline, own));
    let others = || samples.iter().filter(|s| usize::from(s.0) != side).map(|s| &s.1);
    let next_s = others().map(|s| s.time_s).fold(f64::INFINITY, f64::min);
    let of = |s: &SideSample| (s.time_s, s.spread_s);
    let ties = others().any(|other| verdict(threshold, of(sample), of(other)) != DuelVerdict::A);
    Some(Pick {
        configuration,
        side,
        row: *comparison.rows_of(sample).first()?,
        time_s: sample.time_s,
        calls: calls(samples),
        baseline_s: own.map(|own| own.time_s),
        lead: Some(next_s / sample.time_s).filter(|lead| lead.is_finite()),
        ties,
    })
}

#[cfg(test)]
mod tests;
