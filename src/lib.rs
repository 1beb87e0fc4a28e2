//! The page of gemmscope: Leptos components over the crates below `crates/`, and thin adapters to
//! the browser. It computes nothing itself. What needs no browser lies in those crates as plain
//! Rust, and is tested natively; `app` and `web` exist on wasm32 only.
//!
//! # Map
//!
//! | folder | what it holds |
//! |---|---|
//! | `app/shell` | what surrounds everything: header, start page, workspace, notices, shortcuts, embedding |
//! | `app/state` | the two contexts, `Shell` and `Workbench`; the task that looks for findings; published times as they arrive |
//! | `app/load` | the queue of files; files that are dropped, samples, data that a link brings, what was open last |
//! | `app/sidebar` | cards of the loaded files, filters |
//! | `app/views` | the places and what each shows: summary with its ranked list, charts, table |
//! | `app/chart_view` | a chart on the page: the picture that follows from its inputs, pointer and keys, tooltip, saving |
//! | `app/planner` | the planner |
//! | `app/dock` | all about the selected rows |
//! | `app/dialogs` | help, formats, devices, columns, pasting, sharing |
//! | `app/ui`, `app/controls` | small parts that all of them use: icons, menus, settings |
//! | `web` | files, worker, canvas, clipboard, storage, database: browser APIs behind plain functions |
//!
//! State knows no component. A component takes the context that it uses, or the signals and memos
//! it needs as props. `samples` and `undo` need no browser and are tested natively.

pub mod samples;
pub mod undo;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod web;
