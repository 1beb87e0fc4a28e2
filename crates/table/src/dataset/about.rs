//! The metadata of a file as text, so that a written table keeps it.

use super::Source;
use serde_json::Value;

impl Source {
    /// All that its used rows do not say, as JSON: what was assumed, remarks, what surrounds a trace.
    /// Empty where there is nothing of the kind.
    pub(crate) fn about(&self, has_rates: bool) -> String {
        let json = |source: &Source| serde_json::to_value(source).unwrap_or_default();
        let mut told = self.clone();
        for a in told.assumptions.iter_mut().filter(|a| !a.choices.is_empty()) {
            // The rows state what was assumed; only the file itself can be read otherwise.
            a.choices = vec![a.value.clone()];
        }
        // How many rows were not used and why goes along; what they say stays where it is.
        told.rejected.reasons.iter_mut().for_each(|reason| reason.example = None);
        let (Value::Object(mut all), nothing) = (json(&told), json(&Source::default())) else {
            return String::new();
        };
        // The table has them in columns, or they belong to the file as it was.
        for key in ["name", "bytes", "format", "format_name", "format_reason", "rows_read"] {
            all.remove(key);
        }
        all.retain(|key, value| nothing.get(key) != Some(value));
        // Without rates in the file there is no comparison to store; its absence says so.
        match !has_rates && all.keys().all(|key| key == "rows_used") {
            true => String::new(),
            false => Value::Object(all).to_string(),
        }
    }

    /// The file that [`about`](Self::about) tells of, without name, format and rows.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_about(text: &str) -> Result<Source, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }
}
