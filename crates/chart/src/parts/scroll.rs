//! Scrolled pictures: scroll bars, which show the visible part and can be dragged, and the picture with everything in
//! sight.

use crate::chart::{Chart, RenderOptions};
use crate::clip;
use crate::labels::Rect;
use crate::palette::alpha;
use crate::scene::{Point, Scene, Window};

/// Thickness of a bar in px.
const THICK: f64 = 6.0;
/// Shortest thumb in px: a shorter one is hard to grab.
const SHORTEST: f64 = 28.0;
/// Longest side, px, and largest area, px², of a whole picture: what a browser can still paint.
const LONGEST: f64 = 16_384.0;
const LARGEST: f64 = 100e6;
/// The limit in words.
pub const LIMIT: &str = "a picture ends at 16\u{202f}384 px per side and 100 megapixels";

/// True if a picture of this size can be painted with `scale` pixels per CSS pixel.
pub fn fits((width, height): (f64, f64), scale: f64) -> bool {
    width.max(height) * scale <= LONGEST && width * height * scale * scale <= LARGEST
}

/// One scroll bar of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScrollBar {
    /// Range of the thumb: left, top, width, height.
    pub track: Rect,
    /// Start of the thumb along the track, and its length, px.
    pub thumb: (f64, f64),
    /// True if it scrolls rows, false for columns.
    pub vertical: bool,
    window: Window,
}

impl ScrollBar {
    fn new(track: Rect, vertical: bool, window: Window) -> Self {
        let length = if vertical { track[3] } else { track[2] };
        let size =
            (length * window.shown as f64 / window.total.max(1) as f64).max(SHORTEST).min(length);
        let last = window.total.saturating_sub(window.shown).max(1) as f64;
        ScrollBar {
            track,
            thumb: ((length - size) * window.first as f64 / last, size),
            vertical,
            window,
        }
    }

    /// Rectangle of the thumb.
    pub(crate) fn thumb_rect(&self) -> Rect {
        let [l, t, w, h] = self.track;
        let (start, size) = self.thumb;
        if self.vertical { [l, t + start, w, size] } else { [l + start, t, size, h] }
    }

    /// Position along the track, px from its start.
    pub fn along(&self, (x, y): Point) -> f64 {
        if self.vertical { y - self.track[1] } else { x - self.track[0] }
    }

    /// First visible band if the thumb starts at this position along the track.
    pub fn first_at(&self, start: f64) -> usize {
        let length = if self.vertical { self.track[3] } else { self.track[2] };
        let room = (length - self.thumb.1).max(f64::MIN_POSITIVE);
        let last = self.window.total.saturating_sub(self.window.shown) as f64;
        ((start / room).clamp(0.0, 1.0) * last).round() as usize
    }
}

/// The scroll bars of a picture: at the right edge if rows scroll, at the lower edge if columns do.
pub(crate) fn bars(scene: &Scene) -> Vec<ScrollBar> {
    let Some(([l, t, w, h], columns, rows)) = scene.scroll() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if rows.scrolls() {
        let left = (l + w + 2.0).min(scene.width - THICK);
        out.push(ScrollBar::new([left, t, THICK, h], true, rows));
    }
    if columns.scrolls() {
        let top = (t + h + 1.0).min(scene.height - THICK);
        out.push(ScrollBar::new([l, top, w, THICK - 2.0], false, columns));
    }
    out
}

/// The bar at a point, including `slack` px beside it.
pub fn bar_at(scene: &Scene, at: Point, slack: f64) -> Option<ScrollBar> {
    bars(scene).into_iter().find(|bar| {
        let [l, t, w, h] = bar.track;
        clip::holds(
            match bar.vertical {
                true => [l - slack, t, w + 2.0 * slack, h],
                false => [l, t - slack, w, h + 2.0 * slack],
            },
            at,
        )
    })
}

/// Draws the bars: a faint track, and a thumb that is stronger while hovered or dragged.
pub(crate) fn draw(over: &mut Scene, of: &Scene, held: bool) {
    for bar in bars(of) {
        over.fill(bar.track, alpha(of.theme.muted, 0.14));
        let opacity = if held { 0.95 } else { 0.6 };
        over.fill(bar.thumb_rect(), alpha(of.theme.muted, opacity));
    }
}

