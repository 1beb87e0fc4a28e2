//! Any of the charts: its settings, its legend, its picture, its sentences.

use super::legend;
use crate::app::chart_view::{ChartView, Draw};
use crate::app::controls::{controls, write};
use crate::app::state::Workbench;
use gemmscope_chart::camera::{Zoom, zoom_of};
use gemmscope_chart::charts::{self, Chart, ChartKind, Inputs, RenderOptions};
use gemmscope_chart::interactive::{self, Canvas, InteractiveChart};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a chart is opened with. While it stays the same, the opened chart is only drawn again.
#[derive(Clone, PartialEq)]
struct Opening {
    frame: Frame,
    params: BTreeMap<String, String>,
    selected: Vec<u32>,
}

/// What a picture depends on, besides its size and theme.
#[derive(Clone, PartialEq)]
struct PictureInputs {
    opening: Opening,
    first: (usize, usize),
    zoom: Option<Zoom>,
}

fn inputs_of(bench: Workbench, kind: &ChartKind) -> PictureInputs {
    let frame = bench.frame.get();
    let selected = match kind.of_selection {
        true => bench.selected.get(),
        false => Vec::new(),
    };
    bench.view.with(|v| {
        let params = v.params.iter().filter(|(k, _)| kind.reads(k));
        PictureInputs {
            opening: Opening {
                frame,
                params: params.map(|(k, v)| (k.clone(), v.clone())).collect(),
                selected,
            },
            first: charts::first_of(v, kind.id),
            zoom: zoom_of(v, kind.id),
        }
    })
}

/// The view of a chart.
#[component]
pub fn ChartPane(kind: &'static ChartKind) -> impl IntoView {
    let bench = Workbench::here();
    let inputs = Memo::new(move |_| inputs_of(bench, kind));
    let picture = RwSignal::new_local(None::<Rc<dyn InteractiveChart>>);
    let opened = StoredValue::new_local(None::<(Opening, Rc<dyn Chart>)>);
    let draw: Draw<PictureInputs> = Rc::new(move |inputs: &PictureInputs, canvas: &Canvas| {
        let PictureInputs {
            opening,
            first,
            zoom,
        } = inputs;
        let kept = opened.try_with_value(|o| match o {
            Some((of, chart)) if of == opening => Some(chart.clone()),
            _ => None,
        })?;
        let chart = match kept {
            Some(chart) => chart,
            None => {
                let state = ViewState {
                    params: opening.params.clone(),
                    ..ViewState::default()
                };
                let chart: Rc<dyn Chart> = (kind.open)(&Inputs {
                    frame: &opening.frame,
                    state: &state,
                    selected: &opening.selected,
                    cache: bench.row_cache.try_get_value()?,
                })
                .into();
                opened.try_set_value(Some((opening.clone(), chart.clone())));
                chart
            }
        };
        let options = RenderOptions {
            selected: &opening.selected,
            first: *first,
            zoom: *zoom,
            ..canvas.options()
        };
        Some(interactive::draw(&chart, Some(&opening.frame), &options))
    });
    let settings = Memo::new(move |_| {
        let drawn = picture.with(|p| p.as_ref().map(|p| p.controls()));
        // Before there is a picture: what takes the same room, so that the chart keeps its size.
        drawn.unwrap_or_else(|| {
            let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
            let state = ViewState::default();
            (kind.open)(&Inputs::new(&frame, &state)).controls()
        })
    });
    let notes =
        Memo::new(move |_| picture.with(|p| p.as_ref().map_or_else(Vec::new, |p| p.notes())));
    view! {
        <ChartView
            inputs=inputs
            draw=draw
            picture=picture
            name=kind.id
            bar=move || controls(settings.into(), write(bench))
            legend=move || kind.legend.then(|| view! { <legend::ChartLegend picture=picture /> })
            notes=move || view! { <Notes notes=notes /> }
        />
    }
}

/// The sentences below a picture.
#[component]
fn Notes(notes: Memo<Vec<String>>) -> impl IntoView {
    move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            view! { <ul class="notes">{notes.into_iter().map(|n| view! { <li>{n}</li> }).collect_view()}</ul> }
        })
    }
}
