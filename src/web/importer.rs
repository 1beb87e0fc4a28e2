//! The page's side of reading files: in a worker if the browser allows one, else on the page itself.

use super::file::Input;
use super::js::{field, global, number, text};
use super::reading::{self, Pace, ReadOutcome};
use super::worker::message;
use super::{clock, dom, transfer};
use gemmscope_import::{ImportError, ImportOptions, Imported};
use gemmscope_model::units::Bytes;
use gemmscope_table::dataset::wire::{self, Packed};
use gemmscope_table::dataset::{Assembly, Dataset};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

type Progress = Rc<dyn Fn(u64)>;
/// Called with the rows so far, whenever there are more.
pub type Grown = Rc<dyn Fn(&Dataset)>;

/// An id that no file has.
const NOBODY: u32 = 0;
/// Up to this size, bytes, an embed reads without a worker.
const SMALL: u64 = 1 << 20;
/// Time within which a worker must confirm that it stopped reading.
const PATIENCE: Duration = Duration::from_secs(1);

struct Waiting {
    resolve: js_sys::Function,
    progress: Progress,
    rows: Rc<Growing>,
}

/// A table that arrives in parts.
struct Growing {
    table: RefCell<Assembly>,
    /// Why the parts do not form a table.
    flaw: RefCell<Option<String>>,
    /// Size of the file, bytes.
    size: f64,
    grown: Grown,
}

impl Growing {
    /// Adds the rows of a message; false if they do not fit.
    fn add(&self, message: &JsValue) -> bool {
        if self.flaw.borrow().is_some() {
            return false;
        }
        let mut table = self.table.borrow_mut();
        let added = packed(message).and_then(wire::unpack_part).and_then(|part| {
            let rows = (table.data().len() + part.len()) as f64;
            // A little more than the lines so far suggest.
            let more = self.size / number(message, "read").max(1.0) * 65.0 / 64.0;
            table.expect((rows * more) as usize);
            table.add(part)
        });
        match added {
            Ok(()) => (self.grown)(table.data()),
            Err(why) => {
                *self.flaw.borrow_mut() = Some(why);
                // The rows are no longer needed.
                *table = Assembly::default();
                return false;
            }
        }
        true
    }

    /// The table, including the rows of the last message.
    fn finish(&self, message: &JsValue) -> Result<Dataset, String> {
        let rest = packed(message).and_then(wire::unpack_rest)?;
        self.table.take().finish(rest)
    }
}

fn packed(message: &JsValue) -> Result<Packed, String> {
    let arrays = field(message, "arrays").dyn_into::<js_sys::Array>().ok();
    let buffers = arrays.and_then(|arrays| transfer::from_js(&arrays));
    Ok(Packed {
        head: text(message, "head"),
        buffers: buffers.ok_or("the worker sent no columns")?,
    })
}

/// A running worker and its pending replies.
struct Link {
    worker: web_sys::Worker,
    waiting: Rc<RefCell<HashMap<u32, Waiting>>>,
    /// Resolves to true once the worker has answered, to false if it did not start.
    ready: js_sys::Promise,
    /// True once the worker failed; everything runs on the page then.
    broken: Rc<Cell<bool>>,
    settle: js_sys::Function,
    _listeners: [dom::Listener; 2],
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Reads files, one or several at a time.
#[derive(Default)]
pub struct Importer {
    link: RefCell<Option<Rc<Link>>>,
    tried: Cell<bool>,
    next_id: Cell<u32>,
    cancelled: Rc<Cell<u32>>,
    /// Id of the file being read; [`NOBODY`] if none.
    current: Rc<Cell<u32>>,
}

impl Importer {
    /// Starts the worker before the first file. Call this after the first paint.
    pub fn start(&self) {
        if self.tried.replace(true) {
            return;
        }
        *self.link.borrow_mut() = connect().map(Rc::new);
    }

    /// Returns once the worker is running, or failed to start.
    pub async fn started(&self) {
        let link = self.link.borrow().clone();
        if let Some(link) = link {
            let _ = JsFuture::from(link.ready.clone()).await;
        }
    }

    /// Stops reading the current file. A worker that does not answer is abandoned.
    pub fn cancel(&self) {
        let id = self.current.get();
        self.cancelled.set(id);
        let Some(link) = self.link.borrow().clone() else {
            return;
        };
        let _ = link.worker.post_message(&message("cancel", &[("id", id.into())]));
        let current = self.current.clone();
        wasm_bindgen_futures::spawn_local(async move {
            clock::pause(PATIENCE).await;
            if current.get() == id {
                link.give_up();
            }
        });
    }

