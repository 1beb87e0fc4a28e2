//! A large table is read by several workers at once, each some stretches of its lines.
//!
//! The page puts the rows together in the order of the file ([`Streams`]). Where the lines have to be
//! read in their order (a line that is rejected, a comment, a format that is no plain table), it lets
//! go of what came and one worker reads the file, so that the table is always the same.

use super::{Ended, Grown, Link, Progress, is_true, message, number, packed, text};
use crate::web::clock;
use crate::web::file::Input;
use crate::web::reading::Outcome;
use gemmscope_import::{ImportOptions, Imported};
use gemmscope_table::dataset::streams::Streams;
use gemmscope_table::dataset::{Part, wire};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use wasm_split_helpers::{SplitLoaderError as NotLoaded, wasm_split};

/// Bytes of a stretch.
const STRETCH: u64 = 6 << 20;
/// Smaller files are read before a second worker has started.
const LARGE: u64 = 16 << 20;
/// The most workers that read one file.
const MOST: usize = 4;

/// How many workers read a large file. Two processors, as a browser counts them, are often one core.
/// A worker takes a core of its own; the page and the browser's own reading fill another one.
pub(super) fn readers() -> usize {
    let processors = web_sys::window().map_or(1.0, |w| w.navigator().hardware_concurrency());
    (processors as usize / 2).saturating_sub(1).clamp(1, MOST)
}

type Running<T> = Pin<Box<dyn Future<Output = T>>>;

/// Starts the workers that help the first one, and lets each fetch what it needs.
#[wasm_split(team, fallible)]
pub(super) fn start(
    first: Rc<Link>,
    helpers: Rc<RefCell<Vec<Rc<Link>>>>,
) -> Result<Running<()>, NotLoaded> {
    Ok(Box::pin(async move {
        if !helpers.borrow().is_empty() || !first.warm_up(true).await {
            return;
        }
        for _ in 1..readers() {
            let helper = super::connect().map(Rc::new);
            if let Some(helper) = helper
                && helper.warm_up(true).await
            {
                helpers.borrow_mut().push(helper);
            }
        }
    }))
}

/// What to ask of a team, where there is one and the file is large.
pub(super) fn order(
    first: &Rc<Link>,
    id: u32,
    (input, options): (&Input, &ImportOptions),
    (progress, grown): (&Progress, &Grown),
    team: &super::Team,
) -> Option<Order> {
    let mut helpers = team.helpers.borrow_mut();
    helpers.retain(|h| !h.broken.get());
    if helpers.is_empty() || input.size() < LARGE {
        return None;
    }
    let (ids, cancelled) = (team.ids.clone(), team.cancelled.clone());
    let next_id = move || super::next(&ids);
    Some(Order {
        links: std::iter::once(first).chain(helpers.iter()).cloned().collect(),
        group: next_id(),
        next_id: Rc::new(next_id),
        input: input.clone(),
        options: options.clone(),
        progress: progress.clone(),
        grown: grown.clone(),
        cancelled: Rc::new(move || cancelled.get() == id),
    })
}

/// What is asked of the team.
pub(super) struct Order {
    links: Vec<Rc<Link>>,
    /// The number under which the stretches can be cancelled.
    group: u32,
    /// Gives a number to each request.
    next_id: Rc<dyn Fn() -> u32>,
    input: Input,
    options: ImportOptions,
    progress: Progress,
    grown: Grown,
    cancelled: Rc<dyn Fn() -> bool>,
}

/// One stretch, from the moment that a worker has it.
struct Stretch {
    reader: usize,
    parts: VecDeque<Part>,
    /// Its last rows, and its number of lines.
    ended: Option<(Part, u32)>,
    read: u64,
}

#[derive(Default)]
struct State {
    stretches: RefCell<Vec<Stretch>>,
    /// Workers that can take a stretch: each reads one, and has another one waiting.
    idle: RefCell<Vec<usize>>,
    /// The lines have to be read in their order.
    whole: Cell<bool>,
    died: Cell<bool>,
    wake: RefCell<Option<js_sys::Function>>,
}

impl State {
    fn wake(&self) {
        if let Some(wake) = self.wake.take() {
            let _ = wake.call0(&JsValue::NULL);
        }
    }

    async fn sleep(&self) {
        let promise = js_sys::Promise::new(&mut |resolve, _| {
            self.wake.replace(Some(resolve));
        });
        let _ = JsFuture::from(promise).await;
    }
}

/// Lets several workers read a file; `None` where one has to.
#[wasm_split(team, fallible)]
pub(super) fn read(order: Order) -> Result<Running<Option<Ended>>, NotLoaded> {
    Ok(Box::pin(async move {
        let team = Team {
            count: order.input.size().div_ceil(STRETCH) as usize,
            order,
            state: Rc::default(),
        };
        let ended = team.run().await;
        if !matches!(&ended, Some(Ended::With(Outcome::Done(_)))) {
            team.stop();
        }
        ended
    }))
}

struct Team {
    order: Order,
    count: usize,
    state: Rc<State>,
}

