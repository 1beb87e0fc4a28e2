//! The one way from a table and a view to the rows that count: devices, metrics, kind of rows, filters.

use crate::data_kind::{DataKind, Decision};
use crate::dataset::Dataset;
use crate::field::{Derived, Frame};
use crate::filter::{Filters, Mask};
use crate::metrics::Metrics;
use crate::view_state::ViewState;
use gemmscope_model::hardware::{Device, RoofKind};
use std::sync::Arc;

/// What a view shows of a table, memoised: changing a filter costs one pass over its column; changing device or roof
/// recomputes the metrics; another table recomputes everything.
///
/// ```
/// use gemmscope_model::dtype::DataType;
/// use gemmscope_model::gemm::Operation;
/// use gemmscope_table::build::{Row, TableBuilder};
/// use gemmscope_table::study::Study;
/// use gemmscope_table::view_state::ViewState;
/// use std::sync::Arc;
///
/// let mut table = TableBuilder::new();
/// for m in [16, 4096] {
///     let row = Row::new(m, 4096, 4096, Operation::uniform(DataType::Bf16), 500e-6);
///     table.commit(2, b"", Ok(row));
/// }
/// let data = Arc::new(table.finish());
/// let (view, _) = ViewState::decode("device=mi300x&f.m=16");
/// let mut study = Study::default();
/// let (frame, refused) = study.frame(&data, &view, &[], || None);
/// assert_eq!(*frame.rows, [0]);
/// assert!(refused.is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Study {
    metrics: Option<(Arc<Dataset>, Arc<Metrics>)>,
    decision: Option<(Arc<Dataset>, Option<DataKind>, Arc<Decision>)>,
    /// The last frame over all rows, with its derived columns.
    whole: Option<Frame>,
    mask: Mask,
}

impl Study {
    /// Metrics of all rows. `devices` has one entry per `data.devices`.
    pub fn metrics(
        &mut self,
        data: &Arc<Dataset>,
        devices: Vec<Option<Device>>,
        roof: RoofKind,
    ) -> Arc<Metrics> {
        match &self.metrics {
            Some((of, metrics)) if Arc::ptr_eq(of, data) && metrics.are_of(&devices, roof) => {
                metrics.clone()
            }
            _ => {
                let metrics = Arc::new(Metrics::compute(data, devices, roof));
                self.metrics = Some((data.clone(), metrics.clone()));
                metrics
            }
        }
    }

    /// What the rows are; `chosen` is the user's choice.
    pub fn decision(&mut self, data: &Arc<Dataset>, chosen: Option<DataKind>) -> Arc<Decision> {
        match &self.decision {
            Some((of, kind, decision)) if Arc::ptr_eq(of, data) && *kind == chosen => {
                decision.clone()
            }
            _ => {
                let decision = Arc::new(Decision::new(data, chosen));
                self.decision = Some((data.clone(), chosen, decision.clone()));
                decision
            }
        }
    }

    /// Takes over metrics and a decision that were computed while the rows came in.
    pub fn foresee(
        &mut self,
        data: &Arc<Dataset>,
        metrics: Arc<Metrics>,
        decision: Arc<Decision>,
        chosen: Option<DataKind>,
    ) {
        self.metrics = Some((data.clone(), metrics));
        self.decision = Some((data.clone(), chosen, decision));
    }

    /// The evaluated filters, which also count the rows per facet value.
    pub fn mask(&mut self) -> &mut Mask {
        &mut self.mask
    }

    /// The frame of the rows that pass, and the link keys of filters beyond [`Mask::CAPACITY`], which are not applied.
    /// `derived` returns the columns that a crate above derives from the whole table; it is called again when table or
    /// metrics change.
    pub fn filtered(
        &mut self,
        data: Arc<Dataset>,
        metrics: Arc<Metrics>,
        decision: Arc<Decision>,
        filters: &Filters,
        derived: impl FnOnce() -> Option<Arc<dyn Derived>>,
    ) -> (Frame, Vec<String>) {
        let fresh = Frame::new(data, metrics, decision, Arc::default());
        let whole = match self.whole.take().filter(|last| last.same_data(&fresh)) {
            Some(last) => last.decided(fresh.decision().clone()),
            None => {
                self.mask.reset();
                match derived() {
                    Some(columns) => fresh.with_derived(columns),
                    None => fresh,
                }
            }
        };
        let refused = self.mask.update(filters, &whole);
        let frame = whole.with_rows(Arc::new(self.mask.passing()));
        self.whole = Some(whole);
        (frame, refused)
    }

    /// The frame of a view. `custom` are the user's own devices, which win over catalogue devices of the same id;
    /// otherwise as [`filtered`](Self::filtered).
    pub fn frame(
        &mut self,
        data: &Arc<Dataset>,
        view: &ViewState,
        custom: &[Device],
        derived: impl FnOnce() -> Option<Arc<dyn Derived>>,
    ) -> (Frame, Vec<String>) {
        let devices = view.devices.resolve(data, custom);
        let metrics = self.metrics(data, devices, view.roof);
        let decision = self.decision(data, view.kind);
        self.filtered(data.clone(), metrics, decision, &view.filters, derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Row, TableBuilder};
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    fn table(rows: &[u32]) -> Arc<Dataset> {
        let mut table = TableBuilder::new();
        for (line, m) in (2..).zip(rows) {
            let row = Row::new(*m, 4096, 4096, Operation::uniform(DataType::Bf16), 500e-6);
            table.commit(line, b"", Ok(row));
        }
        Arc::new(table.finish())
    }

    #[test]
    fn a_changed_filter_keeps_the_figures_and_a_changed_table_nothing() {
        let data = table(&[16, 32, 64]);
        let mut study = Study::default();
        let mut shown = |data: &Arc<Dataset>, link: &str| {
            study.frame(data, &ViewState::decode(link).0, &[], || None).0
        };
        let all = shown(&data, "device=mi300x");
        assert_eq!(*all.rows, [0, 1, 2]);
        let some = shown(&data, "device=mi300x&f.m=32");
        assert_eq!(*some.rows, [1]);
        assert!(some.same_data(&all));
        let achievable = shown(&data, "device=mi300x&f.m=32&roof=achievable");
        assert!(!achievable.same_data(&all));
        assert_eq!(*achievable.rows, [1]);
        let decided = shown(&data, "device=mi300x&f.m=32&roof=achievable&rows=workload");
        assert!(decided.same_data(&achievable));
        assert!(!Arc::ptr_eq(decided.decision(), achievable.decision()));
        // Filters are re-evaluated for another table.
        assert_eq!(*shown(&table(&[32, 64, 32]), "device=mi300x&f.m=32").rows, [0, 2]);
    }
}
