//! Splits text into lines, records and JSON members.

pub(crate) mod canonical;
pub(crate) mod dialect;
pub(crate) mod dress;
pub(crate) mod index;
pub(crate) mod json;
pub(crate) mod json_or_csv;
pub(crate) mod json_rows;
pub(crate) mod lines;
pub(crate) mod log;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod slot_values;
pub(crate) mod template;
