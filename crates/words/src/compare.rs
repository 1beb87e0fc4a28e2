//! Who is faster, where and by how much, in sentences.

mod dispatch;
mod duel;
mod tally;

pub use dispatch::{BestOfAll, best_of_all, dispatch_table, no_tunableop, regret};
pub use duel::{devices, exception, headline, join_of, noise};
pub use tally::{fastest_counts, lead_of_sides, losers, stragglers, tally_sentences, tally_table};

use gemmscope_analysis::compare::duel::lead_of;
use gemmscope_analysis::compare::{Comparison, Lack};
use gemmscope_model::units::{grouped, plural};

/// What the data lacks for a comparison.
pub fn lack(what: Lack) -> &'static str {
    match what {
        Lack::Sides => "Needs two files, libraries, devices, types or layouts",
        Lack::SharedGemms => {
            "Needs the same GEMM on two sides: add a file with the same sizes and types"
        }
        Lack::OnlyVariants => "These rows are variants of one GEMM, which Sweep shows",
    }
}

/// Result of joining all sides.
pub fn join(comparison: &Comparison) -> String {
    let sides = 0..comparison.names.len();
    joined(comparison, comparison.matched, sides.zip(comparison.unmatched.iter().copied()))
}

fn joined(
    comparison: &Comparison,
    matched: u64,
    unmatched: impl Iterator<Item = (usize, u64)>,
) -> String {
    let mut text = format!("{} matched", plural(matched, "GEMM"));
    for (side, n) in unmatched {
        if let Some(side) = comparison.names.get(side).filter(|_| n > 0) {
            text.push_str(&format!(", {} {side} unmatched", grouped(n)));
        }
    }
    if comparison.ambiguous > 0 {
        let n = grouped(comparison.ambiguous);
        text.push_str(&format!(
            ", {n} not told apart from another row of the same side (More, Match by has more columns)"
        ));
    }
    if comparison.unmeasured > 0 {
        text.push_str(&format!(", {} untimed", plural(comparison.unmeasured, "row")));
    }
    text.push('.');
    if comparison.with_variants > 0 {
        let n = grouped(comparison.with_variants);
        text.push_str(&format!(" {n} had several kernels: the fastest counts."));
    }
    if comparison.with_repeats > 0 {
        let n = grouped(comparison.with_repeats);
        text.push_str(&format!(" {n} had repeats: the median counts."));
    }
    text
}

/// True if the shared configurations are under a fifth of all, which is then stated.
fn is_small_part(shared: u64, all: u64) -> bool {
    shared * 5 < all
}

/// Lead of the faster side, whichever it is: `26.0x` for a ratio of 0.0385.
pub fn lead(ratio: f64) -> String {
    times(lead_of(ratio))
}

/// `1.31x`, `26.0x`.
pub fn times(v: f64) -> String {
    if !v.is_finite() {
        return "n/a".to_owned();
    }
    let decimals = match v.abs() {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        a if a >= 0.995 => 2,
        a if a >= 0.1 => 3,
        a if a >= 0.001 => 4,
        _ => return format!("{v:.1e}x"),
    };
    format!("{v:.decimals$}x")
}

#[cfg(test)]
mod tests;
