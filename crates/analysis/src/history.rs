//! Runs over time: a line a GEMM, and the runs at which it changed.
//!
//! A run is a file (or the rows of one commit, date or run number in a file), and several runs of the same GEMMs in
//! order are a history. So are the generations of a tuning file, where a GEMM's point is the best of a generation.
//! Points are the sides of a [`Comparison`], so repeats, variants and ambiguous rows count as they do there.
//!
//! A change counts only beyond what does not change: the spread of the repeats on both sides, the spread between runs
//! of one commit and between neighbouring runs, and, where the host changes, the spread between hosts.

mod change;
mod runs;

pub use change::{ChangePoint, ChangeVerdict};
pub use runs::{RunKind, RunSeries, stated};

use crate::compare::{Comparison, Setup, value_counts};
use change::{Spreads, changes, neighbours};
use gemmscope_table::dataset::{ColumnMeaning, RunInfo};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::stats::median;
use serde::Serialize;

/// Default of the smallest relative change that is a change.
pub const LEAST_CHANGE: f64 = 0.02;

/// The time of a GEMM in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// Index of the run.
    pub run: usize,
    /// Median time of a call, seconds. Of the line of all GEMMs: relative to the usual run.
    pub time_s: f64,
    /// Spread of its repeats, seconds; NaN if unknown.
    pub spread_s: f64,
}

/// A GEMM, or the geometric mean of all, over the runs that have it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryLine {
    /// Index into the [`Comparison`]; `None` for the line of all GEMMs.
    pub configuration: Option<usize>,
    /// Calls that a point stands for.
    pub calls: f64,
    /// Its points, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Where its level changes, or seems to, oldest first.
    pub changes: Vec<ChangePoint>,
    /// Relative spread between neighbouring runs; NaN for fewer than three runs.
    pub between: f64,
}

impl HistoryLine {
    /// The changes beyond all spreads.
    pub fn real(&self) -> impl Iterator<Item = &ChangePoint> {
        self.changes.iter().filter(|c| c.verdict == ChangeVerdict::Change)
    }

    /// Seconds that its changes cost in all its calls; negative where it became faster.
    pub fn lost_s(&self) -> f64 {
        self.real().map(|c| (c.after_s - c.before_s) * self.calls).sum()
    }
}

/// Relative change of each value against the one before it.
pub fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|w| w[1] / w[0] - 1.0).collect()
}

/// The same GEMMs in several runs.
#[derive(Clone, Debug)]
pub struct RunHistory {
    /// The runs, oldest first.
    pub runs: RunSeries,
    /// The runs as sides.
    pub comparison: Comparison,
    /// The GEMMs that at least two runs have.
    pub lines: Vec<HistoryLine>,
    /// The geometric mean of their times, each relative to its own median run.
    pub all: HistoryLine,
    /// What does not count as a change.
    pub spreads: Spreads,
    /// Smallest relative change that is one.
    pub least: f64,
}

impl RunHistory {
    /// The history in the rows of a frame; `None` if they are of one run. A smaller change than `least` is none.
    pub fn of(frame: &Frame, least: f64) -> Option<RunHistory> {
        Some(RunHistory::new(frame, RunSeries::of(frame)?, least))
    }

    /// The history of these runs.
    pub fn new(frame: &Frame, runs: RunSeries, least: f64) -> RunHistory {
        let setup = Setup {
            side: runs.side.clone(),
            sides: runs.values.clone(),
            keys: keys(frame, &runs.side),
            published: false,
        };
        let comparison = Comparison::new(frame, &setup);
        let mut lines: Vec<HistoryLine> =
            (0..comparison.len()).filter_map(|c| line(&comparison, c)).collect();
        let spreads = Spreads::of(&lines, &runs.infos);
        let mut all = mean(&lines, runs.infos.len());
        // Generations are no runs of one thing: each step of theirs is meant.
        if !matches!(runs.kind, RunKind::Generations(_)) {
            for line in &mut lines {
                line.changes = changes(&line.points, &runs.infos, &spreads, least);
            }
            let of_mean = Spreads::of(std::slice::from_ref(&all), &runs.infos);
            all.changes = changes(&all.points, &runs.infos, &of_mean, least);
        }
        RunHistory { runs, comparison, lines, all, spreads, least }
    }

    /// Lines with a change, the most lost or saved seconds first.
    pub fn movers(&self) -> Vec<&HistoryLine> {
        let mut out: Vec<&HistoryLine> =
            self.lines.iter().filter(|l| l.real().next().is_some()).collect();
        out.sort_by(|a, b| b.lost_s().abs().total_cmp(&a.lost_s().abs()));
        out
    }

