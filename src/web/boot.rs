//! Values that `boot.mjs` or the one-file page leaves for the program in `gemmscopeBoot`.

use super::js::{field, global};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A value by name; undefined if missing.
pub fn value(name: &str) -> JsValue {
    field(&global("gemmscopeBoot"), name)
}

/// True in the one-file page, which fetches nothing.
pub fn is_single_file() -> bool {
    value("single").is_truthy()
}

/// Fetches a file of at most `limit` bytes, without credentials.
///
/// # Errors
///
/// The reason, if known.
pub async fn fetch_file(url: &str, limit: f64) -> Result<gloo_file::Blob, Option<String>> {
    let reason = |e: JsValue| field(&e, "message").as_string().or_else(|| e.as_string());
    let fetch = value("fetchFile")
        .dyn_into::<js_sys::Function>()
        .map_err(|_| Some("this page fetches nothing".to_owned()))?;
    let promise = fetch.call2(&JsValue::NULL, &url.into(), &limit.into()).map_err(reason)?;
    let blob = JsFuture::from(js_sys::Promise::resolve(&promise)).await.map_err(reason)?;
    let blob = blob.dyn_into::<web_sys::Blob>().map_err(|_| None)?;
    Ok(gloo_file::Blob::from(blob))
}
