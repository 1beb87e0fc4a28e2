//! The file formats, each with a command that writes it and a small example.

use crate::app::ui::Modal;
use gemmscope_import::FORMATS;
use leptos::prelude::*;

/// The dialog.
#[component]
pub fn Formats() -> impl IntoView {
    let wanted = RwSignal::new(String::new());
    let list: Vec<AnyView> = FORMATS
        .iter()
        .map(|f| {
            let found = move || wanted.with(|w| f.mentions(w));
            view! {
                <details class="format" data-format=f.id hidden=move || !found()>
                    <summary>{f.name}</summary>
                    <p class="muted">"Make one: " <code>{f.produced_by}</code></p>
                    <pre tabindex="0">{f.example.trim_end()}</pre>
                </details>
            }
            .into_any()
        })
        .collect();
    view! {
        <Modal title="What is read, and how to produce it" wide=true>
            <div class="format-list">
                <p>
                    "Files are recognised by their content. Work, bytes and rates are recomputed; what a file leaves open is assumed, said on its card, and can be answered there. Open a line for the command and an example."
                </p>
                <label class="field">
                    <span>"Search"</span>
                    <input type="search" placeholder="Tool, command or column"
                        on:input=move |e| wanted.set(crate::app::ui::value_of(&e)) />
                </label>
                {list}
                {move || {
                    let none = wanted.with(|w| FORMATS.iter().all(|f| !f.mentions(w)));
                    none.then(|| view! { <p>"No tool of this name. A table with M, N, K and a time or a rate is read whoever wrote it."</p> })
                }}
                <p class="muted">
                    "Also: any table with M, N, K and a time or a rate under any name, lists of shapes, gzip, UTF-16, decimal commas. Rows that are no measurement are skipped, with line and reason."
                </p>
            </div>
        </Modal>
    }
}
