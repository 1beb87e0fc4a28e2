//! The state of the page: two contexts, and the handle that reads files.
//!
//! - [`Shell`]: state of what surrounds the views (theme, dialog, status line, loading).
//! - [`Workbench`]: the data (files, view, undo, devices) and the memos derived from it.
//!
//! Components read signals and memos and call the actions; none keeps a copy. Nothing in this module knows a component.
//!
//! # Order of reads
//!
//! An effect (and so every closure in a `view!`) must read a memo before other memos that depend on it: `settled_frame`
//! before `selected`, `selected` before `numbered`. Leptos (0.8) checks the sources of an effect in the order of the
//! reads. Checking a memo updates the memos it depends on, without marking the effect that asks. If the checked memo
//! stays equal, the effect does not run, although a source that it reads later has changed. A memo that reads memos is
//! safe: it checks again whether it was marked.

mod actions;
pub mod findings_task;
mod last;
mod memos;
pub mod references;
pub mod several;
mod shared;
mod shell;
mod shown;
mod workbench;

pub use shared::Shared;
pub use shell::{
    Dialog, Fetching, Handed, LoadError, LoadState, Message, Progress, Shell, ThemeChoice,
};
pub use shown::Shown;
pub use workbench::{FIXED_KEY, FindingsResult, LoadedFile, Origin, Ticked, UndoStep, Workbench};
