//! The parts of the program that arrive after the first view: the build cuts them out of the wasm
//! (`scripts/split.mjs`), the browser fetches them when they are first needed or when it is idle.
//!
//! What a part alone uses is in its file; what several use, in one they share; what the first
//! view uses, in the main file. So nothing outside a part may name what is meant to be in it.

use super::state::App;
use super::{embed, plan};
use crate::samples::{Content, Sample};
use crate::web::reading;
use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use leptos::reactive::owner::WeakOwner;
use std::future::Future;
use std::rc::Rc;
pub use wasm_split_helpers::SplitLoaderError as NotLoaded;
use wasm_split_helpers::wasm_split;

/// Takes a model's configuration into the planner; see [`plan::take_model`].
#[wasm_split(plan, fallible)]
pub fn take_model(app: App, name: String, text: String) -> Result<(), NotLoaded> {
    plan::take_model(app, &name, &text);
    Ok(())
}

/// The planner.
#[wasm_split(plan, fallible, preload(#[doc = "Fetches the planner."] load_plan))]
pub fn planner() -> Result<AnyView, NotLoaded> {
    Ok(view! { <plan::PlanView /> }.into_any())
}

/// Everything around and below the views, once there is something to see.
#[wasm_split(work, fallible, preload(#[doc = "Fetches what surrounds the views."] load_work))]
pub fn workspace(drawer: RwSignal<bool>, shown: Signal<bool>) -> Result<AnyView, NotLoaded> {
    Ok(view! { <super::workspace::Workspace drawer=drawer shown=shown /> }.into_any())
}

/// See [`rehearsal::steps`].
#[wasm_split(work, fallible)]
pub fn rehearsal() -> Result<Box<dyn FnMut() -> bool>, NotLoaded> {
    Ok(super::rehearsal::steps())
}

/// The file behind a sample.
#[wasm_split(work, fallible)]
pub fn sample(sample: &'static Sample) -> Result<Content, NotLoaded> {
    Ok(sample.content())
}

/// The page inside another one.
#[wasm_split(work, fallible)]
pub fn embedded() -> Result<AnyView, NotLoaded> {
    Ok(view! { <embed::Embedded /> }.into_any())
}

/// The dialog that is asked for.
#[wasm_split(ask, fallible, preload(#[doc = "Fetches the dialogs."] load_ask))]
pub fn dialogs() -> Result<AnyView, NotLoaded> {
    Ok(view! { <super::workspace::Dialogs /> }.into_any())
}

/// Fetches every part that is not there yet; false where one did not come.
pub async fn load_rest() -> bool {
    load_ask().await.is_ok() && load_plan().await.is_ok() && reading::load().await.is_ok()
}

/// Shows a part once it is there, and what to do where it does not come.
pub fn later<F>(load: impl Fn() -> F + 'static) -> AnyView
where
    F: Future<Output = Result<AnyView, NotLoaded>> + 'static,
{
    place(Rc::new(move || Box::pin(load())))
}

type Load = Rc<dyn Fn() -> std::pin::Pin<Box<dyn Future<Output = Result<AnyView, NotLoaded>>>>>;

fn place(load: Load) -> AnyView {
    // None while it is on its way.
    let here = RwSignal::new(None::<bool>);
    let slot = StoredValue::new_local(None::<AnyView>);
    let load = StoredValue::new_local(load);
    // What the part makes belongs to where it is placed, also when a click asks for it again.
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
