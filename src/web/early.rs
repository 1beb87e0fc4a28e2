//! Input of the user: `early.js` collects it until the program is there, and forwards it from then on.

use super::file::{Folder, Input};
use super::js::{field, global};
use wasm_bindgen::prelude::*;

/// Input that was chosen, dropped, pasted or clicked on the start page.
pub enum EarlyGiven {
    /// Files.
    Files(Vec<Input>),
    /// A folder, possibly with separate files.
    Folder(Folder),
    /// Text; of a copy, what to read where that has no rows.
    Text(String, Option<String>),
    /// The id of a sample.
    Sample(String),
    /// The link to the planner.
    Plan,
}

/// Calls `taker` with everything collected, and with later input.
pub fn take(taker: impl Fn(EarlyGiven) + 'static) {
    let early = global("gemmscopeEarly");
    let Ok(take) = field(&early, "take").dyn_into::<js_sys::Function>() else {
        return;
    };
    let taker = Closure::<dyn Fn(JsValue)>::new(move |item| {
        if let Some(given) = read(&item) {
            taker(given);
        }
    });
    let _ = take.call1(&early, &taker.into_js_value());
}

/// An item of `early.js`, which is an object with one field; a copy has its plain text too.
fn read(item: &JsValue) -> Option<EarlyGiven> {
    let text = |key| field(item, key).as_string();
    let inputs = |key| {
        let files: Vec<web_sys::File> = list(item, key)?;
        Some(files.into_iter().map(Input::from).collect::<Vec<_>>())
    };
    if let Some(files) = inputs("files") {
        return Some(EarlyGiven::Files(files));
    }
    if let Some(files) = inputs("folder") {
        return Some(EarlyGiven::Folder(Folder::Chosen(files)));
    }
    if let Some(entries) = list(item, "entries") {
        return Some(EarlyGiven::Folder(Folder::Entries(entries)));
    }
    let sample = text("sample").map(EarlyGiven::Sample);
    let copy = text("text").map(|copy| EarlyGiven::Text(copy, text("plain")));
    copy.or(sample).or_else(|| text("open").map(|_| EarlyGiven::Plan))
}

/// Values of an array field. The type is not checked: tests use plain objects.
fn list<T: JsCast>(item: &JsValue, key: &str) -> Option<Vec<T>> {
    let array = field(item, key).dyn_into::<js_sys::Array>().ok()?;
    Some(array.iter().map(JsCast::unchecked_into).collect())
}
