//! The beginning of a file, and how sure a format is that the file is its own.

use crate::source::start;
use crate::split::canonical::Canonical;
use crate::split::dialect::{self, Foreign};
use std::sync::OnceLock;

/// How sure a format is that a head is its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// 0 (no) to 100 (a signature that no other tool writes). The generic reader stays below
    /// 40; a tool's reader that knows its header is at 80 or more.
    pub score: u8,
    /// What the file's card shows beside the format's name: the columns of a table, or that a person chose.
    pub reason: String,
}

impl Detection {
    /// A file that is as its tool writes it.
    pub(crate) fn new(score: u8) -> Self {
        Detection { score, reason: String::new() }
    }

    /// A format that a person chose.
    pub(crate) fn chosen() -> Self {
        Detection { score: 100, reason: "chosen by hand".to_owned() }
    }

    /// By names in a header.
    pub(crate) fn of_header(score: u8, names: &[&str]) -> Self {
        Detection { score, reason: format!("the header has {}", names.join(", ")) }
    }
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

    /// A format whose header has all of these, in any case and order.
    pub(crate) fn headed(&self, names: &[&str], score: u8) -> Option<Detection> {
        self.line_with(names).map(|_| Detection::of_header(score, names))
    }
}
