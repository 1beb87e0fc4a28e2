//! A picture as data: shapes in CSS pixels, hit areas, and text for screen readers.
//!
//! A chart builds a `Scene` from a frame of data; `paint` is the only code that knows a drawing
//! library. Hover, selection and keyboard focus use its hit areas.

use crate::clip;
use crate::labels::grown;
use crate::layout::FONT;
use crate::palette::{Theme, alpha};
use crate::scale::Scale;
use crate::tooltip::Tooltip;

/// Colour with alpha, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color(pub u8, pub u8, pub u8, pub u8);

impl Color {
    /// CSS notation: `#rrggbbaa`.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}{:02x}", self.0, self.1, self.2, self.3)
    }
}

/// A point in CSS pixels, origin top left.
pub type Point = (f64, f64);

/// Horizontal alignment of a text to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The point is the text's left end.
    Start,
    /// The point is the text's middle.
    Middle,
    /// The point is the text's right end.
    End,
}

/// Vertical alignment of a text to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The point is the text's top.
    Top,
    /// The point is at half height.
    Middle,
    /// The point is the text's bottom.
    Bottom,
}

/// Alignment of a text to its point.
pub(crate) type Hang = (Anchor, Baseline);
/// The point is at the text's left, half height.
pub(crate) const START: Hang = (Anchor::Start, Baseline::Middle);
/// The point is at the text's centre.
pub(crate) const CENTER: Hang = (Anchor::Middle, Baseline::Middle);
/// The point is at the text's right, half height.
pub(crate) const END: Hang = (Anchor::End, Baseline::Middle);
/// The point is at the text's top, centred.
pub(crate) const BELOW: Hang = (Anchor::Middle, Baseline::Top);
/// The point is at the text's top left.
pub(crate) const TOP: Hang = (Anchor::Start, Baseline::Top);
/// The point is at the text's top right.
pub(crate) const TOP_END: Hang = (Anchor::End, Baseline::Top);
/// The point is at the text's bottom left.
pub(crate) const BOTTOM: Hang = (Anchor::Start, Baseline::Bottom);

/// Shape of a data mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// Filled disc.
    Dot,
    /// Open circle (planned, or excluded from best).
    Ring,
    /// Diagonal cross (failed).
    Cross,
    /// Triangle pointing up (above its roof).
    Triangle,
    /// Square.
    Square,
    /// Diamond.
    Diamond,
    /// Short horizontal bar (a second, lower ceiling of one point).
    Dash,
    /// Open diamond (the same point at another intensity).
    Open,
}

/// Many marks of one symbol, stored by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Horizontal centres.
    pub xs: Vec<f32>,
    /// Vertical centres; as many as `xs`.
    pub ys: Vec<f32>,
    /// Radius in px.
    pub radius: f64,
    /// Shape.
    pub symbol: Symbol,
    /// Palette index of each mark; empty means all 0.
    pub codes: Vec<u16>,
    /// Colours.
    pub palette: Vec<Color>,
}

impl Marks {
    /// An empty set of marks of one radius and symbol.
    pub(crate) fn new(symbol: Symbol, radius: f64, palette: Vec<Color>) -> Self {
        Marks { xs: Vec::new(), ys: Vec::new(), radius, symbol, codes: Vec::new(), palette }
    }

    /// Adds a mark with a palette index.
    pub(crate) fn add(&mut self, (x, y): (f32, f32), code: u16) {
        self.xs.push(x);
        self.ys.push(y);
        self.codes.push(code);
    }

    /// Number of marks.
    pub fn len(&self) -> usize {
        self.xs.len().min(self.ys.len())
    }

    /// True if there are no marks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Centre of mark `i`.
    pub fn at(&self, i: usize) -> Point {
        (
            self.xs.get(i).map_or(f64::NAN, |&v| f64::from(v)),
            self.ys.get(i).map_or(f64::NAN, |&v| f64::from(v)),
        )
    }

    /// Colour of mark `i`; transparent if its code is beyond the palette.
    pub(crate) fn color_of(&self, i: usize) -> Color {
        let code = self.codes.get(i).map_or(0, |&c| usize::from(c));
        self.palette.get(code).copied().unwrap_or(Color(0, 0, 0, 0))
    }
}

