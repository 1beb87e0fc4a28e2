//! The remarks on a file: devices, notes, assumptions.

use super::{MOST_NOTES, TableBuilder};
use crate::dataset::{Assumption, Dataset};
use gemmscope_model::dtype::DataType;
use gemmscope_model::encode::visible;

impl Assumption {
    /// The assumption of a device that the user chose for a file that names none.
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
    /// Makes this the device of all rows, whatever the file names.
    pub fn choose_device(&mut self, name: &str) -> u16 {
        self.chosen_device = self.device(name);
        self.chosen_device
    }

    /// Code of a device name, or of the device that the user chose; else the empty name is 0, "not stated".
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

    /// Code of a device given by its compiler target and unit count (`gfx942`, `304`): the name
    /// `gfx942:304`, which the catalogue knows.
    pub fn device_target(&mut self, target: &str, units: &str) -> u16 {
        let target = target.trim().split(':').next().unwrap_or_default();
        let units = units.trim();
        if target.is_empty() || units.is_empty() {
            self.device(target)
        } else {
            self.device(&format!("{target}:{units}"))
        }
    }

    /// The name behind a code of [`device`](Self::device).
    pub fn device_name(&self, code: u16) -> &str {
        self.data.devices.get(usize::from(code)).map_or("", String::as_str)
    }

    /// Adds a remark, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = visible(&text.into()).into_owned();
        match self.notes.len() {
            _ if self.notes.contains(&text) => {}
            ..MOST_NOTES => self.notes.push(text),
            MOST_NOTES => self.notes.push("Further remarks are left out.".to_owned()),
            _ => {}
        }
    }

    /// Adds an assumption, once a key.
    pub fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.iter().any(|a| a.key == assumption.key) {
            self.assumptions.push(assumption);
        }
    }

    /// Adds the usual assumption about a data type that the file does not state.
    pub fn assume_dtype(&mut self, value: DataType, why: &str) {
        self.assume(Assumption {
            by_hand: false,
            key: "dtype".into(),
            text: format!("{why}: assuming {}.", value.name()),
            value: value.id().into(),
            choices: DataType::ALL.iter().map(|t| t.id().to_owned()).collect(),
        });
    }

    /// Adds the usual assumption about a device that the file does not name: the reader's guess,
    /// or "" for the one chosen on the page.
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

    /// Records that times were computed from the file's rates, which makes comparing them useless.
    pub fn rates_are_not_independent(&mut self) {
        self.not_compared = true;
    }
}
