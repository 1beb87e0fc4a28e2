//! Shared helpers for tests of readers.

use crate::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::Dataset;

/// Reads a text without a file name as a table.
pub(crate) fn read(text: impl AsRef<[u8]>) -> Dataset {
    read_as("", text)
}

/// Reads a file as a table.
pub(crate) fn read_as(name: &str, text: impl AsRef<[u8]>) -> Dataset {
    read_with(name, text, &ImportOptions::default())
}

/// Reads a file with options as a table.
pub(crate) fn read_with(name: &str, text: impl AsRef<[u8]>, options: &ImportOptions) -> Dataset {
    match read_all(name, text.as_ref(), options) {
        Ok(Imported::Table(data)) => *data,
        other => panic!("{name} is no table: {other:?}"),
    }
}
