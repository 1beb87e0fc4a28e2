//! Keeps the view and the address bar in step.

use crate::app::state::Workbench;
use crate::web::{clock, dom};
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::time::Duration;

/// Writes the view into the address after each change, and reads it from a link that is typed or
/// gone back to.
pub fn follow(bench: Workbench) {
    let written = StoredValue::new(bench.view.with_untracked(ViewState::encode));
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        let text = bench.view.with(ViewState::encode);
        if written.with_value(|w| *w == text) || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        leptos::task::spawn_local(async move {
            // Browsers refuse more than a few address changes a second.
            clock::pause(Duration::from_millis(200)).await;
            let Some(text) = bench.view.try_with_untracked(ViewState::encode) else {
                return;
            };
            waiting.set_value(false);
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
        let (view, _) = ViewState::decode(&text);
        written.set_value(text);
        bench.edit("link", |v| *v = view);
    });
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}
