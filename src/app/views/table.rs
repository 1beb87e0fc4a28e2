//! The table of all rows. It sorts, chooses columns, and builds only the rows that are in sight.

use crate::app::state::{Shared, Workbench};
use crate::app::ui::{Menu, icon};
use crate::web::dom;
use gemmscope_model::units::grouped;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, FieldKind, Frame};
use leptos::prelude::*;
use std::sync::Arc;

/// Height of a row, CSS pixels; must match the style sheet.
const ROW: f64 = 28.0;
/// Height of the head with its line, CSS pixels.
const HEAD: f64 = 33.0;
/// Width of the column of numbers, CSS pixels.
const NUMBER_WIDTH: f64 = 44.0;
/// Greatest height of the scrolled content, CSS pixels. Browsers stop at about 33 million and lose
/// precision before. Beyond this height a pixel of the scroll bar stands for several rows.
const MOST_HEIGHT: f64 = 8_000_000.0;
/// Columns that show where the link names none.
const DEFAULT: [Field; 11] = [
    Field::Shape,
    Field::Dtype,
    Field::Transposes,
    Field::Time,
    Field::Attained,
    Field::Efficiency,
    Field::Ai,
    Field::Bandwidth,
    Field::Bound,
    Field::Lost,
    Field::Source,
];
const SORT_KEY: &str = "sort";
const COLUMNS_KEY: &str = "columns";

