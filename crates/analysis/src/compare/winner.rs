//! Compares all sides: the fastest in each configuration and each cell of a map, and the size from
//! which one overtakes another.

use super::{Comparison, key_label};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::plural;
use gemmscope_table::field::{Field, Frame};
use std::collections::BTreeMap;

/// The fastest side of a configuration, and its rate over that of the next side: 1 is a tie, in
/// which the side is the first of the equals. `None` with fewer than two sides.
pub fn fastest(comparison: &Comparison, configuration: usize) -> Option<(usize, f64)> {
    let samples = comparison.samples(configuration);
    let mut best: Option<(usize, f64)> = None;
    let mut next = f64::INFINITY;
    for (side, s) in samples {
        let i = usize::from(*side);
        match best {
            Some((_, t)) if s.time_s >= t => next = next.min(s.time_s),
            Some((_, t)) => {
                next = next.min(t);
                best = Some((i, s.time_s));
            }
            None => best = Some((i, s.time_s)),
        }
    }
    let (side, time) = best?;
    next.is_finite().then_some((side, next / time))
}

/// One cell of a winner map.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Horizontal value.
    pub x: u32,
    /// Vertical value.
    pub y: u32,
    /// Configurations in the cell that at least two sides have.
    pub compared: Vec<u32>,
    /// Configurations in the cell that only one side has, with that side.
    pub alone: Vec<(u32, usize)>,
    /// Wins per side.
    pub wins: Vec<u32>,
    /// The side with the highest rate over all compared configurations, as a geometric mean; `None`
    /// if it leads by no more than the threshold, or nothing was compared. Only sides that ran all of
    /// them count.
    pub winner: Option<usize>,
    /// Its mean rate over that of the next side; 1 without a winner.
    pub margin: f64,
}

impl Cell {
    /// The side that wins most of the configurations that the winner does not.
    pub fn other(&self) -> Option<usize> {
        let others = (0..self.wins.len()).filter(|s| Some(*s) != self.winner && self.wins[*s] > 0);
        others.max_by_key(|s| (self.wins[*s], std::cmp::Reverse(*s)))
    }
}

/// A size that can be an axis of a winner map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Rows of the output.
    M,
    /// Columns of the output.
    N,
    /// Summed dimension.
    K,
}

impl Size {
    /// All three.
    pub const ALL: [Size; 3] = [Size::M, Size::N, Size::K];

    /// Size of a row.
    pub fn of(self, frame: &Frame, row: usize) -> u32 {
        let d = &*frame.data;
        match self {
            Size::M => d.m[row],
            Size::N => d.n[row],
            Size::K => d.k[row],
        }
    }

    /// `M`, `N`, `K`.
    pub fn name(self) -> &'static str {
        match self {
            Size::M => "M",
            Size::N => "N",
            Size::K => "K",
        }
    }

    /// The key in links: `m`, `n`, `k`.
    pub fn key(self) -> &'static str {
        match self {
            Size::M => "m",
            Size::N => "n",
            Size::K => "k",
        }
    }

    /// Reads the key.
    pub fn parse(text: &str) -> Option<Size> {
        Size::ALL.into_iter().find(|s| s.key() == text)
    }

    /// The field of this size.
    pub(crate) fn field(self) -> Field {
        match self {
            Size::M => Field::M,
            Size::N => Field::N,
            Size::K => Field::K,
        }
    }
}

/// The cells of a map over two sizes, for the configurations that `keep` accepts.
pub fn cells(
    frame: &Frame,
    comparison: &Comparison,
    (x, y): (Size, Size),
    threshold: f64,
    keep: impl Fn(usize) -> bool,
) -> Vec<Cell> {
    let sides = comparison.setup.sides.len();
    /// For each side: the sum of the logarithms of its times, and how many.
    type Times = Vec<(f64, usize)>;
    let mut map: BTreeMap<(u32, u32), (Cell, Times)> = BTreeMap::new();
    for i in 0..comparison.len() {
        let row = comparison.row(i);
        if !keep(row) {
            continue;
        }
        let at = (y.of(frame, row), x.of(frame, row));
        let (cell, times) = map.entry(at).or_insert_with(|| {
            let cell = Cell {
                x: at.1,
                y: at.0,
                compared: Vec::new(),
                alone: Vec::new(),
                wins: vec![0; sides],
                winner: None,
                margin: 1.0,
            };
            (cell, vec![(0.0, 0); sides])
        });
        match fastest(comparison, i) {
            Some((side, margin)) => {
                cell.compared.push(i as u32);
                // A lead below the threshold is not a win.
                if margin > 1.0 + threshold {
                    cell.wins[side] += 1;
                }
                for (side, sample) in comparison.samples(i) {
                    let of = &mut times[usize::from(*side)];
                    *of = (of.0 + sample.time_s.ln(), of.1 + 1);
                }
            }
            None => {
                if let Some((side, _)) = comparison.samples(i).first() {
                    cell.alone.push((i as u32, usize::from(*side)));
                }
            }
        }
    }
    map.into_values()
        .map(|(mut cell, times)| {
            let all = cell.compared.len();
            let ran = (0..sides).filter(|s| all > 0 && times[*s].1 == all);
            let mut means: Vec<(f64, usize)> = ran.map(|s| (times[s].0 / all as f64, s)).collect();
            means.order_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let [first, second, ..] = means[..] {
                let margin = (second.0 - first.0).exp();
                if margin > 1.0 + threshold {
                    (cell.winner, cell.margin) = (Some(first.1), margin);
                }
            }
            cell
        })
        .collect()
}

