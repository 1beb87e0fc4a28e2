//! Feeds the bytes of a blob to an import session in slices. A worker streams as fast as it can;
//! the page, which reads itself in a sandboxed frame, gives the browser a turn in between.
//!
//! The readers are parts of the program that are fetched when first needed: those of plain tables,
//! and all of them. So nothing else on the page may name [`Session`]; see `app::later`.

use super::clock;
use super::file::Input;
use super::js::{field, global};
use gemmscope_import::{Ended, ImportError, ImportOptions, Imported, Plain, Session, plain};
use gemmscope_model::units::Bytes;
use gemmscope_table::dataset::Part;
use gloo_file::Blob;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_split_helpers::{SplitLoaderError as NotLoaded, wasm_split};

/// Bytes of a call of `feed`. Small, so that the browser switches to its optimised code early.
pub(super) const FEED: usize = 256 << 10;
/// Bytes after which rows leave for the page. Few enough that it takes them in a short task.
pub(super) const PART: u64 = 512 << 10;
/// Bytes read at once on the page.
const SLICE: u64 = 1 << 20;

/// Said where a part of the page does not arrive.
pub const NOT_LOADED: &str =
    "a part of the page could not be loaded: check the connection, then try again";

/// Where the code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// In a worker, where nobody waits.
    Worker,
    /// On the page, where no task may be long.
    Page,
}

/// How reading ended.
#[derive(Debug)]
pub enum Outcome<T = Imported> {
    /// The file was read.
    Done(T),
    /// It cannot be read.
    Failed(ImportError),
    /// The user stopped it.
    Cancelled,
}

/// The bytes of a blob, a piece at a time.
pub(super) struct Chunks {
    blob: Blob,
    at: u64,
    /// Where the browser fills a buffer that is passed back and forth, slices otherwise.
    filled: Option<(web_sys::ReadableStreamByobReader, js_sys::ArrayBuffer)>,
}

impl Chunks {
    pub(super) fn open(blob: &Blob, pace: Pace) -> Self {
        let raw: &web_sys::Blob = blob.as_ref();
        let reader = if pace == Pace::Worker { filling_reader(&raw.stream()) } else { None };
        let filled = reader.map(|reader| (reader, js_sys::ArrayBuffer::new(SLICE as u32)));
        Chunks { blob: blob.clone(), at: 0, filled }
    }

    /// Puts the next bytes into `buffer`; false at the end.
    pub(super) async fn next(&mut self, buffer: &mut Vec<u8>) -> Result<bool, String> {
        if let Some((reader, lent)) = &mut self.filled {
            let step = reader.read_with_array_buffer_view(&js_sys::Uint8Array::new(lent));
            let step = JsFuture::from(step).await.map_err(explain)?;
            let chunk = field(&step, "value").dyn_into::<js_sys::Uint8Array>();
            let Some(chunk) = chunk.ok().filter(|_| !field(&step, "done").is_truthy()) else {
                return Ok(false);
            };
            buffer.resize(chunk.length() as usize, 0);
            chunk.copy_to(buffer);
            *lent = chunk.buffer();
            return Ok(true);
        }
        if self.at >= self.blob.size() {
            return Ok(false);
        }
        let end = (self.at + SLICE).min(self.blob.size());
        let slice = self.blob.slice(self.at, end);
        *buffer = gloo_file::futures::read_as_bytes(&slice).await.map_err(|e| e.to_string())?;
        self.at = end;
        Ok(true)
    }

    pub(super) fn cancel(&self) {
        if let Some((reader, _)) = &self.filled {
            drop(reader.cancel());
        }
    }
}

/// A reader that fills a given buffer, where the browser has one for files.
fn filling_reader(stream: &web_sys::ReadableStream) -> Option<web_sys::ReadableStreamByobReader> {
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"mode".into(), &"byob".into()).ok()?;
    let get = field(stream, "getReader").dyn_into::<js_sys::Function>().ok()?;
    get.call1(stream, &options).ok()?.dyn_into().ok()
}

fn explain(error: JsValue) -> String {
    let why = field(&error, "message").as_string();
    why.unwrap_or_else(|| "unknown error".to_owned())
}

/// Reads one file. The implementations are in parts of the program that are fetched later.
pub trait Reading {
    /// See [`Session::feed`].
    fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError>;
    /// See [`Session::part`].
    fn part(&mut self) -> Option<Part>;
    /// See [`Session::end`].
    fn end(self: Box<Self>) -> Result<Ended, ImportError>;
}

impl Reading for Session {
    fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        Session::feed(self, bytes)
    }

    fn part(&mut self) -> Option<Part> {
        Session::part(self)
    }

    fn end(self: Box<Self>) -> Result<Ended, ImportError> {
        Session::end(*self)
    }
}

/// A quarter of the machine's memory, in bytes: the table of a packed file leaves room for its
/// picture and for the rest of the browser. A browser that does not tell has 4 GiB.
fn memory_of_packed() -> u64 {
    let gibibytes = field(&global("navigator"), "deviceMemory").as_f64().unwrap_or(4.0);
    (gibibytes * (1u64 << 28) as f64) as u64
}

