//! What has to be there before the first file is shown: what follows from rows, the user's own
//! devices, and the summary for scripts on the page. The first view waits for none of it.

use crate::app::later::NotLoaded;
use crate::app::state::{Follow, Workbench};
use gemmscope_analysis::summary::Summary;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_split_helpers::wasm_split;

/// Sets [`Follow`], reads the stored devices and sets `window.gemmscope.summary`, once.
#[wasm_split(open, fallible)]
pub fn begin(bench: Workbench) -> Result<(), NotLoaded> {
    now(bench);
    Ok(())
}

/// As [`begin`], for code that is in the same part.
pub(super) fn now(bench: Workbench) {
    if !matches!(bench.follow.try_get_untracked(), Some(None)) {
        return;
    }
    bench.follow.set(Some(Follow::ROWS));
    bench.read_stored_devices();
    // What the command `summary --json` prints.
    let summary = Closure::<dyn Fn() -> JsValue>::new(move || {
        let all = bench.frame.with_untracked(Summary::all);
        let json = serde_json::to_string(&all).unwrap_or_default();
        js_sys::JSON::parse(&json).unwrap_or(JsValue::NULL)
    });
    let api = js_sys::Reflect::get(&js_sys::global(), &"gemmscope".into());
    if let Some(api) = api.ok().filter(JsValue::is_object) {
        let _ = js_sys::Reflect::set(&api, &"summary".into(), &summary.into_js_value());
    }
}
