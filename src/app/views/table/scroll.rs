//! Virtual scrolling of the table: only visible rows are built.

use crate::app::ui::{NARROW, media, watch_size};
use leptos::html::Div;
use leptos::prelude::*;
use std::ops::Range;

/// Height of a row, CSS pixels; must match the style sheet.
const ROW: f64 = 28.0;
/// Height of a row shown as a card, on a phone, CSS pixels.
const CARD: f64 = 132.0;
/// Height of the header with its line, CSS pixels.
const HEAD: f64 = 33.0;
/// Maximum height of the scrolled content, CSS pixels. Browsers stop at about 33 million and lose precision before.
/// Beyond this height a pixel of the scroll bar stands for several rows.
const MOST_HEIGHT: f64 = 8_000_000.0;

/// The visible window over the rows.
#[derive(Clone, Copy)]
pub struct Scroll {
    /// The scrolling element.
    pub element: NodeRef<Div>,
    /// True on a phone, where each row is a card.
    pub cards: RwSignal<bool>,
    /// Number of rows.
    pub count: Memo<usize>,
    /// Heights of a row, of the window, and of all rows, CSS pixels. The scroll range is shorter if the browser could
    /// not handle the height of all rows.
    row: Memo<f64>,
    pub height: RwSignal<f64>,
    pub full: Memo<f64>,
    /// True if there are columns beyond the right edge.
    pub more: RwSignal<bool>,
    /// Pixels above the window.
    top: RwSignal<f64>,
    visible: Memo<usize>,
    first: Memo<usize>,
}

impl Scroll {
    /// A window at the top of so many rows.
    pub fn over(count: Memo<usize>) -> Scroll {
        let cards = media(NARROW);
        let row = Memo::new(move |_| if cards.get() { CARD } else { ROW });
        let element = NodeRef::<Div>::new();
        let top = RwSignal::new(0.0f64);
        let height = RwSignal::new(600.0f64);
        let more = RwSignal::new(false);
        watch_size(element, move |_, h| height.set(h));
        let full = Memo::new(move |_| (count.get() as f64 * row.get()).min(MOST_HEIGHT));
        let visible = Memo::new(move |_| (height.get() / row.get()).ceil() as usize + 1);
        let first = Memo::new(move |_| {
            let (count, full, row) = (count.get() as f64, full.get(), row.get());
            let room = (full - height.get()).max(1.0);
            let last = (count - (height.get() - row) / row).max(0.0);
            let exact =
                if count * row <= MOST_HEIGHT { top.get() / row } else { top.get() / room * last };
            exact.floor().clamp(0.0, (count - 1.0).max(0.0)) as usize
        });
        Scroll { element, cards, count, row, height, full, more, top, visible, first }
    }

    /// Call after the browser has scrolled.
    pub fn scrolled(&self) {
        if let Some(Some(e)) = self.element.try_get_untracked() {
            self.top.set(f64::from(e.scroll_top()));
            let more = e.scroll_left() + e.client_width() + 1 < e.scroll_width();
            if more != self.more.get_untracked() {
                self.more.set(more);
            }
        }
    }

    /// The visible rows as indices in the order, and the position of each, px from the top. Rows are placed relative to
    /// the scroll position, to the pixel.
    pub fn window(&self) -> (Range<usize>, impl Fn(usize) -> f64 + use<>) {
        let (first, visible, count, row) =
            (self.first.get(), self.visible.get(), self.count.get(), self.row.get());
        let offset = match count as f64 * row <= MOST_HEIGHT {
            true => first as f64 * row,
            false => self.top.get(),
        };
        let end = (first + visible).min(count);
        (first..end, move |i: usize| offset + (i - first) as f64 * row)
    }

    /// Number of rows that a page key moves by.
    pub fn page(&self) -> usize {
        self.visible.get_untracked().saturating_sub(3).max(1)
    }

    /// Scrolls by the minimum that makes a row visible.
    pub fn keep_in_sight(&self, i: usize) {
        let (Some(element), count) =
            (self.element.get_untracked(), self.count.get_untracked() as f64)
        else {
            return;
        };
        let (i, row, height) = (i as f64, self.row.get_untracked(), self.height.get_untracked());
        let now = self.top.get_untracked();
        let target = if count * row <= MOST_HEIGHT {
            now.clamp((i * row - (height - HEAD - row)).max(0.0), i * row)
        } else {
            // A pixel stands for several rows here, so put the row at the top.
            i / count * (self.full.get_untracked() - height)
        };
        if (target - now).abs() > 0.5 {
            element.set_scroll_top(target as i32);
        }
    }
}
