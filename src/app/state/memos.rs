//! The memos of the [`Workbench`](super::Workbench), from the rows of all files to the numbered rows.

use super::Shared;
use super::several;
use super::workbench::{FIXED_KEY, FindingsResult, LoadedFile, Tables, Ticked, WorkbenchState};
use crate::web::{animation, clock};
use gemmscope_analysis::ledger::{Columns, Ledger};
use gemmscope_chart::picture::{self, FINDING_KEY};
use gemmscope_chart::roofline::{self, Numbers};
use gemmscope_model::hardware::Device;
use gemmscope_model::pass;
use gemmscope_table::data_kind::Decision;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::field::{Derived, Frame};
use gemmscope_table::metrics::Metrics;
use gemmscope_table::trace::Repeated;
use leptos::prelude::*;
use std::sync::Arc;

/// Up to this many rows, counting takes a short task.
const SHORT: usize = 20_000;

impl WorkbenchState {
    /// Files whose rows repeat those of another one, by index.
    pub(super) fn repeated(self) -> Memo<Vec<Repeated>> {
        let files = self.files;
        Memo::new(move |_| files.with(|files| several::repeated(files)))
    }

    /// The rows of all files as one table.
    pub(super) fn united(self, repeated: Memo<Vec<Repeated>>) -> Memo<Shared<Dataset>> {
        let WorkbenchState { files, contexts, .. } = self;
        Memo::new(move |_| {
            let contexts = contexts.get();
            files.with(|files| repeated.with(|repeats| self.unite(files, repeats, contexts)))
        })
    }

    /// All rows of all files as one table.
    pub(super) fn unite(
        self,
        files: &[LoadedFile],
        repeated: &[Repeated],
        contexts: Vec<TraceContext>,
    ) -> Shared<Dataset> {
        let tables = (files.iter().map(|f| f.data.clone()).collect(), contexts);
        let unite = |(_, contexts): &Tables| several::unite(files, repeated, contexts);
        let united = self.united.try_update_value(|last| last.of(tables, unite));
        united.unwrap_or_default()
    }

    /// The figures of all rows.
    pub(super) fn metrics(
        self,
        data: Memo<Shared<Dataset>>,
        known: Memo<Vec<Device>>,
    ) -> Memo<Shared<Metrics>> {
        let WorkbenchState { view, study, .. } = self;
        let devices = Memo::new(move |_| view.with(|v| v.devices.clone()));
        let roof = Memo::new(move |_| view.with(|v| v.roof));
        Memo::new(move |_| {
            let data = data.get();
            let resolved = known.with(|known| devices.with(|choice| choice.resolve(&data, known)));
            let roof = roof.get();
            let metrics = study.try_update_value(|study| study.metrics(&data.0, resolved, roof));
            metrics.map_or_else(Shared::default, Shared)
        })
    }

    /// The kind of rows.
    pub(super) fn decision(self, data: Memo<Shared<Dataset>>) -> Memo<Shared<Decision>> {
        let WorkbenchState { view, study, .. } = self;
        let chosen = Memo::new(move |_| view.with(|v| v.kind));
        Memo::new(move |_| {
            let (data, chosen) = (data.get(), chosen.get());
            let decision = study.try_update_value(|study| study.decision(&data.0, chosen));
            decision.map_or_else(Shared::default, Shared)
        })
    }

    /// The findings, if they belong to the current frame.
    pub(super) fn findings(self, settled: Memo<Frame>) -> Memo<Option<FindingsResult>> {
        Memo::new(move |_| {
            let frame = settled.get();
            self.findings_result.with(|r| r.as_ref().filter(|r| r.frame == frame).cloned())
        })
    }

    /// Index of the chosen finding.
    pub(super) fn finding(self, findings: Memo<Option<FindingsResult>>) -> Memo<Option<usize>> {
        let chosen =
            Memo::new(move |_| self.view.with(|v| v.param(FINDING_KEY).map(str::to_owned)));
        Memo::new(move |_| {
            let id = chosen.get()?;
            findings.with(|r| r.as_ref()?.findings.position(&id))
        })
    }

    /// The ledger that is left once the ticked findings are fixed.
    pub(super) fn ticked(self, findings: Memo<Option<FindingsResult>>) -> Memo<Option<Ticked>> {
        let ids = Memo::new(move |_| self.view.with(|v| v.param(FIXED_KEY).map(str::to_owned)));
        Memo::new(move |_| {
            let ids = ids.get()?;
            let FindingsResult { frame, findings, .. } = findings.get()?;
            let mut indices: Vec<usize> =
                ids.split(',').filter_map(|id| findings.position(id)).collect();
            indices.sort_unstable();
            let changes = findings.changes(&indices);
            let partners = self.row_cache.get_value().partners(&frame);
            let left = || Shared::from(Ledger::left(&frame, &partners, &changes));
            (!changes.is_empty()).then(|| Ticked { left: left(), indices })
        })
    }

