//! What has to be there before the first file is shown: what follows from rows, the user's own
//! devices, and the summary for scripts on the page. The first view waits for none of it, a frame
//! not for the summary.

use crate::app::later::NotLoaded;
use crate::app::state::{Follow, Workbench};
use crate::web::{dom, js};
use gemmscope_analysis::summary::Summary;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_split_helpers::wasm_split;

/// Sets [`Follow`], reads the stored devices and sets `window.gemmscope.summary`, once.
pub async fn begin(bench: Workbench) -> Result<(), NotLoaded> {
    if began(bench) {
        return Ok(());
    }
    // A frame stores nothing.
    if !dom::embedded() {
        leptos::task::spawn_local(async { drop(load_open().await) });
        leptos::task::spawn_local(async { drop(load_summary().await) });
        stored_devices(bench).await?;
        offer_summary(bench).await?;
    }
    follow(bench).await
}

fn began(bench: Workbench) -> bool {
    !matches!(bench.follow.try_get_untracked(), Some(None))
}

/// Reads the devices that the user added earlier.
#[wasm_split(page, fallible)]
fn stored_devices(bench: Workbench) -> Result<(), NotLoaded> {
    bench.read_stored_devices();
    Ok(())
}

#[wasm_split(open, fallible, preload(#[doc = "Fetches what a file goes through."] load_open))]
fn follow(bench: Workbench) -> Result<(), NotLoaded> {
    // Whoever asked first while the part came has done it.
    if began(bench) {
        return Ok(());
    }
    bench.follow.set(Some(Follow::ROWS));
    Ok(())
}

/// What the command `summary --json` prints. A frame tells it to its host once the picture is there.
#[wasm_split(summary, fallible)]
pub fn summary(bench: Workbench) -> Result<Value, NotLoaded> {
    let all = bench.frame.with_untracked(Summary::all);
    Ok(serde_json::to_value(all).unwrap_or_default())
}

/// Gives it to scripts on the page.
#[wasm_split(summary, fallible, preload(#[doc = "Fetches the summary."] load_summary))]
fn offer_summary(bench: Workbench) -> Result<(), NotLoaded> {
    if began(bench) {
        return Ok(());
    }
    let summary = Closure::<dyn Fn() -> JsValue>::new(move || {
        let all = bench.frame.with_untracked(Summary::all);
        let json = serde_json::to_string(&all).unwrap_or_default();
        js_sys::JSON::parse(&json).unwrap_or(JsValue::NULL)
    });
    let api = js::global("gemmscope");
    if api.is_object() {
        let _ = js_sys::Reflect::set(&api, &"summary".into(), &summary.into_js_value());
    }
    Ok(())
}
