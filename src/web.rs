//! Thin adapters to the browser (wasm32 only): they decide nothing.

pub mod canvas;
