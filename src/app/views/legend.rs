//! The legend beside a chart: entries that isolate, set or select.

use crate::app::chart_view::PictureMemo;
use crate::app::state::Workbench;

use crate::web::dom;
use gemmscope_chart::legend::{Click, Legend, LegendEntry};
use gemmscope_chart::scene::{Color, Symbol};
use gemmscope_model::units::grouped;
use leptos::prelude::*;

/// The legend of the last picture. Its space is reserved before the first one, so that the chart below keeps its size.
#[component]
pub fn ChartLegend(picture: PictureMemo) -> impl IntoView {
    let legend = Memo::new(move |_| picture.with(|p| p.as_ref().and_then(|p| p.legend())));
    let title = move || legend.with(|l| l.as_ref().map_or_else(String::new, |l| l.title.clone()));
    let entries = move || legend.with(|l| l.as_ref().map_or_else(Vec::new, |l| l.entries.clone()));
    let key = |e: &LegendEntry| (e.name.clone(), e.click == Click::Category);
    let entry =
        move |first| view! { <Entry first=first legend=legend picture=picture /> }.into_any();
    let steps = Memo::new(move |_| legend.with(|l| l.as_ref()?.gradient.clone()));
    view! {
        <div class="legend" role="group" aria-label="Legend">
            <span class="legend-title">{title}</span>
            {move || steps.get().map(gradient)}
            <For each=entries key=key children=entry />
            {hidden(legend)}
        </div>
    }
}

/// Says that categories are hidden in the picture but still count in figures and list.
fn hidden(legend: Memo<Option<Legend>>) -> impl IntoView {
    let bench = Workbench::here();
    let off = Memo::new(move |_| {
        legend.with(|l| l.as_ref().map_or(0, |l| bench.view.with(|v| l.hidden(v))))
    });
    let all = move |_| {
        if let Some(key) = legend.with_untracked(|l| l.as_ref().map(|l| l.key)) {
            bench.edit(|v| v.set_param(key, ""));
        }
        // The focused button disappeared.
        dom::focus(".chart-stage");
    };
    move || {
        let n = off.get();
        (n > 0).then(|| {
            view! {
                <span class="legend-note" role="status">
                    {format!("{n} hidden in this picture; the figures above still count their rows.")}
                    <button type="button" class="link" on:click=all>"Show all"</button>
                </span>
            }
        })
    }
}

/// An entry. Its element is kept while it changes, so that a click does not take the focus away.
#[component]
fn Entry(first: LegendEntry, legend: Memo<Option<Legend>>, picture: PictureMemo) -> impl IntoView {
    let bench = Workbench::here();
    let name = first.name.clone();
    let now = Memo::new(move |last: Option<&LegendEntry>| {
        let same = |e: &&LegendEntry| e.name == first.name;
        let entry = legend.with(|l| l.as_ref()?.entries.iter().find(same).cloned());
        entry.or_else(|| last.cloned()).unwrap_or_else(|| first.clone())
    });
    let click = move |add: bool| {
        let entry = now.get_untracked();
        match entry.click {
            Click::Category => {
                if let Some(legend) = legend.get_untracked() {
                    bench.edit(|v| legend.click(v, &[entry.name], add));
                }
            }
            Click::Set { key, value } => bench.edit(|v| v.set_param(key, value)),
            Click::Select(of) => {
                let rows = picture.with_untracked(|p| p.as_ref().map(|p| p.legend_rows(of)));
                bench.select(&rows.unwrap_or_default(), false);
            }
        }
    };
    view! {
        <button
            type="button"
            class="legend-entry"
            aria-pressed=move || now.with(|e| e.shown.map(|on| on.to_string()))
            title=move || now.with(|e| e.hint.clone())
            on:click=move |e| click(e.ctrl_key() || e.meta_key())
        >
            {move || now.with(mark)}
            <span>{name}</span>
            <span class="facet-count">{move || now.with(|e| grouped(e.count))}</span>
        </button>
    }
}

fn mark(entry: &LegendEntry) -> AnyView {
    match entry.click {
        // In the page's colours, not those of a category.
        Click::Set { .. } => of_class(entry.symbol, "swatch-open"),
        Click::Select(_) => of_class(entry.symbol, "swatch-above"),
        Click::Category => swatch(entry.color, entry.symbol),
    }
}

fn hex(c: Color) -> String {
    format!("#{:02x}{:02x}{:02x}", c.0, c.1, c.2)
}

fn outline(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::Square => "M2 2h8v8H2z",
        Symbol::Diamond => "M6 .8 11.2 6 6 11.2.8 6z",
        Symbol::Open => "M6 1.2 10.8 6 6 10.8 1.2 6z",
        Symbol::Triangle => "M6 1.5 11 10.5H1z",
        Symbol::Ring => "M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
        _ => "M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
    }
}

fn of_class(symbol: Symbol, class: &'static str) -> AnyView {
    view! { <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d=outline(symbol) class=class /></svg> }.into_any()
}

/// The mark of a category, as drawn in the chart.
pub fn swatch(color: Color, symbol: Symbol) -> AnyView {
    view! { <svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d=outline(symbol) fill=hex(color) /></svg> }.into_any()
}

/// The colour gradient of a number, with the values at both ends.
fn gradient(steps: Vec<(Color, String)>) -> AnyView {
    let end = |s: Option<&(Color, String)>| s.map_or_else(String::new, |s| s.1.clone());
    let (first, last) = (end(steps.first()), end(steps.last()));
    let width = 100.0 / steps.len().max(1) as f64;
    view! {
        <span class="gradient-end">{first}</span>
        <svg class="gradient" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            {steps
                .into_iter()
                .enumerate()
                .map(|(i, (color, _))| view! { <rect x=(i as f64 * width).to_string() y="0" width=(width + 0.3).to_string() height="10" fill=hex(color) /> })
                .collect_view()}
        </svg>
        <span class="gradient-end">{last}</span>
    }
    .into_any()
}
