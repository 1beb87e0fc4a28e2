//! Bytes of a file, in slices -> text: gzip, encodings, workbooks, the session.

pub(crate) mod session;
pub(crate) mod text;
pub(crate) mod xlsx;
mod zip;
