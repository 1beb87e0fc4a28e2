//! Devices, notes and assumptions of a file.

use super::{MOST_NOTES, TableBuilder};
use crate::dataset::{Assumption, Dataset};
use gemmscope_model::dtype::DataType;
use gemmscope_model::encode::visible;

impl Assumption {
    /// The assumption for a device that the user chose for a file that names none.
    pub(crate) fn device_by_hand(value: &str) -> Self {
        Assumption {
            by_hand: true,
            key: "device".into(),
            text: "The file names no device: you chose it.".into(),
            value: value.to_owned(),
            choices: Vec::new(),
        }
    }
}

impl TableBuilder {
    /// Uses this device for all rows, whatever the file states.
    pub fn choose_device(&mut self, name: &str) -> u16 {
        self.chosen_device = self.device(name);
        self.chosen_device
    }

    /// Code of a device name; the user's chosen device wins. Code 0 is the empty name, "not stated".
    pub fn device(&mut self, name: &str) -> u16 {
        let name = &*visible(name.trim());
        if self.chosen_device != 0 {
            return self.chosen_device;
        }
        if name.is_empty() {
            return 0;
        }
        if let Some(&code) = self.device_codes.get(name) {
            return code;
        }
        if self.data.devices.len() >= Dataset::MOST_DEVICES && name != Dataset::FURTHER_DEVICE {
            self.note(Dataset::further_devices("", "rows"));
            return self.device(Dataset::FURTHER_DEVICE);
        }
        let code = self.data.devices.len() as u16;
        self.data.devices.push(name.to_owned());
        self.device_codes.insert(name.to_owned(), code);
        code
    }

    /// Code of a device given as compiler target and unit count (`gfx942`, `304`). Its name is `gfx942:304`, which the
    /// catalogue knows.
    pub fn device_target(&mut self, target: &str, units: &str) -> u16 {
        let target = target.trim().split(':').next().unwrap_or_default();
        let units = units.trim();
        if target.is_empty() || units.is_empty() {
            self.device(target)
        } else {
            self.device(&format!("{target}:{units}"))
        }
    }

    /// The name of a code returned by [`device`](Self::device).
    pub fn device_name(&self, code: u16) -> &str {
        self.data.devices.get(usize::from(code)).map_or("", String::as_str)
    }

    /// Adds a remark unless the file has it already.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = visible(&text.into()).into_owned();
        match self.notes.len() {
            _ if self.notes.contains(&text) => {}
            ..MOST_NOTES => self.notes.push(text),
            MOST_NOTES => self.notes.push("Further remarks are left out.".to_owned()),
            _ => {}
        }
    }

    /// Adds an assumption unless its key is taken.
    pub fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.iter().any(|a| a.key == assumption.key) {
            self.assumptions.push(assumption);
        }
    }

    /// Adds the assumption for a data type that the file does not state.
    pub fn assume_dtype(&mut self, value: DataType, why: &str) {
        self.assume(Assumption {
            by_hand: false,
            key: "dtype".into(),
            text: format!("{why}: assuming {}.", value.name()),
            value: value.id().into(),
            choices: DataType::ALL.iter().map(|t| t.id().to_owned()).collect(),
        });
    }

    /// Adds the assumption for a device that the file does not state: the reader's guess, or "" for the one chosen on
    /// the page.
    pub fn assume_device(&mut self, value: &str, why: &str) {
        self.assume(Assumption {
            by_hand: false,
            key: "device".into(),
            text: why.to_owned(),
            value: value.to_owned(),
            choices: Vec::new(),
        });
    }

    /// Records that the user chose the device of a file that names none.
    pub fn device_by_hand(&mut self, value: &str) {
        self.assume(Assumption::device_by_hand(value));
    }

    /// Records that times were computed from the file's rates, so comparing the two proves nothing.
    pub fn rates_are_not_independent(&mut self) {
        self.not_compared = true;
    }
}
