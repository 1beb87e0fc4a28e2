//! Reopening files after a reload: the question whether to, the switch, and the list of kept files.

use crate::app::load::Loader;
use crate::app::load::kept::Kept;
use crate::app::state::{LoadedFile, Workbench};
use crate::app::ui::icon;
use crate::web::dom;
use gemmscope_model::units::plural;
use leptos::prelude::*;

/// Notice that filters were restored with the files of last time, until they are changed.
#[component]
pub fn RestoredFilters() -> impl IntoView {
    let kept = Kept::here();
    let bench = Workbench::here();
    let shown = Memo::new(move |_| {
        let now = bench.view.with(|v| v.filters.clone());
        let same = kept.filters.with(|f| f.as_ref() == Some(&now));
        bench.has_data.get() && same
    });
    let words = move || {
        let n = bench.view.with(|v| v.filters.count());
        format!("{} from last time.", plural(n as u64, "filter"))
    };
    view! {
        <Show when=move || shown.get()>
            <div class="notice restored" role="status">
                {icon(icon::FILTER)}
                <p>{words}</p>
                <button type="button" class="button small" on:click=move |_| bench.clear_filters()>"Remove"</button>
                <button type="button" class="button small" on:click=move |_| kept.filters.set(None)>"Keep"</button>
            </div>
        </Show>
    }
}

/// Asks once, below the first file of the user's own, whether to keep files.
#[component]
pub fn AskToKeep() -> impl IntoView {
    let kept = Kept::here();
    let loader = Loader::here();
    let bench = Workbench::here();
    let own = Memo::new(move |_| bench.files.with(|files| files.iter().any(LoadedFile::is_own)));
    let asks = move || kept.allowed && own.get() && !kept.answered.get();
    let answer = move |label: &'static str, on: bool| {
        let choose = move |_| {
            kept.set_on(loader, on);
            dom::focus("#main");
        };
        view! { <button type="button" class="button small" on:click=choose>{label}</button> }
    };
    view! {
        <Show when=asks>
            <section class="ask-to-keep" aria-label="Reopen after a reload">
                <p>"Reopen your files after a reload? They stay in this browser; nothing is sent."</p>
                {answer("Reopen them", true)}
                {answer("No", false)}
            </section>
        </Show>
    }
}

/// The switch, the kept files, and a button to forget them. Empty if this page keeps no files.
#[component]
pub fn KeptFiles(
    /// True to offer opening what is kept.
    #[prop(default = false)]
    reopen: bool,
) -> impl IntoView {
    let kept = Kept::here();
    let loader = Loader::here();
    if !kept.allowed {
        return ().into_any();
    }
    let names = kept.names;
    let any = Memo::new(move |_| names.with(|n| !n.is_empty()));
    let line = move || {
        let files = names.with(|names| match &names[..] {
            [one] => one.clone(),
            many => plural(many.len() as u64, "file"),
        });
        format!("Kept in this browser: {files}.")
    };
    let all = move || names.get().join("\n");
    view! {
        <div class="kept">
            <label class="check" title="Up to 200 MB stay in this browser. Nothing is sent.">
                <input type="checkbox" prop:checked=move || kept.on.get()
                    on:change=move |_| kept.set_on(loader, !kept.on.get_untracked()) />
                "Reopen my files after a reload"
            </label>
            <Show when=move || any.get()>
                <span class="muted kept-names" title=all>{line}</span>
                {reopen.then(|| view! {
                    <button type="button" class="button small" on:click=move |_| kept.open(loader, true)>
                        {icon(icon::UNDO)} "Reopen"
                    </button>
                })}
                <button type="button" class="button small" on:click=move |_| kept.forget(loader)>"Forget"</button>
            </Show>
            <p class="muted" role="status">{move || kept.trouble.get()}</p>
        </div>
    }
    .into_any()
}
