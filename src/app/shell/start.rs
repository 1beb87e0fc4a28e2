//! The start page of `index.html`, which the program adopts: it hides that page while something else is shown, and
//! fills its placeholders.

use super::header::MoreMenu;
use super::kept_files::KeptFiles;
use super::notices::Loading;
use crate::app::dialogs::formats;
use crate::app::state::{Shell, Workbench};
use crate::app::ui::icon;
use crate::web::dom;
use leptos::portal::Portal;
use leptos::prelude::*;
use wasm_bindgen::UnwrapThrowExt;

/// Shows the start page while `shown` is false. While data of the address or of the last visit is loading, only the
/// progress is shown, as set up by `early.js`.
pub fn adopt(shell: Shell, shown: Memo<bool>) {
    let comes = Memo::new(move |_| shell.coming.get() > 0);
    Effect::new(move |_| {
        let (shown, comes) = (shown.get(), comes.get());
        if shown || !comes {
            dom::set_root_data("start", None);
            dom::empty("#boot");
        }
        dom::set_hidden("#start", shown);
        // Only one element of the page may have this id.
        if let Some(main) = dom::first("#start > main") {
            main.set_id(if shown { "" } else { "main" });
        }
    });
}

/// Removes the start page in an embed, where nobody chooses files.
pub fn remove() {
    for part in ["#start", "#paste", ".drop-veil"] {
        let _ = dom::first(part).map(|element| element.remove());
    }
}

/// What the program adds to the start page.
pub fn additions() -> AnyView {
    let bench = Workbench::here();
    // The placeholders exist: the page is built with them (tests/start_page.rs).
    let place = |id: &str| {
        let body = || dom::document().body().unwrap_throw();
        web_sys::Element::from(dom::first(id).unwrap_or_else(body))
    };
    view! {
        <Portal mount=place("#start-tools")><MoreMenu /></Portal>
        <Portal mount=place("#start-expected")>{move || bench.expected.get().map(expected)}</Portal>
        <Portal mount=place("#start-loading")><Loading /></Portal>
        <Portal mount=place("#start-formats")>{formats::of_start_page()}</Portal>
        <Portal mount=place("#start-kept")><KeptFiles reopen=true /></Portal>
    }
    .into_any()
}

/// Prompt for a link to a view without its data: names the files to drop.
fn expected(names: String) -> AnyView {
    let files: Vec<AnyView> = names
        .split('*')
        .filter(|name| !name.is_empty())
        .enumerate()
        .map(|(i, name)| {
            let between = if i > 0 { ", " } else { "" };
            view! { {between} <strong>{name.to_owned()}</strong> }.into_any()
        })
        .collect();
    let text = match files.len() {
        0 => view! { "This link holds a view but no data. Drop the file it was made from." }
            .into_any(),
        n => {
            let it = if n == 1 { "it" } else { "them" };
            view! { "This link shows a view of " {files} ". Drop " {it} " here." }.into_any()
        }
    };
    view! { <div class="notice ask" role="note">{icon(icon::LINK)}<p>{text}</p></div> }.into_any()
}
