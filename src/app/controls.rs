//! Form elements for the settings that a chart or the planner describes as data ([`Control`]).

use super::state::{Shell, Workbench};
use super::ui::{Menu, icon, select, value_of};
use gemmscope_table::control::{Control, ControlKind};
use leptos::prelude::*;

/// Called with the setting and the value chosen.
pub type OnChange = Callback<(Control, String)>;

/// Writes a choice into the view state under the setting's key.
pub fn write(bench: Workbench) -> OnChange {
    Callback::new(move |(control, value): (Control, String)| {
        let stored = control.stored(&value).to_owned();
        bench.edit(|v| v.set_param(&control.key, stored));
    })
}

/// Form elements of a list of settings that may change: the first row, and a button that shows the others and counts
/// those that are set.
pub fn controls(list: Signal<Vec<Control>>, change: OnChange) -> AnyView {
    let part = move |more: bool| {
        let of = move || list.with(|l| l.iter().filter(|c| c.more == more).cloned().collect());
        Memo::new(move |_| of())
    };
    let (first, rest) = (part(false), part(true));
    let open = RwSignal::new(false);
    let any = Memo::new(move |_| rest.with(|l: &Vec<Control>| !l.is_empty()));
    let set =
        Memo::new(move |_| rest.with(|l| l.iter().filter(|c| c.current != c.default).count()));
    // Another word would wrap the bar and move the picture.
    let name = move || match set.get() {
        0 => "More".to_owned(),
        n => format!("More, {n} changed"),
    };
    view! {
        {elements(first.into(), change)}
        <Show when=move || any.get()>
            <button type="button" class="button small more-controls" class:changed=move || set.get().gt(&0)
                aria-label=name title=name aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|o| *o = !*o)>"More"</button>
            <Show when=move || open.get()>{elements(rest.into(), change)}</Show>
        </Show>
    }
    .into_any()
}

/// An element is rebuilt only if its options change, so that a choice does not take the focus away.
fn elements(list: Signal<Vec<Control>>, change: OnChange) -> AnyView {
    let offers = |c: &Control| {
        let range = match c.kind {
            ControlKind::Number { min, max, slider, .. } => {
                Some((min.to_bits(), max.to_bits(), slider))
            }
            _ => None,
        };
        (c.key.clone(), c.options().to_vec(), range)
    };
    let element = move |first: Control| {
        let key = first.key.clone();
        // While the list changes, the setting may be missing: keep its last state.
        let now = Memo::new(move |last: Option<&Control>| {
            list.with(|l| l.iter().find(|c| c.key == key).cloned())
                .or_else(|| last.cloned())
                .unwrap_or_else(|| first.clone())
        });
        control(now, change)
    };
    view! { <For each=move || list.get() key=offers children=element /> }.into_any()
}

/// Passes on typed text. If the setting rejects it, the status line says why and the field shows the current value
/// again.
fn typed(shell: Shell, now: Memo<Control>, change: OnChange, event: &web_sys::Event) {
    let control = now.get_untracked();
    match control.accept(&value_of(event)) {
        Ok(value) => change.run((control, value)),
        Err(why) => {
            shell.say(why);
            if let Some(field) = event_input(event) {
                field.set_value(&control.current);
            }
        }
    }
}

fn event_input(event: &web_sys::Event) -> Option<web_sys::HtmlInputElement> {
    use wasm_bindgen::JsCast;
    event.target()?.dyn_into().ok()
}

/// A number field without caption.
pub fn number(now: Memo<Control>, change: OnChange) -> AnyView {
    let shell = Shell::here();
    let first = now.get_untracked();
    let ControlKind::Number { min, max, step, unit, .. } = first.kind else {
        return ().into_any();
    };
    view! {
        <input
            type="number"
            class="number-field"
            data-control=first.key
            aria-label=move || now.with(|c| if c.label.is_empty() { c.hint.clone() } else { c.label.clone() })
            min=min
            max=max
            step=step
            prop:value=move || now.with(|c| c.current.clone())
            on:change=move |e| typed(shell, now, change, &e)
        />
        {(!unit.is_empty()).then(|| view! { <span>{unit}</span> })}
    }
    .into_any()
}

fn control(now: Memo<Control>, change: OnChange) -> AnyView {
    let shell = Shell::here();
    let first = now.get_untracked();
    let send = move |value: String| change.run((now.get_untracked(), value));
    let key = first.key.clone();
    let body = match first.kind {
        ControlKind::Choice { options } | ControlKind::Field { options } => {
            let current = Signal::derive(move || now.with(|c| c.current.clone()));
            select((None, Some(key)), options, current, Box::new(send))
        }
        ControlKind::Several { .. } => return several(now, change),
        ControlKind::Toggle => {
            return view! {
                <label class="control check" title=first.hint>
                    <input
                        type="checkbox"
                        data-control=key
                        prop:checked=move || now.with(Control::is_on)
                        on:change=move |e| send(if event_target_checked(&e) { "1" } else { "0" }.to_owned())
                    />
                    <span>{first.label}</span>
                </label>
            }
            .into_any();
        }
        ControlKind::Text => view! {
            <input
                type="search"
                class="find-field"
                data-control=key
                prop:value=move || now.with(|c| c.current.clone())
                on:input=move |e| send(value_of(&e))
            />
        }
        .into_any(),
        ControlKind::Number { min, slider, .. } => view! {
            {slider.map(|end| view! {
                <input
                    type="range"
                    data-slider=key
                    aria-label=first.label.clone()
                    min=min
                    max=end
                    prop:value=move || now.with(|c| c.current.clone())
                    on:input=move |e| typed(shell, now, change, &e)
                />
            })}
            {number(now, change)}
        }
        .into_any(),
    };
    view! {
        <label class="control" title=first.hint>
            <span>{move || now.with(|c| c.label.clone())}</span>
            {body}
        </label>
    }
    .into_any()
}

fn several(now: Memo<Control>, change: OnChange) -> AnyView {
    let first = now.get_untracked();
    let (label, key) = (first.label.clone(), first.key.clone());
    let summary = move || now.with(Control::captions);
    let toggle = move |value: &str| {
        let control = now.get_untracked();
        let value = control.toggled(value);
        change.run((control, value));
    };
    view! {
        <div class="control" data-control=key title=first.hint>
            <span>{first.label}</span>
            <Menu
                stays=true
                class="button small several"
                name=Signal::derive(move || format!("{label}: {}", summary()))
                label=move || view! { <span class="several-text">{summary}</span>{icon(icon::DOWN)} }
            >
                <div class="menu-scroll">
                    {now
                        .get_untracked()
                        .options()
                        .iter()
                        .map(|o| {
                            let (value, shown) = (o.value.clone(), o.value.clone());
                            view! {
                                <label class="menu-item">
                                    <input
                                        type="checkbox"
                                        prop:checked=move || now.with(|c| c.values().contains(&shown.as_str()))
                                        on:change=move |_| toggle(&value)
                                    />
                                    <span>{o.label.clone()}</span>
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
