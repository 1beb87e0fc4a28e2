//! The page embedded in another one (`?embed=1`): picture, legend and a menu, so that it does not dominate a page of
//! text; with `controls=1` also tabs, figures and settings. The host page sends the data and is told about size and
//! changes. An embed has no file chooser, no storage and no address of its own.

use super::notices::{Loading, Status};
use super::strip::Strip;
use crate::app::dialogs::OpenDialog;
use crate::app::load::Loader;
use crate::app::state::{LoadedFile, Shell, ThemeChoice, Workbench};
use crate::app::ui::{keep, tell_changes, watch_size};
use crate::app::views::chart::{ChartPane, NO_BAR};
use crate::app::{dock, views};
use crate::web::file::Input;
use crate::web::host;
use crate::web::host::Host;
use crate::web::{clock, dom};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::{charts, picture, places, svg};
use gemmscope_import::ImportOptions;
use gemmscope_model::hardware;
use gemmscope_share::embed::{EmbedExport, Reply, Request, ViewChange};
use gemmscope_table::native_csv::CsvWriter;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use serde_json::Value;
use std::rc::Rc;

type Answer = Result<Option<Value>, (String, String)>;

/// The view with tabs, figures and settings.
fn with_controls() -> AnyView {
    view! {
        <views::places::Places />
        <div class="workspace">
            <main class="main" id="main" tabindex="-1">
                <Strip />
                <views::ActiveView />
                <dock::Dock />
            </main>
        </div>
    }
    .into_any()
}

/// Picture, legend and menu only.
fn quiet() -> AnyView {
    let bench = Workbench::here();
    let id = Memo::new(move |_| bench.shown.get().id());
    let shown = move || {
        match charts::by_id(id.get()) {
        Some(kind) => view! { <div class="panes"><div class="pane"><ChartPane kind=kind bar=NO_BAR /></div></div> }
            .into_any(),
        None => view! { <views::ActiveView /> }.into_any(),
    }
    };
    view! {
        <div class="workspace">
            <main class="main" id="main" tabindex="-1">
                {shown}
                <dock::Dock />
            </main>
        </div>
    }
    .into_any()
}

/// Contents of an embed.
#[component]
pub fn Embedded() -> impl IntoView {
    let bench = Workbench::here();
    let box_ref = NodeRef::<leptos::html::Div>::new();
    let hosted = RwSignal::new_local(None::<Rc<Host>>);
    let controls = dom::asks("controls=1");
    connect(Loader::here(), hosted);
    report_height(box_ref, hosted);
    report_changes(bench, hosted);
    view! {
        <div class="app embed" class:quiet=!controls class:has-data=move || bench.has_data.get() node_ref=box_ref>
            <Loading />
            <Show when=move || bench.has_data.get() fallback=|| view! { <p class="embed-wait" role="status">"No data yet."</p> }>
                {if controls { with_controls() } else { quiet() }}
            </Show>
            <Status />
            <OpenDialog />
        </div>
    }
}

/// Waits for the host page and performs its requests.
fn connect(loader: Loader, hosted: RwSignal<Option<Rc<Host>>, LocalStorage>) {
    let (shell, bench) = (loader.shell, loader.bench);
    let handler: host::Handler = Rc::new(move |host, request, bytes| match request {
        Request::Load { id, name, format, add } => {
            host.set_busy(true);
            leptos::task::spawn_local(async move {
                let bytes = bytes.map(|b| js_sys::Uint8Array::new(&b).to_vec());
                let input = Input::from_bytes(&name, &bytes.unwrap_or_default());
                let result = load(loader, input, format, add).await;
                host.set_busy(false);
                host.answer(id, result);
            });
        }
        Request::View { id, set } => host.answer(id, change(shell, bench, set)),
        Request::Export { id, what } => host.answer(id, export(shell, bench, what)),
    });
    let joined = move |host| {
        dom::set_root_data("hosted", Some("1"));
        drop(hosted.try_set(Some(host)));
    };
    keep(host::listen(joined, handler));
}

