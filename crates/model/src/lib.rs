//! What a GEMM costs and what a device allows: the arithmetic under everything else.
//!
//! This crate knows no files, measured rows or pictures and depends on no other crate of the workspace. All quantities
//! are in SI base units.
//!
//! | module | what it holds |
//! |---|---|
//! | [`units`] | quantities, how figures are written, how files spell units |
//! | [`dtype`] | data types of operands and the names that producers give them |
//! | [`gemm`] | a GEMM, its work and its compulsory traffic |
//! | [`hardware`] | devices: the catalogue, matching by name, a user's own |
//! | [`reference`](mod@reference) | published times of GEMMs: what others reach |
//! | [`roofline`] | roofs, efficiency, explanations of points above the roof |
//! | [`tiling`] | tiles and waves, footprint on the chip, tiles from kernel names |
//! | [`transformer`] | the GEMMs of a model, from its configuration |
//! | [`pass`] | long passes over rows, with pauses |
//! | [`named`](mod@named) | enums declared as tables of their values |
//! | [`encode`] | text of files inside HTML, SVG, terminals and logs |
//!
//! ```
//! use gemmscope_model::dtype::DataType;
//! use gemmscope_model::gemm::Problem;
//! use gemmscope_model::hardware::{RoofKind, by_id};
//! use gemmscope_model::units::percent;
//!
//! let problem = Problem::new(4096, 4096, 4096, DataType::Bf16);
//! let device = by_id("h100-sxm").ok_or("not in the catalogue")?;
//! let roof = device.roof(DataType::Bf16, RoofKind::Datasheet).ok_or("no peak")?;
//! // 200 µs measured; the roof allows 139 µs.
//! let run = roof.measure(&problem, 200e-6);
//! assert_eq!(run.flops_per_s.to_string(), "687.2 TFLOP/s");
//! assert_eq!(percent(run.efficiency), "69.5 %");
//! # Ok::<(), &str>(())
//! ```

pub mod dtype;
pub mod encode;
pub mod gemm;
pub mod hardware;
mod json_error;
pub mod named;
pub mod pass;
pub mod reference;
pub mod roofline;
pub mod tiling;
pub mod transformer;
pub mod units;

pub use json_error::JsonError;
