//! Asks before a file of the page that opened this one is read.

use crate::app::state::{Handed, Shell};
use crate::app::ui::Modal;
use gemmscope_model::encode::visible;
use gemmscope_model::units::Bytes;
use leptos::prelude::*;

/// The dialog; however else it is closed, the file is not opened.
#[component]
pub fn HandedDialog(handed: Handed) -> impl IntoView {
    let shell = Shell::here();
    let who = match handed.origin.as_str() {
        "null" => "a page without an address".to_owned(),
        origin => origin.to_owned(),
    };
    let (name, size) = (visible(&handed.name).into_owned(), Bytes(handed.size as f64).to_string());
    let closed = handed.clone();
    on_cleanup(move || closed.answer(false));
    let open = move |_| {
        handed.answer(true);
        shell.close();
    };
    view! {
        <Modal title="Open what another page hands over?">
            <p><strong class="share-host">{who}</strong> " opened this page and hands over a file:"</p>
            <p class="share-address">{format!("{name}, {size}")}</p>
            <p class="muted">"It is read in this tab and sent nowhere. That page learns whether it opened, and nothing else."</p>
            <div class="dialog-actions">
                <button type="button" class="button" on:click=move |_| shell.close()>"Do not open"</button>
                <button type="button" class="button primary" on:click=open>"Open"</button>
            </div>
        </Modal>
    }
}
