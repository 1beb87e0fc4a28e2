//! The site's own page: one instance of the program, and the functions for scripts on the page.

use super::GemmScope;
use crate::app::state::Workbench;
use crate::web::{dom, js};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Mounts the program.
pub fn start() {
    leptos::mount::mount_to_body(|| view! { <GemmScope /> });
}

/// Sets `window.gemmscope`: `timings()` returns the page's performance marks in milliseconds, `summary()` returns
/// [`Workbench::summary`].
pub(super) fn publish(bench: Workbench) {
    let api = js_sys::Object::new();
    let timings = Closure::<dyn Fn() -> JsValue>::new(timings);
    let _ = js_sys::Reflect::set(&api, &"timings".into(), &timings.into_js_value());
    // In an embed only the host gets it.
    if !dom::embedded() {
        let summary = Closure::<dyn Fn() -> JsValue>::new(move || {
            let json = serde_json::to_string(&bench.summary()).unwrap_or_default();
            js_sys::JSON::parse(&json).unwrap_or(JsValue::NULL)
        });
        let _ = js_sys::Reflect::set(&api, &"summary".into(), &summary.into_js_value());
    }
    let _ = js_sys::Reflect::set(&js_sys::global(), &"gemmscope".into(), &api);
}

fn timings() -> JsValue {
    let out = js_sys::Object::new();
    let entries =
        web_sys::window().and_then(|w| w.performance()).map(|p| p.get_entries_by_type("mark"));
    for entry in entries.iter().flat_map(|e| e.iter()) {
        if let Some(name) = js::text(&entry, "name").strip_prefix("gemmscope:") {
            // The last mark of a name wins: it belongs to the last file.
            let _ = js_sys::Reflect::set(&out, &name.into(), &js::field(&entry, "startTime"));
        }
    }
    out.into()
}
