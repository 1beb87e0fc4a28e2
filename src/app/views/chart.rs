//! Shows any chart: its settings, legend, picture and sentences.

use super::{legend, places};
use crate::app::chart_view::{ChartView, Draw, PictureMemo};
use crate::app::controls::{controls, write};
use crate::app::state::{Shared, Workbench};
use crate::app::ui::{NARROW, table_view};
use crate::web::dom;
use gemmscope_chart::camera::{Zoom, zoom_of};
use gemmscope_chart::chart::{Canvas, Chart, RenderOptions};
use gemmscope_chart::charts::{self, ChartKind, Inputs};
use gemmscope_chart::interactive;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Inputs of a chart. While they stay the same, an opened chart is only redrawn.
#[derive(Clone, PartialEq)]
struct Opening {
    frame: Frame,
    params: BTreeMap<String, String>,
    selected: Vec<u32>,
}

impl Opening {
    fn open(&self, bench: Workbench, kind: &ChartKind) -> Arc<Chart> {
        let state = ViewState { params: self.params.clone(), ..ViewState::default() };
        let opened = (kind.open)(&Inputs {
            selected: &self.selected,
            by_loss: !dom::embedded(),
            cache: bench.row_cache.get_value(),
            ..Inputs::new(&self.frame, &state)
        });
        opened.into()
    }
}

/// Inputs of a picture other than its size and theme.
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
        let params = v.params.iter().filter(|(key, _)| kind.reads(key));
        let params = params.map(|(key, value)| (key.clone(), value.clone())).collect();
        PictureInputs {
            opening: Opening { frame, params, selected },
            first: charts::first_of(v, kind.id),
            zoom: zoom_of(v, kind.id),
        }
    })
}

/// The bar above a picture. An embed shows no settings.
pub type ChartBar = fn(&'static ChartKind, PictureMemo, Workbench) -> AnyView;

/// No bar above the picture.
pub const NO_BAR: ChartBar = |_, _, _| ().into_any();

/// The switch of pictures, and the settings of the chart.
pub fn settings(kind: &'static ChartKind, picture: PictureMemo, bench: Workbench) -> AnyView {
    let now = Memo::new(move |_| {
        let drawn = picture.with(|p| p.as_ref().map(|p| p.opened.said.controls.clone()));
        // Until there is a picture, a placeholder of the same height, so that the chart keeps its size.
        drawn.unwrap_or_else(|| {
            let frame = Frame::all(Arc::new(Dataset::new()), Arc::default());
            let state = ViewState::default();
            (kind.open)(&Inputs::new(&frame, &state)).said.controls.clone()
        })
    });
    view! {
        {places::switch(bench, kind.id)}
        {controls(now.into(), write(bench))}
    }
    .into_any()
}

/// The view of a chart.
#[component]
pub fn ChartPane(kind: &'static ChartKind, bar: ChartBar) -> impl IntoView {
    let bench = Workbench::here();
    let inputs = Memo::new(move |_| inputs_of(bench, kind));
    let opening = Memo::new(move |_| inputs.with(|i| i.opening.clone()));
    let opened = Memo::new(move |_| Shared(opening.with(|o| o.open(bench, kind))));
    let draw: Draw = Box::new(move |canvas: &Canvas| {
        let inputs = inputs.get_untracked();
        let options = RenderOptions {
            selected: &inputs.opening.selected,
            first: inputs.first,
            zoom: inputs.zoom,
            ..canvas.options()
        };
        let chart = opened.get_untracked();
        interactive::draw(&chart.0, Some(&inputs.opening.frame), &options)
    });
    let legend = move |picture| {
        let legend = kind.legend;
        legend.then(|| view! { <legend::ChartLegend picture=picture /> })
    };
    view! {
        <ChartView
            inputs=Signal::derive(move || inputs.track())
            draw=draw
            name=kind.id
            bar=Box::new(move |picture| bar(kind, picture, bench))
            legend=Box::new(move |picture| legend(picture).into_any())
            words=Box::new(words)
        />
    }
}

/// The verdict above a picture; the other sentences and tables below it. On a phone only the first sentence is above;
/// in an embed none is, as the host sets its height.
fn words(picture: PictureMemo) -> (AnyView, AnyView) {
    let told = Memo::new(move |_| {
        picture.with(|p| {
            let Some(p) = p else {
                return Default::default();
            };
            let mut verdict = p.opened.said.verdict.clone();
            let above = match dom::media(NARROW) {
                _ if dom::embedded() => 0,
                true => verdict.len().min(1),
                false => verdict.len().min(ABOVE),
            };
            let below = verdict.split_off(above);
            (verdict, [below, p.notes.clone()].concat())
        })
    });
    (
        view! { <Verdict told=told /> }.into_any(),
        view! { <Notes told=told picture=picture /> }.into_any(),
    )
}

/// Number of sentences above a picture. They share two lines, which are reserved, so that no sentence moves the picture.
const ABOVE: usize = 2;

/// Sentences of a picture: the verdict, and the others.
type Told = Memo<(Vec<String>, Vec<String>)>;

/// The verdict comes first, as the picture would push it out of sight.
#[component]
fn Verdict(told: Told) -> impl IntoView {
    let verdict = Memo::new(move |_| told.with(|t| t.0.clone()));
    let shown = Memo::new(move |_| verdict.with(|v| !v.is_empty()));
    let words = move || {
        let sentences = verdict.get().into_iter();
        sentences.map(|v| view! { <span>{v}" "</span> }).collect_view()
    };
    view! {
        <Show when=move || shown.get()>
            <p class="chart-verdict" role="note">{words}</p>
        </Show>
    }
}

/// Tables up to this many rows start open.
const OPEN_UP_TO: usize = 60;

/// The sentences and tables below a picture.
#[component]
fn Notes(told: Told, picture: PictureMemo) -> impl IntoView {
    let notes = Memo::new(move |_| told.with(|t| t.1.clone()));
    let details = Memo::new(move |_| {
        picture.with(|p| p.as_ref().map_or_else(Vec::new, |p| p.opened.said.details.clone()))
    });
    let list = move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            view! { <ul class="notes">{notes.into_iter().map(|n| view! { <li>{n}</li> }).collect_view()}</ul> }
        })
    };
    let tables = move || {
        let one = |(name, table): (String, ResultTable)| {
            let short = table.rows.len() <= OPEN_UP_TO;
            view! { <details class="notes" open=short><summary>{name}</summary>{table_view(table)}</details> }
        };
        details.get().into_iter().map(one).collect_view()
    };
    view! { {list} {tables} }
}
