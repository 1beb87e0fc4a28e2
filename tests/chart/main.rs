//! Pictures against goldens in `tests/golden/chart`, and pictures of odd data that must not fail. `UPDATE_GOLDEN=1
//! cargo test --test chart` updates the goldens; `GEMMSCOPE_OUT` names a folder to which every picture is written.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod data;
mod golden;
mod labels;
mod odd;
mod roofline;
mod views;
