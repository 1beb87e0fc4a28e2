//! The places of the page and their content.
//!
//! The places and their pictures are data of the chart crate (`places`); a new chart is a folder and an entry there,
//! without a change here. [`chart::ChartPane`] shows any chart: it hovers, selects, zooms and scrolls, walks by
//! keyboard, saves pictures and shows the accessible table.

pub mod chart;
pub mod finding;
pub mod ledger_bar;
pub mod legend;
pub mod places;
pub mod ranked;
pub mod report;
pub mod story;
pub mod summary;
pub mod table;
pub mod time_bar;
pub mod trust;

use super::state::Workbench;
use crate::web::dom;
use gemmscope_analysis::compare::Lack;
use gemmscope_chart::charts;
use gemmscope_chart::places::{self as known, COMPARE, PLAN, Place, SUMMARY, TABLE};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_words::compare::lack;
use leptos::prelude::*;

/// The view named in the view state.
#[component]
pub fn ActiveView() -> impl IntoView {
    let bench = Workbench::here();
    let shown = Memo::new(move |_| bench.shown.get().id());
    view! { <div class="panes"><div class="pane">{move || body(shown.get())}</div></div> }
}

fn body(id: &'static str) -> AnyView {
    if id == PLAN.id {
        return view! { <super::planner::Planner /> }.into_any();
    }
    if id == TABLE.id {
        return view! { <table::Table /> }.into_any();
    }
    let Some(kind) = charts::by_id(id) else {
        return ().into_any();
    };
    let in_summary = known::of(id).is_some_and(|(place, _)| place == SUMMARY);
    if in_summary && !dom::embedded() {
        return view! { <summary::Summary kind=kind /> }.into_any();
    }
    view! { <chart::ChartPane kind=kind bar=chart::settings /> }.into_any()
}

/// What a place lacks to show something; `None` if it lacks nothing.
pub(in crate::app) fn missing(bench: Workbench, place: &'static Place) -> Option<&'static str> {
    if !bench.has_data.get() {
        return (place != PLAN).then_some("Needs a file");
    }
    let data = bench.data.get();
    if place == COMPARE {
        let sides = data.sources.len() > 1
            || data.ops.len() > 1
            || bench.decision.with(|d| d.side.is_some())
            || bench.metrics.with(|m| m.has_references());
        if !sides {
            return Some(lack(Lack::Sides));
        }
        return bench.compare_lacks.get().map(lack);
    }
    if place == known::SWEEP {
        let has = |meaning| data.column(meaning).is_some();
        // A single kernel per GEMM is no sweep.
        let kernels = has(ColumnMeaning::Kernel)
            && bench.decision.with(|d| match d.kind {
                DataKind::Sweep => true,
                DataKind::Benchmark => d.several,
                _ => false,
            });
        let variants = has(ColumnMeaning::TileM) || has(ColumnMeaning::Order) || kernels;
        return (!variants).then_some("Needs several kernels or tiles of one GEMM");
    }
    None
}
