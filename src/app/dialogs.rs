//! The dialogs.

pub mod device_form;
pub mod devices;
pub mod figures;
pub mod formats;
pub mod handed;
pub mod help;
pub mod mapping;
pub mod share;
pub mod source;

use super::state::{Dialog, Shell};
use leptos::prelude::*;

/// The open dialog, if any.
#[component]
pub fn OpenDialog() -> impl IntoView {
    let shell = Shell::here();
    move || {
        shell.dialog.get().map(|dialog| match dialog {
            Dialog::Help => view! { <help::Help /> }.into_any(),
            Dialog::Formats => view! { <formats::Formats /> }.into_any(),
            Dialog::Devices(name) => view! { <devices::Devices name=name /> }.into_any(),
            Dialog::Mapping(id) => view! { <mapping::MappingForm id=id /> }.into_any(),
            Dialog::Share => view! { <share::Share /> }.into_any(),
            Dialog::Figures(of) => view! { <figures::Figures of=of /> }.into_any(),
            Dialog::Handed(handed) => view! { <handed::HandedDialog handed=handed /> }.into_any(),
            Dialog::Source(host, url) => {
                view! { <source::SourceDialog host=host url=url /> }.into_any()
            }
        })
    }
}