    /// Reads one file. `grown` is called with the rows of a large table as they arrive.
    pub async fn import(
        &self,
        input: &Input,
        options: &ImportOptions,
        progress: impl Fn(u64) + 'static,
        grown: Grown,
    ) -> ReadOutcome {
        self.next_id.set(self.next_id.get() + 1);
        let id = self.next_id.get();
        self.current.set(id);
        let outcome = self.run(id, input, options, Rc::new(progress), grown).await;
        self.current.set(NOBODY);
        outcome
    }

    async fn run(
        &self,
        id: u32,
        input: &Input,
        options: &ImportOptions,
        progress: Progress,
        grown: Grown,
    ) -> ReadOutcome {
        // Starting a worker takes longer than reading a small table in an embed.
        let small = dom::embedded() && input.size() <= SMALL;
        if !small {
            self.start();
        }
        let link = self.link.borrow().clone().filter(|_| !small);
        if let Some(link) = link.filter(|l| !l.broken.get()) {
            let rows = Rc::new(Growing {
                table: RefCell::default(),
                flaw: RefCell::default(),
                size: input.size() as f64,
                grown,
            });
            match link.import(id, input, options, progress.clone(), rows).await {
                Ended::With(outcome) => return outcome,
                // Reading on the page is slower, but works.
                Ended::NotStarted => *self.link.borrow_mut() = None,
                // The page would die for the same reason. The next file gets a new worker.
                Ended::Died => {
                    *self.link.borrow_mut() = None;
                    self.tried.set(false);
                    return match self.cancelled.get() == id {
                        true => ReadOutcome::Cancelled,
                        false => ReadOutcome::Failed(stopped(input)),
                    };
                }
            }
        }
        let cancelled = self.cancelled.clone();
        if cancelled.get() == id {
            return ReadOutcome::Cancelled;
        }
        let is_cancelled = move || cancelled.get() == id;
        let read = reading::read(input, options, Pace::Page, &*progress, &is_cancelled, None);
        match read.await {
            ReadOutcome::Done(ended) => match ended.whole() {
                Ok(imported) => ReadOutcome::Done(imported),
                Err(error) => ReadOutcome::Failed(error),
            },
            ReadOutcome::Failed(error) => ReadOutcome::Failed(error),
            ReadOutcome::Cancelled => ReadOutcome::Cancelled,
        }
    }
}

/// Outcome of a request to read a file.
enum Ended {
    With(ReadOutcome),
    /// No worker can read.
    NotStarted,
    /// The worker died while reading.
    Died,
}

fn stopped(input: &Input) -> ImportError {
    let size = Bytes(input.blob.size() as f64).to_iec();
    ImportError::new(format!(
        "the browser stopped while it read this file of {size}, most likely because its memory ran \
         out: split the file, or use the gemmscope command"
    ))
}

fn is_true(result: Result<JsValue, JsValue>) -> bool {
    result.is_ok_and(|v| v.is_truthy())
}

/// Asks boot.mjs, which knows the hashed names and holds the compiled module. There is no worker without boot.mjs (in
/// the one-file page, or a page that mounts the program itself), or if the browser refuses one.
fn connect() -> Option<Link> {
    let boot = global("gemmscopeBoot");
    let start: js_sys::Function = field(&boot, "startWorker").dyn_into().ok()?;
    let worker: web_sys::Worker = start.call0(&boot).ok()?.dyn_into().ok()?;
    let waiting: Rc<RefCell<HashMap<u32, Waiting>>> = Rc::default();
    let broken = Rc::new(Cell::new(false));
    let mut settle = None;
    let ready = js_sys::Promise::new(&mut |resolve, _| settle = Some(resolve));
    let settle: js_sys::Function = settle?;

    let on_message = {
        let (waiting, broken, settle) = (waiting.clone(), broken.clone(), settle.clone());
        move |event: web_sys::MessageEvent| {
            let data = event.data();
            let id = number(&data, "id") as u32;
            match text(&data, "type").as_str() {
                "ready" => drop(settle.call1(&JsValue::NULL, &JsValue::TRUE)),
                "failed" => fail(&broken, &settle, &waiting),
                "progress" => {
                    let progress = waiting.borrow().get(&id).map(|w| w.progress.clone());
                    if let Some(progress) = progress {
                        progress(number(&data, "read") as u64);
                    }
                }
                "part" => {
                    let rows = waiting.borrow().get(&id).map(|w| w.rows.clone());
                    let worker = event.current_target();
                    let worker = worker.and_then(|w| w.dyn_into::<web_sys::Worker>().ok());
                    if let (Some(rows), Some(worker)) = (rows, worker) {
                        if !rows.add(&data) {
                            let stop = message("cancel", &[("id", id.into())]);
                            let _ = worker.post_message(&stop);
                        }
                        give_back(&worker, &field(&data, "memory"));
                    }
                }
                _ => {
                    if let Some(waiting) = waiting.borrow_mut().remove(&id) {
                        let _ = waiting.resolve.call1(&JsValue::NULL, &data);
                    }
                }
            }
        }
    };
    let on_error = {
        let (waiting, broken, settle) = (waiting.clone(), broken.clone(), settle.clone());
        move |_: web_sys::Event| fail(&broken, &settle, &waiting)
    };
    Some(Link {
        _listeners: [
            dom::listen(&worker, "message", on_message),
            dom::listen(&worker, "error", on_error),
        ],
        worker,
        waiting,
        ready,
        broken,
        settle,
    })
}

/// Returns the memory of a part to the worker, after the page has copied it.
fn give_back(worker: &web_sys::Worker, memory: &JsValue) {
    let spare = message("spare", &[("memory", memory.clone())]);
    let _ = worker.post_message_with_transfer(&spare, &js_sys::Array::of1(memory));
}

fn fail(broken: &Cell<bool>, settle: &js_sys::Function, waiting: &RefCell<HashMap<u32, Waiting>>) {
    broken.set(true);
    let _ = settle.call1(&JsValue::NULL, &JsValue::FALSE);
    for (_, waiting) in waiting.borrow_mut().drain() {
        let _ = waiting.resolve.call1(&JsValue::NULL, &JsValue::NULL);
    }
}

impl Link {
    /// Ends the worker and its pending replies.
    fn give_up(&self) {
        self.worker.terminate();
        fail(&self.broken, &self.settle, &self.waiting);
    }