async fn load(loader: Loader, input: Input, format: Option<String>, add: bool) -> Answer {
    let options = ImportOptions { format, ..ImportOptions::default() };
    let before: Vec<u32> =
        loader.bench.files.with_untracked(|f| f.iter().map(|f: &LoadedFile| f.id).collect());
    loader.add_one(input, options).await.map_err(|message| ("unreadable".to_owned(), message))?;
    if !add {
        loader.bench.take_files(before);
    }
    clock::after_paint().await;
    Ok(Some(summary(loader.bench)))
}

fn summary(bench: Workbench) -> Value {
    serde_json::to_value(bench.summary()).unwrap_or_default()
}

/// The rows that pass the filters, in our own CSV format.
fn csv(bench: Workbench) -> String {
    bench.frame.with_untracked(|f| {
        let mut writer = CsvWriter::new(&f.data, None);
        writer.header() + &writer.rows(f.rows.iter().map(|&r| r as usize))
    })
}

fn change(shell: Shell, bench: Workbench, set: ViewChange) -> Answer {
    let bad = |what: &str, value: &str| {
        let value: String = value.chars().take(40).collect();
        Err(("bad-value".to_owned(), format!("{what}: {value}")))
    };
    let mut state = match &set.hash {
        Some(hash) => ViewState::decode(hash).0,
        None => bench.view.get_untracked(),
    };
    if let Some(view) = &set.view {
        if places::of(view).is_none() {
            return bad(&format!("view is one of {}", places::names().join(", ")), view);
        }
        state.view.clone_from(view);
    }
    if let Some(device) = &set.device {
        let Some(known) = hardware::match_name(device).device() else {
            return bad("device is an id or a full name of the catalogue", device);
        };
        state.devices.default = Some(known.id.clone());
    }
    if let Some(theme) = set.theme.as_deref() {
        shell.theme.set(match theme {
            "light" => ThemeChoice::Light,
            "dark" => ThemeChoice::Dark,
            _ => ThemeChoice::System,
        });
    }
    if bench.view.with_untracked(|v| *v != state) {
        bench.view.set(state);
    }
    Ok(None)
}

fn export(shell: Shell, bench: Workbench, what: EmbedExport) -> Answer {
    let text = match what {
        EmbedExport::View => bench.view.with_untracked(ViewState::encode),
        EmbedExport::Summary => return Ok(Some(summary(bench))),
        EmbedExport::Csv => csv(bench),
        EmbedExport::Svg => {
            let width = dom::window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(960.0);
            let theme = Theme::of(shell.dark.get_untracked());
            let (frame, view) = (bench.frame.get_untracked(), bench.view.get_untracked());
            let Some(scene) = picture::saved(&frame, &view, (width.max(480.0), None), &theme)
            else {
                let message = "this view has no picture".to_owned();
                return Err(("no-picture".to_owned(), message));
            };
            svg::svg(&scene)
        }
    };
    Ok(Some(text.into()))
}

/// Reports the height of the content to the host page. It depends only on the width, so it does not change when the
/// host resizes the embed to it.
fn report_height(
    box_ref: NodeRef<leptos::html::Div>,
    hosted: RwSignal<Option<Rc<Host>>, LocalStorage>,
) {
    let height = RwSignal::new(0u32);
    watch_size(box_ref, move |_, h| height.set(h.ceil().max(0.0) as u32));
    Effect::new(move |_| {
        let height = height.get();
        hosted.with(|host| {
            if let (Some(host), true) = (host, height > 0) {
                host.send(&Reply::Resize { height });
            }
        });
    });
}

/// Reports changes of the view to the host page, once for all changes within 200 ms.
fn report_changes(bench: Workbench, hosted: RwSignal<Option<Rc<Host>>, LocalStorage>) {
    let told = StoredValue::new(bench.view.with_untracked(ViewState::encode));
    let read = move || bench.view.with(ViewState::encode);
    tell_changes(told, read, move |view| {
        if let Some(Some(host)) = hosted.try_get_untracked() {
            host.send(&Reply::Change { view: view.to_owned() });
        }
    });
}
