//! Reads files one after another: the queue, the progress, and what becomes of each file.

pub mod begin;
pub mod drop;
pub mod given;
pub mod kept;
pub mod sample;

use super::later::NotLoaded;
use super::state::{Dialog, LoadError, LoadedFile, Origin, Progress, Shared, Shell, Workbench};
use crate::web::file::{Input, MAX_FOLDER_FILES};
use crate::web::importer::Importer;
use crate::web::reading;
use crate::web::reading::Outcome;
use crate::web::{clock, dom, frame, storage};
use gemmscope_import::{ErrorKind, ImportError, ImportOptions, Imported};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::transformer::Model;
use gemmscope_model::units::{Bytes, grouped};
use gemmscope_share::data::base_name;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use wasm_split_helpers::wasm_split;

struct Job {
    input: Input,
    options: ImportOptions,
    /// Number of the loaded or refused file that this replaces.
    replaces: Option<u32>,
    /// Where it comes from.
    origin: Origin,
    /// True for a file of a folder: nobody chose just this file.
    of_folder: bool,
    /// The tab that shows it best; `None` leaves the one that is open.
    tab: Option<&'static str>,
    /// Called with the outcome.
    done: Option<Done>,
}

impl Job {
    fn new(input: Input, origin: Origin) -> Job {
        Job {
            input,
            options: ImportOptions::default(),
            replaces: None,
            origin,
            of_folder: false,
            tab: None,
            done: None,
        }
    }
}

/// Called once a file was read (`Ok`), or with the reason why it was not.
type Done = Box<dyn FnOnce(Result<(), String>)>;

/// Plans the model of a `config.json`: its name, or what is wrong with the text. The loader calls
/// the planner without knowing it.
pub type PlanModel = fn(Workbench, String) -> Planned;

/// The answer of [`PlanModel`]; `None` where the planner could not be loaded.
pub type Planned = Pin<Box<dyn Future<Output = Option<Result<String, String>>>>>;

/// The queue of files.
#[derive(Default)]
struct Queue {
    importer: Importer,
    jobs: RefCell<VecDeque<Job>>,
    running: Cell<bool>,
    /// Files are being unpacked from the page or the link.
    unpacking: Cell<bool>,
    next_id: Cell<u32>,
}

impl Queue {
    fn new_id(&self) -> u32 {
        self.next_id.set(self.next_id.get() + 1);
        self.next_id.get()
    }

    fn names(&self) -> Vec<String> {
        let jobs = self.jobs.borrow();
        jobs.iter().map(|j| j.input.name.clone()).collect()
    }
}

/// Reads files into the workbench, one after another. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct Loader {
    /// Shows progress, errors and messages.
    pub shell: Shell,
    /// Takes the files.
    pub bench: Workbench,
    plan_model: PlanModel,
    queue: StoredValue<Rc<Queue>, LocalStorage>,
}

impl Loader {
    /// A loader with an empty queue.
    pub fn new(shell: Shell, bench: Workbench, plan_model: PlanModel) -> Loader {
        Loader {
            shell,
            bench,
            plan_model,
            queue: StoredValue::new_local(Rc::default()),
        }
    }

    /// The one of the surrounding page.
    pub fn here() -> Loader {
        expect_context()
    }

    /// Starts the worker and lets it warm up. Call this when the page is idle.
    pub async fn prepare(&self) {
        if let Some(queue) = self.queue.try_get_value() {
            queue.importer.start();
            queue.importer.warm_up().await;
        }
    }

    /// Name and bytes of a file, loaded or refused.
    pub fn input(&self, id: u32) -> Option<Input> {
        let loaded = self.bench.files.with_untracked(|files| {
            let file = files.iter().find(|f| f.id == id)?;
            Some(file.input.clone())
        });
        let refused = || {
            self.shell
                .load
                .with_untracked(|l| l.errors.iter().find(|e| e.id == id)?.input.clone())
        };
        loaded.or_else(refused)
    }

    /// Imports files in order, after those that are waiting.
    pub fn add(&self, inputs: Vec<Input>) {
        self.enqueue(inputs, false);
    }

