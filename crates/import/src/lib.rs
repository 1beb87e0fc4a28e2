//! Turns benchmark and profiler files into rows: bytes in slices of any size become a
//! [`Dataset`](gemmscope_table::dataset::Dataset) with one source.
//!
//! [`Session`] takes the slices, unwraps gzip, spreadsheets and text encodings, collects the
//! [`Head`], asks every [`Format`] in [`FORMATS`] for its claim, and passes the text to the reader
//! of the strongest one. Dropped files, pasted text, messages from a host page, the command line and the
//! tests all use it.
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
//! # Modules
//!
//! | folder | contents |
//! |---|---|
//! | `source/` | bytes to text: gzip, encodings, spreadsheets, the session |
//! | `split/` | text to records, lines and JSON items; index of the cells in many lines |
//! | `cell/` | one cell to a number, a size, a type, a transpose |
//! | `document/` | any text to tables; column meanings by titles and evidence; the plan of a plain table |
//! | `columns/` | a plan and a record to a row; many lines to rows |
//! | `formats/` | one file per format: `tables/`, `logs/`, `profilers/`, `devices/` |
//!
//! # Adding a format
//!
//! 1. Write `src/formats/tables/<tool>.rs` (or `logs/`, `profilers/`, `devices/`).
//!    Its `pub(crate) const FORMAT: Format` has four texts that describe it, and `read`, one of:
//!    - `ReadBy::Table`: a table with a known header, described by data: signature, columns with
//!      meaning and factor to SI, and defaults. An optional hook function supplies what no
//!      column holds. `tables/gemm_bench.rs` is a short example; `tables/mslk.rs` has columns per
//!      library.
//!    - `ReadBy::Launches`: a profiler table with one line per kernel, launch or counter, described by
//!      data: the columns of figures and counters, and a function that evaluates counters.
//!      `profilers/nsys.rs` is a short example.
//!    - `ReadBy::Log`: a log. If its lines state everything, templates of the result lines and of the
//!      lines above them are enough; their slots name the values. `logs/mkl_verbose.rs` is a short
//!      example.
//!      Otherwise supply a parser that receives each line, and a test for the head;
//!      line templates (`split::template`) extract the figures. `logs/tinygrad.rs` is a short example.
//!    - `ReadBy::Code`: everything else. `open` returns a `Reader`: `Delimited` for records,
//!      `Pieces` for lines and JSON. They own the table; the format's reader fills it and adds remarks at the
//!      end of the file.
//!
//!    Never clamp or drop data: every row is either added or rejected with a reason. Use
//!    the checks in `cell` and `columns::header`, so that all formats word the same flaw
//!    alike.
//! 2. Declare the file in `src/formats/tables.rs` and add one line to [`FORMATS`] in
//!    `src/formats.rs`, above the generic reader.
//! 3. Add a folder `tests/fixtures/<id>/` with small synthetic files that have the real header.
//!    `UPDATE_GOLDEN=1 cargo test --test import` reads each in every way (unnamed, in slices,
//!    compressed, exported and read back), writes the summary to `tests/golden` and the format to
//!    `docs/src/formats.md`. Damaged copies go through every reader in
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

// Used by nearly every module of this crate.
use crate::cell::CellError;
use crate::cell::value_cache::ValueCache;
use crate::columns::header::{Col, Header};
use crate::format::ReadBy;
use crate::reader::{Delimited, ItemReader, Opened, Pieces, Planned, Reader, RowReader};
