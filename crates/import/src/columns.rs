//! Meanings of table columns, from header to rows.

pub(crate) mod by_column;
pub(crate) mod defaults;
pub(crate) mod header;
pub(crate) mod mapping;
pub(crate) mod plan;
pub(crate) mod plan_rows;
pub(crate) mod row;
pub(crate) mod words;
