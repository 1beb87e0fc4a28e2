//! The painter: draws a scene, item by item, on any `plotters` backend.
//!
//! Backends take whole numbers, so coordinates are multiplied by `Options::scale` first: 10 for
//! SVG, 8 times the device pixel ratio for a canvas whose context is scaled down by 8. Dashes
//! and clips are cut here, because backends have neither; text is never measured.

pub mod svg;

use crate::clip;
use crate::labels::{Rect, about, contains, overlaps};
use crate::scene::{Anchor, Baseline, Color, Item, Point, Scene, Symbol};
use plotters::prelude::DrawingBackend;
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, FontFamily, FontStyle,
    FontTransform,
};

/// Fonts of every chart, in the page and in saved files.
pub(crate) const FONT_FAMILY: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

/// Conversion of CSS pixels into the units of a backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Units per CSS pixel.
    pub scale: f64,
    /// Units per device pixel: upright lines and filled boxes are aligned to these.
    pub snap: f64,
    /// Factor on text sizes, to compensate for the backend.
    pub text_scale: f64,
    /// Shift of text downwards, as a fraction of the text size, to centre it vertically.
    pub text_drop: f64,
}

impl Options {
    /// For a canvas of `dpr` device pixels per CSS pixel whose context is scaled by 1 / `Options::SUBPIXEL`.
    pub fn canvas(dpr: f64) -> Self {
        let dpr = if dpr.is_finite() { dpr.clamp(0.5, 8.0) } else { 1.0 };
        Options {
            scale: dpr * Self::SUBPIXEL,
            snap: Self::SUBPIXEL,
            text_scale: 1.0,
            text_drop: 0.0,
        }
    }

    /// For plotters-svg, which divides text sizes by 1.24 and centres text on half an x-height.
    pub(crate) fn svg() -> Self {
        Options { scale: 10.0, snap: 10.0, text_scale: 1.24, text_drop: 0.09 }
    }

    /// Units per device pixel of a canvas.
    pub(crate) const SUBPIXEL: f64 = 8.0;
}

/// A shape in the units of a backend.
#[derive(Clone, Copy)]
enum Shape<'a> {
    /// A filled rectangle.
    Rect(BackendCoord, BackendCoord, Color),
    Line(BackendCoord, BackendCoord, Stroke),
    /// A line through points.
    Path(&'a [BackendCoord], Stroke),
    Polygon(&'a [BackendCoord], Color),
    Disc(BackendCoord, u32, Color),
    Ring(BackendCoord, u32, Stroke),
    Text(&'a str, BackendCoord, TextStyle),
}

type Outcome = Result<(), String>;

/// Draws a shape; the only code compiled per backend.
fn draw_on<DB: DrawingBackend>(backend: &mut DB, shape: Shape<'_>) -> Outcome {
    let done = match shape {
        Shape::Rect(from, to, color) => backend.draw_rect(from, to, &backend_color(color), true),
        Shape::Line(from, to, stroke) => backend.draw_line(from, to, &stroke),
        Shape::Path(points, stroke) => backend.draw_path(points.iter().copied(), &stroke),
        Shape::Polygon(points, color) => {
            backend.fill_polygon(points.iter().copied(), &backend_color(color))
        }
        Shape::Disc(at, radius, color) => {
            backend.draw_circle(at, radius, &backend_color(color), true)
        }
        Shape::Ring(at, radius, stroke) => backend.draw_circle(at, radius, &stroke, false),
        Shape::Text(text, at, style) => backend.draw_text(text, &style, at),
    };
    done.map_err(|e| e.to_string())
}

/// Receives the shapes of a painter.
type Brush<'a> = dyn FnMut(Shape<'_>) -> Outcome + 'a;

/// Draws items one by one; keeps the clip in between.
#[derive(Clone, Debug)]
pub struct Painter {
    options: Options,
    clips: Vec<Rect>,
}

#[derive(Clone, Copy)]
struct Stroke(Color, u32);

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        backend_color(self.0)
    }
    fn stroke_width(&self) -> u32 {
        self.1
    }
}

#[derive(Clone, Copy)]
struct TextStyle {
    color: Color,
    size: f64,
    bold: bool,
    anchor: Anchor,
    turned: bool,
}

impl BackendTextStyle for TextStyle {
    type FontError = std::convert::Infallible;
    fn color(&self) -> BackendColor {
        backend_color(self.color)
    }
    fn size(&self) -> f64 {
        self.size
    }
    fn transform(&self) -> FontTransform {
        if self.turned { FontTransform::Rotate270 } else { FontTransform::None }
    }
    fn style(&self) -> FontStyle {
        if self.bold { FontStyle::Bold } else { FontStyle::Normal }
    }
    fn anchor(&self) -> Pos {
        let h = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(h, VPos::Center)
    }
    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FONT_FAMILY)
    }
    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Self::FontError> {
        let w = crate::text::width(text, self.size, self.bold).round() as i32;
        Ok(((0, 0), (w, self.size.round() as i32)))
    }
    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: F,
    ) -> Result<Result<(), E>, Self::FontError> {
        // A backend without text support draws none.
        Ok(Ok(()))
    }
}

