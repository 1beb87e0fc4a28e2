//! The dialogs. They are a part of the program that is fetched later.

pub mod device_form;
pub mod devices;
pub mod formats;
pub mod help;
pub mod mapping;
pub mod paste;
pub mod share;
pub mod source;

use super::later::{NotLoaded, later};
use super::state::{Dialog, Shell};
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

/// The place of the dialog that is open, if any.
#[component]
pub fn AskedDialog() -> impl IntoView {
    let shell = Shell::here();
    let asked = Memo::new(move |_| shell.dialog.with(Option::is_some));
    view! { <Show when=move || asked.get()>{later(dialogs)}</Show> }
}

/// The part of the program that holds the dialogs.
#[wasm_split(ask, fallible, preload(#[doc = "Fetches the dialogs."] load_ask))]
pub fn dialogs() -> Result<AnyView, NotLoaded> {
    Ok(view! { <Dialogs /> }.into_any())
}

/// The dialog that is open.
#[component]
fn Dialogs() -> impl IntoView {
    let shell = Shell::here();
    move || {
        shell.dialog.get().map(|dialog| match dialog {
            Dialog::Help => view! { <help::Help /> }.into_any(),
            Dialog::Formats => view! { <formats::Formats /> }.into_any(),
            Dialog::Devices(name) => view! { <devices::Devices name=name /> }.into_any(),
            Dialog::Mapping(id) => view! { <mapping::Mapping id=id /> }.into_any(),
            Dialog::Share => view! { <share::Share /> }.into_any(),
            Dialog::Source(host, url) => {
                view! { <source::SourceDialog host=host url=url /> }.into_any()
            }
            Dialog::Paste => view! { <paste::Paste /> }.into_any(),
        })
    }
}
