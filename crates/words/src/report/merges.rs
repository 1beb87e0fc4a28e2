//! GEMMs of a layer that read the same operand and can be merged, and layers that run in sequence, inferred from the
//! sizes and call counts of a program.

use gemmscope_analysis::findings::{Group, Scan};
use gemmscope_model::gemm::Problem;

/// Other GEMMs of the same program.
pub(super) struct Neighbours<'s> {
    scan: &'s Scan<'s>,
    groups: &'s [&'s Group],
}

impl<'s> Neighbours<'s> {
    pub(super) fn of(scan: &'s Scan<'s>, groups: &'s [&'s Group]) -> Self {
        Neighbours { scan, groups }
    }

    /// Other GEMMs of the side with the same M, not batched, each with its number of calls.
    fn beside(&self, g: &Group) -> impl Iterator<Item = (Problem, f64)> {
        let m = self.scan.problem(g).m;
        let of_side = self.groups.iter().filter(move |h| h.side == g.side && h.row != g.row);
        let each = of_side.map(|h| (self.scan.problem(h), h.calls));
        each.filter(move |(p, _)| p.m == m && p.batch == 1)
    }

    /// True if another GEMM leads from N back to K: they belong to layers, each of which waits for the previous one.
    pub(super) fn run_in_turn(&self, g: &Group) -> bool {
        let p = self.scan.problem(g);
        let back = |(q, calls): (Problem, f64)| {
            let whole = (g.calls / calls).fract() == 0.0 || (calls / g.calls).fract() == 0.0;
            (q.n, q.k) == (p.k, p.n) && calls > 1.0 && whole
        };
        self.scan.is_program(g) && p.batch == 1 && self.beside(g).any(back)
    }

    /// The GEMM that results from merging this one with those that read the same operand: gate and up, if twice as many
    /// calls lead from K to N as back; Q, K and V, if three times as many calls have N = K as there are layers.
    pub(super) fn merged(&self, g: &Group) -> Option<String> {
        let p = self.scan.problem(g);
        if !self.scan.is_program(g) || p.batch > 1 {
            return None;
        }
        let (what, times) = if p.n != p.k {
            let down =
                |(q, calls): (Problem, f64)| (q.n, q.k) == (p.k, p.n) && 2.0 * calls == g.calls;
            self.beside(g).any(down).then_some(("Gate and up", 2))?
        } else {
            // The MLP tells the number of layers.
            let layers =
                |(q, calls): (Problem, f64)| q.n == p.k && q.k != p.k && 3.0 * calls == g.calls;
            self.beside(g).any(layers).then_some(("Q, K and V", 3))?
        };
        let (n, calls) = (p.n.checked_mul(times)?, g.calls / f64::from(times));
        Some(format!(
            "{what} become one {} × {n} × {}, with {calls:.0} calls in place of {:.0}, if they read the same input, as their sizes suggest.",
            p.m, p.k, g.calls
        ))
    }
}
