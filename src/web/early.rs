//! What the user gives the page: `early.js` listens, keeps it until the program is there, and hands it
//! on from then on.

use super::file::{Folder, Input};
use super::js::{field, global};
use wasm_bindgen::prelude::*;

/// What was chosen, dropped, pasted or clicked on the start page.
pub enum EarlyGiven {
    /// Files.
    Files(Vec<Input>),
    /// A folder, perhaps with files beside it.
    Folder(Folder),
    /// Text.
    Text(String),
    /// The id of a sample.
    Sample(String),
    /// What a button of the start page opens.
    Open(String),
}

/// Calls `taker` with all that was kept, and with what is given from now on.
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

/// An item of `early.js`: an object with one field.
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
    text("text").map(EarlyGiven::Text).or(sample).or_else(|| text("open").map(EarlyGiven::Open))
}

/// The values of an array under a key. The type is not checked: entries of a test are plain objects.
fn list<T: JsCast>(item: &JsValue, key: &str) -> Option<Vec<T>> {
    let array = field(item, key).dyn_into::<js_sys::Array>().ok()?;
    Some(array.iter().map(JsCast::unchecked_into).collect())
}