    /// Imports the files of a folder that can be read; one notice lists the others.
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
        self.shell.load.update(|l| l.left.append(&mut left));
        self.enqueue(inputs, true);
    }

    fn enqueue(&self, inputs: Vec<Input>, of_folder: bool) {
        let jobs = inputs.into_iter().map(|input| Job {
            of_folder,
            ..Job::new(input, Origin::User)
        });
        self.queue.get_value().jobs.borrow_mut().extend(jobs);
        self.run_queue();
    }

    /// Imports a sample, and shows a tab.
    pub fn add_sample(&self, input: Input, tab: Option<&'static str>) {
        self.start(Job {
            tab,
            ..Job::new(input, Origin::Sample)
        });
    }

    /// True while a file is unpacked or read, or waits.
    pub fn is_busy(&self) -> bool {
        let queue = self.queue.try_get_value();
        queue.is_some_and(|q| q.running.get() || q.unpacking.get())
    }

    /// Says that files of the page or the link will come, or that they have.
    fn set_unpacking(&self, on: bool) {
        if let Some(queue) = self.queue.try_get_value() {
            queue.unpacking.set(on);
        }
    }

    fn start(&self, job: Job) {
        self.queue.get_value().jobs.borrow_mut().push_back(job);
        self.run_queue();
    }

    /// Removes a file that describes a trace.
    pub fn remove_context(&self, context: &TraceContext) {
        self.bench.remove_context(context.files.clone());
        let name = context.files.first().map_or("", |f| base_name(f));
        self.shell.say_with_undo(format!("Removed {name}."));
    }

    /// Keeps what a trace report says about its tables. The device of its platform applies to its
    /// rows from now on.
    fn add_context(&self, name: &str, context: TraceContext) {
        let device = context.device();
        if let Some(measured) = self
            .bench
            .custom
            .with_untracked(|own| context.name_measured(own))
        {
            self.bench.save_device(measured);
        }
        self.bench.contexts.update(|all| {
            all.retain(|c| c.files != context.files);
            all.push(context);
        });
        let Some(device) = device else {
            self.shell
                .say(format!("{name}: read, joined with its table"));
            return;
        };
        self.shell.say(format!(
            "{name}: {} with the report's own peaks; percentages are of those (achievable)",
            device.name
        ));
        self.bench.lend_device(device);
        self.bench
            .edit_without_undo(|v| v.roof = RoofKind::Achievable);
    }

    /// Imports one file that the link, the page or the host page brought, after those that are
    /// waiting.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub async fn add_one(&self, input: Input, options: ImportOptions) -> Result<(), String> {
        self.finish(Job {
            options,
            ..Job::new(input, Origin::Link)
        })
        .await
    }

    /// Imports one of the user's files that was open last time.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub async fn add_again(&self, input: Input, options: ImportOptions) -> Result<(), String> {
        self.finish(Job {
            options,
            ..Job::new(input, Origin::User)
        })
        .await
    }

    /// Runs a job, after those that are waiting.
    async fn finish(&self, job: Job) -> Result<(), String> {
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
        self.start(Job {
            done: Some(done),
            ..job
        });
        let _ = wasm_bindgen_futures::JsFuture::from(read).await;
        outcome
            .take()
            .unwrap_or_else(|| Err("cancelled".to_owned()))
    }

    /// Imports a file again with other options.
    pub fn import_again(&self, id: u32, options: ImportOptions) {
        let origin = self.bench.files.with_untracked(|files| {
            let file = files.iter().find(|f| f.id == id);
            file.map(|f| f.origin)
        });
        if let Some(input) = self.input(id) {
            self.start(Job {
                options,
                replaces: Some(id),
                ..Job::new(input, origin.unwrap_or_default())
            });
        }
    }

    /// Stops the file that is being read; the waiting files are read next.
    pub fn cancel_loading(&self) {
        self.queue.get_value().importer.cancel();
    }

    /// Removes a file, as a step of undo.
    pub fn remove_file(&self, id: u32) {
        let Some(input) = self.input(id) else { return };
        self.bench.remove_files(vec![id], |_| ());
        let name = base_name(&input.name);
        self.shell.say_with_undo(format!("Removed {name}."));
    }

    /// Removes an error message.
    pub fn dismiss_error(&self, id: u32) {
        self.shell.load.update(|l| l.errors.retain(|e| e.id != id));
    }

    fn run_queue(&self) {
        let (this, queue) = (*self, self.queue.get_value());
        let load = this.shell.load;
        load.update(|l| l.waiting = queue.names());
        if queue.running.replace(true) {
            return;
        }
        dom::set_root_data("ready", None);
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let job = queue.jobs.borrow_mut().pop_front();
                let Some(mut job) = job else { break };
                let done = job.done.take();
                let input = job.input.clone();
                let result = match run_job(this, queue.clone(), job).await {
                    Ok(result) => result.await,
                    Err(_) => {
                        let why = reading::NOT_LOADED.to_owned();
                        load.update(|l| {
                            l.errors.push(LoadError {
                                id: queue.new_id(),
                                name: input.name.clone(),
                                message: why.clone(),
                                mappable: false,
                                input: Some(input),
                            });
                        });
                        Err(why)
                    }
                };
                if let Some(done) = done {
                    done(result);
                }
            }
            queue.running.set(false);
            load.update(|l| {
                l.current = None;
                l.waiting.clear();
            });
            // Ready means visible: after the frame that shows the last file, and after the lists
            // that follow it.
            clock::after_paint().await;
            frame::settled().await;
            this.bench.drop_ready_made();
            clock::mark("gemmscope:painted");
            dom::set_root_data("ready", Some("1"));
        });
    }

    async fn run_job(&self, queue: &Queue, job: Job) -> Result<(), String> {
        let started = clock::now_ms();
        clock::mark("gemmscope:chosen");
        let total = job.input.size();
        let name = job.input.name.clone();
        self.shell.load.update(|l| {
            l.waiting = queue.names();
            l.current = Some(Progress {
                name: name.clone(),
                read: 0,
                total,
                bytes_per_s: 0.0,
            });
        });
        if name.ends_with(".json") && total <= HEAD_BYTES && self.plan(queue, &job.input).await {
            return Ok(());
        }
        let mut options = job.options.clone();
        let mut outcome = self.read(queue, &job.input, &options, started).await;
        // A file of an unknown format whose columns were assigned by hand earlier.
        if let (Outcome::Failed(error), true) = (&outcome, options == ImportOptions::default())
            && error.kind == ErrorKind::NeedsMapping
            && let Some(known) = remembered(&job.input).await
        {
            options = known;
            outcome = self.read(queue, &job.input, &options, started).await;
        }
        match outcome {
            Outcome::Done(Imported::Table(data)) => {
                let read = Read {
                    data: *data,
                    options,
                    started,
                };
                self.add_table(queue, job, read).await;
            }
            Outcome::Done(Imported::Devices(devices)) => self.add_devices(&name, devices),
            Outcome::Done(Imported::Context(context)) => self.add_context(&name, *context),
            Outcome::Failed(error) if job.of_folder => {
                let left = (name, error.to_string());
                self.shell.load.update(|l| l.left.push(left));
            }
            Outcome::Failed(error) => return Err(self.refuse(queue, job, &error)),
            Outcome::Cancelled => {
                self.shell.say(format!("{name}: cancelled"));
                return Err("cancelled".to_owned());
            }
        }
        Ok(())
    }

    /// Plans the model of a `config.json`; false for any other file.
    async fn plan(&self, queue: &Queue, input: &Input) -> bool {
        let Ok(text) = String::from_utf8(head(input).await) else {
            return false;
        };
        if !Model::is_config(&text) {
            return false;
        }
        let name = &input.name;
        match (self.plan_model)(self.bench, text).await {
            None => return false,
            Some(Ok(model)) => self.shell.say(format!("{name}: {model} is planned")),
            Some(Err(why)) => self.shell.load.update(|l| {
                l.errors.push(LoadError {
                    id: queue.new_id(),
                    name: name.clone(),
                    message: format!("it looks like a model's configuration, but {why}"),
                    mappable: false,
                    input: None,
                });
            }),
        }
        true
    }

    /// Adds the rows of a file that was read.
    async fn add_table(&self, queue: &Queue, job: Job, read: Read) {
        let (name, rows) = (job.input.name.clone(), read.data.len());
        let total = job.input.size();
        // Who removed a file while it was read again does not want it back.
        if job.replaces.is_some_and(|id| self.input(id).is_none()) {
            return;
        }
        let id = job.replaces.unwrap_or_else(|| queue.new_id());
        let file = LoadedFile {
            id,
            data: Shared::from(read.data),
            options: read.options,
            input: job.input,
            origin: job.origin,
        };
        let files = self.bench.files;
        // A sample makes room for what comes next.
        let leaving: Vec<u32> = files.with_untracked(|files| {
            let all = job.replaces.is_none() && files.iter().all(|f| f.origin == Origin::Sample);
            files.iter().filter(|_| all).map(|f| f.id).collect()
        });
        if files.with_untracked(|f| f.iter().all(|f| f.id == id || leaving.contains(&f.id))) {
            self.bench.prepare(&file.data).await;
        }
        self.shell.load.update(|l| l.errors.retain(|e| e.id != id));
        self.bench.expected.set(None);
        let closed = !leaving.is_empty();
        if closed {
            self.bench.remove_files(leaving, ViewState::start_over);
        }
        if let Some(tab) = job.tab {
            self.bench.edit_without_undo(|v| v.view = tab.to_owned());
        }
        files.update(|files| match files.iter_mut().find(|f| f.id == id) {
            Some(old) => *old = file,
            None => files.push(file),
        });
        self.give_captures();
        clock::mark("gemmscope:computed");
        // In an embedded page nobody chose the file or waits for it.
        if dom::embedded() {
            return;
        }
        let seconds = (clock::now_ms() - read.started) / 1e3;
        let mut words = match rows {
            // A notice says why.
            0 => format!("{name}: no usable rows"),
            1 => format!("{name}: 1 row read"),
            n => format!("{name}: {} rows read", grouped(n as u64)),
        };
        // The rate of a small file is that of everything around it.
        if seconds > 0.5 && total > SMALL {
            words.push_str(&format!(", {}/s", Bytes(total as f64 / seconds)));
        }
        if closed {
            self.shell
                .say_with_undo(format!("{words}. The sample is closed."));
        } else {
            self.shell.say(words);
        }
    }

    /// Reads traces that launch graphs once more, with the captures of the other files, which give
    /// their kernels a shape.
    fn give_captures(&self) {
        let again: Vec<(u32, ImportOptions)> = self.bench.files.with_untracked(|files| {
            let tables: Vec<&Dataset> = files.iter().map(|f| &*f.data.0).collect();
            let with_captures = |(i, f): (usize, &LoadedFile)| {
                let captures = trace::missing_captures(&tables, i);
                (!captures.is_empty() && captures != f.options.captures).then(|| {
                    let options = ImportOptions {
                        captures,
                        ..f.options.clone()
                    };
                    (f.id, options)
                })
            };
            files.iter().enumerate().filter_map(with_captures).collect()
        });
        for (id, options) in again {
            self.import_again(id, options);
        }
    }

    /// Adds the devices of a file, and chooses the device where it is the only one.
    fn add_devices(&self, name: &str, devices: Vec<Device>) {
        let count = devices.len();
        let first = devices.first().map(|d| (d.id.clone(), d.name.clone()));
        for device in devices {
            let named = self.bench.contexts.with_untracked(|all| {
                all.iter()
                    .find_map(|c| c.name_measured(std::slice::from_ref(&device)))
            });
            self.bench.save_device(named.unwrap_or(device));
        }
        // Of several devices it is not known which one is meant.
        self.shell.say(match first {
            Some((id, device)) if count == 1 => {
                self.bench.set_devices(|d| d.default = Some(id));
                format!("{name}: device {device} added and chosen")
            }
            _ => format!("{name}: {count} devices added, to be chosen from the list of devices"),
        });
    }

    /// Shows why a file could not be read, and returns the message.
    fn refuse(&self, queue: &Queue, job: Job, error: &ImportError) -> String {
        let name = job.input.name.clone();
        let id = job.replaces.unwrap_or_else(|| queue.new_id());
        let message = error.to_string();
        let mappable = error.kind == ErrorKind::NeedsMapping;
        // The dialog says itself what is missing.
        if !mappable {
            self.shell.say(format!("{name} was not read: {message}"));
        }
        self.shell.load.update(|l| {
            l.errors.retain(|e| e.id != id);
            l.errors.push(LoadError {
                id,
                name,
                message: message.clone(),
                mappable,
                input: Some(job.input),
            });
        });
        if mappable {
            self.shell.open(Dialog::Mapping(id));
        }
        message
    }

    async fn read(
        &self,
        queue: &Queue,
        input: &Input,
        options: &ImportOptions,
        started: f64,
    ) -> Outcome {
        let load = self.shell.load;
        let progress = move |read: u64| {
            let seconds = ((clock::now_ms() - started) / 1e3).max(1e-3);
            let _ = load.try_update(|l| {
                if let Some(p) = &mut l.current {
                    p.read = read;
                    p.bytes_per_s = read as f64 / seconds;
                }
            });
        };
        queue.importer.import(input, options, progress).await
    }
}