    /// The GEMMs that the newest run shows to be slower: their last level is above the one before, and without the
    /// newest run this change did not show. Most lost seconds first.
    pub fn slower_now(&self) -> Vec<(&HistoryLine, ChangePoint)> {
        let newest = self.runs.infos.len().saturating_sub(1);
        let mut out: Vec<(&HistoryLine, ChangePoint)> = Vec::new();
        for line in &self.lines {
            let Some((last, before)) = line.points.split_last().filter(|p| p.0.run == newest)
            else {
                continue;
            };
            let Some(change) = line.changes.last().filter(|c| {
                c.verdict == ChangeVerdict::Change && c.longer > 0.0 && c.run <= last.run
            }) else {
                continue;
            };
            let known = changes(before, &self.runs.infos, &self.spreads, self.least);
            let same = |c: &&ChangePoint| {
                c.verdict == ChangeVerdict::Change
                    && c.longer > 0.0
                    && c.run.abs_diff(change.run) < 2
            };
            if !known.iter().any(|c| same(&c)) {
                out.push((line, *change));
            }
        }
        let lost = |of: &(&HistoryLine, ChangePoint)| (of.1.after_s - of.1.before_s) * of.0.calls;
        out.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
        out
    }

    /// Configurations that the run before the newest has and the newest lacks.
    pub fn gone(&self) -> Vec<usize> {
        let Some(newest) = self.runs.infos.len().checked_sub(1).filter(|n| *n > 0) else {
            return Vec::new();
        };
        let has = |c: &usize, run| self.comparison.sample(*c, run).is_some();
        let all = 0..self.comparison.len();
        all.filter(|c| has(c, newest - 1) && !has(c, newest)).collect()
    }

    /// Total time of each run over the GEMMs that the newest run shares with all that are returned, seconds: runs that
    /// lack one of its GEMMs are left out. Oldest first, the newest last.
    pub fn totals(&self) -> Vec<(usize, f64)> {
        let n = self.runs.infos.len();
        let Some(newest) = n.checked_sub(1) else { return Vec::new() };
        let of_newest: Vec<usize> = (0..self.comparison.len())
            .filter(|c| self.comparison.sample(*c, newest).is_some())
            .collect();
        let total = |run: usize| {
            let time = |c: &usize| {
                let now = self.comparison.sample(*c, newest)?;
                Some(self.comparison.sample(*c, run)?.time_s * now.calls)
            };
            of_newest.iter().map(time).sum::<Option<f64>>().filter(|s| *s > 0.0)
        };
        (0..n).filter_map(|run| Some((run, total(run)?))).collect()
    }

    /// The name of a line: its GEMM; "" for the line of all.
    pub fn label(&self, frame: &Frame, line: &HistoryLine) -> String {
        line.configuration.map_or_else(String::new, |c| self.comparison.label(frame, c))
    }
}

/// A line is of one GEMM on one device by one library.
fn keys(frame: &Frame, side: &Field) -> Vec<Field> {
    let mut keys = vec![Field::Shape, Field::Dtype, Field::Transposes];
    let library = frame.data.column(ColumnMeaning::Library);
    let more = [Some(Field::Device), library.map(|c| Field::Column(c.key.clone()))];
    keys.extend(more.into_iter().flatten());
    keys.retain(|k| {
        k != side
            && (matches!(k, Field::Shape | Field::Dtype | Field::Transposes)
                || value_counts(frame, k).len() > 1)
    });
    keys
}

/// The line of a configuration; `None` if fewer than two runs have it.
fn line(comparison: &Comparison, configuration: usize) -> Option<HistoryLine> {
    let samples = comparison.samples(configuration);
    let (_, last) = samples.last().filter(|_| samples.len() > 1)?;
    let points: Vec<HistoryPoint> = samples
        .iter()
        .map(|(run, s)| HistoryPoint {
            run: usize::from(*run),
            time_s: s.time_s,
            spread_s: s.spread_s,
        })
        .collect();
    let between = neighbours(&points, None);
    let (configuration, calls) = (Some(configuration), last.calls);
    Some(HistoryLine { configuration, calls, points, changes: Vec::new(), between })
}

/// The geometric mean over the lines, each relative to its median.
fn mean(lines: &[HistoryLine], runs: usize) -> HistoryLine {
    // By run: sum of logarithms, sum of squared relative spreads, number of lines.
    let mut sums = vec![(0.0, 0.0, 0u32); runs];
    for line in lines {
        let usual = median(&mut line.points.iter().map(|p| p.time_s).collect::<Vec<f64>>());
        for p in &line.points {
            let sum = &mut sums[p.run];
            let spread = p.spread_s / p.time_s;
            sum.0 += (p.time_s / usual).ln();
            sum.1 += if spread.is_finite() { spread * spread } else { 0.0 };
            sum.2 += 1;
        }
    }
    let point = |(run, &(logs, squares, n)): (usize, &(f64, f64, u32))| {
        let time_s = (logs / f64::from(n)).exp();
        (n > 0).then(|| HistoryPoint {
            run,
            time_s,
            spread_s: time_s * squares.sqrt() / f64::from(n),
        })
    };
    let points: Vec<HistoryPoint> = sums.iter().enumerate().filter_map(point).collect();
    let between = neighbours(&points, None);
    HistoryLine { configuration: None, calls: 1.0, points, changes: Vec::new(), between }
}

/// Name of a run: its commit, else its own name, else its date; "" if nothing is known.
fn name_of(run: &RunInfo) -> &str {
    [&run.commit, &run.run, &run.when]
        .into_iter()
        .find(|t| !t.is_empty())
        .map_or("", String::as_str)
}

#[cfg(test)]
mod tests;
