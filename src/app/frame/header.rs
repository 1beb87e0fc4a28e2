//! The bar at the top: files, the device, the roof, undo, sharing, theme and help.

use super::choose::ChooseFiles;
use super::device_picker;
use crate::app::later::later;
use crate::app::load::{Loader, sample};
use crate::app::state::{Dialog, Shell, Step, ThemeChoice, Workbench};
use crate::app::ui::{Menu, NARROW, icon, one_stop, rove};
use crate::samples::SAMPLES;
use crate::undo::History;
use crate::web::dom;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::plural;
use leptos::prelude::*;

/// The header.
#[component]
pub fn Header() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let has_data = bench.has_data;
    let step = move |label: &'static str,
                     keys: &'static str,
                     path: &'static str,
                     can: fn(&History<Step>) -> bool,
                     act: fn(&Workbench)| {
        view! {
            <button type="button" class="icon-button wide-only" aria-label=label title=format!("{label} ({keys})")
                disabled=move || !bench.history.with(can) on:click=move |_| act(&bench)>
                {icon(path)}
            </button>
        }
        .into_any()
    };
    view! {
        <header class="header">
            <Show when=move || has_data.get()>
                <PanelButton />
            </Show>
            <div class="brand">
                <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
                    <rect width="32" height="32" rx="7" class="logo-ground" />
                    <path d="M5 26 15 9h12" class="logo-roof" />
                    <circle cx="21" cy="17" r="3" class="logo-point" />
                </svg>
                <h1>"gemmscope"</h1>
            </div>
            <div class="header-tools">
                <Show when=move || has_data.get()>
                    {later(device_picker::device_picker)}
                </Show>
                <Show when=move || has_data.get() || !bench.shown.get().needs_file()>
                    <RoofSwitch />
                    <span class="rule" aria-hidden="true"></span>
                </Show>
                <div class="header-group" role="toolbar" aria-label="Undo, share, help"
                    on:focusin=|e| one_stop::entered(&e) on:focusout=|e| one_stop::left(&e) on:keydown=|e| one_stop::keys(&e)>
                <Show when=move || has_data.get() || !bench.shown.get().needs_file()>
                    {step("Undo", "Ctrl Z", icon::UNDO, History::can_undo, Workbench::undo)}
                    {step("Redo", "Ctrl Y", icon::REDO, History::can_redo, Workbench::redo)}
                    <button type="button" class="icon-button wide-only" aria-label="Share"
                        title="Share: a link, a page with its data, a snippet for documentation"
                        on:click=move |_| shell.open(Dialog::Share)>
                        {icon(icon::LINK)}
                    </button>
                </Show>
                <MoreMenu />
                </div>
                // The start page has its own button for this.
                <Show when=move || has_data.get() || !bench.shown.get().needs_file()>
                    <AddData />
                </Show>
            </div>
        </header>
    }
}

/// Shows and hides the panel of files and filters.
#[component]
fn PanelButton() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let filters = Memo::new(move |_| bench.view.with(|v| v.filters.count()));
    let panel_name = move || match filters.get() {
        0 => "Files and filters".to_owned(),
        n => format!("Files and filters, {} set", plural(n as u64, "filter")),
    };
    view! {
        <button
            type="button"
            class="icon-button drawer-button"
            aria-label=panel_name
            aria-controls="sidebar"
            title=panel_name
            aria-expanded=move || shell.shows_panel().to_string()
            on:keydown=move |e| if e.key() == "Escape" { shell.drawer.set(false) }
            on:click=move |_| shell.show_panel(!untrack(|| shell.shows_panel()))
        >
            {icon(icon::FILTER)}
            <Show when=move || filters.get().gt(&0)>
                <span class="filter-count" aria-hidden="true">{move || filters.get()}</span>
            </Show>
        </button>
    }
}

/// Adds files, or data in another way.
#[component]
fn AddData() -> impl IntoView {
    let shell = Shell::here();
    let loader = Loader::here();
    view! {
        <div class="split add-files" role="toolbar" aria-label="Add data"
            on:focusin=|e| one_stop::entered(&e) on:focusout=|e| one_stop::left(&e) on:keydown=|e| one_stop::keys(&e)>
            <ChooseFiles class="button primary small" label="Add files" />
            <Menu
                class="button primary small"
                right=true
                name=Signal::derive(|| "More ways to add data".to_owned())
                label=|| icon(icon::DOWN)
            >
                <button type="button" class="menu-item" on:click=move |_| shell.open(Dialog::Paste)>
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

/// The roof that percentages are of: the chosen one, where the device has both.
fn roof_in_use(bench: Workbench) -> RoofKind {
    bench.one_roof().map_or_else(|| bench.view.with(|v| v.roof), |_| RoofKind::Datasheet)
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
        <div class="segments roof-switch" role="group" aria-label="Roof" on:keydown=|e| rove(&e, "button")>
            {option(RoofKind::Datasheet, "Datasheet", "Percentages of the vendor's dense peak (R)")}
            {option(RoofKind::Achievable, "Achievable", "Percentages of the best rate measured with large GEMMs; a GEMM may exceed it (R)")}
        </div>
    }
}

/// Help and theme; on a phone also what the header has no room for.
#[component]
fn MoreMenu() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let item = move |theme: ThemeChoice, label: &'static str, path: &'static str| {
        view! {
            <button type="button" class="menu-item" aria-pressed=move || (shell.theme.get() == theme).to_string()
                on:click=move |_| shell.set_theme(theme)>
                {icon(path)} {label}
            </button>
        }
    };
    view! {
        <Menu
            class="icon-button"
            right=true
            name=Signal::derive(|| if dom::media(NARROW) { "More".to_owned() } else { "Help and theme".to_owned() })
            label=|| view! {
                <span class="wide-only">{icon(icon::HELP)}</span>
                <span class="narrow-only" aria-hidden="true">"⋯"</span>
            }
        >
            <button type="button" class="menu-item" on:click=move |_| shell.open(Dialog::Help)>
                {icon(icon::HELP)} "Help and shortcuts" <kbd>"?"</kbd>
            </button>
            <hr />
            {item(ThemeChoice::System, "As the system", icon::SCREEN)}
            {item(ThemeChoice::Light, "Light", icon::SUN)}
            {item(ThemeChoice::Dark, "Dark", icon::MOON)}
            <hr class="narrow-only" />
            <button type="button" class="menu-item narrow-only" on:click=move |_| shell.open(Dialog::Share)>
                {icon(icon::LINK)} "Share…"
            </button>
            <button type="button" class="menu-item narrow-only" disabled=move || !bench.history.with(|h| h.can_undo())
                on:click=move |_| bench.undo()>
                {icon(icon::UNDO)} "Undo"
            </button>
            <hr class="narrow-only" />
            {[(RoofKind::Datasheet, "Datasheet"), (RoofKind::Achievable, "Achievable")].map(|(kind, label)| view! {
                <button type="button" class="menu-item narrow-only" aria-pressed=move || (roof_in_use(bench) == kind).to_string()
                    disabled=move || bench.one_roof().is_some()
                    on:click=move |_| bench.set_roof(kind)>
                    {icon(icon::CHIP)} {label} " roof"
                </button>
            })}
        </Menu>
    }
}
