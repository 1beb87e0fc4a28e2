//! The visible rows of the table.

use super::columns::TableColumns;
use super::cursor::Cursor;
use super::numbers::RowNumbers;
use super::scroll::Scroll;
use crate::app::state::Workbench;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, FieldKind};
use leptos::prelude::*;

/// Maximum number of columns on a card.
const CARD_COLUMNS: usize = 10;

/// A column, as needed for building rows.
struct Shown<'a> {
    info: &'a FieldInfo,
    /// Index from the left.
    at: usize,
    /// Width, CSS pixels; `None` on a card.
    width: Option<f64>,
    /// Title before the value, on a card.
    title: Option<String>,
    text: Box<dyn Fn(usize) -> String + 'a>,
}

/// The rows.
pub(super) fn rows(
    bench: Workbench,
    columns: TableColumns,
    scroll: Scroll,
    cursor: Cursor,
    numbers: RowNumbers,
) -> impl IntoView {
    // Read in this order, each after the memos it depends on: see `state`.
    let frame = bench.settled_frame.get();
    let rows = columns.rows.get();
    let infos = columns.shown.get();
    let (window, y) = scroll.window();
    let selected = bench.selected.get();
    let number = numbers.reader(&frame);
    let cell = cursor.cell();
    let cards = scroll.cards.get();
    let widths = columns.widths.get();
    let all = infos.iter().zip(widths).enumerate().map(|(at, (info, width))| Shown {
        info,
        at,
        width: (!cards).then_some(width),
        title: cards.then(|| column_format::heading(info)),
        text: Box::new(column_format::texts(&frame, info)),
    });
    let mut shown: Vec<Shown<'_>> = all.collect();
    if cards {
        let sorts = columns.sort.get().map(|(field, _)| field);
        let in_sight = &rows[window.clone()];
        // A card has no header: a value that is empty on all visible cards takes no line.
        shown.retain(|c| in_sight.iter().any(|r| !(c.text)(*r as usize).is_empty()));
        fit_card(&mut shown, sorts.as_ref());
    }
    window
        .map(|i| {
            let row = rows[i];
            let number = number.as_ref().map(|n| n(row).map(|n| n + 1));
            let number = number.filter(|n| n.is_some() || !cards);
            let chosen = selected.contains(&row);
            let on = cell.filter(|c| c.0 == Some(i)).map(|c| c.1);
            view! {
                <div
                    class="data-grid-row"
                    class:selected=chosen
                    class:cursor=on.is_some()
                    class:odd=i % 2 == 1
                    role="row"
                    aria-rowindex=(i + 2).to_string()
                    aria-selected=chosen.to_string()
                    data-row=row.to_string()
                    style:transform=format!("translateY({}px)", y(i))
                    on:click=move |e| bench.select(&[row], e.shift_key() || e.ctrl_key() || e.meta_key())
                >
                    {number.map(|n| view! { <span class="cell number-cell" role="gridcell">{cards.then(|| numbers.head().0).map(caption)}{n}</span> })}
                    {shown.iter().map(|c| value(c, i, row, on == Some(c.at))).collect_view()}
                </div>
            }
        })
        .collect_view()
}

/// A card has few columns; the sort column is always among them.
fn fit_card(shown: &mut Vec<Shown<'_>>, sorts: Option<&Field>) {
    let found = shown.iter().position(|c| Some(&c.info.field) == sorts);
    if let Some(at) = found.filter(|at| *at >= CARD_COLUMNS) {
        let sorting = shown.remove(at);
        shown.insert(CARD_COLUMNS - 1, sorting);
    }
    shown.truncate(CARD_COLUMNS);
}

/// The caption of a value on a card.
fn caption(title: impl Into<String>) -> impl IntoView {
    view! { <span class="cell-title">{title.into()}" "</span> }
}

/// A value of a row, which is at index `i` in the order.
fn value(c: &Shown<'_>, i: usize, row: u32, cursor: bool) -> impl IntoView + use<> {
    let text = (c.text)(row as usize);
    view! {
        <span
            class="cell"
            class:num=c.info.kind == FieldKind::Number
            class:whole=c.info.field == Field::Shape
            role="gridcell"
            id=format!("cell-{i}-{}", c.at)
            class:cursor=cursor
            style:width=c.width.map(|w| format!("{w}px"))
            title=text.clone()
        >
            {c.title.clone().map(caption)}
            {text.clone()}
        </span>
    }
}
