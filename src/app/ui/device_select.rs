//! The list of all devices, wherever a file or a row needs one.

use super::value_of;
use crate::app::state::Workbench;
use gemmscope_model::hardware::{Device, known, short_name};
use leptos::prelude::*;

/// All devices as a list, the user's own first. `none` stands in it for no device, while none is
/// `chosen` (by id) or where that can be taken back; `change` gets the device that was taken.
pub fn device_select(
    label: Option<String>,
    chosen: Option<&str>,
    none: Option<String>,
    change: impl Fn(Option<Device>) + 'static,
) -> AnyView {
    let own = Workbench::here().custom.get();
    let all = known(&own);
    let options = all.iter().map(|d| {
        let selected = chosen == Some(&d.id);
        view! { <option value=d.id.clone() selected=selected>{short_name(&d.name)}</option> }
    });
    let options = options.collect_view();
    let taken = move |id: String| change(all.iter().find(|d| d.id == id).cloned());
    view! {
        <select aria-label=label on:change=move |e| taken(value_of(&e))>
            {none.map(|words| view! { <option value="" selected=chosen.is_none()>{words}</option> })}
            {options}
        </select>
    }
    .into_any()
}
