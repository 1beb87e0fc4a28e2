//! The page inside another one (`?embed=1`): the views and nothing else. Its host hands over the
//! data and hears of size and changes; it has no file chooser, no storage and no address of its
//! own.

use super::state::{App, LoadedFile, ThemeChoice};
use super::{AskedDialog, Loading, Status, detail, totals, views};
use crate::chart::palette::Theme;
use crate::chart::svg::svg;
use crate::embed::{Export, Reply, Request, ViewChange};
use crate::export::CsvWriter;
use crate::hardware;
use crate::import::ImportOptions;
use crate::picture;
use crate::summary::Summary;
use crate::view_state::ViewState;
use crate::web::file::Input;
use crate::web::host::{self, Host};
use crate::web::{clock, dom};
use leptos::prelude::*;
use serde_json::Value;
use std::rc::Rc;
use std::time::Duration;

type Answer = Result<Option<Value>, (String, String)>;

/// The frame's content.
#[component]
pub fn Embedded() -> impl IntoView {
    let app = App::here();
    let box_ref = NodeRef::<leptos::html::Div>::new();
    let hosted = RwSignal::new_local(None::<Rc<Host>>);
    connect(app, hosted);
    report_height(box_ref, hosted);
    report_changes(app, hosted);
    let empty = Memo::new(move |_| app.files.with(Vec::is_empty));
    view! {
        <div class="app embed" class:has-data=move || !empty.get() node_ref=box_ref>
            <Loading />
            <Show when=move || !empty.get() fallback=|| view! { <p class="embed-wait" role="status">"No data yet."</p> }>
                <views::Tabs />
                <div class="workspace">
                    <main class="main" id="main" tabindex="-1">
                        <totals::Strip />
                        <views::ActiveView />
                    </main>
                    <detail::Detail />
                </div>
            </Show>
            <Status />
            <AskedDialog />
        </div>
    }
}

/// Waits for the host and carries its requests out.
fn connect(app: App, hosted: RwSignal<Option<Rc<Host>>, LocalStorage>) {
    let handler: host::Handler = Rc::new(move |host, request, bytes| match request {
        Request::Load {
            id,
            name,
            format,
            add,
        } => {
            host.busy.set(true);
            leptos::task::spawn_local(async move {
                let bytes = bytes.map(|b| js_sys::Uint8Array::new(&b).to_vec());
                let input = Input::from_bytes(&name, &bytes.unwrap_or_default());
                let result = load(app, input, format, add).await;
                host.busy.set(false);
                host.answer(id, result);
            });
        }
        Request::View { id, set } => host.answer(id, change(app, set)),
        Request::Export { id, what } => host.answer(id, export(app, what)),
    });
    let joined = move |host| {
        dom::set_root_data("hosted", Some("1"));
        drop(hosted.try_set(Some(host)));
    };
    let listener = host::listen(joined, handler);
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}

async fn load(app: App, input: Input, format: Option<String>, add: bool) -> Answer {
    let options = ImportOptions {
        format,
        ..ImportOptions::default()
    };
    let before: Vec<u32> = app
        .files
        .with_untracked(|f| f.iter().map(|f: &LoadedFile| f.id).collect());
    app.add_one(input, options)
        .await
        .map_err(|message| ("unreadable".to_owned(), message))?;
    if !add {
        for id in before {
            app.remove_file(id);
        }
    }
    clock::after_paint().await;
    Ok(Some(summary(app)))
}

fn summary(app: App) -> Value {
    let all = app
        .frame
        .with_untracked(|f| Summary::all(&f.data, &f.metrics));
    serde_json::to_value(all).unwrap_or_default()
}

fn change(app: App, set: ViewChange) -> Answer {
    let bad = |what: &str, value: &str| {
        let value: String = value.chars().take(40).collect();
        Err(("bad-value".to_owned(), format!("{what}: {value}")))
    };
    let mut state = match &set.hash {
        Some(hash) => ViewState::decode(hash).0,
        None => app.view.get_untracked(),
    };
    if let Some(view) = &set.view {
        let Some(known) = views::VIEWS.iter().find(|v| v.id == view) else {
            let ids: Vec<&str> = views::VIEWS.iter().map(|v| v.id).collect();
            return bad(&format!("view is one of {}", ids.join(", ")), view);
        };
        state.view = known.key().to_owned();
    }
    if let Some(device) = &set.device {
        let Some(known) = hardware::match_name(device).device() else {
            return bad("device is an id or a full name of the catalogue", device);
        };
        state.devices.default = Some(known.id.clone());
    }
    if let Some(theme) = set.theme.as_deref() {
        app.theme.set(match theme {
            "light" => ThemeChoice::Light,
            "dark" => ThemeChoice::Dark,
            _ => ThemeChoice::System,
        });
    }
    if app.view.with_untracked(|v| *v != state) {
        app.view.set(state);
    }
    Ok(None)
}

fn export(app: App, what: Export) -> Answer {
    let text = match what {
        Export::View => app.view.with_untracked(ViewState::encode),
        Export::Summary => return Ok(Some(summary(app))),
        Export::Csv => app.frame.with_untracked(|f| {
            let writer = CsvWriter::new(&f.data, None);
            writer.header() + &writer.rows(f.rows.iter().map(|&r| r as usize))
        }),
        Export::Svg => {
            let width = dom::window()
                .inner_width()
                .ok()
                .and_then(|w| w.as_f64())
                .unwrap_or(960.0);
            let theme = Theme::of(app.dark.get_untracked());
            let scene = app.frame.with_untracked(|f| {
                app.view
                    .with_untracked(|v| picture::draw(f, v, (width.max(480.0), None), &theme))
            });
            match scene {
                Some(scene) => svg(&scene),
                None => {
                    let message = "this view has no picture".to_owned();
                    return Err(("no-picture".to_owned(), message));
                }
            }
        }
    };
    Ok(Some(text.into()))
}

/// Tells the host how high everything is. Heights in the frame follow from its width alone, so
/// what the host does with the answer changes nothing here.
fn report_height(
    box_ref: NodeRef<leptos::html::Div>,
    hosted: RwSignal<Option<Rc<Host>>, LocalStorage>,
) {
    let height = RwSignal::new(0u32);
    let watch = StoredValue::new_local(None::<dom::SizeWatch>);
    Effect::new(move |_| {
        if let Some(element) = box_ref.get() {
            let element: &web_sys::Element = &element;
            let watched = dom::watch_size(element, move |_, h| {
                let _ = height.try_set(h.ceil().max(0.0) as u32);
            });
            watch.set_value(watched);
        }
    });
    on_cleanup(move || watch.dispose());
    Effect::new(move |_| {
        let height = height.get();
        hosted.with(|host| {
            if let (Some(host), true) = (host, height > 0) {
                host.send(&Reply::Resize { height });
            }
        });
    });
}

/// Tells the host what the reader looks at now, a little later, once.
fn report_changes(app: App, hosted: RwSignal<Option<Rc<Host>>, LocalStorage>) {
    let told = StoredValue::new(app.view.with_untracked(ViewState::encode));
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        let text = app.view.with(ViewState::encode);
        if told.with_value(|t| *t == text) || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        leptos::task::spawn_local(async move {
            clock::pause(Duration::from_millis(200)).await;
            let Some(view) = app.view.try_with_untracked(ViewState::encode) else {
                return;
            };
            waiting.set_value(false);
            told.set_value(view.clone());
            if let Some(Some(host)) = hosted.try_get_untracked() {
                host.send(&Reply::Change { view });
            }
        });
    });
}