impl Team {
    async fn run(&self) -> Option<Ended> {
        let (order, state) = (&self.order, &self.state);
        let links = order.links.iter().enumerate();
        for (i, link) in links.clone().chain(links) {
            let (ready, state) = (link.ready.clone(), state.clone());
            spawn_local(async move {
                match is_true(JsFuture::from(ready).await) {
                    true => state.idle.borrow_mut().push(i),
                    false if i == 0 => state.whole.set(true),
                    false => {}
                }
                state.wake();
            });
        }
        let mut table = Streams::default();
        let (mut at, mut lines, mut done) = (0, 0, 0);
        while at < self.count {
            if (order.cancelled)() {
                return Some(Ended::With(Outcome::Cancelled));
            }
            if state.died.get() {
                return Some(Ended::Died);
            }
            if state.whole.get() {
                return None;
            }
            self.assign(at);
            let next = state.stretches.borrow_mut().get_mut(at).and_then(|s| {
                let part = s.parts.pop_front().map(|part| (part, None));
                let part = part.or_else(|| s.ended.take().map(|(part, n)| (part, Some(n))));
                part.map(|(part, ended)| (s.reader, part, ended, s.read))
            });
            let Some((reader, part, ended, read)) = next else {
                state.sleep().await;
                continue;
            };
            // A little more than the lines so far promise.
            let known = (done + read).max(1) as f64;
            let more = order.input.size() as f64 / known * 65.0 / 64.0;
            table.expect(((table.data().len() + part.len()) as f64 * more) as usize);
            if table.add(reader, part, lines).is_err() {
                return None;
            }
            if let Some(of_stretch) = ended {
                lines += of_stretch;
                done += read;
                at += 1;
            }
            (order.grown)(table.data());
            clock::turn().await;
        }
        let mut rests = Vec::new();
        let used = |i: &usize| state.stretches.borrow().iter().any(|s| s.reader == *i);
        for i in (0..order.links.len()).filter(used) {
            let reply = self.ask(i, "finish", &[], Rc::new(|_| ()), Rc::new(|_| true))?;
            let reply = JsFuture::from(reply).await.ok().filter(|r| !r.is_null())?;
            rests.push(packed(&reply).and_then(wire::unpack_rest).ok()?);
        }
        clock::mark("gemmscope:received");
        let data = table.finish(rests).ok()?;
        Some(Ended::With(Outcome::Done(Imported::table(data))))
    }

    /// Gives stretches to the workers that wait. The first one alone shows whether the file can be
    /// cut; later ones are not far ahead, so that few rows wait for those before them.
    fn assign(&self, at: usize) {
        let state = &self.state;
        loop {
            let next = state.stretches.borrow().len();
            let begun =
                state.stretches.borrow().first().is_some_and(|s| {
                    s.ended.is_some() || !s.parts.is_empty() || at > 0 || s.read > 0
                });
            if next == self.count || next >= at + 3 * self.order.links.len() || next > 0 && !begun {
                return;
            }
            let mut idle = state.idle.borrow_mut();
            // The first worker reads the head.
            let found = match next {
                0 => idle.iter().position(|i| *i == 0),
                _ => (!idle.is_empty()).then_some(0),
            };
            let Some(reader) = found.map(|at| idle.remove(at)) else {
                return;
            };
            drop(idle);
            self.begin(reader, next);
        }
    }

    /// Lets a worker read the stretch with this number.
    fn begin(&self, reader: usize, number_of: usize) {
        let state = &self.state;
        state.stretches.borrow_mut().push(Stretch {
            reader,
            parts: VecDeque::new(),
            ended: None,
            read: 0,
        });
        let from = number_of as u64 * STRETCH;
        let end = (from + STRETCH).min(self.order.input.size());
        let rows = {
            let (state, progress) = (state.clone(), self.order.progress.clone());
            move |message: &JsValue| {
                let part = packed(message).and_then(wire::unpack_part);
                match part {
                    Ok(part) => {
                        let mut all = state.stretches.borrow_mut();
                        all[number_of].parts.push_back(part);
                        all[number_of].read = number(message, "read") as u64;
                        let read = all.iter().map(|s| s.read).sum();
                        drop(all);
                        progress(read);
                    }
                    Err(_) => state.whole.set(true),
                }
                state.wake();
                !state.whole.get()
            }
        };
        let blob: &web_sys::Blob = self.order.input.blob.as_ref();
        let options = serde_json::to_string(&self.order.options).unwrap_or_default();
        let fields = [
            ("name", self.order.input.name.as_str().into()),
            ("blob", blob.into()),
            ("options", options.into()),
            ("from", (from as f64).into()),
            ("end", (end as f64).into()),
            ("first", (reader == 0).into()),
        ];
        let reply = self.ask(reader, "stretch", &fields, Rc::new(|_| ()), Rc::new(rows));
        let state = state.clone();
        spawn_local(async move {
            let reply = match reply {
                Some(reply) => JsFuture::from(reply).await.unwrap_or(JsValue::NULL),
                None => JsValue::NULL,
            };
            if reply.is_null() {
                state.died.set(true);
            } else if let ("stretch", Ok(part)) =
                (text(&reply, "type").as_str(), packed(&reply).and_then(wire::unpack_part))
            {
                let stretch = &mut state.stretches.borrow_mut()[number_of];
                stretch.ended = Some((part, number(&reply, "lines") as u32));
                stretch.read = end - from;
            } else {
                state.whole.set(true);
            }
            state.idle.borrow_mut().push(reader);
            state.wake();
        });
    }

    /// Asks a worker for something.
    fn ask(
        &self,
        reader: usize,
        kind: &str,
        fields: &[(&str, JsValue)],
        progress: Progress,
        rows: super::Rows,
    ) -> Option<js_sys::Promise> {
        let id = (self.order.next_id)();
        let numbers = [("id", id.into()), ("group", self.order.group.into())];
        let request = message(kind, &[&numbers, fields].concat());
        self.order.links[reader].ask(id, progress, rows, &request)
    }

    /// Tells the workers to stop.
    fn stop(&self) {
        let stop = message("cancel", &[("id", self.order.group.into())]);
        for link in &self.order.links {
            let _ = link.worker.post_message(&stop);
        }
    }
}
