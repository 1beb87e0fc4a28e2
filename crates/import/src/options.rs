//! What the user decides about a file.

use crate::document::sizes::stated;
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::{Capture, RunInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the user decided about a file; everything is optional. Remembered per header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Format id that overrides detection.
    pub format: Option<String>,
    /// Header text of a column -> what it holds ([`ColumnSpec`](gemmscope_table::dataset::ColumnSpec) as text, with unit:
    /// `time:us`, `m`, `ignore`). Only the columns the user changed.
    pub columns: BTreeMap<String, String>,
    /// Answers to assumptions, by `Assumption::key`.
    pub answers: BTreeMap<String, String>,
    /// Captures of graphs from other files, for a trace that launches them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Capture>,
    /// When, of what and where it was measured, where a list of runs states it.
    #[serde(skip_serializing_if = "RunInfo::is_empty")]
    pub run: RunInfo,
    /// As [`packed_memory`](ImportOptions::packed_memory), if it is another number. It says what this machine can
    /// do, so it is not kept with the file.
    #[serde(skip)]
    pub memory: Option<u64>,
}

impl ImportOptions {
    /// Key of the answer that states sizes which no column holds.
    pub const SIZES: &str = "sizes";
    /// Key of the answer that says how many calls a time is of.
    pub const CALLS: &str = "calls";

    /// Most bytes that the rows of a packed file take with what is computed of them, and most bytes that it unpacks
    /// to: a few bytes of gzip may hold any number of rows. What is not packed is as large as it looks, and has no
    /// such limit.
    pub fn packed_memory(&self) -> u64 {
        self.memory.unwrap_or(1 << 30)
    }

    /// The user's answer to an assumption, where there is one.
    pub fn answer(&self, key: &str) -> Option<&str> {
        self.answers.get(key).map(|a| a.trim()).filter(|a| !a.is_empty())
    }

    /// M, N and K where the user states them for all rows: the answer [`SIZES`](ImportOptions::SIZES), such as
    /// `N: 4096, K: 8192`.
    pub fn sizes(&self) -> [Option<u32>; 3] {
        let stated = self.answer(ImportOptions::SIZES).map(stated).unwrap_or_default();
        [stated.m, stated.n, stated.k]
    }

    /// How many calls each time is of, where the user states it: the answer [`CALLS`](ImportOptions::CALLS).
    pub fn calls(&self) -> Option<u32> {
        self.answer(ImportOptions::CALLS)?.parse().ok().filter(|calls| *calls > 0)
    }

    /// The data type the user chose under `key` (usually `dtype`).
    pub(crate) fn dtype(&self, key: &str) -> Option<DataType> {
        self.answer(key).and_then(DataType::parse)
    }
}
