//! Estimates the time of a GEMM from its neighbours in a table.

use super::packed::{self, Shape};
use super::{ReferenceSource, roof};
use crate::gemm::Problem;
use crate::roofline::Roof;
use std::ops::Range;
use std::sync::OnceLock;

/// Neighbours per estimate.
const NEIGHBOURS: usize = 4;

/// Estimate of what others reach for a GEMM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceTime {
    /// Seconds of one call.
    pub time_s: f64,
    /// Error of the table's estimates as a factor: 1.05 is 5 %.
    pub error: f64,
    /// The table.
    pub source: &'static ReferenceSource,
    /// Index of the software that ran the nearest shape, in [`ReferenceSource::by`].
    by: u8,
}

impl ReferenceTime {
    /// Software, with version, that ran the nearest shape.
    pub fn by(&self) -> &'static str {
        self.source.by.get(usize::from(self.by)).map_or("", String::as_str)
    }

    /// Time at the slow end of the error, in seconds.
    pub fn slow_s(&self) -> f64 {
        self.time_s * self.error
    }

    /// How a call of this many seconds stands beside it.
    pub fn standing(&self, call_s: f64) -> Standing {
        Standing::of(call_s, self.time_s, self.error)
    }
}

crate::named! {
/// How a measured time stands beside the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Faster by more than twice the error: a sign to check the units, or to tell the world.
    Faster = "faster than published";
    /// Neither of the others.
    Near = "as published";
    /// Slower by more than the error.
    Slower = "slower than published";
}
/// All, the fastest first.
pub const ALL;
/// Its name for people, and in links.
pub fn label -> &'static str;
}

impl Standing {
    /// How a call of `call_s` seconds stands beside a published time in seconds, which is off by the factor `error`.
    pub fn of(call_s: f64, published_s: f64, error: f64) -> Standing {
        if call_s * (1.0 + 2.0 * (error - 1.0)) < published_s {
            Standing::Faster
        } else if call_s > published_s * error {
            Standing::Slower
        } else {
            Standing::Near
        }
    }
}

/// Times of one device and precision, indexed as a tree: N, then K within each N, then M within each K.
#[derive(Debug)]
pub struct ReferenceTable {
    source: &'static ReferenceSource,
    roof: Roof,
    ns: Vec<Line>,
    ks: Vec<Line>,
    points: Vec<Point>,
    /// log2 of the sizes of `ns`, `ks` and `points`.
    logs: [Vec<f32>; 3],
    band: OnceLock<Vec<BandAt>>,
}

/// Published rates around one arithmetic intensity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandAt {
    /// Arithmetic intensity, FLOP/byte.
    pub intensity: f64,
    /// Median of the rates, FLOP/s.
    pub p50: f64,
    /// 90th percentile of the rates, FLOP/s.
    pub p90: f64,
}

/// Intensity bins per decade.
const BAND_STEPS: f64 = 5.0;
/// Number of bins: up to an intensity of 100,000 FLOP/byte.
const BAND_LAST: usize = 26;
/// Minimum N and K in the band: narrower GEMMs are not layers of models, and their intensity says little about their
/// rate.
const BAND_SIZE: u32 = 512;
/// Minimum shapes of a bin.
const BAND_SHAPES: usize = 10;

/// One N or K, and its index range in the next level.
#[derive(Debug)]
struct Line {
    size: u32,
    part: Range<usize>,
}

impl Line {
    fn new(size: u32, at: usize) -> Line {
        Line { size, part: at..at }
    }
}

fn log2(size: u32) -> f32 {
    (size as f32).log2()
}

/// One shape.
#[derive(Clone, Copy, Debug)]
struct Point {
    m: u32,
    /// ln(time / roof time).
    over: f32,
    by: u8,
}

/// The nearest shapes found so far, the nearest first.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Squared distance in log2(M, N, K), index of the shape, and whether each size is within a factor of 2.
    found: [(f32, usize, bool); NEIGHBOURS],
    count: usize,
}

impl Near {
    /// Squared distance below which a shape can still be added.
    fn limit(&self) -> f32 {
        self.found[NEIGHBOURS - 1].0
    }

