//! An entry of the table of formats.

use crate::formats::profilers::launch_table::LaunchTable;
use crate::formats::table_format::TableFormat;
use crate::split::log::LogFormat;
use crate::{Detection, Head, ImportError, ImportOptions, Imported, Opened};
use std::fmt;

/// One file format: an entry of [`FORMATS`](crate::FORMATS).
pub struct Format {
    /// Stable key: `iree`.
    pub id: &'static str,
    /// Name for people: `IREE / kernel-benchmark golden CSV`.
    pub name: &'static str,
    /// The command or tool that writes it, for the page that lists what is read.
    pub produced_by: &'static str,
    /// A tiny example, true to the header.
    pub example: &'static str,
    /// What recognises it and reads it.
    pub(crate) read: ReadBy,
}

/// What recognises and reads a format.
pub(crate) enum ReadBy {
    /// Code of its own.
    Code {
        /// As [`Format::detect`].
        detect: fn(&Head) -> Option<Detection>,
        /// As [`Format::open`].
        open: fn(&Head, &ImportOptions) -> Opened,
    },
    /// The reader of tables.
    Table(&'static TableFormat),
    /// The reader of profilers' tables.
    Launches(&'static LaunchTable),
    /// The reader of logs.
    Log(&'static LogFormat),
}

impl Format {
    /// True if the description has every word of a search.
    pub fn mentions(&self, search: &str) -> bool {
        let said = [self.id, self.name, self.produced_by, self.example].join(" ").to_lowercase();
        search.to_lowercase().split_whitespace().all(|word| said.contains(word))
    }

    /// It takes the text as it is, not with commas between the cells.
    pub(crate) fn takes_source(&self) -> bool {
        self.id == crate::document::FORMAT.id
    }

    /// Scores a head; `None` means that it is another format.
    pub(crate) fn detect(&self, head: &Head) -> Option<Detection> {
        match &self.read {
            ReadBy::Code { detect, .. } => detect(head),
            ReadBy::Table(table) => table.detect(head),
            ReadBy::Launches(table) => table.detect(head),
            ReadBy::Log(log) => log.detect(head),
        }
    }

    /// False for a log whose signature stands in a text that holds no line of it, a table of its results say, and
    /// for a table of no known tool of which no row can be used.
    pub(crate) fn finds_results(&self, head: &Head) -> bool {
        let of_log = matches!(self.read, ReadBy::Log(_));
        let any_table = self.id == crate::formats::tables::generic::FORMAT.id;
        if !head.complete || !(of_log || any_table) || crate::split::dialect::is_json(head.first())
        {
            return true;
        }
        let read = || -> Result<bool, ImportError> {
            let mut reader = self.open(head, &ImportOptions::default())?;
            reader.feed((head.lines.join("\n") + "\n").as_bytes())?;
            Ok(match reader.finish()?.whole()? {
                Imported::Table(data) => data.sources.iter().any(|s| match of_log {
                    true => s.rows_read > 0,
                    false => s.rows_used > 0 || s.rows_read == 0,
                }),
                _ => true,
            })
        };
        // What is wrong with it is for its reader to say.
        read().unwrap_or(true)
    }

    /// Makes a reader for a file with this head, or says why the file cannot be read.
    pub(crate) fn open(&self, head: &Head, options: &ImportOptions) -> Opened {
        match &self.read {
            ReadBy::Code { open, .. } => open(head, options),
            ReadBy::Table(table) => Ok(table.open(head, options)),
            ReadBy::Launches(table) => Ok(table.open(head, options)),
            ReadBy::Log(log) => log.open(head, options),
        }
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
