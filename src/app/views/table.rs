//! The table of all rows: sorting, choice of columns. Only the visible rows are built.

mod columns;
mod cursor;
mod numbers;
mod rows;
mod scroll;

use crate::app::dialogs::share::named;
use crate::app::sidebar::filters::Search;
use crate::app::state::Workbench;
use crate::app::ui::{Menu, icon, value_of};
use crate::web::dom;
use columns::TableColumns;
use cursor::Cursor;
use gemmscope_model::units::plural;
use gemmscope_table::column_format;
use gemmscope_table::field::{FieldInfo, FieldKind};
use gemmscope_table::native_csv::CsvWriter;
use leptos::prelude::*;
use numbers::RowNumbers;
use scroll::Scroll;

/// The table.
#[component]
pub fn Table() -> impl IntoView {
    let bench = Workbench::here();
    let columns = TableColumns::follow(bench);
    let count = Memo::new(move |_| columns.rows.with(|r| r.len()));
    let scroll = Scroll::over(count);
    let cursor = Cursor::over(bench, columns, scroll);
    let numbers = RowNumbers::follow(bench);
    let width =
        Memo::new(move |_| columns.widths.with(|w| w.iter().sum::<f64>()) + numbers.width());
    // Wider columns may reach beyond the edge, once built.
    Effect::new(move |_| {
        width.track();
        request_animation_frame(move || scroll.scrolled());
    });
    // The details reduce the height of the table: keep the clicked row visible.
    Effect::new(move |was: Option<f64>| {
        let now = scroll.height.get();
        if was.is_some_and(|was| now < was)
            && let Some(row) = bench.selected.with_untracked(|s| s.first().copied())
        {
            let at = columns.rows.with_untracked(|r| r.iter().position(|r| *r == row));
            at.into_iter().for_each(|i| scroll.keep_in_sight(i));
        }
        now
    });
    view! {
        <section class="chart table-view" aria-label="Table">
            <Toolbar bench columns scroll />
            <div
                class="data-grid"
                class:cards=move || scroll.cards.get()
                class:more=move || scroll.more.get()
                style:--number=move || format!("{}px", numbers.width())
                node_ref=scroll.element
                tabindex="0"
                role="grid"
                aria-label="GEMMs"
                aria-multiselectable="true"
                aria-colcount=move || (columns.shown.with(|c| c.len()) + usize::from(numbers.any.get())).to_string()
                aria-rowcount=move || (count.get() + 1).to_string()
                aria-activedescendant=move || cursor.element()
                on:keydown=move |e| cursor.key(&e)
                on:focus=move |_| cursor.focused.set(true)
                on:blur=move |_| cursor.focused.set(false)
                on:scroll=move |_| scroll.scrolled()
            >
                <div class="data-grid-head" role="row" aria-rowindex="1" style:width=move || format!("{}px", width.get())>
                    <Show when=move || numbers.any.get()>
                        <span class="cell number-cell" role="columnheader" title=move || numbers.head().1>
                            {move || numbers.head().0}
                        </span>
                    </Show>
                    <For each=move || columns.shown.get() key=|c| c.field.clone() let:info>
                        <Head info columns cursor numbers />
                    </For>
                </div>
                <div class="data-grid-body" role="rowgroup" style:height=move || format!("{}px", scroll.full.get())
                    style:width=move || format!("{}px", width.get())>
                    {move || rows::rows(bench, columns, scroll, cursor, numbers)}
                </div>
            </div>
        </section>
    }
}

/// The search, number of rows, sort order (on a phone), choice of columns, and saving the rows as a file.
#[component]
fn Toolbar(bench: Workbench, columns: TableColumns, scroll: Scroll) -> impl IntoView {
    let export = move || {
        let frame = bench.settled_frame.get_untracked();
        let mut writer = CsvWriter::of(&frame);
        let lines = writer.rows(columns.rows.get_untracked().iter().map(|&r| r as usize));
        let file = match &frame.data.sources[..] {
            [one] => one.name.clone(),
            _ => String::new(),
        };
        dom::download(
            &named(&file, "rows", "csv"),
            "text/csv",
            (writer.header() + &lines).as_bytes(),
        );
    };
    let sorts = move |info: FieldInfo| {
        let sign = if info.kind == FieldKind::Number { "-" } else { "" };
        let (key, title) = (format!("{sign}{}", info.field), column_format::heading(&info));
        let selected = move || columns.sort.get().is_some_and(|(f, _)| f == info.field);
        view! { <option value=key selected=selected>{title}</option> }
    };
    let shows = move |info: FieldInfo| {
        let (title, field) = (column_format::heading(&info), info.field.clone());
        let checked = move || columns.shown.with(|c| c.iter().any(|c| c.field == info.field));
        view! {
            <label class="menu-item" title=info.hint>
                <input type="checkbox" prop:checked=checked on:change=move |_| columns.toggle(&field) />
                {title}
            </label>
        }
    };
    view! {
        <div class="toolbar">
            <Search id="table-search" />
            <span class="muted">{move || plural(scroll.count.get() as u64, "row")}</span>
            <Show when=move || scroll.cards.get()>
                <label class="control">
                    <span>"Sort"</span>
                    <select on:change=move |e| columns.sort_as(value_of(&e))>
                        {move || columns.shown.get().into_iter().map(sorts).collect_view()}
                    </select>
                </label>
            </Show>
            <span class="spacer"></span>
            <Menu class="button small" right=true stays=true
                name="Choose columns"
                label=|| view! { {icon(icon::COLUMNS)} <span>"Columns"</span> }>
                <div class="menu-scroll">
                    {move || columns.all.get().into_iter().map(shows).collect_view()}
                </div>
            </Menu>
            <button type="button" class="button small" title="These rows with every column, as CSV" on:click=move |_| export()>
                {icon(icon::SAVE)} <span>"CSV"</span>
            </button>
        </div>
    }
}

/// The header of a column; a click sorts by it.
#[component]
fn Head(
    info: FieldInfo,
    columns: TableColumns,
    cursor: Cursor,
    numbers: RowNumbers,
) -> impl IntoView {
    let place = Memo::new({
        let field = info.field.clone();
        move |_| columns.place(&field)
    });
    let order = Memo::new({
        let field = info.field.clone();
        move |_| columns.sort.with(|s| s.as_ref().filter(|s| s.0 == field).map(|s| s.1))
    });
    let sorts = move || match order.get() {
        Some(true) => ("descending", "↓"),
        Some(false) => ("ascending", "↑"),
        None => ("none", ""),
    };
    let arrow = view! { <span class="sort-arrow" aria-hidden="true">{move || sorts().1}</span> };
    let width = move || {
        let known = columns.widths.with(|w| w.get(place.get()).copied());
        known.map_or_else(|| "auto".to_owned(), |w| format!("{w}px"))
    };
    let (hint, title, number) =
        (info.hint, column_format::heading(&info), info.kind == FieldKind::Number);
    // The title is aligned with the values: for numbers the arrow is on the left.
    let (before, after) = if number { (Some(arrow), None) } else { (None, Some(arrow)) };
    view! {
        <span class="cell" class:num=number role="columnheader"
            id=move || format!("head-{}", place.get())
            class:cursor=move || cursor.cell() == Some((None, place.get()))
            aria-colindex=move || (place.get() + 1 + usize::from(numbers.any.get())).to_string()
            aria-sort=move || sorts().0 style:width=width>
            <button type="button" class="column-head" tabindex="-1" title=hint on:click=move |_| columns.sort_by(&info)>
                {before}{title}{after}
            </button>
        </span>
    }
}
