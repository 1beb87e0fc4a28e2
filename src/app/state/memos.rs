//! What follows from files, view and devices: the memos behind the [`Workbench`](super::Workbench),
//! from the rows of all files to the rows with a number.

use super::Shared;
use super::follow::{Follow, ReadyMade};
use super::workbench::{FindingsResult, Given, LoadedFile};
use crate::web::{clock, frame as frames};
use gemmscope_chart::picture::FINDING_KEY;
use gemmscope_chart::roofline::Numbers;
use gemmscope_table::data_kind::Decision;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Metrics;
use gemmscope_table::trace::Repeated;
use leptos::prelude::*;
use std::sync::Arc;

/// Up to so many rows are counted in a short task.
const SHORT: usize = 20_000;

impl Given {
    /// Files whose rows are those of another one, by their index.
    pub(super) fn repeated(self) -> Memo<Vec<Repeated>> {
        let Given { files, several, .. } = self;
        Memo::new(move |_| {
            files.with(|files| match (&files[..], several.get_value()) {
                ([] | [_], _) | (_, None) => Vec::new(),
                (files, Some(several)) => (several.repeated)(files),
            })
        })
    }

    /// The rows of all files as one table.
    pub(super) fn united(self, repeated: Memo<Vec<Repeated>>) -> Memo<Shared<Dataset>> {
        let Given { files, contexts, several, ready_made, .. } = self;
        let unite =
            move |files: &[LoadedFile], repeats: &[Repeated], contexts: &[TraceContext]| match (
                files,
                several.get_value(),
            ) {
                ([], _) => Shared::from(Dataset::new()),
                ([one, ..], None) => one.data.clone(),
                (files, Some(several)) => {
                    let of_these = |made: &ReadyMade| {
                        contexts.is_empty() && made.files.iter().eq(files.iter().map(|f| &f.data))
                    };
                    match ready_made.get_value().filter(of_these) {
                        Some(made) => made.data,
                        None => (several.unite)(files, repeats, contexts),
                    }
                }
            };
        Memo::new(move |_| {
            files.with(|files| {
                repeated.with(|repeats| contexts.with(|contexts| unite(files, repeats, contexts)))
            })
        })
    }

    /// The figures of all rows.
    pub(super) fn metrics(self, data: Memo<Shared<Dataset>>) -> Memo<Shared<Metrics>> {
        let Given { follow, view, custom, ready_made, .. } = self;
        let devices = Memo::new(move |_| view.with(|v| v.devices.clone()));
        let roof = Memo::new(move |_| view.with(|v| v.roof));
        Memo::new(move |_| {
            let (data, kind) = (data.get(), roof.get());
            match follow.get() {
                Some(follow) => custom.with(|own| {
                    (follow.metrics)(&data, &devices.get(), own, kind, ready_made.get_value())
                }),
                None => Shared::from(Metrics::of_nothing(kind)),
            }
        })
    }

    /// What the rows are.
    pub(super) fn decision(self, data: Memo<Shared<Dataset>>) -> Memo<Shared<Decision>> {
        let Given { follow, view, ready_made, .. } = self;
        let chosen = Memo::new(move |_| view.with(|v| v.kind));
        Memo::new(move |_| {
            let (kind, data) = (chosen.get(), data.get());
            match follow.get() {
                Some(follow) => (follow.decision)(&data, kind, ready_made.get_value()),
                None => Shared::from(Decision::default()),
            }
        })
    }

    /// What is found in the rows, where it is of the frame that shows.
    pub(super) fn findings(self, settled: Memo<Frame>) -> Memo<Option<FindingsResult>> {
        Memo::new(move |_| {
            let frame = settled.get();
            self.findings_result.with(|r| r.as_ref().filter(|r| r.frame == frame).cloned())
        })
    }

    /// Which finding is chosen.
    pub(super) fn finding(self, findings: Memo<Option<FindingsResult>>) -> Memo<Option<usize>> {
        let chosen =
            Memo::new(move |_| self.view.with(|v| v.param(FINDING_KEY).map(str::to_owned)));
        Memo::new(move |_| {
            let id = chosen.get()?;
            findings.with(|r| r.as_ref()?.findings.position(&id))
        })
    }