/// The table.
#[component]
pub fn Table() -> impl IntoView {
    let bench = Workbench::here();
    let all = Memo::new(move |_| bench.settled_frame.with(|f| f.fields()));
    let columns = Memo::new(move |_| {
        let chosen = bench.view.with(|v| v.param(COLUMNS_KEY).map(str::to_owned));
        columns_of(
            &all.get(),
            chosen.as_deref(),
            bench.settled_frame.with(|f| f.data.sources.len()),
        )
    });
    let sort = Memo::new(move |_| {
        bench.view.with(|v| {
            let text = v.param(SORT_KEY)?;
            let (descending, name) = match text.strip_prefix('-') {
                Some(name) => (true, name),
                None => (false, text),
            };
            Some((Field::parse(name)?, descending))
        })
    });
    let rows = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        let sorted = sort.get().and_then(|(field, descending)| {
            frame
                .info(&field)
                .map(|info| Arc::new(column_format::sorted(&frame, &info, descending)))
        });
        Shared(sorted.unwrap_or_else(|| frame.rows.clone()))
    });
    let sort_by = move |info: &FieldInfo| {
        let key = info.field.to_string();
        // The first click sorts numbers from the largest, texts from A.
        let down_first = info.kind == FieldKind::Number;
        bench.edit("sort", |v| {
            let now = v.param(SORT_KEY).unwrap_or("").to_owned();
            let (first, second) = if down_first {
                (format!("-{key}"), key.clone())
            } else {
                (key.clone(), format!("-{key}"))
            };
            let next = if now == first {
                second
            } else if now == second {
                String::new()
            } else {
                first
            };
            v.set_param(SORT_KEY, next);
        });
    };
    let toggle_column = move |field: Field| {
        let mut shown: Vec<Field> =
            columns.with_untracked(|c| c.iter().map(|c| c.field.clone()).collect());
        match shown.iter().position(|f| *f == field) {
            Some(i) => drop(shown.remove(i)),
            None => shown.push(field),
        }
        let text: Vec<String> = shown.iter().map(ToString::to_string).collect();
        bench.edit("columns", |v| v.set_param(COLUMNS_KEY, text.join("\n")));
    };
    let export = move || {
        let frame = bench.settled_frame.get_untracked();
        dom::download(
            "gemmscope.csv",
            "text/csv",
            gemmscope_table::native_csv::csv(
                &frame.data,
                rows.get_untracked().iter().map(|&r| r as usize),
                Some(&frame.metrics),
            )
            .as_bytes(),
        );
    };
    let scroller = NodeRef::<leptos::html::Div>::new();
    let top = RwSignal::new(0.0f64);
    let height = RwSignal::new(600.0f64);
    let watch = StoredValue::new_local(None::<dom::SizeWatch>);
    Effect::new(move |_| {
        if let Some(element) = scroller.get() {
            watch.set_value(dom::watch_size(&element, move |_, h| {
                let _ = height.try_set(h);
            }));
        }
    });
    on_cleanup(move || watch.dispose());
    let count = Memo::new(move |_| rows.with(|r| r.len()));
    // Where the browser could not hold the height of all rows, the scroll range is shorter.
    let full = Memo::new(move |_| (count.get() as f64 * ROW).min(MOST_HEIGHT));
    let visible = Memo::new(move |_| (height.get() / ROW).ceil() as usize + 1);
    let first = Memo::new(move |_| {
        let (count, full) = (count.get() as f64, full.get());
        let room = (full - height.get()).max(1.0);
        let last = (count - (height.get() - ROW) / ROW).max(0.0);
        let exact = if count * ROW <= MOST_HEIGHT {
            top.get() / ROW
        } else {
            top.get() / room * last
        };
        exact.floor().clamp(0.0, (count - 1.0).max(0.0)) as usize
    });
    let widths = Memo::new(move |_| {
        bench
            .settled_frame
            .with(|f| columns.with(|c| c.iter().map(|c| column_width(f, c)).collect::<Vec<f64>>()))
    });
    let width = Memo::new(move |_| widths.with(|w| w.iter().sum::<f64>() + NUMBER_WIDTH));
    // The row the keyboard is on: an index into the sorted rows. It holds only for the rows it was
    // set in; in another order it would be another row.
    let placed = RwSignal::new(None::<(Shared<Vec<u32>>, usize)>);
    let cursor = Memo::new(move |_| {
        let rows = rows.get();
        placed.with(|p| p.as_ref().filter(|p| p.0 == rows).map(|p| p.1))
    });
    let focused = RwSignal::new(false);
    let keep_in_sight = move |i: usize| {
        let (Some(element), count) = (scroller.get_untracked(), count.get_untracked() as f64)
        else {
            return;
        };
        let (i, room) = (i as f64, height.get_untracked() - HEAD - ROW);
        let now = top.get_untracked();
        let target = if count * ROW <= MOST_HEIGHT {
            now.clamp((i * ROW - room).max(0.0), i * ROW)
        } else {
            // A pixel stands for several rows here: put the row at the top.
            i / count * (full.get_untracked() - height.get_untracked())
        };
        if (target - now).abs() > 0.5 {
            element.set_scroll_top(target as i32);
        }
    };
    let on_key = move |e: web_sys::KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let page = visible.get_untracked().saturating_sub(3).max(1);
        let at = cursor.get_untracked();
        let next = match e.key().as_str() {
            "ArrowDown" => at.map_or(0, |i| i + 1),
            "ArrowUp" => at.map_or(0, |i| i.saturating_sub(1)),
            "PageDown" => at.unwrap_or(0) + page,
            "PageUp" => at.unwrap_or(0).saturating_sub(page),
            "Home" => 0,
            "End" => last,
            "Enter" | " " => {
                let row = at.and_then(|i| rows.with_untracked(|r| r.get(i).copied()));
                if let Some(row) = row {
                    e.prevent_default();
                    bench.select(&[row], e.shift_key() || e.ctrl_key());
                }
                return;
            }
            _ => return,
        };
        e.prevent_default();
        let next = next.min(last);
        placed.set(Some((rows.get_untracked(), next)));
        keep_in_sight(next);
    };

    view! {
        <section class="chart table-view" aria-label="Table">
            <div class="toolbar">
                <span class="muted">{move || format!("{} rows", grouped(count.get() as u64))}</span>
                <span class="spacer"></span>
                <Menu class="button small" right=true stays=true
                    name=Signal::derive(|| "Choose columns".to_owned())
                    label=|| view! { {icon(icon::COLUMNS)} <span>"Columns"</span> }>
                    <div class="menu-scroll">
                        {move || {
                            all.get()
                                .into_iter()
                                .map(|info| {
                                    let field = info.field.clone();
                                    let shown = info.field.clone();
                                    view! {
                                        <label class="menu-item" title=info.hint>
                                            <input type="checkbox"
                                                prop:checked=move || columns.with(|c| c.iter().any(|c| c.field == shown))
                                                on:change=move |_| toggle_column(field.clone()) />
                                            {column_format::title(&info)}
                                        </label>
                                    }
                                })
                                .collect_view()
                        }}
                    </div>
                </Menu>
                <button type="button" class="button small" title="These rows with every column, as CSV" on:click=move |_| export()>
                    {icon(icon::SAVE)} <span>"CSV"</span>
                </button>
            </div>
            <div
                class="data-grid"
                node_ref=scroller
                tabindex="0"
                role="table"
                aria-label="GEMMs"
                aria-rowcount=move || (count.get() + 1).to_string()
                aria-activedescendant=move || cursor.get().map(|i| format!("row-{i}"))
                on:keydown=on_key
                on:focus=move |_| focused.set(true)
                on:blur=move |_| focused.set(false)
                on:scroll=move |_| {
                    if let Some(e) = scroller.get_untracked() {
                        top.set(f64::from(e.scroll_top()));
                    }
                }
            >
                <div class="data-grid-head" role="row" style:width=move || format!("{}px", width.get())>
                    <span class="cell number-cell" role="columnheader" title="Number in the chart">"#"</span>
                    <For each=move || columns.get() key=|c| c.field.clone() let:info>
                        {
                            let field = info.field.clone();
                            let state = move || match sort.get() {
                                Some((f, down)) if f == field => if down { "descending" } else { "ascending" },
                                _ => "none",
                            };
                            let arrow = state.clone();
                            let (clicked, sized) = (info.clone(), info.field.clone());
                            view! {
                                <span class="cell" class:num=info.kind == FieldKind::Number role="columnheader"
                                    aria-sort=state style:width=move || {
                                        let at = columns.with(|c| c.iter().position(|c| c.field == sized));
                                        at.and_then(|i| widths.with(|w| w.get(i).copied()))
                                            .map_or_else(|| "auto".to_owned(), |w| format!("{w}px"))
                                    }>
                                    <button type="button" class="column-head" title=info.hint on:click=move |_| sort_by(&clicked)>
                                        {column_format::title(&info)}
                                        <span class="sort-arrow" aria-hidden="true">
                                            {move || match arrow() { "descending" => "↓", "ascending" => "↑", _ => "" }}
                                        </span>
                                    </button>
                                </span>
                            }
                        }
                    </For>
                </div>
                <div class="data-grid-body" role="rowgroup" style:height=move || format!("{}px", full.get())
                    style:width=move || format!("{}px", width.get())>
                    {move || {
                        // In this order: each after the memos it follows from, see `state`.
                        let frame = bench.settled_frame.get();
                        let rows = rows.get();
                        let columns = columns.get();
                        let texts: Vec<_> = columns.iter().map(|c| column_format::texts(&frame, c)).collect();
                        let (first, visible) = (first.get(), visible.get());
                        let selected = bench.selected.get();
                        let numbers = bench.numbered.get();
                        let cursor = cursor.get().filter(|_| focused.get());
                        let widths = widths.get();
                        // Rows lie where the scroll position is, to the pixel.
                        let offset = if rows.len() as f64 * ROW <= MOST_HEIGHT { first as f64 * ROW } else { top.get() };
                        rows.iter()
                            .enumerate()
                            .skip(first)
                            .take(visible)
                            .map(|(i, &row)| {
                                let number = numbers.iter().position(|r| *r == row);
                                let chosen = selected.contains(&row);
                                let y = offset + (i - first) as f64 * ROW;
                                view! {
                                    <div
                                        class="data-grid-row"
                                        class:selected=chosen
                                        class:cursor=cursor == Some(i)
                                        id=format!("row-{i}")
                                        class:odd=i % 2 == 1
                                        role="row"
                                        aria-rowindex=(i + 2).to_string()
                                        aria-selected=chosen.to_string()
                                        data-row=row.to_string()
                                        style:transform=format!("translateY({y}px)")
                                        on:click=move |e| bench.select(&[row], e.shift_key() || e.ctrl_key() || e.meta_key())
                                    >
                                        <span class="cell number-cell" role="cell">{number.map(|n| n + 1)}</span>
                                        {columns
                                            .iter()
                                            .zip(&texts)
                                            .zip(&widths)
                                            .map(|((c, text), width)| {
                                                let text = text(row as usize);
                                                view! {
                                                    <span class="cell" class:num=c.kind == FieldKind::Number role="cell"
                                                        style:width=format!("{width}px") title=text.clone()>
                                                        {text.clone()}
                                                    </span>
                                                }
                                            })
                                            .collect_view()}
                                    </div>
                                }
                            })
                            .collect_view()
                    }}
                </div>
            </div>
        </section>
    }
}

