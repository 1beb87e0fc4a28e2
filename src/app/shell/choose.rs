//! Buttons that open the browser's file chooser.

use crate::app::load::{Loader, drop};
use crate::app::ui::icon;
use crate::web::file::{self, Folder, Input};
use leptos::prelude::*;

/// A button that opens the browser's file chooser, with the hidden input behind it. The keyboard
/// shortcut clicks the first one on the page.
#[component]
pub fn ChooseFiles(class: &'static str, label: &'static str) -> impl IntoView {
    let loader = Loader::here();
    let (input, choose) = chooser(false, move |files| loader.add(files));
    view! {
        {input}
        <button type="button" id="choose-files" class=class on:click=choose title=format!("{label} (O)")>
            {icon(icon::PLUS)}
            <span>{label}</span>
        </button>
    }
}

/// A button that opens the browser's chooser for a whole folder.
#[component]
pub fn ChooseFolder(class: &'static str) -> impl IntoView {
    let loader = Loader::here();
    let (input, choose) =
        chooser(true, move |files| drop::add_folder(loader, Folder::Chosen(files)));
    view! {
        {input}
        <button type="button" class=class on:click=choose title="A folder of a trace report: its table, metadata and call stacks">
            "Choose a folder"
        </button>
    }
}

/// The hidden input behind a button, and what opens it.
fn chooser(
    folder: bool,
    take: impl Fn(Vec<Input>) + 'static,
) -> (AnyView, impl Fn(web_sys::MouseEvent)) {
    let input = NodeRef::<leptos::html::Input>::new();
    let chosen = move |_| {
        take(input.get_untracked().map_or_else(Vec::new, |input| file::take_chosen(&input)))
    };
    let view = view! {
        <input class="visually-hidden" type="file" multiple=!folder prop:webkitdirectory=folder
            tabindex="-1" aria-hidden="true" node_ref=input on:change=chosen />
    };
    let choose = move |_| input.get_untracked().iter().for_each(|input| input.click());
    (view.into_any(), choose)
}