type Running = Pin<Box<dyn Future<Output = Result<(), String>>>>;

/// Reads the file of a job: code that the first view does not wait for.
#[wasm_split(open, fallible)]
fn run_job(loader: Loader, queue: Rc<Queue>, job: Job) -> Result<Running, NotLoaded> {
    begin::now(loader.bench);
    Ok(Box::pin(async move { loader.run_job(&queue, job).await }))
}

/// A table that was read.
struct Read {
    data: Dataset,
    options: ImportOptions,
    /// When reading began, ms.
    started: f64,
}

/// Size up to which no rate is said, bytes.
const SMALL: u64 = 4 << 20;

/// How many bytes at the start of a file are read to find its header.
const HEAD_BYTES: u64 = 64 << 10;

/// The beginning of a file.
pub async fn head(input: &Input) -> Vec<u8> {
    let end = input.size().min(HEAD_BYTES);
    gloo_file::futures::read_as_bytes(&input.blob.slice(0, end))
        .await
        .unwrap_or_default()
}

/// Storage key of the columns that were assigned by hand for files with this header.
pub fn columns_key(fingerprint: &str) -> String {
    format!("gemmscope.columns.{fingerprint}")
}

/// The columns that were assigned by hand for earlier files with the same header.
async fn remembered(input: &Input) -> Option<ImportOptions> {
    let header = reading::fingerprint(input.name.clone(), head(input).await).await;
    let json = storage::get(&columns_key(&header.ok()??))?;
    serde_json::from_str(&json).ok()
}
