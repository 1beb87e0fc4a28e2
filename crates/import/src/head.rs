//! The beginning of a file, and the claims of formats on it.

use crate::source::start;
use crate::split::canonical::Canonical;
use crate::split::dialect::{self, Foreign};
use std::sync::OnceLock;

/// A format's claim that it can read a file, with the reason for the file's card ("" if the format's name suffices).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Number of marks that only this tool writes: names in a header, JSON keys, words of a line.
    Signature(usize, String),
    /// Columns or lines with all that a row needs, from any tool.
    Columns(String),
    /// The file may contain something readable.
    Guess(String),
}

impl Claim {
    /// A signature of this many marks, without a reason.
    pub(crate) fn signature(marks: usize) -> Self {
        Claim::Signature(marks, String::new())
    }

    /// A signature of names in one header.
    pub(crate) fn header(names: &[&str]) -> Self {
        Claim::Signature(names.len(), header_has(names))
    }

    /// Sort key of claims: signature over columns over guess, then by number of marks.
    pub(crate) fn strength(&self) -> (u8, usize) {
        match self {
            Claim::Signature(marks, _) => (2, *marks),
            Claim::Columns(_) => (1, 0),
            Claim::Guess(_) => (0, 0),
        }
    }

    /// True if the header names all that a row needs; without a reason it may be a mere list of sizes.
    pub(crate) fn names_columns(&self) -> bool {
        matches!(self, Claim::Columns(reason) if !reason.is_empty())
    }

    /// Reason shown on the file's card.
    pub(crate) fn reason(self) -> String {
        let (Claim::Signature(_, reason) | Claim::Columns(reason) | Claim::Guess(reason)) = self;
        reason
    }
}

/// Reason for a format chosen by its header.
pub(crate) fn header_has(names: &[&str]) -> String {
    format!("the header has {}", names.join(", "))
}

/// The decoded beginning of a file, used to detect its format.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// File name, only a hint: no format is chosen by the name alone.
    pub name: String,
    /// Up to 80 lines (fewer for a short file) without line ends, 64 KiB in all, so that the last line may be cut.
    /// Cells of a table are comma-separated, whatever delimiter the file has.
    pub lines: Vec<String>,
    /// The same lines as written in the file.
    pub(crate) source: Vec<String>,
    /// Dialect of the file's table, if it differs.
    pub(crate) foreign: Option<Foreign>,
    /// The head is the whole file.
    pub complete: bool,
    /// Estimated number of rows of the whole file from the length of these lines; 0 if its size is unknown.
    /// Only used to reserve memory.
    pub rows: usize,
    /// Cache of [`beyond_columns`](Head::beyond_columns), which several formats call.
    pub(crate) beyond: OnceLock<Option<&'static str>>,
}

impl Head {
    /// The head of a possibly compressed file from its first bytes; 64 KiB are enough.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        start::head_from_bytes(name, bytes)
    }

    /// A head of this text, for tests and pasted text.
    pub(crate) fn of(text: &str) -> Self {
        let lines = text.lines().map(str::to_owned).collect();
        Head { complete: true, ..Head::of_lines(lines) }
    }

    /// A head of these lines.
    pub(crate) fn of_lines(lines: Vec<String>) -> Self {
        let foreign = dialect::found(&lines);
        let source = lines.clone();
        Head { lines: Canonical::lines(foreign, lines), source, foreign, ..Head::default() }
    }

    /// Reason to read the text as a document; `None` if the columns of one table suffice.
    pub(crate) fn beyond_columns(&self) -> Option<&'static str> {
        *self.beyond.get_or_init(|| crate::document::beyond_columns(self))
    }

    /// The first non-blank line.
    pub(crate) fn first(&self) -> &str {
        self.lines.iter().map(|l| l.trim()).find(|l| !l.is_empty()).unwrap_or("")
    }

    /// True for HTML with a table.
    pub(crate) fn has_html_table(&self) -> bool {
        self.first().starts_with('<') && self.any(|l| l.to_ascii_lowercase().contains("<table"))
    }

    /// Cells of a line, trimmed and without enclosing quotes. Good enough for headers; readers use
    /// [`Records`](crate::Records).
    pub(crate) fn fields(line: &str) -> Vec<&str> {
        dialect::cells(line, b',').map(|f| f.trim_matches('"').trim()).collect()
    }

    /// True if all of these occur as keys of JSON objects.
    pub(crate) fn has_keys(&self, keys: &[&str]) -> bool {
        let key = |key: &&str| self.lines.iter().any(|l| l.contains(&format!("\"{key}\"")));
        keys.iter().all(key)
    }

    /// Claim of a format whose JSON has all of these keys.
    pub(crate) fn keyed(&self, keys: &[&str]) -> Option<Claim> {
        self.has_keys(keys).then(|| Claim::signature(keys.len()))
    }

    /// True if any line passes the test.
    pub(crate) fn any(&self, kind: fn(&str) -> bool) -> bool {
        self.lines.iter().any(|l| kind(l))
    }

    /// Index of the first line whose comma-separated fields include all of these names.
    pub(crate) fn line_with(&self, names: &[&str]) -> Option<usize> {
        self.lines.iter().position(|l| {
            let fields = Head::fields(l);
            let has = |n: &&str| fields.iter().any(|f| f.eq_ignore_ascii_case(n));
            names.iter().all(has)
        })
    }

    /// Claim of a format whose header has all of these names, in any case and order.
    pub(crate) fn headed(&self, names: &[&str]) -> Option<Claim> {
        self.line_with(names).map(|_| Claim::header(names))
    }
}
