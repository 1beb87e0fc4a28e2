//! What follows from rows. This code comes with the first file: the first view has no rows, and so
//! nothing that follows from them.

use super::{Shared, Shown};
use gemmscope_analysis::compare::Setup;
use gemmscope_analysis::findings::Findings;
use gemmscope_analysis::ledger::Columns;
use gemmscope_chart::charts::RowCache;
use gemmscope_chart::picture;
use gemmscope_chart::roofline::{Numbers, numbered};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::order::InOrder;
use gemmscope_table::data_kind::{Counting, DataKind, Decision};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Derived, Frame};
use gemmscope_table::filter::{Filters, Mask};
use gemmscope_table::metrics::{DeviceChoice, Metrics, Totals};
use gemmscope_table::view_state::RowRef;
use std::sync::Arc;

/// All rows of the files that are about to be shown, their metrics, and what they are.
#[derive(Clone)]
pub(super) struct ReadyMade {
    /// The rows of each file.
    pub files: Vec<Shared<Dataset>>,
    pub data: Shared<Dataset>,
    pub metrics: Shared<Metrics>,
    pub kind: Option<DataKind>,
    pub decision: Shared<Decision>,
}

/// A function for each memo of the [`Workbench`](super::Workbench) that goes over rows.
#[allow(clippy::type_complexity, reason = "a table of functions, each named once")]
pub struct Follow {
    pub(super) metrics: fn(
        &Shared<Dataset>,
        &DeviceChoice,
        &[Device],
        RoofKind,
        Option<ReadyMade>,
    ) -> Shared<Metrics>,
    pub(super) decision:
        fn(&Shared<Dataset>, Option<DataKind>, Option<ReadyMade>) -> Shared<Decision>,
    /// The rows that pass, and how many filters were too many.
    pub(super) passing: fn(&mut Mask, &Filters, &Frame) -> (Vec<u32>, usize),
    /// The accounts of the ledger as columns.
    pub(super) derived: fn(RowCache) -> Arc<dyn Derived>,
    /// Prepares the sums over very many rows, a step at a call; false after the last.
    pub(super) count: fn(Frame) -> Box<dyn FnMut() -> bool>,
    pub(super) totals: fn(&Frame) -> Vec<(String, Totals)>,
    pub(super) shown: fn(&str, DataKind, &Dataset) -> Shown,
    pub(super) selected:
        fn(&[RowRef], &Dataset, of_finding: &dyn Fn() -> Option<Vec<u32>>) -> Vec<u32>,
    pub(super) rows_of: fn(&Findings, &Frame, usize) -> Option<Vec<u32>>,
    pub(super) numbered: fn(&Frame, Numbers, &[u32], Option<&[u32]>) -> Vec<u32>,
    pub(super) devices: fn(&Dataset, &Metrics) -> Vec<Option<String>>,
    /// What a comparison of the rows lacks.
    pub(super) compare_lacks: fn(&Frame) -> Option<&'static str>,
}

impl Follow {
    /// All of it. Only code that comes with the first file may name it.
    pub const ROWS: &Follow = &Follow {
        metrics: |data, devices, own, kind, made| {
            let resolved = devices.resolve(data, own);
            let fits = |r: &ReadyMade| r.data == *data && r.metrics.are_of(&resolved, kind);
            match made.filter(fits) {
                Some(made) => made.metrics,
                None => Shared::from(Metrics::compute(data, resolved, kind)),
            }
        },
        decision: |data, kind, made| {
            let made = made.filter(|r| r.data == *data && r.kind == kind);
            made.map_or_else(|| Shared::from(Decision::new(data, kind)), |r| r.decision)
        },
        passing: |mask, filters, whole| {
            let refused = mask.update(filters, whole).len();
            (mask.passing(), refused)
        },
        derived: |cache| Columns::asking(move |frame| cache.partners(frame)),
        count: |frame| {
            let mut counting = Counting::new(frame);
            Box::new(move || counting.step())
        },
        totals: Totals::of,
        shown: Shown::of,
        selected: |picked, data, of_finding| picture::selected(picked, data, of_finding),
        rows_of: picture::rows_of,
        numbered,
        devices: devices_in_use,
        compare_lacks: Setup::lacks,
    };
}

fn devices_in_use(data: &Dataset, metrics: &Metrics) -> Vec<Option<String>> {
    let used = data.devices_used();
    let mut names: Vec<Option<String>> = metrics
        .devices
        .iter()
        .zip(used)
        .filter(|(_, used)| *used)
        .map(|(d, _)| d.as_ref().map(|d| d.name.clone()))
        .collect();
    names.order_by(Ord::cmp);
    // Each unknown one is a device of its own.
    names.dedup_by(|a, b| a.is_some() && a == b);
    names
}
