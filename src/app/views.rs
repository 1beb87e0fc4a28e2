//! The places of the page and what they show.
//!
//! The places and their pictures are data of the chart crate (`places`); a new chart is a folder
//! and an entry there, and nothing here changes. [`chart::ChartPane`] shows any chart: it hovers,
//! selects, zooms and scrolls, walks by keyboard, saves pictures and shows the accessible table.
//! One view shows, or four side by side where the screen is wide.

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

use super::state::{Shown, Workbench};
use super::ui::{icon, keyed, media};
use crate::web::dom;
use gemmscope_analysis::compare::NO_SIDES;
use gemmscope_chart::charts;
use gemmscope_chart::places::{self as known, COMPARE, PLAN, Place, SUMMARY, TABLE};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;

/// Key of the views that are tiled: ids, separated by commas.
const PANES: &str = "panes";
/// Rows up to which Compare says before it is opened that no GEMM has two sides.
const PAIRED: usize = 20_000;
/// Views side by side.
const TILED: usize = 4;
/// Views that fill the free places, in this order.
const FILLERS: [&str; 4] = ["roofline", "heat", "compare", "bars"];
/// From this width on four views have room.
const WIDE: &str = "(min-width: 1100px)";

/// The id of a view that can be tiled: a picture, or the table.
fn pane(id: &str) -> Option<&'static str> {
    let (place, picture) = known::of(id)?;
    match picture {
        "" if place == PLAN => None,
        "" => Some(place.id),
        picture => Some(picture),
    }
}

/// The tiled views of a state that shows `active`; fewer than two are none.
fn panes(state: &ViewState, active: Shown) -> Vec<&'static str> {
    let mut out = Vec::new();
    for id in state.param(PANES).unwrap_or_default().split(',') {
        if let Some(id) = pane(id)
            && !out.contains(&id)
            && out.len() < TILED
        {
            out.push(id);
        }
    }
    if out.len() < 2 || !active.needs_file() {
        out.clear();
    } else if !out.contains(&active.id()) {
        // A link that names another view still shows it.
        out[0] = active.id();
    }
    out
}

/// Shows a view: alone, or in the place of the chosen one of several.
pub fn choose(bench: Workbench, id: &str) {
    let old = bench.shown.get_untracked();
    bench.edit("view", |s| {
        let mut tiled = panes(s, old);
        id.clone_into(&mut s.view);
        if let Some(new) = pane(id)
            && !tiled.is_empty()
            && !tiled.contains(&new)
        {
            for p in tiled.iter_mut().filter(|p| **p == old.id()) {
                *p = new;
            }
            s.set_param(PANES, tiled.join(","));
        }
    });
}

/// Four views, or one again.
fn toggle_tiles(bench: Workbench) {
    let active = bench.shown.get_untracked();
    bench.edit("view", |s| {
        if !panes(s, active).is_empty() {
            s.set_param(PANES, "");
            return;
        }
        let mut all: Vec<&str> = pane(active.id()).into_iter().collect();
        for id in FILLERS {
            if !all.contains(&id) && all.len() < TILED {
                all.push(id);
            }
        }
        s.set_param(PANES, all.join(","));
    });
}

/// The view that the state names, or several.
#[component]
pub fn ActiveView() -> impl IntoView {
    let bench = Workbench::here();
    let wide = media(WIDE);
    let shown = Memo::new(move |_| {
        let (wide, active) = (wide.get(), bench.shown.get());
        bench.view.with(|s| match panes(s, active) {
            many if wide && !many.is_empty() => (many, true),
            _ => (vec![active.id()], false),
        })
    });
    let tiled = Memo::new(move |_| shown.with(|s| s.1));
    let each = move || {
        let (ids, tiled) = shown.get();
        ids.into_iter().map(move |id| (id, tiled)).collect()
    };
    let pane = move |pane: (&'static str, bool)| {
        view! {
            <div
                class="pane"
                class:current=move || tiled.get() && bench.shown.get().id() == pane.0
                on:focusin=move |_| point(bench, pane)
                on:pointerdown=move |_| point(bench, pane)
            >
                {pane.1.then(|| pane_title(pane.0))}
                {body(pane.0, pane.1)}
            </div>
        }
        .into_any()
    };
    view! {
        <div class="panes" class:tiled=move || tiled.get()>
            {keyed(each, |pane| *pane, pane)}
        </div>
    }
}

/// The heading of one of several views.
fn pane_title(id: &'static str) -> Option<AnyView> {
    let (path, name) = match charts::by_id(id) {
        Some(chart) => (chart.icon, chart.name),
        None => (TABLE.icon, TABLE.name),
    };
    Some(view! { <h2 class="pane-title">{icon(path)} {name}</h2> }.into_any())
}

/// Makes a view the chosen one of several: the tabs then change its place.
fn point(bench: Workbench, (id, tiled): (&'static str, bool)) {
    if tiled && bench.shown.get_untracked().id() != id {
        bench.edit_without_undo(|s| id.clone_into(&mut s.view));
    }
}

fn body(id: &'static str, tiled: bool) -> AnyView {
    if id == PLAN.id {
        return super::later::later(super::planner::planner);
    }
    if id == TABLE.id {
        return view! { <table::Table /> }.into_any();
    }
    let Some(kind) = charts::by_id(id) else {
        return ().into_any();
    };
    let in_summary = known::of(id).is_some_and(|(place, _)| place == SUMMARY);
    if in_summary && !tiled && !dom::embedded() && id != "card" {
        return view! { <summary::Summary kind=kind /> }.into_any();
    }
    view! { <chart::ChartPane kind=kind bar=chart::settings /> }.into_any()
}

/// What a place would need to show something; `None` where it shows something.
fn missing(bench: Workbench, place: &'static Place) -> Option<&'static str> {
    if !bench.has_data.get() {
        return (place != PLAN).then_some("Needs a file");
    }
    let data = bench.data.get();
    if place == COMPARE {
        let sides = data.sources.len() > 1
            || data.ops.len() > 1
            || bench.decision.with(|d| d.side.is_some());
        if !sides {
            return Some(NO_SIDES);
        }
        // Of many rows nobody waits for the answer.
        let frame = bench.settled_frame.get();
        let follow = bench.follow.get().filter(|_| frame.rows.len() <= PAIRED);
        return follow.and_then(|f| (f.compare_lacks)(&frame));
    }
    if place == known::SWEEP {
        // A kernel's name alone is one variant of its GEMM.
        let named = [ColumnMeaning::TileM, ColumnMeaning::Order];
        let variants = named.iter().any(|m| data.column(*m).is_some())
            || bench.decision.with(|d| d.kind == DataKind::Sweep);
        return (!variants).then_some("Needs several kernels or tiles of one GEMM");
    }
    None
}
