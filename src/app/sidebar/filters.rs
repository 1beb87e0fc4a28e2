//! The filters: a row of chips, each with a popover that changes it, and a list of everything that can be filtered.

use super::facet::{Facet, FacetOf, facet_fields, facet_of};
use crate::app::state::{Shell, Workbench};
use crate::app::ui::{Menu, icon, roving_tabindex, value_of};
use crate::web::clock;
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
/// Number of facets that have a chip before they are used.
const PINNED: usize = 4;

/// The filterable fields found so far.
#[derive(Clone, Copy)]
pub struct Known {
    facets: RwSignal<Vec<FacetOf>>,
    ranges: RwSignal<Vec<RangeOf>>,
}

impl Known {
    /// Tracks the rows for the lifetime of the calling component.
    pub fn follow(bench: Workbench) -> Known {
        let known = Known { facets: RwSignal::default(), ranges: RwSignal::default() };
        survey(bench, known.facets, known.ranges);
        known
    }
}

/// A chip: a field that can be filtered.
#[derive(Clone, PartialEq)]
enum ChipOf {
    Facet(FacetOf),
    Range(RangeOf),
}

impl ChipOf {
    fn info(&self) -> &FieldInfo {
        match self {
            ChipOf::Facet(facet) => &facet.info,
            ChipOf::Range(range) => &range.0,
        }
    }

    fn holds(&self, part: &FilterPart) -> bool {
        let field = &self.info().field;
        match (self, part) {
            (ChipOf::Facet(_), FilterPart::Facet(of, _)) => of == field,
            (ChipOf::Range(_), FilterPart::Range(of)) => of == field,
            _ => false,
        }
    }
}

/// The row above every place: the open files, everything that can be filtered, and a chip for the first facets and for
/// each active filter.
#[component]
pub fn FilterRow(known: Known) -> impl IntoView {
    let bench = Workbench::here();
    let filters = Memo::new(move |_| bench.shown.get().needs_file());
    view! {
        <div class="filter-row" role="toolbar" aria-label="Files and filters"
            on:focusin=|e| roving_tabindex::entered(&e) on:focusout=|e| roving_tabindex::left(&e) on:keydown=|e| roving_tabindex::keys(&e)>
            {files_button(bench)}
            <Show when=move || filters.get()>
                {everything(known)}
                {chips(bench, known)}
                <Show when=move || bench.view.with(|v| v.filters.count() > 1)>
                    <button type="button" class="link" title="Clear all filters" on:click=move |_| bench.clear_filters()>
                        "Clear all"
                    </button>
                </Show>
            </Show>
        </div>
    }
}

/// Toggles the files.
fn files_button(bench: Workbench) -> AnyView {
    let shell = Shell::here();
    let files = Memo::new(move |_| {
        bench.data.with(|d| match &d.sources[..] {
            [one] => base_name(&one.name).to_owned(),
            all => plural(all.len() as u64, "file"),
        })
    });
    view! {
        <button type="button" class="button small drawer-button" aria-controls="sidebar"
            aria-label=move || format!("Files: {}", files.get())
            title="Files: what was read, what is assumed"
            aria-expanded=move || shell.shows_panel().to_string()
            on:keydown=move |e| if e.key() == "Escape" { shell.drawer.set(false) }
            on:click=move |_| shell.show_panel(!untrack(|| shell.shows_panel()))>
            {icon(icon::FILE)}<span>{move || files.get()}</span>
        </button>
    }
    .into_any()
}

/// Everything that can be filtered: the search, all facets, all ranges. On a phone a sheet.
fn everything(known: Known) -> AnyView {
    let Known { facets, ranges } = known;
    view! {
        <Menu class="button small all-filters" stays=true name=Signal::stored("Filter".to_owned())
            label=|| view! { {icon(icon::FILTER)}<span>"Filter"</span> }>
            <section class="filters" aria-label="Filters">
                <div class="options-head">
                    <strong>"Filters"</strong>
                    <button type="button" class="icon-button" data-close="" aria-label="Close" title="Close">{icon(icon::CROSS)}</button>
                </div>
                <Search id="search" />
                <For each=move || facets.get() key=|f| (f.info.field.clone(), f.distinct) let:facet>
                    <Facet facet=facet />
                </For>
                <details class="facet">
                    <summary><span>"Ranges"</span></summary>
                    <For each=move || ranges.get() key=range_key let:range>
                        <RangeRow range=range />
                    </For>
                </details>
            </section>
        </Menu>
    }
    .into_any()
}

/// The search, which filters rows.
#[component]
pub fn Search(id: &'static str) -> impl IntoView {
    let bench = Workbench::here();
    let search = move |e: web_sys::Event| {
        let text = value_of(&e);
        bench.adjust("search", |v| v.filters.search = text);
    };
    view! {
        <input
            id=id
            type="search"
            placeholder="Search kernels and sizes"
            aria-label="Search kernels and sizes"
            title="Search (/): a part of a name, or sizes like 13824 or 4096x13824x5120"
            prop:value=move || bench.view.with(|v| v.filters.search.clone())
            on:input=search
        />
    }
}

