//! Files that are dropped on the page or pasted.

use super::Loader;
use crate::app::ui::keep;
use crate::web::file::{Dropped, Folder};
use crate::web::{dom, file};
use leptos::prelude::*;

/// Imports the files of a folder that can be read; one notice lists the others.
pub fn add_folder(loader: Loader, folder: Folder) {
    leptos::task::spawn_local(async move {
        let (inputs, closed) = folder.inputs().await;
        loader.leave_out(closed);
        loader.add_folder(inputs);
    });
}

/// Accepts files that are dropped anywhere, and files or text pasted outside of text fields. True
/// while files are dragged over the page.
pub fn accept(loader: Loader) -> RwSignal<bool> {
    let dragging = RwSignal::new(false);
    let window = dom::window();
    let over = dom::listen(&window, "dragover", move |event: web_sys::DragEvent| {
        if file::carries_files(event.data_transfer().as_ref()) {
            event.prevent_default();
            dragging.set(true);
        }
    });
    let leave = dom::listen(&window, "dragleave", move |event: web_sys::DragEvent| {
        // Only when the pointer leaves the window there is no element that it enters.
        if event.related_target().is_none() {
            dragging.set(false);
        }
    });
    let drop = dom::listen(&window, "drop", move |event: web_sys::DragEvent| {
        dragging.set(false);
        if file::carries_files(event.data_transfer().as_ref()) {
            event.prevent_default();
            let Some(transfer) = event.data_transfer() else {
                return;
            };
            match file::dropped(&transfer) {
                Dropped::Files(files) => loader.add(files),
                Dropped::Folder(folder) => add_folder(loader, folder),
            }
        }
    });
    let paste = dom::listen(&window, "paste", move |event: web_sys::ClipboardEvent| {
        let Some(data) = event.clipboard_data() else {
            return;
        };
        if dom::within(&event, "input, textarea, select") {
            return;
        }
        let files = file::from_list(data.files());
        if !files.is_empty() {
            loader.add(files);
        } else if let Ok(text) = data.get_data("text/plain")
            && text.contains('\n')
        {
            loader.add(vec![file::Input::from_bytes("pasted text", text.as_bytes())]);
        }
    });
    keep([over, leave, drop, paste]);
    dragging
}
