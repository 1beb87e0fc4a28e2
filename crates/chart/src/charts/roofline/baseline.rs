//! One side as the baseline of the others: arrows lead from its points to the other sides' points of the same GEMM. All
//! are drawn while they are few, else those of hovered or selected GEMMs.

use super::points::SINGLE_UP_TO;
use super::{Layers, Points, planned};
use crate::palette::alpha;
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_table::field::Frame;
use gemmscope_words::charts::roofline::{self as words, Arrows};

/// Up to this many arrows are always drawn; more would hide the points.
const FEW: usize = 12;

/// Points nearer than this on both axes (decades, or share of the roof) coincide: an arrow between them would show
/// nothing.
const NEAR: f32 = 0.005;

/// The baseline of a frame.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    /// Pairs of rows of one GEMM, on the baseline and on another side, whose points do not coincide.
    pub(super) links: Vec<(u32, u32)>,
    /// A sentence about it.
    pub(super) note: String,
}

impl Baseline {
    /// The baseline with this name, or the first side; `None` if rows are no sides or it shares no GEMM with another.
    /// Links are of GEMMs with a row in `kept`, which is ascending.
    pub(super) fn of(frame: &Frame, points: &Points, side: &str, kept: &[u32]) -> Option<Self> {
        if frame.rows.len() > SINGLE_UP_TO {
            return None;
        }
        let field = frame.decision().side.clone()?;
        let comparison = Comparison::new(frame, &Setup::of(frame, field.clone()));
        let names = &comparison.setup.sides;
        if names.len() < 2 || comparison.setup.published {
            return None;
        }
        let base = names.iter().position(|n| n == side).unwrap_or(0);
        let apart = |from: u32, to: u32| {
            let (a, b) = (points.get(from)?, points.get(to)?);
            Some((a.0 - b.0).abs() >= NEAR || (a.1 - b.1).abs() >= NEAR)
        };
        let mut links = Vec::new();
        // GEMMs of the baseline that another side has, and how many of its points each leads to.
        let (mut other, mut common, mut pairs, mut shares) = (None, 0, 0, false);
        for configuration in 0..comparison.len() {
            let row = |s| comparison.rows_of(s).first().copied();
            let Some(from) = comparison.sample(configuration, base).and_then(row) else {
                continue;
            };
            let before = pairs;
            for (at, sample) in comparison.samples(configuration) {
                let Some(to) = row(sample).filter(|_| usize::from(*at) != base) else {
                    continue;
                };
                shares = true;
                if [from, to].iter().any(|r| kept.binary_search(r).is_ok()) {
                    links.extend((apart(from, to) == Some(true)).then_some((from, to)));
                    other = Some(usize::from(*at));
                    pairs += 1;
                }
            }
            // What all sides have is in common; arrows lead to any that has it.
            let all = comparison.samples(configuration).len() == names.len();
            common += u64::from(pairs > before && all);
        }
        if !shares {
            return None;
        }
        let to = match (names.len(), other) {
            (2, Some(other)) => Some(comparison.names[other].as_str()),
            _ => None,
        };
        let arrows = match (links.len(), pairs) {
            (0, 0) => Arrows::NothingShared,
            (_, _) if common == 0 => Arrows::SharedBySome,
            (0, _) => Arrows::SamePlace,
            (all, _) if all > FEW => Arrows::TooMany,
            (all, _) if all == pairs => Arrows::FromAll,
            _ => Arrows::FromSome,
        };
        let note = words::baseline(&comparison.names[base], to, common, arrows);
        Some(Baseline { links, note })
    }
}

impl Layers<'_> {
    /// Draws the arrows, if they are few.
    pub(super) fn few_links(&mut self) {
        if self.input.links.len() <= FEW {
            self.links(|_| true);
        }
    }

    /// Draws the arrows from and to some rows, each in the colour of its target.
    pub(super) fn links(&mut self, of: impl Fn(u32) -> bool) {
        let input = self.input;
        let hidden = |row: u32| input.is_hidden(input.color_scale.code(row as usize));
        for &(from, to) in input.links.iter().filter(|(from, to)| of(*from) || of(*to)) {
            let px = |row| input.points.px(&self.plot, row);
            let (Some(a), Some(b)) = (px(from), px(to)) else {
                continue;
            };
            if !hidden(from) && !hidden(to) {
                let color = input.color_scale.color(to as usize);
                planned::arrow(&mut self.scene, a, b, alpha(color, 0.45));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn arrows_lead_from_the_baseline_to_the_same_gemm() {
        let mut rows = Rows::new();
        for (library, times) in [("hipblaslt", [1e-3, 2e-3]), ("rocblas", [3e-3, 1e-3])] {
            for (k, time) in [64, 128].into_iter().zip(times) {
                rows.row((64, 64, k), library, time, "");
            }
        }
        rows.row((64, 64, 256), "rocblas", 1.0, "");
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        let of = |side, kept: &[u32]| Baseline::of(&frame, &points, side, kept).unwrap();
        let first = of("hipBLASLt", &frame.rows);
        assert_eq!(first.links, [(0, 2), (1, 3)]);
        assert_eq!(first.note, "Baseline: hipBLASLt. Arrows lead to rocBLAS: 2 GEMMs in common.");
        let second = of("rocBLAS", &[3]);
        assert_eq!(second.links, [(3, 1)]);
    }

    #[test]
    fn what_all_sides_have_is_in_common() {
        let mut rows = Rows::new();
        for (library, sizes) in
            [("hipblaslt", &[64, 128, 256][..]), ("rocblas", &[64, 128]), ("iree", &[64, 256])]
        {
            for k in sizes {
                rows.row((64, 64, *k), library, 1e-3 * f64::from(library.len() as u32), "");
            }
        }
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        let found = Baseline::of(&frame, &points, "hipBLASLt", &frame.rows).unwrap();
        assert_eq!(
            found.note,
            "Baseline: hipBLASLt. Arrows lead to all other sides: 1 GEMM in common."
        );
    }

    #[test]
    fn sides_without_a_common_gemm_have_no_baseline() {
        let mut rows = Rows::new();
        for (library, k) in [("hipblaslt", 64), ("rocblas", 128)] {
            rows.row((64, 64, k), library, 1e-3, "");
        }
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        assert!(Baseline::of(&frame, &points, "", &frame.rows).is_none());
    }

    #[test]
    fn equal_points_have_no_arrow() {
        let mut rows = Rows::new();
        for library in ["hipblaslt", "rocblas"] {
            rows.row((64, 64, 64), library, 1e-3, "");
        }
        let frame = rows.frame(None);
        let points = Points::new(&frame.data, &frame.metrics);
        let baseline = Baseline::of(&frame, &points, "", &frame.rows).unwrap();
        assert_eq!(baseline.links, []);
        let said = "Baseline: hipBLASLt. 1 GEMM in common with rocBLAS, at the same place.";
        assert_eq!(baseline.note, said);
    }
}
