//! The device for rows whose file states none: a searchable list, and the dialog of all devices.

use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::{DeviceMenu, icon};
use gemmscope_model::hardware::{Device, short_name};
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
            <DeviceMenu
                right=true
                name=Signal::derive(move || {
                    let assumed = if assumed.get() { " assumed" } else { "" };
                    format!("Device: {}{assumed}", label.get())
                })
                label=move || view! { {icon(icon::CHIP)}{move || label.get()}{move || assumed.get().then(|| view! { <small class="device-assumed">" assumed"</small> })} }
                note="For rows whose file states no device:"
                chosen=Signal::derive(move || bench.device_ids())
                taken=move |d: Device| bench.choose_device("", Some(d.id))
            >
                <hr />
                <button type="button" class="menu-item" on:click=move |_| shell.open(Dialog::Devices(None))>
                    "All peaks, own devices…" <kbd>"D"</kbd>
                </button>
            </DeviceMenu>
        </div>
    }
}
