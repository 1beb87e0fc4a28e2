//! Who is fastest, on how many configurations, and by how much.

use super::duel::times;
use super::winner::fastest;
use super::{Comparison, Setup, TIE, is_small_part};
use gemmscope_model::units::{grouped, plural};
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Who is fastest on how many configurations, and how far the others are behind: the one answer to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Names of the sides.
    pub names: Vec<String>,
    /// Number of configurations in which each side alone is the fastest.
    pub fastest: Vec<u64>,
    /// Number of these in which it leads by more than the threshold.
    pub clear: Vec<u64>,
    /// Number of configurations in which several sides have the same shortest time.
    pub ties: u64,
    /// Number of compared configurations.
    pub compared: u64,
    /// Number of configurations that at least one side has.
    pub all: u64,
    /// Number of configurations in which another side leads each by more than the threshold.
    pub slower: Vec<u64>,
    /// Each side's total time over that of the fastest of each; NaN for a side that has none.
    pub by_time: Vec<f64>,
    /// Geometric mean of each side's time over the shortest one; NaN for a side that none has.
    pub behind: Vec<f64>,
}

/// Up to so many sides are all named.
const FEW: usize = 4;
/// A side that is slower on more than this share of the configurations, and fastest on none, loses
/// everywhere.
const EVERYWHERE: f64 = 0.95;

impl Tally {
    /// The tally of the sides of a frame over the configurations that all of them have; `None` if it has
    /// no sides, or they share nothing.
    pub fn of(frame: &Frame) -> Option<Tally> {
        let setup = Setup::of_sides(frame)?;
        Some(Tally::new(&Comparison::new(frame, &setup), TIE, true)).filter(|t| t.compared > 0)
    }

    /// Counts wins and ties. `complete` counts only configurations that all sides have.
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
                // All sides have the weight of one's calls; else they would be different workloads.
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

    /// The sides, those that lead most often first.
    fn ranked(&self) -> Vec<usize> {
        let mut sides: Vec<usize> = (0..self.names.len()).collect();
        sides.sort_by_key(|side| std::cmp::Reverse(self.clear[*side]));
        sides
    }

    /// Configurations on which several sides are fastest within the threshold.
    fn level(&self) -> u64 {
        self.compared - self.clear.iter().sum::<u64>()
    }

    /// `hipBLASLt 333, rocBLAS 187, IREE 0, 1 tie of 521 GEMMs`; of many sides those that win none are
    /// left out.
    pub fn words(&self) -> String {
        let ranked = self.ranked().into_iter();
        let named = ranked.filter(|s| self.clear[*s] > 0 || self.names.len() <= FEW);
        let mut parts: Vec<String> =
            named.map(|s| format!("{} {}", self.names[s], grouped(self.clear[s]))).collect();
        if self.level() > 0 {
            parts.push(plural(self.level(), "tie"));
        }
        format!("{} of {}", parts.join(", "), plural(self.compared, "GEMM"))
    }

    /// Sides that lose everywhere, the slowest first.
    fn losing(&self) -> Vec<usize> {
        let loses = |s: &usize| {
            let most = EVERYWHERE * self.compared as f64;
            self.compared > 1 && self.clear[*s] == 0 && self.slower[*s] as f64 > most
        };
        let mut losers: Vec<usize> = (0..self.names.len()).filter(loses).collect();
        losers.sort_by(|a, b| self.by_time[*b].total_cmp(&self.by_time[*a]));
        losers
    }

    /// The two sides whose order is the open question, in their order in the data: the fastest by time, and
    /// the next of the best that shares a fifth of its configurations with it. `None` where nothing was compared.
    pub fn pair(&self, comparison: &Comparison) -> Option<[usize; 2]> {
        let mut ranked: Vec<usize> = (0..self.names.len()).collect();
        ranked.sort_by(|a, b| self.by_time[*a].total_cmp(&self.by_time[*b]).then(a.cmp(b)));
        let first = *ranked.first().filter(|_| self.compared > 0)?;
        let rivals = &ranked[1..ranked.len().min(FEW)];
        let of = |side: usize| comparison.configurations[side];
        let shares =
            |side: &&usize| 5 * comparison.shared(first, **side) >= of(first).min(of(**side));
        let second = *rivals.iter().find(shares).or(rivals.first())?;
        Some([first.min(second), first.max(second)])
    }

    /// `IREE is slower than the fastest on 519 of 521 GEMMs, taking 23.3x the time`: a side that loses
    /// everywhere, which is the first to say; "" where none does.
    pub fn losers(&self) -> String {
        let word = |s: usize| {
            let (n, all) = (grouped(self.slower[s]), plural(self.compared, "GEMM"));
            let of = if self.slower[s] == self.compared { all } else { format!("{n} of {all}") };
            format!(
                "{} is slower than the fastest on {}{of}, taking {} the time",
                self.names[s],
                if self.slower[s] == self.compared { "all " } else { "" },
                times(self.by_time[s])
            )
        };
        self.losing().into_iter().take(FEW).map(word).collect::<Vec<_>>().join("; ")
    }

    /// Each side's wins and its distance from the fastest, the one that leads most often first.
    pub fn table(&self) -> (String, ResultTable) {
        let name =
            format!("All sides, on the {} that all of them have", plural(self.compared, "GEMM"));
        let header =
            ["Side", "Fastest on", "Slower on", "Time relative to the fastest", "Geometric mean"];
        let row = |s: usize| {
            let [wins, slower] = [self.clear[s], self.slower[s]].map(grouped);
            let [time, mean] = self.distance(s);
            vec![self.names[s].clone(), wins, slower, time, mean]
        };
        (name, ResultTable::of(&header, self.ranked().into_iter().map(row).collect()))
    }

    /// Its time over that of the fastest of each configuration, and the geometric mean of the ratios.
    fn distance(&self, side: usize) -> [String; 2] {
        [self.by_time[side], self.behind[side]].map(times)
    }

    /// The first thing to say: which sides lose everywhere, and who is fastest on how many; of two sides the
    /// one says the other. That it holds for a small part, where it does.
    pub fn lead(&self) -> String {
        let lead = match self.losers() {
            none if none.is_empty() => self.fastest_words() + ".",
            losers if self.names.len() < 3 => losers + ".",
            losers => format!("{losers}. {}.", self.fastest_words()),
        };
        match is_small_part(self.compared, self.all) {
            true => format!(
                "{lead} Shared: {} of {}.",
                grouped(self.compared),
                plural(self.all, "GEMM")
            ),
            false => lead,
        }
    }

    fn fastest_words(&self) -> String {
        format!("Fastest: {}", self.words())
    }

    /// Who is faster, on how many, by how much: a side that loses everywhere first, then the winners and
    /// their distance from the fastest.
    pub fn sentences(&self) -> Vec<String> {
        let mut out = vec![self.losers(), self.fastest_words()];
        let ranked = self.ranked().into_iter().filter(|s| self.behind[*s].is_finite()).take(FEW);
        let word = |s| {
            let [time, mean] = self.distance(s);
            format!("{} {time} (geometric mean {mean})", self.names[s])
        };
        let behind: Vec<String> = ranked.map(word).collect();
        out.push(format!("Time relative to the fastest: {}", behind.join(", ")));
        out.retain(|s| !s.is_empty());
        out.iter_mut().for_each(|s| s.push('.'));
        out
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
