//! Finds the fastest side of each configuration and of each cell of a map.

use super::Comparison;
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;

/// The fastest side of a configuration, and its rate / the next side's rate: 1 is a tie, for which the first of the
/// equal sides is returned. `None` with fewer than two sides.
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
pub struct WinnerCell {
    /// Horizontal value.
    pub x: u32,
    /// Vertical value.
    pub y: u32,
    /// Configurations in the cell that at least two sides have.
    pub compared: Vec<u32>,
    /// Configurations in the cell that only one side has, each with that side.
    pub alone: Vec<(u32, usize)>,
    /// Wins by side.
    pub wins: Vec<u32>,
    /// The side with most wins; `None` if two have as many, or none wins.
    pub winner: Option<usize>,
    /// Geometric mean of its leads over the next side, where it wins; 1 without a winner.
    pub margin: f64,
}

impl WinnerCell {
    /// The side with most wins besides the winner.
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
    /// The dimension summed over.
    K,
}

impl Size {
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

    /// Key in links: `m`, `n`, `k`.
    pub fn key(self) -> &'static str {
        match self {
            Size::M => "m",
            Size::N => "n",
            Size::K => "k",
        }
    }
}

/// Cells of a map over two sizes, for the configurations that `keep` accepts.
pub fn cells(
    frame: &Frame,
    comparison: &Comparison,
    (x, y): (Size, Size),
    threshold: f64,
    keep: impl Fn(usize) -> bool,
) -> Vec<WinnerCell> {
    let sides = comparison.setup.sides.len();
    let kept = (0..comparison.len()).filter(|i| keep(comparison.row(*i)));
    let at = |row: usize| (y.of(frame, row), x.of(frame, row));
    let of_cell = |((y, x), configurations): ((u32, u32), Vec<usize>)| {
        let mut cell = WinnerCell {
            x,
            y,
            compared: Vec::new(),
            alone: Vec::new(),
            wins: vec![0; sides],
            winner: None,
            margin: 1.0,
        };
        // By side: sum of ln(lead) of its wins.
        let mut leads = vec![0.0; sides];
        for i in configurations {
            match fastest(comparison, i) {
                Some((side, margin)) => {
                    cell.compared.push(i as u32);
                    // A lead below the threshold is not a win.
                    if margin > 1.0 + threshold {
                        cell.wins[side] += 1;
                        leads[side] += margin.ln();
                    }
                }
                None => {
                    if let Some((side, _)) = comparison.samples(i).first() {
                        cell.alone.push((i as u32, usize::from(*side)));
                    }
                }
            }
        }
        let most = cell.wins.iter().copied().max().unwrap_or(0);
        let first = |at: &usize| most > 0 && cell.wins[*at] == most;
        let mut ahead = (0..sides).filter(first);
        if let (Some(side), None) = (ahead.next(), ahead.next()) {
            (cell.winner, cell.margin) = (Some(side), (leads[side] / f64::from(most)).exp());
        }
        cell
    };
    let mut cells: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for i in kept {
        cells.entry(at(comparison.row(i))).or_default().push(i);
    }
    cells.into_iter().map(of_cell).collect()
}
