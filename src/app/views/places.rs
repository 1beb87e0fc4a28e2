//! The tabs of places, and the switch between the pictures of a place.

use super::missing;
use crate::app::state::Workbench;
use crate::app::ui::{icon, roving_tabindex};
use gemmscope_chart::places::{self, PLACES, PLAN, Place};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use leptos::prelude::*;

/// The row of tabs.
#[component]
pub fn Places() -> impl IntoView {
    let bench = Workbench::here();
    // The last picture of each place.
    let last = StoredValue::new([""; PLACES.len()]);
    Effect::new(move |_| {
        let shown = bench.shown.get();
        if let Some(i) = PLACES.iter().position(|p| p == shown.place) {
            last.update_value(|all| all[i] = shown.picture);
        }
    });
    let tab = move |i: usize, place: &'static Place| {
        let current = move || bench.shown.get().place == place;
        let lacks = Memo::new(move |_| missing(bench, place));
        // Without a file only the planner and the start page are available.
        let empty = move || !bench.has_data.get() && place != PLAN;
        let dead = move || empty() && i != 0;
        let hint = move || match lacks.get() {
            _ if empty() => format!("Choose files or a sample ({})", i + 1),
            Some(lacks) => format!("{} ({}). {lacks}.", place.hint, i + 1),
            None => format!("{} ({})", place.hint, i + 1),
        };
        let go = move |_| {
            let picture = last.with_value(|all| all[i]);
            bench.show(if picture.is_empty() { place.id } else { picture });
        };
        view! {
            <button
                type="button"
                class="tab"
                class:apart=place == PLAN
                class:bare=move || lacks.with(Option::is_some) && !empty()
                hidden=dead
                data-view=place.id
                tabindex=move || if current() { "0" } else { "-1" }
                aria-current=move || current().then_some("page")
                title=hint
                on:click=go
            >
                {icon(place.icon)}
                <span>{move || if empty() { "Start" } else { place.name }}</span>
            </button>
        }
    };
    view! {
        <nav class="tabs" aria-label="Places" on:keydown=|e| roving_tabindex::keys_among(&e, "button")>
            {PLACES.iter().enumerate().map(|(i, place)| tab(i, place)).collect_view()}
        </nav>
    }
}

/// The pictures of the place that a chart belongs to, if there are several.
pub fn switch(bench: Workbench, id: &'static str) -> Option<AnyView> {
    let (place, _) = places::of(id)?;
    if place.pictures.len() < 2 || !place.pictures.iter().any(|(own, _)| *own == id) {
        return None;
    }
    // Without a column of trials or generations there is no tuning history, so nothing to choose.
    let alone = move || {
        let order = |d: &Dataset| d.column(ColumnMeaning::Order).is_some();
        id == "tiles" && !bench.data.with(|d| order(d))
    };
    let one = |(of, label): &(&'static str, &'static str)| {
        let of = *of;
        view! {
            <button type="button" class="segment" data-picture=of
                aria-pressed=(of == id).to_string()
                on:click=move |_| bench.show(of)>
                {*label}
            </button>
        }
    };
    Some(
        view! {
            <div class="segments" role="group" aria-label="Picture" hidden=alone>
                {place.pictures.iter().map(one).collect_view()}
            </div>
        }
        .into_any(),
    )
}