/// How the winner changes along one size with everything else fixed.
#[derive(Clone, Debug, PartialEq)]
pub enum Crossover {
    /// One side is fastest (or level) at every size.
    Always(usize),
    /// Each side has one contiguous range: `(size, side)`, the first with its smallest size, each
    /// further one with the size from which on it is ahead. The second and third are M1 and M2.
    At(Vec<(u32, usize)>),
    /// The winner changes back and forth this many times.
    Unstable(usize),
    /// No side is ahead by more than the threshold at any size.
    Level,
    /// Fewer than three sizes.
    TooFew(usize),
}

/// One line of a crossover strip: one size varies, everything else is fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The fixed values: `M 4096, K 5120, fp16, TN`.
    pub label: String,
    /// `(size, fastest side, margin, configuration)` in ascending size.
    pub points: Vec<(u32, usize, f64, u32)>,
    /// How the winner changes.
    pub verdict: Crossover,
}

impl Strip {
    /// The verdict as a sentence.
    pub fn sentence(&self, sides: &[String], along: Size) -> String {
        let name = |i: usize| sides.get(i).map_or("?", String::as_str);
        let axis = along.name();
        match &self.verdict {
            Crossover::Always(s) => format!("{} at every {axis}", name(*s)),
            Crossover::At(steps) => {
                let parts: Vec<String> = steps
                    .iter()
                    .enumerate()
                    .map(|(i, (size, side))| match i {
                        0 => name(*side).to_owned(),
                        _ => format!("{} from {axis} = {size}", name(*side)),
                    })
                    .collect();
                parts.join(", ")
            }
            Crossover::Unstable(n) => {
                format!("no stable crossover: the fastest changes {n} times")
            }
            Crossover::Level => "tie at every size".to_owned(),
            Crossover::TooFew(n) => {
                format!("only {}", plural(*n as u64, "size"))
            }
        }
    }
}

/// The strips along a size: one for each combination of the other sizes and keys that at least
/// two sides measured. Longest first, then by label order of the data.
pub fn strips(frame: &Frame, comparison: &Comparison, along: Size, threshold: f64) -> Vec<Strip> {
    let d = &*frame.data;
    let held: Vec<Field> = Size::ALL.into_iter().filter(|s| *s != along).map(Size::field).collect();
    let others: Vec<Field> = comparison
        .setup
        .keys
        .iter()
        .filter(|k| !matches!(k, Field::Shape | Field::M | Field::N | Field::K))
        .cloned()
        .collect();
    let codes: Vec<_> = others.iter().map(|f| frame.categories(f)).collect();
    type Held = (Vec<u32>, Vec<u32>);
    let mut groups: BTreeMap<Held, Vec<(u32, usize, f64, u32)>> = BTreeMap::new();
    for i in 0..comparison.len() {
        let Some((side, margin)) = fastest(comparison, i) else {
            continue;
        };
        let row = comparison.row(i);
        let sizes = Size::ALL
            .into_iter()
            .filter(|s| *s != along)
            .map(|s| s.of(frame, row))
            .chain([d.batch[row]])
            .collect();
        let rest = codes.iter().map(|c| c.codes.get(row)).collect();
        groups.entry((sizes, rest)).or_default().push((
            along.of(frame, row),
            side,
            margin,
            i as u32,
        ));
    }
    let mut out: Vec<Strip> = groups
        .into_values()
        .map(|mut points| {
            points.order_by_key(|p| (p.0, p.3));
            let row = comparison.row(points.first().map_or(0, |p| p.3 as usize));
            let mut label = key_label(frame, &held, row);
            if d.batch[row] != 1 {
                label.push_str(&format!(", batch {}", d.batch[row]));
            }
            let rest = key_label(frame, &others, row);
            if !rest.is_empty() {
                label.push_str(&format!(", {rest}"));
            }
            Strip { verdict: crossover(&points, threshold), label, points }
        })
        .collect();
    out.order_by_key(|s| std::cmp::Reverse(s.points.len()));
    out
}