fn columns_of(all: &[FieldInfo], chosen: Option<&str>, files: usize) -> Vec<FieldInfo> {
    let find = |f: &Field| all.iter().find(|i| i.field == *f).cloned();
    match chosen {
        Some(text) => text
            .split('\n')
            .filter_map(Field::parse)
            .filter_map(|f| find(&f))
            .collect(),
        None => {
            // First what ran, then the figures.
            let names = all.iter().filter(|i| matches!(&i.field, Field::Column(k) if matches!(k.as_str(), "kernel" | "model" | "library" | "op_name")));
            names
                .cloned()
                .chain(
                    DEFAULT
                        .iter()
                        .filter(|f| files > 1 || **f != Field::Source)
                        .filter_map(find),
                )
                .collect()
        }
    }
}

/// Width of a column, CSS pixels: room for the title or the longest text, within bounds. Of the
/// texts only the first thousand are measured.
fn column_width(frame: &Frame, info: &FieldInfo) -> f64 {
    let title = column_format::title(info).chars().count() + 3;
    let longest = match (&info.kind, &info.field) {
        (_, Field::Shape) => 22,
        (FieldKind::Number, _) => 8,
        (FieldKind::Category, field) => {
            let values = frame.categories(field).values;
            values
                .iter()
                .take(1000)
                .map(|v| v.chars().count())
                .max()
                .unwrap_or(0)
        }
    };
    (title.max(longest) as f64 * 7.2 + 22.0).clamp(64.0, 300.0)
}
