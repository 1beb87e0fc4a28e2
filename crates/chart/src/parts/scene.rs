//! A picture as data: shapes in CSS pixels, what can be hit, and the same content as a table.
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
    /// As CSS writes it: `#rrggbbaa`.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}{:02x}", self.0, self.1, self.2, self.3)
    }
}

/// A point in CSS pixels, origin top left.
pub type Point = (f64, f64);

/// Where a text hangs on its point horizontally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// Where a text hangs on its point vertically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The point is at the text's top.
    Top,
    /// The point is at half height.
    Middle,
    /// The point is at the bottom.
    Bottom,
}

/// Where a text hangs on its point.
pub(crate) type Hang = (Anchor, Baseline);
/// It begins at the point, at half height.
pub(crate) const START: Hang = (Anchor::Start, Baseline::Middle);
/// Its middle is at the point.
pub(crate) const CENTER: Hang = (Anchor::Middle, Baseline::Middle);
/// It ends at the point, at half height.
pub(crate) const END: Hang = (Anchor::End, Baseline::Middle);
/// It hangs down from the point, centred.
pub(crate) const BELOW: Hang = (Anchor::Middle, Baseline::Top);
/// It hangs down from the point, which is where it begins.
pub(crate) const TOP: Hang = (Anchor::Start, Baseline::Top);
/// It hangs down from the point, which is where it ends.
pub(crate) const TOP_END: Hang = (Anchor::End, Baseline::Top);
/// It stands on the point, which is where it begins.
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

/// Many marks of one shape, stored by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Centres, horizontal.
    pub xs: Vec<f32>,
    /// Centres, vertical; as many as `xs`.
    pub ys: Vec<f32>,
    /// Radius in px where `radii` has none.
    pub radius: f64,
    /// A radius per mark, or empty.
    pub radii: Vec<f32>,
    /// Shape.
    pub symbol: Symbol,
    /// Index into `palette` per mark; empty means 0 for all.
    pub codes: Vec<u16>,
    /// Colours.
    pub palette: Vec<Color>,
}

impl Marks {
    /// Marks of one radius and shape, with none in it yet.
    pub(crate) fn new(symbol: Symbol, radius: f64, palette: Vec<Color>) -> Self {
        Marks {
            xs: Vec::new(),
            ys: Vec::new(),
            radius,
            radii: Vec::new(),
            symbol,
            codes: Vec::new(),
            palette,
        }
    }

    /// Adds a mark of a colour.
    pub(crate) fn add(&mut self, (x, y): (f32, f32), code: u16) {
        self.xs.push(x);
        self.ys.push(y);
        self.codes.push(code);
    }

    /// Number of marks.
    pub fn len(&self) -> usize {
        self.xs.len().min(self.ys.len())
    }

    /// True without marks.
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

    /// Radius of mark `i`.
    pub fn radius_of(&self, i: usize) -> f64 {
        self.radii.get(i).map_or(self.radius, |&r| f64::from(r))
    }

    /// Colour of mark `i`; transparent where the code has none.
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
        /// It reads upwards.
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
        /// 4 bytes a pixel.
        rgba: Vec<u8>,
    },
    /// Everything until the matching `Unclip` is cut to the rectangle.
    Clip {
        /// Left, top, width, height.
        rect: [f64; 4],
    },
    /// Ends a `Clip`.
    Unclip,
}

/// Something a pointer or the keyboard can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct HitArea {
    /// What it stands for: dataset rows (one for a point, several for a cell or a bar).
    pub rows: Vec<u32>,
    /// Bounding box: left, top, width, height. A dot's centre is the box's.
    pub rect: [f64; 4],
    /// What it is, for the pointer and for assistive technology.
    pub tooltip: Tooltip,
}

impl HitArea {
    /// Its centre.
    pub(crate) fn center(&self) -> Point {
        let [l, t, w, h] = self.rect;
        (l + w / 2.0, t + h / 2.0)
    }
}

