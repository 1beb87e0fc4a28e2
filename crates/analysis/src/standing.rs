//! How the sides of a frame stand to each other, in numbers and in words.

use crate::compare::{Comparison, Setup, TIE, winner};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use serde::Serialize;

/// Who is fastest on how many of the GEMMs that all sides hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// Each side with the number of GEMMs that it is fastest on, most first.
    pub fastest: Vec<(String, u64)>,
    /// GEMMs on which two or more sides are fastest within 2 % of each other.
    pub ties: u64,
    /// GEMMs that all sides hold.
    pub shared: u64,
}

/// Up to so many sides are all named.
const FEW: usize = 4;

impl Standing {
    /// The standing of the sides of a frame; `None` if it has none, or they share nothing.
    pub fn of(frame: &Frame) -> Option<Standing> {
        let counted = frame.counted();
        let side = frame.decision().side.clone()?;
        if !counted.compares() {
            return None;
        }
        let values: Vec<&gemmscope_table::data_kind::Side> =
            counted.sides.iter().filter(|s| !s.value.is_empty()).collect();
        let setup = Setup {
            keys: Setup::default_keys(frame, &side),
            sides: values.iter().map(|s| s.value.clone()).collect(),
            side,
        };
        let comparison = Comparison::new(frame, &setup);
        let tally = winner::tally(&comparison, TIE, true);
        if tally.compared == 0 {
            return None;
        }
        let names = values.iter().map(|s| s.label.clone());
        Some(Standing::new(names, &tally))
    }

    /// What a tally over these sides says.
    pub fn new(names: impl Iterator<Item = String>, tally: &winner::Tally) -> Standing {
        let mut fastest: Vec<(String, u64)> = names.zip(tally.clear.iter().copied()).collect();
        fastest.order_by_key(|side| std::cmp::Reverse(side.1));
        Standing {
            fastest,
            ties: tally.compared - tally.clear.iter().sum::<u64>(),
            shared: tally.compared,
        }
    }

    /// `hipBLASLt 333, rocBLAS 187, IREE 0, 1 tie of 521 GEMMs`; of many sides those that win none are
    /// left out.
    pub fn words(&self) -> String {
        let mut parts: Vec<String> = self
            .fastest
            .iter()
            .filter(|(_, n)| *n > 0 || self.fastest.len() <= FEW)
            .map(|(side, n)| format!("{side} {n}"))
            .collect();
        if self.ties > 0 {
            parts.push(plural(self.ties, "tie"));
        }
        format!("{} of {}", parts.join(", "), plural(self.shared, "GEMM"))
    }
}
