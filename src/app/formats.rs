//! What is read: each format with the command that makes one and a tiny example.

use super::state::App;
use super::ui::Modal;
use crate::import::{FORMATS, guide};
use leptos::prelude::*;

/// The dialog.
#[component]
pub fn Formats() -> impl IntoView {
    let app = App::here();
    let list: Vec<AnyView> = FORMATS
        .iter()
        .map(|f| {
            view! {
                <details class="format" data-format=f.id>
                    <summary>{f.name}</summary>
                    <p class="muted">"Make one: " <code>{f.produced_by}</code></p>
                    <pre tabindex="0">{guide::example(f)}</pre>
                </details>
            }
            .into_any()
        })
        .collect();
    view! {
        <Modal title=Signal::derive(|| "What is read".to_owned()) wide=true on_close=move || app.dialog.set(None)>
            <div class="format-list">
                <p>
                    "Files are recognised by their content. Work, bytes and rates are recomputed; what a file leaves open is assumed, said on its card, and can be answered there. Open a line for the command and an example."
                </p>
                {list}
                <p class="muted">
                    "Also: any table with M, N, K and a time or a rate under any name, lists of shapes, gzip, UTF-16, decimal commas. Rows that are no measurement are set aside with line and reason."
                </p>
            </div>
        </Modal>
    }
}
