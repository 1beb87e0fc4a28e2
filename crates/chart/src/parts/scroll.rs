//! Scrolled pictures: the bars that say which part shows and can be dragged, and the picture with
//! nothing out of sight.

use crate::chart::{Chart, RenderOptions};
use crate::clip;
use crate::labels::Rect;
use crate::palette::alpha;
use crate::scene::{Point, Scene, Window};

/// Thickness of a bar in px.
const THICK: f64 = 6.0;
/// Shortest thumb in px: a shorter one is hard to grab.
const SHORTEST: f64 = 28.0;
/// Longest side and largest area of a whole picture in px: what a browser can still paint.
const LONGEST: f64 = 16_384.0;
const LARGEST: f64 = 100e6;
/// The same in words.
pub const LIMIT: &str = "a picture ends at 16\u{202f}384 px per side and 100 megapixels";

/// True where a picture of this size can be painted at so many pixels a CSS pixel.
pub fn fits((width, height): (f64, f64), scale: f64) -> bool {
    width.max(height) * scale <= LONGEST && width * height * scale * scale <= LARGEST
}

/// One scroll bar of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScrollBar {
    /// Where the thumb moves: left, top, width, height.
    pub track: Rect,
    /// Start of the thumb along the track, and its length, px.
    pub thumb: (f64, f64),
    /// It scrolls rows; else columns.
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

    /// Where the thumb is.
    pub(crate) fn thumb_rect(&self) -> Rect {
        let [l, t, w, h] = self.track;
        let (start, size) = self.thumb;
        if self.vertical { [l, t + start, w, size] } else { [l + start, t, size, h] }
    }

    /// A place along the track, px from its start.
    pub fn along(&self, (x, y): Point) -> f64 {
        if self.vertical { y - self.track[1] } else { x - self.track[0] }
    }

    /// First band that shows with the thumb's start moved to a place along the track.
    pub fn first_at(&self, start: f64) -> usize {
        let length = if self.vertical { self.track[3] } else { self.track[2] };
        let room = (length - self.thumb.1).max(f64::MIN_POSITIVE);
        let last = self.window.total.saturating_sub(self.window.shown) as f64;
        ((start / room).clamp(0.0, 1.0) * last).round() as usize
    }
}

/// The scroll bars of a picture: one at the right edge where rows scroll, one at the lower edge
/// where columns do.
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

/// The bar at a place, `slack` px beside it included.
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

/// Draws the bars: a faint track, and a thumb that stands out where it is held or pointed at.
pub(crate) fn draw(over: &mut Scene, of: &Scene, held: bool) {
    for bar in bars(of) {
        over.fill(bar.track, alpha(of.theme.muted, 0.14));
        let opacity = if held { 0.95 } else { 0.6 };
        over.fill(bar.thumb_rect(), alpha(of.theme.muted, opacity));
    }
}

/// The size of a picture in which nothing is scrolled out of sight, by what `scene` lacks; `None`
/// where nothing is. Names that get more room with the picture can make it a little larger.
pub fn whole_size(scene: &Scene) -> Option<(f64, f64)> {
    let (_, columns, rows) = scene.scroll()?;
    let hidden = |w: Window| (w.total - w.shown.min(w.total)) as f64 * w.step;
    Some(((scene.width + hidden(columns)).ceil(), (scene.height + hidden(rows)).ceil()))
}

/// The picture with nothing scrolled out of sight; the size it would have where that is more than
/// [`LIMIT`] says.
pub(crate) fn whole(view: &Chart, options: &RenderOptions<'_>) -> Result<Scene, (f64, f64)> {
    let mut options = RenderOptions { first: (0, 0), ..*options };
    let mut size = (options.width, options.height);
    // Room for longer names can take some of the room that was added: twice or three times.
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
            // Past the ends is at the ends.
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
