//! The bar on top: where one is (files, view), by what roof rows are judged, and the page's tools.

use super::state::{App, Dialog, ThemeChoice};
use super::ui::{Menu, icon};
use super::views::{self, VIEWS, View};
use crate::hardware::{self, RoofKind};
use crate::samples::SAMPLES;
use crate::web::file;
use leptos::prelude::*;

/// The header.
#[component]
pub fn Header(
    /// On phones the side panel is a drawer; this opens it.
    drawer: RwSignal<bool>,
) -> impl IntoView {
    let app = App::here();
    let has_data = Memo::new(move |_| app.files.with(|f| !f.is_empty()));
    view! {
        <header class="header">
            <Show when=move || has_data.get()>
                <button
                    type="button"
                    class="icon-button drawer-button"
                    aria-label="Files and filters"
                    aria-controls="sidebar"
                    aria-expanded=move || drawer.get().to_string()
                    on:click=move |_| drawer.update(|d| *d = !*d)
                >
                    {icon(icon::FILTER)}
                </button>
            </Show>
            <div class="brand">
                <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
                    <rect width="32" height="32" rx="7" class="logo-ground" />
                    <path d="M5 26 15 9h12" class="logo-roof" />
                    <circle cx="21" cy="17" r="3" class="logo-point" />
                </svg>
                <h1>"gemmscope"</h1>
            </div>
            <Modes has_data=has_data />
            <div class="header-tools">
                <Show when=move || has_data.get()>
                    <DevicePicker />
                </Show>
                <Show when=move || has_data.get() || app.view.with(|s| !views::shown(&s.view).needs_file())>
                    <RoofSwitch />
                    <span class="rule" aria-hidden="true"></span>
                    <button type="button" class="icon-button wide-only" aria-label="Undo" title="Undo (Ctrl Z)"
                        disabled=move || !app.history.with(|h| h.can_undo())
                        on:click=move |_| app.undo()>
                        {icon(icon::UNDO)}
                    </button>
                    <button type="button" class="icon-button wide-only" aria-label="Redo" title="Redo (Ctrl Y)"
                        disabled=move || !app.history.with(|h| h.can_redo())
                        on:click=move |_| app.redo()>
                        {icon(icon::REDO)}
                    </button>
                    <button type="button" class="icon-button wide-only" aria-label="Share"
                        title="Share: a link, a page with its data, a snippet for documentation"
                        on:click=move |_| app.open(Dialog::Share)>
                        {icon(icon::LINK)}
                    </button>
                </Show>
                <ThemeMenu />
                <button type="button" class="icon-button help-button" aria-label="Help and shortcuts" title="Help and shortcuts (?)"
                    on:click=move |_| app.open(Dialog::Help)>
                    {icon(icon::HELP)}
                </button>
                // The start page has a button of its own.
                <Show when=move || has_data.get() || app.view.with(|s| !views::shown(&s.view).needs_file())>
                    <div class="split add-files">
                        <ChooseFiles class="button primary small" label="Add files" />
                        <Menu
                            class="button primary small"
                            right=true
                            name=Signal::derive(|| "More ways to add data".to_owned())
                            label=|| icon(icon::DOWN)
                        >
                            <button type="button" class="menu-item" on:click=move |_| app.open(Dialog::Paste)>
                                {icon(icon::TABLE)} "Paste a table or a log…"
                            </button>
                            <hr />
                            <p class="menu-note">"Samples"</p>
                            {SAMPLES
                                .iter()
                                .map(|s| view! {
                                    <button type="button" class="menu-item" title=s.description data-sample=s.id
                                        on:click=move |_| super::empty::open_sample(app, s)>
                                        {s.title}
                                    </button>
                                })
                                .collect_view()}
                        </Menu>
                    </div>
                </Show>
            </div>
        </header>
    }
}

/// What the page is about: measured files, or one of the views that need none.
#[component]
fn Modes(has_data: Memo<bool>) -> impl IntoView {
    let app = App::here();
    // Back from there, the files show as they were left.
    let last = StoredValue::new(String::new());
    Effect::new(move |_| {
        let key = app.view.with(|s| s.view.clone());
        if views::shown(&key).needs_file() {
            last.set_value(key);
        }
    });
    let measured = move || app.view.with(|s| views::shown(&s.view).needs_file());
    let mode = move |v: &'static View| {
        let active = move || app.view.with(|s| v.is_shown(&s.view));
        view! {
            <button type="button" class="tab" data-view=v.id title=v.hint
                aria-current=move || active().then_some("page")
                on:click=move |_| app.edit("view", |s| s.view = v.key().to_owned())>
                {icon(v.icon)}
                <span>{v.title}</span>
            </button>
        }
    };
    view! {
        <nav class="modes" aria-label="What to look at">
            <button type="button" class="tab" data-view="measured" title="What was measured: your files"
                aria-current=move || measured().then_some("page")
                on:click=move |_| app.edit("view", |s| s.view = last.get_value())>
                {move || icon(if has_data.get() { icon::ROOFLINE } else { icon::FILE })}
                <span>{move || if has_data.get() { "Measured" } else { "Start" }}</span>
            </button>
            {VIEWS.iter().filter(|v| !v.needs_file()).map(mode).collect_view()}
        </nav>
    }
}

