//! Where the level of a line changes, beyond what does not change.

use super::{HistoryLine, HistoryPoint};
use gemmscope_table::dataset::RunInfo;
use gemmscope_table::stats::{is_noise, median};
use serde::Serialize;

/// How a step between two levels is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// Beyond all spreads.
    Change,
    /// Within the spread of the repeats of both sides.
    WithinRepeats,
    /// Within the spread between runs: of one commit, or of neighbours.
    WithinRuns,
    /// Within the spread between hosts that ran one commit.
    WithinHosts,
    /// The host changes with it, and no commit ran on both.
    OtherHost,
    /// There are only two runs: nothing tells how far runs differ by themselves.
    TooFew,
}

/// A step from one level to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ChangePoint {
    /// Index of the first run of the new level.
    pub run: usize,
    /// Median time before, seconds.
    pub before_s: f64,
    /// Median time from here to the next change, seconds.
    pub after_s: f64,
    /// Relative change of the time: after / before - 1.
    pub longer: f64,
    /// Whether it is one.
    pub verdict: ChangeVerdict,
}

/// Relative spreads between runs; NaN where the runs do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spreads {
    /// Between runs of one commit on one host: the largest difference of a GEMM, the median of all GEMMs.
    pub same_commit: f64,
    /// Between neighbouring runs: three standard deviations, the median of all GEMMs with at least four runs.
    pub neighbours: f64,
    /// Between hosts that ran one commit: the largest difference of a GEMM, the median of all GEMMs.
    pub hosts: f64,
}

/// Scales the median distance of neighbours to the standard deviation of a normal distribution.
const STEP_TO_SIGMA: f64 = 1.048;
/// Standard deviations within which a step between neighbours is nothing new.
const SIGMAS: f64 = 3.0;

impl Spreads {
    /// The spreads that most of the lines show.
    pub(super) fn of(lines: &[HistoryLine], runs: &[RunInfo]) -> Spreads {
        let usual = |of: &dyn Fn(&HistoryLine) -> f64| {
            median(&mut lines.iter().map(of).filter(|v| !v.is_nan()).collect::<Vec<f64>>())
        };
        let of_four = |line: &HistoryLine| match line.points.len() {
            4.. => line.between,
            _ => f64::NAN,
        };
        Spreads {
            same_commit: usual(&|line| same_commit(&line.points, runs, false)),
            neighbours: usual(&of_four),
            hosts: usual(&|line| same_commit(&line.points, runs, true)),
        }
    }
}

/// Largest relative distance between two runs of one commit, of one host or of different ones; NaN if no commit ran
/// twice so.
fn same_commit(points: &[HistoryPoint], runs: &[RunInfo], hosts: bool) -> f64 {
    let mut out = f64::NAN;
    for (at, a) in points.iter().enumerate() {
        for b in &points[..at] {
            let (x, y) = (&runs[a.run], &runs[b.run]);
            let one = !x.commit.is_empty() && x.commit == y.commit;
            if one && (x.host != y.host) == hosts {
                // `max` drops the NaN.
                out = out.max((a.time_s / b.time_s).ln().abs());
            }
        }
    }
    out
}

/// Relative spread between neighbouring runs, without the step to the point `but`; NaN if nothing is left.
pub(super) fn neighbours(points: &[HistoryPoint], but: Option<usize>) -> f64 {
    let steps = points.windows(2).enumerate().filter(|(at, _)| Some(at + 1) != but);
    let mut steps: Vec<f64> = steps.map(|(_, w)| (w[1].time_s / w[0].time_s).ln().abs()).collect();
    SIGMAS * STEP_TO_SIGMA * median(&mut steps)
}

/// The points with single outliers put between their neighbours, as logarithms of their times. Levels keep their edges.
fn smoothed(points: &[HistoryPoint]) -> Vec<f64> {
    let logs: Vec<f64> = points.iter().map(|p| p.time_s.ln()).collect();
    let middle = |at: usize| match (at.checked_sub(1), logs.get(at + 1)) {
        (Some(before), Some(next)) => median(&mut [logs[before], logs[at], *next]),
        _ => logs[at],
    };
    (0..logs.len()).map(middle).collect()
}

