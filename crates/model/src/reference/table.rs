//! What a GEMM takes by its neighbours in a table.

use super::packed::{self, Shape};
use super::{ReferenceSource, roof};
use crate::gemm::Problem;
use crate::roofline::Roof;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Neighbours that an answer is made of.
const NEIGHBOURS: usize = 4;

/// What others reach for a GEMM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceTime {
    /// Seconds of one call.
    pub time_s: f64,
    /// Error of the table's answers as a factor: 1.05 is 5 %.
    pub error: f64,
    /// The table.
    pub source: &'static ReferenceSource,
    /// Who ran the nearest shape: its place in [`ReferenceSource::by`].
    by: u8,
}

impl ReferenceTime {
    /// Who ran the nearest shape, with version.
    pub fn by(&self) -> &'static str {
        self.source.by.get(usize::from(self.by)).map_or("", String::as_str)
    }

    /// The time at the slow end of its error, seconds.
    pub fn slow_s(&self) -> f64 {
        self.time_s * self.error
    }

    /// True where a call of this time is faster than published by more than twice the error: a sign to check the
    /// units, or to tell the world.
    pub fn is_beaten_by(&self, call_s: f64) -> bool {
        call_s * (1.0 + 2.0 * (self.error - 1.0)) < self.time_s
    }
}

/// Times of one device and precision, and where shapes lie: by N, of each N by K, of each K by M.
#[derive(Debug)]
pub struct ReferenceTable {
    source: &'static ReferenceSource,
    roof: Roof,
    ns: Vec<Line>,
    ks: Vec<Line>,
    points: Vec<Point>,
    band: OnceLock<Vec<BandAt>>,
}

/// What is published near an intensity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandAt {
    /// Arithmetic intensity, FLOP/byte.
    pub intensity: f64,
    /// Median of the rates, FLOP/s.
    pub p50: f64,
    /// Their 90th percentile, FLOP/s.
    pub p90: f64,
}

/// Steps of intensity a decade.
const BAND_STEPS: f64 = 8.0;
/// Fewest shapes of a step that says something.
const BAND_SHAPES: usize = 10;

/// One N or K, and its part of the next level.
#[derive(Debug)]
struct Line {
    size: u32,
    log2: f32,
    part: Range<usize>,
}

impl Line {
    fn new(size: u32, at: usize) -> Line {
        Line { size, log2: (size as f32).log2(), part: at..at }
    }
}

/// One shape.
#[derive(Clone, Copy, Debug)]
struct Point {
    m: u32,
    log2: f32,
    /// Logarithm of time over the roof's time.
    over: f32,
    by: u8,
}

/// The nearest shapes of a search, the nearest first.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Squared distance in log2 of the sizes, the shape's place, and if each of its sizes is within a factor of 2.
    found: [(f32, usize, bool); NEIGHBOURS],
    count: usize,
}

impl Near {
    /// Only what is nearer than this can be added.
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

/// Places of sizes that rise, with their squared distance from one, the nearest first.
fn outward<'a, T>(
    part: &Range<usize>,
    all: &'a [T],
    log2: impl Fn(&T) -> f32 + 'a,
    from: f32,
) -> impl Iterator<Item = (usize, f32)> + 'a {
    let (start, end) = (part.start, part.end);
    let mut above = start + all[start..end].partition_point(|of| log2(of) < from);
    let mut below = above;
    std::iter::from_fn(move || {
        let distance = |at: usize| (log2(&all[at]) - from).powi(2);
        let down = below.checked_sub(1).filter(|at| *at >= start).map(|at| (at, distance(at)));
        let up = (above < end).then(|| (above, distance(above)));
        let down_first = match (down, up) {
            (Some(down), Some(up)) => down.1 <= up.1,
            (down, _) => down.is_some(),
        };
        if down_first {
            below -= 1;
            down
        } else {
            above += usize::from(up.is_some());
            up
        }
    })
}

impl ReferenceTable {
    /// Reads a table from its file.
    ///
    /// # Errors
    /// What is wrong with the file, or that its device has no roof.
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
            points.push(Point { m, log2: (m as f32).log2(), over, by });
        }
        Ok(ReferenceTable { source, roof, ns, ks, points, band: OnceLock::new() })
    }

    /// Where it comes from.
    pub fn source(&self) -> &'static ReferenceSource {
        self.source
    }

    /// Number of shapes.
    pub fn rows(&self) -> usize {
        self.points.len()
    }

    /// Sizes of every shape with its time in seconds, by N, K and M.
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

    /// The rates that are published at each intensity, by intensity: worked out when first asked for.
    pub fn band(&self) -> &[BandAt] {
        self.band.get_or_init(|| {
            let mut rates = BTreeMap::<i32, Vec<f64>>::new();
            for (problem, time_s) in self.each() {
                let step = (problem.intensity().0.log10() * BAND_STEPS).round() as i32;
                rates.entry(step).or_default().push(problem.work().0 / time_s);
            }
            rates.retain(|_, rates| rates.len() >= BAND_SHAPES);
            let at = |(step, mut rates): (i32, Vec<f64>)| {
                rates.sort_by(f64::total_cmp);
                let intensity = 10f64.powf(f64::from(step) / BAND_STEPS);
                BandAt { intensity, p50: rates[rates.len() / 2], p90: rates[rates.len() * 9 / 10] }
            };
            rates.into_iter().map(at).collect()
        })
    }

    /// What others take for a problem of this table's precision, by the four nearest shapes in log2 of the sizes: the
    /// roof time times the weighted geometric mean of their times over their roofs, weights `1 / distance^2`. `None`
    /// where not two of them are within a factor of 2 in each size.
    pub fn time(&self, problem: &Problem) -> Option<ReferenceTime> {
        self.time_without(problem, None)
    }

    /// The same as if one shape were not there.
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
        let [m, n, k] = [problem.m, problem.n, problem.k].map(|size| (size as f32).log2());
        let mut near = Near { found: [(f32::INFINITY, 0, false); NEIGHBOURS], count: 0 };
        for (at_n, n_2) in outward(&(0..self.ns.len()), &self.ns, |line| line.log2, n) {
            if n_2 >= near.limit() {
                break;
            }
            for (at_k, k_2) in outward(&self.ns[at_n].part, &self.ks, |line| line.log2, k) {
                if n_2 + k_2 >= near.limit() {
                    break;
                }
                for (at, m_2) in outward(&self.ks[at_k].part, &self.points, |p| p.log2, m) {
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

    /// How far answers are off where the shape itself is left out: the geometric mean and the 90th percentile of the
    /// factors, over shapes drawn at random, always the same. NaN without a shape that has neighbours.
    #[cfg(test)]
    pub(super) fn leave_one_out(&self, shapes: usize) -> (f64, f64) {
        let mut state = 1u64;
        let mut drawn = || {
            // Numbers of splitmix64.
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
