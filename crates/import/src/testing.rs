//! What the tests of readers share.

use crate::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::Dataset;

/// The table of a text without a file name.
pub(crate) fn read(text: impl AsRef<[u8]>) -> Dataset {
    read_as("", text)
}

/// The table of a file.
pub(crate) fn read_as(name: &str, text: impl AsRef<[u8]>) -> Dataset {
    read_with(name, text, &ImportOptions::default())
}

/// The table of a file, with answers.
pub(crate) fn read_with(name: &str, text: impl AsRef<[u8]>, options: &ImportOptions) -> Dataset {
    match read_all(name, text.as_ref(), options) {
        Ok(Imported::Table(data)) => *data,
        other => panic!("{name} is no table: {other:?}"),
    }
}
