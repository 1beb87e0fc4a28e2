//! Errors of JSON texts that describe a device or a model.

use std::fmt;

/// Why a JSON text was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Line of the text, from 1; 0 if the text is valid JSON with a wrong value.
    pub line: u32,
    /// Column, from 1; 0 in that case too.
    pub column: u32,
    /// What was expected, after the path of a wrong value: `peaks[2].flops_per_s: ...`.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = (self.line, self.column);
        match line {
            0 => f.write_str(&self.message),
            _ => write!(f, "line {line}, column {column}: {}", self.message),
        }
    }
}

impl std::error::Error for JsonError {}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line() as u32, error.column() as u32);
        let position = format!(" at line {line} column {column}");
        Self { line, column, message: error.to_string().replace(&position, "") }
    }
}

/// Error for a field with a wrong value.
pub(crate) fn wrong(field: impl fmt::Display, message: impl fmt::Display) -> JsonError {
    JsonError { line: 0, column: 0, message: format!("{field}: {message}") }
}
