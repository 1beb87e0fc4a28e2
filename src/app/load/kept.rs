//! The files that were open last, kept in the browser to reopen after a reload.
//!
//! Never in an embed, nor beside data that comes with a link. The bytes are in IndexedDB, as blobs that are stored
//! after the picture is drawn, so the page copies nothing. A short text in `localStorage` tells at once whether there
//! is anything: the view, then a file name per line.

use super::Loader;
use crate::web::database::{Database, Write};
use crate::web::file::Input;
use crate::web::{boot, clock, dom, storage};
use gemmscope_import::ImportOptions;
use gemmscope_model::units::Bytes;
use gemmscope_share::data::linked_names;
use gemmscope_table::dataset::TraceContext;
use gemmscope_table::filter::Filters;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// Storage key of the view and the names.
const OPEN_KEY: &str = "gemmscope.open";
/// Storage key of the switch: "on", "off", or absent until the user has answered.
const SWITCH_KEY: &str = "gemmscope.reopen";
/// Maximum bytes kept in total.
pub const LIMIT: u64 = 200_000_000;
/// Changes are written once nothing has changed for this long.
const CALM: Duration = Duration::from_millis(1000);

/// The kept files. Copying copies handles.
#[derive(Clone, Copy)]
pub struct Kept {
    /// True if this page keeps files: not in an embed, from disk, or with data of a link.
    pub allowed: bool,
    /// The user's setting; off until the user says otherwise.
    pub on: RwSignal<bool>,
    /// True once the user has answered.
    pub answered: RwSignal<bool>,
    /// Names of the kept files.
    pub names: RwSignal<Vec<String>>,
    /// Why some files are not kept; "" if all are.
    pub trouble: RwSignal<String>,
    /// Filters restored with the files of last time, until the user confirms them.
    pub filters: RwSignal<Option<Filters>>,
    memory: StoredValue<Memory, LocalStorage>,
}

/// State of the database as this page knows it.
#[derive(Default)]
struct Memory {
    /// Files in the database, each with its key.
    stored: Vec<(Input, String)>,
    /// Open files that the user does not want to keep.
    forgotten: Vec<Input>,
    /// The list written last.
    written: Option<List>,
    /// True while a change waits to be written.
    waiting: bool,
    /// True while a change is being written.
    writing: bool,
}

/// The files to keep.
#[derive(Clone, Default, PartialEq)]
struct List {
    files: Vec<Entry>,
    contexts: Vec<TraceContext>,
}

#[derive(Clone, PartialEq)]
struct Entry {
    input: Input,
    options: ImportOptions,
    /// Key of its bytes.
    key: String,
}

impl Kept {
    /// The files kept by the browser. With `brought`, the link or page came with data, which is shown instead.
    pub fn new(brought: bool) -> Kept {
        let from_disk = dom::window().location().protocol().as_deref() == Ok("file:");
        let allowed = !(brought || dom::embedded() || boot::is_single_file() || from_disk);
        let switch = storage::get(SWITCH_KEY);
        let (_, names) = noted().filter(|_| allowed).unwrap_or_default();
        Kept {
            allowed,
            on: RwSignal::new(switch.as_deref() == Some("on")),
            answered: RwSignal::new(switch.is_some()),
            names: RwSignal::new(names),
            trouble: RwSignal::default(),
            filters: RwSignal::new(None),
            memory: StoredValue::new_local(Memory::default()),
        }
    }

    /// The one of the surrounding page.
    pub fn here() -> Kept {
        expect_context()
    }

    /// Reopens what was open last, unless the address is a link to other files; keeps what is opened from now on.
    pub fn start(self, loader: Loader) {
        if !self.allowed {
            return;
        }
        let names = self.names.get_untracked();
        if unfinished() {
            self.write(loader, true);
        }
        if !names.is_empty() {
            match loader.bench.expected.get_untracked() {
                None => self.open(loader, true),
                Some(expected) => {
                    if expected == linked_names(names.iter().map(String::as_str)) {
                        self.open(loader, false);
                    }
                }
            }
        }
        self.follow(loader);
    }

    /// Reopens what was open last, with its view or with the current one.
    pub fn open(self, loader: Loader, with_view: bool) {
        loader.bring(async move {
            if let Err(why) = open_again(self, loader, with_view).await {
                self.lose(&why);
            }
        });
    }

    /// Reports that what was open last cannot be reopened.
    fn lose(self, why: &str) {
        storage::set(OPEN_KEY, None);
        self.names.set(Vec::new());
        self.trouble.set(sentence("What was open last could not be reopened", why));
    }

    /// Forgets everything. What is open stays on the page, but is not kept.
    pub fn forget(self, loader: Loader) {
        let open = loader.bench.files.with_untracked(|files| {
            let open = files.iter().map(|f| f.input.clone());
            open.collect::<Vec<_>>()
        });
        self.memory.update_value(|m| m.forgotten = open);
        self.clear(loader);
    }

