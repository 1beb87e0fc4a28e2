//! The filters: a row of buttons above the picture, and the panel that they open, with search, chips of active filters,
//! facets with counts, and ranges.

use super::facet::{Facet, FacetOf, facet_fields, facet_of};
use crate::app::state::Workbench;
use crate::app::ui::{Menu, icon, roving_tabindex, value_of};
use crate::web::{clock, dom};
use gemmscope_model::pass;
use gemmscope_model::units::{larger, plural, smaller};
use gemmscope_share::data::base_name;
use gemmscope_table::column_format;
use gemmscope_table::field::Frame;
use gemmscope_table::field::{Field, FieldInfo};
use gemmscope_table::filter::{FilterPart, Range};
use gemmscope_table::selection::RowSet;
use gemmscope_words::findings::rule_text;
use leptos::prelude::*;

/// Fields that can be filtered by a range.
const RANGES: [Field; 7] =
    [Field::M, Field::N, Field::K, Field::Ai, Field::Time, Field::Attained, Field::Efficiency];
/// Number of facets with a button of their own.
const BUTTONS: usize = 5;

/// The filterable fields found so far.
#[derive(Clone, Copy)]
pub struct Known {
    facets: RwSignal<Vec<FacetOf>>,
    ranges: RwSignal<Vec<RangeOf>>,
    /// Number of times that the ranges were requested.
    asked: RwSignal<u32>,
}

impl Known {
    /// Tracks the rows for the lifetime of the calling component.
    pub fn follow(bench: Workbench) -> Known {
        let known = Known {
            facets: RwSignal::default(),
            ranges: RwSignal::default(),
            asked: RwSignal::default(),
        };
        survey(bench, known.facets, known.ranges);
        known
    }
}

/// The filter bar: the open files, buttons for the first facets and for the ranges, and the active filters.
#[component]
pub fn FilterRow(
    known: Known,
    /// Opens the panel.
    open: Callback<()>,
) -> impl IntoView {
    let bench = Workbench::here();
    let ranges = move |_| {
        known.asked.update(|n| *n += 1);
        open.run(());
    };
    let button = move |f: FacetOf| {
        let (field, label) = (f.info.field.clone(), f.info.label.clone());
        let on = move || bench.view.with(|v| v.filters.facets.contains_key(&field));
        let name = Signal::stored(format!("Filter by {label}"));
        let facet = FacetOf { open: true, ..f };
        view! {
            <span class="filter-button" class:on=on>
                <Menu class="button small" stays=true name=name label=move || label.clone()>
                    <Facet facet=facet.clone() />
                </Menu>
            </span>
        }
        .into_any()
    };
    let first = move || {
        let facets = known.facets.get().into_iter();
        facets.filter(|f| f.open).take(BUTTONS).collect::<Vec<_>>()
    };
    // An element whose list is open is kept.
    let key = |f: &FacetOf| (f.info.field.clone(), f.distinct);
    let buttons = view! { <For each=first key=key children=button /> };
    let sizes = move || known.ranges.with(|r| !r.is_empty());
    let files = Memo::new(move |_| {
        bench.data.with(|d| match &d.sources[..] {
            [one] => base_name(&one.name).to_owned(),
            all => plural(all.len() as u64, "file"),
        })
    });
    view! {
        <div class="filter-row" role="toolbar" aria-label="Filters"
            on:focusin=|e| roving_tabindex::entered(&e) on:focusout=|e| roving_tabindex::left(&e) on:keydown=|e| roving_tabindex::keys(&e)>
            <button type="button" class="button small files-button" title="Files: what was read, what is assumed"
                on:click=move |_| open.run(())>
                <span>{move || files.get()}</span>
            </button>
            {buttons}
            <Show when=sizes>
                <button type="button" class="button small" class:on=move || bench.view.with(|v| !v.filters.ranges.is_empty())
                    title="Sizes, intensity, time, rate" on:click=ranges>
                    "Ranges"
                </button>
            </Show>
            <Chips />
            <Show when=move || bench.view.with(|v| v.filters.count() > 1)>
                <button type="button" class="link" title="Clear all filters" on:click=move |_| bench.clear_filters()>
                    "Clear all"
                </button>
            </Show>
        </div>
    }
}

/// The panel.
#[component]
pub fn Filters(known: Known) -> impl IntoView {
    let bench = Workbench::here();
    let Known { facets, ranges, asked } = known;
    let ranged = NodeRef::<leptos::html::Details>::new();
    Effect::new(move |_| {
        if asked.get() > 0 {
            turn_to(ranged);
        }
    });
    let search = move |e: web_sys::Event| {
        let text = value_of(&e);
        bench.edit("search", |v| v.filters.search = text);
    };
    view! {
        <section class="filters" aria-label="Filters">
            <h2>"Filters"</h2>
            <input
                id="search"
                type="search"
                placeholder="Search kernels and sizes"
                aria-label="Search kernels and sizes"
                title="Search (/): a part of a name, or sizes like 13824 or 4096x13824x5120"
                prop:value=move || bench.view.with(|v| v.filters.search.clone())
                on:input=search
            />
            <For each=move || facets.get() key=|f| (f.info.field.clone(), f.distinct) let:facet>
                <Facet facet=facet />
            </For>
            <details class="facet" open node_ref=ranged>
                <summary><span>"Ranges"</span></summary>
                <For each=move || ranges.get() key=|r| (r.0.field.clone(), r.1.to_bits(), r.2.to_bits()) let:range>
                    <RangeRow info=range.0 low=range.1 high=range.2 />
                </For>
            </details>
        </section>
    }
}

