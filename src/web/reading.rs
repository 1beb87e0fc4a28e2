//! Feeds the bytes of a blob to an import session in slices. A worker streams at full speed; the page, which reads by
//! itself in a sandboxed frame, yields to the browser in between.

use super::clock;
use super::file::Input;
use super::js::{field, global};
use super::parquet::Parquet;
use gemmscope_import::{Ended, ImportError, ImportOptions, Imported, Session};
use gemmscope_model::units::Bytes;
use gemmscope_table::dataset::TablePart;
use gloo_file::Blob;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Bytes per call of `feed`. Small, so that the browser switches to its optimised code early.
pub(super) const FEED: usize = 256 << 10;
/// Bytes after which rows are sent to the page. Small enough for the page to take them in a short task.
pub(super) const PART: u64 = 512 << 10;
/// Bytes read at a time on the page.
const SLICE: u64 = 1 << 20;

/// Where the code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// In a worker, which blocks nobody.
    Worker,
    /// On the page, where no task may be long.
    Page,
}

/// Outcome of reading.
#[derive(Debug)]
pub enum ReadOutcome<T = Imported> {
    /// The file was read.
    Done(T),
    /// It cannot be read.
    Failed(ImportError),
    /// The user stopped it.
    Cancelled,
}

/// How the bytes of a blob come.
enum Way {
    /// In slices.
    Slices,
    /// Where the browser fills a buffer that is passed back and forth.
    Filled(web_sys::ReadableStreamByobReader, js_sys::ArrayBuffer),
    /// A Parquet file as the CSV of its columns.
    Csv(Parquet),
}

/// The bytes of a blob, a piece at a time.
struct Chunks {
    blob: Blob,
    /// Bytes of the file that were read so far.
    at: u64,
    way: Way,
}

impl Chunks {
    async fn open(blob: &Blob, pace: Pace) -> Result<Self, ImportError> {
        let raw: &web_sys::Blob = blob.as_ref();
        let way = match Parquet::open(blob, memory_of_packed()).await? {
            Some(parquet) => Way::Csv(parquet),
            None => {
                // A stream that is opened is read: only by who fills buffers from it.
                let reader =
                    (pace == Pace::Worker).then(|| filling_reader(&raw.stream())).flatten();
                reader.map_or(Way::Slices, |reader| {
                    Way::Filled(reader, js_sys::ArrayBuffer::new(SLICE as u32))
                })
            }
        };
        Ok(Chunks { blob: blob.clone(), at: 0, way })
    }

    /// Puts the next bytes into `buffer`; false at the end.
    async fn next(&mut self, buffer: &mut Vec<u8>) -> Result<bool, ImportError> {
        let (at, size) = (self.at, self.blob.size());
        let stopped = |why: String| {
            ImportError::new(format!(
                "the browser could not read on after {} of {} ({why}). If the file changed or moved since it was chosen, choose it again",
                Bytes(at as f64),
                Bytes(size as f64)
            ))
        };
        match &mut self.way {
            Way::Csv(parquet) => {
                let Some(text) = parquet.next().await? else { return Ok(false) };
                *buffer = text.into_bytes();
                self.at = (parquet.part * size as f64) as u64;
            }
            Way::Filled(reader, lent) => {
                let step = reader.read_with_array_buffer_view(&js_sys::Uint8Array::new(lent));
                let step = JsFuture::from(step).await.map_err(|e| stopped(explain(e)))?;
                let chunk = field(&step, "value").dyn_into::<js_sys::Uint8Array>();
                let Some(chunk) = chunk.ok().filter(|_| !field(&step, "done").is_truthy()) else {
                    return Ok(false);
                };
                buffer.resize(chunk.length() as usize, 0);
                chunk.copy_to(buffer);
                *lent = chunk.buffer();
                self.at += buffer.len() as u64;
            }
            Way::Slices if at >= size => return Ok(false),
            Way::Slices => {
                let end = (at + SLICE).min(size);
                let slice = gloo_file::futures::read_as_bytes(&self.blob.slice(at, end)).await;
                *buffer = slice.map_err(|e| stopped(e.to_string()))?;
                self.at = end;
            }
        }
        Ok(true)
    }

