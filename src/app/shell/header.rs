//! The bar at the top: name, help and theme; with a file or a plan also its actions.

use super::tools::{self, AddData};
use crate::app::sidebar::filters::{FilterRow, Known};
use crate::app::state::{Dialog, Shell, ThemeChoice, Workbench};
use crate::app::ui::{Menu, NARROW, icon, roving_tabindex};
use crate::app::views::places::Places;
use crate::web::dom;
use gemmscope_model::hardware::RoofKind;
use leptos::prelude::*;

/// The header with a file or a plan, and below it the tabs beside files and filters. The start page has its own one, in `index.html`.
pub fn header() -> AnyView {
    let bench = Workbench::here();
    let (has_data, known) = (bench.has_data, Known::follow(bench));
    let header = view! {
        <header class="header">
            <div class="brand">
                <svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><use href="#logo" /></svg>
                <h1>"gemmscope"</h1>
            </div>
            <div class="header-tools">
                {tools::basis()}
                <div class="header-group" role="toolbar" aria-label="Undo, share, help"
                    on:focusin=|e| roving_tabindex::entered(&e) on:focusout=|e| roving_tabindex::left(&e) on:keydown=|e| roving_tabindex::keys(&e)>
                {tools::steps()}
                <MoreMenu />
                </div>
                <AddData />
            </div>
        </header>
        <div class="tab-row">
            <Places />
            <Show when=move || has_data.get()><FilterRow known=known /></Show>
        </div>
    };
    header.into_any()
}

/// The roof that percentages refer to: the chosen one, if the device has both.
pub(super) fn roof_in_use(bench: Workbench) -> RoofKind {
    bench.one_roof().map_or_else(|| bench.view.with(|v| v.roof), |_| RoofKind::Datasheet)
}

/// Help and theme; on a phone also what does not fit in the header.
#[component]
pub(super) fn MoreMenu() -> impl IntoView {
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
