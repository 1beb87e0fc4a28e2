//! Reading files: bytes in any slices -> a [`Dataset`] of one source.
//!
//! [`Session`] takes slices as they come (`feed`, `finish`), unwraps gzip and text encodings,
//! looks at the head, asks every [`Format`] in [`FORMATS`] how sure it is, and hands the text to
//! the reader of the winner. The same code serves dropped files, pasted text, messages from a
//! host page, the command line and the tests.
//!
//! ```
//! use gemmscope::import::{Imported, ImportOptions, read_all};
//! let csv = b"M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n";
//! let Imported::Table(data) = read_all("mine.csv", csv, &ImportOptions::default())? else {
//!     unreachable!()
//! };
//! assert_eq!((data.len(), data.time_s[0]), (1, 690e-6));
//! # Ok::<(), gemmscope::import::ImportError>(())
//! ```
//!
//! # To add a format
//!
//! 1. One file `src/import/<tool>.rs` with a `pub const FORMAT: Format`. `detect` grades the
//!    [`Head`], never the file name alone. `open` gives a reader: usually [`Delimited`] around a
//!    [`RowReader`] (it gets [`Record`]s), [`Logged`] around a [`LineReader`] (it gets lines), or
//!    [`json::Json`] around an [`json::ItemReader`] (it gets members and elements as they stream
//!    in). Kernels without M, N, K go into a [`profile::Profile`], which asks for the shape.
//!    The reader fills a [`TableBuilder`]: stage the extra columns of a row, then
//!    `commit(record, row)` with a `Result<Row, Bad>`; the checks of [`cell::Col`] give the
//!    `Bad`, so that every format says the same of the same flaw. Data is never clamped or
//!    dropped: a row is a point or is set aside.
//! 2. One row in [`FORMATS`], above the generic reader.
//! 3. One folder `tests/fixtures/<id>/` with small files of your own making, true to the header.
//!    The harness reads each in every way (unnamed, in slices, packed, exported and read again)
//!    and compares the summary with `tests/golden`; `UPDATE_GOLDEN=1 cargo test --test import`
//!    writes it, and the book's list of formats (`docs/src/formats.md`) with it. The same files,
//!    damaged, go through every reader in `tests/import_corpus.rs` and `fuzz/`.

pub mod aiter;
pub mod alias;
pub mod benchdnn;
pub mod blis;
pub mod cell;
pub mod ck_profiler;
pub mod cutlass;
pub mod deepbench;
pub mod deepbench_log;
pub mod deepgemm;
pub mod device_table;
pub mod devices;
pub mod dialect;
pub mod either;
pub mod extras;
pub mod flag_gems;
pub mod flashinfer;
pub mod foreign;
mod formats;
pub mod generic;
pub mod google_benchmark;
pub mod guide;
pub mod intel;
pub mod intern;
pub mod iree;
pub mod json;
pub mod json_rows;
pub mod kineto;
pub mod liger;
pub mod llama_cpp;
pub mod log;
pub mod mapping;
pub mod memo;
pub mod ncu;
pub mod nsys;
pub mod nvbench;
pub mod openblas;
pub mod own;
pub mod profile;
pub mod records;
pub mod rocm_bench;
pub mod rocprof;
mod session;
pub mod sgemm_cuda;
pub mod shape_text;
pub mod sysinfo;
pub mod table;
pub mod tables;
pub mod target;
pub mod tensile;
pub mod text;
pub mod tinygrad;
pub mod tracelens;
pub mod triton;
pub mod tritonbench;
pub mod tunableop;
pub mod tune_gemm;
pub mod unsaid;
pub mod values;
pub mod wide;
pub mod xla;
pub mod xlsx;

pub use cell::{Bad, Col, Flaw, Header};
pub use dialect::{Delimiter, Dialect, sniff_dialect};
pub use formats::{Best, FORMAT_NAMES, FORMATS, sniff};
pub use mapping::{MappedColumn, Mapping, header_fingerprint, inspect};
pub use memo::Memo;
pub use records::{Line, Lines, Record, Records};
pub use session::{Progress, Session, read_all};
pub use table::{ColumnId, Row, TableBuilder};
pub use target::{Target, UnknownTarget};

