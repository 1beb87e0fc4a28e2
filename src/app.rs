//! The page: Leptos components over the state in [`state`]. They lay out and wire up; what is
//! computed is computed in the modules below `web`.

#![allow(missing_docs, reason = "props are named in the markup that uses them")]

pub mod chart_view;
pub mod controls;
pub mod detail;
pub mod device_form;
pub mod devices;
pub mod embed;
pub mod empty;
pub mod files;
pub mod filters;
pub mod formats;
pub mod header;
pub mod help;
pub mod judge;
pub mod later;
pub mod load;
pub mod mapping;
pub mod model_row;
pub mod overview;
pub mod page;
pub mod plan;
pub mod rehearsal;
pub mod share;
pub mod shortcuts;
pub mod source;
pub mod state;
pub mod table;
pub mod terms;
pub mod totals;
pub mod ui;
pub mod views;
pub mod workspace;

use crate::view_state::ViewState;
use crate::web::{clock, dom, file};
use leptos::prelude::*;
use state::{App, Dialog, ThemeChoice};
use std::time::Duration;
use ui::{icon, icon_button};
use wasm_bindgen::prelude::*;

/// The whole page. Mount it as often as you like: it shares nothing but the address bar.
#[component]
pub fn GemmScope(
    /// Called once with the state, for what the host page may ask.
    #[prop(optional)]
    on_start: Option<Box<dyn FnOnce(App)>>,
) -> impl IntoView {
    let app = App::new(&dom::hash());
    provide_context(app);
    follow_theme(app);
    follow_frame(app);
    if let Some(on_start) = on_start {
        on_start(app);
    }
    start_later(app);
    source::open_given(app);
    if dom::embedded() {
        dom::set_root_data("embed", Some("1"));
        return later::later(later::embedded);
    }
    follow_address(app);
    let dragging = accept_files(app);
    shortcuts::listen(app);

    let empty = Memo::new(move |_| app.files.with(Vec::is_empty));
    let needs_file = Memo::new(move |_| app.view.with(|v| views::shown(&v.view).needs_file()));
    let shown = Memo::new(move |_| !empty.get() || !needs_file.get());
    let built = Memo::new(move |was: Option<&bool>| {
        shown.get() || app.built_early.get() || was == Some(&true)
    });
    // Made here: a part that is asked for again by a click has no owner to keep its signals.
    let (drawer, shows) = (RwSignal::new(false), Signal::from(shown));
    view! {
        <div class="app" class:dragging=move || dragging.get() class:has-data=move || !empty.get()>
            <a class="skip-link" href="#main" on:click=skip_to_main>"Skip to the chart"</a>
            <header::Header drawer=drawer />
            <Loading />
            <Show when=move || !shown.get()><empty::Empty /></Show>
            <Show when=move || built.get()>
                {later::later(move || later::workspace(drawer, shows))}
            </Show>
            <div class="drop-veil" aria-hidden="true"><p>"Drop to add"</p></div>
            <Status />
            <AskedDialog />
        </div>
    }
    .into_any()
}

fn skip_to_main(event: web_sys::MouseEvent) {
    // A real jump would write "#main" over the view in the address bar.
    event.prevent_default();
    dom::focus("#main");
}