/// Size at which nothing of `scene` would scroll; `None` if nothing does. Names that grow with the picture can make it
/// need a little more.
pub fn whole_size(scene: &Scene) -> Option<(f64, f64)> {
    let (_, columns, rows) = scene.scroll()?;
    let hidden = |w: Window| (w.total - w.shown.min(w.total)) as f64 * w.step;
    Some(((scene.width + hidden(columns)).ceil(), (scene.height + hidden(rows)).ceil()))
}

/// The picture with nothing scrolled out of sight; `Err` with its size if that exceeds the [`LIMIT`].
pub(crate) fn whole(view: &Chart, options: &RenderOptions<'_>) -> Result<Scene, (f64, f64)> {
    let mut options = RenderOptions { first: (0, 0), ..*options };
    let mut size = (options.width, options.height);
    // Longer names can take some of the added room, so this takes two or three rounds.
    for _ in 0..8 {
        let scene = view.scene(&options);
        match whole_size(&scene) {
            None => return Ok(scene),
            Some(needed) => size = needed,
        }
        if !fits(size, 1.0) {
            break;
        }
        (options.width, options.height) = size;
    }
    Err(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts;
    use crate::charts::Inputs;
    use crate::palette::Theme;
    use crate::scene::DragArea;
    use gemmscope_table::fixture::Rows;
    use gemmscope_table::view_state::ViewState;

    fn scene(first: usize) -> Scene {
        let mut scene = Scene::new(&Theme::LIGHT, (400.0, 300.0), "");
        scene.drag_areas.push(DragArea::Scroll {
            rect: [50.0, 40.0, 330.0, 200.0],
            columns: Window::default(),
            rows: Window { first, shown: 10, total: 110, step: 20.0 },
        });
        scene
    }

    #[test]
    fn a_thumb_lies_where_its_bands_are_and_gives_them_back() {
        for first in [0, 1, 37, 99, 100] {
            let [bar] = bars(&scene(first))[..] else {
                panic!("one bar");
            };
            assert!(bar.vertical);
            let [l, t, w, h] = bar.thumb_rect();
            assert!(l >= 380.0 && l + w <= 400.0 && t >= 40.0 && t + h <= 240.0);
            assert_eq!(h, SHORTEST);
            assert_eq!(bar.first_at(bar.thumb.0), first);
            // Positions beyond the ends are clamped.
            assert_eq!((bar.first_at(-5.0), bar.first_at(1e9)), (0, 100));
            assert_eq!(bar.along((0.0, 60.0)), 20.0);
        }
        let shown = scene(0);
        assert!(bar_at(&shown, (383.0, 100.0), 0.0).is_some());
        assert!(bar_at(&shown, (395.0, 100.0), 0.0).is_none());
        assert!(bar_at(&shown, (395.0, 100.0), 12.0).is_some());
        assert!(bar_at(&shown, (383.0, 250.0), 4.0).is_none());
        assert!(bars(&Scene::new(&Theme::LIGHT, (10.0, 10.0), "")).is_empty());
    }

    #[test]
    fn a_whole_picture_has_every_band_or_says_how_large_it_would_be() {
        let frame = |n: u32| {
            let mut rows = Rows::new();
            for i in 0..n {
                rows.row((64 + i, 64 * (1 + i % 90), 4096 + i), "x", 1e-5, "");
            }
            rows.frame(Some("h100-sxm"))
        };
        let options =
            RenderOptions { first: (3, 4), ..RenderOptions::new(&Theme::LIGHT, (500.0, 300.0)) };
        let mut state = ViewState::default();
        state.set_param("explore.x", "shape");
        state.set_param("explore.y", "n");
        for id in ["bars", "cells", "boxes"] {
            let view = (charts::by_id(id).unwrap().open)(&Inputs::new(&frame(200), &state));
            let part = view.scene(&options);
            assert!(part.scroll().is_some(), "{id}");
            let whole = whole(&view, &options).unwrap();
            assert!(whole.scroll().is_none(), "{id}");
            assert!(part.hit_areas.len() < 200 && whole.hit_areas.len() == 200, "{id}");
            let (w, h) = whole_size(&part).unwrap();
            assert!(whole.width >= w - 1.0 && whole.height >= h - 1.0, "{id}");
        }
        let view = (charts::by_id("bars").unwrap().open)(&Inputs::new(&frame(2000), &state));
        let (_, height) = whole(&view, &options).unwrap_err();
        assert!(height > 2000.0 * 18.0);
    }
}
