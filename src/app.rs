//! The page: Leptos components over the state in [`state`]. They lay out and connect; the crates under `crates/`
//! compute. The documentation of this crate has a map of the folders.

#![allow(missing_docs, reason = "props are named in the markup that uses them")]

pub mod chart_view;
pub mod controls;
pub mod dialogs;
pub mod dock;
pub mod load;
pub mod planner;
pub mod shell;
pub mod sidebar;
pub mod state;
pub mod ui;
pub mod views;
