//! What the user chooses, drops, pastes or clicks on the start page.

use super::{Loader, sample};
use crate::app::state::Dialog;
use crate::samples::SAMPLES;
use crate::web::early::{self, Given};
use crate::web::file::{Folder, Input};
use gemmscope_chart::places::PLAN;

/// Takes what was given before the program was there, and from now on.
pub fn accept(loader: Loader) {
    early::take(move |given| match given {
        Given::Files(files) => loader.add(files),
        Given::Folder(folder) => add_folder(loader, folder),
        Given::Text(text) => loader.add(vec![Input::from_bytes("pasted text", text.as_bytes())]),
        Given::Sample(id) => {
            if let Some(sample) = SAMPLES.iter().find(|s| s.id == id) {
                sample::open(loader, sample);
            }
        }
        Given::Open(what) if what == PLAN.id => loader.bench.show(PLAN.id),
        Given::Open(_) => loader.shell.open(Dialog::Formats),
    });
}

/// Imports the files of a folder that can be read; one notice lists the others.
fn add_folder(loader: Loader, folder: Folder) {
    leptos::task::spawn_local(async move {
        let (inputs, closed) = folder.inputs().await;
        loader.leave_out(closed);
        loader.add_folder(inputs);
    });
}
