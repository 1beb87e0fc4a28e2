//! Where the keyboard is in the table, and what its keys do there.

use super::columns::TableColumns;
use super::scroll::Scroll;
use crate::app::state::{Shared, Workbench};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// A row of the cursor and the order it is a place in: in another order it would be another row.
type Placed = (Shared<Vec<u32>>, Option<usize>);

/// A cell: its row as a place in the order, `None` for the heads, and its column from the left.
#[derive(Clone, Copy)]
pub struct Cursor {
    bench: Workbench,
    columns: TableColumns,
    scroll: Scroll,
    placed: RwSignal<Option<Placed>>,
    row: Memo<Option<Option<usize>>>,
    column: RwSignal<usize>,
    /// Whether the table has the focus.
    pub focused: RwSignal<bool>,
}

impl Cursor {
    /// Nowhere at first.
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

    /// The element of the cell, for who cannot see it.
    pub fn element(&self) -> Option<String> {
        Some(match self.row.get()? {
            Some(i) => format!("cell-{i}-{}", self.column.get()),
            None => format!("head-{}", self.column.get()),
        })
    }

    /// Arrows, pages, both ends, and Enter or the space bar, which chooses a row or sorts by a head.
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

    /// Chooses the row it is on, besides the chosen ones if `adds`; on a head sorts by its column.
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
