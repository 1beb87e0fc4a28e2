//! Actions of the user: changing the view, filtering, selecting, choosing devices, undo.

use super::workbench::DEVICES_KEY;
use super::{LoadedFile, UndoStep, Workbench};
use crate::undo::{HasKey, History, Swap};
use crate::web::{clock, dom, storage};
use gemmscope_chart::picture::FINDING_KEY;
use gemmscope_chart::places;
use gemmscope_chart::roofline::OFF_KEY;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::units::plural;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::filter::{Filters, Mask};
use gemmscope_table::selection::RowSet;
use gemmscope_table::view_state::{RowRef, ViewState};
use leptos::prelude::*;

/// Maximum number of rows of removed files that undo keeps in memory.
const KEPT_ROWS: usize = 4_000_000;

impl UndoStep {
    /// Number of rows that it keeps in memory.
    fn rows(&self) -> usize {
        self.files.back.iter().map(|(_, f)| f.data.len()).sum()
    }
}

/// Changes a list; the result is the inverse change. An unchanged list notifies nobody.
fn apply<T: HasKey + Send + Sync + 'static>(list: RwSignal<Vec<T>>, swap: Swap<T>) -> Swap<T> {
    if swap.is_empty() {
        return swap;
    }
    list.try_update(|list| swap.apply(list)).unwrap_or_default()
}

fn names<'a>(files: impl Iterator<Item = &'a LoadedFile>) -> String {
    let names: Vec<&str> = files.map(|f| f.input.name.as_str()).collect();
    names.join(", ")
}

impl Workbench {
    /// Changes the view as one undo step.
    pub fn edit(&self, change: impl FnOnce(&mut ViewState)) {
        self.change_view(change, History::push);
    }

    /// Changes the view by a drag, a wheel or a key: quick changes of the same `kind` are one undo step.
    pub fn adjust(&self, kind: &'static str, change: impl FnOnce(&mut ViewState)) {
        self.change_view(change, |h, step| h.record(step, kind, clock::now_ms()));
    }