/// A session for any file of this name and size.
#[wasm_split(read, fallible, preload(#[doc = "Fetches the readers of all formats."] load))]
pub fn open_session(
    name: String,
    bytes: u64,
    mut options: ImportOptions,
) -> Result<Box<dyn Reading>, NotLoaded> {
    options.memory = Some(memory_of_packed());
    let mut session = Session::new(&name, options);
    session.expect(bytes);
    Ok(Box::new(session))
}

/// Which plain table a file is, and its session where its reader is here.
type Told = (Option<Plain>, Option<Box<dyn Reading>>);

/// A session for a plain table, or which other table the file is; nothing for a file that starts
/// otherwise.
#[wasm_split(table, fallible, preload(#[doc = "Fetches the readers of plain tables."] load_plain))]
pub fn open_plain(
    name: String,
    bytes: u64,
    options: ImportOptions,
    start: Vec<u8>,
) -> Result<Told, NotLoaded> {
    let kind = plain(&start, &options);
    if kind != Some(Plain::Generic) {
        return Ok((kind, None));
    }
    let mut session = Session::plain(&name, options);
    session.expect(bytes);
    Ok((kind, Some(Box::new(session))))
}

/// A session for a table of ours, whose remarks about a file take more code than its rows.
#[wasm_split(native, fallible)]
fn open_native(
    name: String,
    bytes: u64,
    options: ImportOptions,
) -> Result<Box<dyn Reading>, NotLoaded> {
    let mut session = Session::native(&name, options);
    session.expect(bytes);
    Ok(Box::new(session))
}

/// Bytes of a file in which the header of a plain table ends.
const HEADER: usize = 4 << 10;

/// A session for a file that starts with these bytes, by the smallest part that reads it.
pub async fn session_for(
    name: &str,
    bytes: u64,
    options: &ImportOptions,
    start: &[u8],
) -> Result<Box<dyn Reading>, NotLoaded> {
    let start = start[..start.len().min(HEADER)].to_vec();
    match open_plain(name.to_owned(), bytes, options.clone(), start).await? {
        (_, Some(session)) => Ok(session),
        (Some(Plain::Native), None) => open_native(name.to_owned(), bytes, options.clone()).await,
        _ => open_session(name.to_owned(), bytes, options.clone()).await,
    }
}

/// Takes the rows of a large file while it is read. A trait and no `Option` of a closure: of that the
/// compiler gives the page the worker's closure too, and all that it needs.
pub trait TakeRows {
    /// False where rows are kept until the end.
    fn takes(&self) -> bool {
        true
    }
    /// Takes rows, and how many bytes of the file were read so far.
    fn take(&self, rows: Part, read: u64);
}

/// Rows are kept until the end.
pub struct KeepRows;

impl TakeRows for KeepRows {
    fn takes(&self) -> bool {
        false
    }

    fn take(&self, _: Part, _: u64) {}
}

/// Reads the whole input. `progress` is called with the bytes read so far; `cancelled` is asked
/// between slices. Where somebody takes rows, those of a large file leave while it is read.
pub async fn read(
    input: &Input,
    options: &ImportOptions,
    pace: Pace,
    progress: &dyn Fn(u64),
    cancelled: &dyn Fn() -> bool,
    rows: &dyn TakeRows,
) -> Outcome<Ended> {
    let at_once = match rows.takes() {
        true => input.size().min(PART),
        false => input.size(),
    };
    let mut chunks = Chunks::open(&input.blob, pace);
    let mut buffer = Vec::new();
    let mut more = chunks.next(&mut buffer).await;
    let Ok(mut session) = session_for(&input.name, at_once, options, &buffer).await else {
        chunks.cancel();
        return Outcome::Failed(ImportError::new(NOT_LOADED));
    };
    let mut done = 0u64;
    let mut left = 0u64;
    let mut told = clock::now_ms();
    let mut turns = clock::Turns::begin();
    loop {
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(message) => {
                let message = format!(
                    "the browser could not read on after {} of {} ({message}). If the file changed or moved since it was chosen, choose it again",
                    Bytes(done as f64),
                    Bytes(input.size() as f64)
                );
                return Outcome::Failed(ImportError::new(message));
            }
        }
        for part in buffer.chunks(FEED) {
            if cancelled() {
                chunks.cancel();
                return Outcome::Cancelled;
            }
            if let Err(error) = session.feed(part) {
                chunks.cancel();
                return Outcome::Failed(error);
            }
            done += part.len() as u64;
            if rows.takes()
                && done - left >= PART
                && let Some(part) = session.part()
            {
                left = done;
                rows.take(part, done);
                // As long as there are bytes, no message would come in.
                clock::turn().await;
            }
            let now = clock::now_ms();
            if now - told > 50.0 {
                told = now;
                progress(done);
            }
            if pace == Pace::Page {
                turns.give().await;
            }
        }
        more = chunks.next(&mut buffer).await;
    }
    if cancelled() {
        return Outcome::Cancelled;
    }
    match session.end() {
        Ok(ended) => Outcome::Done(ended),
        Err(error) => Outcome::Failed(error),
    }
}