/// The chips. Those of fields come first, so that one whose popover is open stays.
fn chips(bench: Workbench, known: Known) -> AnyView {
    let parts = Memo::new(move |_| {
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
    let fields = Memo::new(move |_| {
        let facets = known.facets.get().into_iter().map(ChipOf::Facet);
        let all = facets.chain(known.ranges.get().into_iter().map(ChipOf::Range));
        let pinned = |of: &ChipOf| matches!(of, ChipOf::Facet(facet) if facet.pinned);
        let used = |of: &ChipOf| parts.with(|p| p.iter().any(|(_, part)| of.holds(part)));
        all.filter(|of| pinned(of) || used(of)).collect::<Vec<_>>()
    });
    let others = move || {
        let fields = fields.get();
        let all = parts.get().into_iter();
        all.filter(|(_, part)| !fields.iter().any(|of| of.holds(part)))
            .map(|of| other(bench, of))
            .collect_view()
    };
    let key = |of: &ChipOf| match of {
        ChipOf::Facet(f) => (f.info.field.clone(), f.distinct as u64, 0),
        ChipOf::Range(range) => range_key(range),
    };
    view! {
        <For each=move || fields.get() key=key children=move |of| chip(bench, parts, of) />
        {others}
    }
    .into_any()
}

/// Texts of the active filters.
type Parts = Memo<Vec<(String, FilterPart)>>;

/// The chip of a field: its values or its range, a popover that changes them, and a cross.
fn chip(bench: Workbench, parts: Parts, of: ChipOf) -> AnyView {
    let label = of.info().label.clone();
    let words = {
        let (of, label) = (of.clone(), label.clone());
        Memo::new(move |_| {
            let texts = parts.with(|p| {
                let own = p.iter().filter(|(_, part)| of.holds(part));
                own.map(|(text, _)| text.clone()).collect::<Vec<_>>()
            });
            joined(&label, &texts)
        })
    };
    let on = Memo::new(move |_| words.with(|w| !w.is_empty()));
    let shown = {
        let label = label.clone();
        move || if on.get() { words.get() } else { label.clone() }
    };
    let name = {
        let shown = shown.clone();
        Signal::derive(move || format!("Filter by {}", shown()))
    };
    let field = of.info().field.clone();
    let remove = {
        let of = of.clone();
        move |_| {
            let field = field.clone();
            bench.edit(|v| match of {
                ChipOf::Facet(_) => drop(v.filters.facets.remove(&field)),
                ChipOf::Range(_) => drop(v.filters.ranges.remove(&field)),
            });
        }
    };
    let cross = format!("Remove the filter {label}");
    let content = move || match of.clone() {
        ChipOf::Facet(facet) => view! { <Facet facet=facet open=true /> }.into_any(),
        ChipOf::Range(range) => view! { <RangeRow range=range /> }.into_any(),
    };
    view! {
        <span class="chip" class:on=move || on.get()>
            <Menu class="chip-words" stays=true name=name label=move || view! { <span>{shown.clone()}</span> }>
                {content()}
            </Menu>
            <Show when=move || on.get()>
                <button type="button" class="icon-button tiny" aria-label=cross.clone() title=cross.clone() on:click=remove.clone()>
                    {icon(icon::CROSS)}
                </button>
            </Show>
        </span>
    }
    .into_any()
}

/// The texts of one field's filters as one: `Type: bf16, fp16`.
fn joined(label: &str, texts: &[String]) -> String {
    let prefix = format!("{label}: ");
    let [first, rest @ ..] = texts else { return String::new() };
    let rest = rest.iter().map(|text| text.strip_prefix(&prefix).unwrap_or(text));
    rest.fold(first.clone(), |out, text| format!("{out}, {text}"))
}

/// A filter that belongs to none of these fields: some rows, the search, a field of other files.
fn other(bench: Workbench, (text, part): (String, FilterPart)) -> AnyView {
    let (name, title) = (format!("Remove the filter {text}"), text.clone());
    view! {
        <span class="chip on">
            <span class="chip-words" title=title><span>{text}</span></span>
            <button type="button" class="icon-button tiny" aria-label=name.clone() title=name
                on:click=move |_| bench.edit(|v| v.filters.remove(&part))>
                {icon(icon::CROSS)}
            </button>
        </span>
    }
    .into_any()
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
    let mut pinned = 0;
    for facet in &mut facets {
        facet.pinned &= pinned < PINNED;
        pinned += usize::from(facet.pinned);
    }
    let mut ranges = Vec::new();
    for field in RANGES {
        ranges.extend(range_of(frame, field));
        turns.give().await;
    }
    (facets, ranges)
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

fn range_key(range: &RangeOf) -> (Field, u64, u64) {
    (range.0.field.clone(), range.1.to_bits(), range.2.to_bits())
}

#[component]
fn RangeRow(range: RangeOf) -> impl IntoView {
    let bench = Workbench::here();
    let (info, low, high) = range;
    let info = StoredValue::new(info);
    let field = move || info.with_value(|i| i.field.clone());
    let factor = info.with_value(|i| column_format::unit_for(&i.unit).factor);
    let current = Memo::new(move |_| {
        bench.view.with(|v| v.filters.ranges.get(&field()).copied().unwrap_or_default())
    });
    let set = move |change: &dyn Fn(&mut Range)| {
        bench.adjust("range", |v| {
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
