//! Settings that a chart or a plan describes as data ([`Control`]): one element for each kind.

use super::ui::{Menu, icon, value_of};
use crate::chart::control::{Control, Kind};
use leptos::prelude::*;

/// What is done with a choice: the setting and the value's text.
pub type Change = Callback<(Control, String)>;

/// The settings of a list that may change: an element stays while its setting is of one kind, so
/// that what is being typed keeps the focus.
pub fn controls(list: Memo<Vec<Control>>, change: Change) -> AnyView {
    let keys = Memo::new(move |_| {
        list.with(|l| {
            l.iter()
                .map(|c| (c.key.clone(), format!("{:?}", c.kind)))
                .collect::<Vec<_>>()
        })
    });
    view! {
        <For each=move || keys.get() key=|k| k.clone() let:key>
            {
                let key = key.0;
                // Gone for a moment while the list changes: the last one stands in.
                let one = Memo::new(move |last: Option<&Option<Control>>| {
                    list.with(|l| l.iter().find(|c| c.key == key).cloned())
                        .or_else(|| last.cloned().flatten())
                });
                move || control(one, change)
            }
        </For>
    }
    .into_any()
}

fn control(one: Memo<Option<Control>>, change: Change) -> AnyView {
    let Some(first) = one.get_untracked() else {
        return ().into_any();
    };
    let current = move || one.with(|c| c.as_ref().map_or_else(String::new, |c| c.current.clone()));
    let send = move |value: String| {
        if let Some(c) = one.get_untracked() {
            change.run((c, value));
        }
    };
    let key = first.key.clone();
    let hint = first.hint.clone();
    match first.kind {
        Kind::Choice { options } | Kind::Field { options } => view! {
            <label class="control" title=hint>
                <span>{first.label}</span>
                <select data-control=key on:change=move |e| send(value_of(&e))>
                    {options
                        .into_iter()
                        .map(|o| {
                            let value = o.value.clone();
                            view! { <option value=o.value selected=move || current() == value>{o.label}</option> }
                        })
                        .collect_view()}
                </select>
            </label>
        }
        .into_any(),
        Kind::Several { options } => {
            let count = move || current().split(',').filter(|v| !v.is_empty()).count();
            let (label, name) = (first.label.clone(), first.label);
            let options = StoredValue::new(options);
            view! {
                <div class="control" title=hint data-control=key>
                    <span>{label.clone()}</span>
                    <Menu
                        class="button small"
                        stays=true
                        name=Signal::derive(move || format!("{name}: {} chosen", count()))
                        label=move || view! { <span>{move || format!("{} chosen", count())}</span>{icon(icon::DOWN)} }
                    >
                        <div class="menu-scroll">
                            {options
                                .get_value()
                                .into_iter()
                                .map(|o| {
                                    let (value, shown) = (o.value.clone(), o.value);
                                    let on = move || current().split(',').any(|v| v == shown);
                                    let toggle = move |_| {
                                        let text = current();
                                        let mut list: Vec<&str> = text.split(',').filter(|v| !v.is_empty()).collect();
                                        match list.iter().position(|v| *v == value) {
                                            Some(i) => drop(list.remove(i)),
                                            None => list.push(&value),
                                        }
                                        send(list.join(","));
                                    };
                                    view! {
                                        <label class="menu-item">
                                            <input type="checkbox" prop:checked=on on:change=toggle />
                                            {o.label}
                                        </label>
                                    }
                                })
                                .collect_view()}
                        </div>
                    </Menu>
                </div>
            }
            .into_any()
        }
        Kind::Toggle => view! {
            <label class="control check" title=hint>
                <input
                    type="checkbox"
                    data-control=key
                    prop:checked=move || current() == "1"
                    on:change=move |_| send(if current() == "1" { "0" } else { "1" }.to_owned())
                />
                <span>{first.label}</span>
            </label>
        }
        .into_any(),
        Kind::Text => view! {
            <label class="control" title=hint>
                <span>{first.label}</span>
                <input type="search" data-control=key prop:value=current on:input=move |e| send(value_of(&e)) />
            </label>
        }
        .into_any(),
        Kind::Number { min, max, step, unit } => view! {
            <label class="control" title=hint>
                <span>{first.label}</span>
                <input
                    type="number"
                    data-control=key
                    min=min.to_string()
                    max=max.to_string()
                    step=step.to_string()
                    prop:value=current
                    on:change=move |e| send(value_of(&e))
                />
                {(!unit.is_empty()).then(|| view! { <span>{unit}</span> })}
            </label>
        }
        .into_any(),
    }
}