/// How much of a row of bands shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// First band that shows.
    pub first: usize,
    /// Bands that show.
    pub shown: usize,
    /// All bands.
    pub total: usize,
    /// Width or height of a band in px.
    pub step: f64,
}

impl Window {
    /// True where bands are out of sight.
    pub fn scrolls(&self) -> bool {
        self.shown < self.total
    }

    /// The window moved by bands, within the ends.
    pub fn moved(&self, by: f64) -> usize {
        let last = self.total.saturating_sub(self.shown);
        (self.first as f64 + by).round().clamp(0.0, last as f64) as usize
    }
}

/// A part of a picture that answers to more than a pointer over a mark.
#[derive(Clone, Debug, PartialEq)]
pub enum DragArea {
    /// A bar of colours: dragging along it sets a range of a figure, which filters.
    Range {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// The figure, as the text form of a field.
        field: String,
        /// Values over the bar's width.
        scale: Scale,
    },
    /// A part that holds more than fits: the wheel, a drag and the keyboard move it.
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
    /// The colours that it is drawn in.
    pub theme: Theme,
    /// One sentence: what the picture shows (the canvas's accessible name).
    pub title: String,
    /// Extra text for screen readers: counts, roofs, what was left out.
    pub description: String,
    /// What is drawn, in order.
    pub items: Vec<Item>,
    /// What can be hit (small numbers of marks; large scatters carry a `hit` grid of their own).
    pub hit_areas: Vec<HitArea>,
    /// What can be dragged or scrolled.
    pub drag_areas: Vec<DragArea>,
    /// Why nothing (or not everything) is drawn, for an empty state.
    pub message: Option<String>,
}

impl Scene {
    /// An empty picture of a size, to be drawn in the colours of a theme.
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

    /// Adds the box that a reader draws.
    pub(crate) fn brush(&mut self, rect: [f64; 4]) {
        let accent = self.theme.accent;
        self.boxed(rect, alpha(accent, 0.12), (alpha(accent, 0.8), 1.0));
    }

    /// Adds many marks, if there are some.
    pub(crate) fn marks(&mut self, marks: Marks) {
        self.items.extend((!marks.is_empty()).then_some(Item::Marks(marks)));
    }

    /// Adds a data mark.
    pub(crate) fn mark(&mut self, at: Point, radius: f64, symbol: Symbol, color: Color) {
        self.items.push(Item::Symbol { at, radius, symbol, color });
    }

    /// Adds a line of text in the size of labels.
    pub(crate) fn text(&mut self, at: Point, text: impl Into<String>, color: Color, hang: Hang) {
        self.sized(at, text, FONT, color, hang);
    }

    /// Adds a line of text of a size in px.
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

    /// Adds a line of bold text of a size in px.
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

    /// Makes a rectangle answer to the pointer and the keyboard.
    pub(crate) fn hit(&mut self, rows: Vec<u32>, rect: [f64; 4], tooltip: Tooltip) {
        self.hit_areas.push(HitArea { rows, rect, tooltip });
    }

    /// Makes a part one that scrolls, and says how much of it shows.
    pub(crate) fn scrolls(&mut self, rect: [f64; 4], columns: Window, rows: Window, words: String) {
        self.description = words;
        self.drag_areas.push(DragArea::Scroll { rect, columns, rows });
    }

    /// Makes room of a colour above everything: the scene grows by `by` pixels and its content moves down.
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

    /// The part that scrolls: its place, columns and rows.
    pub fn scroll(&self) -> Option<([f64; 4], Window, Window)> {
        self.drag_areas.iter().find_map(|h| match h {
            DragArea::Scroll { rect, columns, rows } => Some((*rect, *columns, *rows)),
            DragArea::Range { .. } => None,
        })
    }

    /// The bar of colours at a point or a little beside it: its place, its field, its values.
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
