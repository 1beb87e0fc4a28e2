//! What measured GEMMs mean: findings, comparisons, tuning, plans.
//!
//! Everything here is a function of a [`Frame`](gemmscope_table::field::Frame): rows in, figures and findings out. This
//! crate knows no file formats (`gemmscope-import`), documents (`gemmscope-words`), charts or pages.
//!
//! | module | the question it answers |
//! |---|---|
//! | [`findings`] | What matters, why, and what to try? |
//! | [`figures`](mod@figures) | What are the figures of this row? |
//! | [`compare`] | Which library, file or device is faster, where, and by how much? |
//! | [`ledger`] | Which account does every second of a GEMM belong to? |
//! | [`tile_roof`], [`tile_sweep`] | What do tiles and waves allow, and which tile is best? |
//! | [`history`] | What changed over the runs of a benchmark, beyond what does not change? |
//! | [`tuning`] | How did a search over variants go? |
//! | [`trust`] | How far can these figures be trusted? |
//! | [`shapes_without_time`] | What does the roof allow shapes without a time? |
//! | [`planner`] | What could a model's GEMMs reach, before anything runs? |
//! | [`names`] | What are this row, its roof and its kernel called? |
//! | [`same_sizes`] | How fast are the same sizes in another layout, type, library or file? |
//! | [`formula`] | How was this figure computed, in names and in numbers? |
//!
//! ```
//! use gemmscope_analysis::findings;
//! use gemmscope_model::dtype::DataType;
//! use gemmscope_model::gemm::Operation;
//! use gemmscope_model::hardware::RoofKind;
//! use gemmscope_table::build::{Row, TableBuilder};
//! use gemmscope_table::field::Frame;
//! use gemmscope_table::metrics::{DeviceChoice, Metrics};
//! use std::sync::Arc;
//!
//! let mut table = TableBuilder::new();
//! let row = Row::new(4096, 4096, 4096, Operation::uniform(DataType::Bf16), 500e-6);
//! table.commit(2, b"", Ok(row));
//! let data = table.finish();
//! let choice = DeviceChoice { default: Some("mi300x".into()), ..DeviceChoice::default() };
//! let metrics = Metrics::compute(&data, choice.resolve(&data, &[]), RoofKind::Datasheet);
//! let frame = Frame::all(Arc::new(data), Arc::new(metrics));
//!
//! let found = findings::check_all(&frame).findings;
//! assert_eq!(found[0].rule, "rest");
//! assert!(found[0].alone_s.is_some_and(|s| s > 300e-6));
//! ```

pub mod compare;
pub mod figures;
pub mod findings;
pub mod formula;
pub mod history;
pub mod ledger;
pub mod names;
pub mod planner;
pub mod same_sizes;
pub mod shapes_without_time;
pub mod tile_roof;
pub mod tile_sweep;
pub mod trace_time;
pub mod trust;
pub mod tuning;
