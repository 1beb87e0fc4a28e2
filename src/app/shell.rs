//! The shell around the views: header, start page, workspace and notices, and the root component.

pub mod address;
pub mod choose;
pub mod device_notice;
pub mod device_picker;
pub mod embed;
pub mod focus;
pub mod header;
pub mod kept_files;
pub mod notices;
pub mod page;
pub mod shortcuts;
pub mod start;
pub mod strip;
pub mod tools;
pub mod workspace;

use super::dialogs;
use super::load::kept::Kept;
use super::load::{Loader, chosen, given, handed};
use super::state::{Shell, Workbench};
use crate::web::{clock, dom, host};
use leptos::prelude::*;
use std::time::Duration;

/// The whole page. It can be mounted several times: instances share the address bar and `window.gemmscope`.
#[component]
pub fn GemmScope() -> impl IntoView {
    let shell = Shell::of_page();
    let bench = Workbench::new(&dom::hash(), shell);
    let loader = Loader::new(shell, bench);
    provide_context(shell);
    provide_context(bench);
    provide_context(loader);
    page::publish(bench);
    show_row_count(bench);
    // Beside what another page brings nothing of the last visit shows, and nothing is kept.
    let kept = Kept::new(given::open(loader) || host::window().is_some());
    provide_context(kept);
    kept.start(loader);
    given::open_linked_sample(loader);
    start_later(loader);
    if dom::embedded() {
        start::remove();
        return view! { <embed::Embedded /> }.into_any();
    }
    address::follow(bench);
    shortcuts::listen(shell, bench);
    focus::keep();

    let needs_file = Memo::new(move |_| bench.shown.get().needs_file());
    let shown = Memo::new(move |_| bench.has_data.get() || !needs_file.get());
    start::adopt(shell, shown);
    chosen::accept(loader);
    handed::listen(loader);
    view! {
        <div class="app" class:at-start=move || !shown.get() class:has-data=move || bench.has_data.get() class:reads-on=move || shell.reads_on.get()>
            <Show when=move || shown.get() fallback=start::additions>
                <a class="skip-link" href="#main" on:click=skip_to_main>"Skip to the chart"</a>
                {header::header()}
                <notices::Loading />
                <workspace::Workspace />
                <kept_files::AskToKeep />
            </Show>
            <notices::Status />
            <dialogs::OpenDialog />
        </div>
    }
    .into_any()
}

fn skip_to_main(event: web_sys::MouseEvent) {
    // Following the link would replace the view in the address bar.
    event.prevent_default();
    focus::to_picture();
}

/// Writes the number of rows to `data-rows` of `<html>`.
fn show_row_count(bench: Workbench) {
    Effect::new(move |_| {
        let rows = bench.data.with(|d| d.len());
        dom::set_root_data("rows", Some(&rows.to_string()));
    });
}

/// After the first paint: marks the page as ready and starts the worker.
fn start_later(loader: Loader) {
    leptos::task::spawn_local(async move {
        clock::after_paint().await;
        clock::mark("gemmscope:first-view");
        loader.rest();
        if dom::embedded() {
            return;
        }
        clock::pause(Duration::from_millis(150)).await;
        loader.prepare().await;
        // From here on the page makes no requests.
        dom::set_root_data("idle", Some("1"));
    });
}
