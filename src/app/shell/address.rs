//! Keeps the view and the address bar in step.

use crate::app::state::Workbench;
use crate::app::ui::{keep, tell_changes};
use crate::web::dom;
use leptos::prelude::*;

/// Writes the view into the address after each change, and reads it from a link that is typed or
/// gone back to.
pub fn follow(bench: Workbench) {
    let written = StoredValue::new(untrack(|| bench.link()));
    // Browsers refuse more than a few address changes a second.
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
