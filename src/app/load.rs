//! Reads files one after another: the queue, the progress, and the outcome of each file.

pub mod chosen;
pub mod figures;
pub mod given;
pub mod handed;
pub mod job;
pub mod kept;
pub mod sample;

use super::state::{Origin, Shell, Workbench};
use crate::web::file::{Input, MAX_FOLDER_FILES};
use crate::web::importer::Importer;
use crate::web::{animation, clock, dom};
use gemmscope_import::ImportOptions;
use gemmscope_share::data::base_name;
use gemmscope_table::dataset::TraceContext;
use gemmscope_table::trace;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::rc::Rc;

struct Job {
    input: Input,
    options: ImportOptions,
    /// Id of the loaded or failed file that this one replaces.
    replaces: Option<u32>,
    /// True if the user changed how the file is read; that can be undone.
    by_user: bool,
    /// Origin of the file.
    origin: Origin,
    /// True for a file of a folder: nobody chose this very file.
    of_folder: bool,
    /// The tab that shows it best; `None` keeps the current one.
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
            by_user: false,
            origin,
            of_folder: false,
            tab: None,
            done: None,
        }
    }
}

/// Called with `Ok` once the file was read, or with the reason why it was not.
type Done = Box<dyn FnOnce(Result<(), String>)>;

/// The queue of files.
#[derive(Default)]
struct Queue {
    importer: Importer,
    jobs: RefCell<VecDeque<Job>>,
    running: Cell<bool>,
    next_id: Cell<u32>,
    /// Since the queue was last empty: number of files read, of their rows, and of rejected rows.
    read: Cell<(u32, u64, u64)>,
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
    /// For progress, errors and messages.
    pub shell: Shell,
    /// Receives the files.
    pub bench: Workbench,
    queue: StoredValue<Rc<Queue>, LocalStorage>,
}

impl Loader {
    /// A loader with an empty queue.
    pub fn new(shell: Shell, bench: Workbench) -> Loader {
        Loader { shell, bench, queue: StoredValue::new_local(Rc::default()) }
    }

    /// The loader of the surrounding page.
    pub fn here() -> Loader {
        expect_context()
    }

    /// Starts the worker, and returns once it is running. Call this when the page is idle.
    pub async fn prepare(&self) {
        if let Some(queue) = self.queue.try_get_value() {
            queue.importer.start();
            queue.importer.started().await;
        }
    }

    /// Name and bytes of a loaded or failed file.
    pub fn input(&self, id: u32) -> Option<Input> {
        let loaded = self.bench.files.with_untracked(|files| {
            let file = files.iter().find(|f| f.id == id)?;
            Some(file.input.clone())
        });
        let refused = || {
            self.shell.load.with_untracked(|l| l.errors.iter().find(|e| e.id == id)?.input.clone())
        };
        loaded.or_else(refused)
    }

    /// Imports files in order, after those in the queue.
    pub fn add(&self, inputs: Vec<Input>) {
        self.enqueue(inputs, false);
    }

    /// Imports the readable files of a folder; one notice lists the others.
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

    /// Adds files that the browser could not open to the notice of files left out.
    pub fn leave_out(&self, closed: Vec<String>) {
        let why = || "the browser could not open it".to_owned();
        let left = closed.into_iter().map(|name| (name, why()));
        self.shell.load.update(|l| l.left.extend(left));
    }

    fn enqueue(&self, inputs: Vec<Input>, of_folder: bool) {
        let jobs =
            inputs.into_iter().map(|input| Job { of_folder, ..Job::new(input, Origin::User) });
        self.queue.get_value().jobs.borrow_mut().extend(jobs);
        self.run_queue();
    }

    /// Imports a sample, and shows a tab.
    ///
    /// # Errors
    ///
    /// The import was cancelled.
    pub fn add_sample(
        &self,
        input: Input,
        tab: Option<&'static str>,
    ) -> impl Future<Output = Result<(), String>> + use<> {
        self.finish(Job { tab, ..Job::new(input, Origin::Sample) })
    }