    /// The selected rows.
    pub(super) fn selected(
        self,
        data: Memo<Shared<Dataset>>,
        findings: Memo<Option<FindingsResult>>,
        finding: Memo<Option<usize>>,
    ) -> Memo<Vec<u32>> {
        let rows_of_finding = move || {
            let index = finding.get()?;
            findings.with(|r| {
                let r = r.as_ref()?;
                picture::rows_of(&r.findings, &r.frame, index)
            })
        };
        let selection = Memo::new(move |_| self.view.with(|v| v.selection.clone()));
        Memo::new(move |_| selection.with(|s| picture::selected(s, &data.get(), rows_of_finding)))
    }

    /// The row that stands for each finding.
    pub(super) fn ranked(
        self,
        findings: Memo<Option<FindingsResult>>,
    ) -> Memo<Option<Shared<Vec<u32>>>> {
        Memo::new(move |_| {
            self.looks.get().then_some(())?;
            let known = findings.with(|r| Some(r.as_ref()?.ranked.clone()));
            // Until the rules have run, no point carries a number that is in no list.
            Some(known.unwrap_or_else(|| Shared::from(Vec::new())))
        })
    }

    /// The numbered rows.
    pub(super) fn numbered(
        self,
        frame: Memo<Frame>,
        ranked: Memo<Option<Shared<Vec<u32>>>>,
    ) -> Memo<Vec<u32>> {
        let numbers = Memo::new(move |_| self.view.with(Numbers::of));
        Memo::new(move |_| {
            let (by, ranked) = (numbers.get(), ranked.get());
            let ranked = ranked.as_ref().map(|r| r.as_slice());
            frame.with(|f| roofline::numbered(f, by, ranked))
        })
    }

    /// The frame of the rows that pass the view's filters, and the number of filters over the limit.
    pub(super) fn filtered(
        self,
        data: Memo<Shared<Dataset>>,
        metrics: Memo<Shared<Metrics>>,
        decision: Memo<Shared<Decision>>,
    ) -> Memo<(Frame, usize)> {
        let WorkbenchState { view, row_cache, study, .. } = self;
        let filters = Memo::new(move |_| view.with(|v| v.filters.clone()));
        Memo::new(move |_| {
            let (data, metrics, decision) = (data.get().0, metrics.get().0, decision.get().0);
            let cache = row_cache.get_value();
            let columns = move || {
                Some(Columns::asking(move |frame| cache.partners(frame)) as Arc<dyn Derived>)
            };
            let all = (data.clone(), metrics.clone(), decision.clone());
            let filtered = filters.with(|filters| {
                study.try_update_value(|study| {
                    study.filtered(data, metrics, decision, filters, columns)
                })
            });
            let (frame, refused) = filtered
                .unwrap_or_else(|| (Frame::new(all.0, all.1, all.2, Arc::default()), Vec::new()));
            (frame, refused.len())
        })
    }

    /// The frame as of the last paint after a change of it.
    pub(super) fn settled(self, frame: Memo<Frame>) -> Memo<Frame> {
        let paints = RwSignal::new(0u32);
        let running = StoredValue::new(false);
        let settled = Memo::new(move |_| {
            paints.track();
            frame.get_untracked()
        });
        Effect::new(move |_| {
            frame.with(|_| ());
            // Read it now: its value must be the frame from before the next change.
            settled.with_untracked(|_| ());
            if running.get_value() {
                return;
            }
            running.set_value(true);
            leptos::task::spawn_local(async move {
                animation::settled().await;
                // Sums over very many rows are prepared in short tasks, for the frame as of then.
                while let Some(now) = frame.try_get_untracked() {
                    if now.rows.len() > SHORT {
                        let turns = clock::Turns::begin();
                        let pause = async || turns.give().await;
                        let current = || frame.try_with_untracked(|f| *f == now) == Some(true);
                        pass::while_wanted(current, now.count(&pause)).await;
                    }
                    if frame.try_get_untracked().is_none_or(|f| f == now) {
                        break;
                    }
                }
                running.try_set_value(false);
                paints.try_update(|n| *n = n.wrapping_add(1));
            });
        });
        settled
    }
}

/// Names of the devices in use, in order and distinct; `None` for each unknown one.
pub(super) fn devices_in_use(data: &Dataset, metrics: &Metrics) -> Vec<Option<String>> {
    let used = data.devices_used();
    let mut names: Vec<Option<String>> = metrics
        .devices
        .iter()
        .zip(used)
        .filter(|(_, used)| *used)
        .map(|(d, _)| d.as_ref().map(|d| d.name.clone()))
        .collect();
    names.sort();
    // Each unknown one counts as a different device.
    names.dedup_by(|a, b| a.is_some() && a == b);
    names
}
