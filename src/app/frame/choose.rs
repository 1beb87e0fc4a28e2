//! Buttons that open the browser's file chooser.

use crate::app::load::{Loader, drop};
use crate::app::ui::icon;
use crate::web::file::{self, Folder};
use leptos::prelude::*;

/// A button that opens the browser's file chooser, with the hidden input behind it. The keyboard
/// shortcut clicks the first one on the page.
#[component]
pub fn ChooseFiles(class: &'static str, label: &'static str) -> impl IntoView {
    let loader = Loader::here();
    let input = NodeRef::<leptos::html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let chosen = move |_| {
        if let Some(input) = input.get_untracked() {
            loader.add(file::take_chosen(&input));
        }
    };
    view! {
        <input class="visually-hidden" type="file" multiple tabindex="-1" aria-hidden="true" node_ref=input on:change=chosen />
        <button type="button" id="choose-files" class=class on:click=choose title="Choose files (O)">
            {icon(icon::PLUS)}
            <span>{label}</span>
        </button>
    }
}

/// A button that opens the browser's chooser for a whole folder.
#[component]
pub fn ChooseFolder(class: &'static str) -> impl IntoView {
    let loader = Loader::here();
    let input = NodeRef::<leptos::html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    Effect::new(move |_| {
        // The `view!` macro does not know this attribute.
        if let Some(input) = input.get() {
            let _ = input.set_attribute("webkitdirectory", "");
        }
    });
    let chosen = move |_| {
        if let Some(input) = input.get_untracked() {
            let files = file::take_chosen(&input);
            drop::add_folder(loader, Folder::Chosen(files));
        }
    };
    view! {
        <input class="visually-hidden" type="file" tabindex="-1" aria-hidden="true" node_ref=input on:change=chosen />
        <button type="button" class=class on:click=choose title="A folder of a trace report: its table, metadata and call stacks">
            "Choose a folder"
        </button>
    }
}