    /// Posts a message. The promise resolves to the reply with the same id, or to null if the worker dies. `None` if
    /// the message cannot be posted.
    fn ask(
        &self,
        id: u32,
        progress: Progress,
        rows: Rc<Growing>,
        request: &JsValue,
    ) -> Option<js_sys::Promise> {
        let mut resolve = None;
        let reply = js_sys::Promise::new(&mut |r, _| resolve = Some(r));
        let waiting = Waiting { resolve: resolve?, progress, rows };
        self.waiting.borrow_mut().insert(id, waiting);
        self.worker.post_message(request).ok()?;
        Some(reply)
    }

    async fn import(
        &self,
        id: u32,
        input: &Input,
        options: &ImportOptions,
        progress: Progress,
        rows: Rc<Growing>,
    ) -> Ended {
        if !is_true(JsFuture::from(self.ready.clone()).await) {
            return Ended::NotStarted;
        }
        let blob: &web_sys::Blob = input.blob.as_ref();
        let options = serde_json::to_string(options).unwrap_or_default();
        let request = message(
            "import",
            &[
                ("id", id.into()),
                ("name", input.name.as_str().into()),
                ("blob", blob.into()),
                ("options", options.into()),
            ],
        );
        let Some(reply) = self.ask(id, progress, rows.clone(), &request) else {
            return Ended::NotStarted;
        };
        match JsFuture::from(reply).await {
            Ok(reply) if !reply.is_null() => Ended::With(outcome(&reply, &rows).await),
            _ => Ended::Died,
        }
    }
}

async fn outcome(reply: &JsValue, rows: &Growing) -> ReadOutcome {
    let failed = |message: String| ReadOutcome::Failed(ImportError::new(message));
    if let Some(why) = rows.flaw.take() {
        return failed(why);
    }
    let (kind, json) = (text(reply, "type"), text(reply, "json").into_bytes());
    let read = match kind.as_str() {
        "table" | "rest" => {
            clock::mark("gemmscope:received");
            let data = match kind.as_str() {
                "rest" => rows.finish(reply),
                _ => packed(reply).and_then(wire::unpack),
            };
            // Computing starts in a separate task, so that no task is long.
            clock::pause(Duration::ZERO).await;
            data.map(Imported::table)
        }
        "devices" => said(serde_json::from_slice(&json).map(Imported::Devices)),
        "context" => said(serde_json::from_slice(&json).map(Imported::Context)),
        "cancelled" => return ReadOutcome::Cancelled,
        _ => match said(serde_json::from_slice(&json)) {
            Ok(error) => return ReadOutcome::Failed(error),
            Err(why) => Err(why),
        },
    };
    read.map_or_else(failed, ReadOutcome::Done)
}

fn said<T>(read: serde_json::Result<T>) -> Result<T, String> {
    read.map_err(|e| e.to_string())
}
