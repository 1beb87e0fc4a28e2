//! The page of a tool: its settings, figures, picture and notes.

use super::ready::Ready;
use crate::app::chart_view::{ChartView, Draw};
use crate::app::controls::{controls, write};
use crate::app::state::Shared;
use gemmscope_chart::chart::{Canvas, Chart, RenderOptions};
use gemmscope_chart::charts::{ChartKind, Inputs};
use gemmscope_chart::interactive;
use gemmscope_chart::planner::TOOLS;
use gemmscope_model::hardware::Device;
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::sync::Arc;

/// Inputs of a tool and its picture.
#[derive(Clone, PartialEq)]
struct ToolInputs {
    frame: Frame,
    state: ViewState,
    own: Vec<Device>,
    selected: Vec<u32>,
}

impl ToolInputs {
    fn of(ready: Ready) -> Self {
        let bench = ready.bench;
        let (params, roof) = bench.view.with(|v| (v.params.clone(), v.roof));
        ToolInputs {
            frame: bench.settled_frame.get(),
            state: ViewState { params, roof, ..ViewState::default() },
            own: bench.known_devices.get(),
            selected: bench.selected.get(),
        }
    }

    fn open(&self, kind: &ChartKind) -> Arc<Chart> {
        (kind.open)(&Inputs { own: &self.own, ..Inputs::new(&self.frame, &self.state) }).into()
    }
}

/// The page of the tool at this index.
pub(super) fn page(ready: Ready, index: usize) -> AnyView {
    let bench = ready.bench;
    let kind = &TOOLS[index];
    let inputs = Memo::new(move |_| ToolInputs::of(ready));
    let opened = Memo::new(move |_| Shared(inputs.with(|i| i.open(kind))));
    let list = Memo::new(move |_| opened.with(|o| o.said.controls.clone()));
    let figures = Memo::new(move |_| opened.with(|o| o.said.figures.clone()));
    let verdict = Memo::new(move |_| opened.with(|o| o.said.verdict.clone()));
    let notes = Memo::new(move |_| opened.with(|o| o.said.notes.clone()));
    let lines = |list: Memo<Vec<String>>, class: &'static str| {
        move || list.get().into_iter().map(|n| view! { <p class=class>{n}</p> }).collect_view()
    };
    let tall = move |width: f64| opened.with(|o| o.height(width));
    let draw: Draw = Box::new(move |canvas: &Canvas| {
        let selected = inputs.with_untracked(|i| i.selected.clone());
        let options = RenderOptions { selected: &selected, ..canvas.options() };
        interactive::draw(&opened.get_untracked().0, None, &options)
    });
    // A picture of two panels is taller on a phone than on a wide screen.
    let small = crate::web::dom::media("(max-width: 900px)");
    let height = move || format!("{}px", tall(if small { 360.0 } else { 960.0 }) + 60.0);
    view! {
        <div class="plan-columns">
            <section class="plan-form tool" aria-label="Settings">
                <p class="plan-hint">{kind.hint}</p>
                {controls(list.into(), write(bench))}
            </section>
            <section class="plan-body tool" aria-label=kind.name>
                {lines(verdict, "plan-note first")}
                <dl class="facts plan-totals">
                    {move || figures
                        .get()
                        .into_iter()
                        .map(|(label, value, hint)| view! { <div class="tip" tabindex="0" data-tip=hint.clone() aria-description=hint><dt>{label.clone()}</dt><dd data-total=label>{value}</dd></div> })
                        .collect_view()}
                </dl>
                <div class="plan-tool" style:height=height>
                    <ChartView inputs=Signal::derive(move || inputs.track()) draw=draw name=kind.id fills=true />
                </div>
                {lines(notes, "plan-note")}
            </section>
        </div>
    }
    .into_any()
}
