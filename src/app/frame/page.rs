//! The site's own page: one instance of the program, and the functions that scripts on the page may
//! call.

use super::GemmScope;
use crate::app::state::Workbench;
use gemmscope_analysis::summary::Summary;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Mounts the program and sets `window.gemmscope`.
pub fn start() {
    leptos::mount::mount_to_body(|| view! { <GemmScope on_start=Box::new(publish) /> });
}

/// Sets `window.gemmscope`: `summary()` returns what the command `summary --json` prints,
/// `timings()` the page's performance marks in milliseconds.
fn publish(bench: Workbench) {
    let api = js_sys::Object::new();
    let summary = Closure::<dyn Fn() -> JsValue>::new(move || {
        let all = bench.frame.with_untracked(Summary::all);
        let json = serde_json::to_string(&all).unwrap_or_default();
        js_sys::JSON::parse(&json).unwrap_or(JsValue::NULL)
    });
    let timings = Closure::<dyn Fn() -> JsValue>::new(timings);
    let put = |key: &str, value: &JsValue| {
        let _ = js_sys::Reflect::set(&api, &key.into(), value);
    };
    put("summary", &summary.into_js_value());
    put("timings", &timings.into_js_value());
    let _ = js_sys::Reflect::set(&js_sys::global(), &"gemmscope".into(), &api);
}

fn timings() -> JsValue {
    let out = js_sys::Object::new();
    let entries = web_sys::window()
        .and_then(|w| w.performance())
        .map(|p| p.get_entries_by_type("mark"));
    for entry in entries.iter().flat_map(|e| e.iter()) {
        let field =
            |key: &str| js_sys::Reflect::get(&entry, &key.into()).unwrap_or(JsValue::UNDEFINED);
        let name = field("name").as_string().unwrap_or_default();
        if let Some(name) = name.strip_prefix("gemmscope:") {
            // The last mark of a name wins: it belongs to the last file.
            let _ = js_sys::Reflect::set(&out, &name.into(), &field("startTime"));
        }
    }
    out.into()
}