    fn add(&mut self, found: (f32, usize, bool)) {
        let at = self.found.partition_point(|other| other.0 <= found.0);
        if at < NEIGHBOURS {
            self.found[at..].rotate_right(1);
            self.found[at] = found;
            self.count = NEIGHBOURS.min(self.count + 1);
        }
    }
}

/// Walks ascending sizes outward from one size: yields index and squared log2 distance, the nearest first.
struct Outward<'a> {
    sizes: &'a [f32],
    part: Range<usize>,
    from: f32,
    /// Next index on either side.
    below: usize,
    above: usize,
}

impl<'a> Outward<'a> {
    fn new(sizes: &'a [f32], part: &Range<usize>, from: f32) -> Self {
        let above = part.start + sizes[part.clone()].partition_point(|size| *size < from);
        Outward { sizes, part: part.clone(), from, below: above, above }
    }
}

impl Iterator for Outward<'_> {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<(usize, f32)> {
        let distance = |at: usize| (at, (self.sizes[at] - self.from).powi(2));
        let down = (self.below > self.part.start).then(|| distance(self.below - 1));
        let up = (self.above < self.part.end).then(|| distance(self.above));
        let down_first = match (down, up) {
            (Some(down), Some(up)) => down.1 <= up.1,
            (down, _) => down.is_some(),
        };
        if down_first {
            self.below -= 1;
            down
        } else {
            self.above += 1;
            up
        }
    }
}

impl ReferenceTable {
    /// Decodes a table from its file.
    ///
    /// # Errors
    /// A sentence if the file is wrong or its device has no roof.
    pub fn read(source: &'static ReferenceSource, packed: &[u8]) -> Result<Self, String> {
        let shapes = packed::shapes(packed)?;
        if shapes.len() != source.rows as usize {
            return Err(format!("expected {} shapes, found {}", source.rows, shapes.len()));
        }
        let roof = roof(source).ok_or("its device has no roof")?;
        let op = source.precision.operation();
        let (mut ns, mut ks) = (Vec::<Line>::new(), Vec::<Line>::new());
        let mut points = Vec::with_capacity(shapes.len());
        for Shape { n, k, m, time_s, by } in shapes {
            let new_n = ns.last().is_none_or(|line| line.size != n);
            let new_k = new_n || ks.last().is_none_or(|line| line.size != k);
            if new_n {
                ns.push(Line::new(n, ks.len()));
            }
            if new_k {
                ks.push(Line::new(k, points.len()));
                ns.last_mut().into_iter().for_each(|line| line.part.end += 1);
            }
            ks.last_mut().into_iter().for_each(|line| line.part.end += 1);
            let roof_s = roof.problem_time_s(&Problem { m, n, k, batch: 1, op });
            let over = (time_s / roof_s).ln() as f32;
            points.push(Point { m, over, by });
        }
        let logs = [
            ns.iter().map(|line| log2(line.size)).collect(),
            ks.iter().map(|line| log2(line.size)).collect(),
            points.iter().map(|point| log2(point.m)).collect(),
        ];
        Ok(ReferenceTable { source, roof, ns, ks, points, logs, band: OnceLock::new() })
    }

