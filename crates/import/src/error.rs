//! Errors for files that cannot be read.

use gemmscope_model::JsonError;
use gemmscope_model::encode::visible;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the user can do about an [`ImportError`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Nothing in particular.
    #[default]
    Other,
    /// The meaning of the columns is unclear: open the mapping form.
    NeedsMapping,
    /// A known kind of file without GEMM measurements; the message names it.
    Foreign,
    /// An empty file, or a header without rows.
    Empty,
}

/// The file as a whole cannot be read. Bad rows do not cause this error; they are rejected one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportError {
    /// 1-based line; 0 if none applies.
    pub line: u32,
    /// 1-based column; 0 if none applies.
    pub column: u32,
    /// What was expected, what was found, what to do; the offending text last.
    pub message: String,
    /// What the user can do about it.
    pub kind: ErrorKind,
}

impl ImportError {
    /// An error about the file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        ImportError {
            line: 0,
            column: 0,
            message: visible(&message.into()).into_owned(),
            kind: ErrorKind::Other,
        }
    }

    /// Converts a JSON error with its position.
    pub(crate) fn of_json(e: serde_json::Error) -> Self {
        let e = JsonError::from(e);
        ImportError::new(format!("not valid JSON: {}", e.message)).at(e.line, e.column)
    }

    /// Sets the position (1-based; 0 if none applies).
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// Sets the kind.
    pub fn kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.message),
            (l, 0) => write!(f, "line {l}: {}", self.message),
            (line, column) => write!(f, "line {line}, column {column}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<JsonError> for ImportError {
    fn from(e: JsonError) -> Self {
        ImportError::new(e.message).at(e.line, e.column)
    }
}
