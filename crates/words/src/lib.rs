//! The texts of an analysis: sentences, explanations, documents and reports.
//!
//! `gemmscope-analysis` returns facts; this crate words them. Page, command, report and JSON take the same sentence
//! from here. It knows no file format, no chart and no page.
//!
//! | module | the question it answers |
//! |---|---|
//! | [`findings`] | What matters, why, and what to try? |
//! | [`headline`] | What is the first sentence about these GEMMs? |
//! | [`explain`], [`analysis_card`] | What are the figures of this row, and how were they computed? |
//! | [`trust`] | How far can these figures be trusted, and why? |
//! | [`compare`] | Who is faster, where and by how much? |
//! | [`history`] | What changed over the runs of a benchmark? |
//! | [`tile_roof`], [`sweep`], [`tuning`] | What does a tile allow, which one is best, and how did a search go? |
//! | [`trace_time`] | Where does the time of a trace go? |
//! | [`plan`] | What is planned, and what was measured of it? |
//! | [`charts`] | Which obstacles, titles and notes stand beside a picture? |
//! | [`glossary`] | What does this word mean? |
//! | [`report`], [`summary`] | How do I pass the findings or figures on? |
//! | [`doc`] | How are blocks of text written as HTML, markdown or plain text? |
//! | [`replay`] | How do I run just this GEMM? |
//! | [`plan_export`] | How do I run the GEMMs of a plan? |
//!
//! ```
//! use gemmscope_model::dtype::DataType;
//! use gemmscope_model::gemm::Operation;
//! use gemmscope_model::hardware::RoofKind;
//! use gemmscope_table::build::{Row, TableBuilder};
//! use gemmscope_table::field::Frame;
//! use gemmscope_table::metrics::{DeviceChoice, Metrics};
//! use gemmscope_words::findings;
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
//! assert!(found[0].text.contains("274.9 TFLOP/s"));
//! ```
//!
//! Labels of enums are beside the enums, captions and hints of settings beside the settings, names of axes, marks and
//! columns in the chart crate; so are the sentences of the planner's tools (`chart::planner`). An importer words its
//! own remarks on a file.

pub mod analysis_card;
pub mod charts;
pub mod compare;
pub mod doc;
pub mod explain;
pub mod findings;
pub mod glossary;
pub mod headline;
pub mod history;
pub mod plan;
pub mod plan_export;
pub mod reference;
pub mod replay;
pub mod report;
pub mod summary;
pub mod sweep;
pub mod tile_roof;
pub mod trace_time;
pub mod trust;
pub mod tuning;
