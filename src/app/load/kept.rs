//! The files that were open last, kept in the browser to reopen after a reload.
//!
//! Never in an embed, nor beside data that comes with a link. The bytes are in IndexedDB ([`lists`]), as blobs that are
//! stored after the picture is drawn, so the page copies nothing. A note tells at once whether there is anything: the
//! key of the list, the view, then a file name per line. Each tab has its own note, in `sessionStorage`, so that a
//! reload shows what this tab showed; a new tab begins with the note of whichever tab wrote last, in `localStorage`.

mod lists;

use super::Loader;
use crate::web::file::Input;
use crate::web::{boot, clock, dom, storage};
use gemmscope_import::ImportOptions;
use gemmscope_model::units::Bytes;
use gemmscope_share::data::linked_names;
use gemmscope_table::filter::Filters;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use lists::{Entry, LIMIT, List};
use std::time::Duration;

/// Storage key of the note, in both storages.
const OPEN_KEY: &str = "gemmscope.open";
/// Storage key of the switch: "on", "off", or absent until the user has answered.
const SWITCH_KEY: &str = "gemmscope.reopen";
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
    /// Key of this tab's list.
    list: String,
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

/// What a tab notes of its files.
struct Note {
    /// Key of their list.
    list: String,
    view: String,
    names: Vec<String>,
}

impl Kept {
    /// The files kept by the browser. With `brought`, the link or page came with data, which is shown instead.
    pub fn new(brought: bool) -> Kept {
        let from_disk = dom::window().location().protocol().as_deref() == Ok("file:");
        let allowed = !(brought || dom::embedded() || boot::is_single_file() || from_disk);
        let switch = storage::get(SWITCH_KEY);
        let on = switch.as_deref() == Some("on");
        let names = noted().filter(|_| allowed && on).map(|note| note.names).unwrap_or_default();
        Kept {
            allowed,
            on: RwSignal::new(on),
            answered: RwSignal::new(switch.is_some()),
            names: RwSignal::new(names),
            trouble: RwSignal::default(),
            filters: RwSignal::new(None),
            memory: StoredValue::new_local(Memory { list: new_key(), ..Memory::default() }),
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
        self.take_list();
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

    /// From now on this tab has a note and a list of its own. A duplicate of a tab begins with its note, and writes
    /// another list.
    fn take_list(self) {
        let before = storage::get_of_tab(OPEN_KEY);
        if before.is_none() {
            let last = storage::get(OPEN_KEY).unwrap_or_default();
            storage::set_of_tab(OPEN_KEY, &last);
        }
        leptos::task::spawn_local(async move {
            let own = before.as_deref().and_then(Note::parse).map(|note| note.list);
            match own {
                Some(own) if boot::claim(&lock_of(&own)).await => {
                    self.memory.try_update_value(|m| {
                        // What is written has its key.
                        if m.written.is_none() && !m.writing {
                            m.list = own;
                        }
                    });
                }
                _ => {
                    let own = self.memory.try_with_value(|m| lock_of(&m.list));
                    boot::claim(&own.unwrap_or_default()).await;
                }
            }
        });
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
        unnote();
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
        self.note(loader, &[]);
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
            // Another tab may have switched it off.
            let off = storage::get(SWITCH_KEY).as_deref() == Some("off");
            if !off && self.on.try_get_untracked() == Some(true) {
                self.write(loader, false);
            }
        });
    }

    /// Notes the view and the names; false if the browser refuses.
    fn note(self, loader: Loader, names: &[String]) -> bool {
        let view = loader.bench.view.with_untracked(ViewState::encode);
        let list = self.memory.with_value(|m| m.list.clone());
        let note = format!("{list}\n{view}\n{}", names.join("\n"));
        storage::set_of_tab(OPEN_KEY, &note) && storage::set(OPEN_KEY, Some(&note))
    }

    /// Writes the open files to keep, or forgets everything.
    fn write(self, loader: Loader, nothing: bool) {
        leptos::task::spawn_local(async move {
            if let Err(why) = keep(self, loader, nothing).await {
                // Keeping a part would be worse than nothing.
                unnote();
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

impl Note {
    fn parse(text: &str) -> Option<Note> {
        let mut lines = text.lines().map(str::to_owned);
        Some(Note { list: lines.next()?, view: lines.next()?, names: lines.collect() })
    }
}

/// The note of this tab, or of the tab that wrote last.
fn noted() -> Option<Note> {
    let own = storage::get_of_tab(OPEN_KEY);
    Note::parse(&own.or_else(|| storage::get(OPEN_KEY))?)
}

/// Takes this tab's note away, everywhere.
fn unnote() {
    let last = storage::get(OPEN_KEY).and_then(|note| Note::parse(&note));
    if noted().map(|note| note.list) == last.map(|note| note.list) {
        storage::set(OPEN_KEY, None);
    }
    storage::set_of_tab(OPEN_KEY, "");
}

/// True if a page was closed while it forgot its files: the note exists, without names.
fn unfinished() -> bool {
    let last = storage::get(OPEN_KEY).and_then(|note| Note::parse(&note));
    last.is_some_and(|note| note.names.is_empty())
}

/// Name of the lock that the tab of a list holds.
fn lock_of(list: &str) -> String {
    format!("gemmscope files {list}")
}

fn new_key() -> String {
    format!("{}-{}", js_sys::Date::now(), js_sys::Math::random())
}

/// Reopens what is kept.
async fn open_again(kept: Kept, loader: Loader, with_view: bool) -> Result<(), String> {
    let Some(note) = noted() else { return Ok(()) };
    let list = lists::read(&note.list).await?;
    if list.files.is_empty() {
        return Err("nothing is left of it".to_owned());
    }
    let shown = loader.bench.view.get_untracked();
    let noted = Some(ViewState::decode(&note.view).0);
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

/// Keeps the open files, or forgets everything.
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
            kept.note(loader, &names);
        }
        return Ok(());
    }
    if names.is_empty() {
        // A page closed now continues to forget when it is reopened.
        kept.note(loader, &names);
    }
    // Serialised, so that the user's last change wins.
    while kept.memory.try_with_value(|m| m.writing) == Some(true) {
        clock::pause(Duration::from_millis(20)).await;
    }
    kept.memory.try_update_value(|m| m.writing = true);
    let own = kept.memory.try_with_value(|m| m.list.clone()).unwrap_or_default();
    let written = match nothing {
        true => lists::clear().await,
        false => lists::write(&own, &list).await,
    };
    kept.memory.try_update_value(|m| m.writing = false);
    written?;
    if nothing {
        storage::set(OPEN_KEY, None);
    }
    if names.is_empty() {
        unnote();
    } else if !unfinished() && !kept.note(loader, &names) {
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