    /// The rows that are chosen.
    pub(super) fn selected(
        self,
        data: Memo<Shared<Dataset>>,
        findings: Memo<Option<FindingsResult>>,
        finding: Memo<Option<usize>>,
    ) -> Memo<Vec<u32>> {
        let rows_of_finding = move |follow: &Follow| {
            let index = finding.get()?;
            findings.with(|r| {
                let r = r.as_ref()?;
                (follow.rows_of)(&r.findings, &r.frame, index)
            })
        };
        let selection = Memo::new(move |_| self.view.with(|v| v.selection.clone()));
        Memo::new(move |_| match self.follow.get() {
            Some(f) => selection.with(|s| (f.selected)(s, &data.get(), &|| rows_of_finding(f))),
            None => Vec::new(),
        })
    }

    /// The rows that stand for the findings.
    pub(super) fn ranked(
        self,
        findings: Memo<Option<FindingsResult>>,
    ) -> Memo<Option<Shared<Vec<u32>>>> {
        Memo::new(move |_| {
            self.looks.get().then_some(())?;
            let known = findings.with(|r| Some(r.as_ref()?.ranked.clone()));
            // Before the rules have run, no point carries a number that no list has.
            Some(known.unwrap_or_else(|| Shared::from(Vec::new())))
        })
    }

    /// The rows that carry a number.
    pub(super) fn numbered(
        self,
        frame: Memo<Frame>,
        selected: Memo<Vec<u32>>,
        ranked: Memo<Option<Shared<Vec<u32>>>>,
    ) -> Memo<Vec<u32>> {
        let numbers = Memo::new(move |_| self.view.with(Numbers::of));
        Memo::new(move |_| {
            let (by, selected, ranked) = (numbers.get(), selected.get(), ranked.get());
            let ranked = ranked.as_ref().map(|r| r.as_slice());
            match self.follow.get() {
                Some(follow) => frame.with(|f| (follow.numbered)(f, by, &selected, ranked)),
                None => Vec::new(),
            }
        })
    }

    /// The frame of the rows that pass the view's filters, and how many filters were too many. The
    /// mask is kept between calls: a changed filter costs one pass over its own column.
    pub(super) fn filtered(
        self,
        data: Memo<Shared<Dataset>>,
        metrics: Memo<Shared<Metrics>>,
        decision: Memo<Shared<Decision>>,
    ) -> Memo<(Frame, usize)> {
        let Given { follow, view, row_cache: cache, mask, .. } = self;
        let filters = Memo::new(move |_| view.with(|v| v.filters.clone()));
        Memo::new(move |old: Option<&(Frame, usize)>| {
            let whole = Frame::new(data.get().0, metrics.get().0, decision.get().0, Arc::default());
            let filters = filters.get();
            let Some(follow) = follow.get() else {
                return (whole, 0);
            };
            // Columns that follow from the table hold for any filter.
            let before = old.map(|(old, _)| old).filter(|old| old.same_data(&whole));
            let whole = match before.filter(|old| old.derived().next().is_some()) {
                Some(old) => old.decided(whole.decision().clone()),
                None => whole.with_derived((follow.derived)(cache.get_value())),
            };
            let passing = mask.try_update_value(|mask| {
                if before.is_none() {
                    mask.reset();
                }
                (follow.passing)(mask, &filters, &whole)
            });
            let (rows, refused) = passing.unwrap_or_default();
            (whole.with_rows(Arc::new(rows)), refused)
        })
    }

    /// The frame as it was when the browser last painted after a change of it.
    pub(super) fn settled(self, frame: Memo<Frame>) -> Memo<Frame> {
        let follow = self.follow;
        let paints = RwSignal::new(0u32);
        let running = StoredValue::new(false);
        let settled = Memo::new(move |_| {
            paints.track();
            frame.get_untracked()
        });
        Effect::new(move |_| {
            frame.with(|_| ());
            // Read now: its value must be the frame from before the next change.
            settled.with_untracked(|_| ());
            if running.get_value() {
                return;
            }
            running.set_value(true);
            leptos::task::spawn_local(async move {
                frames::settled().await;
                // Sums over very many rows are prepared in short tasks, for the frame as it is by then.
                while let Some(now) = frame.try_get_untracked() {
                    let follow = follow.try_get_untracked().flatten();
                    if let Some(follow) = follow.filter(|_| now.rows.len() > SHORT) {
                        let mut count = (follow.count)(now.clone());
                        let mut turns = clock::Turns::begin();
                        let current = || frame.try_with_untracked(|f| *f == now) == Some(true);
                        while current() && count() {
                            turns.give().await;
                        }
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
