//! A grid of cells with titles: the maps of the tools.

use crate::cells::{CellMark, Cells, Numbers};
use crate::labels::Rect;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::palette::{Theme, alpha, on};
use crate::scene::{Anchor, Baseline, Color, Scene};
use crate::text;
use crate::tile_marks::Tick;
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

/// Names along the sides.
pub(super) struct Names<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub columns: &'a [String],
    pub rows: &'a [String],
}

/// Places for two grids of one height: side by side, or one below the other where it is narrow.
pub(super) fn pair([left, top, width, height]: Rect) -> [Rect; 2] {
    let (x, y) = (left + 8.0, top + 4.0);
    if width < NARROW {
        let half = height / 2.0;
        [[x, y, width - 16.0, half - 4.0], [x, y + half, width - 16.0, half - 4.0]]
    } else {
        let half = width / 2.0;
        [[x, y, half - 16.0, height - 4.0], [x + half, y, half - 16.0, height - 4.0]]
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
    let cells = Cells {
        columns: names.columns,
        x: names.x,
        rows: names.rows,
        y: names.y,
        width: (1.0, 150.0),
        height: (1.0, 56.0),
        // Names of sizes are short: none is turned.
        foot: 0.0,
        numbers: Numbers::EachThatFits,
        first: (0, 0),
        cell: &|(x, y), (width, height)| {
            let c = cell(x, y)?;
            let both = !c.also.is_empty()
                && !c.hatched
                && text::width(&c.also, FONT, false) <= width - 4.0
                && height >= 2.0 * FONT * text::LINE + 4.0;
            Some(CellMark {
                fill: c.fill,
                frame: c.frame,
                // What needs two lines, or a plate, is written below.
                text: if both || c.hatched { String::new() } else { c.text },
                rows: c.rows,
                tooltip: Tooltip::new(c.label),
            })
        },
    };
    let grid = cells.draw(scene, [left, top + HEAD, width, height - HEAD], theme);
    for (x, y) in grid.each() {
        if let Some(c) = cell(x, y) {
            marks(scene, theme, grid.cell_rect((x, y)), c);
        }
    }
    grid.rect()
}

/// Colour of the lines over a cell that cannot run.
pub(super) fn hatching(theme: &Theme) -> Color {
    alpha(theme.muted, 0.7)
}

/// Above the cells: the heading, and the name of the rows.
const HEAD: f64 = 38.0;

/// What a cell has besides its figure: lines over it, a second figure, marks in its corner.
fn marks(scene: &mut Scene, theme: &Theme, [l, t, w, h]: Rect, c: Cell) {
    let fits = |words: &str| !words.is_empty() && text::width(words, FONT, false) <= w - 4.0;
    let (line, center) = (FONT * text::LINE, l + w / 2.0);
    let middle = (Anchor::Middle, Baseline::Middle);
    let ink = on(c.fill);
    if c.hatched {
        legend::hatch(scene, [l, t, w, h], hatching(theme), 7.0);
        if fits(&c.text) && h >= line {
            // Lines through digits do not read.
            let plate = text::width(&c.text, FONT, false) + 6.0;
            scene.fill([center - plate / 2.0, t + h / 2.0 - 8.0, plate, 16.0], c.fill);
            scene.text((center, t + h / 2.0), c.text, FONT, ink, middle);
        }
    } else if fits(&c.text) && fits(&c.also) && h >= 2.0 * line + 4.0 {
        scene.text((center, t + h / 2.0 - line / 2.0), c.text, FONT, ink, middle);
        scene.text((center, t + h / 2.0 + line / 2.0), c.also, FONT, alpha(ink, 0.75), middle);
    }
    // From the right corner to the left; where the cell is narrow, downwards.
    let beside = w > 1.0 + 14.0 * c.ticks.len() as f64;
    // Off the outline of a region, where there is room.
    let inset = (0.3 * w.min(h)).clamp(7.5, 11.0);
    for (i, tick) in c.ticks.iter().enumerate() {
        let step = 14.0 * i as f64;
        let (dx, dy) = if beside { (step, 0.0) } else { (0.0, step) };
        if w > 16.0 && h > 14.0 + dy {
            tick.draw(scene, theme, (l + w - inset - dx, t + inset + dy), 5.0);
        }
    }
}
