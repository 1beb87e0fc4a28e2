//! Tables of experts: tokens, the widths of a layer, a number of experts and of those that a token goes to. What a row
//! times, rate and time show, or the user is asked.

use super::columns::Column;
use super::readings::{Question, Reading};
use crate::cell::experts::ExpertRow::{self, GatedLayer, Layer, Rows, Tokens};

/// Key of the question what a row of experts times.
pub(super) const EXPERTS: &str = "experts";

/// Below this strength a title of N or K is the name of a width, `hidden_size`, not of a size of a GEMM.
const LETTER: u8 = 70;

/// Experts and experts a token of a row.
pub(super) fn of_row(columns: [&Column; 2], row: usize) -> Option<[u32; 2]> {
    let [experts, per_token] = columns.map(|c| c.cells.get(row)?.whole());
    Some([experts?, per_token?])
}

/// The columns of N and K name the widths of a layer.
pub(super) fn names_layer<'a>(mut widths: impl Iterator<Item = &'a Column>) -> bool {
    widths.any(|c| c.title.strength < LETTER)
}

/// The ways to take rows of `[M, N, K]` and `[experts, experts a token]`, the likeliest first.
pub(super) fn ways(base: &[Option<([u32; 3], [u32; 2])>], layer: bool) -> Vec<Reading> {
    let rows: &[ExpertRow] = if layer { &[GatedLayer, Layer, Tokens] } else { &[Tokens, Rows] };
    let choices: Vec<&str> = rows.iter().map(|row| row.answer()).collect();
    let way = |row: &ExpertRow| {
        let shapes: Vec<_> =
            base.iter().map(|b| b.and_then(|(sizes, groups)| row.shape(sizes, groups))).collect();
        let sizes = shapes.iter().map(|s| s.map(|s| [s.sizes[0], s.sizes[1], s.sizes[2], 1]));
        let why = what(*row);
        let text =
            format!("The table has experts, and does not state what a row is: assuming {why}.");
        Reading {
            experts: Some(*row),
            groups: shapes.iter().map(|s| s.and_then(|s| s.groups)).collect(),
            // A multiplication with its addition of the first GEMM, and the share of the second.
            operations: vec![
                if *row == Layer {
                    4.0
                } else if *row == GatedLayer {
                    3.0
                } else {
                    2.0
                };
                base.len()
            ],
            question: Some(Question::new(EXPERTS, text, row.answer(), &choices)),
            ..Reading::new(sizes.collect(), why)
        }
    };
    rows.iter().map(way).collect()
}

fn what(row: ExpertRow) -> &'static str {
    match row {
        Tokens => "one grouped GEMM, M tokens that each go to several experts",
        Rows => "one grouped GEMM, M rows of all experts together",
        Layer => "both GEMMs of the experts, up and down, without a gate",
        GatedLayer => "both GEMMs of the experts, up and down, with a gate",
    }
}
