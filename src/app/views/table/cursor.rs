//! The keyboard cursor of the table, and its keys.

use super::columns::TableColumns;
use super::scroll::Scroll;
use crate::app::state::{Shared, Workbench};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// Row index of the cursor, with the order that it refers to: in another order it would be another row.
type Placed = (Shared<Vec<u32>>, Option<usize>);

/// A cell: its row as an index in the order (`None` for the header), and its column from the left.
#[derive(Clone, Copy)]
pub struct Cursor {
    bench: Workbench,
    columns: TableColumns,
    scroll: Scroll,
    placed: RwSignal<Option<Placed>>,
    row: Memo<Option<Option<usize>>>,
    column: RwSignal<usize>,
    /// True if the table has the focus.
    pub focused: RwSignal<bool>,
}

impl Cursor {
    /// A cursor that is nowhere yet.
    pub fn over(bench: Workbench, columns: TableColumns, scroll: Scroll) -> Cursor {
        let placed = RwSignal::new(None::<Placed>);
        let row = Memo::new(move |_| {
            let rows = columns.rows.get();
            placed.with(|p| p.as_ref().filter(|p| p.0 == rows).map(|p| p.1))
        });
        let column = RwSignal::new(0);
        Cursor { bench, columns, scroll, placed, row, column, focused: RwSignal::new(false) }
    }

    /// The cell, while the table has the focus.
    pub fn cell(&self) -> Option<(Option<usize>, usize)> {
        self.focused.get().then_some(())?;
        Some((self.row.get()?, self.column.get()))
    }

    /// Element id of the cell, for screen readers.
    pub fn element(&self) -> Option<String> {
        Some(match self.row.get()? {
            Some(i) => format!("cell-{i}-{}", self.column.get()),
            None => format!("head-{}", self.column.get()),
        })
    }

    /// Arrows, pages, both ends; Enter or Space selects a row or sorts by a header.
    pub fn key(&self, e: &KeyboardEvent) {
        let last = self.scroll.count.get_untracked().saturating_sub(1);
        let row = self.row.get_untracked().flatten();
        let next = match e.key().as_str() {
            "ArrowDown" => Some(row.map_or(0, |i| i + 1)),
            "ArrowUp" => row.and_then(|i| i.checked_sub(1)),
            "ArrowLeft" => {
                self.column.update(|c| *c = c.saturating_sub(1));
                row
            }
            "ArrowRight" => {
                let right = self.columns.shown.with_untracked(|c| c.len()).saturating_sub(1);
                self.column.update(|c| *c = (*c + 1).min(right));
                row
            }
            "PageDown" => Some(row.unwrap_or(0) + self.scroll.page()),
            "PageUp" => Some(row.unwrap_or(0).saturating_sub(self.scroll.page())),
            "Home" => Some(0),
            "End" => Some(last),
            "Enter" | " " => {
                e.prevent_default();
                return self.act(e.shift_key() || e.ctrl_key());
            }
            _ => return,
        };
        e.prevent_default();
        let next = next.map(|i| i.min(last));
        self.put(next);
        self.scroll.keep_in_sight(next.unwrap_or(0));
    }

    fn put(&self, row: Option<usize>) {
        self.placed.set(Some((self.columns.rows.get_untracked(), row)));
    }

    /// Selects the current row, in addition to others if `adds`; in the header sorts by the column.
    fn act(&self, adds: bool) {
        match self.row.get_untracked() {
            Some(Some(i)) => {
                let row = self.columns.rows.with_untracked(|r| r.get(i).copied());
                row.into_iter().for_each(|row| self.bench.select(&[row], adds));
            }
            Some(None) => {
                let at = self.column.get_untracked();
                if let Some(info) = self.columns.shown.with_untracked(|c| c.get(at).cloned()) {
                    self.columns.sort_by(&info);
                    self.put(None);
                }
            }
            None => {}
        }
    }
}
