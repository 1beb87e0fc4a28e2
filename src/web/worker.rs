//! The worker's side of reading files. The worker runs the same wasm as the page; it is recognised by its missing
//! window.
//!
//! Messages in: `{type: "import", id, name, blob, options}`, `{type: "cancel", id}`, `{type: "spare",
//! memory}`. Messages out: `progress {id, read}` and, of a large table, `part {id, head, arrays,
//! memory, read}`, whose memory comes back as `spare`; then one of `table {id, head, arrays}`, `rest
//! {id, head, arrays}` after parts, `devices {id, json}`, `context {id, json}`, `error {id, json}`,
//! `cancelled {id}`.

use super::file::Input;
use super::js::{field, number, text};
use super::reading::{self, Pace, ReadOutcome};
use super::transfer;
use gemmscope_import::{Ended, ImportOptions, Imported};
use gemmscope_table::dataset::TablePart;
use gemmscope_table::dataset::wire::{self, Packed};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Builds a message object.
pub(super) fn message(kind: &str, fields: &[(&str, JsValue)]) -> js_sys::Object {
    let object = js_sys::Object::new();
    let _ = js_sys::Reflect::set(&object, &"type".into(), &kind.into());
    for (key, value) in fields {
        let _ = js_sys::Reflect::set(&object, &(*key).into(), value);
    }
    object
}

#[derive(Default)]
struct State {
    cancelled: RefCell<Vec<u32>>,
    importing: Cell<u32>,
    /// Memory of parts that the page has copied.
    spare: RefCell<Vec<js_sys::ArrayBuffer>>,
}

/// Handles messages for the lifetime of the worker. Does nothing outside a worker.
pub fn run() {
    let Ok(scope) = js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() else {
        return;
    };
    let state = Rc::new(State::default());
    let out = scope.clone();
    let listener = super::dom::listen(&scope, "message", move |event: web_sys::MessageEvent| {
        let data = event.data();
        let id = number(&data, "id") as u32;
        match text(&data, "type").as_str() {
            "import" => {
                let (state, out) = (state.clone(), out.clone());
                wasm_bindgen_futures::spawn_local(async move {
                    state.importing.set(state.importing.get() + 1);
                    import(&state, &out, id, &data).await;
                    state.importing.set(state.importing.get() - 1);
                    state.spare.take();
                });
            }
            "cancel" => {
                state.cancelled.borrow_mut().push(id);
            }
            "spare" => {
                let memory = field(&data, "memory").dyn_into();
                if let (Ok(memory), 1..) = (memory, state.importing.get()) {
                    state.spare.borrow_mut().push(memory);
                }
            }
            _ => {}
        }
    });
    // The listener lives as long as the worker.
    std::mem::forget(listener);
}

/// Reads a file and posts the result.
async fn import(state: &State, out: &web_sys::DedicatedWorkerGlobalScope, id: u32, data: &JsValue) {
    let Ok(blob) = field(data, "blob").dyn_into::<web_sys::Blob>() else {
        return;
    };
    let input = Input { name: text(data, "name"), blob: gloo_file::Blob::from(blob) };
    let options: ImportOptions = serde_json::from_str(&text(data, "options")).unwrap_or_default();
    let tag = ("id", JsValue::from(id));
    let progress = |read: u64| {
        let _ =
            out.post_message(&message("progress", &[tag.clone(), ("read", (read as f64).into())]));
    };
    let cancelled = || state.cancelled.borrow().contains(&id);
    let post = |kind: &str, packed: Packed| {
        let arrays = transfer::to_js(packed.buffers);
        let list = transfer::transfer_list(&arrays);
        let reply =
            message(kind, &[tag.clone(), ("head", packed.head.into()), ("arrays", arrays.into())]);
        out.post_message_with_transfer(&reply, &list)
    };
    let say = |kind: &str, json: serde_json::Result<String>| {
        let json = json.unwrap_or_default().into();
        out.post_message(&message(kind, &[tag.clone(), ("json", json)]))
    };
    let take = |rows: TablePart, read: u64| post_part(state, out, id, rows, read);
    let outcome =
        reading::read(&input, &options, Pace::Worker, &progress, &cancelled, Some(&take)).await;
    let _ = match outcome {
        ReadOutcome::Done(Ended::Whole(Imported::Table(table))) => {
            post("table", wire::pack(*table))
        }
        ReadOutcome::Done(Ended::Rest(rest)) => post("rest", wire::pack_rest(*rest)),
        ReadOutcome::Done(Ended::Whole(Imported::Devices(devices))) => {
            say("devices", serde_json::to_string(&devices))
        }
        ReadOutcome::Done(Ended::Whole(Imported::Context(context))) => {
            say("context", serde_json::to_string(&context))
        }
        ReadOutcome::Failed(error) => say("error", serde_json::to_string(&error)),
        ReadOutcome::Cancelled => out.post_message(&message("cancelled", &[tag])),
    };
    state.cancelled.borrow_mut().retain(|c| *c != id);
}

/// Posts rows, in memory that the page returns.
fn post_part(
    state: &State,
    out: &web_sys::DedicatedWorkerGlobalScope,
    id: u32,
    part: TablePart,
    read: u64,
) {
    let packed = wire::pack_part(part);
    let spare = &mut state.spare.borrow_mut();
    let (arrays, memory) = transfer::part_to_js(&packed.buffers, spare);
    let reply = message(
        "part",
        &[
            ("id", id.into()),
            ("head", packed.head.into()),
            ("arrays", arrays.into()),
            ("memory", memory.clone().into()),
            ("read", (read as f64).into()),
        ],
    );
    let _ = out.post_message_with_transfer(&reply, &js_sys::Array::of1(&memory));
}
