//! The device for rows whose file states none: a searchable list, and the dialog of all devices.

use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::{Menu, NARROW, icon, value_of};
use crate::web::dom;
use gemmscope_model::hardware::{Device, known, short_name};
use leptos::prelude::*;

/// Chooses the device for rows whose file states none, and opens the dialog of all devices.
#[component]
pub fn DevicePicker() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let devices = bench.devices_in_use;
    let label = Memo::new(move |_| {
        let all = devices.get();
        let known: Vec<&String> = all.iter().flatten().collect();
        let names = match known[..] {
            [] => return "Device".to_owned(),
            [one] => short_name(one),
            _ => format!("{} devices", known.len()),
        };
        if known.len() < all.len() { names + " + unknown" } else { names }
    });
    // An importer inferred it from the name or the kind of a file, and the user did not choose another one.
    let assumed = Memo::new(move |_| {
        let used = devices.get();
        bench.data.with(|data| {
            let mut all = data.sources.iter().flat_map(|s| &s.assumptions);
            !used.contains(&None)
                && all.any(|a| {
                    a.key == "device" && !a.by_hand && used.iter().flatten().any(|d| *d == a.value)
                })
        })
    });
    let missing = move || devices.with(|d| d.contains(&None));
    view! {
        <div class="device-picker" class:unset=missing>
            <Menu
                class="button small"
                right=true
                name=Signal::derive(move || {
                    let assumed = if assumed.get() { " assumed" } else { "" };
                    format!("Device: {}{assumed}", label.get())
                })
                label=move || view! { {icon(icon::CHIP)}<span class="device-name">{move || label.get()}</span>{move || assumed.get().then(|| view! { <small class="device-assumed">" assumed"</small> })}{icon(icon::DOWN)} }
            >
                <Choice />
                <hr />
                <button type="button" class="menu-item" on:click=move |_| shell.open(Dialog::Devices(None))>
                    "All peaks, own devices…" <kbd>"D"</kbd>
                </button>
            </Menu>
        </div>
    }
}

fn option_id(at: usize) -> String {
    format!("device-option-{at}")
}

/// Keys of a list of `count` devices; `at` is the marked index.
fn move_in_list(e: &web_sys::KeyboardEvent, at: RwSignal<usize>, count: usize) {
    let last = count.saturating_sub(1);
    let here = at.get_untracked();
    match e.key().as_str() {
        "ArrowDown" => at.set(if here < last { here + 1 } else { 0 }),
        "ArrowUp" => at.set(here.checked_sub(1).unwrap_or(last)),
        "Enter" => dom::click(&format!("#{}", option_id(here))),
        _ => return,
    }
    e.prevent_default();
    e.stop_propagation();
}

/// A search field with the devices that match: a combobox. It opens at the current device.
#[component]
fn Choice() -> impl IntoView {
    let bench = Workbench::here();
    let needle = RwSignal::new(String::new());
    let found = Memo::new(move |_| {
        let own = bench.custom.get();
        let mut all = known(&own);
        needle.with(|n| all.retain(|d| d.is_called(n)));
        all
    });
    let used = bench.device_ids();
    let is_used = move |d: &Device| used.contains(&d.id);
    let first = found.with_untracked(|f| f.iter().position(&is_used));
    let at = RwSignal::new(first.unwrap_or(0));
    let field = NodeRef::<leptos::html::Input>::new();
    let search = move |e: web_sys::Event| {
        needle.set(value_of(&e));
        at.set(0);
    };
    let on_key = move |e| move_in_list(&e, at, found.with_untracked(Vec::len));
    // The list exists in the next frame.
    Effect::new(move |shown: Option<()>| {
        let here = option_id(at.get());
        request_animation_frame(move || {
            if shown.is_none()
                && let Some(Some(field)) = field.try_get_untracked()
                && !dom::media(NARROW)
            {
                // On a phone the keyboard would cover the list.
                let _ = field.focus();
            }
            dom::scroll_into_list(&here);
        });
    });
    let options = move || {
        let is_used = is_used.clone();
        let one = move |(i, d): (usize, Device)| {
            let id = d.id.clone();
            view! {
                <li
                    id=option_id(i)
                    class="menu-item"
                    class:active=move || at.get() == i
                    role="option"
                    aria-selected=is_used(&d).to_string()
                    on:click=move |_| bench.choose_device("", Some(id.clone()))
                >
                    <span class="menu-text" title=d.name.clone()>{short_name(&d.name)}</span>
                    <span class="menu-side">{d.memory_kind.clone()}</span>
                </li>
            }
        };
        let found = found.get().into_iter().enumerate();
        found.map(one).collect_view()
    };
    view! {
        <p class="menu-note">"For rows whose file states no device:"</p>
        <input
            type="text"
            class="menu-search"
            role="combobox"
            aria-label="Search devices"
            aria-expanded="true"
            aria-controls="device-options"
            aria-autocomplete="list"
            aria-activedescendant=move || found.with(|f| !f.is_empty()).then(|| option_id(at.get()))
            autocomplete="off"
            placeholder="Search devices"
            node_ref=field
            on:input=search
            on:keydown=on_key
        />
        <ul class="menu-scroll" id="device-options" role="listbox" aria-label="Devices">{options}</ul>
        <Show when=move || found.with(Vec::is_empty)>
            <p class="menu-note" role="status">"No device of this name"</p>
        </Show>
    }
}