    fn clear(self, loader: Loader) {
        self.trouble.set(String::new());
        // Immediately, so that a page closed now continues to forget when it is reopened.
        note(loader, &[]);
        self.write(loader, true);
    }

    /// Turns keeping on or off; off forgets everything.
    pub fn set_on(self, loader: Loader, on: bool) {
        self.on.set(on);
        self.answered.set(true);
        storage::set(SWITCH_KEY, Some(if on { "on" } else { "off" }));
        if on {
            self.memory.update_value(|m| m.forgotten.clear());
            self.note_change(loader);
        } else {
            self.clear(loader);
        }
    }

    /// Writes changes of files and view, once nothing has changed for a moment.
    fn follow(self, loader: Loader) {
        Effect::new(move |_| {
            loader.bench.files.track();
            loader.bench.contexts.track();
            loader.bench.view.track();
            self.note_change(loader);
        });
    }

    fn note_change(self, loader: Loader) {
        let waiting = self.memory.try_update_value(|m| std::mem::replace(&mut m.waiting, true));
        if waiting != Some(false) {
            return;
        }
        leptos::task::spawn_local(async move {
            clock::pause(CALM).await;
            let comes = move || loader.shell.coming.try_get_untracked().is_some_and(|n| n > 0);
            let busy = move || comes() || loader.is_busy();
            while busy() {
                clock::pause(CALM).await;
            }
            self.memory.try_update_value(|m| m.waiting = false);
            if self.on.try_get_untracked() == Some(true) {
                self.write(loader, false);
            }
        });
    }

    /// Writes the open files to keep, or nothing at all.
    fn write(self, loader: Loader, nothing: bool) {
        leptos::task::spawn_local(async move {
            if let Err(why) = keep(self, loader, nothing).await {
                // Keeping a part would be worse than nothing.
                storage::set(OPEN_KEY, None);
                self.names.try_set(Vec::new());
                let what =
                    "The browser keeps no files here, so they will not reopen after a reload";
                self.trouble.try_set(sentence(what, &why));
            }
        });
    }

    /// The open files to keep, up to the limit.
    fn list(self, loader: Loader) -> List {
        let mut left = Vec::new();
        let mut room = LIMIT;
        let mut list = List { contexts: loader.bench.contexts.get_untracked(), ..List::default() };
        let files = loader.bench.files.get_untracked();
        self.memory.update_value(|m| {
            for file in files.into_iter().filter(|f| f.is_own()) {
                if m.forgotten.contains(&file.input) {
                    continue;
                }
                let size = file.input.size();
                if size > room {
                    left.push(format!("{} ({})", file.input.name, Bytes(size as f64)));
                    continue;
                }
                room -= size;
                let known = m.stored.iter().find(|(input, _)| *input == file.input);
                list.files.push(Entry {
                    key: known.map_or_else(new_key, |(_, key)| key.clone()),
                    options: ImportOptions {
                        // They are added again with the file that contains them.
                        captures: Vec::new(),
                        ..file.options
                    },
                    input: file.input,
                });
            }
        });
        self.trouble.set(match &left[..] {
            [] => String::new(),
            left => format!(
                "Not kept: {}. {} in all is the limit.",
                left.join(", "),
                Bytes(LIMIT as f64)
            ),
        });
        list
    }
}

/// A sentence with the browser's reason, if there is one.
fn sentence(what: &str, why: &str) -> String {
    match why.trim_end_matches('.') {
        "" => format!("{what}."),
        why => format!("{what}: {why}."),
    }
}

/// Notes the view and the names in `localStorage`; false if the browser refuses.
fn note(loader: Loader, names: &[String]) -> bool {
    let view = loader.bench.view.with_untracked(ViewState::encode);
    storage::set(OPEN_KEY, Some(&format!("{view}\n{}", names.join("\n"))))
}

/// True if a page was closed while it forgot its files: the note exists, without names.
fn unfinished() -> bool {
    noted().is_some_and(|(_, names)| names.is_empty())
}

/// The noted view and names of what was open last.
fn noted() -> Option<(String, Vec<String>)> {
    let note = storage::get(OPEN_KEY)?;
    let mut lines = note.lines();
    let view = lines.next()?.to_owned();
    Some((view, lines.map(str::to_owned).collect()))
}

fn new_key() -> String {
    format!("{}-{}", js_sys::Date::now(), js_sys::Math::random())
}

/// Name of the database, and of its stores.
const DATABASE: &str = "gemmscope";
const STORES: &[&str] = &[LISTS, BYTES];
const LISTS: &str = "lists";
const BYTES: &str = "bytes";
/// Key of the only list.
const LAST: &str = "last";

