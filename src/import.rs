//! Reading files: bytes in any slices -> a [`Dataset`] of one source.
//!
//! [`Session`] takes slices as they come (`feed`, `finish`), unwraps gzip and text encodings,
//! looks at the head, asks every [`Format`] in [`FORMATS`] how sure it is, and hands the text to
//! the reader of the winner. The same code serves dropped files, pasted text, messages from a
//! host page, the command line and the tests.

use crate::dataset::Dataset;
use crate::hardware::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What the user decided about a file; everything is optional. Remembered per header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Format id that overrides detection.
    pub format: Option<String>,
    /// Header text of a column -> what it holds (`crate::import::Target` as text, with unit:
    /// `time:us`, `m`, `ignore`). Only the columns the user changed.
    pub columns: BTreeMap<String, String>,
    /// Answers to assumptions, by `Assumption::key`.
    pub answers: BTreeMap<String, String>,
}

/// How sure a format is that a head is its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// 0 (no) to 100 (its signature, which nobody else writes).
    pub score: u8,
    /// Why: the words shown on the file's card.
    pub reason: String,
}

/// The first bytes of a file, decoded: what detection may look at.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// File name, for hints only: no format is decided by the name alone.
    pub name: String,
    /// Up to 80 lines of text (fewer for a short file), without line ends.
    pub lines: Vec<String>,
}

/// One file format: an entry of [`FORMATS`].
pub struct Format {
    /// Stable key: `iree`.
    pub id: &'static str,
    /// Name for people: `IREE / kernel-benchmark golden CSV`.
    pub name: &'static str,
    /// The command or tool that writes it, for the page that lists what is read.
    pub produced_by: &'static str,
    /// A tiny example, true to the header.
    pub example: &'static str,
    /// Grades a head; `None` is "not mine".
    pub detect: fn(&Head) -> Option<Detection>,
    /// A reader for a file with this head.
    pub open: fn(&Head, &ImportOptions) -> Box<dyn Reader>,
}

/// Takes decoded text slices (UTF-8, any cut, even inside a character's line) and fills a table.
pub trait Reader {
    /// The next slice.
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError>;
    /// The end of the file; hands over what was read.
    fn finish(self: Box<Self>) -> Result<Imported, ImportError>;
}

/// What a file turned out to hold.
#[derive(Debug)]
#[non_exhaustive]
pub enum Imported {
    /// Rows.
    Table(Dataset),
    /// Devices (a device JSON of ours or a TraceLens arch file).
    Devices(Vec<Device>),
}

/// Why a file could not be read at all. A bad row is not an error: it is set aside.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    /// 1-based line, 0 where none applies.
    pub line: u32,
    /// 1-based column, 0 where none applies.
    pub column: u32,
    /// What was expected, what was found, what to do; the offending text last.
    pub message: String,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.message),
            (l, 0) => write!(f, "line {l}: {}", self.message),
            (l, c) => write!(f, "line {l}, column {c}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}
