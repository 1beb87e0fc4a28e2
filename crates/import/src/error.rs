//! Why a file cannot be read.

use gemmscope_model::JsonError;
use gemmscope_model::encode::visible;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What can be done about an [`ImportError`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Nothing special.
    #[default]
    Other,
    /// The columns are there but their meaning is not clear: open the mapping form.
    NeedsMapping,
    /// A known file that is no GEMM benchmark; the message says what it is.
    Foreign,
    /// Nothing in it, or a header without rows.
    Empty,
}

/// Why a file could not be read at all. A bad row is not an error: it is set aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportError {
    /// 1-based line, 0 where none applies.
    pub line: u32,
    /// 1-based column, 0 where none applies.
    pub column: u32,
    /// What was expected, what was found, what to do; the offending text last.
    pub message: String,
    /// What can be done about it.
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

    /// What is wrong with a JSON text, and where.
    pub(crate) fn of_json(e: serde_json::Error) -> Self {
        let e = JsonError::from(e);
        ImportError::new(format!("not valid JSON: {}", e.message)).at(e.line, e.column)
    }

    /// The same error at a place (1-based; 0 where none applies).
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// The same error of another kind.
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