    fn change_view(
        &self,
        change: impl FnOnce(&mut ViewState),
        record: impl FnOnce(&mut History<UndoStep>, UndoStep),
    ) {
        let before = self.view.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            // A link may select rows that its filters exclude.
            let same = after.selection == before.selection && !after.selection.is_empty();
            let filtered = same && after.filters != before.filters;
            let step = UndoStep { view: before, ..UndoStep::default() };
            self.history.update(|h| record(h, step));
            self.view.set(after);
            if filtered {
                self.deselect_excluded();
            }
        }
    }

    /// Clears a selection that the filters exclude entirely, so that its details close.
    fn deselect_excluded(&self) {
        let selected = self.selected.get_untracked();
        let passes = |row: &u32| self.frame.with_untracked(|f| f.rows.binary_search(row).is_ok());
        if !selected.iter().any(passes) {
            self.view.update(|v| v.selection.clear());
        }
    }

    /// Removes files and changes the view, as one undo step.
    pub fn remove_files(&self, ids: Vec<u32>, change: impl FnOnce(&mut ViewState)) {
        let view = self.view.get_untracked();
        let files = self.take_files(ids);
        self.view.update(change);
        self.push(UndoStep { view, files, ..UndoStep::default() });
    }

    /// Replaces a file by the result of reading it differently, as one undo step.
    pub fn replace_file(&self, file: LoadedFile) {
        let (view, id) = (self.view.get_untracked(), file.id);
        let old = self.files.try_update(|files| {
            let place = files.iter().position(|f| f.id == id);
            match place {
                Some(at) => Some((at, std::mem::replace(&mut files[at], file))),
                None => {
                    files.push(file);
                    None
                }
            }
        });
        if let Some(Some(old)) = old {
            let files = Swap { back: vec![old], out: vec![id] };
            self.push(UndoStep { view, files, ..UndoStep::default() });
        }
    }

    /// Removes files without an undo step; the result puts them back.
    pub fn take_files(&self, ids: Vec<u32>) -> Swap<LoadedFile> {
        let out = self.files.try_update(|files| Swap::take(files, ids)).unwrap_or_default();
        // The view refers to files by index.
        self.edit_without_undo(|v| {
            for &(place, _) in out.back.iter().rev() {
                if let Ok(place) = u16::try_from(place) {
                    v.drop_source(place);
                }
            }
        });
        out
    }

    /// Removes the context of trace reports that came from these files, as one undo step.
    pub fn remove_context(&self, files: Vec<String>) {
        let view = self.view.get_untracked();
        let taken = self.contexts.try_update(|all| Swap::take(all, vec![files]));
        self.push(UndoStep { view, contexts: taken.unwrap_or_default(), ..UndoStep::default() });
    }

    fn push(&self, step: UndoStep) {
        self.history.update(|h| {
            h.push(step);
            h.lighten(KEPT_ROWS, UndoStep::rows);
        });
    }

    /// Shows a place or a picture. Changing the place adds a history entry for the browser's Back.
    pub fn show(&self, id: &str) {
        let now = self.shown.get_untracked();
        let to = places::of(id);
        if to == Some((now.place, now.picture)) {
            // No change, so no undo step.
            return;
        }
        if to.is_none_or(|(place, _)| place != now.place) {
            self.keep_address();
        }
        self.edit(|v| id.clone_into(&mut v.view));
    }

    /// Adds a history entry, so that the browser's Back returns to the current view.
    fn keep_address(&self) {
        if !dom::embedded() {
            dom::replace_hash(&untrack(|| self.link()));
            dom::push_address();
        }
    }

    /// As [`keep_address`](Self::keep_address), if the details are closed: Back closes them again.
    fn opens_details(&self) {
        if self.view.with_untracked(|v| v.selection.is_empty() && v.param(FINDING_KEY).is_none()) {
            self.keep_address();
        }
    }

    /// Changes the view without an undo step, as for a selection.
    pub fn edit_without_undo(&self, change: impl FnOnce(&mut ViewState)) {
        let before = self.view.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            self.view.set(after);
        }
    }

    /// Undoes the last step.
    pub fn undo(&self) {
        if let Some(Some(step)) = self.history.try_update(History::undo) {
            let forward = self.take_step(step);
            self.history.update(|h| h.undone(forward));
        }
    }

    /// Redoes the step undone last.
    pub fn redo(&self) {
        if let Some(Some(step)) = self.history.try_update(History::redo) {
            let back = self.take_step(step);
            self.history.update(|h| h.redone(back));
        }
    }

    /// Performs a step; the result is its inverse.
    fn take_step(&self, step: UndoStep) -> UndoStep {
        let view = self.view.get_untracked();
        self.view.set(step.view);
        let (files, contexts) =
            (apply(self.files, step.files), apply(self.contexts, step.contexts));
        let back = self.files.with_untracked(|all| {
            let back = all.iter().filter(|f| files.out.contains(&f.id));
            names(back)
        });
        let same = |f: &(usize, LoadedFile)| files.out.contains(&f.1.id);
        if files.back.iter().any(same) {
            self.status.set(format!("{back} is read as before.").into());
        } else if !back.is_empty() {
            self.status.set(format!("Reopened {back}.").into());
        } else if !files.back.is_empty() {
            let name = names(files.back.iter().map(|(_, f)| f));
            self.status.set(format!("Removed {name}.").into());
        }
        UndoStep { view, files, contexts }
    }

    /// Adds a value of a field to the filter, or removes it.
    pub fn toggle_facet(&self, field: &Field, value: &str) {
        self.edit(|v| v.filters.toggle(field, value));
    }

    /// Removes all filters.
    pub fn clear_filters(&self) {
        self.edit(|v| {
            v.filters = Filters::default();
            v.set_param(OFF_KEY, "");
        });
    }

    /// Selects rows. With `add`, toggles them in the current selection.
    pub fn select(&self, rows: &[u32], add: bool) {
        self.picks.update(|n| *n = n.wrapping_add(1));
        self.opens_details();
        let refs: Vec<RowRef> = self.data.with_untracked(|d| RowRef::of_all(rows, d));
        self.edit_without_undo(|v| {
            if !add {
                v.set_param(FINDING_KEY, "");
                v.selection = refs;
                return;
            }
            for r in refs {
                match v.selection.iter().position(|s| *s == r) {
                    Some(i) => drop(v.selection.remove(i)),
                    None => v.selection.push(r),
                }
            }
        });
    }

    /// Clears the selection.
    pub fn deselect(&self) {
        self.edit_without_undo(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, "");
        });
    }

    /// Chooses a finding, which selects its rows in every view; again to unselect it.
    pub fn choose_finding(&self, index: usize) {
        let id = self.findings.with_untracked(|r| Some(r.as_ref()?.findings.id_of(index)));
        let again = self.finding.get_untracked() == Some(index);
        self.opens_details();
        self.edit_without_undo(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, id.filter(|_| !again).unwrap_or_default());
        });
    }

    /// Shows only these rows in every view. `what` is the id of the rule that found them, or "".
    pub fn filter_to(&self, what: &str, rows: &[u32]) {
        let only = self.data.with_untracked(|d| RowSet::new(what, rows, d));
        let mut words = format!("Showing only {}", plural(only.len(), "row"));
        if only.encode().is_none() {
            words.push_str(". A link shows all rows: these are too many for it");
        }
        self.edit(|v| {
            v.filters.only = Some(only);
            v.selection.clear();
            v.set_param(FINDING_KEY, "");
        });
        self.status.set(words.into());
    }

    /// Each value of a category with the number of rows that it would show.
    pub fn facet_counts(&self, field: &Field) -> Vec<(String, u64)> {
        // Counted after the chart is painted, but for the frame of the last mask, which may be newer than the settled
        // one.
        self.settled_frame.track();
        let frame = self.frame.get_untracked();
        let counts = self.study.try_update_value(|study| study.mask().counts(field, &frame));
        counts.unwrap_or_default()
    }

    /// Number of distinct values of a field, regardless of filters. This also caches what a facet counts with.
    pub fn distinct(&self, field: &Field, frame: &Frame) -> usize {
        let distinct = |mask: &mut Mask| mask.distinct(field, frame);
        let same = self.frame.with_untracked(|now| now.same_data(frame));
        let of_study = || self.study.try_update_value(|study| distinct(study.mask()));
        let kept = same.then(of_study).flatten();
        kept.unwrap_or_else(|| distinct(&mut Mask::default()))
    }

    /// Chooses the device of rows; see [`DeviceChoice::choose`](gemmscope_table::metrics::DeviceChoice::choose).
    pub fn choose_device(&self, name: &str, id: Option<String>) {
        self.edit(|v| v.devices.choose(name, id));
    }

    /// Chooses the roof that percentages refer to; the status line says so if there is only one.
    pub fn set_roof(&self, roof: RoofKind) {
        match untrack(|| self.one_roof()) {
            Some(why) => self.status.set(why.to_owned().into()),
            None => self.edit(|v| v.roof = roof),
        }
    }

    /// Why there is no achievable roof besides the datasheet's; `None` if there is one, and in a plan, which has
    /// devices of its own.
    pub fn one_roof(&self) -> Option<&'static str> {
        if !self.shown.get().needs_file() {
            return None;
        }
        self.metrics.with(|m| {
            let mut peaks = m.devices.iter().flatten().flat_map(|d| &d.peaks);
            let both = peaks.any(|p| p.achievable_flops_per_s.is_some());
            (!both).then_some("Needs a device with a known achievable rate")
        })
    }

    /// Adds or replaces one of the user's own devices and stores them.
    pub fn save_device(&self, device: Device) {
        self.lend_device(device);
        self.store_devices();
    }

    /// Adds or replaces a device for the lifetime of the page.
    pub fn lend_device(&self, device: Device) {
        self.custom.update(|own| match own.iter_mut().find(|d| d.id == device.id) {
            Some(old) => *old = device,
            None => own.push(device),
        });
    }

    /// Removes one of the user's own devices.
    pub fn forget_device(&self, id: &str) {
        self.custom.update(|own| own.retain(|d| d.id != id));
        self.store_devices();
    }

    fn store_devices(&self) {
        let json = self.custom.with_untracked(serde_json::to_string);
        if let Ok(json) = json
            && !storage::set(DEVICES_KEY, Some(&json))
        {
            self.status.set(
                "The browser stores nothing here: this device lasts until you close the page."
                    .into(),
            );
        }
    }
}
