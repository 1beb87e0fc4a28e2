//! Text to import, for those who have no file.

use crate::app::load::Loader;
use crate::app::state::Shell;
use crate::app::ui::Modal;
use crate::web::file::Input;
use leptos::prelude::*;

/// The dialog.
#[component]
pub fn Paste() -> impl IntoView {
    let shell = Shell::here();
    let loader = Loader::here();
    let area = NodeRef::<leptos::html::Textarea>::new();
    let read = move |_| {
        let Some(area) = area.get_untracked() else {
            return;
        };
        let text = area.value();
        if !text.trim().is_empty() {
            loader.add(vec![Input::from_bytes("pasted text", text.as_bytes())]);
            shell.close();
        }
    };
    view! {
        <Modal title="Paste a table or a log">
            <textarea
                class="paste-box"
                rows="12"
                spellcheck="false"
                autofocus=true
                aria-label="Text to read"
                placeholder="M,N,K,dtype,time_us\n4096,4096,4096,bf16,210.5"
                node_ref=area
            ></textarea>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| shell.close()>"Cancel"</button>
                <button type="button" class="button primary" on:click=read>"Read it"</button>
            </div>
        </Modal>
    }
}
