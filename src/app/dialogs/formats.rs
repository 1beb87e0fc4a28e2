//! The file formats, each with a command that writes it and a small example: all of them in a dialog, and on the start
//! page those that are searched for.

use crate::app::ui::{Modal, keep, value_of};
use crate::web::dom;
use gemmscope_import::FORMATS;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The dialog.
#[component]
pub fn Formats() -> impl IntoView {
    let wanted = RwSignal::new(String::new());
    view! {
        <Modal title="What is read, and how to produce it" wide=true>
            <div class="format-list">
                <p>
                    "Files are recognised by their content. Work, bytes and rates are recomputed; what a file leaves open is assumed, said on its card, and can be answered there. Open a line for the command and an example."
                </p>
                <label class="field">
                    <span>"Search"</span>
                    <input type="search" placeholder="Tool, command or column" on:input=move |e| wanted.set(value_of(&e)) />
                </label>
                {found(wanted)}
                <p class="muted">
                    "Also: any table with M, N, K and a time or a rate under any name, lists of shapes, gzip, UTF-16, decimal commas. Rows that are no measurement are skipped, with line and reason."
                </p>
            </div>
        </Modal>
    }
}

/// What the search field of the start page finds; nothing while it is empty. The field is older than the program.
pub fn of_start_page() -> AnyView {
    let Some(field) =
        dom::first("#format-search").and_then(|f| f.dyn_into::<web_sys::HtmlInputElement>().ok())
    else {
        return ().into_any();
    };
    let wanted = RwSignal::new(field.value());
    keep(dom::listen(&field, "input", move |e: web_sys::Event| wanted.set(value_of(&e))));
    let any = Memo::new(move |_| wanted.with(|w| !w.trim().is_empty()));
    view! { <Show when=move || any.get()><div class="format-list" role="status">{found(wanted)}</div></Show> }
        .into_any()
}

/// The formats whose description has the words of a search.
fn found(wanted: RwSignal<String>) -> AnyView {
    let format = |f: &&'static gemmscope_import::Format| {
        let f = *f;
        let hidden = move || !wanted.with(|w| f.mentions(w));
        view! {
            <details class="format" data-format=f.id hidden=hidden>
                <summary>{f.name}</summary>
                <p class="muted">"Make one: " <code>{f.produced_by}</code></p>
                <pre tabindex="0">{f.example.trim_end()}</pre>
            </details>
        }
        .into_any()
    };
    let none = move || {
        let none = wanted.with(|w| FORMATS.iter().all(|f| !f.mentions(w)));
        none.then(|| view! { <p>"No tool of this name. A table with M, N, K and a time or a rate is read whoever wrote it."</p> })
    };
    view! { {FORMATS.iter().map(|f| format(&f)).collect_view()} {none} }.into_any()
}
