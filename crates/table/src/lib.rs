//! Measured GEMMs in columns, their figures, and the rows that a view shows.
//!
//! This crate knows what a row is, but not where it came from or what it means: no file formats (`gemmscope-import`
//! builds tables), findings or charts. It depends on `gemmscope-model` only.
//!
//! | module | what it holds |
//! |---|---|
//! | [`dataset`] | the columnar table, its sources, rejected rows, trace context |
//! | [`build`] | the builder that readers push rows into |
//! | [`trace`] | attaches the other files of a trace report to its table |
//! | [`data_kind`] | what the rows are (workload, benchmark, sweep, sides) and which of them count |
//! | [`kernel_target`] | the architecture that kernels were built for |
//! | [`metrics`] | figures of every row: intensity, rate, roof time, efficiency |
//! | [`field`] | figures and columns by name: axes, colours, facets |
//! | [`filter`], [`selection`] | which rows pass, and sets of rows that survive a reload |
//! | [`view_state`] | what the user looks at, and its text in a link |
//! | [`control`] | the settings of a view as data |
//! | [`column_format`], [`result_table`], [`native_csv`] | values as text, tables of text, our own CSV |
//! | [`study`] | from a table and a view to the rows that count |
//! | [`stats`] | median and quantiles |
//!
//! ```
//! use gemmscope_model::dtype::DataType;
//! use gemmscope_model::gemm::Operation;
//! use gemmscope_model::hardware::RoofKind;
//! use gemmscope_table::build::{Row, TableBuilder};
//! use gemmscope_table::field::Frame;
//! use gemmscope_table::metrics::{DeviceChoice, Metrics};
//! use std::sync::Arc;
//!
//! let mut table = TableBuilder::new();
//! let bf16 = Operation::uniform(DataType::Bf16);
//! let device = table.device("H100 SXM");
//! let row = Row { device, ..Row::new(4096, 4096, 4096, bf16, 200e-6) };
//! table.commit(2, b"4096,4096,4096,bf16,200", Ok(row));
//! let data = table.finish();
//!
//! let devices = DeviceChoice::default().resolve(&data, &[]);
//! let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
//! let frame = Frame::all(Arc::new(data), Arc::new(metrics));
//! assert_eq!(frame.rows.len(), 1);
//! assert!((frame.metrics.efficiency(&frame.data, 0) - 0.695).abs() < 1e-3);
//! ```

pub mod build;
pub mod column_format;
pub mod control;
pub mod data_kind;
pub mod dataset;
pub mod field;
pub mod filter;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod group;
pub mod kernel_target;
pub mod metrics;
pub mod native_csv;
pub mod result_table;
pub mod selection;
pub mod stats;
pub mod study;
pub mod trace;
pub mod view_state;
