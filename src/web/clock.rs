//! Time: clocks, frames, pauses, performance marks.

use super::animation;
use super::js::{global, promised};
use std::cell::Cell;
use std::time::Duration;
use wasm_bindgen::prelude::*;

fn performance() -> Option<web_sys::Performance> {
    // `performance` is a global of both page and worker.
    global("performance").dyn_into().ok()
}

thread_local! {
    /// The time reported last, and its offset to the clock.
    static TOLD: Cell<(f64, f64)> = const { Cell::new((0.0, 0.0)) };
}

/// Milliseconds since the page (or the worker) started. Monotonic even if the clock jumps back, as it may when a
/// machine wakes up: otherwise work that yields by time would stop yielding, and progress bars would freeze.
pub fn now_ms() -> f64 {
    let clock = performance().map_or(0.0, |p| p.now());
    let (last, ahead) = TOLD.get();
    let ahead = ahead.max(last - clock);
    TOLD.set((clock + ahead, ahead));
    clock + ahead
}

/// Sets a mark for `performance.getEntriesByName`.
pub fn mark(name: &str) {
    if let Some(p) = performance() {
        let _ = p.mark(name);
    }
}

/// Calls a function with this value after a pause. Also works in a worker.
pub fn call_after(duration: Duration, function: &js_sys::Function, value: &JsValue) {
    if let Ok(set_timeout) = global("setTimeout").dyn_into::<js_sys::Function>() {
        let ms = JsValue::from_f64(duration.as_millis() as f64);
        let _ = set_timeout.call3(&JsValue::NULL, function, &ms, value);
    }
}

/// Lets the browser paint and handle input. Also works in a worker.
pub async fn pause(duration: Duration) {
    let wait = |resolve, _| call_after(duration, &resolve, &JsValue::UNDEFINED);
    let _ = promised(wait).await;
}

/// True in a hidden tab.
fn is_hidden() -> bool {
    web_sys::window().and_then(|w| w.document()).is_some_and(|d| d.hidden())
}

/// Longest stretch of work on the page before the browser gets a turn, ms.
const TURN_MS: f64 = 8.0;

/// Decides when work in steps yields to the browser, so that no task is long. Not after every step, since a pause takes
/// at least 4 ms.
pub struct Turns(Cell<f64>);

impl Turns {
    /// Starts the timer.
    pub fn begin() -> Turns {
        Turns(Cell::new(now_ms()))
    }

    /// True once it is time to yield.
    pub fn due(&self) -> bool {
        now_ms() - self.0.get() > TURN_MS
    }

    /// Yields if it is time to. A picture that waits for its frame goes first.
    pub async fn give(&self) {
        if !self.due() {
            return;
        }
        if is_hidden() {
            // There are no frames, and timers are slowed down to one per second.
            turn().await;
        } else {
            pause(Duration::ZERO).await;
            if animation::is_waiting() {
                // Its frame has come by then.
                pause(Duration::from_millis(16)).await;
            }
        }
        self.0.set(now_ms());
    }
}

/// Lets waiting messages in, immediately: [`pause`] may take 4 ms, to which browsers extend timers.
pub async fn turn() {
    let Ok(channel) = web_sys::MessageChannel::new() else {
        return;
    };
    let _ = promised(|resolve, reject| {
        channel.port1().set_onmessage(Some(&resolve));
        if channel.port2().post_message(&JsValue::NULL).is_err() {
            let _ = reject.call0(&JsValue::NULL);
        }
    })
    .await;
    channel.port1().close();
}

/// Resolves after the next painted frame: in a task after an animation frame, or after a timeout because a hidden tab
/// gets no frames.
pub async fn after_paint() {
    let _ = promised(|resolve, _| {
        let Some(window) = web_sys::window() else {
            return;
        };
        let in_frame = resolve.clone();
        let frame = Closure::once_into_js(move || {
            if let Some(window) = web_sys::window() {
                let _ = window.set_timeout_with_callback(&in_frame);
            }
        });
        let _ = window.request_animation_frame(frame.unchecked_ref());
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 250);
    })
    .await;
}
