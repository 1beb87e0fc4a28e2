//! Keeps the view and the address bar in step.

use crate::app::state::Workbench;
use crate::web::{clock, dom};
use leptos::prelude::*;
use std::time::Duration;

/// Writes the view into the address after each change, and reads it from a link that is typed or
/// gone back to.
pub fn follow(bench: Workbench) {
    let written = StoredValue::new(untrack(|| bench.link()));
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        let text = bench.link();
        if written.with_value(|w| *w == text) || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        leptos::task::spawn_local(async move {
            // Browsers refuse more than a few address changes a second.
            clock::pause(Duration::from_millis(200)).await;
            if waiting.try_set_value(false).is_some() {
                return;
            }
            let text = untrack(|| bench.link());
            dom::replace_hash(&text);
            written.set_value(text);
        });
    });
    let listener = dom::listen(&dom::window(), "hashchange", move |_: web_sys::Event| {
        let text = dom::hash();
        let text = text.trim_start_matches('#').to_owned();
        if written.with_value(|w| *w == text) {
            return;
        }
        bench.open_link(&text);
        written.set_value(text);
    });
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}