/// Finds facets and ranges over all rows, one field at a time with a pause for the browser in between: for a million
/// rows each field takes some milliseconds.
fn survey(bench: Workbench, facets: RwSignal<Vec<FacetOf>>, ranges: RwSignal<Vec<RangeOf>>) {
    // The frame that they were found for. Filters do not matter.
    let done = StoredValue::new(None::<Frame>);
    Effect::new(move |_| {
        let frame = bench.settled_frame.get();
        if done.with_value(|o| o.as_ref().is_some_and(|o| o.same_data(&frame))) {
            return;
        }
        done.set_value(Some(frame.clone()));
        leptos::task::spawn_local(async move {
            // False once a later run has started, for instance because another file was loaded.
            let current = || {
                done.try_with_value(|o| o.as_ref().is_some_and(|o| o.same_data(&frame)))
                    == Some(true)
            };
            let looked = pass::while_wanted(current, facets_and_ranges(bench, &frame)).await;
            if let Some((found, spans)) = looked {
                if facets.with_untracked(|f| *f != found) {
                    facets.set(found);
                }
                if ranges.with_untracked(|r| *r != spans) {
                    ranges.set(spans);
                }
            }
        });
    });
}

/// The facets and ranges of a frame.
async fn facets_and_ranges(bench: Workbench, frame: &Frame) -> (Vec<FacetOf>, Vec<RangeOf>) {
    let turns = clock::Turns::begin();
    let mut facets = Vec::new();
    for field in facet_fields(frame) {
        facets.extend(facet_of(&bench, frame, field));
        turns.give().await;
    }
    // At most the first four facets start open, to keep the panel short.
    let mut open = 0;
    for facet in &mut facets {
        facet.open &= open < 4;
        open += usize::from(facet.open);
    }
    let mut ranges = Vec::new();
    for field in RANGES {
        ranges.extend(range_of(frame, field));
        turns.give().await;
    }
    (facets, ranges)
}

/// Opens a section of the panel and focuses it.
fn turn_to(part: NodeRef<leptos::html::Details>) {
    if let Some(part) = part.get_untracked() {
        part.set_open(true);
        // The panel may become visible only in the next frame.
        request_animation_frame(move || {
            part.scroll_into_view();
            let _ = dom::all(&part, "summary").first().map(|summary| summary.focus());
        });
    }
}

/// A field with its minimum and maximum, SI base units.
type RangeOf = (FieldInfo, f64, f64);

fn range_of(frame: &Frame, field: Field) -> Option<RangeOf> {
    let info = frame.info(&field)?;
    let get = frame.numbers(&field);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in 0..frame.data.len() {
        let v = get(row);
        (low, high) = (smaller(low, v), larger(high, v));
    }
    (low < high).then_some((info, low, high))
}

#[component]
fn RangeRow(info: FieldInfo, low: f64, high: f64) -> impl IntoView {
    let bench = Workbench::here();
    let info = StoredValue::new(info);
    let field = move || info.with_value(|i| i.field.clone());
    let factor = info.with_value(|i| column_format::unit_for(&i.unit).factor);
    let current = Memo::new(move |_| {
        bench.view.with(|v| v.filters.ranges.get(&field()).copied().unwrap_or_default())
    });
    let set = move |change: &dyn Fn(&mut Range)| {
        bench.edit("range", |v| {
            let range = v.filters.ranges.entry(field()).or_default();
            change(range);
            if *range == Range::default() {
                v.filters.ranges.remove(&field());
            }
        });
    };
    let read = move |e: &web_sys::Event| -> Option<f64> {
        value_of(e).trim().replace(',', ".").parse::<f64>().ok().map(|v| v * factor)
    };
    let write = move |v: Option<f64>| {
        v.map_or_else(String::new, |v| info.with_value(|i| column_format::number(i, v)))
    };
    let title = info.with_value(column_format::title);
    let hint = info.with_value(|i| i.hint);
    view! {
        <div class="range" role="group" aria-label=title.clone()>
            <span class="range-label" title=hint>{title.clone()}</span>
            <input type="text" inputmode="decimal" class="small-input" aria-label=format!("{title} from")
                placeholder=write(Some(low))
                prop:value=move || write(current.get().min)
                on:change=move |e| { let v = read(&e); set(&|r| r.min = v); } />
            <span aria-hidden="true">"–"</span>
            <input type="text" inputmode="decimal" class="small-input" aria-label=format!("{title} to")
                placeholder=write(Some(high))
                prop:value=move || write(current.get().max)
                on:change=move |e| { let v = read(&e); set(&|r| r.max = v); } />
        </div>
    }
}

/// Description of a filter by rows: the title of the rule that found them.
pub fn only_of(only: &RowSet) -> &'static str {
    rule_text(&only.what).map_or("Selected rows", |r| r.title)
}

/// A chip for each active filter, with a button to remove it.
#[component]
fn Chips() -> impl IntoView {
    let bench = Workbench::here();
    let chips = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        bench.view.with(|v| {
            let mut parts = v.filters.parts(&frame);
            if let (Some(only), Some((text, FilterPart::Only))) =
                (&v.filters.only, parts.first_mut())
            {
                text.insert_str(0, &format!("{}: ", only_of(only)));
            }
            parts
        })
    });
    let chip = move |(text, part): (String, FilterPart)| {
        let (name, title) = (format!("Remove the filter {text}"), text.clone());
        view! {
            <li class="chip">
                <span title=title>{text}</span>
                <button type="button" class="icon-button tiny" aria-label=name.clone() title=name
                    on:click=move |_| bench.edit("chip", |v| v.filters.remove(&part))>
                    {icon(icon::CROSS)}
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <Show when=move || chips.with(|c| !c.is_empty())>
            <ul class="chips" aria-label="Active filters">
                {move || chips.get().into_iter().map(chip).collect_view()}
            </ul>
        </Show>
    }
}