/// The changes of level of a line, oldest first: real ones, and where there is none between two of these, the largest
/// step of at least `least` with the reason why it is none.
pub(super) fn changes(
    points: &[HistoryPoint],
    runs: &[RunInfo],
    spreads: &Spreads,
    least: f64,
) -> Vec<ChangePoint> {
    let search = Search { points, runs, spreads, least, smooth: smoothed(points) };
    let mut found = Vec::new();
    search.part(0, points.len(), &mut found);
    found.sort_by_key(|at| at.0);
    // Levels go from real change to real change.
    let real: Vec<usize> =
        found.iter().filter(|f| f.1 == ChangeVerdict::Change).map(|f| f.0).collect();
    let level = |at: usize| {
        let next = real.partition_point(|r| *r <= at);
        let start = next.checked_sub(1).map_or(0, |before| real[before]);
        (start, real.get(next).copied().unwrap_or(points.len()))
    };
    let change = |(at, verdict): (usize, ChangeVerdict)| {
        let (start, end) = match verdict {
            ChangeVerdict::Change => (level(at - 1).0, level(at).1),
            _ => level(at),
        };
        let (before_s, after_s) = (search.level(start, at), search.level(at, end));
        let longer = after_s / before_s - 1.0;
        ChangePoint { run: points[at].run, before_s, after_s, longer, verdict }
    };
    found.into_iter().map(change).collect()
}

struct Search<'a> {
    points: &'a [HistoryPoint],
    runs: &'a [RunInfo],
    spreads: &'a Spreads,
    least: f64,
    smooth: Vec<f64>,
}

impl Search<'_> {
    /// Median time of some points.
    fn level(&self, start: usize, end: usize) -> f64 {
        median(&mut self.points[start..end].iter().map(|p| p.time_s).collect::<Vec<f64>>())
    }

    /// Splits the points from `start` to `end` where two levels fit best, and both parts again if that is a change.
    fn part(&self, start: usize, end: usize, found: &mut Vec<(usize, ChangeVerdict)>) {
        let Some(at) = self.best(start, end) else { return };
        let Some(verdict) = self.verdict((start, at, end)) else { return };
        found.push((at, verdict));
        if verdict == ChangeVerdict::Change {
            self.part(start, at, found);
            self.part(at, end, found);
        }
    }

    /// The split that leaves least squares around two means.
    fn best(&self, start: usize, end: usize) -> Option<usize> {
        let part = self.smooth.get(start..end)?;
        let (n, sum) = (part.len() as f64, part.iter().sum::<f64>());
        let (mut left, mut best) = (0.0, (0.0, None));
        for (i, value) in part.iter().enumerate().take(part.len().saturating_sub(1)) {
            left += value;
            let n_left = (i + 1) as f64;
            let apart = left / n_left - (sum - left) / (n - n_left);
            let score = n_left * (n - n_left) / n * apart * apart;
            if score > best.0 {
                best = (score, Some(start + i + 1));
            }
        }
        best.1
    }

    /// Whether the levels of both sides of `at` differ; `None` if by less than the least.
    fn verdict(&self, (start, at, end): (usize, usize, usize)) -> Option<ChangeVerdict> {
        let (before, after) = (self.level(start, at), self.level(at, end));
        let apart = (after / before).ln().abs();
        if apart.exp() - 1.0 < self.least * (1.0 - 1e-9) || !apart.is_finite() {
            return None;
        }
        let spread = |part: &[HistoryPoint]| {
            let of = part.iter().map(|p| p.spread_s / p.time_s).filter(|s| !s.is_nan());
            median(&mut of.collect::<Vec<f64>>())
        };
        let (left, right) = (&self.points[start..at], &self.points[at..end]);
        if is_noise(apart, [spread(left), spread(right)]) {
            return Some(ChangeVerdict::WithinRepeats);
        }
        let [last, first] = [left[left.len() - 1], right[0]].map(|p| &self.runs[p.run]);
        let moves = !last.host.is_empty() && !first.host.is_empty() && last.host != first.host;
        if !last.commit.is_empty() && last.commit == first.commit {
            return Some(if moves {
                ChangeVerdict::WithinHosts
            } else {
                ChangeVerdict::WithinRuns
            });
        }
        let hosts = self.spreads.hosts;
        if moves && (hosts.is_nan() || apart <= hosts) {
            let known = !hosts.is_nan();
            return Some(if known { ChangeVerdict::WithinHosts } else { ChangeVerdict::OtherHost });
        }
        let own = neighbours(&self.points[start..end], Some(at - start));
        let same = same_commit(self.points, self.runs, false);
        // `max` drops what is not known.
        let runs = own.max(same).max(self.spreads.neighbours).max(self.spreads.same_commit);
        Some(match runs.is_nan() {
            true => ChangeVerdict::TooFew,
            false if apart <= runs => ChangeVerdict::WithinRuns,
            false => ChangeVerdict::Change,
        })
    }
}
