//! Header controls for a file or a plan.

use super::choose::ChooseFiles;
use super::device_picker::DevicePicker;
use super::header::roof_in_use;
use crate::app::load::{Loader, sample};
use crate::app::state::{Dialog, Shell, UndoStep, Workbench};
use crate::app::ui::{Menu, icon, roving_tabindex};
use crate::samples::SAMPLES;
use crate::undo::History;
use crate::web::dom;
use gemmscope_model::hardware::RoofKind;
use leptos::prelude::*;

/// What percentages refer to: the device and the roof.
pub(super) fn basis() -> AnyView {
    let has_data = Workbench::here().has_data;
    view! {
        <Show when=move || has_data.get()><DevicePicker /></Show>
        <RoofSwitch />
        <span class="rule" aria-hidden="true"></span>
    }
    .into_any()
}

/// Undo, redo, share.
pub(super) fn steps() -> AnyView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let step = move |label: &'static str,
                     keys: &'static str,
                     path: &'static str,
                     can: fn(&History<UndoStep>) -> bool,
                     act: fn(&Workbench)| {
        view! {
            <button type="button" class="icon-button wide-only" aria-label=label title=format!("{label} ({keys})")
                disabled=move || !bench.history.with(can) on:click=move |_| act(&bench)>
                {icon(path)}
            </button>
        }
        .into_any()
    };
    let steps = view! {
        {step("Undo", "Ctrl Z", icon::UNDO, History::can_undo, Workbench::undo)}
        {step("Redo", "Ctrl Y", icon::REDO, History::can_redo, Workbench::redo)}
        <button type="button" class="icon-button wide-only" aria-label="Share"
            title="Share: a link, a page with its data, a snippet for documentation"
            on:click=move |_| shell.open(Dialog::Share)>
            {icon(icon::LINK)}
        </button>
    };
    steps.into_any()
}

/// Adds files, or data in another way.
#[component]
pub(super) fn AddData() -> impl IntoView {
    let loader = Loader::here();
    view! {
        <div class="split add-files" role="toolbar" aria-label="Add data"
            on:focusin=|e| roving_tabindex::entered(&e) on:focusout=|e| roving_tabindex::left(&e) on:keydown=|e| roving_tabindex::keys(&e)>
            <ChooseFiles class="button primary small" label="Add files" />
            <Menu
                class="button primary small"
                right=true
                name=Signal::derive(|| "More ways to add data".to_owned())
                label=|| icon(icon::DOWN)
            >
                <button type="button" class="menu-item" on:click=|_| dom::click("#start [data-open=paste]")>
                    {icon(icon::TABLE)} "Paste a table or a log…"
                </button>
                <hr />
                <p class="menu-note">"Samples"</p>
                {SAMPLES
                    .iter()
                    .map(|s| view! {
                        <button type="button" class="menu-item" title=s.description data-sample=s.id
                            on:click=move |_| sample::open(loader, s)>
                            {s.title}
                        </button>
                    })
                    .collect_view()}
            </Menu>
        </div>
    }
}

#[component]
fn RoofSwitch() -> impl IntoView {
    let bench = Workbench::here();
    let option = move |kind: RoofKind, label: &'static str, hint: &'static str| {
        let on = move || roof_in_use(bench) == kind;
        view! {
            <button type="button" class="segment" aria-pressed=move || on().to_string()
                title=move || bench.one_roof().unwrap_or(hint) disabled=move || bench.one_roof().is_some()
                tabindex=move || if on() { "0" } else { "-1" }
                on:click=move |_| bench.set_roof(kind)>
                {label}
            </button>
        }
    };
    view! {
        <div class="segments roof-switch" role="group" aria-label="Roof" on:keydown=|e| roving_tabindex::keys_among(&e, "button")>
            {option(RoofKind::Datasheet, "Datasheet", "Percentages of the vendor's dense peak (R)")}
            {option(RoofKind::Achievable, "Achievable", "Percentages of the best rate measured with large GEMMs; a GEMM may exceed it (R)")}
        </div>
    }
}