/// One drawing instruction, in painting order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Filled and/or stroked rectangle.
    Rect {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// Fill.
        fill: Option<Color>,
        /// Outline.
        stroke: Option<(Color, f64)>,
    },
    /// Line through points.
    Line {
        /// Points.
        points: Vec<Point>,
        /// Colour.
        color: Color,
        /// Width in px.
        width: f64,
        /// Dash and gap lengths in px; empty is solid.
        dash: Vec<f64>,
    },
    /// Filled polygon.
    Polygon {
        /// Corners.
        points: Vec<Point>,
        /// Fill.
        fill: Color,
    },
    /// A data mark.
    Symbol {
        /// Centre.
        at: Point,
        /// Radius in px.
        radius: f64,
        /// Shape.
        symbol: Symbol,
        /// Colour.
        color: Color,
    },
    /// Many data marks of one shape.
    Marks(Marks),
    /// A line of text.
    Text {
        /// Anchor point.
        at: Point,
        /// The text, never markup.
        text: String,
        /// Size in px.
        size: f64,
        /// Bold.
        bold: bool,
        /// Colour.
        color: Color,
        /// Horizontal anchor.
        anchor: Anchor,
        /// Vertical anchor.
        baseline: Baseline,
        /// Turned to read upwards.
        turned: bool,
    },
    /// Pixels (a density image), stretched to `rect`; RGBA, row-major, not premultiplied.
    Image {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// Pixel columns.
        width: u32,
        /// Pixel rows.
        height: u32,
        /// 4 bytes per pixel.
        rgba: Vec<u8>,
    },
    /// Clips everything until the matching `Unclip` to the rectangle.
    Clip {
        /// Left, top, width, height.
        rect: [f64; 4],
    },
    /// Ends a `Clip`.
    Unclip,
}

/// A target of the pointer and the keyboard.
#[derive(Clone, Debug, PartialEq)]
pub struct HitArea {
    /// Its dataset rows (one for a point, several for a cell or a bar).
    pub rows: Vec<u32>,
    /// Bounding box: left, top, width, height. A dot has the same centre.
    pub rect: [f64; 4],
    /// Its description, for the pointer and for assistive technology.
    pub tooltip: Tooltip,
}

impl HitArea {
    /// Its centre.
    pub(crate) fn center(&self) -> Point {
        let [l, t, w, h] = self.rect;
        (l + w / 2.0, t + h / 2.0)
    }
}

/// Visible part of a row of bands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// First visible band.
    pub first: usize,
    /// Number of visible bands.
    pub shown: usize,
    /// Number of all bands.
    pub total: usize,
    /// Width or height of a band in px.
    pub step: f64,
}

impl Window {
    /// True if some bands are not visible.
    pub fn scrolls(&self) -> bool {
        self.shown < self.total
    }

    /// First band after moving by `by` bands, limited to the ends.
    pub fn moved(&self, by: f64) -> usize {
        let last = self.total.saturating_sub(self.shown);
        (self.first as f64 + by).round().clamp(0.0, last as f64) as usize
    }
}

/// A part of a picture that reacts to dragging or the wheel.
#[derive(Clone, Debug, PartialEq)]
pub enum DragArea {
    /// A colour bar: dragging along it filters its field by a range.
    Range {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// The field, in its text form.
        field: String,
        /// Values over the bar's width.
        scale: Scale,
    },
    /// A part that scrolls, by wheel, drag and keyboard.
    Scroll {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// Columns.
        columns: Window,
        /// Rows.
        rows: Window,
    },
}

/// A whole picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Its colours.
    pub theme: Theme,
    /// One sentence: what the picture shows (accessible name of the canvas).
    pub title: String,
    /// Extra text for screen readers: counts, roofs, what was left out.
    pub description: String,
    /// Shapes in painting order.
    pub items: Vec<Item>,
    /// Hit areas, if there are few marks; large scatters have a `hit` grid instead.
    pub hit_areas: Vec<HitArea>,
    /// Parts that can be dragged or scrolled.
    pub drag_areas: Vec<DragArea>,
    /// Empty state: why nothing (or not everything) is drawn.
    pub message: Option<String>,
}

impl Scene {
    /// An empty picture of a size and theme.
    pub(crate) fn new(
        theme: &Theme,
        (width, height): (f64, f64),
        title: impl Into<String>,
    ) -> Self {
        let side = |v: f64| {
            if v.is_finite() { v.clamp(1.0, 16384.0) } else { 1.0 }
        };
        let (width, height) = (side(width), side(height));
        Scene { theme: *theme, width, height, title: title.into(), ..Scene::default() }
    }

    /// Adds a filled rectangle.
    pub(crate) fn fill(&mut self, rect: [f64; 4], color: Color) {
        self.items.push(Item::Rect { rect, fill: Some(color), stroke: None });
    }

    /// Adds a solid line.
    pub(crate) fn line(&mut self, points: Vec<Point>, color: Color, width: f64) {
        self.dashed(points, color, width, &[]);
    }

    /// Adds a dashed line; an empty `dash` is solid.
    pub(crate) fn dashed(&mut self, points: Vec<Point>, color: Color, width: f64, dash: &[f64]) {
        self.items.push(Item::Line { points, color, width, dash: dash.to_vec() });
    }

