//! The roofline with the plan, and with the measured rows of its step that pass the filters.

use super::ready::Ready;
use crate::app::chart_view::{ChartView, Draw, PictureMemo};
use crate::app::state::{Shared, Shell};
use crate::app::views::legend::swatch;
use gemmscope_analysis::planner::measured::of_step;
use gemmscope_analysis::planner::{CrossingRow, Plan, form};
use gemmscope_chart::camera::{Zoom, zoom_of};
use gemmscope_chart::chart::{Canvas, Chart, RenderOptions};
use gemmscope_chart::charts::Inputs;
use gemmscope_chart::interactive;
use gemmscope_chart::legend::{Click, LegendEntry};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::planner::plan::{self, colors};
use gemmscope_chart::scene::Symbol;
use gemmscope_model::hardware::{self, short_name};
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::plan::crossing;
use leptos::prelude::*;
use std::sync::Arc;

/// Devices offered as buttons while none is chosen; the list beside the plan has all.
const AT_HAND: [&str; 4] = ["h100-sxm", "b200-sxm", "mi300x", "mi355x"];

/// Key of the chart, for its zoom in links.
const NAME: &str = "plan";

/// Inputs of the picture.
#[derive(Clone, PartialEq)]
struct PlanInputs {
    frame: Frame,
    plan: Shared<Plan>,
    zoom: Option<Zoom>,
}

/// The chart.
pub(super) fn view(ready: Ready) -> AnyView {
    let Ready { shell, bench, plan, .. } = ready;
    let step = Memo::new(move |_| plan.with(|p| (p.state.model.clone(), p.state.workload)));
    let rows = Memo::new(move |_| {
        let frame = bench.frame.get();
        step.with(|(model, workload)| of_step(model, workload, &frame))
    });
    let inputs = Memo::new(move |_| PlanInputs {
        frame: rows.get(),
        plan: plan.get(),
        zoom: bench.view.with(|v| zoom_of(v, NAME)),
    });
    let draw: Draw = Box::new(move |canvas: &Canvas| {
        let inputs = inputs.get_untracked();
        let state = ViewState::default();
        let open =
            Inputs { cache: bench.row_cache.get_value(), ..Inputs::new(&inputs.frame, &state) };
        let chart: Arc<Chart> = Arc::new(plan::open(&open, inputs.plan.0.clone()));
        let options = RenderOptions { zoom: inputs.zoom, ..canvas.options() };
        interactive::draw(&chart, None, &options)
    });
    view! {
        <ChartView
            inputs=Signal::derive(move || inputs.track())
            draw=draw
            name=NAME
            bar=Box::new(move |picture| legend(shell, ready, rows, picture))
            legend=Box::new(move |_| crossings(ready))
        />
    }
    .into_any()
}

/// The batch at which each GEMM crosses the ridge point; those that have crossed it are marked.
fn crossings(ready: Ready) -> AnyView {
    let list = move || {
        ready.plan.with(|p| {
            let batch = u64::from(p.state.workload.batch);
            let Some(step) = p.first() else { return Vec::new() };
            let rows = p.crossings().into_iter().flat_map(|c| c.rows);
            rows.map(|CrossingRow { name, ridge_batch: at, row }| {
                let sentence = crossing(&step.rows[row], &p.state.workload);
                let text = at.map_or_else(|| "never".to_owned(), |b| b.to_string());
                (name, text, at.is_some_and(|b| b <= batch), sentence)
            })
            .collect::<Vec<_>>()
        })
    };
    let what = "The batch from which a GEMM of the first device is limited by arithmetic, no longer by memory";
    let none = Memo::new(move |_| ready.plan.with(|p| p.steps.is_empty()));
    view! {
        <div class="crossings" hidden=move || none.get() role="group" aria-label="Batch from which each GEMM is past the ridge">
            <span class="muted tip" tabindex="0" data-tip=what aria-description=what>"Ridge at batch"</span>
            {move || list()
                .into_iter()
                .map(|(name, at, past, hint)| view! {
                    <span class="crossing tip" class:past=past tabindex="0" data-tip=hint.clone() aria-description=hint data-crossing=name.clone()>{name.clone()}" "<strong>{at}</strong></span>
                })
                .collect_view()}
        </div>
    }
    .into_any()
}

/// Legend of the measured rows; empty if a number gives the colour.
fn measured_entries(picture: PictureMemo) -> Vec<LegendEntry> {
    let legend = picture.with(|p| p.as_ref().and_then(|p| p.legend()));
    let mut entries = legend.map_or_else(Vec::new, |l| l.entries);
    entries.retain(|e| e.click == Click::Category);
    entries
}

/// Names for the colours of the measured rows.
fn measured(picture: PictureMemo) -> AnyView {
    let names = measured_entries(picture).into_iter();
    view! {
        <span class="legend-entry plain">"Measured, filled"</span>
        {names
            .map(|e| view! { <span class="legend-entry plain">{swatch(e.color, e.symbol)}<span>{e.name}</span></span> })
            .collect_view()}
    }
    .into_any()
}

fn legend(shell: Shell, ready: Ready, rows: Memo<Frame>, picture: PictureMemo) -> AnyView {
    let Ready { bench, plan, .. } = ready;
    let none = Memo::new(move |_| plan.with(|p| p.steps.is_empty()));
    let at_hand = move |id: &'static str| {
        let choose = move |_| {
            bench.edit("plan", |v| form::edit_devices(v, |all| all.push(id.to_owned())));
        };
        let name = hardware::by_id(id).map_or_else(String::new, |d| short_name(&d.name));
        view! { <button type="button" class="button small" on:click=choose>{name}</button> }
    };
    view! {
        <div class="legend" role="group" aria-label="Planned on">
            {move || match none.get() {
                true => view! { <span class="muted">"Plan on"</span> {AT_HAND.map(at_hand)} }.into_any(),
                false => view! { <span class="muted">"Planned on"</span> }.into_any(),
            }}
            {move || {
                let theme = Theme::of(shell.dark.get());
                let measured: Vec<_> =
                    measured_entries(picture).into_iter().map(|e| (e.name, e.color)).collect();
                plan.with(|p| {
                    let colors = colors(p, &theme, &measured);
                    let shown = p.steps.iter().enumerate().filter(|(_, s)| s.result.is_ok());
                    shown
                        .map(|(i, s)| {
                            let id = s.device.id.clone();
                            let first = move |_| bench.edit("plan", |v| form::put_first(v, &id));
                            let name = short_name(&s.device.name).to_owned();
                            let hint = (i != 0).then_some("Make the list, the trail and the ridges of this device");
                            view! {
                                <button type="button" class="legend-entry" title=hint aria-current=(i == 0).then_some("true") on:click=first>
                                    {swatch(colors[i], Symbol::Ring)}
                                    <span>{name}</span>
                                </button>
                            }
                        })
                        .collect_view()
                })
            }}
            {move || rows.with(|f| !f.rows.is_empty()).then(|| measured(picture))}
        </div>
    }
    .into_any()
}
