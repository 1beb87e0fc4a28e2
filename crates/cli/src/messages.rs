//! Messages on standard error: lines for people, or one JSON object per line with `--json`. A message is always a
//! single line, so that text from a file cannot pose as a message.

use crate::exit::{Exit, Stop};
use gemmscope_import::{ErrorKind, ImportError};
use gemmscope_model::encode::one_line;
use std::io::{Error, Result, Write};
use std::path::Path;

/// Version of the objects; `docs/src/schema/message-1.json` describes them.
const SCHEMA: &str = "gemmscope/message/1";

gemmscope_model::named! {
/// Subject of a message; scripts rely on the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// The command line is wrong.
    Usage = "usage";
    /// A file cannot be read.
    CannotRead = "cannot-read";
    /// A file cannot be written.
    CannotWrite = "cannot-write";
    /// A file is empty or holds no rows.
    Empty = "empty";
    /// A known format that is not a GEMM benchmark.
    NotABenchmark = "not-a-benchmark";
    /// The meaning of the columns is unclear.
    NeedsMapping = "needs-mapping";
    /// No usable row in any file.
    NoRows = "no-rows";
    /// Rows were skipped.
    RowsSkipped = "rows-skipped";
    /// A file was not needed.
    LeftOut = "left-out";
    /// A file has context for a table that was not given.
    NeedsTable = "needs-table";
    /// A key of `--state` cannot be read.
    BadState = "bad-state";
    /// An option or a key of `--state` has no effect.
    Ignored = "ignored";
    /// More filters than are supported.
    TooManyFilters = "too-many-filters";
    /// A limit cannot be judged.
    NotJudged = "not-judged";
    /// There is nothing to show.
    Nothing = "nothing";
    /// More data than a page takes.
    TooLarge = "too-large";
    /// The one-file page is missing or invalid.
    NoPage = "no-page";
    /// No browser could be started.
    NoBrowser = "no-browser";
}
/// Every code, as the schema lists them.
#[cfg(test)]
pub(super) const ALL;
/// Its key in JSON.
pub(super) fn key -> &'static str;
}

impl Code {
    /// The code for an import error.
    pub(super) fn of(error: &ImportError) -> Code {
        match error.kind {
            ErrorKind::Empty => Code::Empty,
            ErrorKind::Foreign => Code::NotABenchmark,
            ErrorKind::NeedsMapping => Code::NeedsMapping,
            ErrorKind::Other => Code::CannotRead,
        }
    }

    /// True if the exit code may still be 0.
    fn is_warning(self) -> bool {
        matches!(
            self,
            Code::RowsSkipped
                | Code::LeftOut
                | Code::NeedsTable
                | Code::Ignored
                | Code::TooManyFilters
                | Code::NoBrowser
        )
    }
}

/// Where messages go.
pub(super) struct Messages<'a> {
    to: &'a mut dyn Write,
    json: bool,
    /// Name of the command and a space, for `Try ... --help`; "" without a command.
    command: String,
}

impl<'a> Messages<'a> {
    /// Messages of a command to `to`, as JSON or as text.
    pub(super) fn new(to: &'a mut dyn Write, json: bool, command: Option<&str>) -> Self {
        let command = command.map_or(String::new(), |name| format!("{name} "));
        Messages { to, json, command }
    }

    fn object(&mut self, code: Code, file: Option<&str>, line: u32, message: &str) -> Result<()> {
        let level = if code.is_warning() { "warning" } else { "error" };
        let object = serde_json::json!({
            "schema": SCHEMA,
            "level": level,
            "code": code.key(),
            "file": file.map(one_line),
            "line": (line > 0).then_some(line),
            "message": one_line(message),
        });
        writeln!(self.to, "{object}")
    }

    /// Reports something that is not about a single file.
    pub(super) fn say(&mut self, code: Code, message: &str) -> Result<()> {
        if self.json {
            return self.object(code, None, 0, message);
        }
        writeln!(self.to, "gemmscope: {}", one_line(message))
    }

    /// Reports something about one file.
    pub(super) fn of_file(&mut self, code: Code, file: &str, message: &str) -> Result<()> {
        if self.json {
            return self.object(code, Some(file), 0, message);
        }
        writeln!(self.to, "gemmscope: {}: {}", one_line(file), one_line(message))
    }

    /// Reports why the command cannot go on, and ends it.
    pub(super) fn stop<T>(&mut self, code: Code, message: &str) -> std::result::Result<T, Stop> {
        self.say(code, message)?;
        Err(Stop::With(Exit::Failed))
    }

    /// Reports why a file cannot be written, and ends the command.
    pub(super) fn unwritten<T>(&mut self, path: &Path, e: &Error) -> std::result::Result<T, Stop> {
        let why = format!("cannot be written: {e}");
        self.of_file(Code::CannotWrite, &path.to_string_lossy(), &why)?;
        Err(Stop::With(Exit::Failed))
    }

    /// Reports why a file cannot be read.
    pub(super) fn failed(&mut self, file: &str, error: &ImportError) -> Result<()> {
        if self.json {
            return self.object(Code::of(error), Some(file), error.line, &error.message);
        }
        self.of_file(Code::of(error), file, &error.to_string())
    }

    /// A hint for people; omitted with `--json`.
    pub(super) fn hint(&mut self, text: &str) -> Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(self.to, "{}", one_line(text))
    }

    /// Reports an error in the command line, and how to get help.
    pub(super) fn usage(&mut self, message: &str) -> Result<()> {
        if self.json {
            return self.object(Code::Usage, None, 0, message);
        }
        let (message, command) = (one_line(message), &self.command);
        writeln!(self.to, "gemmscope: {message}\nTry `gemmscope {command}--help`.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_lists_every_code() {
        let schema = include_str!("../../../docs/src/schema/message-1.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let listed = schema["properties"]["code"]["enum"].as_array().unwrap();
        let keys: Vec<&str> = Code::ALL.iter().map(|c| c.key()).collect();
        assert_eq!(*listed, keys);
    }
}
