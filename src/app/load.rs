//! Reads files one after another: the queue, the progress, and what becomes of each file.

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
    /// Number of the loaded or refused file that this replaces.
    replaces: Option<u32>,
    /// True where the user changed how the file is read, and may take it back.
    by_user: bool,
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
            by_user: false,
            origin,
            of_folder: false,
            tab: None,
            done: None,
        }
    }
}

/// Called once a file was read (`Ok`), or with the reason why it was not.
type Done = Box<dyn FnOnce(Result<(), String>)>;

/// The queue of files.
#[derive(Default)]
struct Queue {
    importer: Importer,
    jobs: RefCell<VecDeque<Job>>,
    running: Cell<bool>,
    next_id: Cell<u32>,
    /// Since the queue was last empty: files read, their rows, and rejected rows.
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
    /// Shows progress, errors and messages.
    pub shell: Shell,
    /// Takes the files.
    pub bench: Workbench,
    queue: StoredValue<Rc<Queue>, LocalStorage>,
}

impl Loader {
    /// A loader with an empty queue.
    pub fn new(shell: Shell, bench: Workbench) -> Loader {
        Loader { shell, bench, queue: StoredValue::new_local(Rc::default()) }
    }

    /// The one of the surrounding page.
    pub fn here() -> Loader {
        expect_context()
    }

    /// Starts the worker, and returns once it is there. Call this when the page is idle.
    pub async fn prepare(&self) {
        if let Some(queue) = self.queue.try_get_value() {
            queue.importer.start();
            queue.importer.started().await;
        }
    }

    /// Name and bytes of a file, loaded or refused.
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

    /// Lists what the browser could not open in the notice of files left out.
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
    /// The reading was cancelled.
    pub fn add_sample(
        &self,
        input: Input,
        tab: Option<&'static str>,
    ) -> impl Future<Output = Result<(), String>> + use<> {
        self.finish(Job { tab, ..Job::new(input, Origin::Sample) })
    }

    /// Opens what the address, the page or the last visit brings: the start page waits for that.
    pub fn bring(self, work: impl Future<Output = ()> + 'static) {
        dom::set_root_data("ready", None);
        self.shell.coming.update(|n| *n += 1);
        leptos::task::spawn_local(async move {
            work.await;
            self.shell.coming.try_update(|n| *n -= 1);
            self.rest();
        });
    }

    /// Marks the page as ready where nothing is being read or on its way.
    pub fn rest(self) {
        if self.shell.coming.try_get_untracked() == Some(0) && !self.is_busy() {
            dom::set_root_data("ready", Some("1"));
        }
    }

    /// True while a file is read, or waits.
    pub fn is_busy(&self) -> bool {
        self.queue.try_get_value().is_some_and(|q| q.running.get())
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

    /// Imports one file that the link, the page or the host page brought, after those that are
    /// waiting.
    ///
    /// # Errors
    ///
    /// What was wrong with the file, or that it was cancelled.
    pub async fn add_one(&self, input: Input, options: ImportOptions) -> Result<(), String> {
        self.finish(Job { options, ..Job::new(input, Origin::Link) }).await
    }

    /// Imports one of the user's files that was open last time.
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

    /// Runs a job, after those that are waiting; what it gives waits for the end.
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

    /// Imports a file again with other options, as a step of undo.
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
            // Ready means visible: after the frame that shows the last file, and after the lists
            // that follow it.
            clock::after_paint().await;
            animation::settled().await;
            clock::mark("gemmscope:painted");
            while this.bench.lists_follow() {
                clock::after_paint().await;
            }
            // Where another file is read by now, its end says so.
            this.rest();
        });
    }
}