    /// Adds an outline.
    pub(crate) fn outline(&mut self, rect: [f64; 4], color: Color, width: f64) {
        self.items.push(Item::Rect { rect, fill: None, stroke: Some((color, width)) });
    }

    /// Adds a filled rectangle with an outline.
    pub(crate) fn boxed(&mut self, rect: [f64; 4], fill: Color, stroke: (Color, f64)) {
        self.items.push(Item::Rect { rect, fill: Some(fill), stroke: Some(stroke) });
    }

    /// Adds the box drawn by the user.
    pub(crate) fn brush(&mut self, rect: [f64; 4]) {
        let accent = self.theme.accent;
        self.boxed(rect, alpha(accent, 0.12), (alpha(accent, 0.8), 1.0));
    }

    /// Adds many marks, if not empty.
    pub(crate) fn marks(&mut self, marks: Marks) {
        self.items.extend((!marks.is_empty()).then_some(Item::Marks(marks)));
    }

    /// Adds a data mark.
    pub(crate) fn mark(&mut self, at: Point, radius: f64, symbol: Symbol, color: Color) {
        self.items.push(Item::Symbol { at, radius, symbol, color });
    }

    /// Adds a line of text in label size.
    pub(crate) fn text(&mut self, at: Point, text: impl Into<String>, color: Color, hang: Hang) {
        self.sized(at, text, FONT, color, hang);
    }

    /// Adds a line of text with a size in px.
    pub(crate) fn sized(
        &mut self,
        at: Point,
        text: impl Into<String>,
        size: f64,
        color: Color,
        (anchor, baseline): Hang,
    ) {
        let text = text.into();
        let item =
            Item::Text { at, text, size, bold: false, color, anchor, baseline, turned: false };
        self.items.push(item);
    }

    /// Adds a line of bold text with a size in px.
    pub(crate) fn bold(
        &mut self,
        at: Point,
        text: impl Into<String>,
        size: f64,
        color: Color,
        hang: Hang,
    ) {
        self.sized(at, text, size, color, hang);
        if let Some(Item::Text { bold, .. }) = self.items.last_mut() {
            *bold = true;
        }
    }

    /// Adds a hit area.
    pub(crate) fn hit(&mut self, rows: Vec<u32>, rect: [f64; 4], tooltip: Tooltip) {
        self.hit_areas.push(HitArea { rows, rect, tooltip });
    }

    /// Adds a part that scrolls, and describes how much of it is visible.
    pub(crate) fn scrolls(&mut self, rect: [f64; 4], columns: Window, rows: Window, words: String) {
        self.description = words;
        self.drag_areas.push(DragArea::Scroll { rect, columns, rows });
    }

    /// Adds a coloured strip at the top: the scene grows by `by` px and its content moves down.
    pub(crate) fn add_above(&mut self, by: f64, color: Color) {
        let line = |points: &mut Vec<Point>| points.iter_mut().for_each(|p| p.1 += by);
        for item in &mut self.items {
            match item {
                Item::Rect { rect, .. } | Item::Image { rect, .. } | Item::Clip { rect } => {
                    rect[1] += by;
                }
                Item::Line { points, .. } | Item::Polygon { points, .. } => line(points),
                Item::Symbol { at, .. } | Item::Text { at, .. } => at.1 += by,
                Item::Marks(marks) => marks.ys.iter_mut().for_each(|y| *y += by as f32),
                Item::Unclip => {}
            }
        }
        for mark in &mut self.hit_areas {
            mark.rect[1] += by;
        }
        for handle in &mut self.drag_areas {
            match handle {
                DragArea::Range { rect, .. } | DragArea::Scroll { rect, .. } => rect[1] += by,
            }
        }
        self.height += by;
        let rect = [0.0, 0.0, self.width, by];
        self.items.insert(0, Item::Rect { rect, fill: Some(color), stroke: None });
    }

    /// The part that scrolls: rectangle, columns and rows.
    pub fn scroll(&self) -> Option<([f64; 4], Window, Window)> {
        self.drag_areas.iter().find_map(|h| match h {
            DragArea::Scroll { rect, columns, rows } => Some((*rect, *columns, *rows)),
            DragArea::Range { .. } => None,
        })
    }

    /// The colour bar at or near a point: rectangle, field and values.
    pub(crate) fn range_at(&self, at: Point) -> Option<([f64; 4], &str, Scale)> {
        const SLACK: f64 = 6.0;
        self.drag_areas.iter().find_map(|area| match area {
            DragArea::Range { rect, field, scale } => {
                let on = clip::holds(grown(*rect, SLACK), at);
                on.then_some((*rect, field.as_str(), *scale))
            }
            DragArea::Scroll { .. } => None,
        })
    }
}
