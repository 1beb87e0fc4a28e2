//! What rows show of how they were measured: a time that holds the launch, that rises from run to run, or that
//! the timer cannot tell from others.
//!
//! Rows are judged in series: those of one file and library on one device, in the order of the file.

use super::device_rows::RowsTime;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use std::collections::HashMap;

/// Series with fewer rows show nothing. Longer ones, and more of them, would hold up a page: what is said of the first is
/// enough to know how a file was measured.
const LEAST: usize = 10;
const MOST: usize = 1 << 14;
const SERIES: usize = 16;

/// Times within this ratio are alike.
const ALIKE: f64 = 1.3;
/// At most this share of the rows is faster than those that are alike: else they are not the floor.
const FASTER: f64 = 0.05;
/// The floor is at least so many launches long.
const LAUNCHES: f64 = 3.0;
/// What is alike in time differs in bytes, and in K, by at least so much.
const BYTES_RANGE: f64 = 8.0;
const K_RANGE: f64 = 1.5;
/// Up to this rank correlation time does not follow a size.
const UNRELATED: f64 = 0.3;
/// Seconds of a launch where no device is known.
const LAUNCH_S: f64 = 4.5e-6;

/// Repeats that show a drift, the share of them that go one way, and the change that matters.
const REPEATS: usize = 20;
const ONE_WAY: f64 = 0.85;
const DRIFTS: f64 = 0.02;

/// GEMMs whose times are equal, and how far off the next time is, where a timer's step is the reason.
const EQUAL: usize = 3;
const STEP: f64 = 0.02;
const WORK_RANGE: f64 = 2.0;

/// The series of one device.
#[derive(Clone, Debug, Default)]
pub(super) struct AllSeries(Vec<((u16, u32), Vec<u32>)>);

impl AllSeries {
    /// Adds a row with a time; `library` is the code of its library.
    pub(super) fn add(&mut self, source: u16, library: u32, row: u32) {
        let key = (source, library);
        let at = match self.0.iter().position(|(of, _)| *of == key) {
            Some(at) => at,
            None if self.0.len() == SERIES => return,
            None => {
                self.0.push((key, Vec::new()));
                self.0.len() - 1
            }
        };
        let rows = &mut self.0[at].1;
        if rows.len() <= MOST {
            rows.push(row);
        }
    }

    fn judged(&self) -> impl Iterator<Item = &[u32]> {
        let fit = |rows: &&[u32]| (LEAST..=MOST).contains(&rows.len());
        self.0.iter().map(|(_, rows)| rows.as_slice()).filter(fit)
    }

    /// Rows whose time holds the launch.
    pub(super) fn plateau(&self, frame: &Frame) -> Measured<Plateau> {
        let mut out = Measured::default();
        // A profiler's kernel times hold none.
        let timed = |rows: &&[u32]| {
            let source = usize::from(frame.data.source[rows[0] as usize]);
            !frame.data.sources[source].times_kernels()
        };
        for rows in self.judged().filter(timed) {
            let (tells, found) = plateau(frame, rows);
            out.tells |= tells;
            if let Some((part, plateau)) = found {
                out.rows.join(&part);
                let other = out.found.get_or_insert(plateau);
                other.low_s = other.low_s.min(plateau.low_s);
                other.high_s = other.high_s.max(plateau.high_s);
                other.bytes_range = other.bytes_range.max(plateau.bytes_range);
            }
        }
        out
    }

    /// How the time of the same GEMM changes from its first run to its last: the median of `last / first - 1`.
    pub(super) fn drift(&self, frame: &Frame) -> Measured<f64> {
        let mut out = Measured::default();
        // Variants of a kernel, or calls of a program, are not the same measurement again.
        let counted = frame.counted();
        if counted.sides.iter().any(|side| side.variants || side.program) {
            return out;
        }
        for rows in self.judged() {
            let (steps, runs) = repeats(&frame.data, rows);
            if steps.len() < REPEATS {
                continue;
            }
            out.tells = true;
            let rising = steps.iter().filter(|s| **s > 1.0).count() as f64;
            let one_way = rising.max(steps.len() as f64 - rising) >= ONE_WAY * steps.len() as f64;
            let mut changes: Vec<f64> =
                runs.iter().map(|(first, last)| last / first - 1.0).collect();
            changes.sort_by(f64::total_cmp);
            let change = changes[changes.len() / 2];
            if one_way && change.abs() > DRIFTS {
                runs.iter().for_each(|(first, last)| out.rows.add(first + last));
                out.found = Some(change);
            }
        }
        out
    }

    /// Rows whose time is exactly that of GEMMs of other sizes, with the next time far off.
    pub(super) fn timer_step(&self, frame: &Frame) -> Measured<()> {
        let mut out = Measured::default();
        for rows in self.judged() {
            out.tells = true;
            let times = sorted(frame, rows);
            for equal in times.chunk_by(|a, b| a.0 == b.0).filter(|e| e.len() >= EQUAL) {
                let (time, at) = (equal[0].0, times.partition_point(|t| t.0 < equal[0].0));
                let before = at.checked_sub(1).map(|i| times[i].0);
                let after = times.get(at + equal.len()).map(|t| t.0);
                let apart = |t: f64| (t / time - 1.0).abs() >= STEP;
                let works = equal.iter().map(|(_, r)| frame.metrics.work(&frame.data, *r as usize));
                if before.is_none_or(apart) && after.is_none_or(apart) && range(works) >= WORK_RANGE
                {
                    equal
                        .iter()
                        .for_each(|(time, row)| out.rows.add(time * frame.calls(*row as usize)));
                    out.found = Some(());
                }
            }
        }
        out
    }
}

