//! The table of all rows. It sorts, chooses columns, and builds only the rows that are in sight.

use crate::app::state::findings_task::AT_ONCE;
use crate::app::state::{Shared, Workbench};
use crate::app::ui::{Menu, NARROW, icon, keyed, media, value_of};
use crate::web::dom;
use gemmscope_analysis::ledger::LARGEST_LOSS;
use gemmscope_chart::picture::first_findings;
use gemmscope_chart::roofline::Numbers;
use gemmscope_model::units::grouped;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, FieldKind, Frame};
use gemmscope_table::native_csv::CsvWriter;
use leptos::prelude::*;
use std::sync::Arc;

/// Height of a row, CSS pixels; must match the style sheet.
const ROW: f64 = 28.0;
/// Height of a row as a card, on a phone.
const CARD: f64 = 112.0;
/// Columns that fit a card.
const CARD_COLUMNS: usize = 8;
/// Rows up to which those that lose most time come first unasked: sorting more would be felt.
const SORTED_UP_TO: usize = 200_000;
/// Height of the head with its line, CSS pixels.
const HEAD: f64 = 33.0;
/// Width of the column of numbers, CSS pixels.
const NUMBER_WIDTH: f64 = 44.0;
/// Greatest height of the scrolled content, CSS pixels. Browsers stop at about 33 million and lose
/// precision before. Beyond this height a pixel of the scroll bar stands for several rows.
const MOST_HEIGHT: f64 = 8_000_000.0;
/// Columns that show where the link names none.
const DEFAULT: [Field; 10] = [
    Field::Shape,
    Field::Dtype,
    Field::Transposes,
    Field::Time,
    Field::Efficiency,
    Field::Lost,
    Field::Attained,
    Field::Ai,
    Field::Bandwidth,
    Field::Bound,
];
const SORT_KEY: &str = "sort";
/// The rows in the order of their files.
const AS_FILED: &str = "file";
const COLUMNS_KEY: &str = "columns";

/// The first of the findings with a number that concerns a row.
fn finding_of(bench: Workbench, row: u32) -> Option<usize> {
    bench.findings.with(|found| {
        let all = &found.as_ref()?.findings;
        let mut first = all.findings[..first_findings(all)].iter();
        first.position(|f| f.evidence.rows.contains(&row))
    })
}

