//! The planner: what is attainable, before anything runs. It needs no file, and shows measured rows if there are some.

mod lists;
mod model;
mod picture;
mod ready;
mod tool;

use self::ready::{PAGE, Ready};
use super::state::{Shared, Shell, Workbench};
use crate::web::{clock, dom};
use gemmscope_analysis::planner::{Plan, PlanState, form};
use gemmscope_chart::planner::{TOOLS, published};
use gemmscope_model::transformer::Model;
use leptos::prelude::*;

/// The pages as key, name and hint: the model and the tools.
fn pages() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut out = vec![(
        "",
        "Model",
        "A model's GEMMs at their roofs: best times, tokens per second, memory",
    )];
    out.extend(TOOLS.iter().map(|t| (t.id, t.name, t.hint)));
    out
}

fn show(ready: Ready, page: usize) -> AnyView {
    match page {
        0 => model::page(ready),
        tool => tool::page(ready, tool - 1),
    }
}

/// The planner.
#[component]
pub fn Planner() -> impl IntoView {
    let bench = Workbench::here();
    // Files may be added later.
    Effect::new(move |_| {
        let measured = bench.device_ids();
        bench.edit_without_undo(|v| form::measured_devices(v, &measured));
    });
    let read = Memo::new(move |_| bench.view.with(PlanState::read));
    let plan = Memo::new(move |_| {
        let state = read.with(|r| r.0.clone());
        // A measured device includes what its rows show.
        let mut devices: Vec<_> =
            bench.metrics.with(|m| m.devices.iter().flatten().cloned().collect());
        devices.extend(bench.known_devices.get());
        Shared::from(Plan::new(state, &devices))
    });
    Effect::new(move |_| {
        plan.with(|plan| {
            let steps =
                plan.steps.iter().filter_map(|s| Some((&s.device, s.result.as_ref().ok()?)));
            for (device, step) in steps {
                let ops: Vec<_> = step.rows.iter().map(|r| r.problem().op).collect();
                bench.ask_for(std::iter::once(device), &ops);
            }
        });
    });
    let table = Memo::new(move |_| {
        bench.view.with(|v| {
            let shown = v.param(PAGE) == Some(published::ID);
            shown.then(|| bench.settled_frame.with(|f| published::source(f, v))).flatten()
        })
    });
    Effect::new(move |_| {
        table.get().into_iter().for_each(|source| bench.published.ask_for(source));
    });
    let ready = Ready {
        shell: Shell::here(),
        bench,
        plan,
        problems: Memo::new(move |_| read.with(|r| r.1.clone())),
    };
    let shown = Memo::new(move |_| {
        bench.view.with(|v| {
            let id = v.param(PAGE).unwrap_or("");
            pages().iter().position(|p| p.0 == id).unwrap_or(0)
        })
    });
    // Each page starts at its top, even if it reuses the elements of the previous one.
    Effect::new(move |_| {
        shown.get();
        leptos::task::spawn_local(async {
            clock::after_paint().await;
            dom::scroll_to_top(".plan-columns, .plan-form, .plan-body");
        });
    });
    let tab = move |(i, (id, title, hint)): (usize, (&'static str, &'static str, &'static str))| {
        view! {
            <button
                type="button"
                class="segment"
                aria-current=move || (shown.get() == i).then_some("page")
                aria-pressed=move || (shown.get() == i).to_string()
                title=hint
                on:click=move |_| bench.edit(|v| v.set_param(PAGE, id))
            >
                {title}
            </button>
        }
    };
    view! {
        <div class="plan">
            <nav class="plan-tabs segments" aria-label="Pages of the plan">
                {pages().into_iter().enumerate().map(tab).collect_view()}
            </nav>
            {move || { let page = shown.get(); untrack(|| show(ready, page)) }}
        </div>
    }
}

/// Plans the model of a `config.json`, as an undo step. Returns its name.
///
/// # Errors
///
/// What is wrong with the text.
pub fn take_model(bench: Workbench, text: &str) -> Result<String, String> {
    let model = Model::from_config(text).map_err(|e| e.to_string())?;
    bench.edit(|v| {
        v.set_param(PAGE, "");
        PlanState::put_model(v, &model);
        v.view = "plan".to_owned();
    });
    Ok(model.name)
}
