//! A grid of cells with titles: the maps of the tools.

use crate::labels::Rect;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::palette::{Theme, alpha, on};
use crate::scene::{Anchor, Baseline, Color, HitArea, Item, Scene};
use crate::text;
use crate::tooltip::Tooltip;

/// What one cell shows.
pub(super) struct Cell {
    /// Colour.
    pub fill: Color,
    /// Number in it, where it fits.
    pub text: String,
    /// A second one below it, where both fit.
    pub also: String,
    /// Drawn with diagonal lines: it cannot run.
    pub hatched: bool,
    /// Outline.
    pub frame: Option<Color>,
    /// The marks in its corner: the measured best, the model's choice, or both.
    pub ticks: Vec<Tick>,
    /// Tooltip.
    pub label: String,
    /// Rows that it stands for.
    pub rows: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tick {
    Best,
    Model,
}

impl Tick {
    /// Its colour, in the cells as in the legend.
    fn color(self, theme: &Theme) -> Color {
        match self {
            Tick::Best => theme.text,
            Tick::Model => theme.accent,
        }
    }

    /// What stands for it in a legend.
    pub(super) fn swatch(self, theme: &Theme) -> legend::Swatch {
        match self {
            Tick::Best => legend::Swatch::Check(self.color(theme)),
            Tick::Model => legend::Swatch::Hollow(self.color(theme)),
        }
    }

    /// Draws it on a plate of one colour, so that it has its own on any cell.
    fn draw(self, scene: &mut Scene, theme: &Theme, (x, y): (f64, f64)) {
        scene.fill([x - 6.5, y - 6.5, 13.0, 13.0], alpha(theme.panel, 0.85));
        match self {
            Tick::Best => legend::check(scene, (x, y), 5.0, self.color(theme), 2.0),
            Tick::Model => legend::hollow(scene, (x, y), 4.5, self.color(theme)),
        }
    }
}

/// Names along the sides.
pub(super) struct Names<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub columns: &'a [String],
    pub rows: &'a [String],
}

/// Places for two grids of one height: side by side, or one below the other where it is narrow.
pub(super) fn pair(width: f64, height: f64) -> [Rect; 2] {
    if width < NARROW {
        let half = height / 2.0;
        [[8.0, 4.0, width - 16.0, half - 4.0], [8.0, half + 4.0, width - 16.0, half - 4.0]]
    } else {
        let half = width / 2.0;
        [[8.0, 4.0, half - 16.0, height], [half + 8.0, 4.0, half - 16.0, height]]
    }
}

/// Draws a grid into `area`; returns the rectangle of its cells.
pub(super) fn draw(
    scene: &mut Scene,
    theme: &Theme,
    area: Rect,
    names: &Names<'_>,
    cell: &dyn Fn(usize, usize) -> Option<Cell>,
) -> Rect {
    let [left, top, width, height] = area;
    legend::heading(scene, (left, top + 8.0), width, theme, names.title);
    let widest = names.rows.iter().map(|n| text::width(n, FONT, false)).fold(0.0, f64::max);
    let side = widest + 10.0;
    let (head, foot) = (38.0, 34.0);
    let room = ((width - side).max(1.0), (height - head - foot).max(1.0));
    let (nx, ny) = (names.columns.len().max(1), names.rows.len().max(1));
    let size = ((room.0 / nx as f64).min(150.0), (room.1 / ny as f64).min(56.0));
    let origin = (left + side, top + head);
    let all = [origin.0, origin.1, size.0 * nx as f64, size.1 * ny as f64];
    scene.fill(all, theme.panel);
    legend::note(scene, (left, top + 25.0), width, theme, &format!("{} ↓", names.y));
    let gap = if size.0 < 8.0 || size.1 < 8.0 { 0.0 } else { 1.0 };
    for y in 0..ny {
        for x in 0..nx {
            let Some(c) = cell(x, y) else { continue };
            let rect = [
                origin.0 + size.0 * x as f64,
                origin.1 + size.1 * y as f64,
                size.0 - gap,
                size.1 - gap,
            ];
            one(scene, theme, rect, c);
        }
    }
    let mut free = f64::NEG_INFINITY;
    for (i, name) in names.columns.iter().enumerate() {
        let w = text::width(name, FONT, false);
        let x = origin.0 + size.0 * (i as f64 + 0.5);
        if x - w / 2.0 > free {
            scene.text(
                (x, all[1] + all[3] + 4.0),
                name.clone(),
                FONT,
                theme.muted,
                (Anchor::Middle, Baseline::Top),
            );
            free = x + w / 2.0 + 4.0;
        }
    }
    let mut below = f64::NEG_INFINITY;
    for (i, name) in names.rows.iter().enumerate() {
        let y = origin.1 + size.1 * (i as f64 + 0.5);
        if y - FONT * 0.6 > below {
            scene.text(
                (origin.0 - 6.0, y),
                name.clone(),
                FONT,
                theme.muted,
                (Anchor::End, Baseline::Middle),
            );
            below = y + FONT * 0.6;
        }
    }
    scene.text(
        (all[0] + all[2], all[1] + all[3] + 19.0),
        format!("{} →", names.x),
        FONT,
        theme.muted,
        (Anchor::End, Baseline::Top),
    );
    all
}

