//! Benchmark and profiler files -> rows: bytes in slices of any size become a
//! [`Dataset`](gemmscope_table::dataset::Dataset) of one source.
//!
//! [`Session`] takes the slices, unwraps gzip, spreadsheets and text encodings, looks at the
//! [`Head`], asks every [`Format`] in [`FORMATS`] what it claims, and hands the text to the reader
//! of the surest. Dropped files, pasted text, messages from a host page, the command line and the
//! tests all go this way.
//!
//! ```
//! use gemmscope_import::{Imported, ImportOptions, read_all};
//! let csv = b"M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n";
//! let Imported::Table(data) = read_all("mine.csv", csv, &ImportOptions::default())? else {
//!     unreachable!()
//! };
//! assert_eq!((data.len(), data.time_s[0]), (1, 690e-6));
//! # Ok::<(), gemmscope_import::ImportError>(())
//! ```
//!
//! # Where things are
//!
//! | folder | what it does |
//! |---|---|
//! | `source/` | bytes -> text: gzip, encodings, spreadsheets, the session |
//! | `split/` | text -> records, lines, JSON items; where the cells of many lines lie |
//! | `cell/` | one cell -> a number, a size, a type, a transpose |
//! | `document/` | any text -> tables; what their columns mean, by titles and evidence; a plain table -> its plan |
//! | `columns/` | a plan and a record -> a row; many lines -> rows |
//! | `formats/` | one file a format: `tables/`, `logs/`, `profilers/`, `devices/` |
//!
//! # To add a format
//!
//! 1. Write `src/formats/tables/<tool>.rs` (or `logs/`, `profilers/`, `devices/`).
//!    Its `pub(crate) const FORMAT: Format` says in four texts what it is, and in `read` what
//!    reads it:
//!    - `ReadBy::Table`: a table with a known header is data. The signature, the columns with
//!      their meaning and factor to SI, and the defaults; a hook of one function finds what no
//!      column holds. `tables/gemm_bench.rs` is a short example; `tables/mslk.rs` has columns per
//!      library.
//!    - `ReadBy::Launches`: a profiler's table with a line a kernel, a launch or a counter is data:
//!      where the figures and the counters are, and a function for what counters mean.
//!      `profilers/nsys.rs` is a short example.
//!    - `ReadBy::Log`: a log whose lines say all is data. Templates of the lines above the
//!      results and of the results, whose slots say what they hold. `logs/mkl_verbose.rs` is a short
//!      example.
//!      Any other log has a parser that is given each line, and how its head is known;
//!      templates of lines (`split::template`) find the figures. `logs/tinygrad.rs` is a short example.
//!    - `ReadBy::Code`: everything else. `open` gives a `Reader`: `Delimited` for records,
//!      `Pieces` for lines and JSON. They own the table; a reader fills it, and adds its remarks at the
//!      end of the file.
//!
//!    Data is never clamped or dropped: a row becomes a point or is rejected with a reason, and
//!    the checks in `cell` and `columns::header` give the reason, so that every format words the
//!    same flaw alike.
//! 2. Declare the file in `src/formats/tables.rs` and add one line to [`FORMATS`] in
//!    `src/formats.rs`, above the generic reader.
//! 3. Add a folder `tests/fixtures/<id>/` with small files of your own making, true to the header.
//!    `UPDATE_GOLDEN=1 cargo test --test import` reads each in every way (unnamed, in slices,
//!    packed, exported and read again), writes the summary to `tests/golden` and the format to
//!    `docs/src/formats.md`. The same files, damaged, go through every reader in
//!    `tests/import_corpus.rs` and `fuzz/`.

mod cell;
mod columns;
mod document;
mod error;
mod format;
mod formats;
mod head;
mod imported;
mod options;
mod reader;
mod source;
mod split;
#[cfg(test)]
mod testing;
mod unsupported;

pub use crate::columns::mapping::{MappedColumn, Mapping, header_fingerprint, inspect};
pub use crate::error::{ErrorKind, ImportError};
pub use crate::format::Format;
pub use crate::formats::{Best, FORMATS, sniff};
pub use crate::head::{Claim, Head};
pub use crate::imported::Imported;
pub use crate::options::ImportOptions;
pub use crate::reader::Ended;

pub use crate::source::session::{Session, read_all};
pub use crate::split::json::Scanner;
pub use crate::split::lines::{Line, Lines};
pub use crate::split::record::Record;
pub use crate::split::records::{Records, Take};

// Used in nearly every file of this crate.
use crate::cell::CellError;
use crate::cell::value_cache::ValueCache;
use crate::columns::header::{Col, Header};
use crate::format::ReadBy;
use crate::reader::{Delimited, ItemReader, Opened, Pieces, Planned, Reader, RowReader};
