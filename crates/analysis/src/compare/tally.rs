//! Counts which side is fastest, how often, and by how much.

use super::winner::fastest;
use super::{Comparison, Setup, TIE};
use gemmscope_table::field::Frame;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// How often each side is fastest, and how far the others are behind. The only place that answers this.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Names of the sides.
    pub names: Vec<String>,
    /// By side: number of configurations in which it alone is fastest.
    pub fastest: Vec<u64>,
    /// By side: number of these in which it leads by more than the threshold.
    pub clear: Vec<u64>,
    /// Number of configurations in which several sides share the shortest time.
    pub ties: u64,
    /// Number of compared configurations.
    pub compared: u64,
    /// Number of configurations that at least one side has.
    pub all: u64,
    /// By side: number of configurations in which another side leads it by more than the threshold.
    pub slower: Vec<u64>,
    /// By side: total time / total time with the fastest side for each configuration; NaN for a side without any.
    pub by_time: Vec<f64>,
    /// By side: geometric mean of time / shortest time; NaN for a side without any.
    pub behind: Vec<f64>,
}

/// Number of fastest sides that [`Tally::pair`] considers.
const RIVALS: usize = 4;
/// A side that takes this many times the time of the fastest is far behind, however often it is slower.
const FAR: f64 = 2.0;
/// A side that is slower on more than this fraction of the configurations, and clearly fastest on none, loses
/// everywhere.
const EVERYWHERE: f64 = 0.95;

impl Tally {
    /// Tally of the sides of a frame over the configurations that all of them have; `None` if it has no sides, or they
    /// share nothing.
    pub fn of(frame: &Frame) -> Option<Tally> {
        let setup = Setup::of_sides(frame)?;
        Some(Tally::new(&Comparison::new(frame, &setup), TIE, true)).filter(|t| t.compared > 0)
    }

    /// Counts wins and ties; with `complete`, only over configurations that all sides have.
    pub fn new(comparison: &Comparison, threshold: f64, complete: bool) -> Tally {
        let sides = comparison.setup.sides.len();
        let mut out = Tally {
            names: comparison.names.clone(),
            fastest: vec![0; sides],
            clear: vec![0; sides],
            slower: vec![0; sides],
            by_time: vec![0.0; sides],
            behind: vec![0.0; sides],
            ties: 0,
            compared: 0,
            all: comparison.len() as u64,
        };
        let mut ran = vec![(0u64, 0.0); sides];
        for i in 0..comparison.len() {
            if complete && comparison.samples(i).len() < sides {
                continue;
            }
            if let Some((side, margin)) = fastest(comparison, i) {
                out.compared += 1;
                if margin > 1.0 {
                    out.fastest[side] += 1;
                    out.clear[side] += u64::from(margin > 1.0 + threshold);
                } else {
                    out.ties += 1;
                }
                let samples = comparison.samples(i);
                let best = samples.iter().map(|s| s.1.time_s).fold(f64::INFINITY, f64::min);
                // The first side's calls for all sides, or they would be different workloads.
                let calls = samples[0].1.calls;
                for (side, sample) in samples {
                    let (side, over) = (usize::from(*side), sample.time_s / best);
                    out.slower[side] += u64::from(over > 1.0 + threshold);
                    out.behind[side] += over.ln();
                    out.by_time[side] += sample.time_s * calls;
                    ran[side].0 += 1;
                    ran[side].1 += best * calls;
                }
            }
        }
        for (side, (n, best_s)) in ran.into_iter().enumerate() {
            out.behind[side] = (out.behind[side] / n as f64).exp();
            out.by_time[side] /= best_s;
        }
        out
    }

    /// Sides by number of clear wins, most first.
    pub fn ranked(&self) -> Vec<usize> {
        let mut sides: Vec<usize> = (0..self.names.len()).collect();
        sides.sort_by_key(|side| std::cmp::Reverse(self.clear[*side]));
        sides
    }

    /// Number of configurations in which no side leads by more than the threshold.
    pub fn level(&self) -> u64 {
        self.compared - self.clear.iter().sum::<u64>()
    }

    /// Sides that lose everywhere, slowest first.
    pub fn losing(&self) -> Vec<usize> {
        let loses = |s: &usize| {
            let most = EVERYWHERE * self.compared as f64;
            self.compared > 1 && self.clear[*s] == 0 && self.slower[*s] as f64 > most
        };
        let mut losers: Vec<usize> = (0..self.names.len()).filter(loses).collect();
        losers.sort_by(|a, b| self.by_time[*b].total_cmp(&self.by_time[*a]));
        losers
    }

    /// Sides that take several times the time of the fastest, slowest first, without those that [lose](Self::losing)
    /// everywhere.
    pub fn far_behind(&self) -> Vec<usize> {
        let losing = self.losing();
        let is_far = |s: &usize| self.by_time[*s] >= FAR && !losing.contains(s);
        let mut far: Vec<usize> = (0..self.names.len()).filter(is_far).collect();
        far.sort_by(|a, b| self.by_time[*b].total_cmp(&self.by_time[*a]));
        far
    }

    /// The two sides whose order is the open question, in data order: the fastest by time, and the next fastest that
    /// shares a fifth of its configurations with it. `None` if nothing was compared.
    pub fn pair(&self, comparison: &Comparison) -> Option<[usize; 2]> {
        let mut ranked: Vec<usize> = (0..self.names.len()).collect();
        ranked.sort_by(|a, b| self.by_time[*a].total_cmp(&self.by_time[*b]).then(a.cmp(b)));
        let first = *ranked.first().filter(|_| self.compared > 0)?;
        let rivals = &ranked[1..ranked.len().min(RIVALS)];
        let of = |side: usize| comparison.configurations[side];
        let shares =
            |side: &&usize| 5 * comparison.shared(first, **side) >= of(first).min(of(**side));
        let second = *rivals.iter().find(shares).or(rivals.first())?;
        Some([first.min(second), first.max(second)])
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let each = |v: &dyn Fn(usize) -> serde_json::Value| -> Vec<(&str, serde_json::Value)> {
            self.ranked().into_iter().map(|s| (self.names[s].as_str(), v(s))).collect()
        };
        let mut object = to.serialize_struct("Tally", 6)?;
        object.serialize_field("fastest", &each(&|s| self.clear[s].into()))?;
        object.serialize_field("slower", &each(&|s| self.slower[s].into()))?;
        object.serialize_field("by_time", &each(&|s| self.by_time[s].into()))?;
        object.serialize_field("behind", &each(&|s| self.behind[s].into()))?;
        object.serialize_field("ties", &self.level())?;
        object.serialize_field("shared", &self.compared)?;
        object.end()
    }
}