    fn cancel(&self) {
        if let Way::Filled(reader, _) = &self.way {
            drop(reader.cancel());
        }
    }
}

/// The beginning of a file, up to `most` bytes and whole lines of a Parquet file's CSV, and whether that is all of it.
pub async fn beginning(input: &Input, most: u64) -> (Vec<u8>, bool) {
    let whole = input.size() <= most;
    match Parquet::open(&input.blob, memory_of_packed()).await {
        Ok(Some(mut parquet)) => {
            let text = parquet.next().await.ok().flatten().unwrap_or_default();
            let end = text.len().min(most as usize);
            let cut = text.as_bytes()[..end].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            (text.as_bytes()[..cut].to_vec(), cut == text.len() && parquet.part >= 1.0)
        }
        Ok(None) => {
            let slice = input.blob.slice(0, input.size().min(most));
            (gloo_file::futures::read_as_bytes(&slice).await.unwrap_or_default(), whole)
        }
        Err(_) => (Vec::new(), whole),
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

/// A quarter of the machine's memory, in bytes: the table of a packed file leaves room for its picture and the rest of
/// the browser. 4 GiB are assumed if the browser does not tell.
fn memory_of_packed() -> u64 {
    let gibibytes = field(&global("navigator"), "deviceMemory").as_f64().unwrap_or(4.0);
    (gibibytes * (1u64 << 28) as f64) as u64
}

/// A session for a file of this name. Reserves memory for the rows of `bytes` bytes.
pub fn session(name: &str, bytes: u64, options: ImportOptions) -> Session {
    let mut session =
        Session::new(name, ImportOptions { memory: Some(memory_of_packed()), ..options });
    session.expect(bytes);
    session
}

/// Takes rows of a large file while it is being read, with the number of bytes read so far.
pub type TakeRows<'a> = &'a dyn Fn(TablePart, u64);

/// Reads the whole input. `progress` is called with the bytes read so far; `cancelled` is polled between slices. With
/// `take`, the rows of a large file are handed over while it is read.
pub async fn read(
    input: &Input,
    options: &ImportOptions,
    pace: Pace,
    progress: &dyn Fn(u64),
    cancelled: &dyn Fn() -> bool,
    take: Option<TakeRows<'_>>,
) -> ReadOutcome<Ended> {
    let at_once = if take.is_some() { input.size().min(PART) } else { input.size() };
    let mut session = session(&input.name, at_once, options.clone());
    let mut chunks = match Chunks::open(&input.blob, pace).await {
        Ok(chunks) => chunks,
        Err(error) => return ReadOutcome::Failed(error),
    };
    if let Way::Csv(parquet) = &chunks.way {
        session.made_of(parquet.note());
    }
    let mut buffer = Vec::new();
    let (mut text, mut left) = (0u64, 0u64);
    let mut told = clock::now_ms();
    let turns = clock::Turns::begin();
    loop {
        let before = chunks.at;
        match chunks.next(&mut buffer).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return ReadOutcome::Failed(error),
        }
        let ahead = buffer.len() as u64;
        let mut fed = 0;
        for part in buffer.chunks(FEED) {
            if cancelled() {
                chunks.cancel();
                return ReadOutcome::Cancelled;
            }
            if let Err(error) = session.feed(part) {
                chunks.cancel();
                return ReadOutcome::Failed(error);
            }
            fed += part.len() as u64;
            text += part.len() as u64;
            // Of the file: the CSV of a packed one is longer.
            let done = before + (chunks.at - before) * fed / ahead;
            if let Some(take) = take
                && text - left >= PART
                && let Some(part) = session.part()
            {
                left = text;
                take(part, done);
                // While there are bytes to read, no message would come in.
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
    }
    if cancelled() {
        return ReadOutcome::Cancelled;
    }
    match session.end() {
        Ok(ended) => ReadOutcome::Done(ended),
        Err(error) => ReadOutcome::Failed(error),
    }
}