use crate::dataset::Dataset;
use crate::hardware::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What the user decided about a file; everything is optional. Remembered per header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportOptions {
    /// Format id that overrides detection.
    pub format: Option<String>,
    /// Header text of a column -> what it holds (`crate::import::Target` as text, with unit:
    /// `time:us`, `m`, `ignore`). Only the columns the user changed.
    pub columns: BTreeMap<String, String>,
    /// Answers to assumptions, by `Assumption::key`.
    pub answers: BTreeMap<String, String>,
}

impl ImportOptions {
    /// The user's answer to an assumption, where there is one.
    pub fn answer(&self, key: &str) -> Option<&str> {
        self.answers
            .get(key)
            .map(|a| a.trim())
            .filter(|a| !a.is_empty())
    }

    /// The data type the user chose under `key` (usually `dtype`).
    pub fn dtype(&self, key: &str) -> Option<crate::dtype::DataType> {
        self.answer(key).and_then(crate::dtype::DataType::parse)
    }
}

/// How sure a format is that a head is its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// 0 (no) to 100 (its signature, which nobody else writes). The generic reader stays below
    /// 40; a tool's reader that knows its header is at 80 or more.
    pub score: u8,
    /// Why: the words shown on the file's card.
    pub reason: String,
}

impl Detection {
    /// A score and its reason.
    pub fn new(score: u8, reason: impl Into<String>) -> Self {
        Detection {
            score,
            reason: reason.into(),
        }
    }
}

/// The first bytes of a file, decoded: what detection may look at.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// File name, for hints only: no format is decided by the name alone.
    pub name: String,
    /// Up to 80 lines of text (fewer for a short file), without line ends, 64 KiB in all: the
    /// last line may be cut.
    pub lines: Vec<String>,
    /// This is the whole file.
    pub complete: bool,
    /// Rows that the whole file would have with lines as long as these; 0 where its size is not
    /// known. Only good to make room.
    pub rows: usize,
}

impl Head {
    /// The head of a file from its first bytes (64 KiB are enough), packed or not.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        session::head_from_bytes(name, bytes)
    }

    /// A head of these lines, for tests and pasted text.
    pub fn of(text: &str) -> Self {
        Head {
            lines: text.lines().map(str::to_owned).collect(),
            complete: true,
            ..Head::default()
        }
    }

    /// The first line that is not blank.
    pub fn first(&self) -> &str {
        self.lines
            .iter()
            .map(|l| l.trim())
            .find(|l| !l.is_empty())
            .unwrap_or("")
    }

    /// Fields of a line, split at `delimiter`, trimmed, without quotes around them. Good enough
    /// for looking at headers; a reader uses [`Records`].
    pub fn fields(line: &str, delimiter: char) -> Vec<&str> {
        line.split(delimiter)
            .map(|f| f.trim().trim_matches('"').trim())
            .collect()
    }

    /// Position of the first line whose comma-separated fields hold all of these names.
    pub fn line_with(&self, names: &[&str]) -> Option<usize> {
        self.lines.iter().position(|l| {
            let fields = Head::fields(l, ',');
            names.iter().all(|n| fields.contains(n))
        })
    }
}

/// Makes a reader for a head; an error where the head already shows that the file cannot be read.
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
    /// Grades a head; `None` is "not mine".
    pub detect: fn(&Head) -> Option<Detection>,
    /// A reader for a file with this head; an error where the head already shows that the file
    /// cannot be read.
    pub open: OpenReader,
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("id", &self.id).finish()
    }
}

/// Takes decoded text slices (UTF-8, any cut, even inside a character's line) and fills a table.
pub trait Reader {
    /// The next slice.
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError>;
    /// The end of the file; hands over what was read.
    fn finish(self: Box<Self>) -> Result<Imported, ImportError>;
    /// Rows so far, for the progress display.
    fn rows(&self) -> u64 {
        0
    }
}

