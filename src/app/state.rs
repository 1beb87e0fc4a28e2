//! The state of the page: two contexts, and the handle that reads files.
//!
//! - [`Shell`]: what surrounds the views needs (theme, dialog, status line, what is being read).
//! - [`Workbench`]: what is worked on (files, view, undo, devices) and the memos that follow from it.
//!
//! Components read signals and memos and call the actions; none keeps a copy of its own. Nothing
//! here knows a component.
//!
//! # Order of reads
//!
//! An effect (and so every closure in a `view!`) must read a memo before other memos that follow
//! from it: `settled_frame` before `selected`, `selected` before `numbered`. Leptos (0.8) checks
//! the sources of an effect in the order of the reads. Checking a memo updates the memos it
//! follows from, without marking the effect that asks. If the checked memo stays equal, the effect
//! does not run, although a source that it reads later has changed. A memo that reads memos is
//! safe: it looks again whether it was marked.

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
pub use shell::{Dialog, Handed, LoadError, LoadState, Message, Progress, Shell, ThemeChoice};
pub use shown::Shown;
pub use workbench::{FIXED_KEY, FindingsResult, LoadedFile, Origin, Ticked, UndoStep, Workbench};
