//! Progress, failed files, and the status line.

use crate::app::load::Loader;
use crate::app::state::{Dialog, LoadError, LoadState, LoadedFile, Progress, Shell, Workbench};
use crate::app::ui::{icon, icon_button};
use crate::undo::History;
use crate::web::{clock, dom};
use gemmscope_model::units::{Bytes, BytesPerSec, capitalized, plural};
use gemmscope_share::data::base_name;
use leptos::prelude::*;
use std::time::Duration;

/// Up to this size, bytes, an embed shows no progress, as the table arrives before it could be seen.
const SMALL: u64 = 1 << 20;

/// Progress of the file being read, and the files that could not be read.
#[component]
pub fn Loading() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let loader = Loader::here();
    let slow = |p: &Progress| !dom::embedded() || p.total > SMALL;
    let busy = Memo::new(move |_| shell.load.with(|l| l.current.as_ref().is_some_and(slow)));
    let part = move || {
        shell
            .load
            .with(|l| l.current.as_ref().map_or(0.0, |p| p.read as f64 / (p.total.max(1)) as f64))
    };
    let fetching = Memo::new(move |_| shell.load.with(|l| Some(l.fetching.as_ref()?.name.clone())));
    let line = move || shell.load.with(|l| progress_line(l).unwrap_or_default());
    // Both lists are announced again only if they change.
    let failed = Memo::new(move |_| {
        let of = |e: &LoadError| (e.id, e.name.clone(), e.message.clone(), e.mappable);
        shell.load.with(|l| l.errors.iter().map(of).collect::<Vec<_>>())
    });
    let errors = move || {
        let notice = |(id, name, message, mappable): (u32, String, String, bool)| {
            view! {
                <div class="notice bad" role="alert">
                    {icon(icon::WARN)}
                    <p><strong>{name}</strong>" was not read: "{message}</p>
                    {mappable.then(|| view! {
                        <button type="button" class="button small" on:click=move |_| shell.open(Dialog::Mapping(id))>
                            "Assign columns…"
                        </button>
                    })}
                    {icon_button(icon::CROSS, "Dismiss", move || loader.dismiss_error(id))}
                </div>
            }
            .into_any()
        };
        failed.get().into_iter().map(notice).collect_view()
    };
    let unusable = Memo::new(move |_| unusable(bench));
    let useless = move || {
        let notice = |(id, name, why): (u32, String, String)| {
            view! {
                <div class="notice ask" role="status" data-notice="unusable">
                    {icon(icon::WARN)}
                    <p><strong>{name}</strong>" has no usable rows. "{capitalized(&why)}"."</p>
                    <button type="button" class="button small" on:click=move |_| loader.remove_file(id)>"Remove"</button>
                </div>
            }
            .into_any()
        };
        unusable.get().into_iter().map(notice).collect_view()
    };
    // Files named by the link that are not open yet.
    let missing = move || {
        let expected = bench.expected.get().filter(|_| bench.has_data.get() && !busy.get());
        expected.map(|names| {
            view! {
                <div class="notice ask" role="status">
                    {icon(icon::LINK)}
                    <p>"This link is also of "<strong>{names.replace('*', ", ")}</strong>". Until it is added, the figures are others."</p>
                    {icon_button(icon::CROSS, "Dismiss", move || bench.expected.set(None))}
                </div>
            }
        })
    };
    view! {
        <Show when=move || fetching.get().is_some()>
            <div class="loading" role="group" aria-label="Fetching">
                <span class="loading-text" role="status">"Fetching "{move || fetching.get()}"…"</span>
                <button type="button" class="button small" on:click=move |_| loader.cancel_fetching()>"Cancel"</button>
            </div>
        </Show>
        <Show when=move || busy.get()>
            <div class="loading" role="group" aria-label="Reading">
                <progress max="1" prop:value=part aria-label="Read so far"></progress>
                <span class="loading-text">{line}</span>
                <button type="button" class="button small" on:click=move |_| loader.cancel_loading()>"Cancel"</button>
            </div>
        </Show>
        {errors}
        {useless}
        {missing}
        <LeftOut />
    }
}

/// Progress of the file being read, and the next ones.
fn progress_line(load: &LoadState) -> Option<String> {
    let p = load.current.as_ref()?;
    let mut text = format!("{}  {} of {}", p.name, Bytes(p.read as f64), Bytes(p.total as f64));
    if p.bytes_per_s > 0.0 {
        text.push_str(&format!(", {}", BytesPerSec(p.bytes_per_s)));
    }
    match load.waiting.len() {
        0 => {}
        1 => text.push_str(&format!(", then {}", load.waiting[0])),
        n => text.push_str(&format!(", then {n} more")),
    }
    Some(text)
}

/// Files of a folder that were left out, with reasons.
#[component]
fn LeftOut() -> impl IntoView {
    let shell = Shell::here();
    view! {
        <Show when=move || shell.load.with(|l| !l.left.is_empty())>
            <div class="notice" role="status">
                {icon(icon::FILE)}
                <details>
                    <summary>
                        {move || {
                            let n = shell.load.with(|l| l.left.len());
                            let were = if n == 1 { "was" } else { "were" };
                            format!("{} of the folder {were} left out", plural(n as u64, "file"))
                        }}
                    </summary>
                    <ul>
                        {move || shell.load.with(|l| {
                            l.left
                                .iter()
                                .map(|(name, why)| view! { <li><strong>{name.clone()}</strong>": "{why.clone()}</li> })
                                .collect_view()
                        })}
                    </ul>
                </details>
                {icon_button(icon::CROSS, "Dismiss", move || shell.load.update(|l| l.left.clear()))}
            </div>
        </Show>
    }
}

/// Loaded files without usable rows: id, name and reason.
fn unusable(bench: Workbench) -> Vec<(u32, String, String)> {
    let of = |f: &LoadedFile| {
        let why = f.data.sources.first()?.why_unusable()?;
        Some((f.id, base_name(&f.input.name).to_owned(), why))
    };
    bench.files.with(|files| files.iter().filter_map(of).collect())
}

/// The status line at the bottom. Screen readers announce its changes.
#[component]
pub fn Status() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    // True for a while after each change, during which the line is visible.
    let fresh = RwSignal::new(false);
    let turn = StoredValue::new(0u32);
    Effect::new(move |_| {
        let (letters, undo) = shell.status.with(|m| (m.text.len() as u64, m.undo));
        fresh.set(letters > 0);
        turn.update_value(|t| *t += 1);
        let mine = turn.get_value();
        leptos::task::spawn_local(async move {
            // About the time needed to read it, and to decide.
            let shown = if undo { 10_000 } else { (2000 + 35 * letters).min(4800) };
            clock::pause(Duration::from_millis(shown)).await;
            while dom::exists(".status:hover, .status:focus-within") {
                clock::pause(Duration::from_secs(1)).await;
            }
            if turn.try_get_value() == Some(mine) {
                fresh.try_set(false);
            }
        });
    });
    // A step that was undone in another way needs no button.
    let undone = move || shell.status.with(|m| m.undo) && bench.history.with(History::can_redo);
    let shown = move || fresh.get() && !undone();
    let undo = move |_| {
        bench.undo();
        // The button disappears.
        dom::focus("#main");
    };
    view! {
        <p class="status" class:fresh=shown role="status" aria-live="polite">
            <span>{move || shell.status.get().text}</span>
            <Show when=move || shown() && shell.status.with(|m| m.undo)>
                <button type="button" class="status-undo" on:click=undo>"Undo"</button>
            </Show>
        </p>
    }
}
