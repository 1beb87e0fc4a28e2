//! The kept files in IndexedDB: a list a tab, and the bytes, which lists share.

use crate::web::database::{Database, Write};
use crate::web::file::Input;
use gemmscope_import::ImportOptions;
use gemmscope_table::dataset::TraceContext;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen::prelude::*;

/// Maximum bytes kept in total, of all tabs.
pub(super) const LIMIT: u64 = 200_000_000;
/// Maximum number of lists: those of closed tabs are not known as such, so the oldest give way.
const MOST: usize = 8;

const DATABASE: &str = "gemmscope";
const STORES: &[&str] = &[LISTS, BYTES];
const LISTS: &str = "lists";
const BYTES: &str = "bytes";

/// The files of a tab.
#[derive(Clone, Default, PartialEq)]
pub(super) struct List {
    /// The files, in order.
    pub files: Vec<Entry>,
    /// Contexts of traces.
    pub contexts: Vec<TraceContext>,
}

/// A file of a list.
#[derive(Clone, PartialEq)]
pub(super) struct Entry {
    /// Name and bytes.
    pub input: Input,
    /// How it was read.
    pub options: ImportOptions,
    /// Key of its bytes.
    pub key: String,
}

/// Reads a list and the bytes of its files; empty if there is none.
///
/// # Errors
///
/// The browser's reason, which may be empty.
pub(super) async fn read(own: &str) -> Result<List, String> {
    let database = Database::open(DATABASE, STORES).await?;
    let stored = stored(&database, own).await?;
    let mut list = List::default();
    for file in stored["files"].as_array().into_iter().flatten() {
        let key = file["key"].as_str().unwrap_or_default();
        let blob = database.get(BYTES, key).await?.dyn_into::<web_sys::Blob>();
        // A file without its bytes is lost; the others are reopened.
        if let Ok(blob) = blob {
            list.files.push(Entry {
                input: Input {
                    name: file["name"].as_str().unwrap_or_default().to_owned(),
                    blob: blob.into(),
                },
                options: serde_json::from_str(&file["options"].to_string()).unwrap_or_default(),
                key: key.to_owned(),
            });
        }
    }
    list.contexts = serde_json::from_str(&stored["contexts"].to_string()).unwrap_or_default();
    Ok(list)
}

/// Writes a list: only bytes that are not stored yet. Other lists stay as far as there is room, the newest first.
///
/// # Errors
///
/// The browser's reason, which may be empty.
pub(super) async fn write(own: &str, list: &List) -> Result<(), String> {
    let database = Database::open(DATABASE, STORES).await?;
    let mut others = Vec::new();
    for key in database.keys(LISTS).await? {
        let stored = stored(&database, &key).await?;
        others.push((stored["at"].as_f64().unwrap_or(0.0), key, stored));
    }
    others.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut changes = Vec::new();
    let mut staying: BTreeMap<String, u64> =
        list.files.iter().map(|file| (file.key.clone(), file.input.size())).collect();
    let mut lists = 1;
    for (_, key, stored) in others.iter().filter(|(_, key, _)| key != own) {
        let mut both = staying.clone();
        both.extend(sizes(stored));
        if lists < MOST && both.values().sum::<u64>() <= LIMIT {
            lists += 1;
            staying = both;
        } else {
            changes.push(Write::Delete(LISTS, key.clone()));
        }
    }
    let there: BTreeSet<String> = database.keys(BYTES).await?.into_iter().collect();
    let gone = there.iter().filter(|key| !staying.contains_key(*key));
    changes.extend(gone.map(|key| Write::Delete(BYTES, key.clone())));
    for file in list.files.iter().filter(|file| !there.contains(&file.key)) {
        let bytes: &JsValue = file.input.raw();
        changes.push(Write::Put(BYTES, file.key.clone(), bytes.clone()));
    }
    changes.push(match list.files.is_empty() {
        true => Write::Delete(LISTS, own.to_owned()),
        false => Write::Put(LISTS, own.to_owned(), as_json(list).into()),
    });
    database.write(&changes).await
}

/// Deletes the lists and files of all tabs.
///
/// # Errors
///
/// The browser's reason, which may be empty.
pub(super) async fn clear() -> Result<(), String> {
    let database = Database::open(DATABASE, STORES).await?;
    let mut changes = Vec::new();
    for store in STORES {
        let keys = database.keys(store).await?.into_iter();
        changes.extend(keys.map(|key| Write::Delete(store, key)));
    }
    database.write(&changes).await
}

fn as_json(list: &List) -> String {
    let files = list.files.iter().map(|file| {
        let (name, size) = (&file.input.name, file.input.size());
        json!({ "key": file.key, "name": name, "size": size, "options": file.options })
    });
    let files: Vec<Value> = files.collect();
    json!({ "at": js_sys::Date::now(), "files": files, "contexts": list.contexts }).to_string()
}

/// Keys and sizes of the bytes of a list.
fn sizes(stored: &Value) -> impl Iterator<Item = (String, u64)> {
    let files = stored["files"].as_array().into_iter().flatten();
    files.filter_map(|f| Some((f["key"].as_str()?.to_owned(), f["size"].as_u64()?)))
}

async fn stored(database: &Database, key: &str) -> Result<Value, String> {
    let text = database.get(LISTS, key).await?.as_string();
    let read = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(read.unwrap_or_default())
}