fn backend_color(c: Color) -> BackendColor {
    BackendColor {
        // Three decimals: enough for 8 bits, and short in an SVG.
        alpha: (f64::from(c.3) / 255.0 * 1000.0).round() / 1000.0,
        rgb: (c.0, c.1, c.2),
    }
}

impl Painter {
    /// A painter for a scene; nothing is drawn outside the picture.
    pub fn new(scene: &Scene, options: Options) -> Self {
        Painter { options, clips: vec![[0.0, 0.0, scene.width, scene.height]] }
    }

    /// The current clip.
    pub fn clip(&self) -> Rect {
        self.clips.last().copied().unwrap_or([0.0; 4])
    }

    fn unit(&self, p: Point) -> BackendCoord {
        let s = self.options.scale;
        let to = |v: f64| (v * s).round().clamp(-1e9, 1e9) as i32;
        (to(p.0), to(p.1))
    }

    fn units(&self, points: &[Point]) -> Vec<BackendCoord> {
        points.iter().map(|p| self.unit(*p)).collect()
    }

    fn width_units(&self, w: f64) -> u32 {
        (w * self.options.scale).round().clamp(1.0, 1e6) as u32
    }

    /// Size of a device pixel in CSS pixels.
    fn pixel(&self) -> f64 {
        self.options.snap / self.options.scale
    }

    fn snapped(&self, v: f64) -> f64 {
        (v / self.pixel()).round() * self.pixel()
    }

    /// Draws one item. An `Image` draws nothing: the caller paints it.
    pub fn draw<DB: DrawingBackend>(&mut self, item: &Item, backend: &mut DB) -> Outcome {
        self.item(item, &mut |shape| draw_on(backend, shape))
    }

    fn item(&mut self, item: &Item, to: &mut Brush<'_>) -> Outcome {
        match item {
            Item::Clip { rect } => {
                let next = clip::intersect(self.clip(), *rect);
                self.clips.push(next);
                Ok(())
            }
            Item::Unclip => {
                if self.clips.len() > 1 {
                    self.clips.pop();
                }
                Ok(())
            }
            Item::Image { .. } => Ok(()),
            Item::Rect { rect, fill, stroke } => {
                if let Some(color) = fill {
                    self.fill_rect(*rect, *color, to)?;
                }
                if let Some((color, width)) = stroke {
                    let [l, t, w, h] = *rect;
                    let frame = [(l, t), (l + w, t), (l + w, t + h), (l, t + h)];
                    for i in 0..4 {
                        self.line(&[frame[i], frame[(i + 1) % 4]], *color, *width, to)?;
                    }
                }
                Ok(())
            }
            Item::Line { points, color, width, dash } if dash.is_empty() => {
                self.line(points, *color, *width, to)
            }
            Item::Line { points, color, width, dash } => {
                let pieces = clip::polyline(points, self.clip()).into_iter();
                pieces
                    .flat_map(|piece| clip::dashes(&piece, dash))
                    .try_for_each(|dash| self.line(&dash, *color, *width, to))
            }
            Item::Polygon { points, fill } => self.polygon(points, *fill, to),
            Item::Symbol { at, radius, symbol, color } => {
                self.symbol(*at, *radius, *symbol, *color, to)
            }
            Item::Marks(marks) => (0..marks.len()).try_for_each(|i| {
                let (at, radius) = (marks.at(i), marks.radius);
                self.symbol(at, radius, marks.symbol, marks.color_of(i), to)
            }),
            Item::Text { .. } => self.text(item, to),
        }
    }

    fn fill_rect(&self, rect: Rect, color: Color, to: &mut Brush<'_>) -> Outcome {
        let r = clip::intersect(rect, self.clip());
        if !(r[2] > 0.0 && r[3] > 0.0) {
            return Ok(());
        }
        let (l, t) = (self.snapped(r[0]), self.snapped(r[1]));
        let right = self.snapped(r[0] + r[2]).max(l + self.pixel());
        let bottom = self.snapped(r[1] + r[3]).max(t + self.pixel());
        let corner = self.unit((right, bottom));
        to(Shape::Rect(self.unit((l, t)), corner, color))
    }

