//! The worker's side of a large table that several workers read, each some stretches of its lines.
//!
//! `stretch` reads the lines that begin in the bytes from `from` to `end`, and answers with `part`s, then
//! `stretch {id, head, arrays, lines}` with the last rows and the number of lines; `finish` ends the
//! group and answers `rest {id, head, arrays}`. A file whose lines have to be read in their order is
//! answered with `whole {id}`, wherever that shows: the page then has it read by one worker.

use super::{Running, State, field, message, number, post_part, text};
use crate::web::reading::{Chunks, FEED, PART, Pace};
use crate::web::{clock, transfer};
use gemmscope_import::{ImportOptions, Session, Stretches};
use gemmscope_table::dataset::wire::{self, Packed};
use gloo_file::Blob;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_split_helpers::{SplitLoaderError as NotLoaded, wasm_split};

/// Longest line that may reach into the next stretch, bytes.
const MARGIN: u64 = 64 << 10;

#[wasm_split(team, fallible, preload(#[doc = "Fetches what lets several workers read one file."] load_team))]
pub(super) fn stretch(
    state: Rc<State>,
    out: web_sys::DedicatedWorkerGlobalScope,
    id: u32,
    data: JsValue,
) -> Result<Running, NotLoaded> {
    Ok(Box::pin(async move {
        let answered = match text(&data, "type").as_str() {
            "stretch" => {
                let answered = read(&state, &out, id, &data).await;
                state.turns.pass();
                answered
            }
            _ => finish(&state, &out, id, &data),
        };
        if answered.is_none() {
            let _ = out.post_message(&message("whole", &[("id", id.into())]));
        }
    }))
}

/// The reader of a group, if it has begun.
fn reader_of(state: &State, group: u32) -> Option<Stretches> {
    let (own, reader) = state.stretches.take()?;
    let reader = reader.downcast().ok().filter(|_| own == group)?;
    Some(*reader)
}

/// Reads a stretch; `None` where it cannot be read apart from the others.
async fn read(
    state: &State,
    out: &web_sys::DedicatedWorkerGlobalScope,
    id: u32,
    data: &JsValue,
) -> Option<()> {
    // Before anything is awaited, so that stretches keep their order.
    let turn = state.turns.take();
    let blob = field(data, "blob").dyn_into::<web_sys::Blob>();
    let blob = blob.map(Blob::from).ok();
    let group = number(data, "group") as u32;
    let [from, end] = ["from", "end"].map(|key| number(data, key) as u64);
    let mut buffer = Vec::new();
    // The bytes of the next stretch are on their way while this worker still reads the one before.
    let mut early = None;
    if from > 0
        && let Some(blob) = &blob
    {
        let mut chunks = pieces(blob, from - 1, end);
        let more = chunks.next(&mut buffer).await;
        early = Some((chunks, more));
    }
    if let Some(free) = turn {
        let _ = JsFuture::from(free).await;
    }
    let blob = blob?;
    let mut reader = match reader_of(state, group) {
        Some(reader) => reader,
        None => {
            let first = field(data, "first").is_truthy();
            let mut reader = open(&blob, data, first).await?;
            if !first {
                post_part(state, out, id, reader.words()?, 0);
            }
            reader
        }
    };
    let start = reader.begin(from, end);
    let (mut chunks, mut more) = match early {
        Some(early) => early,
        None => {
            let mut chunks = pieces(&blob, start, end);
            let more = chunks.next(&mut buffer).await;
            (chunks, more)
        }
    };
    let (mut read, mut left, mut ended) = (0, 0, false);
    while !ended && more.ok()? {
        for piece in buffer.chunks(FEED) {
            let stopped = |id| state.cancelled.borrow().contains(id);
            ended = (!stopped(&id) && !stopped(&group))
                .then(|| reader.feed(piece))
                .flatten()
                .or_else(|| {
                    chunks.cancel();
                    None
                })?;
            read += piece.len() as u64;
            if ended {
                break;
            }
            if read - left >= PART
                && let Some(rows) = reader.part()
            {
                left = read;
                post_part(state, out, id, rows, read);
                // As long as there are bytes, no message would come in.
                clock::turn().await;
            }
        }
        more = match ended {
            true => Ok(false),
            false => chunks.next(&mut buffer).await,
        };
    }
    chunks.cancel();
    // A line that is longer than the margin.
    if !ended && end + MARGIN < blob.size() {
        return None;
    }
    let (part, lines) = reader.end()?;
    let reader: Box<Stretches> = Box::new(reader);
    state.stretches.replace(Some((group, reader)));
    post(out, "stretch", id, wire::pack_part(part), lines);
    Some(())
}

/// The bytes of a stretch, and of the rest of its last line.
fn pieces(blob: &Blob, start: u64, end: u64) -> Chunks {
    let limit = (end + MARGIN).min(blob.size());
    Chunks::open(&blob.slice(start, limit), Pace::Worker)
}

/// Lets one stretch after another use the reader.
#[derive(Default)]
pub(super) struct Turns {
    taken: Cell<bool>,
    waiting: RefCell<VecDeque<js_sys::Function>>,
}

impl Turns {
    /// What to wait for before the reader is free; `None` where it is.
    fn take(&self) -> Option<js_sys::Promise> {
        let wait = self.taken.replace(true);
        wait.then(|| {
            js_sys::Promise::new(&mut |resolve, _| {
                self.waiting.borrow_mut().push_back(resolve);
            })
        })
    }

    /// Gives the turn to the next.
    fn pass(&self) {
        match self.waiting.borrow_mut().pop_front() {
            Some(next) => drop(next.call0(&JsValue::NULL)),
            None => self.taken.set(false),
        }
    }
}

async fn open(blob: &Blob, data: &JsValue, first: bool) -> Option<Stretches> {
    let head = blob.slice(0, Stretches::HEAD.min(blob.size()));
    let head = gloo_file::futures::read_as_bytes(&head).await.ok()?;
    let options: ImportOptions = serde_json::from_str(&text(data, "options")).ok()?;
    let mut session = Session::new(&text(data, "name"), options);
    session.expect(PART);
    Stretches::open(session, &head, first)
}

/// Ends the reader of a group.
fn finish(
    state: &State,
    out: &web_sys::DedicatedWorkerGlobalScope,
    id: u32,
    data: &JsValue,
) -> Option<()> {
    let rest = reader_of(state, number(data, "group") as u32)?.finish()?;
    post(out, "rest", id, wire::pack_rest(rest), 0);
    Some(())
}

fn post(
    out: &web_sys::DedicatedWorkerGlobalScope,
    kind: &str,
    id: u32,
    packed: Packed,
    lines: u32,
) {
    let arrays = transfer::to_js(packed.buffers);
    let list = transfer::transfer_list(&arrays);
    let reply = message(
        kind,
        &[
            ("id", id.into()),
            ("head", packed.head.into()),
            ("arrays", arrays.into()),
            ("lines", lines.into()),
        ],
    );
    let _ = out.post_message_with_transfer(&reply, &list);
}
