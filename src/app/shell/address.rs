//! Synchronises the view state with the address bar.

use crate::app::state::Workbench;
use crate::app::ui::{keep, tell_changes};
use crate::web::dom;
use leptos::prelude::*;

/// Writes the view to the address after each change, and reads it when a link is typed or the user goes back.
pub fn follow(bench: Workbench) {
    let written = StoredValue::new(untrack(|| bench.link()));
    // Browsers reject more than a few address changes per second.
    tell_changes(written, move || bench.link(), dom::replace_hash);
    keep(dom::listen(&dom::window(), "hashchange", move |_: web_sys::Event| {
        let text = dom::hash();
        let text = text.trim_start_matches('#').to_owned();
        if written.with_value(|w| *w == text) {
            return;
        }
        bench.open_link(&text);
        written.set_value(text);
    }));
}
