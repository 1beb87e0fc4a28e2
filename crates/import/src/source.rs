//! Bytes of a file in slices to text: gzip, encodings, workbooks, the session.

mod gzip;
pub(crate) mod session;
pub(crate) mod start;
pub(crate) mod text;
pub(crate) mod xlsx;
mod zip;
