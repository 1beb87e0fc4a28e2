//! An entry of the table of formats.

use crate::{Detection, Head, ImportError, ImportOptions, Reader};
use std::fmt;

/// Makes a reader for a head, or says why the file cannot be read.
pub type OpenReader = fn(&Head, &ImportOptions) -> Result<Box<dyn Reader>, ImportError>;

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
    /// Scores a head; `None` means that it is another format.
    pub detect: fn(&Head) -> Option<Detection>,
    /// Makes a reader for a file with this head, or says why the file cannot be read.
    pub open: OpenReader,
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("id", &self.id).finish()
    }
}
