//! Work for the next animation frame.

use super::clock;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;

type Job = Box<dyn FnOnce()>;

/// Runs the last of several requests in the next animation frame.
#[derive(Clone, Default)]
pub struct AnimationFrame {
    job: Rc<RefCell<Option<Job>>>,
    pending: Rc<Cell<bool>>,
}

thread_local! {
    /// Number of pictures to be drawn in the next frame or task.
    static WAITING: Cell<u32> = const { Cell::new(0) };
}

/// True while a picture waits for its frame or task.
pub fn is_waiting() -> bool {
    WAITING.with(Cell::get) > 0
}

/// Runs a job in a separate task; it counts as a waiting picture.
pub fn soon(job: impl FnOnce() + 'static) {
    WAITING.with(|n| n.set(n.get() + 1));
    wasm_bindgen_futures::spawn_local(async move {
        clock::pause(Duration::ZERO).await;
        WAITING.with(|n| n.set(n.get() - 1));
        job();
    });
}

impl AnimationFrame {
    /// Requests the job for the next frame, replacing a waiting one.
    pub fn request(&self, job: impl FnOnce() + 'static) {
        *self.job.borrow_mut() = Some(Box::new(job));
        if self.pending.replace(true) {
            return;
        }
        let this = self.clone();
        WAITING.with(|n| n.set(n.get() + 1));
        let run = Closure::once_into_js(move || {
            WAITING.with(|n| n.set(n.get() - 1));
            this.pending.set(false);
            let job = this.job.borrow_mut().take();
            if let Some(job) = job {
                job();
            }
        });
        if let Some(window) = web_sys::window() {
            let _ = window.request_animation_frame(run.unchecked_ref());
        }
    }
}

/// Resolves once a change is visible: after the next painted frame, and after the frames of the pictures that it
/// required. A hidden tab gets no frames, so it does not wait long there.
pub async fn settled() {
    for _ in 0..4 {
        clock::after_paint().await;
        if !is_waiting() {
            return;
        }
    }
}
