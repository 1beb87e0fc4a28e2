//! Reading files one after another: a queue, its progress, what becomes of each outcome.

use super::chart_view;
use super::later;
use super::state::{App, Dialog, LoadError, LoadedFile, Progress, Shared};
use super::totals::grouped;
use crate::import::{ErrorKind, ImportOptions, Imported};
use crate::trace::{self, TraceContext};
use crate::transformer::Model;
use crate::units::Bytes;
use crate::web::file::{Input, MAX_FOLDER_FILES};
use crate::web::importer::Importer;
use crate::web::reading::{self, Outcome};
use crate::web::{clock, dom, storage};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

struct Job {
    input: Input,
    options: ImportOptions,
    /// Number of the loaded (or refused) file that this replaces.
    replaces: Option<u32>,
    /// It came in a folder: nobody chose just this file.
    of_folder: bool,
    /// Hears how it went.
    done: Option<Done>,
}

/// Called once a file was read (`Ok`) or why it was not.
type Done = Box<dyn FnOnce(Result<(), String>)>;

/// The queue of files and the bytes behind the loaded ones (to import them again).
#[derive(Default)]
pub struct Loader {
    importer: Importer,
    queue: RefCell<VecDeque<Job>>,
    running: Cell<bool>,
    next_id: Cell<u32>,
    inputs: RefCell<HashMap<u32, Input>>,
}

impl Loader {
    /// Starts the worker and lets it warm up. Call it when the page is idle.
    pub async fn prepare(&self) {
        self.importer.start();
        self.importer.warm_up().await;
    }

    /// The bytes behind a file.
    pub fn input(&self, id: u32) -> Option<Input> {
        self.inputs.borrow().get(&id).cloned()
    }

    pub(super) fn new_id(&self) -> u32 {
        self.next_id.set(self.next_id.get() + 1);
        self.next_id.get()
    }
}

impl App {
    /// Imports files in order, after those that wait already.
    pub fn add(&self, inputs: Vec<Input>) {
        self.enqueue(inputs, false);
    }

    /// Imports what of a folder's files can be read; the others are listed in one note.
    pub fn add_folder(&self, mut inputs: Vec<Input>) {
        let mut left = Vec::new();
        if inputs.len() > MAX_FOLDER_FILES {
            let rest = inputs.split_off(MAX_FOLDER_FILES);
            left.push((
                rest[0].name.clone(),
                format!("not looked at, as all files after the first {MAX_FOLDER_FILES}"),
            ));
        }
        let names: Vec<String> = inputs.iter().map(|i| i.name.clone()).collect();
        let paths: Vec<&str> = names.iter().map(String::as_str).collect();
        for (i, reason) in trace::repeated_tables(&paths).into_iter().rev() {
            left.push((inputs.remove(i).name, reason));
        }
        self.load.update(|l| l.left.append(&mut left));
        self.enqueue(inputs, true);
    }

    fn enqueue(&self, inputs: Vec<Input>, of_folder: bool) {
        let jobs = inputs.into_iter().map(|input| Job {
            input,
            options: ImportOptions::default(),
            replaces: None,
            of_folder,
            done: None,
        });
        self.loader().queue.borrow_mut().extend(jobs);
        self.run_queue();
    }

    /// Takes a file about a trace off the page.
    pub fn remove_context(&self, file: &str) {
        self.contexts
            .update(|all| all.retain(|c| c.files.first().is_none_or(|f| f != file)));
    }

    /// Keeps what a report says around its tables; its platform judges its rows from now on.
    fn add_context(&self, name: &str, context: TraceContext) {
        let device = context.device();
        if let Some(measured) = self.custom.with_untracked(|own| context.name_measured(own)) {
            self.save_device(measured);
        }
        self.contexts.update(|all| {
            all.retain(|c| c.files != context.files);
            all.push(context);
        });
        let Some(device) = device else {
            self.status
                .set(format!("{name}: read, joined with its table"));
            return;
        };
        self.status.set(format!(
            "{name}: {} with the report's own peaks; percentages are of those (achievable)",
            device.name
        ));
        self.lend_device(device);
        self.glance(|v| v.roof = crate::hardware::RoofKind::Achievable);
    }

