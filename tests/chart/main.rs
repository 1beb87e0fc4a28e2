//! Pictures against goldens in `tests/golden/chart`, and pictures of odd data that must not fail.
//! `UPDATE_GOLDEN=1 cargo test --test chart` writes the goldens anew; `GEMMSCOPE_OUT` names a
//! folder that every picture is written to, for a person to look at.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod data;
mod golden;
mod labels;
mod odd;
mod roofline;
mod views;
