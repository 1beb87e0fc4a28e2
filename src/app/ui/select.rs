//! Select elements.

use super::value_of;
use gemmscope_table::control::Choice;
use leptos::prelude::*;

/// Lists up to this many options are built at once, longer ones on focus.
const SHORT: usize = 12;

/// A list of options. Of a long one only the chosen option is built until it gets the focus. `key` is its
/// `data-control`; `change` gets the chosen value.
pub fn select(
    (label, key): (Option<String>, Option<String>),
    options: Vec<Choice>,
    current: Signal<String>,
    change: Box<dyn Fn(String)>,
) -> AnyView {
    let filled = RwSignal::new(options.len() <= SHORT);
    let list = move || {
        let all = filled.get();
        let now = if all { current.get_untracked() } else { current.get() };
        let shown = options.iter().filter(|o| all || o.value == now);
        let option = |o: &Choice| {
            let value = o.value.clone();
            view! { <option value=value>{o.label.clone()}</option> }
        };
        shown.map(option).collect_view()
    };
    let select = NodeRef::<leptos::html::Select>::new();
    // One effect for all options.
    Effect::new(move |_| {
        filled.track();
        let current = current.get();
        if let Some(select) = select.get() {
            select.set_value(&current);
        }
    });
    let fill = move || filled.set(true);
    view! {
        <select node_ref=select aria-label=label data-control=key on:pointerdown=move |_| fill()
            on:focus=move |_| fill() on:change=move |e| change(value_of(&e))>{list}</select>
    }
    .into_any()
}
