//! Serialises the metadata of a file, so that a written table keeps it.

use super::Source;
use serde_json::Value;

impl Source {
    /// Metadata as JSON, without what the used rows hold: assumptions, remarks, trace context. Empty if there is none.
    pub(crate) fn about(&self, has_rates: bool) -> String {
        let json = |source: &Source| serde_json::to_value(source).unwrap_or_default();
        let mut told = self.clone();
        for a in told.assumptions.iter_mut().filter(|a| !a.choices.is_empty()) {
            // Rows hold the assumed value, so another choice would need the original file.
            a.choices = vec![a.value.clone()];
        }
        // Counts and reasons of rejected rows are kept, their text is not.
        told.rejected.reasons.iter_mut().for_each(|reason| reason.example = None);
        let (Value::Object(mut all), nothing) = (json(&told), json(&Source::default())) else {
            return String::new();
        };
        // These are columns of the table, or describe the original file only.
        for key in ["name", "bytes", "format", "format_name", "format_reason", "rows_read"] {
            all.remove(key);
        }
        all.retain(|key, value| nothing.get(key) != Some(value));
        // Without rates there is no comparison to store, and `rows_used` alone is not worth storing.
        match !has_rates && all.keys().all(|key| key == "rows_used") {
            true => String::new(),
            false => Value::Object(all).to_string(),
        }
    }

    /// Reads a text written by `about`: a source without name, format and rows.
    ///
    /// # Errors
    /// The JSON error as text.
    pub fn from_about(text: &str) -> Result<Source, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }
}