/// What was looked for in the series of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured<T> {
    /// Some series could have shown it.
    pub(super) tells: bool,
    pub(super) found: Option<T>,
    /// The rows that show it.
    pub(super) rows: RowsTime,
}

impl<T> Default for Measured<T> {
    fn default() -> Self {
        Measured { tells: false, found: None, rows: RowsTime::default() }
    }
}

/// Times that do not fall with the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plateau {
    /// The shortest and longest of them, seconds.
    pub(super) low_s: f64,
    pub(super) high_s: f64,
    /// The most bytes of their GEMMs over the fewest.
    pub(super) bytes_range: f64,
}

/// Time and row, by time.
fn sorted(frame: &Frame, rows: &[u32]) -> Vec<(f64, u32)> {
    let mut times: Vec<(f64, u32)> =
        rows.iter().map(|r| (frame.data.time_s[*r as usize], *r)).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    times
}

/// The largest over the smallest.
fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    high / low
}

/// Whether a series can show a plateau at all, and the one that it has.
fn plateau(frame: &Frame, rows: &[u32]) -> (bool, Option<(RowsTime, Plateau)>) {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let bytes = |r: u32| metrics.bytes(data, r as usize);
    let k = |r: u32| f64::from(data.k[r as usize]);
    let varied = |of: &[(f64, u32)]| {
        let bytes_range = range(of.iter().map(|t| bytes(t.1)));
        (bytes_range >= BYTES_RANGE && range(of.iter().map(|t| k(t.1))) >= K_RANGE)
            .then_some(bytes_range)
    };
    let times = sorted(frame, rows);
    if varied(&times).is_none() {
        return (false, None);
    }
    // Where most times are alike.
    let (mut best, mut end) = (0..0, 0);
    for start in 0..times.len() {
        while end < times.len() && times[end].0 <= ALIKE * times[start].0 {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    let alike = &times[best.clone()];
    let device = metrics.devices[usize::from(data.device[rows[0] as usize])].as_ref();
    let launch_s = device.map_or(LAUNCH_S, |d| d.launch_floor().0);
    let floor = best.start as f64 <= FASTER * times.len() as f64
        && alike.len() >= LEAST
        && alike[0].0 >= LAUNCHES * launch_s;
    let follows = |of: &dyn Fn(u32) -> f64| {
        let pairs = alike.iter().map(|(time, row)| (*time, of(*row)));
        rank_correlation(pairs) > UNRELATED
    };
    let Some(bytes_range) = varied(alike).filter(|_| floor && !follows(&bytes) && !follows(&k))
    else {
        return (true, None);
    };
    let mut part = RowsTime::default();
    alike.iter().for_each(|(time, row)| part.add(time * frame.calls(*row as usize)));
    let found = Plateau { low_s: alike[0].0, high_s: alike[alike.len() - 1].0, bytes_range };
    (true, Some((part, found)))
}

/// Of GEMMs that a series has several times: each run over the one before, and the first and last time of each.
fn repeats(data: &Dataset, rows: &[u32]) -> (Vec<f64>, Vec<(f64, f64)>) {
    let mut seen: HashMap<_, (f64, f64, bool)> = HashMap::new();
    let mut steps = Vec::new();
    for r in rows.iter().map(|r| *r as usize) {
        let key = (data.m[r], data.n[r], data.k[r], data.batch[r], data.op[r]);
        let time = data.time_s[r];
        match seen.get_mut(&key) {
            None => drop(seen.insert(key, (time, time, false))),
            Some((_, last, again)) => {
                if time != *last {
                    steps.push(time / *last);
                }
                (*last, *again) = (time, true);
            }
        }
    }
    let runs = seen.into_values().filter(|(.., again)| *again);
    (steps, runs.map(|(first, last, _)| (first, last)).collect())
}

/// Spearman's rank correlation of pairs; 0 where one of the two never changes.
fn rank_correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let (a, b) = (ranks(&a), ranks(&b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let sum = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let norm = (sum(&a, &a) * sum(&b, &b)).sqrt();
    if norm > 0.0 { sum(&a, &b) / norm } else { 0.0 }
}

/// The rank of each value; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut at = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = at as f64 + (equal.len() as f64 - 1.0) / 2.0;
        equal.iter().for_each(|i| ranks[*i] = rank);
        at += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate() {
        let of = |b: [f64; 4]| rank_correlation([1.0, 2.0, 3.0, 9.0].into_iter().zip(b));
        assert_eq!(of([1.0, 5.0, 6.0, 7.0]), 1.0);
        assert_eq!(of([4.0, 3.0, 2.0, 1.0]), -1.0);
        assert_eq!(of([4.0; 4]), 0.0);
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
    }
}
