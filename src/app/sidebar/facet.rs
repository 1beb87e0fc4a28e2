//! A facet: the values of a field with their counts, each with a checkbox.

use crate::app::state::Workbench;
use crate::app::ui::value_of;
use crate::web::dom;
use gemmscope_model::units::grouped;
use gemmscope_table::dataset::ColumnData;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::filter::{Values, value_name};
use leptos::prelude::*;
use std::collections::HashMap;

/// Number of values shown before "more".
const FIRST: usize = 7;
/// Maximum number of values shown; the search finds the others.
const MOST: usize = 200;
/// Up to this many values, a facet keeps the order of its first counts.
const ORDERED: usize = 1000;
/// Facets with more values than this have no chip before they are used.
const PINNED_UP_TO: usize = 40;
/// A column with more values than this, nearly all of them unique, does not become a facet: use the search.
const DISTINCT: usize = 40;

/// A field that can be filtered by its values.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetOf {
    /// The field.
    pub info: FieldInfo,
    /// Number of its values.
    pub distinct: usize,
    /// True if it has a chip before it is used.
    pub pinned: bool,
}

/// The facet of a field; `None` if it has a single value.
pub fn facet_of(bench: &Workbench, frame: &Frame, field: Field) -> Option<FacetOf> {
    let column = match &field {
        Field::Column(key) => frame.data.columns.iter().find(|c| c.key == *key),
        _ => None,
    };
    let distinct = match column.map(|c| &c.data) {
        Some(ColumnData::Text { values, .. }) => values.len().saturating_sub(1),
        _ => bench.distinct(&field, frame),
    };
    let nearly_all = distinct > DISTINCT && distinct * 2 > frame.data.len();
    let info = frame.info(&field).filter(|_| distinct > 1 && !nearly_all)?;
    let pinned = distinct <= PINNED_UP_TO
        && !matches!(field, Field::Bound | Field::Standing | Field::Device);
    Some(FacetOf { info, distinct, pinned })
}

/// Fields that become a facet if they have several values: first those of every file, then the text columns of these
/// files.
pub fn facet_fields(frame: &Frame) -> Vec<Field> {
    let built_in = [
        Field::Dtype,
        Field::Batch,
        Field::Groups,
        Field::Transposes,
        Field::Bound,
        Field::Standing,
        Field::Device,
        Field::Source,
    ];
    let own = frame
        .data
        .columns
        .iter()
        .filter(|c| matches!(c.data, ColumnData::Text { .. }))
        .map(|c| Field::Column(c.key.clone()));
    built_in.into_iter().chain(own).collect()
}

/// A field with a checkbox for each of its values.
#[component]
pub fn Facet(
    facet: FacetOf,
    /// True to start unfolded.
    #[prop(default = false)]
    open: bool,
) -> impl IntoView {
    let bench = Workbench::here();
    let field = StoredValue::new(facet.info.field.clone());
    let begins = open;
    let open = RwSignal::new(open);
    let all = RwSignal::new(false);
    let needle = RwSignal::new(String::new());
    let chosen = Memo::new(move |_| {
        field.with_value(|f| {
            bench.view.with(|v| v.filters.facets.get(f).cloned().unwrap_or_default())
        })
    });
    let counts = counted(bench, field, open);
    let shown = Memo::new(move |_| {
        let needle = needle.get().to_lowercase();
        let limit = if all.get() || !needle.is_empty() { MOST } else { FIRST };
        counts.with(|counts| values_in_sight(counts, &chosen.get(), &needle, limit))
    });
    let value = move |(text, count, on, share): (String, u64, bool, f64)| {
        let toggled = text.clone();
        let name = value_name(&text).to_owned();
        view! {
            <li>
                <label class="facet-value" title=text>
                    <input type="checkbox" prop:checked=on
                        on:change=move |_| field.with_value(|f| bench.toggle_facet(f, &toggled)) />
                    <span class="facet-text">{name}</span>
                    <span class="facet-count">{grouped(count)}</span>
                    <span class="facet-bar" style:transform=format!("scaleX({share:.4})")></span>
                </label>
            </li>
        }
        .into_any()
    };
    let label = facet.info.label.clone();
    let many = facet.distinct > FIRST;
    view! {
        <details class="facet" prop:open=begins on:toggle=move |e| open.set(is_open(&e))>
            <summary title=facet.info.hint>
                <span>{label.clone()}</span>
                <span class="facet-count">{grouped(facet.distinct as u64)}</span>
            </summary>
            <Show when=move || many && open.get()>
                <input type="search" class="small-input" placeholder="Find" aria-label=format!("Find in {label}")
                    prop:value=move || needle.get()
                    on:input=move |e| needle.set(value_of(&e)) />
            </Show>
            <ul class="facet-values">
                <For each=move || shown.get().0 key=|v| (v.0.clone(), v.1, v.2, v.3.to_bits()) children=value />
            </ul>
            <Show when=move || { shown.get().1 > 0 && !all.get() && needle.with(String::is_empty) }>
                <button type="button" class="link" on:click=move |_| all.set(true)>
                    {move || format!("{} more", grouped(shown.get().1 as u64))}
                </button>
            </Show>
        </details>
    }
}

/// The values of a field with their counts, computed only while the facet is open.
fn counted(
    bench: Workbench,
    field: StoredValue<Field>,
    open: RwSignal<bool>,
) -> Memo<Vec<(String, u64)>> {
    let order = StoredValue::new(HashMap::<String, usize>::new());
    Memo::new(move |_| {
        if !open.get() {
            return Vec::new();
        }
        let mut counts = field.with_value(|f| bench.facet_counts(f));
        // In the order of the first counts, so that no value moves away from the pointer.
        let known = order.with_value(|o| counts.iter().all(|c| o.contains_key(&c.0)));
        if !known {
            counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let places = counts.iter().enumerate().map(|(i, c)| (c.0.clone(), i));
            order.set_value(places.collect());
        } else if counts.len() <= ORDERED {
            order.with_value(|o| counts.sort_by_key(|c| o.get(&c.0).copied()));
        }
        counts
    })
}

/// A value, its number of rows, whether it is chosen, and its count relative to the most frequent value.
type Value = (String, u64, bool, f64);

/// The values that contain `needle`, up to `limit` plus the chosen ones, and the number of others.
fn values_in_sight(
    counts: &[(String, u64)],
    chosen: &Values,
    needle: &str,
    limit: usize,
) -> (Vec<Value>, usize) {
    let most = counts.iter().map(|c| c.1).max().unwrap_or(0).max(1);
    let matching = |v: &str| needle.is_empty() || v.to_lowercase().contains(needle);
    // If no row passes, another value of this field may bring some back.
    let none = counts.iter().all(|c| c.1 == 0);
    let mut out: Vec<Value> = counts
        .iter()
        .filter(|(v, n)| (*n > 0 || none || chosen.contains(v)) && matching(v))
        .map(|(v, n)| (v.clone(), *n, chosen.contains(v), *n as f64 / most as f64))
        .collect();
    let more = out.len().saturating_sub(limit);
    let hidden = out.split_off(out.len().min(limit));
    // Chosen values are always shown.
    out.extend(hidden.into_iter().filter(|v| v.2));
    (out, more)
}

fn is_open(event: &web_sys::Event) -> bool {
    dom::target::<web_sys::Element>(event).is_some_and(|e| e.has_attribute("open"))
}
