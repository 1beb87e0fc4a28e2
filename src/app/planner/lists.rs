//! The plan as lists: totals, GEMMs, devices by step time, measured rows of the model.

use super::ready::Ready;
use crate::app::ui::table_view;
use crate::app::views::ranked::filtered;
use gemmscope_analysis::planner::form;
use gemmscope_analysis::planner::matching::Index;
use gemmscope_analysis::planner::measured::{MeasuredStep, best_preset, distinct, measured_shapes};
use gemmscope_analysis::planner::spread::Spread;
use gemmscope_model::hardware::short_name;
use gemmscope_model::units::plural;
use gemmscope_words::plan::{self as words, measured_table};
use gemmscope_words::plan_export;
use leptos::prelude::*;

/// The lists.
pub(super) fn view(ready: Ready) -> AnyView {
    let plan = ready.plan;
    let failed = move || {
        plan.with(|p| {
            let reasons = p
                .steps
                .iter()
                .filter_map(|s| Some(format!("{}: {}", s.device.name, s.result.as_ref().err()?)));
            let unknown = p.unknown.iter().map(|id| format!("no such device: {id}"));
            reasons
                .chain(unknown)
                .map(|t| view! { <p class="plan-note bad-text" role="alert">{t}</p> })
                .collect_view()
        })
    };
    let figures = move || {
        plan.with(|p| plan_export::figures(p))
            .into_iter()
            .map(|(label, value, note)| {
                let note = (!note.is_empty()).then(|| view! { <dd class="muted">{note}</dd> });
                view! { <div><dt>{label}</dt><dd data-total=label>{value}</dd>{note}</div> }
            })
            .collect_view()
    };
    let spread = move || {
        plan.with(|p| {
            let experts = p.state.model.experts?;
            let s = Spread::of(&experts, &p.state.workload)?;
            Some(view! { <p class="plan-note">{words::spread(&s, &experts)}</p> })
        })
    };
    let any = Memo::new(move |_| plan.with(|p| !p.steps.is_empty()));
    let gemms = move || plan.with(|p| p.first().map(|s| table_view(plan_export::table(s))));
    let devices = move || table_view(plan.with(|p| plan_export::device_table(p)));
    let of = move || plan.with(|p| p.steps.first().map(|s| format!("On {}", s.device.name)));
    let on = move || {
        let name = plan.with(|p| p.steps.first().map(|s| short_name(&s.device.name).to_owned()));
        name.map_or(String::new(), |n| format!("On the {n}, "))
    };
    view! {
        {failed}
        <Show when=move || any.get()>
            <dl class="facts plan-totals" aria-label="Totals of the step">{figures}</dl>
            <p class="plan-note">
                {on}"at best: every GEMM at its roof with its compulsory bytes. Communication, norms, softmax and sampling come on top."
            </p>
        </Show>
        {spread}
        {measured(ready)}
        <Show when=move || any.get()>
            <h3>"GEMMs of a step"" "<span class="muted">{of}</span></h3>
            <div class="data-table" tabindex="0" role="region" aria-label="GEMMs of a step">{gemms}</div>
            <h3>"Devices by step time"</h3>
            <div class="data-table" tabindex="0" role="region" aria-label="Devices by step time">{devices}</div>
        </Show>
    }
    .into_any()
}

/// The measured shapes of the model, and a better fitting model if there is one.
fn measured(ready: Ready) -> AnyView {
    let bench = ready.bench;
    let shapes = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        (!frame.data.is_empty()).then(|| distinct(&frame.data, &frame.rows))
    });
    let model = Memo::new(move |_| ready.plan.with(|p| p.state.model.clone()));
    let backward = Memo::new(move |_| ready.plan.with(|p| p.state.workload.backward));
    let found = Memo::new(move |_| {
        let index = model.with(Index::new);
        let frame = bench.settled_frame.get();
        let backward = backward.get();
        shapes.with(|s| {
            s.as_ref()
                .map(|s| (s.len(), measured_table(&measured_shapes(&index, backward, &frame, s))))
        })
    });
    let fit = Memo::new(move |_| shapes.with(|s| s.as_ref().and_then(|s| best_preset(s))));
    let offer = move || {
        let fit = fit.get()?;
        if model.with(|m| m.id == fit.model) {
            return None;
        }
        let id = fit.model.clone();
        let choose = move |_| bench.edit(|v| form::choose_model(v, &id));
        Some(view! {
            <div class="plan-note">
                {format!("{} of the {} measured shapes are {}'s. ", fit.matched, fit.of, fit.name)}
                <button type="button" class="button small" data-fit=fit.model.clone() on:click=choose>{format!("Plan {}", fit.name)}</button>
            </div>
        })
    };
    let step = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        model.with(|m| shapes.with(|s| MeasuredStep::of(m, &Index::new(m), &frame, s.as_deref()?)))
    });
    let as_measured = move || {
        // Read the plan first: the step depends on it.
        let workload = ready.plan.with(|p| p.state.workload);
        let step = step.get()?;
        let sentence = words::measured_step(&step);
        let planned = step.is(&workload);
        let plan = move |_| {
            let step = step.clone();
            bench.edit(|v| bench.settled_frame.with_untracked(|f| step.plan(v, f)));
        };
        Some(view! {
            <div class="plan-note">
                {sentence}" "
                {(!planned).then(|| view! {
                    <button type="button" class="button small" data-measured-step="" on:click=plan>"Plan the measured step"</button>
                })}
            </div>
        })
    };
    let list = move || {
        // Read the model first: the match depends on it.
        let name = model.with(|m| m.name.clone());
        let (of, table) = found.get()?;
        let n = table.rows.len();
        Some(view! {
            <h3>
                "Measured rows in this model"" "
                <span class="muted">{format!("{n} of {} in {name}", plural(of as u64, "measured shape"))}</span>
            </h3>
            {as_measured}
            {(n > 0).then(|| view! {
                <div class="data-table" data-list="measured" tabindex="0" role="region" aria-label="Measured rows in this model">
                    {table_view(table)}
                </div>
            })}
        })
    };
    let filters = filtered(bench, "Only these are looked for in the model.");
    view! { {filters}{offer}{list} }.into_any()
}
