//! What the reader may do: look elsewhere, filter, select, judge by other devices; and take it back.

use super::{App, DEVICES_KEY, Dialog, FINDING_KEY, TERMS_KEY, THEME_KEY, ThemeChoice};
use crate::field::Field;
use crate::filter::Filters;
use crate::hardware::{Device, RoofKind};
use crate::metrics::DeviceChoice;
use crate::selection::RowSet;
use crate::view_state::{RowRef, ViewState};
use crate::web::{clock, storage};
use leptos::prelude::*;

impl App {
    /// Changes the view as one step that can be undone. Quick changes of one `kind` are one step.
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

    /// Changes the view without a step: selection, hover.
    pub fn glance(&self, change: impl FnOnce(&mut ViewState)) {
        let before = self.view.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            self.view.set(after);
        }
    }

    /// Takes the last step back.
    pub fn undo(&self) {
        let current = self.view.get_untracked();
        if let Some(Some(before)) = self.history.try_update(|h| h.undo(current)) {
            self.view.set(before);
        }
    }

    /// Does the step again.
    pub fn redo(&self) {
        let current = self.view.get_untracked();
        if let Some(Some(after)) = self.history.try_update(|h| h.redo(current)) {
            self.view.set(after);
        }
    }

    /// Lets a value of a facet through, or no longer.
    pub fn toggle_facet(&self, field: &Field, value: &str) {
        self.edit("facet", |v| v.filters.toggle(field, value));
    }

    /// Lets everything through.
    pub fn clear_filters(&self) {
        self.edit("clear", |v| v.filters = Filters::default());
    }

    /// Selects rows; `add` keeps what is selected and takes out what is selected already.
    pub fn select(&self, rows: &[u32], add: bool) {
        let refs: Vec<RowRef> = self
            .data
            .with_untracked(|d| rows.iter().map(|&r| RowRef::of(r, d)).collect());
        self.glance(|v| {
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
        self.glance(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, "");
        });
    }

    /// Chooses a finding: its points are selected in every view. Choosing it again lets go.
    pub fn choose_finding(&self, index: usize) {
        let id = self
            .found
            .with_untracked(|j| Some(j.as_ref()?.findings.id_of(index)));
        let again = self.finding.get_untracked() == Some(index);
        self.glance(|v| {
            v.selection.clear();
            v.set_param(FINDING_KEY, id.filter(|_| !again).unwrap_or_default());
        });
    }

    /// Shows only these rows in every view; `what` is the id of the rule that found them, or "".
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

    /// Shows or hides the explanations of words, and stores that.
    pub fn set_terms(&self, on: bool) {
        self.terms.set(on);
        storage::set(TERMS_KEY, (!on).then_some("off"));
    }

    /// How many rows each value of a category would show, with the values' texts.
    pub fn facet_counts(&self, field: &Field) -> Vec<(String, u64)> {
        // After the chart, but of the frame that the mask was made for: it may be newer.
        self.late.track();
        let frame = self.frame.get_untracked();
        self.mask
            .try_update_value(|mask| mask.counts(field, &frame))
            .unwrap_or_default()
    }

    /// Which devices rows are judged on.
    pub fn set_devices(&self, change: impl FnOnce(&mut DeviceChoice)) {
        self.edit("device", |v| change(&mut v.devices));
    }

    /// Which roof percentages are of.
    pub fn set_roof(&self, roof: RoofKind) {
        self.edit("roof", |v| v.roof = roof);
    }

    /// Adds or replaces one of the user's own devices and stores them.
    pub fn save_device(&self, device: Device) {
        self.lend_device(device);
        self.store_devices();
    }

    /// Adds or replaces a device for as long as the page is open.
    pub fn lend_device(&self, device: Device) {
        self.custom
            .update(|own| match own.iter_mut().find(|d| d.id == device.id) {
                Some(old) => *old = device,
                None => own.push(device),
            });
    }

    /// Forgets one of the user's own devices.
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

    /// Chooses and stores the theme.
    pub fn set_theme(&self, theme: ThemeChoice) {
        self.theme.set(theme);
        storage::set(
            THEME_KEY,
            match theme {
                ThemeChoice::System => None,
                ThemeChoice::Light => Some("light"),
                ThemeChoice::Dark => Some("dark"),
            },
        );
    }

    /// Opens a dialog.
    pub fn open(&self, dialog: Dialog) {
        self.dialog.set(Some(dialog));
    }
}
