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

/// True if this page alone holds a name from now on, as far as the browser tells.
pub async fn claim(name: &str) -> bool {
    let Ok(claim) = value("claim").dyn_into::<js_sys::Function>() else { return true };
    let Ok(promise) = claim.call1(&JsValue::NULL, &name.into()) else { return true };
    JsFuture::from(js_sys::Promise::resolve(&promise)).await.is_ok_and(|held| held.is_truthy())
}

/// Fetches a file of at most `limit` bytes, without credentials, until the promise `cancelled` resolves.
///
/// # Errors
///
/// The reason, if known.
pub async fn fetch_file(
    url: &str,
    limit: f64,
    cancelled: Option<&js_sys::Promise>,
) -> Result<gloo_file::Blob, Option<String>> {
    let reason = |e: JsValue| field(&e, "message").as_string().or_else(|| e.as_string());
    let fetch = value("fetchFile")
        .dyn_into::<js_sys::Function>()
        .map_err(|_| Some("this page fetches nothing".to_owned()))?;
    let cancelled = cancelled.map_or(JsValue::UNDEFINED, |promise| promise.into());
    let promise =
        fetch.call3(&JsValue::NULL, &url.into(), &limit.into(), &cancelled).map_err(reason)?;
    let blob = JsFuture::from(js_sys::Promise::resolve(&promise)).await.map_err(reason)?;
    let blob = blob.dyn_into::<web_sys::Blob>().map_err(|_| None)?;
    Ok(gloo_file::Blob::from(blob))
}
