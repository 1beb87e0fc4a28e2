//! Files that are dropped on the page or pasted.

use super::Loader;
use crate::web::{dom, file};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

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
            let dropped = file::dropped(&transfer);
            leptos::task::spawn_local(async move {
                let of_folder = dropped.has_folder();
                let (inputs, closed) = dropped.inputs().await;
                loader.leave_out(closed);
                if of_folder {
                    loader.add_folder(inputs);
                } else {
                    loader.add(inputs);
                }
            });
        }
    });
    let paste = dom::listen(&window, "paste", move |event: web_sys::ClipboardEvent| {
        let Some(data) = event.clipboard_data() else {
            return;
        };
        let in_field = event
            .target()
            .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
            .is_some_and(|e| {
                e.closest("input, textarea, select")
                    .ok()
                    .flatten()
                    .is_some()
            });
        if in_field {
            return;
        }
        let files = file::from_list(data.files());
        if !files.is_empty() {
            loader.add(files);
        } else if let Ok(text) = data.get_data("text/plain")
            && text.contains('\n')
        {
            loader.add(vec![file::Input::from_bytes(
                "pasted text",
                text.as_bytes(),
            )]);
        }
    });
    let listeners = StoredValue::new_local([over, leave, drop, paste]);
    on_cleanup(move || listeners.dispose());
    dragging
}
