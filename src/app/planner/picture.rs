//! The pictures of a plan under the row of its devices: the step as bars and over the batch, then the roofline with the
//! measured rows of its step that pass the filters.

use super::ready::Ready;
use crate::app::chart_view::{ChartView, Draw, PictureMemo};
use crate::app::state::Shared;
use crate::app::views::legend::swatch;
use gemmscope_analysis::planner::measured::of_step;
use gemmscope_analysis::planner::{CrossingRow, DeviceStep, Plan, form};
use gemmscope_chart::camera::{Zoom, zoom_of};
use gemmscope_chart::chart::{Canvas, Chart, RenderOptions};
use gemmscope_chart::charts::Inputs;
use gemmscope_chart::interactive;
use gemmscope_chart::legend::{Click, LegendEntry};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::planner::device_colors::DeviceColors;
use gemmscope_chart::planner::{over_batch, plan, step_bars};
use gemmscope_chart::scene::{Color, Symbol};
use gemmscope_model::hardware::{self, short_name};
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::plan::crossing;
use leptos::prelude::*;
use std::sync::Arc;

/// Devices offered as buttons while few are chosen; the list beside the plan has all.
const AT_HAND: [&str; 4] = ["h100-sxm", "b200-sxm", "mi300x", "mi355x"];
/// With so many devices the buttons go.
const MANY: usize = 3;

/// Key of the roofline, for its zoom in links.
const NAME: &str = "plan";

/// Inputs of the picture.
#[derive(Clone, PartialEq)]
struct PlanInputs {
    frame: Frame,
    plan: Shared<Plan>,
    zoom: Option<Zoom>,
}

/// Opens a chart of a plan beside measured rows.
type Open = fn(&Inputs<'_>, Arc<Plan>) -> Chart;

/// The pictures.
pub(super) fn view(ready: Ready) -> AnyView {
    let Ready { bench, plan, .. } = ready;
    let step = Memo::new(move |_| plan.with(|p| (p.state.model.clone(), p.state.workload)));
    let rows = Memo::new(move |_| {
        let frame = bench.frame.get();
        step.with(|(model, workload)| of_step(model, workload, &frame))
    });
    view! {
        {devices(ready, rows)}
        <div class="plan-step">
            {chart(ready, rows, "plan-step", step_bars::open)}
            {chart(ready, rows, "plan-batch", over_batch::open)}
        </div>
        {roofline(ready, rows)}
    }
    .into_any()
}

/// A picture of the plan and the rows.
fn draw_of(inputs: Memo<PlanInputs>, ready: Ready, open: Open) -> Draw {
    Box::new(move |canvas: &Canvas| {
        let (inputs, state) = (inputs.get_untracked(), ViewState::default());
        let cache = ready.bench.row_cache.get_value();
        let of = Inputs { cache, ..Inputs::new(&inputs.frame, &state) };
        let chart: Arc<Chart> = Arc::new(open(&of, inputs.plan.0.clone()));
        let options = RenderOptions { zoom: inputs.zoom, ..canvas.options() };
        interactive::draw(&chart, None, &options)
    })
}

/// A picture without settings; `name` is its key.
fn chart(ready: Ready, rows: Memo<Frame>, name: &'static str, open: Open) -> AnyView {
    let plan = ready.plan;
    let inputs = Memo::new(move |_| PlanInputs { frame: rows.get(), plan: plan.get(), zoom: None });
    let draw = draw_of(inputs, ready, open);
    let tracked = Signal::derive(move || inputs.track());
    view! { <ChartView inputs=tracked draw=draw name=name fills=true /> }.into_any()
}

fn roofline(ready: Ready, rows: Memo<Frame>) -> AnyView {
    let Ready { bench, plan, .. } = ready;
    let inputs = Memo::new(move |_| PlanInputs {
        frame: rows.get(),
        plan: plan.get(),
        zoom: bench.view.with(|v| zoom_of(v, NAME)),
    });
    view! {
        <ChartView
            inputs=Signal::derive(move || inputs.track())
            draw=draw_of(inputs, ready, plan::open)
            name=NAME
            bar=Box::new(move |picture| measured(rows, picture))
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

/// Names for the colours of the measured rows, if there are some.
fn measured(rows: Memo<Frame>, picture: PictureMemo) -> AnyView {
    let names = move || {
        let entry = |e: LegendEntry| view! { <span class="legend-entry plain">{swatch(e.color, e.symbol)}<span>{e.name}</span></span> };
        measured_entries(picture).into_iter().map(entry).collect_view()
    };
    view! {
        <div class="legend" hidden=move || rows.with(|f| f.rows.is_empty())>
            <span class="legend-entry plain">"Measured, filled"</span>
            {names}
        </div>
    }
    .into_any()
}

/// The planned devices in their colours, and buttons for the next one.
fn devices(ready: Ready, rows: Memo<Frame>) -> AnyView {
    let Ready { shell, bench, plan, .. } = ready;
    let add = move |id: &'static str| {
        let choose = move |_| {
            bench.edit(|v| form::edit_devices(v, |all| all.push(id.to_owned())));
        };
        let name = hardware::by_id(id).map_or_else(String::new, |d| short_name(&d.name));
        view! { <button type="button" class="button small" on:click=choose>{name}</button> }
    };
    let first = move |id: String| bench.edit(|v| form::put_first(v, &id));
    let colors = Memo::new(move |_| {
        let (frame, state) = (rows.get(), ViewState::default());
        let cache = bench.row_cache.get_value();
        let of = DeviceColors::new(&Inputs { cache, ..Inputs::new(&frame, &state) });
        plan.with(|p| of.of(p, &Theme::of(shell.dark.get())))
    });
    let planned = move || {
        let colors = colors.get();
        let entry = |(i, (color, step)): (usize, (Color, &DeviceStep))| {
            let id = step.device.id.clone();
            let name = short_name(&step.device.name);
            let hint = (i != 0).then_some("Make the list, the trail and the ridges of this device");
            view! {
                <button type="button" class="legend-entry" title=hint aria-current=(i == 0).then_some("true") on:click=move |_| first(id.clone())>
                    {swatch(color, Symbol::Square)}
                    <span>{name}</span>
                </button>
            }
        };
        plan.with(|p| {
            let shown = colors.into_iter().zip(&p.steps).filter(|(_, s)| s.result.is_ok());
            shown.enumerate().map(entry).collect_view()
        })
    };
    let more = move || {
        let chosen = plan.with(|p| p.state.devices.clone());
        let label = if chosen.is_empty() { "Plan on" } else { "Beside it" };
        let free = AT_HAND.into_iter().filter(|id| !chosen.iter().any(|c| c == id));
        (chosen.len() < MANY).then(|| {
            view! {
                <span class="muted">{label}</span>
                {free.map(add).collect_view()}
            }
        })
    };
    let what = move || if plan.with(|p| p.example) { "Example on" } else { "Planned on" };
    view! {
        <div class="legend plan-on" role="group" aria-label="Planned on">
            <span class="muted">{what}</span>
            {planned}
            {more}
        </div>
    }
    .into_any()
}