/// Progress of the file that is being read, and what could not be read.
#[component]
fn Loading() -> impl IntoView {
    let app = App::here();
    let busy = Memo::new(move |_| app.load.with(|l| l.current.is_some()));
    let part = move || {
        app.load.with(|l| {
            l.current
                .as_ref()
                .map_or(0.0, |p| p.read as f64 / (p.total.max(1)) as f64)
        })
    };
    let line = move || {
        app.load.with(|l| {
            let Some(p) = &l.current else {
                return String::new();
            };
            let mut text = format!(
                "{}  {} of {}",
                p.name,
                crate::units::Bytes(p.read as f64),
                crate::units::Bytes(p.total as f64)
            );
            if p.bytes_per_s > 0.0 {
                text.push_str(&format!(", {}", crate::units::BytesPerSec(p.bytes_per_s)));
            }
            match l.waiting.len() {
                0 => {}
                1 => text.push_str(&format!(", then {}", l.waiting[0])),
                n => text.push_str(&format!(", then {n} more")),
            }
            text
        })
    };
    view! {
        <Show when=move || busy.get()>
            <div class="loading" role="group" aria-label="Reading">
                <progress max="1" prop:value=part aria-label="Read so far"></progress>
                <span class="loading-text">{line}</span>
                <button type="button" class="button small" on:click=move |_| app.cancel_loading()>"Cancel"</button>
            </div>
        </Show>
        <For each=move || app.load.get().errors key=|e| (e.id, e.message.clone()) let:error>
            <div class="notice bad" role="alert">
                {ui::icon(icon::WARN)}
                <p><strong>{error.name.clone()}</strong>" was not read: "{error.message.clone()}</p>
                {error.mappable.then(|| view! {
                    <button type="button" class="button small" on:click=move |_| app.open(Dialog::Mapping(error.id))>
                        "Assign columns…"
                    </button>
                })}
                {icon_button(icon::CROSS, "Dismiss", move || app.dismiss_error(error.id))}
            </div>
        </For>
        <Show when=move || app.load.with(|l| !l.left.is_empty())>
            <div class="notice" role="status">
                {ui::icon(icon::FILE)}
                <details>
                    <summary>
                        {move || app.load.with(|l| match l.left.len() {
                            1 => "1 file of the folder was left out".to_owned(),
                            n => format!("{n} files of the folder were left out"),
                        })}
                    </summary>
                    <ul>
                        {move || app.load.with(|l| {
                            l.left
                                .iter()
                                .map(|(name, why)| view! { <li><strong>{name.clone()}</strong>": "{why.clone()}</li> })
                                .collect_view()
                        })}
                    </ul>
                </details>
                {icon_button(icon::CROSS, "Dismiss", move || app.load.update(|l| l.left.clear()))}
            </div>
        </Show>
    }
}

/// One line at the bottom that assistive technology reads out when it changes.
#[component]
fn Status() -> impl IntoView {
    let app = App::here();
    // Seen for a while after each change; read out by assistive technology at once.
    let fresh = RwSignal::new(false);
    let turn = StoredValue::new(0u32);
    Effect::new(move |_| {
        let letters = app.status.with(String::len) as u64;
        fresh.set(letters > 0);
        turn.update_value(|t| *t += 1);
        let mine = turn.get_value();
        leptos::task::spawn_local(async move {
            // As long as it takes to read.
            clock::pause(Duration::from_millis((2000 + 35 * letters).min(4800))).await;
            if turn.try_get_value() == Some(mine) {
                fresh.try_set(false);
            }
        });
    });
    view! {
        <p class="status" class:fresh=move || fresh.get() role="status" aria-live="polite">
            {move || app.status.get()}
        </p>
    }
}

/// The dialog that is open, if any.
#[component]
fn AskedDialog() -> impl IntoView {
    let app = App::here();
    let asked = Memo::new(move |_| app.dialog.with(Option::is_some));
    view! { <Show when=move || asked.get()>{later::later(later::dialogs)}</Show> }
}

/// Colours follow the choice, the choice follows the system.
fn follow_theme(app: App) {
    let system = RwSignal::new(dom::media("(prefers-color-scheme: dark)"));
    let watch = dom::watch_media("(prefers-color-scheme: dark)", move |_| {
        system.set(dom::media("(prefers-color-scheme: dark)"));
    });
    let watch = StoredValue::new_local(watch);
    on_cleanup(move || watch.dispose());
    Effect::new(move |_| {
        let choice = app.theme.get();
        app.dark.set(match choice {
            ThemeChoice::System => system.get(),
            ThemeChoice::Light => false,
            ThemeChoice::Dark => true,
        });
        dom::set_root_data(
            "theme",
            match choice {
                ThemeChoice::System => None,
                ThemeChoice::Light => Some("light"),
                ThemeChoice::Dark => Some("dark"),
            },
        );
    });
}

/// The address bar follows the view, and the view follows a link that is typed or gone back to.
fn follow_address(app: App) {
    let written = StoredValue::new(app.view.with_untracked(ViewState::encode));
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        let text = app.view.with(ViewState::encode);
        if written.with_value(|w| *w == text) || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        leptos::task::spawn_local(async move {
            // Browsers refuse more than a few address changes a second.
            clock::pause(Duration::from_millis(200)).await;
            let Some(text) = app.view.try_with_untracked(ViewState::encode) else {
                return;
            };
            waiting.set_value(false);
            dom::replace_hash(&text);
            written.set_value(text);
        });
    });
    let listener = dom::listen(&dom::window(), "hashchange", move |_: web_sys::Event| {
        let text = dom::hash();
        let text = text.trim_start_matches('#').to_owned();
        if written.with_value(|w| *w == text) {
            return;
        }
        let (view, _) = ViewState::decode(&text);
        written.set_value(text);
        app.edit("link", |v| *v = view);
    });
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}