/// A reader that gets records: see [`Delimited`].
pub trait RowReader {
    /// The next record. Records with a [`problem`](Record::problem) come too.
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError>;
    /// The end of the file.
    fn finish(self) -> Result<Imported, ImportError>;
    /// Rows so far.
    fn rows(&self) -> u64;
}

/// A [`Reader`] of delimited text around a [`RowReader`].
#[derive(Debug)]
pub struct Delimited<R> {
    records: Records,
    rows: R,
}

impl<R: RowReader> Delimited<R> {
    /// Cuts the text by `dialect` and gives the records to `rows`.
    pub fn new(dialect: Dialect, rows: R) -> Self {
        Delimited {
            records: Records::new(dialect),
            rows,
        }
    }
}

impl<R: RowReader> Reader for Delimited<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let rows = &mut self.rows;
        self.records.feed(text, |r| rows.record(r))
    }

    fn finish(self: Box<Self>) -> Result<Imported, ImportError> {
        let Delimited {
            mut records,
            mut rows,
        } = *self;
        records.finish(|r| rows.record(r))?;
        rows.finish()
    }

    fn rows(&self) -> u64 {
        self.rows.rows()
    }
}

/// A reader that gets lines: see [`Logged`].
pub trait LineReader {
    /// The next line, blank ones too.
    fn line(&mut self, line: Line<'_>) -> Result<(), ImportError>;
    /// The end of the file.
    fn finish(self) -> Result<Imported, ImportError>;
    /// Rows so far.
    fn rows(&self) -> u64;
}

/// A [`Reader`] of line-by-line logs around a [`LineReader`].
#[derive(Debug)]
pub struct Logged<R> {
    lines: Lines,
    reader: R,
}

impl<R: LineReader> Logged<R> {
    /// Gives the lines to `reader`.
    pub fn new(reader: R) -> Self {
        Logged {
            lines: Lines::default(),
            reader,
        }
    }
}

impl<R: LineReader> Reader for Logged<R> {
    fn feed(&mut self, text: &[u8]) -> Result<(), ImportError> {
        let reader = &mut self.reader;
        self.lines.feed(text, |l| reader.line(l))
    }

    fn finish(self: Box<Self>) -> Result<Imported, ImportError> {
        let Logged {
            mut lines,
            mut reader,
        } = *self;
        lines.finish(|l| reader.line(l))?;
        reader.finish()
    }

    fn rows(&self) -> u64 {
        self.reader.rows()
    }
}

/// What a file turned out to hold.
#[derive(Debug)]
#[non_exhaustive]
pub enum Imported {
    /// Rows.
    Table(Box<Dataset>),
    /// Devices (a device JSON of ours or a TraceLens arch file).
    Devices(Vec<Device>),
    /// The surroundings of a trace report's table; [`crate::trace::attach`] puts them in place.
    Context(Box<crate::trace::TraceContext>),
}

impl Imported {
    /// Wraps a finished table.
    pub fn table(data: Dataset) -> Self {
        Imported::Table(Box::new(data))
    }
}

/// What can be done about an [`ImportError`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing special.
    #[default]
    Other,
    /// The columns are there but their meaning is not clear: open the mapping form.
    NeedsMapping,
    /// A known file that is no GEMM benchmark; the message says what it is.
    Foreign,
    /// Nothing in it, or a header without rows.
    Empty,
}

/// Why a file could not be read at all. A bad row is not an error: it is set aside.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    /// 1-based line, 0 where none applies.
    pub line: u32,
    /// 1-based column, 0 where none applies.
    pub column: u32,
    /// What was expected, what was found, what to do; the offending text last.
    pub message: String,
    /// What can be done about it.
    pub kind: ErrorKind,
}

impl ImportError {
    /// An error about the file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        ImportError {
            line: 0,
            column: 0,
            message: message.into(),
            kind: ErrorKind::Other,
        }
    }

    /// The same error at a place (1-based; 0 where none applies).
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// The same error of another kind.
    pub fn kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.message),
            (l, 0) => write!(f, "line {l}: {}", self.message),
            (l, c) => write!(f, "line {l}, column {c}: {}", self.message),
        }
    }
}

impl std::error::Error for ImportError {}
