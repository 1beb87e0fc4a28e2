//! What is around and below the views once there is data, and the dialogs.

use super::state::{App, Dialog};
use super::ui::{icon, icon_button};
use super::{
    detail, devices, empty, files, filters, formats, help, judge, mapping, share, source, totals,
    ui, views,
};
use leptos::prelude::*;

/// Side panel, tabs and views, detail panel.
#[component]
pub fn Workspace(
    /// On phones the side panel is a drawer: open or not.
    drawer: RwSignal<bool>,
    /// It is built before the first file arrives, and shows from then on.
    shown: Signal<bool>,
) -> impl IntoView {
    let app = App::here();
    let empty = Memo::new(move |_| app.files.with(Vec::is_empty));
    let needs_file = Memo::new(move |_| app.view.with(|v| views::shown(&v.view).needs_file()));
    let overview = Memo::new(move |_| app.view.with(|v| v.view == "overview"));
    judge::follow(app, overview.into());
    view! {
        <div class="workspace" hidden=move || !shown.get() class:drawer-open=move || drawer.get()>
            <div class="scrim" on:click=move |_| drawer.set(false)></div>
            <Show when=move || !empty.get() || !shown.get()><aside class="sidebar" id="sidebar" aria-label="Files and filters">
                <div class="drawer-head">
                    <strong>"Files and filters"</strong>
                    {icon_button(icon::CROSS, "Close the drawer", move || drawer.set(false))}
                </div>
                <files::Files />
                <filters::Filters />
            </aside></Show>
            <main class="main" id=move || shown.get().then_some("main") tabindex="-1">
                <Show when=move || needs_file.get()>
                    <totals::Strip />
                    <views::Tabs />
                    <NoDevice />
                </Show>
                <views::ActiveView />
            </main>
            <detail::Detail />
        </div>
    }
}

/// Where rows have no roof yet: says so, and how to get one.
#[component]
fn NoDevice() -> impl IntoView {
    let app = App::here();
    let missing = Memo::new(move |_| {
        app.judged.with(|j| j.contains(&None)) && app.data.with(|d| !d.is_empty())
    });
    let unnamed = Memo::new(move |_| app.data.with(|d| d.device.contains(&0)));
    view! {
        <Show when=move || missing.get()>
            <div class="notice ask" role="note">
                {icon(icon::CHIP)}
                <p>
                    {move || if unnamed.get() {
                        "These files do not say which device they were measured on. Choose one to see roofs and efficiency:"
                    } else {
                        "A device that the files name is not in the catalogue. Say which one it is:"
                    }}
                </p>
                <Show
                    when=move || unnamed.get()
                    fallback=move || view! {
                        <button type="button" class="button small" on:click=move |_| app.open(Dialog::Devices(None))>"Devices…"</button>
                    }
                >
                    <select aria-label="Device of these files" on:change=move |e| {
                        let id = ui::value_of(&e);
                        app.set_devices(|d| d.default = (!id.is_empty()).then_some(id));
                    }>
                        <option value="">"Device"</option>
                        {move || app.custom.with(|own| devices::all(own))
                            .into_iter()
                            .map(|d| view! { <option value=d.id>{devices::short_name(&d.name)}</option> })
                            .collect_view()}
                    </select>
                </Show>
            </div>
        </Show>
    }
}

/// The dialog that is asked for.
#[component]
pub fn Dialogs() -> impl IntoView {
    let app = App::here();
    move || {
        app.dialog.get().map(|dialog| match dialog {
            Dialog::Help => view! { <help::Help /> }.into_any(),
            Dialog::Formats => view! { <formats::Formats /> }.into_any(),
            Dialog::Devices(name) => view! { <devices::Devices name=name /> }.into_any(),
            Dialog::Mapping(id) => view! { <mapping::Mapping id=id /> }.into_any(),
            Dialog::Share => view! { <share::Share /> }.into_any(),
            Dialog::Source(host, url) => {
                view! { <source::SourceDialog host=host url=url /> }.into_any()
            }
            Dialog::Paste => view! { <empty::PasteDialog /> }.into_any(),
        })
    }
}