fn one(scene: &mut Scene, theme: &Theme, rect: Rect, c: Cell) {
    let [l, t, w, h] = rect;
    scene.fill(rect, c.fill);
    let ink = on(c.fill);
    if c.hatched {
        hatch(scene, rect, alpha(theme.muted, 0.7));
    }
    let fits = !c.text.is_empty()
        && text::width(&c.text, FONT, false) <= w - 4.0
        && h >= FONT * text::LINE;
    if fits {
        let plate = text::width(&c.text, FONT, false) + 6.0;
        if c.hatched {
            // Lines through digits do not read.
            scene.fill([l + (w - plate) / 2.0, t + h / 2.0 - 8.0, plate, 16.0], c.fill);
        }
        let line = FONT * text::LINE;
        let wide = text::width(&c.also, FONT, false) <= w - 4.0;
        let both = !c.also.is_empty() && !c.hatched && wide && h >= 2.0 * line + 4.0;
        let up = if both { line / 2.0 } else { 0.0 };
        let mut write = |words: String, y: f64, ink: Color| {
            let (at, middle) = ((l + w / 2.0, y), (Anchor::Middle, Baseline::Middle));
            scene.text(at, words, FONT, ink, middle);
        };
        write(c.text, t + h / 2.0 - up, ink);
        if both {
            write(c.also, t + h / 2.0 + up, alpha(ink, 0.75));
        }
    }
    if let Some(color) = c.frame {
        scene.items.push(Item::Rect {
            rect: [l + 1.0, t + 1.0, w - 2.0, h - 2.0],
            fill: None,
            stroke: Some((color, 2.0)),
        });
    }
    // From the right corner to the left; where the cell is narrow, downwards.
    let beside = w > 1.0 + 14.0 * c.ticks.len() as f64;
    for (i, tick) in c.ticks.iter().enumerate() {
        let step = 14.0 * i as f64;
        let (dx, dy) = if beside { (step, 0.0) } else { (0.0, step) };
        if w > 16.0 && h > 14.0 + dy {
            tick.draw(scene, theme, (l + w - 7.5 - dx, t + 7.5 + dy));
        }
    }
    scene.hit_areas.push(HitArea { rows: c.rows, rect, tooltip: Tooltip::new(c.label) });
}

/// Diagonal lines, cut to the cell.
fn hatch(scene: &mut Scene, [l, t, w, h]: Rect, color: Color) {
    let mut d = 7.0;
    while d < w + h {
        // x + y = d inside the cell.
        let from = (d.min(w), (d - w).max(0.0));
        let to = ((d - h).max(0.0), d.min(h));
        scene.line(vec![(l + from.0, t + from.1), (l + to.0, t + to.1)], color, 1.0);
        d += 7.0;
    }
}