/// Finds crossovers in a sequence of winners. Points within the threshold count for both sides.
fn crossover(points: &[(u32, usize, f64, u32)], threshold: f64) -> Crossover {
    let mut sizes: Vec<u32> = points.iter().map(|p| p.0).collect();
    sizes.dedup();
    let mut runs: Vec<(u32, usize)> = Vec::new();
    for &(size, side, margin, _) in points {
        if margin <= 1.0 + threshold {
            continue;
        }
        if runs.last().is_none_or(|r| r.1 != side) {
            runs.push((size, side));
        }
    }
    if sizes.len() < 3 {
        return Crossover::TooFew(sizes.len());
    }
    match runs.as_slice() {
        [] => Crossover::Level,
        [(_, side)] => Crossover::Always(*side),
        _ => {
            let mut seen: Vec<usize> = runs.iter().map(|r| r.1).collect();
            seen.sort_unstable();
            let before = seen.len();
            seen.dedup();
            if seen.len() == before { Crossover::At(runs) } else { Crossover::Unstable(before - 1) }
        }
    }
}

/// Summary of all strips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossovers {
    /// Strips with at least three sizes.
    pub judged: u64,
    /// Strips with a stable crossover.
    pub stable: u64,
    /// Strips won by one side throughout.
    pub always: Vec<u64>,
    /// Strips whose winner goes back and forth.
    pub unstable: u64,
    /// Size -> wins per side over all strips.
    pub by_size: BTreeMap<u32, Vec<u64>>,
    /// The order of sides in all stable strips, with the range of sizes at each step. Empty if the
    /// strips disagree or none is stable.
    pub common: Vec<(usize, u32, u32)>,
}

/// Summarises strips.
pub fn sum_up(strips: &[Strip], sides: usize) -> Crossovers {
    let mut out = Crossovers { always: vec![0; sides], ..Crossovers::default() };
    let mut agreed: Option<Vec<(usize, u32, u32)>> = None;
    let mut disagree = false;
    for s in strips {
        for &(size, side, ..) in &s.points {
            let wins = out.by_size.entry(size).or_insert_with(|| vec![0; sides]);
            if let Some(w) = wins.get_mut(side) {
                *w += 1;
            }
        }
        match &s.verdict {
            Crossover::TooFew(_) => continue,
            Crossover::Level => {}
            Crossover::Always(side) => {
                if let Some(n) = out.always.get_mut(*side) {
                    *n += 1;
                }
            }
            Crossover::Unstable(_) => out.unstable += 1,
            Crossover::At(steps) => {
                out.stable += 1;
                match &mut agreed {
                    None => agreed = Some(steps.iter().map(|&(z, s)| (s, z, z)).collect()),
                    Some(a) if a.iter().map(|x| x.0).eq(steps.iter().map(|x| x.1)) => {
                        for (x, &(z, _)) in a.iter_mut().zip(steps) {
                            x.1 = x.1.min(z);
                            x.2 = x.2.max(z);
                        }
                    }
                    Some(_) => disagree = true,
                }
            }
        }
        out.judged += 1;
    }
    if !disagree {
        out.common = agreed.unwrap_or_default();
    }
    out
}

impl Crossovers {
    /// The summary as a sentence.
    pub fn sentence(&self, sides: &[String], along: Size) -> String {
        let name = |i: usize| sides.get(i).map_or("?", String::as_str);
        let axis = along.name();
        if self.judged == 0 {
            return format!(
                "No crossover: no GEMM was measured at three or more values of {axis} with all else \
                 the same."
            );
        }
        if let Some(side) = self.always.iter().position(|&n| n == self.judged) {
            return format!(
                "{} is fastest at every {axis} in all {} strips.",
                name(side),
                self.judged
            );
        }
        if self.stable > 0 && self.unstable == 0 && !self.common.is_empty() {
            let steps: Vec<String> = self
                .common
                .windows(2)
                .enumerate()
                .map(|(i, w)| {
                    let (side, lo, hi) = w[1];
                    let range = if lo == hi {
                        format!("{axis} = {lo}")
                    } else {
                        format!("{axis} = {lo} to {hi}, by shape")
                    };
                    format!("M{}: {} overtakes {} from {range}", i + 1, name(side), name(w[0].0))
                })
                .collect();
            return format!("{} ({} of {} strips).", steps.join("; "), self.stable, self.judged);
        }
        let mut parts = Vec::new();
        if self.stable > 0 {
            let verb = if self.stable == 1 { "crosses" } else { "cross" };
            parts.push(format!("{} {verb} over once", self.stable));
        }
        if self.unstable > 0 {
            let verb = if self.unstable == 1 { "goes" } else { "go" };
            parts.push(format!("{} {verb} back and forth", self.unstable));
        }
        for (i, n) in self.always.iter().enumerate().filter(|(_, n)| **n > 0) {
            parts.push(format!("{n} led by {} throughout", name(i)));
        }
        if parts.is_empty() {
            parts.push("all ties".to_owned());
        }
        format!(
            "No crossover along {axis} holds for all: of {}, {}.",
            plural(self.judged, "strip"),
            parts.join(", ")
        )
    }
}
