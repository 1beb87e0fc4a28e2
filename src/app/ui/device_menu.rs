//! The choice of a device: a button that opens a list which can be searched.

use super::{Menu, NARROW, icon, value_of};
use crate::app::state::Workbench;
use crate::web::dom;
use gemmscope_model::hardware::{Device, known, short_name};
use leptos::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells the lists of a page apart: their options have ids.
static LISTS: AtomicUsize = AtomicUsize::new(0);

/// A button that opens the list of all devices, the user's own first; `taken` gets the one that was taken.
#[component]
pub fn DeviceMenu(
    /// Name of the button for screen readers.
    #[prop(into)]
    name: Signal<String>,
    /// Contents of the button.
    #[prop(into)]
    label: ViewFn,
    /// Ids of the devices in use, which the list marks.
    #[prop(into)]
    chosen: Signal<Vec<String>>,
    /// A sentence above the list.
    #[prop(optional)]
    note: &'static str,
    /// True to align the list with the right edge of the button.
    #[prop(default = false)]
    right: bool,
    #[prop(into)] taken: Callback<Device>,
    /// What follows the list.
    #[prop(optional)]
    children: Option<ChildrenFn>,
) -> impl IntoView {
    view! {
        <Menu
            class="button small"
            right=right
            name=name
            label=move || view! { <span class="device-name">{label.run()}</span>{icon(icon::DOWN)} }
        >
            {(!note.is_empty()).then(|| view! { <p class="menu-note">{note}</p> })}
            <DeviceList chosen=chosen taken=taken />
            {children.as_ref().map(|more| more())}
        </Menu>
    }
}

/// The id of the option at a position of a list.
fn option_id(list: usize, at: usize) -> String {
    format!("device-option-{list}-{at}")
}

/// The keys of a list of `count` devices, of which the one at `at` is marked.
fn move_in_list(e: &web_sys::KeyboardEvent, list: usize, at: RwSignal<usize>, count: usize) {
    let last = count.saturating_sub(1);
    let here = at.get_untracked();
    match e.key().as_str() {
        "ArrowDown" => at.set(if here < last { here + 1 } else { 0 }),
        "ArrowUp" => at.set(here.checked_sub(1).unwrap_or(last)),
        "Enter" => dom::click(&format!("#{}", option_id(list, here))),
        _ => return,
    }
    e.prevent_default();
    e.stop_propagation();
}

/// A field that searches, and the devices that it finds: a combobox. It opens at the first device in use.
#[component]
fn DeviceList(chosen: Signal<Vec<String>>, taken: Callback<Device>) -> impl IntoView {
    let bench = Workbench::here();
    let list = LISTS.fetch_add(1, Ordering::Relaxed);
    let needle = RwSignal::new(String::new());
    let found = Memo::new(move |_| {
        let own = bench.custom.get();
        let mut all = known(&own);
        needle.with(|n| all.retain(|d| d.is_called(n)));
        all
    });
    let is_chosen = move |d: &Device| chosen.with_untracked(|all| all.contains(&d.id));
    let first = found.with_untracked(|f| f.iter().position(is_chosen));
    let at = RwSignal::new(first.unwrap_or(0));
    let field = NodeRef::<leptos::html::Input>::new();
    let search = move |e: web_sys::Event| {
        needle.set(value_of(&e));
        at.set(0);
    };
    let on_key = move |e| move_in_list(&e, list, at, found.with_untracked(Vec::len));
    // The list exists in the next frame.
    Effect::new(move |shown: Option<()>| {
        let here = option_id(list, at.get());
        request_animation_frame(move || {
            if shown.is_none()
                && let Some(Some(field)) = field.try_get_untracked()
                && !dom::media(NARROW)
            {
                // On a phone its keyboard would cover the list.
                let _ = field.focus();
            }
            dom::scroll_into_list(&here);
        });
    });
    let option = move |(i, d): (usize, Device)| {
        let (name, short, memory) = (d.name.clone(), short_name(&d.name), d.memory_kind.clone());
        view! {
            <li
                id=option_id(list, i)
                class="menu-item"
                class:active=move || at.get() == i
                role="option"
                aria-selected=is_chosen(&d).to_string()
                on:click=move |_| taken.run(d.clone())
            >
                <span class="menu-text" title=name>{short}</span>
                <span class="menu-side">{memory}</span>
            </li>
        }
    };
    let all = format!("device-options-{list}");
    view! {
        <input
            type="text"
            class="menu-search"
            role="combobox"
            aria-label="Search devices"
            aria-expanded="true"
            aria-controls=all.clone()
            aria-autocomplete="list"
            aria-activedescendant=move || {
                found.with(|f| !f.is_empty()).then(|| option_id(list, at.get()))
            }
            autocomplete="off"
            placeholder="Search devices"
            node_ref=field
            on:input=search
            on:keydown=on_key
        />
        <ul class="menu-scroll" id=all role="listbox" aria-label="Devices">
            {move || found.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
        <Show when=move || found.with(Vec::is_empty)>
            <p class="menu-note" role="status">"No device of this name"</p>
        </Show>
    }
}
