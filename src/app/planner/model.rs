//! The page of a model's GEMMs: the settings, the roofline with its two sliders, the lists.

use super::ready::{Ready, problems};
use super::{lists, picture};
use crate::app::controls::{OnChange, controls, number};
use crate::app::ui::{DeviceMenu, Menu, icon, icon_button, value_of};
use crate::web::dom;
use gemmscope_analysis::planner::form;
use gemmscope_model::hardware::{Device, short_name};
use gemmscope_table::control::Control;
use gemmscope_words::plan;
use gemmscope_words::plan_export::EXPORTS;
use leptos::prelude::*;

/// The page.
pub(super) fn page(ready: Ready) -> AnyView {
    view! {
        <div class="plan-columns">
            <section class="plan-form" aria-label="What is planned">{settings(ready)}</section>
            <section class="plan-body" aria-label="The plan">
                {problems(ready)}
                {headline(ready)}
                {sliders(ready)}
                {picture::view(ready)}
                {lists::view(ready)}
            </section>
        </div>
    }
    .into_any()
}

/// One line that describes the plan, and the menu that saves it.
fn headline(ready: Ready) -> AnyView {
    let save = move |i: usize| {
        let e = &EXPORTS[i];
        let text = ready.plan.with_untracked(|p| (e.write)(p));
        dom::download(e.file, "text/plain", text.as_bytes());
    };
    view! {
        <div class="plan-head">
            <p>{move || ready.plan.with(|p| format!("{}\n{}", plan::headline(p), plan::step(p)))}</p>
            <Menu
                class="button small"
                right=true
                name="Save the plan"
                label=|| view! { {icon(icon::SAVE)}<span>"Save"</span> }
            >
                {EXPORTS
                    .iter()
                    .enumerate()
                    .map(|(i, e)| view! {
                        <button type="button" class="menu-item" data-export=e.id title=e.hint on:click=move |_| save(i)>{e.name}</button>
                    })
                    .collect_view()}
            </Menu>
        </div>
    }
    .into_any()
}

/// Sliders for batch and length. The one moved last draws the trail.
pub(super) fn sliders(ready: Ready) -> AnyView {
    let bench = ready.bench;
    let both = Memo::new(move |_| bench.view.with(form::sizes));
    // The slider moved last draws the trail.
    let change: OnChange = Callback::new(move |(control, value): (Control, String)| {
        bench.adjust("slider", |v| form::slide(v, &control, &value));
    });
    let slider = move |i: usize| {
        let now = Memo::new(move |_| both.with(|b| b[i].clone()));
        let (key, hint) = now.with_untracked(|c| (c.key.clone(), c.hint.clone()));
        let position = move || now.with(|c| form::slider_of(c.as_number() as u32).to_string());
        let moved = move |e| {
            if let Ok(position) = value_of(&e).parse() {
                change.run((now.get_untracked(), form::at_slider(position).to_string()));
            }
        };
        view! {
            <label class="slider" title=hint>
                <span>{move || now.with(|c| c.label.clone())}</span>
                <input
                    type="range"
                    min="0"
                    max=form::slider_of(gemmscope_analysis::planner::LARGEST).to_string()
                    data-slider=key
                    aria-label=move || now.with(|c| c.label.clone())
                    prop:value=position
                    aria-valuetext=move || now.with(|c| c.current.clone())
                    on:input=moved
                />
                {number(now, change)}
            </label>
        }
        .into_any()
    };
    view! { <div class="sliders">{slider(0)}{slider(1)}</div> }.into_any()
}

fn settings(ready: Ready) -> AnyView {
    let bench = ready.bench;
    let groups = Memo::new(move |_| bench.view.with(form::groups));
    let change: OnChange = Callback::new(move |(control, value): (Control, String)| {
        bench.edit(|v| form::choose(v, &control, &value));
    });
    // On a phone the chart is below the form, so all groups but the first start folded.
    let small = dom::media("(max-width: 900px)");
    let titles: Vec<(&str, bool)> = groups.with_untracked(|g| {
        let open = |i: usize, g: &form::FormGroup| g.open && !(small && i > 0);
        g.iter().enumerate().map(|(i, g)| (g.title, open(i, g))).collect()
    });
    let group = move |(i, (title, open)): (usize, (&'static str, bool))| {
        let list = Memo::new(move |_| {
            groups.with(|g| g.get(i).map_or_else(Vec::new, |g| g.controls.clone()))
        });
        view! {
            <details class="plan-group" open=open>
                <summary>{title}</summary>
                {controls(list.into(), change)}
                {(title == "Model").then(|| view! {
                    <p class="muted">{move || ready.plan.with(|p| format!("Source: {}", p.state.model.source))}</p>
                })}
            </details>
        }
    };
    let mut groups = titles.into_iter().enumerate().map(group);
    view! { {groups.next()}{devices(ready)}{groups.collect_view()} }.into_any()
}

/// The planned devices, each with a button to remove it, and a list that adds one.
fn devices(ready: Ready) -> AnyView {
    let Ready { bench, plan, .. } = ready;
    let chosen = Memo::new(move |_| plan.with(|p| p.state.devices.clone()));
    let name = move |id: &str| {
        let known = plan.with(|p| {
            p.steps.iter().find(|s| s.device.id == id).map(|s| short_name(&s.device.name))
        });
        known.unwrap_or_else(|| id.to_owned())
    };
    let chip = move |id: String| {
        let name = name(&id);
        let remove = move || bench.edit(|v| form::edit_devices(v, |all| all.retain(|d| *d != id)));
        let label = format!("Remove {name}");
        view! { <li><span>{name}</span>{icon_button(icon::CROSS, label, remove)}</li> }
    };
    let add = move |device: Device| {
        if !chosen.get_untracked().contains(&device.id) {
            bench.edit(|v| form::edit_devices(v, |all| all.push(device.id)));
        }
    };
    view! {
        <details class="plan-group" open=true>
            <summary>"Devices"</summary>
            <ul class="plan-devices" data-control="plan.devices" title="The list of GEMMs, the trail and the ridges are of the first">
                {move || chosen.get().into_iter().map(chip).collect_view()}
            </ul>
            <DeviceMenu name="Add a device" label=move || "Add a device" chosen=chosen taken=add />
        </details>
    }
    .into_any()
}
