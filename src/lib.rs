//! The page of gemmscope: Leptos components over the crates under `crates/`, and thin adapters to the browser. It
//! computes nothing itself. Code that needs no browser is in those crates, and is tested natively; `app` and `web`
//! exist on wasm32 only.
//!
//! # Map
//!
//! | folder | content |
//! |---|---|
//! | `app/shell` | what surrounds the views: header, start page, workspace, notices, shortcuts, embedding |
//! | `app/state` | the two contexts, `Shell` and `Workbench`; the task that runs the rules; published times as they arrive |
//! | `app/load` | the queue of files; dropped files, samples, data of a link, files kept from the last visit |
//! | `app/sidebar` | cards of the loaded files, filters |
//! | `app/views` | the places and their content: summary with its ranked list, charts, table |
//! | `app/chart_view` | a chart on the page: the picture derived from its inputs, pointer and keys, tooltip, saving |
//! | `app/planner` | the planner |
//! | `app/dock` | details of the selected rows |
//! | `app/dialogs` | help, formats, devices, columns, pasting, sharing |
//! | `app/ui`, `app/controls` | small shared components: icons, menus, settings |
//! | `web` | files, worker, canvas, clipboard, storage, database: browser APIs behind plain functions |
//!
//! State knows no component. A component takes the context that it uses, or signals and memos as props. `samples` and
//! `undo` need no browser and are tested natively.

pub mod samples;
pub mod undo;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod web;
