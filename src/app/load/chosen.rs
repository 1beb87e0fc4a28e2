//! Files that the user chooses, drops or pastes, and links on the start page.

use super::{Loader, sample};
use crate::samples::SAMPLES;
use crate::web::early::{self, EarlyGiven};
use crate::web::file::{Folder, Input};
use gemmscope_chart::places::PLAN;
use gemmscope_import::{ImportOptions, read_all};

/// Takes what was given before the program started, and from now on.
pub fn accept(loader: Loader) {
    early::take(move |given| match given {
        EarlyGiven::Files(files) => loader.add(files),
        EarlyGiven::Folder(folder) => add_folder(loader, folder),
        EarlyGiven::Text(text, plain) => {
            let text = plain.filter(|plain| *plain != text && !has_rows(&text)).unwrap_or(text);
            loader.add(vec![Input::from_bytes("pasted text", text.as_bytes())])
        }
        EarlyGiven::Sample(id) => {
            if let Some(sample) = SAMPLES.iter().find(|s| s.id == id) {
                sample::open(loader, sample);
            }
        }
        EarlyGiven::Plan => loader.bench.show(PLAN.id),
    });
}

/// True if something can be read from the text.
fn has_rows(text: &str) -> bool {
    read_all("pasted text", text.as_bytes(), &ImportOptions::default()).is_ok()
}

/// Imports the readable files of a folder; one notice lists the others.
fn add_folder(loader: Loader, folder: Folder) {
    leptos::task::spawn_local(async move {
        let (inputs, closed) = folder.inputs().await;
        loader.leave_out(closed);
        loader.add_folder(inputs);
    });
}
