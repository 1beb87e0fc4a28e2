//! What the user can do: change the view, filter, select, choose devices, and undo.

use super::Workbench;
use super::workbench::DEVICES_KEY;
use crate::web::{clock, storage};
use gemmscope_chart::picture::FINDING_KEY;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_table::field::Field;
use gemmscope_table::filter::Filters;
use gemmscope_table::metrics::DeviceChoice;
use gemmscope_table::selection::RowSet;
use gemmscope_table::view_state::{RowRef, ViewState};
use leptos::prelude::*;

impl Workbench {
    /// Changes the view as one step of undo. Quick changes of the same `kind` are one step.
    pub fn edit(&self, kind: &'static str, change: impl FnOnce(&mut ViewState)) {
        let before = self.view.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            self.history
                .update(|h| h.record(before, kind, clock::now_ms()));
            self.view.set(after);
        }
    }

    /// Changes the view without a step of undo, as for a selection.
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
        let current = self.view.get_untracked();
        if let Some(Some(before)) = self.history.try_update(|h| h.undo(current)) {
            self.view.set(before);
        }
    }

    /// Redoes the step that was undone last.
    pub fn redo(&self) {
        let current = self.view.get_untracked();
        if let Some(Some(after)) = self.history.try_update(|h| h.redo(current)) {
            self.view.set(after);
        }
    }

    /// Adds a value of a field to the filter, or takes it out.
    pub fn toggle_facet(&self, field: &Field, value: &str) {
        self.edit("facet", |v| v.filters.toggle(field, value));
    }

    /// Removes all filters.
    pub fn clear_filters(&self) {
        self.edit("clear", |v| v.filters = Filters::default());
    }

    /// Selects rows. With `add` the old selection stays, and rows already in it are taken out.
    pub fn select(&self, rows: &[u32], add: bool) {
        let refs: Vec<RowRef> = self
            .data
            .with_untracked(|d| rows.iter().map(|&r| RowRef::of(r, d)).collect());
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

    /// Selects nothing.
    pub fn deselect(&self) {
        self.edit_without_undo(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, "");
        });
    }

    /// Chooses a finding, which selects its rows in every view. Choosing it again lets it go.
    pub fn choose_finding(&self, index: usize) {
        let id = self
            .findings
            .with_untracked(|r| Some(r.as_ref()?.findings.id_of(index)));
        let again = self.finding.get_untracked() == Some(index);
        self.edit_without_undo(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, id.filter(|_| !again).unwrap_or_default());
        });
    }

    /// Shows only these rows in every view. `what` is the id of the rule that found them, or "".
    pub fn filter_to(&self, what: &str, rows: &[u32]) {
        let only = self.data.with_untracked(|d| RowSet::new(what, rows, d));
        let mut words = match only.len() {
            1 => "Only this row shows".to_owned(),
            n => format!("Only these {n} rows show"),
        };
        if only.encode().is_none() {
            words.push_str("; they are too many for a link, which holds all else");
        }
        self.edit("only", |v| {
            v.filters.only = Some(only);
            v.selection.clear();
            v.set_param(FINDING_KEY, "");
        });
        self.status.set(words);
    }

    /// Each value of a category with the number of rows it would show.
    pub fn facet_counts(&self, field: &Field) -> Vec<(String, u64)> {
        // Counted after the chart is painted, but for the frame that the mask was last updated for,
        // which may be newer than the settled one.
        self.settled_frame.track();
        let frame = self.frame.get_untracked();
        self.mask
            .try_update_value(|mask| mask.counts(field, &frame))
            .unwrap_or_default()
    }

    /// Changes which devices apply to the rows.
    pub fn set_devices(&self, change: impl FnOnce(&mut DeviceChoice)) {
        self.edit("device", |v| change(&mut v.devices));
    }

    /// Chooses the roof that percentages are of.
    pub fn set_roof(&self, roof: RoofKind) {
        self.edit("roof", |v| v.roof = roof);
    }

    /// Adds or replaces one of the user's own devices and stores them.
    pub fn save_device(&self, device: Device) {
        self.lend_device(device);
        self.store_devices();
    }

    /// Adds or replaces a device until the page is closed.
    pub fn lend_device(&self, device: Device) {
        self.custom
            .update(|own| match own.iter_mut().find(|d| d.id == device.id) {
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