    /// Imports one file, after those that wait already, and says how it went.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub async fn add_one(&self, input: Input, options: ImportOptions) -> Result<(), String> {
        let outcome = Rc::new(Cell::new(None));
        let mut resolve = None;
        let read = js_sys::Promise::new(&mut |r, _| resolve = Some(r));
        let slot = outcome.clone();
        let done: Done = Box::new(move |result| {
            slot.set(Some(result));
            if let Some(resolve) = resolve {
                let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
            }
        });
        self.loader().queue.borrow_mut().push_back(Job {
            input,
            options,
            replaces: None,
            of_folder: false,
            done: Some(done),
        });
        self.run_queue();
        let _ = wasm_bindgen_futures::JsFuture::from(read).await;
        outcome
            .take()
            .unwrap_or_else(|| Err("cancelled".to_owned()))
    }

    /// Imports a file again with other decisions.
    pub fn import_again(&self, id: u32, options: ImportOptions) {
        let loader = self.loader();
        if let Some(input) = loader.input(id) {
            loader.queue.borrow_mut().push_back(Job {
                input,
                options,
                replaces: Some(id),
                of_folder: false,
                done: None,
            });
            self.run_queue();
        }
    }

    /// Stops the file that is being read; those that wait go on.
    pub fn cancel_loading(&self) {
        self.loader().importer.cancel();
    }

    /// Takes a file off the page.
    pub fn remove_file(&self, id: u32) {
        self.loader().inputs.borrow_mut().remove(&id);
        let index = self
            .files
            .with_untracked(|f| f.iter().position(|f| f.id == id));
        let Some(index) = index else { return };
        self.glance(|v| {
            // A selection names files by position.
            v.selection.retain(|s| usize::from(s.source) != index);
            for s in &mut v.selection {
                if usize::from(s.source) > index {
                    s.source -= 1;
                }
            }
        });
        self.files.update(|f| f.retain(|f| f.id != id));
    }

    /// Takes an error off the page.
    pub fn dismiss_error(&self, id: u32) {
        self.load.update(|l| l.errors.retain(|e| e.id != id));
        if !self.files.with_untracked(|f| f.iter().any(|f| f.id == id)) {
            self.loader().inputs.borrow_mut().remove(&id);
        }
    }

    fn run_queue(&self) {
        let app = *self;
        let loader = app.loader();
        app.load.update(|l| l.waiting = names(&loader));
        if loader.running.replace(true) {
            return;
        }
        dom::set_root_data("ready", None);
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let job = loader.queue.borrow_mut().pop_front();
                let Some(mut job) = job else { break };
                let done = job.done.take();
                let result = app.run_job(&loader, job).await;
                if let Some(done) = done {
                    done(result);
                }
            }
            loader.running.set(false);
            app.load.update(|l| {
                l.current = None;
                l.waiting.clear();
            });
            // Ready means on the screen: after the frame that shows the last file, and after the
            // lists that follow it.
            clock::after_paint().await;
            clock::after_paint().await;
            // A picture whose place changed its size is drawn once more.
            for _ in 0..4 {
                if chart_view::is_waiting() {
                    clock::after_paint().await;
                }
            }
            clock::mark("gemmscope:painted");
            dom::set_root_data("ready", Some("1"));
        });
    }

    async fn run_job(&self, loader: &Rc<Loader>, job: Job) -> Result<(), String> {
        let app = *self;
        let started = clock::now_ms();
        clock::mark("gemmscope:chosen");
        let total = job.input.size();
        let name = job.input.name.clone();
        app.load.update(|l| {
            l.waiting = names(loader);
            l.current = Some(Progress {
                name: name.clone(),
                read: 0,
                total,
                bytes_per_s: 0.0,
            });
        });
        if name.ends_with(".json")
            && total <= HEAD_BYTES
            && let Ok(text) = String::from_utf8(head(&job.input).await)
            && Model::is_config(&text)
            && later::take_model(app, name.clone(), text).await.is_ok()
        {
            return Ok(());
        }
        let mut options = job.options;
        let mut outcome = self.read(loader, &job.input, &options, started).await;
        // A file of an unknown make whose header was assigned by hand before.
        if let (Outcome::Failed(error), true) = (&outcome, options == ImportOptions::default())
            && error.kind == ErrorKind::NeedsMapping
            && let Some(known) = remembered(&job.input).await
        {
            options = known;
            outcome = self.read(loader, &job.input, &options, started).await;
        }
        match outcome {
            Outcome::Done(Imported::Table(data)) => {
                let id = job.replaces.unwrap_or_else(|| loader.new_id());
                loader.inputs.borrow_mut().insert(id, job.input);
                let rows = data.len();
                let file = LoadedFile {
                    id,
                    data: Shared::from(*data),
                    options,
                };
                if app.files.with_untracked(|f| f.iter().all(|f| f.id == id)) {
                    app.prepare(&file.data).await;
                }
                app.load.update(|l| l.errors.retain(|e| e.id != id));
                app.files
                    .update(|files| match files.iter_mut().find(|f| f.id == id) {
                        Some(old) => *old = file,
                        None => files.push(file),
                    });
                clock::mark("gemmscope:computed");
                // The reader of a page with a frame in it chose no file and waits for none.
                if !dom::embedded() {
                    let seconds = (clock::now_ms() - started) / 1e3;
                    let mut words = match rows {
                        1 => format!("{name}: 1 row read"),
                        n => format!("{name}: {} rows read", grouped(n as u64)),
                    };
                    // Of a file that is there at once the rate says nothing.
                    if seconds > 0.5 {
                        words.push_str(&format!(", {}/s", Bytes(total as f64 / seconds)));
                    }
                    app.status.set(words);
                }
            }
            Outcome::Done(Imported::Devices(devices)) => {
                let count = devices.len();
                let first = devices.first().map(|d| (d.id.clone(), d.name.clone()));
                for device in devices {
                    let named = app.contexts.with_untracked(|all| {
                        all.iter()
                            .find_map(|c| c.name_measured(std::slice::from_ref(&device)))
                    });
                    app.save_device(named.unwrap_or(device));
                }
                // Of several nobody knows which is meant.
                app.status.set(match first {
                    Some((id, device)) if count == 1 => {
                        app.set_devices(|d| d.default = Some(id));
                        format!("{name}: device {device} added and chosen")
                    }
                    _ => format!(
                        "{name}: {count} devices added, to be chosen from the list of devices"
                    ),
                });
            }
            Outcome::Done(Imported::Context(context)) => app.add_context(&name, *context),
            Outcome::Failed(error) if job.of_folder => {
                app.load.update(|l| l.left.push((name, error.to_string())));
            }
            Outcome::Failed(error) => {
                let id = job.replaces.unwrap_or_else(|| loader.new_id());
                loader.inputs.borrow_mut().insert(id, job.input);
                let mappable = error.kind == ErrorKind::NeedsMapping;
                let error = LoadError {
                    id,
                    name: name.clone(),
                    message: error.to_string(),
                    mappable,
                };
                let message = error.message.clone();
                app.status
                    .set(format!("{name} was not read: {}", error.message));
                app.load.update(|l| {
                    l.errors.retain(|e| e.id != id);
                    l.errors.push(error);
                });
                if mappable {
                    app.open(Dialog::Mapping(id));
                }
                return Err(message);
            }
            Outcome::Cancelled => {
                app.status.set(format!("{name}: cancelled"));
                return Err("cancelled".to_owned());
            }
        }
        Ok(())
    }

    async fn read(
        &self,
        loader: &Loader,
        input: &Input,
        options: &ImportOptions,
        started: f64,
    ) -> Outcome {
        let load = self.load;
        let progress = move |read: u64| {
            let seconds = ((clock::now_ms() - started) / 1e3).max(1e-3);
            let _ = load.try_update(|l| {
                if let Some(p) = &mut l.current {
                    p.read = read;
                    p.bytes_per_s = read as f64 / seconds;
                }
            });
        };
        loader.importer.import(input, options, progress).await
    }
}

fn names(loader: &Loader) -> Vec<String> {
    loader
        .queue
        .borrow()
        .iter()
        .map(|j| j.input.name.clone())
        .collect()
}

/// Bytes of a file that are looked at for its header.
const HEAD_BYTES: u64 = 64 << 10;

/// The beginning of a file.
pub async fn head(input: &Input) -> Vec<u8> {
    let end = input.size().min(HEAD_BYTES);
    gloo_file::futures::read_as_bytes(&input.blob.slice(0, end))
        .await
        .unwrap_or_default()
}

/// What was decided earlier about files with the header of this one.
async fn remembered(input: &Input) -> Option<ImportOptions> {
    let header = reading::fingerprint(input.name.clone(), head(input).await).await;
    let json = storage::get(&super::mapping::storage_key(&header.ok()??))?;
    serde_json::from_str(&json).ok()
}
