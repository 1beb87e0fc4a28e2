//! The rival of a row where sides are compared: the fastest run of another side on the same GEMM.

use super::points::SINGLE_UP_TO;
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::Frame;
use gemmscope_words::charts::roofline as words;
use std::collections::BTreeMap;

/// Rivals by row.
#[derive(Debug, Default)]
pub(super) struct Rivals {
    names: Vec<String>,
    /// Side and time of the rival of a row, seconds.
    of: BTreeMap<u32, (usize, f64)>,
}

impl Rivals {
    /// Rivals of all passing rows; none if these are no sides, or too many for points of their own.
    pub(super) fn of(frame: &Frame) -> Self {
        let side = frame.decision().side.clone();
        let Some(side) = side.filter(|_| {
            frame.decision().kind == DataKind::Sides && frame.rows.len() <= SINGLE_UP_TO
        }) else {
            return Rivals::default();
        };
        let comparison = Comparison::new(frame, &Setup::of(frame, side));
        let mut of = BTreeMap::new();
        for samples in (0..comparison.len()).map(|i| comparison.samples(i)) {
            for (own, sample) in samples {
                let others = samples.iter().filter(|s| s.0 != *own);
                let fastest = others.min_by(|a, b| a.1.time_s.total_cmp(&b.1.time_s));
                if let Some((other, rival)) = fastest {
                    let rival = (usize::from(*other), rival.time_s);
                    of.extend(comparison.rows_of(sample).iter().map(|row| (*row, rival)));
                }
            }
        }
        Rivals { names: comparison.names, of }
    }

    /// The rival of a row in words, with how it compares to `time_s`.
    pub(super) fn words(&self, row: u32, time_s: f64) -> Option<String> {
        let (side, rival_s) = *self.of.get(&row)?;
        Some(words::rival(self.names.get(side)?, rival_s, time_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn the_rival_is_the_fastest_other_side() {
        let mut rows = Rows::new();
        for (library, time) in [("hipblaslt", 1e-3), ("rocblas", 2e-3), ("iree", 4e-3)] {
            rows.row((64, 64, 64), library, time, "");
        }
        rows.row((64, 64, 128), "iree", 1e-3, "");
        let frame = rows.frame(None);
        let rivals = Rivals::of(&frame);
        let said = |row: u32| rivals.words(row, frame.data.time_s[row as usize]);
        assert_eq!(said(0).as_deref(), Some("rocBLAS 2.000 ms, 2.00x slower"));
        assert_eq!(said(2).as_deref(), Some("hipBLASLt 1.000 ms, 4.00x faster"));
        assert_eq!(said(3), None);
    }
}