/// Reopens what is kept.
async fn open_again(kept: Kept, loader: Loader, with_view: bool) -> Result<(), String> {
    let list = read_list().await?;
    if list.files.is_empty() {
        return Err("nothing is left of it".to_owned());
    }
    let shown = loader.bench.view.get_untracked();
    let noted = noted().map(|(view, _)| ViewState::decode(&view).0);
    for context in list.contexts {
        let name = context.files.first().cloned().unwrap_or_default();
        loader.add_context(&name, context);
    }
    // The context of a report chooses a roof, but the user's choice is later.
    let noted = noted.filter(|_| with_view);
    let filters = noted.as_ref().map(|v| v.filters.clone());
    kept.filters.set(filters.filter(|f| !f.is_empty()));
    let view = noted.unwrap_or(shown);
    loader.bench.view.set(view);
    let reading = list.files.into_iter().map(|Entry { input, options, key }| {
        kept.memory.update_value(|m| m.stored.push((input.clone(), key)));
        loader.add_again(input, options)
    });
    // All wait at once, so that the page is ready when the last one is.
    for read in reading.collect::<Vec<_>>() {
        // Errors are shown on the page.
        let _ = read.await;
    }
    Ok(())
}

/// Keeps the open files, or nothing at all.
async fn keep(kept: Kept, loader: Loader, nothing: bool) -> Result<(), String> {
    let Some(on) = kept.on.try_get_untracked() else {
        return Ok(());
    };
    let list = match nothing {
        true => List::default(),
        false => kept.list(loader),
    };
    // What an earlier page kept stays until this one has a file of its own.
    let untouched = kept.memory.with_value(|m| m.written.is_none() && m.stored.is_empty());
    let forgets = !on || unfinished() || kept.memory.with_value(|m| !m.forgotten.is_empty());
    if list.files.is_empty() && untouched && !forgets {
        return Ok(());
    }
    let names: Vec<String> = list.files.iter().map(|f| f.input.name.clone()).collect();
    if kept.memory.with_value(|m| m.written.as_ref() == Some(&list)) {
        if !names.is_empty() {
            note(loader, &names);
        }
        return Ok(());
    }
    if names.is_empty() {
        // A page closed now continues to forget when it is reopened.
        note(loader, &names);
    }
    // Serialised, so that the user's last change wins.
    while kept.memory.try_with_value(|m| m.writing) == Some(true) {
        clock::pause(Duration::from_millis(20)).await;
    }
    kept.memory.try_update_value(|m| m.writing = true);
    let written = write_list(&list).await;
    kept.memory.try_update_value(|m| m.writing = false);
    written?;
    if names.is_empty() {
        storage::set(OPEN_KEY, None);
    } else if !unfinished() && !note(loader, &names) {
        // Only now: the note never names a file that is not in the database.
        return Err(String::new());
    }
    kept.names.try_set(names);
    kept.memory.try_update_value(|m| {
        m.stored = list.files.iter().map(|f| (f.input.clone(), f.key.clone())).collect();
        m.written = Some(list);
    });
    Ok(())
}

/// Reads the list and the bytes of kept files.
async fn read_list() -> Result<List, String> {
    let database = Database::open(DATABASE, STORES).await?;
    let old = stored_list(&database).await?;
    let mut list = List::default();
    for file in old["files"].as_array().into_iter().flatten() {
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
    list.contexts = serde_json::from_str(&old["contexts"].to_string()).unwrap_or_default();
    Ok(list)
}

/// Writes the files to keep: only bytes that are not stored yet.
async fn write_list(list: &List) -> Result<(), String> {
    let database = Database::open(DATABASE, STORES).await?;
    let old = stored_list(&database).await?;
    let there: Vec<&str> =
        old["files"].as_array().into_iter().flatten().filter_map(|f| f["key"].as_str()).collect();
    let mut changes: Vec<Write> = there
        .iter()
        .filter(|key| list.files.iter().all(|f| f.key != **key))
        .map(|key| Write::Delete(BYTES, (*key).to_owned()))
        .collect();
    for file in list.files.iter().filter(|f| !there.contains(&&*f.key)) {
        let bytes: &JsValue = file.input.raw();
        changes.push(Write::Put(BYTES, file.key.clone(), bytes.clone()));
    }
    let files = list
        .files
        .iter()
        .map(|f| json!({ "key": f.key, "name": f.input.name, "options": f.options }));
    let new = json!({ "files": files.collect::<Vec<Value>>(), "contexts": list.contexts });
    changes.push(Write::Put(LISTS, LAST.to_owned(), new.to_string().into()));
    database.write(&changes).await
}

async fn stored_list(database: &Database) -> Result<Value, String> {
    let text = database.get(LISTS, LAST).await?.as_string();
    let read = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(read.unwrap_or_default())
}
