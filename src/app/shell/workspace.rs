//! The workspace: side panel, tabs, views, dock.

use super::choose::{CHOOSE_FILES, ChooseFiles};
use super::device_notice::DeviceNotice;
use super::focus::to_picture;
use super::kept_files::{KeptFiles, RestoredFilters};
use super::strip;
use crate::app::sidebar::files;
use crate::app::state::findings_task;
use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::{icon, icon_button, roving_tabindex};
use crate::app::views::ledger_bar::LedgerBars;
use crate::app::{dock, views};
use crate::web::dom;
use gemmscope_chart::places::SUMMARY;
use gemmscope_table::dataset::Source;
use leptos::prelude::*;

/// The workspace.
#[component]
pub fn Workspace() -> impl IntoView {
    let bench = Workbench::here();
    let shell = Shell::here();
    let needs_file = Memo::new(move |_| bench.shown.get().needs_file());
    findings_task::follow(bench);
    // The scroll position belongs to the previous place.
    Effect::new(move |_| {
        bench.shown.track();
        shell.reads_on.set(false);
    });
    // A trace without shapes still has a breakdown of its time.
    let timed = |s: &Source| s.without_model.rows + s.not_gemm.rows > 0;
    let nothing = Memo::new(move |_| {
        let data = bench.data.get();
        needs_file.get()
            && bench.has_data.get()
            && data.is_blank()
            && !data.sources.iter().any(timed)
    });
    let drawn = Memo::new(move |_| needs_file.get() && !nothing.get());
    let lacks =
        Memo::new(move |_| drawn.get() && views::missing(bench, bench.shown.get().place).is_some());
    // Only in the summary, which is about the time; elsewhere the line suffices.
    let barred = Memo::new(move |_| bench.shown.get().place == SUMMARY);
    let drawer = shell.drawer;
    view! {
        <div class="workspace" class:drawer-open=move || drawer.get() class:no-panel=move || !shell.panel.get()
            on:keydown=move |e| if e.key() == "Escape" && drawer.get_untracked() { drawer.set(false) }>
            <div class="scrim" on:click=move |_| drawer.set(false)></div>
            <main class="main" id="main" data-place=move || bench.shown.get().place.id tabindex="-1"
                on:scroll=move |e| shell.scrolled(&e)>
                <Show when=move || drawn.get()>
                    <div class="told" on:keydown=|e| roving_tabindex::keys_among(&e, ".figure, .cost, select.kind, .account")>
                        <strip::Strip />
                        <Show when=move || barred.get()><LedgerBars /></Show>
                    </div>
                    <RestoredFilters />
                    <DeviceNotice />
                </Show>
                <Show when=move || !nothing.get() fallback=no_gemm><views::ActiveView /></Show>
                {lacking(lacks)}
                <Show when=move || drawn.get()><dock::Dock /></Show>
            </main>
            // After the picture in the DOM, so that Tab reaches the picture soon; shown on the left, with a skip link.
            <Show when=move || bench.has_data.get()><aside class="sidebar" id="sidebar" tabindex="-1" aria-label="Files"
                // Close it and return to the picture, whose keys are letters.
                on:keydown=move |e| if e.key() == "Escape" && !e.default_prevented() {
                    shell.show_panel(false);
                    to_picture();
                }>
                <div class="drawer-head">
                    <strong>"Files"</strong>
                    {icon_button(icon::CROSS, "Close the drawer", move || drawer.set(false))}
                </div>
                <files::Files />
                <KeptFiles />
            </aside></Show>
        </div>
    }
}

/// Advice for a place that cannot show this data.
fn lacking(lacks: Memo<bool>) -> AnyView {
    let shell = Shell::here();
    view! {
        <div class="drop-actions lacking" hidden=move || !lacks.get()>
            <button type="button" class="button primary" on:click=|_| dom::click(CHOOSE_FILES)>"Add files"</button>
            {formats(shell)}
        </div>
    }
    .into_any()
}

/// Button that opens the list of formats.
fn formats(shell: Shell) -> AnyView {
    view! { <button type="button" class="button" on:click=move |_| shell.open(Dialog::Formats)>"What is read, and how to produce it"</button> }
        .into_any()
}

/// No file has a row that is a GEMM; the message above gives the reason.
fn no_gemm() -> AnyView {
    let shell = Shell::here();
    view! {
        <div class="empty">
            <section class="hero">
                <h2>"No GEMM to draw yet"</h2>
                <p class="lead">"A GEMM needs M, N, K and a time or a rate. See what each format needs, or add another file."</p>
                <div class="drop-actions start">
                    <ChooseFiles class="button primary" label="Choose files" />
                    {formats(shell)}
                </div>
            </section>
        </div>
    }
    .into_any()
}