/// The table.
#[component]
pub fn Table() -> impl IntoView {
    let bench = Workbench::here();
    let all = Memo::new(move |_| bench.settled_frame.with(|f| f.fields()));
    let columns = Memo::new(move |_| {
        let chosen = bench.view.with(|v| v.param(COLUMNS_KEY).map(str::to_owned));
        bench.settled_frame.with(|f| columns_of(&all.get(), chosen.as_deref(), f))
    });
    let lost = Memo::new(move |_| {
        bench
            .settled_frame
            .with(|f| f.rows.len() <= SORTED_UP_TO && f.metrics.devices.iter().any(Option::is_some))
    });
    let sort = Memo::new(move |_| {
        // Unasked, what loses most time comes first.
        let unasked = lost.get().then_some((Field::Lost, true));
        bench.view.with(|v| {
            let Some(text) = v.param(SORT_KEY) else {
                return unasked;
            };
            if text == AS_FILED {
                return None;
            }
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
                AS_FILED.to_owned()
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
        let mut writer = CsvWriter::of(&frame);
        let lines = writer.rows(rows.get_untracked().iter().map(|&r| r as usize));
        dom::download("gemmscope.csv", "text/csv", (writer.header() + &lines).as_bytes());
    };
    let cards = media(NARROW);
    let row_height = Memo::new(move |_| if cards.get() { CARD } else { ROW });
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
    let full = Memo::new(move |_| (count.get() as f64 * row_height.get()).min(MOST_HEIGHT));
    let visible = Memo::new(move |_| (height.get() / row_height.get()).ceil() as usize + 1);
    let first = Memo::new(move |_| {
        let (count, full) = (count.get() as f64, full.get());
        let room = (full - height.get()).max(1.0);
        let last = (count - (height.get() - row_height.get()) / row_height.get()).max(0.0);
        let exact = if count * row_height.get() <= MOST_HEIGHT {
            top.get() / row_height.get()
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
    // No column of numbers where no row has one, nor will have.
    let any_number = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        let looks = bench.looks.get() && (frame.rows.len() <= AT_ONCE || bench.asked.get());
        if looks && bench.findings.with(Option::is_none) {
            return true;
        }
        let shown = |row: &u32| frame.rows.binary_search(row).is_ok();
        bench.numbered.with(|n| n.iter().any(shown))
    });
    let by_finding = Memo::new(move |_| bench.view.with(Numbers::of) == Numbers::Findings);
    let number_hint = move || match by_finding.get() {
        true => "The first finding that concerns the row",
        false => "Number in the chart",
    };
    let number_width = move || if any_number.get() { NUMBER_WIDTH } else { 0.0 };
    let width = Memo::new(move |_| widths.with(|w| w.iter().sum::<f64>() + number_width()));
    // Where the keyboard is: an index into the sorted rows, `None` for the heads, and a column. It
    // holds only for the rows it was set in; in another order it would be another row.
    let placed = RwSignal::new(None::<(Shared<Vec<u32>>, Option<usize>)>);
    let column = RwSignal::new(0usize);
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
        let row = row_height.get_untracked();
        let (i, room) = (i as f64, height.get_untracked() - HEAD - row);
        let now = top.get_untracked();
        let target = if count * row <= MOST_HEIGHT {
            now.clamp((i * row - room).max(0.0), i * row)
        } else {
            // A pixel stands for several rows here: put the row at the top.
            i / count * (full.get_untracked() - height.get_untracked())
        };
        if (target - now).abs() > 0.5 {
            element.set_scroll_top(target as i32);
        }
    };
    // The details take room from the table: what was clicked stays in sight.
    Effect::new(move |was: Option<f64>| {
        let now = height.get();
        if was.is_some_and(|was| now < was) {
            let row = bench.selected.with_untracked(|s| s.first().copied());
            let at = row.and_then(|row| rows.with_untracked(|r| r.iter().position(|r| *r == row)));
            at.into_iter().for_each(keep_in_sight);
        }
        now
    });
    let on_key = move |e: web_sys::KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let page = visible.get_untracked().saturating_sub(3).max(1);
        let at = cursor.get_untracked();
        let row = at.flatten();
        let right = columns.with_untracked(|c| c.len()).saturating_sub(1);
        let next = match e.key().as_str() {
            "ArrowDown" => Some(row.map_or(0, |i| i + 1)),
            "ArrowUp" => match row {
                Some(0) | None => None,
                Some(i) => Some(i - 1),
            },
            "ArrowLeft" | "ArrowRight" => {
                let step = |c: usize| match e.key() == "ArrowLeft" {
                    true => c.saturating_sub(1),
                    false => (c + 1).min(right),
                };
                column.update(|c| *c = step(*c));
                row
            }
            "PageDown" => Some(row.unwrap_or(0) + page),
            "PageUp" => Some(row.unwrap_or(0).saturating_sub(page)),
            "Home" => Some(0),
            "End" => Some(last),
            "Enter" | " " => {
                e.prevent_default();
                let chosen = row.and_then(|i| rows.with_untracked(|r| r.get(i).copied()));
                match (chosen, at) {
                    (Some(row), _) => bench.select(&[row], e.shift_key() || e.ctrl_key()),
                    // On a head: sorts by its column.
                    (None, Some(None)) => {
                        let at = column.get_untracked();
                        let info = columns.with_untracked(|c| c.get(at).cloned());
                        if let Some(info) = info {
                            sort_by(&info);
                            placed.set(Some((rows.get_untracked(), None)));
                        }
                    }
                    (None, _) => {}
                }
                return;
            }
            _ => return,
        };
        e.prevent_default();
        let next = next.map(|i| i.min(last));
        placed.set(Some((rows.get_untracked(), next)));
        keep_in_sight(next.unwrap_or(0));
    };
    let active = move || {
        let row = cursor.get()?;
        Some(match row {
            Some(i) => format!("cell-{i}-{}", column.get()),
            None => format!("head-{}", column.get()),
        })
    };

    view! {
        <section class="chart table-view" aria-label="Table">
            <div class="toolbar">
                <span class="muted">{move || format!("{} rows", grouped(count.get() as u64))}</span>
                <Show when=move || cards.get()>
                    <label class="control">
                        <span>"Sort"</span>
                        <select on:change=move |e| { let key = value_of(&e); bench.edit("sort", |v| v.set_param(SORT_KEY, key)) }>
                            {move || columns
                                .get()
                                .into_iter()
                                .map(|c| {
                                    let (key, field) = (c.field.to_string(), c.field.clone());
                                    let key = if c.kind == FieldKind::Number { format!("-{key}") } else { key };
                                    view! {
                                        <option value=key selected=move || sort.get().is_some_and(|(f, _)| f == field)>
                                            {column_format::title(&c)}
                                        </option>
                                    }
                                })
                                .collect_view()}
                        </select>
                    </label>
                </Show>
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
                class:cards=move || cards.get()
                node_ref=scroller
                tabindex="0"
                role="grid"
                aria-label="GEMMs"
                aria-multiselectable="true"
                aria-colcount=move || (columns.with(|c| c.len()) + usize::from(any_number.get())).to_string()
                aria-rowcount=move || (count.get() + 1).to_string()
                aria-activedescendant=active
                on:keydown=on_key
                on:focus=move |_| focused.set(true)
                on:blur=move |_| focused.set(false)
                on:scroll=move |_| {
                    if let Some(e) = scroller.get_untracked() {
                        top.set(f64::from(e.scroll_top()));
                    }
                }
            >
                <div class="data-grid-head" role="row" aria-rowindex="1" style:width=move || format!("{}px", width.get())>
                    <Show when=move || any_number.get()>
                        <span class="cell number-cell" role="columnheader" title=number_hint>"#"</span>
                    </Show>
                    {keyed(move || columns.get(), |c| c.field.clone(), move |info| {
                            let field = info.field.clone();
                            let state = move || match sort.get() {
                                Some((f, down)) if f == field => if down { "descending" } else { "ascending" },
                                _ => "none",
                            };
                            let arrow = state.clone();
                            let (clicked, sized, own) = (info.clone(), info.field.clone(), info.field.clone());
                            let place = Memo::new(move |_| columns.with(|c| c.iter().position(|c| c.field == own)).unwrap_or(0));
                            let on = move || focused.get() && cursor.get() == Some(None) && column.get() == place.get();
                            view! {
                                <span class="cell" class:num=info.kind == FieldKind::Number role="columnheader"
                                    id=move || format!("head-{}", place.get()) class:cursor=on
                                    aria-colindex=move || (place.get() + 1 + usize::from(any_number.get())).to_string()
                                    aria-sort=state style:width=move || {
                                        let at = columns.with(|c| c.iter().position(|c| c.field == sized));
                                        at.and_then(|i| widths.with(|w| w.get(i).copied()))
                                            .map_or_else(|| "auto".to_owned(), |w| format!("{w}px"))
                                    }>
                                    <button type="button" class="column-head" tabindex="-1" title=info.hint on:click=move |_| sort_by(&clicked)>
                                        {column_format::title(&info)}
                                        <span class="sort-arrow" aria-hidden="true">
                                            {move || match arrow() { "descending" => "↓", "ascending" => "↑", _ => "" }}
                                        </span>
                                    </button>
                                </span>
                            }
                            .into_any()
                    })}
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
                        let number_of = |row: u32| {
                            let own = numbers.iter().position(|r| *r == row);
                            own.or_else(|| by_finding.get().then(|| finding_of(bench, row)).flatten())
                        };
                        let any_number = any_number.get();
                        let cursor = cursor.get().flatten().filter(|_| focused.get());
                        let at = column.get();
                        let (cards, row_height) = (cards.get(), row_height.get());
                        let shown = if cards { CARD_COLUMNS } else { usize::MAX };
                        // A card has no head: what is empty in all cards in sight takes no line.
                        let filled: Vec<bool> = texts
                            .iter()
                            .map(|t| !cards || rows.iter().skip(first).take(visible).any(|r| !t(*r as usize).is_empty()))
                            .collect();
                        // A card holds a few columns: the one that sorts is always among them.
                        let sorts = sort.get().and_then(|(field, _)| columns.iter().position(|c| c.field == field));
                        let mut in_sight: Vec<usize> = (0..filled.len()).filter(|n| filled[*n]).collect();
                        if let Some(n) = sorts && let Some(at) = in_sight.iter().position(|i| *i == n) && at >= shown {
                            in_sight.remove(at);
                            in_sight.insert(shown - 1, n);
                        }
                        in_sight.truncate(shown);
                        let titles: Vec<String> = columns.iter().map(column_format::title).collect();
                        let widths = widths.get();
                        // Rows lie where the scroll position is, to the pixel.
                        let offset = if rows.len() as f64 * row_height <= MOST_HEIGHT { first as f64 * row_height } else { top.get() };
                        rows.iter()
                            .enumerate()
                            .skip(first)
                            .take(visible)
                            .map(|(i, &row)| {
                                let number = number_of(row);
                                let chosen = selected.contains(&row);
                                let y = offset + (i - first) as f64 * row_height;
                                view! {
                                    <div
                                        class="data-grid-row"
                                        class:selected=chosen
                                        class:cursor=cursor == Some(i)
                                        class:odd=i % 2 == 1
                                        role="row"
                                        aria-rowindex=(i + 2).to_string()
                                        aria-selected=chosen.to_string()
                                        data-row=row.to_string()
                                        style:transform=format!("translateY({y}px)")
                                        on:click=move |e| bench.select(&[row], e.shift_key() || e.ctrl_key() || e.meta_key())
                                    >
                                        {any_number.then(|| view! { <span class="cell number-cell" role="gridcell">{number.map(|n| n + 1)}</span> })}
                                        {columns
                                            .iter()
                                            .zip(&texts)
                                            .zip(&widths)
                                            .zip(&titles)
                                            .enumerate()
                                            .filter(|(n, _)| in_sight.contains(n))
                                            .map(|(n, (((c, text), width), title))| {
                                                let text = text(row as usize);
                                                let caption = cards.then(|| view! { <span class="cell-title">{title.clone()}" "</span> });
                                                view! {
                                                    <span class="cell" class:num=c.kind == FieldKind::Number class:whole=c.field == Field::Shape role="gridcell"
                                                        id=format!("cell-{i}-{n}") class:cursor=cursor == Some(i) && n == at
                                                        style:width=(!cards).then(|| format!("{width}px")) title=text.clone()>
                                                        {caption}
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

fn columns_of(all: &[FieldInfo], chosen: Option<&str>, frame: &Frame) -> Vec<FieldInfo> {
    let files = frame.data.sources.len();
    let find = |f: &Field| all.iter().find(|i| i.field == *f).cloned();
    match chosen {
        Some(text) => text.split('\n').filter_map(Field::parse).filter_map(|f| find(&f)).collect(),
        None => {
            // First where it is from and what ran, then the figures.
            let file = find(&Field::Source).filter(|_| files > 1);
            let names = all.iter().filter(|i| matches!(&i.field, Field::Column(k) if matches!(k.as_str(), "kernel" | "model" | "library" | "op_name")));
            // Where rows stand for several calls, the time of all stands beside that of one.
            let calls = all.iter().find(
                |i| matches!(&i.field, Field::Column(k) if matches!(k.as_str(), "count" | "calls")),
            );
            let names = file.into_iter().chain(names.cloned());
            let mut out: Vec<FieldInfo> = names.chain(DEFAULT.iter().filter_map(find)).collect();
            if let Some((calls, time)) = calls.zip(find(&Field::TotalTime)) {
                let at = out.iter().position(|i| i.field == Field::Time);
                let at = at.map_or(out.len(), |at| at + 1);
                out.splice(at..at, [calls.clone(), time]);
            }
            // Where to look for it: of very many rows it is worked out once somebody asks.
            let lost = out.iter().position(|i| i.field == Field::Lost);
            if let Some(at) = lost.filter(|_| frame.rows.len() <= AT_ONCE) {
                out.splice(at + 1..at + 1, find(&Field::Column(LARGEST_LOSS.to_owned())));
            }
            out
        }
    }
}

/// Width of a digit, and of a letter of a name, CSS pixels.
const DIGIT: f64 = 7.2;
const LETTER: f64 = 7.8;

/// Width of a column, CSS pixels: room for the title or the longest text, within bounds. Of the
/// texts only the first thousand are measured.
fn column_width(frame: &Frame, info: &FieldInfo) -> f64 {
    let title = column_format::title(info).chars().count() + 3;
    let longest = match (&info.kind, &info.field) {
        (_, Field::Shape) => 22.0 * DIGIT,
        (FieldKind::Number, _) => 8.0 * DIGIT,
        (FieldKind::Category, field) => {
            let values = frame.categories(field).values;
            let lengths = values.iter().take(1000).map(|v| v.chars().count());
            lengths.max().unwrap_or(0) as f64 * LETTER
        }
    };
    (longest.max(title as f64 * DIGIT) + 22.0).clamp(64.0, 220.0)
}