/// A button that opens the browser's file chooser, with the (hidden) control behind it. The first
/// one on the page has the id that the shortcut uses.
#[component]
pub fn ChooseFiles(class: &'static str, label: &'static str) -> impl IntoView {
    let app = App::here();
    let input = NodeRef::<leptos::html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let chosen = move |_| {
        if let Some(input) = input.get_untracked() {
            app.add(file::take_chosen(&input));
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
    let app = App::here();
    let input = NodeRef::<leptos::html::Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    Effect::new(move |_| {
        // The markup library knows no such attribute.
        if let Some(input) = input.get() {
            let _ = input.set_attribute("webkitdirectory", "");
        }
    });
    let chosen = move |_| {
        if let Some(input) = input.get_untracked() {
            app.add_folder(file::take_chosen(&input));
        }
    };
    view! {
        <input class="visually-hidden" type="file" tabindex="-1" aria-hidden="true" node_ref=input on:change=chosen />
        <button type="button" class=class on:click=choose title="A folder of a trace report: its table, metadata and call stacks">
            "Choose a folder"
        </button>
    }
}

/// Device for rows whose file names none, and a way to all devices.
#[component]
fn DevicePicker() -> impl IntoView {
    let app = App::here();
    let judged = app.judged;
    let label = Memo::new(move |_| match &judged.get()[..] {
        [] => "Device".to_owned(),
        [Some(one)] => super::devices::short_name(one),
        [None] => "Choose a device".to_owned(),
        many => format!("{} devices", many.len()),
    });
    let missing = move || judged.with(|j| j.contains(&None));
    let unnamed = Memo::new(move |_| app.data.with(|d| d.device.contains(&0)));
    let choose = move |id: String| app.set_devices(|d| d.default = Some(id));
    let current = move |id: &str| app.view.with(|v| v.devices.default.as_deref() == Some(id));
    view! {
        <div class="device-picker" class:missing=missing>
            <Menu
                class="button small"
                right=true
                name=Signal::derive(move || format!("Device: {}", label.get()))
                label=move || view! { {icon(icon::CHIP)}<span class="device-name">{move || label.get()}</span>{icon(icon::DOWN)} }
            >
                <div class="menu-scroll">
                    {move || {
                        let note = if unnamed.get() {
                            "The device for rows whose file names none:"
                        } else {
                            "Every file names its device. This one is for files that do not:"
                        };
                        view! { <p class="menu-note">{note}</p> }
                    }}
                    {move || {
                        let own = app.custom.get();
                        own.iter()
                            .chain(hardware::catalog().iter().filter(|d| own.iter().all(|o| o.id != d.id)))
                            .map(|d| {
                                let (id, shown) = (d.id.clone(), d.id.clone());
                                view! {
                                    <button
                                        type="button"
                                        class="menu-item"
                                        aria-pressed=move || current(&shown).to_string()
                                        on:click=move |_| choose(id.clone())
                                    >
                                        {super::devices::short_name(&d.name)}
                                        <span class="menu-side">{d.memory_kind.clone()}</span>
                                    </button>
                                }
                            })
                            .collect_view()
                    }}
                </div>
                <hr />
                <button type="button" class="menu-item" on:click=move |_| app.open(Dialog::Devices(None))>
                    "All peaks, own devices…" <kbd>"D"</kbd>
                </button>
            </Menu>
        </div>
    }
}

#[component]
fn RoofSwitch() -> impl IntoView {
    let app = App::here();
    let option = move |kind: RoofKind, label: &'static str, hint: &'static str| {
        let on = move || app.view.with(|v| v.roof == kind);
        view! {
            <button type="button" class="segment" aria-pressed=move || on().to_string() title=hint
                on:click=move |_| app.set_roof(kind)>
                {label}
            </button>
        }
    };
    view! {
        <div class="segments roof-switch" role="group" aria-label="Percentages are of which roof">
            {option(RoofKind::Datasheet, "Datasheet", "Percentages of the vendor's dense peak (R)")}
            {option(RoofKind::Achievable, "Achievable", "Percentages of the best rate anyone measured with large GEMMs (R)")}
        </div>
    }
}

#[component]
fn ThemeMenu() -> impl IntoView {
    let app = App::here();
    let item = move |theme: ThemeChoice, label: &'static str, path: &'static str| {
        view! {
            <button type="button" class="menu-item" aria-pressed=move || (app.theme.get() == theme).to_string()
                on:click=move |_| app.set_theme(theme)>
                {icon(path)} {label}
            </button>
        }
    };
    view! {
        <Menu
            class="icon-button"
            right=true
            name=Signal::derive(|| "Theme".to_owned())
            label=move || view! { {move || icon(if app.dark.get() { icon::MOON } else { icon::SUN })} }
        >
            {item(ThemeChoice::System, "As the system", icon::SCREEN)}
            {item(ThemeChoice::Light, "Light", icon::SUN)}
            {item(ThemeChoice::Dark, "Dark", icon::MOON)}
            <hr class="narrow-only" />
            <button type="button" class="menu-item narrow-only" on:click=move |_| app.open(Dialog::Share)>
                {icon(icon::LINK)} "Share…"
            </button>
            <button type="button" class="menu-item narrow-only" on:click=move |_| app.open(Dialog::Help)>
                {icon(icon::HELP)} "Help and terms"
            </button>
            <button type="button" class="menu-item narrow-only" on:click=move |_| app.undo()>
                {icon(icon::UNDO)} "Undo"
            </button>
        </Menu>
    }
}
