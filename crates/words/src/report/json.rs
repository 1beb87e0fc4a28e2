//! The report as JSON.

use super::Report;

/// Writes the report as JSON: all figures in base units, shares from 0 to 1.
pub fn json(report: &Report) -> String {
    // Non-finite numbers become null; serialising a report cannot fail.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_else(|e| {
        serde_json::json!({ "schema": report.schema, "error": e.to_string() }).to_string()
    });
    text.push('\n');
    text
}
