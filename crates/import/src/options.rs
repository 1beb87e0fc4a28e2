//! The user's decisions about a file.

use crate::document::sizes::stated;
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::{Capture, RunInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The user's decisions about a file, all optional. Remembered per header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Format id that overrides detection.
    pub format: Option<String>,
    /// Column header to meaning ([`ColumnSpec`](gemmscope_table::dataset::ColumnSpec) as text, with unit: `time:us`,
    /// `m`, `ignore`). Only for columns that the user changed.
    pub columns: BTreeMap<String, String>,
    /// Answers to assumptions, by `Assumption::key`.
    pub answers: BTreeMap<String, String>,
    /// Graph captures from other files, for a trace that launches them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Capture>,
    /// When, of what and where it was measured, where a list of runs states it.
    #[serde(skip_serializing_if = "RunInfo::is_empty")]
    pub run: RunInfo,
    /// Overrides the default of [`packed_memory`](ImportOptions::packed_memory). A property of this machine, so it is
    /// not stored with the file.
    #[serde(skip)]
    pub memory: Option<u64>,
}

impl ImportOptions {
    /// Key of the answer with sizes that no column holds.
    pub const SIZES: &str = "sizes";
    /// Key of the answer with the number of calls that a time covers.
    pub const CALLS: &str = "calls";

    /// Limit in bytes for what a compressed file unpacks to, and for its rows with derived values, because a few bytes
    /// of gzip may expand to any size. 1 GiB by default. Uncompressed files have no limit.
    pub fn packed_memory(&self) -> u64 {
        self.memory.unwrap_or(1 << 30)
    }

    /// The user's answer to an assumption, if not empty.
    pub fn answer(&self, key: &str) -> Option<&str> {
        self.answers.get(key).map(|a| a.trim()).filter(|a| !a.is_empty())
    }

    /// M, N and K if the user stated them for all rows, by the answer [`SIZES`](ImportOptions::SIZES),
    /// such as `N: 4096, K: 8192`.
    pub fn sizes(&self) -> [Option<u32>; 3] {
        let stated = self.answer(ImportOptions::SIZES).map(stated).unwrap_or_default();
        [stated.m, stated.n, stated.k]
    }

    /// Number of calls that each time covers if the user stated it, by the answer [`CALLS`](ImportOptions::CALLS).
    pub fn calls(&self) -> Option<u32> {
        self.answer(ImportOptions::CALLS)?.parse().ok().filter(|calls| *calls > 0)
    }

    /// The data type the user chose under `key` (usually `dtype`).
    pub(crate) fn dtype(&self, key: &str) -> Option<DataType> {
        self.answer(key).and_then(DataType::parse)
    }
}