    /// A solid line, cut to the clip; upright ones are aligned to device pixels.
    fn line(&self, points: &[Point], color: Color, width: f64, to: &mut Brush<'_>) -> Outcome {
        if width.is_nan() || width <= 0.0 {
            return Ok(());
        }
        let stroke = Stroke(color, self.width_units(width));
        for piece in clip::polyline(points, self.clip()) {
            match piece.as_slice() {
                [a, b] if a.0 == b.0 || a.1 == b.1 => {
                    let pixel = self.pixel();
                    let odd = (width / pixel).round().max(1.0) % 2.0 == 1.0;
                    let on = |v: f64| {
                        if odd {
                            ((v / pixel - 0.5).round() + 0.5) * pixel
                        } else {
                            self.snapped(v)
                        }
                    };
                    let (mut a, mut b) = (*a, *b);
                    if a.0 == b.0 {
                        (a.0, b.0) = (on(a.0), on(b.0));
                    } else {
                        (a.1, b.1) = (on(a.1), on(b.1));
                    }
                    to(Shape::Line(self.unit(a), self.unit(b), stroke))?;
                }
                _ => to(Shape::Path(&self.units(&piece), stroke))?,
            }
        }
        Ok(())
    }

    fn polygon(&self, points: &[Point], color: Color, to: &mut Brush<'_>) -> Outcome {
        let cut = clip::polygon(points, self.clip());
        if cut.len() < 3 {
            return Ok(());
        }
        to(Shape::Polygon(&self.units(&cut), color))
    }

    fn symbol(
        &self,
        at: Point,
        radius: f64,
        symbol: Symbol,
        color: Color,
        to: &mut Brush<'_>,
    ) -> Outcome {
        let (x, y) = at;
        if !(x.is_finite() && y.is_finite() && radius > 0.0 && radius < 1e6) {
            return Ok(());
        }
        let reach = about(at, radius * 1.5);
        if !overlaps(reach, self.clip()) {
            return Ok(());
        }
        let whole = contains(self.clip(), reach);
        match symbol {
            Symbol::Dot if whole => to(Shape::Disc(self.unit(at), self.width_units(radius), color)),
            Symbol::Ring if whole => {
                let stroke = Stroke(color, self.width_units(1.4));
                to(Shape::Ring(self.unit(at), self.width_units(radius - 0.6), stroke))
            }
            Symbol::Ring => self.line(&circle(at, radius - 0.6, true), color, 1.4, to),
            Symbol::Cross => {
                let r = radius * 0.8;
                self.line(&[(x - r, y - r), (x + r, y + r)], color, 1.6, to)?;
                self.line(&[(x - r, y + r), (x + r, y - r)], color, 1.6, to)
            }
            Symbol::Open => {
                let mut outline = corners(at, radius, Symbol::Diamond);
                outline.extend(outline.first().copied());
                self.line(&outline, color, 1.4, to)
            }
            Symbol::Dash => self.line(&[(x - radius, y), (x + radius, y)], color, 1.5, to),
            _ => self.polygon(&corners(at, radius, symbol), color, to),
        }
    }

    fn text(&self, item: &Item, to: &mut Brush<'_>) -> Outcome {
        let Item::Text { at, text, size, bold, color, anchor, baseline, turned } = item else {
            return Ok(());
        };
        if text.is_empty()
            || !(at.0.is_finite() && at.1.is_finite())
            || !clip::holds(self.clip(), *at)
        {
            return Ok(());
        }
        // From the anchor to the middle of the line, downwards in the text's own rotation.
        let half = crate::text::LINE / 2.0;
        let down = size
            * (self.options.text_drop
                + match baseline {
                    Baseline::Top => half,
                    Baseline::Middle => 0.0,
                    Baseline::Bottom => -half,
                });
        let at = if *turned { (at.0 + down, at.1) } else { (at.0, at.1 + down) };
        let size = size * self.options.scale * self.options.text_scale;
        let size = (size * 100.0).round() / 100.0;
        let (color, bold, anchor, turned) = (*color, *bold, *anchor, *turned);
        let style = TextStyle { color, size, bold, anchor, turned };
        to(Shape::Text(text, self.unit(at), style))
    }
}

/// Points around a circle.
fn circle((x, y): Point, radius: f64, closed: bool) -> Vec<Point> {
    let steps = (radius * 3.0).clamp(12.0, 64.0) as usize;
    let step = std::f64::consts::TAU / steps as f64;
    (0..steps + usize::from(closed))
        .map(|i| {
            let (sine, cosine) = (i as f64 * step).sin_cos();
            (x + radius * cosine, y + radius * sine)
        })
        .collect()
}

/// Outline of a filled symbol, of about the area of the disc.
pub(crate) fn corners(at: Point, radius: f64, symbol: Symbol) -> Vec<Point> {
    let (x, y) = at;
    match symbol {
        Symbol::Triangle => {
            let r = radius * 1.45;
            let (dx, dy) = (r * 0.866, r * 0.5);
            vec![(x, y - r), (x + dx, y + dy), (x - dx, y + dy)]
        }
        Symbol::Square => {
            let r = radius * 0.89;
            vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
        }
        Symbol::Diamond => {
            let r = radius * 1.25;
            vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
        }
        _ => circle(at, radius, false),
    }
}
