//! gemmscope: how far every matrix multiply (GEMM) is from what the hardware allows.
//!
//! The modules are declared in dependency order; a module uses only those above it.
//!
//! ```text
//! file bytes -> import -> Dataset -> filter, metrics -> chart::Scene -> paint (canvas | SVG)
//!                                                    -> findings -> report
//! hardware -----------------------------^
//! view_state <-> URL hash
//! ```
//!
//! Everything down to [`view_state`] is plain Rust without a browser and is tested natively;
//! `web` and `app` exist on wasm32 only.

// domain: no I/O, no web
pub mod analysis_card;
pub mod cells;
pub mod chart;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod compare;
pub mod dataset;
pub mod dtype;
pub mod embed;
pub mod explain;
pub mod export;
pub mod field;
pub mod filter;
pub mod findings;
pub mod gemm;
pub mod glossary;
pub mod hardware;
pub mod history;
pub mod import;
pub mod metrics;
pub mod pareto;
pub mod picture;
pub mod plan;
pub mod replay;
pub mod report;
pub mod roofline;
pub mod samples;
pub mod selection;
pub mod shape_roof;
pub mod share;
pub mod summary;
pub mod tile_sweep;
pub mod tiling;
pub mod trace;
pub mod transformer;
pub mod tuning;
pub mod units;
pub mod view_state;

#[cfg(test)]
mod fixture;

// browser only
#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod web;
