//! The beginning of a file, and what a format claims of it.

use crate::source::start;
use crate::split::canonical::Canonical;
use crate::split::dialect::{self, Foreign};
use std::sync::OnceLock;

/// What a format says of a head that it can read, with what the file's card shows of it ("" where the format's
/// name says all).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// So many marks that only this tool writes: names in a header, keys of JSON, words of a line.
    Signature(usize, String),
    /// Columns or lines with all that a row needs, whoever wrote them.
    Columns(String),
    /// There may be something to read.
    Guess(String),
}

impl Claim {
    /// So many marks are in the head.
    pub(crate) fn signature(marks: usize) -> Self {
        Claim::Signature(marks, String::new())
    }

    /// These names are in one header.
    pub(crate) fn header(names: &[&str]) -> Self {
        Claim::Signature(names.len(), header_has(names))
    }

    /// Larger for the claim that wins: a signature before columns before a guess, and the longer signature.
    pub(crate) fn strength(&self) -> (u8, usize) {
        match self {
            Claim::Signature(marks, _) => (2, *marks),
            Claim::Columns(_) => (1, 0),
            Claim::Guess(_) => (0, 0),
        }
    }

    /// The header names all that a row needs; a list of sizes may be anything else.
    pub(crate) fn names_columns(&self) -> bool {
        matches!(self, Claim::Columns(reason) if !reason.is_empty())
    }

    /// What the file's card shows.
    pub(crate) fn reason(self) -> String {
        let (Claim::Signature(_, reason) | Claim::Columns(reason) | Claim::Guess(reason)) = self;
        reason
    }
}

/// Why a format was chosen by its header.
pub(crate) fn header_has(names: &[&str]) -> String {
    format!("the header has {}", names.join(", "))
}

/// The decoded beginning of a file, by which formats are detected.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// File name, for hints only: no format is decided by the name alone.
    pub name: String,
    /// Up to 80 lines of text (fewer for a short file), without line ends, 64 KiB in all: the
    /// last line may be cut. The cells of a table are separated by commas, whatever the file has.
    pub lines: Vec<String>,
    /// The same lines as the file has them.
    pub(crate) source: Vec<String>,
    /// How the table is written in the file, where that is otherwise.
    pub(crate) foreign: Option<Foreign>,
    /// This is the whole file.
    pub complete: bool,
    /// Rows that the whole file would have with lines as long as these; 0 where its size is not
    /// known. Only used to reserve memory.
    pub rows: usize,
    /// As [`beyond_columns`](Head::beyond_columns), once it was asked: several formats do.
    pub(crate) beyond: OnceLock<Option<&'static str>>,
}

impl Head {
    /// The head of a file from its first bytes (64 KiB are enough), packed or not.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        start::head_from_bytes(name, bytes)
    }

    /// A head of these lines, for tests and pasted text.
    pub(crate) fn of(text: &str) -> Self {
        let lines = text.lines().map(str::to_owned).collect();
        Head { complete: true, ..Head::of_lines(lines) }
    }

    /// A head of the lines of a file.
    pub(crate) fn of_lines(lines: Vec<String>) -> Self {
        let foreign = dialect::found(&lines);
        let source = lines.clone();
        Head { lines: Canonical::lines(foreign, lines), source, foreign, ..Head::default() }
    }

    /// Why the text has to be read as a document; `None` where the columns of one table say all.
    pub(crate) fn beyond_columns(&self) -> Option<&'static str> {
        *self.beyond.get_or_init(|| crate::document::beyond_columns(self))
    }

    /// The first line that is not blank.
    pub(crate) fn first(&self) -> &str {
        self.lines.iter().map(|l| l.trim()).find(|l| !l.is_empty()).unwrap_or("")
    }

    /// Cells of a line, trimmed, without quotes around them. Good enough for looking at headers; a
    /// reader uses [`Records`].
    pub(crate) fn fields(line: &str) -> Vec<&str> {
        dialect::cells(line, b',').map(|f| f.trim_matches('"').trim()).collect()
    }

    /// Whether the text has all of these as keys of JSON objects.
    pub(crate) fn has_keys(&self, keys: &[&str]) -> bool {
        let key = |key: &&str| self.lines.iter().any(|l| l.contains(&format!("\"{key}\"")));
        keys.iter().all(key)
    }

    /// The claim of a format whose JSON has all of these keys.
    pub(crate) fn keyed(&self, keys: &[&str]) -> Option<Claim> {
        self.has_keys(keys).then(|| Claim::signature(keys.len()))
    }

    /// Whether any line is of this kind.
    pub(crate) fn any(&self, kind: fn(&str) -> bool) -> bool {
        self.lines.iter().any(|l| kind(l))
    }

    /// Position of the first line whose comma-separated fields hold all of these names.
    pub(crate) fn line_with(&self, names: &[&str]) -> Option<usize> {
        self.lines.iter().position(|l| {
            let fields = Head::fields(l);
            let has = |n: &&str| fields.iter().any(|f| f.eq_ignore_ascii_case(n));
            names.iter().all(has)
        })
    }

    /// The claim of a format whose header has all of these, in any case and order.
    pub(crate) fn headed(&self, names: &[&str]) -> Option<Claim> {
        self.line_with(names).map(|_| Claim::header(names))
    }
}
