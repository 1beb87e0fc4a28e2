//! The column of numbers: the finding of a row, or its number in the chart.

use crate::app::state::Workbench;
use crate::app::state::findings_task::run_over;
use gemmscope_analysis::ledger::LARGEST_LOSS;
use gemmscope_chart::picture::finding_of;
use gemmscope_chart::roofline::Numbers;
use gemmscope_table::field::{Field, Frame};
use leptos::prelude::*;

/// Numbers of rows.
#[derive(Clone, Copy)]
pub struct RowNumbers {
    bench: Workbench,
    /// True if some row has a number or will have one, as an empty column would be useless.
    pub any: Memo<bool>,
    /// True if the numbers are those of findings.
    by_finding: Memo<bool>,
}

impl RowNumbers {
    /// Follows the number setting of the roofline.
    pub fn follow(bench: Workbench) -> RowNumbers {
        let any = Memo::new(move |_| {
            let frame = bench.settled_frame.get();
            if run_over(bench, frame.rows.len()) && bench.findings.with(Option::is_none) {
                return true;
            }
            let shown = |row: &u32| frame.rows.binary_search(row).is_ok();
            bench.numbered.with(|n| n.iter().any(shown))
        });
        let by_finding = Memo::new(move |_| bench.view.with(Numbers::of) == Numbers::Findings);
        RowNumbers { bench, any, by_finding }
    }

    /// Title of the column, its explanation, and its width in CSS pixels.
    pub fn head(&self) -> (&'static str, &'static str, f64) {
        match self.by_finding.get() {
            true => ("Finding", "The finding that holds most of what the row loses", 72.0),
            false => ("#", "Number in the chart", 44.0),
        }
    }

    /// Width of the column, CSS pixels; 0 if there is none.
    pub fn width(&self) -> f64 {
        if self.any.get() { self.head().2 } else { 0.0 }
    }

    /// Returns the 0-based number of each row; `None` if no row has one.
    pub fn reader(&self, frame: &Frame) -> Option<impl Fn(u32) -> Option<usize>> {
        let numbers = self.bench.numbered.get();
        let largest = self
            .by_finding
            .get()
            .then(|| frame.categories(&Field::Column(LARGEST_LOSS.to_owned())));
        let bench = self.bench;
        self.any.get().then_some(move |row: u32| {
            let Some(largest) = &largest else {
                return numbers.iter().position(|r| *r == row);
            };
            bench.findings.with(|found| finding_of(&found.as_ref()?.findings, largest, row))
        })
    }
}
