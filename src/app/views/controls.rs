//! The settings of any view as page controls: selects, check boxes, numbers, a search field.

use crate::app::state::App;
use crate::app::ui::{Menu, icon, value_of};
use crate::chart::control::{Choice, Control, Kind};
use leptos::prelude::*;

/// The settings of a view.
#[component]
pub fn Controls(
    /// What can be set, with the values in effect.
    #[prop(into)]
    controls: Signal<Vec<Control>>,
) -> impl IntoView {
    // A control is made anew only when what it offers changes: a choice must not take the focus.
    let key = |c: &Control| (c.key.clone(), c.default.clone(), options(c).to_vec());
    view! {
        <For each=move || controls.get() key=key let:control>
            {one(controls, control)}
        </For>
    }
}

fn options(control: &Control) -> &[Choice] {
    match &control.kind {
        Kind::Choice { options } | Kind::Several { options } | Kind::Field { options } => options,
        _ => &[],
    }
}

fn one(controls: Signal<Vec<Control>>, control: Control) -> AnyView {
    let app = App::here();
    let key = StoredValue::new(control.key.clone());
    let default = StoredValue::new(control.default.clone());
    let current = Memo::new(move |_| {
        controls.with(|all| {
            key.with_value(|k| {
                all.iter()
                    .find(|c| c.key == *k)
                    .map(|c| c.current.clone())
                    .unwrap_or_default()
            })
        })
    });
    let set = move |value: String| {
        let value = default.with_value(|d| if value == *d { String::new() } else { value });
        app.edit("control", |v| v.set_param(&key.get_value(), value));
    };
    let name = control.key.clone();
    let body = match control.kind {
        Kind::Choice { options } | Kind::Field { options } => {
            select(options, current, name, set).into_any()
        }
        Kind::Several { options } => return several(control.label, options, current, name, set),
        Kind::Toggle => view! {
            <input type="checkbox" data-control=name prop:checked=move || current.get() == "1"
                on:change=move |e| set(if event_target_checked(&e) { "1" } else { "0" }.to_owned()) />
        }
        .into_any(),
        Kind::Number { min, max, step, unit } => {
            let change = move |e: web_sys::Event| {
                // What is no number in range goes back to what is in effect.
                let text = value_of(&e);
                match text.trim().parse::<f64>() {
                    Ok(v) if (min..=max).contains(&v) => set(format!("{v}")),
                    _ => app.status.set(format!("Expected a number from {min} to {max}: {text}")),
                }
            };
            view! {
                <input type="number" class="number-field" data-control=name min=min max=max step=step
                    prop:value=move || current.get() on:change=change />
                {(!unit.is_empty()).then(|| view! { <span>{unit}</span> })}
            }
            .into_any()
        }
        // The last kind: a search field.
        _ => view! {
            <input type="search" class="find-field" data-control=name prop:value=move || current.get()
                on:input=move |e| set(value_of(&e)) />
        }
        .into_any(),
    };
    view! {
        <label class="control" title=control.hint>
            <span>{control.label}</span>
            {body}
        </label>
    }
    .into_any()
}

fn select(
    options: Vec<Choice>,
    current: Memo<String>,
    name: String,
    set: impl Fn(String) + 'static,
) -> AnyView {
    let list = options
        .into_iter()
        .map(|o| {
            let value = o.value.clone();
            view! { <option value=o.value selected=move || current.get() == value>{o.label}</option> }
        })
        .collect_view();
    view! { <select data-control=name on:change=move |e| set(value_of(&e))>{list}</select> }
        .into_any()
}

fn several(
    label: String,
    options: Vec<Choice>,
    current: Memo<String>,
    name: String,
    set: impl Fn(String) + Copy + Send + Sync + 'static,
) -> AnyView {
    let options = StoredValue::new(options);
    let caption = StoredValue::new(label);
    let toggle = move |value: &str| {
        let text = current.get_untracked();
        let mut chosen: Vec<&str> = text.split(',').filter(|t| !t.is_empty()).collect();
        match chosen.iter().position(|c| *c == value) {
            Some(i) => drop(chosen.remove(i)),
            None => chosen.push(value),
        }
        // The order of the options, so that one choice has one text.
        let text = options.with_value(|all| {
            let kept = all.iter().map(|o| o.value.as_str());
            kept.filter(|v| chosen.contains(v))
                .collect::<Vec<_>>()
                .join(",")
        });
        set(text);
    };
    let on = move |value: &str| current.with(|c| c.split(',').any(|t| t == value));
    let summary = move || {
        options.with_value(|all| {
            let names: Vec<&str> = all
                .iter()
                .filter(|o| on(&o.value))
                .map(|o| o.label.as_str())
                .collect();
            names.join(", ")
        })
    };
    view! {
        <div class="control" data-several=name>
            <span>{caption.get_value()}</span>
            <Menu
                stays=true
                class="button small several"
                name=Signal::derive(move || format!("{}: {}", caption.get_value(), summary()))
                label=move || view! { <span class="several-text">{summary}</span>{icon(icon::DOWN)} }
            >
                <div class="menu-scroll">
                    {options
                        .get_value()
                        .into_iter()
                        .map(|o| {
                            let (value, shown) = (o.value.clone(), o.value);
                            view! {
                                <label class="menu-item">
                                    <input type="checkbox" prop:checked=move || on(&shown) on:change=move |_| toggle(&value) />
                                    <span>{o.label}</span>
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
