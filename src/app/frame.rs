//! The frame of the page: header, start page, workspace and notices, and the component that holds
//! them.

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
pub mod rehearsal;
pub mod shortcuts;
pub mod start;
pub mod strip;
pub mod tools;
pub mod workspace;

use self::tools::Tools;
use super::chart_view::save::load_save;
use super::load::begin::begin;
use super::load::kept::Kept;
use super::load::{Loader, PlanModel, drop, given};
use super::state::several::load_several;
use super::state::{Shell, Workbench};
use super::{dialogs, later, planner};
use crate::web::{clock, dom, reading};
use leptos::prelude::*;
use std::time::Duration;

/// The whole page. It can be mounted more than once: instances share only the address bar.
#[component]
pub fn GemmScope() -> impl IntoView {
    let shell = Shell::of_page();
    let bench = Workbench::new(&dom::hash(), shell);
    let loader = Loader::new(shell, bench, PLAN_MODEL);
    provide_context(shell);
    provide_context(bench);
    provide_context(loader);
    show_row_count(bench);
    let kept = Kept::new(given::open(loader));
    provide_context(kept);
    kept.start(loader);
    given::open_linked_sample(loader);
    start_later(shell, loader, kept);
    if dom::embedded() {
        dom::set_root_data("embed", Some("1"));
        embed::fetch(bench);
        return later::later(embed::embedded);
    }
    address::follow(bench);
    let dragging = drop::accept(loader);
    shortcuts::listen(shell, bench);
    focus::keep();

    let needs_file = Memo::new(move |_| bench.shown.get().needs_file());
    let shown = Memo::new(move |_| bench.has_data.get() || !needs_file.get());
    let built = Memo::new(move |was: Option<&bool>| {
        shown.get() || shell.built_early.get() || was == Some(&true)
    });
    // Made here, because this signal must outlive a part that is fetched again.
    let shows = Signal::from(shown);
    let tools = RwSignal::new(None::<&'static Tools>);
    let of_data = Signal::derive(move || tools.get().filter(|_| shown.get()));
    view! {
        <div class="app" class:dragging=move || dragging.get() class:has-data=move || bench.has_data.get() class:reads-on=move || shell.reads_on.get()>
            <a class="skip-link" href="#main" on:click=skip_to_main>"Skip to the chart"</a>
            {header::header(of_data)}
            <notices::Loading />
            <Show when=move || !shown.get()>{move || start::first(kept)}</Show>
            <Show when=move || built.get()>
                {later::later(move || workspace::workspace(shows, tools))}
            </Show>
            <div class="drop-veil" aria-hidden="true"><p>"Drop to add"</p></div>
            <notices::Status />
            <dialogs::AskedDialog />
        </div>
    }
    .into_any()
}

/// Gives the loader what it needs of the planner.
const PLAN_MODEL: PlanModel =
    |bench, text| Box::pin(async move { planner::take_model(bench, text).await.ok() });

fn skip_to_main(event: web_sys::MouseEvent) {
    // Following the link would overwrite the view in the address bar.
    event.prevent_default();
    focus::to_picture();
}

/// Writes the number of rows into `data-rows` of the page.
fn show_row_count(bench: Workbench) {
    Effect::new(move |_| {
        let rows = bench.data.with(|d| d.len());
        dom::set_root_data("rows", Some(&rows.to_string()));
    });
}

/// Lets the browser optimise what a large file runs through, a little at a time.
async fn rehearse() {
    let Ok(mut step) = rehearsal::steps().await else {
        return;
    };
    loop {
        clock::idle().await;
        if !step() {
            return clock::mark("gemmscope:warm");
        }
    }
}

/// After the first paint: marks the page as ready, fetches the workspace, starts the worker.
fn start_later(shell: Shell, loader: Loader, kept: Kept) {
    leptos::task::spawn_local(async move {
        clock::after_paint().await;
        clock::mark("gemmscope:first-view");
        if !kept.opening.get_untracked() && !loader.is_busy() {
            dom::set_root_data("ready", Some("1"));
        }
        // Fetched while the user looks for a file.
        let open = begin(loader.bench).await.is_ok();
        let work = open && !dom::embedded() && workspace::load_work().await.is_ok();
        if !dom::embedded() {
            clock::pause(Duration::from_millis(150)).await;
            loader.prepare().await;
        }
        if work {
            shell.built_early.try_set(true);
        }
        // An embedded page fetches parts only when they are opened.
        let all = !dom::embedded() && load_rest().await;
        // From here on the page makes no request.
        dom::set_root_data("parts", Some(if all { "all" } else { "some" }));
        if work {
            rehearse().await;
        }
    });
}

/// Fetches all other parts; false where one failed.
async fn load_rest() -> bool {
    notices::load_told().await.is_ok()
        && dialogs::load_ask().await.is_ok()
        && planner::load_plan().await.is_ok()
        && reading::load().await.is_ok()
        && load_save().await.is_ok()
        && load_several().await.is_ok()
}