    /// Loads the data of the address, the page or the last visit; the start page waits for it.
    pub fn bring(self, work: impl Future<Output = ()> + 'static) {
        dom::set_root_data("ready", None);
        self.shell.coming.update(|n| *n += 1);
        leptos::task::spawn_local(async move {
            work.await;
            self.shell.coming.try_update(|n| *n -= 1);
            self.rest();
        });
    }

    /// Marks the page as ready if nothing is being read or expected.
    pub fn rest(self) {
        if self.shell.coming.try_get_untracked() == Some(0) && !self.is_busy() {
            dom::set_root_data("ready", Some("1"));
        }
    }

    /// True while a file is being read or waiting.
    pub fn is_busy(&self) -> bool {
        self.queue.try_get_value().is_some_and(|q| q.running.get())
    }

    fn start(&self, job: Job) {
        self.queue.get_value().jobs.borrow_mut().push_back(job);
        self.run_queue();
    }

    /// Removes a trace's context file.
    pub fn remove_context(&self, context: &TraceContext) {
        self.bench.remove_context(context.files.clone());
        let name = context.files.first().map_or("", |f| base_name(f));
        self.shell.say_with_undo(format!("Removed {name}."));
    }

    /// Imports one file from the link, the page or the host page, after those in the queue.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub async fn add_one(&self, input: Input, options: ImportOptions) -> Result<(), String> {
        self.finish(Job { options, ..Job::new(input, Origin::Link) }).await
    }

    /// Imports one of the user's files again that was open last time.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub fn add_again(
        &self,
        input: Input,
        options: ImportOptions,
    ) -> impl Future<Output = Result<(), String>> + use<> {
        self.finish(Job { options, ..Job::new(input, Origin::User) })
    }

    /// Queues a job; the returned future waits for its end.
    fn finish(&self, job: Job) -> impl Future<Output = Result<(), String>> + use<> {
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
        self.start(Job { done: Some(done), ..job });
        async move {
            let _ = wasm_bindgen_futures::JsFuture::from(read).await;
            outcome.take().unwrap_or_else(|| Err("cancelled".to_owned()))
        }
    }

    /// Imports a file again with other options, as an undo step.
    pub fn import_again(&self, id: u32, options: ImportOptions) {
        self.read_again(id, options, true);
    }

    fn read_again(&self, id: u32, options: ImportOptions, by_user: bool) {
        let origin = self.bench.files.with_untracked(|files| {
            let file = files.iter().find(|f| f.id == id);
            file.map(|f| f.origin)
        });
        if let Some(input) = self.input(id) {
            self.start(Job {
                options,
                replaces: Some(id),
                by_user,
                ..Job::new(input, origin.unwrap_or_default())
            });
        }
    }

    /// Stops what is being fetched.
    pub fn cancel_fetching(&self) {
        if let Some(fetching) = self.shell.load.try_update(|l| l.fetching.take()).flatten() {
            let _ = fetching.cancel.call0(&wasm_bindgen::JsValue::NULL);
        }
    }

    /// Stops reading the current file; the next ones in the queue follow.
    pub fn cancel_loading(&self) {
        self.queue.get_value().importer.cancel();
    }

    /// Removes a file, as an undo step.
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
        queue.read.set((0, 0, 0));
        dom::set_root_data("ready", None);
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let job = queue.jobs.borrow_mut().pop_front();
                let Some(mut job) = job else { break };
                let done = job.done.take();
                let result = this.run_job(&queue, job).await;
                if let Some(done) = done {
                    done(result);
                }
            }
            queue.running.set(false);
            load.update(|l| {
                l.current = None;
                l.waiting.clear();
            });
            // Ready means visible: after the frame that shows the last file, and after the lists that depend on it.
            clock::after_paint().await;
            animation::settled().await;
            clock::mark("gemmscope:painted");
            while this.bench.lists_follow() {
                clock::after_paint().await;
            }
            // If another file is being read by now, its end marks the page as ready.
            this.rest();
        });
    }
}
