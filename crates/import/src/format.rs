//! A file format: how it is recognised and read.

use crate::formats::profilers::launch_table::LaunchTable;
use crate::formats::table_format::TableFormat;
use crate::split::canonical::Rewritten;
use crate::split::log::LogFormat;
use crate::{Claim, Head, ImportError, ImportOptions, Imported, Opened};
use std::fmt;

/// One file format: an entry of [`FORMATS`](crate::FORMATS).
pub struct Format {
    /// Stable key: `iree`.
    pub id: &'static str,
    /// Display name: `IREE / kernel-benchmark golden CSV`.
    pub name: &'static str,
    /// The command or tool that writes it, for the list of formats.
    pub produced_by: &'static str,
    /// A tiny example with the real header.
    pub example: &'static str,
    /// Implementation.
    pub(crate) read: ReadBy,
}

/// How a format is recognised and read.
pub(crate) enum ReadBy {
    /// Its own functions.
    Code {
        /// See [`Format::claim`].
        claim: fn(&Head) -> Option<Claim>,
        /// See [`Format::open`].
        open: fn(&Head, &ImportOptions) -> Opened,
    },
    /// A description for the table reader.
    Table(&'static TableFormat),
    /// A description for the reader of profiler tables.
    Launches(&'static LaunchTable),
    /// A description for the log reader.
    Log(&'static LogFormat),
}

impl Format {
    /// True if the description contains every word of a search.
    pub fn mentions(&self, search: &str) -> bool {
        let said = [self.id, self.name, self.produced_by, self.example].join(" ").to_lowercase();
        search.to_lowercase().split_whitespace().all(|word| said.contains(word))
    }

    /// The format's claim on a head; `None` if the head is not of this format.
    pub(crate) fn claim(&self, head: &Head) -> Option<Claim> {
        match &self.read {
            ReadBy::Code { claim, .. } => claim(head),
            ReadBy::Table(table) => table.claim(head),
            ReadBy::Launches(table) => table.claim(head),
            ReadBy::Log(log) => log.claim(head),
        }
    }

    /// Reads the head if it is the whole file; a longer file counts as having rows. Rejected rows count as rows only
    /// for a known tool; in other tables they suggest that it is not one of GEMMs.
    pub(crate) fn trial(&self, head: &Head, claim: &Claim, options: &ImportOptions) -> Trial {
        // Columns mapped by the user are known too.
        let is_known = matches!(claim, Claim::Signature(..)) || !options.columns.is_empty();
        if !head.complete {
            return Trial::Rows;
        }
        match self.read_whole(head, &(head.source.join("\n") + "\n"), options) {
            Ok(imported) if has_rows(&imported, is_known) => Trial::Rows,
            Ok(imported) if has_rows(&imported, true) && claim.names_columns() => Trial::SetAside,
            Ok(_) => Trial::Nothing,
            Err(_) => Trial::Refused,
        }
    }

    /// Reads a whole file with this head.
    ///
    /// # Errors
    /// If the file as a whole cannot be read.
    pub(crate) fn read_whole(
        &self,
        head: &Head,
        text: &str,
        options: &ImportOptions,
    ) -> Result<Imported, ImportError> {
        let mut reader = self.open(head, options)?;
        reader.feed(text.as_bytes())?;
        reader.finish()?.whole()
    }

    /// Opens a reader for a file with this head, or returns why the file cannot be read.
    pub(crate) fn open(&self, head: &Head, options: &ImportOptions) -> Opened {
        let reader = match &self.read {
            ReadBy::Code { open, .. } => open(head, options)?,
            ReadBy::Table(table) => table.open(head, options),
            ReadBy::Launches(table) => table.open(head, options),
            ReadBy::Log(log) => log.open(head, options)?,
        };
        // The document reader needs the original text, not one rewritten with comma delimiters.
        let foreign = head.foreign.filter(|_| self.id != crate::document::FORMAT.id);
        Ok(match foreign {
            Some(from) => Rewritten::open(from, reader),
            None => reader,
        })
    }
}

/// Result of [`Format::trial`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    Rows,
    /// All rows were rejected; the tool is unknown, but the header has all columns that a row needs.
    SetAside,
    Nothing,
    /// The file cannot be read; the error says why.
    Refused,
}

/// True if there are rows; with `set_aside`, rejected rows count.
pub(crate) fn has_rows(imported: &Imported, set_aside: bool) -> bool {
    match imported {
        Imported::Table(data) => data
            .sources
            .iter()
            .any(|s| s.rows_used > 0 || !s.points.is_empty() || set_aside && s.rows_read > 0),
        Imported::Devices(_) | Imported::Context(_) => true,
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("id", &self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::FORMATS;

    #[test]
    fn a_search_finds_tools_commands_and_columns() {
        let found = |search: &str| -> Vec<&str> {
            let hit = FORMATS.iter().filter(|f| f.mentions(search));
            hit.map(|f| f.id).collect()
        };
        assert_eq!(found("disposition"), ["cutlass", "cutlass-report"]);
        assert!(found("  NCU  --csv").contains(&"ncu"));
        assert_eq!(found("").len(), FORMATS.len());
        assert!(found("no such tool").is_empty());
    }

    #[test]
    fn every_format_says_how_to_make_one() {
        for f in FORMATS {
            assert!(f.produced_by.len() > 8, "{}", f.id);
            assert!(f.example.ends_with('\n') && f.example.len() < 1500, "{}", f.id);
            assert!(!f.name.is_empty());
        }
    }
}
