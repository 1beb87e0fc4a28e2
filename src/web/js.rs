//! Fields of JavaScript objects, and promises.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Any field of an object; undefined if missing.
pub fn field(of: &JsValue, key: &str) -> JsValue {
    js_sys::Reflect::get(of, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// A global of the page or of a worker.
pub fn global(key: &str) -> JsValue {
    field(&js_sys::global(), key)
}

/// A text field; "" if missing.
pub fn text(of: &JsValue, key: &str) -> String {
    field(of, key).as_string().unwrap_or_default()
}

/// A number; 0 if missing.
pub fn number(of: &JsValue, key: &str) -> f64 {
    field(of, key).as_f64().unwrap_or(0.0)
}

/// Awaits the value passed to the first callback, or the error passed to the second.
pub fn promised(mut start: impl FnMut(js_sys::Function, js_sys::Function)) -> JsFuture {
    JsFuture::from(js_sys::Promise::new(&mut start))
}
