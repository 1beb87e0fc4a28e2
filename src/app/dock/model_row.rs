//! The model's GEMM of the selected row, and the buttons that open the planner with it.

use crate::app::state::{Shared, Workbench};
use gemmscope_analysis::planner::matching::Index;
use gemmscope_analysis::planner::measured::{MeasuredStep, distinct, model_for};
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_analysis::tile_sweep::launch_of;
use gemmscope_chart::planner::take_shape;
use gemmscope_model::transformer::Model;
use gemmscope_table::field::Frame;
use gemmscope_words::plan::part_of_model;
use leptos::prelude::*;
use std::collections::BTreeMap;

/// A model, its shapes, and the step that was measured.
pub(super) struct Read {
    model: Model,
    index: Index,
    step: Option<MeasuredStep>,
}

/// The model that the measured rows belong to; computed on first use.
pub(super) fn read(bench: Workbench) -> Memo<Shared<Option<Read>>> {
    let chosen = Memo::new(move |_| {
        bench.view.with(|v| {
            let plan = v.params.iter().filter(|p| p.0.starts_with("plan."));
            plan.map(|(k, v)| (k.clone(), v.clone())).collect::<BTreeMap<_, _>>()
        })
    });
    Memo::new(move |_| {
        chosen.track();
        let frame = bench.settled_frame.get();
        let all: Vec<u32> = (0..frame.data.len() as u32).collect();
        let shapes = distinct(&frame.data, &all);
        let model = bench.view.with_untracked(|v| model_for(v, &shapes));
        Shared::from(model.map(|model| {
            let index = Index::new(&model);
            let step = MeasuredStep::of(&model, &index, &frame, &shapes);
            Read { model, index, step }
        }))
    })
}

/// The section of the dock: the row's GEMM in the model, if known, and the buttons.
pub(super) fn section(
    bench: Workbench,
    read: Memo<Shared<Option<Read>>>,
    frame: &Frame,
    row: usize,
) -> AnyView {
    let problem = frame.data.problem(row);
    let device = frame.metrics.devices.get(frame.data.device[row] as usize);
    let device = device.and_then(|d| Some(d.as_ref()?.id.clone()));
    let tile = TileRoofs::new(&frame.data, &frame.metrics).of(row).map(|t| t.tile);
    let launch = launch_of(frame, row);
    let explore = move |_| {
        bench.edit(|v| {
            take_shape(v, &problem, device.as_deref(), tile, launch);
            v.set_param("plan.page", "tile");
            v.view = "plan".to_owned();
        });
    };
    let read = read.get();
    let words = read.as_ref().map(|r| {
        let name = &r.model.name;
        match r.index.find(&problem) {
            Some(found) => (part_of_model(&found, name), true),
            None => (format!("{name} has no GEMM of this shape."), false),
        }
    });
    let matched = words.as_ref().is_some_and(|w| w.1);
    let plan = move |_| {
        let read = read.clone();
        bench.edit(move |v| {
            if let Some(r) = read.as_ref() {
                open(bench, v, r);
            }
        });
    };
    view! {
        <section class="detail-section" data-section="model">
            {words.map(|(text, found)| view! {
                <h3 title="Known by the two sizes of its weight, whatever the number of tokens">"In the model"</h3>
                <p class="in-model" class:muted=!found>{text}</p>
            })}
            <div class="replay-actions">
                {matched.then(|| view! {
                    <button type="button" class="button small" title="The whole step of the model that these rows are of, at its roofs" on:click=plan>"Plan this step"</button>
                })}
                <button type="button" class="button small" title="This shape on this device in the tile explorer" on:click=explore>"Explore its tiles"</button>
            </div>
        </section>
    }
    .into_any()
}

/// Shows the plan of the measured step.
fn open(bench: Workbench, view: &mut gemmscope_table::view_state::ViewState, read: &Read) {
    let set = view.param("plan.model").is_some() || view.param("plan.json").is_some();
    if !set {
        gemmscope_analysis::planner::form::choose_model(view, &read.model.id);
    }
    if let Some(step) = &read.step {
        bench.settled_frame.with_untracked(|f| step.plan(view, f));
    }
    view.set_param("plan.page", "");
    view.view = "plan".to_owned();
}