    /// Metadata of the table.
    pub fn source(&self) -> &'static ReferenceSource {
        self.source
    }

    /// Number of shapes.
    pub fn rows(&self) -> usize {
        self.points.len()
    }

    /// Every shape with its time in seconds, sorted by N, K and M.
    pub fn each(&self) -> impl Iterator<Item = (Problem, f64)> + '_ {
        let op = self.source.precision.operation();
        let ks = self.ns.iter().flat_map(|n| self.ks[n.part.clone()].iter().map(|k| (n.size, k)));
        ks.flat_map(move |(n, k)| {
            self.points[k.part.clone()].iter().map(move |point| {
                let problem = Problem { m: point.m, n, k: k.size, batch: 1, op };
                (problem, self.roof.problem_time_s(&problem) * f64::from(point.over).exp())
            })
        })
    }

    /// Published rates per bin of arithmetic intensity, for GEMMs with N and K of 512 and more, ascending. Computed on
    /// first use.
    pub fn band(&self) -> &[BandAt] {
        self.band.get_or_init(|| {
            let mut steps: Vec<Vec<f64>> = vec![Vec::new(); BAND_LAST];
            for (p, time_s) in self.each().filter(|(p, _)| p.n.min(p.k) >= BAND_SIZE) {
                let step = (p.intensity().0.log10() * BAND_STEPS).round();
                // The lowest intensity, at M = 1, is about 1 FLOP/byte, so `step` is not negative.
                if let Some(rates) = steps.get_mut(step as usize) {
                    rates.push(p.work().0 / time_s);
                }
            }
            steps.iter_mut().for_each(|rates| rates.sort_by(f64::total_cmp));
            let known = (0..).zip(&steps).filter(|(_, rates)| rates.len() >= BAND_SHAPES);
            let at = |(step, rates): (i32, &Vec<f64>)| BandAt {
                intensity: 10f64.powf(f64::from(step) / BAND_STEPS),
                p50: rates[rates.len() / 2],
                p90: rates[rates.len() * 9 / 10],
            };
            known.map(at).collect()
        })
    }

    /// Estimated time of others for a problem of this table's precision, from the four nearest shapes in log2 of the
    /// sizes: roof time x the geometric mean of their time / roof time, weighted by `1 / distance^2`. `None` if fewer
    /// than two of them are within a factor of 2 in each size.
    pub fn time(&self, problem: &Problem) -> Option<ReferenceTime> {
        self.time_without(problem, None)
    }

    /// Like [`Self::time`], ignoring one shape.
    pub(super) fn time_without(
        &self,
        problem: &Problem,
        left_out: Option<usize>,
    ) -> Option<ReferenceTime> {
        let near = self.nearest(problem, left_out);
        let found = &near.found[..near.count];
        if found.iter().filter(|(.., inside)| *inside).count() < 2 {
            return None;
        }
        let (nearest_2, nearest, _) = found[0];
        let over = if nearest_2 == 0.0 {
            f64::from(self.points[nearest].over)
        } else {
            let weight = |distance_2: f32| 1.0 / f64::from(distance_2);
            let weights: f64 = found.iter().map(|near| weight(near.0)).sum();
            let over = |near: &(f32, usize, bool)| f64::from(self.points[near.1].over);
            found.iter().map(|near| weight(near.0) * over(near)).sum::<f64>() / weights
        };
        Some(ReferenceTime {
            time_s: self.roof.problem_time_s(problem) * over.exp(),
            error: self.source.error,
            source: self.source,
            by: self.points[nearest].by,
        })
    }

    fn nearest(&self, problem: &Problem, left_out: Option<usize>) -> Near {
        let [m, n, k] = [problem.m, problem.n, problem.k].map(log2);
        let [ns, ks, ms] = &self.logs;
        let mut near = Near { found: [(f32::INFINITY, 0, false); NEIGHBOURS], count: 0 };
        for (at_n, n_2) in Outward::new(ns, &(0..ns.len()), n) {
            if n_2 >= near.limit() {
                break;
            }
            for (at_k, k_2) in Outward::new(ks, &self.ns[at_n].part, k) {
                if n_2 + k_2 >= near.limit() {
                    break;
                }
                for (at, m_2) in Outward::new(ms, &self.ks[at_k].part, m) {
                    let distance_2 = n_2 + k_2 + m_2;
                    if distance_2 >= near.limit() {
                        break;
                    }
                    if Some(at) != left_out {
                        near.add((distance_2, at, [n_2, k_2, m_2].iter().all(|d| *d <= 1.0)));
                    }
                }
            }
        }
        near
    }

    /// Leave-one-out error: geometric mean and 90th percentile of the factors, over pseudo-random shapes with a fixed
    /// seed. NaN if no shape has neighbours.
    #[cfg(test)]
    pub(super) fn leave_one_out(&self, shapes: usize) -> (f64, f64) {
        let mut state = 1u64;
        let mut drawn = || {
            // splitmix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize
        };
        let all: Vec<(Problem, f64)> = self.each().collect();
        let mut off: Vec<f64> = (0..shapes)
            .filter_map(|_| {
                let at = drawn() % all.len();
                let (problem, time_s) = all[at];
                let time = self.time_without(&problem, Some(at))?;
                Some((time.time_s / time_s).ln().abs())
            })
            .collect();
        off.sort_by(f64::total_cmp);
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        let p90 = off.get(off.len() * 9 / 10).copied().unwrap_or(f64::NAN);
        (mean.exp(), p90.exp())
    }
}
