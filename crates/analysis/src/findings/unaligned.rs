//! Rule: rows in memory that do not start at multiples of 16 bytes.

use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan, advice};
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

/// The sizes along rows in memory whose bytes are not a multiple of 16: name, size and bytes.
pub(super) fn unaligned(p: &Problem) -> Vec<(&'static str, u32, f64)> {
    let op = &p.op;
    let rows = [
        if op.trans_a {
            ("M (rows of A, stored transposed)", p.m, op.a)
        } else {
            ("K (rows of A)", p.k, op.a)
        },
        if op.trans_b {
            ("K (rows of B, stored transposed)", p.k, op.b)
        } else {
            ("N (rows of B)", p.n, op.b)
        },
        ("N (rows of C)", p.n, op.c),
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
            slow && !story::tiny(g) && !unaligned(&scan.problem(g)).is_empty()
        })
        .map(|(i, _)| Hit::of(i))
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let problem = scan.problem(g);
            let odd = unaligned(&problem);
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
