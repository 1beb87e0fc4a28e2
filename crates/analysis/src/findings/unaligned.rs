//! Rule: rows in memory that do not start at multiples of 16 bytes.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Group, Need, Rule, Scan, advice};
use gemmscope_model::gemm::Problem;

/// Bytes that vector loads and copy engines of current devices move at once.
pub(super) const BYTES: f64 = 16.0;
/// A GEMM with an efficiency above this has no alignment problem.
pub(super) const FINE: f64 = 0.60;

pub(super) const RULE: Rule = Rule {
    id: "unaligned",
    title: "Unaligned sizes",
    category: Category::Layout,
    needs: &[Need::Time],
    threshold: "the rows of A, B or C are no multiple of 16 bytes, and the efficiency is under 60 % \
                or unknown",
    confidence: Confidence::Hint,
    why: "Rows that don't start at 16-byte boundaries rule out the widest loads and many \
          kernels.",
    path_a: "Pad the size to the next multiple (vocabulary to 64 or 128, hidden size, sequence).",
    path_b: "See which kernel was chosen for the shape and for its padded neighbour; replay both.",
    profile: "A profile shows narrow loads (sectors per request, global load width); the \
              kernel's name may state a smaller alignment.",
    check,
};

/// The contiguous sizes of the operands whose bytes are not a multiple of 16: name, size and bytes.
pub(super) fn unaligned(scan: &Scan<'_>, group: &Group) -> Vec<(&'static str, u32, f64)> {
    let p = scan.problem(group);
    odd(&p, scan.data().is_column_major(group.row as usize))
}

fn odd(p: &Problem, column_major: bool) -> Vec<(&'static str, u32, f64)> {
    let op = &p.op;
    let rows = [
        match (op.trans_a, column_major) {
            (true, false) => ("M (rows of A, stored transposed)", p.m, op.a),
            (false, false) => ("K (rows of A)", p.k, op.a),
            (false, true) => ("M (columns of A)", p.m, op.a),
            (true, true) => ("K (columns of A, stored transposed)", p.k, op.a),
        },
        match (op.trans_b, column_major) {
            (true, false) => ("K (rows of B, stored transposed)", p.k, op.b),
            (false, false) => ("N (rows of B)", p.n, op.b),
            (false, true) => ("K (columns of B)", p.k, op.b),
            (true, true) => ("N (columns of B, stored transposed)", p.n, op.b),
        },
        match column_major {
            false => ("N (rows of C)", p.n, op.c),
            true => ("M (columns of C)", p.m, op.c),
        },
    ];
    rows.into_iter()
        .map(|(what, size, dtype)| (what, size, f64::from(size) * dtype.bytes()))
        .filter(|(_, size, bytes)| *size > 1 && bytes % BYTES != 0.0)
        .collect()
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| {
            let slow = g.efficiency() < FINE || g.roof_s.is_nan();
            slow && !story::tiny(g) && !unaligned(scan, g).is_empty()
        })
        .map(|(i, _)| Hit::of(i))
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let odd = unaligned(scan, g);
            let sizes: Vec<String> = odd
                .iter()
                .map(|(what, size, bytes)| {
                    format!(
                        "{what}: {size} elements are {bytes} B, {:.2} times 16 B",
                        bytes / BYTES
                    )
                })
                .collect();
            Story {
                title: format!("Unaligned: {}", scan.title(g)),
                text: format!(
                    "{}. {}. Timings alone don't show how much it costs.",
                    story::opening(scan, g),
                    sizes
                        .iter()
                        .map(|s| s.split(':').next().unwrap_or("").to_owned())
                        .collect::<Vec<_>>()
                        .join(", ")
                        + " start off 16-byte boundaries"
                ),
                formula: sizes.join("; "),
                path_a: Some(advice::padding(scan, g)),
                ..Story::default()
            }
        },
        |n| format!("{n} unaligned GEMMs"),
    )
}
