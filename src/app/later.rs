//! Parts of the program that arrive after the first view. The build cuts them out of the wasm
//! (`scripts/split.mjs`); the browser fetches them when they are first needed, or when it is idle.
//!
//! A function with `#[wasm_split(NAME)]` begins a part: `open` (what a file goes through, the
//! roofline), `table` (readers of plain tables), `embed` (a picture inside another page), `charts` (any
//! other picture there), `page` (what a frame with a small table has no use for: what page and worker
//! say to each other, the user's own devices and columns), `work` (workspace, samples), `ask` (dialogs),
//! `plan` (planner), `read` (readers of all files), `save` (pictures as text), `several` (what the
//! second file needs), `carried` (data of a link or a page), `summary` (figures for scripts and hosts),
//! `told` (progress and what could not be read). What only one part uses is in its file; what several
//! use, in one they share; what the first view uses, in the main file. So code outside a part must not
//! name what is meant to be in it.

use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use leptos::reactive::owner::WeakOwner;
use std::future::Future;
use std::rc::Rc;
pub use wasm_split_helpers::SplitLoaderError as NotLoaded;

/// Shows a part once it has arrived, or a button to try again where it could not be loaded.
pub fn later<F>(load: impl Fn() -> F + 'static) -> AnyView
where
    F: Future<Output = Result<AnyView, NotLoaded>> + 'static,
{
    place(Rc::new(move || Box::pin(load())))
}

type Load = Rc<dyn Fn() -> std::pin::Pin<Box<dyn Future<Output = Result<AnyView, NotLoaded>>>>>;

fn place(load: Load) -> AnyView {
    // None while the part is being fetched, then whether it arrived.
    let here = RwSignal::new(None::<bool>);
    let slot = StoredValue::new_local(None::<AnyView>);
    let load = StoredValue::new_local(load);
    // The component's owner: signals of the part belong to it, also when a click asked for the part
    // again.
    let owner = Owner::current().map(|o| StoredValue::new(o.downgrade()));
    let start = move || {
        here.set(None);
        let Some(coming) = load.try_with_value(|load| load()) else {
            return;
        };
        let arrive = async move {
            let result = coming.await;
            let arrived = result.is_ok();
            slot.try_set_value(result.ok());
            here.try_set(Some(arrived));
        };
        let owner = owner.and_then(|o| o.try_with_value(WeakOwner::upgrade).flatten());
        if let Some(owner) = owner {
            let scoped = owner.with(|| ScopedFuture::new_untracked(arrive));
            leptos::task::spawn_local(scoped);
        }
    };
    start();
    (move || match here.get() {
        None => None,
        Some(true) => slot.try_update_value(Option::take).flatten(),
        Some(false) => Some(
            view! {
                <div class="notice bad" role="alert">
                    {super::ui::icon(super::ui::icon::WARN)}
                    <p>"This part of the page could not be loaded. Check the connection, then "</p>
                    <button type="button" class="button small" on:click=move |_| start()>"Try again"</button>
                </div>
            }
            .into_any(),
        ),
    })
    .into_any()
}