/// Lists and tables follow the chart by one painted frame, so that no task is long.
fn follow_frame(app: App) {
    let running = StoredValue::new(false);
    Effect::new(move |_| {
        app.frame.track();
        if running.get_value() {
            return;
        }
        running.set_value(true);
        leptos::task::spawn_local(async move {
            clock::after_paint().await;
            running.set_value(false);
            if let Some(frame) = app.frame.try_get_untracked()
                && app
                    .late
                    .try_get_untracked()
                    .is_some_and(|late| late != frame)
            {
                app.late.set(frame);
            }
        });
    });
    Effect::new(move |_| {
        let rows = app.data.with(|d| d.len());
        dom::set_root_data("rows", Some(&rows.to_string()));
    });
}

/// Files may be dropped anywhere, and pasted where no text field has the focus.
fn accept_files(app: App) -> RwSignal<bool> {
    let dragging = RwSignal::new(false);
    let window = dom::window();
    let over = dom::listen(&window, "dragover", move |event: web_sys::DragEvent| {
        if file::carries_files(event.data_transfer().as_ref()) {
            event.prevent_default();
            dragging.set(true);
        }
    });
    let leave = dom::listen(&window, "dragleave", move |event: web_sys::DragEvent| {
        // Leaving the window names no element that is entered.
        if event.related_target().is_none() {
            dragging.set(false);
        }
    });
    let drop = dom::listen(&window, "drop", move |event: web_sys::DragEvent| {
        dragging.set(false);
        if file::carries_files(event.data_transfer().as_ref()) {
            event.prevent_default();
            let Some(transfer) = event.data_transfer() else {
                return;
            };
            let dropped = file::dropped(&transfer);
            leptos::task::spawn_local(async move {
                if dropped.has_folder() {
                    app.add_folder(dropped.inputs().await);
                } else {
                    app.add(dropped.inputs().await);
                }
            });
        }
    });
    let paste = dom::listen(&window, "paste", move |event: web_sys::ClipboardEvent| {
        let Some(data) = event.clipboard_data() else {
            return;
        };
        let in_field = event
            .target()
            .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
            .is_some_and(|e| {
                e.closest("input, textarea, select")
                    .ok()
                    .flatten()
                    .is_some()
            });
        if in_field {
            return;
        }
        let files = file::from_list(data.files());
        if !files.is_empty() {
            app.add(files);
        } else if let Ok(text) = data.get_data("text/plain")
            && text.contains('\n')
        {
            app.add(vec![file::Input::from_bytes(
                "pasted text",
                text.as_bytes(),
            )]);
        }
    });
    let listeners = StoredValue::new_local([over, leave, drop, paste]);
    on_cleanup(move || listeners.dispose());
    dragging
}

/// Lets the browser compile what a large file runs through, a little at a time.
async fn rehearse() {
    let Ok(mut step) = later::rehearsal().await else {
        return;
    };
    loop {
        clock::pause(Duration::ZERO).await;
        if !step() {
            return;
        }
    }
}

/// After the first paint: say that the page is ready, then start the worker and warm it up.
fn start_later(app: App) {
    leptos::task::spawn_local(async move {
        clock::after_paint().await;
        clock::mark("gemmscope:first-view");
        dom::set_root_data("ready", Some("1"));
        // What is not on the screen yet, while the reader reaches for a file.
        let work = later::load_work().await.is_ok();
        clock::pause(Duration::from_millis(150)).await;
        if let Some(loader) = app.try_loader() {
            loader.prepare().await;
        }
        if work && !dom::embedded() {
            app.built_early.try_set(true);
            rehearse().await;
        }
        // From here on the page asks nobody for anything. A frame fetches what its reader opens.
        let all = !dom::embedded() && later::load_rest().await;
        dom::set_root_data("parts", Some(if all { "all" } else { "some" }));
    });
}
