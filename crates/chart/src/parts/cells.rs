//! A grid of cells under named columns, beside named rows. It scrolls if not all cells fit.

use crate::labels::{Rect, grown};
use crate::layout::{self, FONT};
use crate::legend;
use crate::palette::{Theme, alpha, on};
use crate::scene::{Anchor, BELOW, Baseline, CENTER, Color, END, Item, Scene, Window};
use crate::text;
use crate::tile_marks::Tick;
use crate::tooltip::Tooltip;

/// Appearance of a cell.
pub(crate) struct CellMark {
    pub(crate) fill: Color,
    /// Its outline.
    pub(crate) frame: Option<Color>,
    /// The figure in it, black or white for contrast.
    pub(crate) text: String,
    /// A second figure below it, if both fit.
    pub(crate) also: String,
    /// Hatched: it cannot run.
    pub(crate) hatched: bool,
    /// Marks for what it is the best of.
    pub(crate) ticks: Vec<Tick>,
    /// Its dataset rows.
    pub(crate) rows: Vec<u32>,
    pub(crate) tooltip: Tooltip,
}

impl CellMark {
    /// A filled cell with a figure and its rows.
    pub(crate) fn new(
        fill: Color,
        text: impl Into<String>,
        rows: Vec<u32>,
        tooltip: Tooltip,
    ) -> Self {
        let (text, also) = (text.into(), String::new());
        CellMark { fill, frame: None, text, also, hatched: false, ticks: Vec::new(), rows, tooltip }
    }
}

/// Colour of the hatching of a cell that cannot run.
pub(crate) fn hatching(theme: &Theme) -> Color {
    alpha(theme.muted, 0.7)
}

/// Which figures are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// All if they fit, else none: a few would suggest that the other cells have none.
    AllOrNone,
    /// The figures that fit.
    EachThatFits,
}

/// A grid of cells.
pub(crate) struct Cells<'a> {
    /// Names of the columns, and their title.
    pub(crate) columns: &'a [String],
    pub(crate) x: &'a str,
    /// Names of the rows, and their title.
    pub(crate) rows: &'a [String],
    pub(crate) y: &'a str,
    /// Minimum and maximum cell width, and height, px.
    pub(crate) width: (f64, f64),
    pub(crate) height: (f64, f64),
    /// Maximum height for turned names below, px; 0 never turns them.
    pub(crate) foot: f64,
    pub(crate) numbers: Numbers,
    /// Width of lines drawn over the edge of cells, px: figures stay inside.
    pub(crate) edge: f64,
    /// First visible column and row.
    pub(crate) first: (usize, usize),
    /// Content of a cell.
    pub(crate) cell: &'a CellAt<'a>,
}

/// Content of a cell, by (column, row) and size in px; `None` if it is empty.
pub(crate) type CellAt<'a> = dyn Fn((usize, usize), (f64, f64)) -> Option<CellMark> + 'a;

/// Position of the cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    origin: (f64, f64),
    cell: (f64, f64),
    first: (usize, usize),
    shown: (usize, usize),
    gap: f64,
}

impl Grid {
    /// Rectangle of all visible cells.
    pub(crate) fn rect(&self) -> Rect {
        let (x, y) = self.origin;
        [x, y, self.cell.0 * self.shown.0 as f64, self.cell.1 * self.shown.1 as f64]
    }

    /// Rectangle of a visible cell.
    pub(crate) fn cell_rect(&self, (column, row): (usize, usize)) -> Rect {
        [
            self.origin.0 + self.cell.0 * (column - self.first.0) as f64,
            self.origin.1 + self.cell.1 * (row - self.first.1) as f64,
            (self.cell.0 - self.gap).max(1.0),
            (self.cell.1 - self.gap).max(1.0),
        ]
    }

    /// The visible cells as (column, row).
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, usize)> {
        let at = move |i: usize| {
            (self.first.0 + i % self.shown.0.max(1), self.first.1 + i / self.shown.0.max(1))
        };
        (0..self.shown.0 * self.shown.1).map(at)
    }
}

/// Size of each of `n` bands in a room, px, and how many fit.
pub(crate) fn fit(room: f64, n: usize, (least, most): (f64, f64)) -> (f64, usize) {
    let size = (room / n.max(1) as f64).clamp(least, most);
    (size, ((room / size + 1e-9) as usize).clamp(1, n.max(1)).min(n))
}

/// Height above the cells of a map, for its heading and the title of the rows.
pub(crate) const HEAD: f64 = 38.0;
/// Height of a line of names.
const NAME_LINE: f64 = FONT * text::LINE;
/// Space around the names of the rows.
const SIDE: f64 = 16.0;
/// Grids higher than this repeat the column names above.
const TALL: f64 = 500.0;
/// Height of the title below the names of the columns.
const TITLE: f64 = NAME_LINE + 4.0;
/// Height below the cells, if names are level and on one line.
pub(crate) const FOOT: f64 = NAME_LINE + 10.0 + TITLE + 4.0;

impl<'a> Cells<'a> {
    /// A grid that shows all its cells, with maximum cell sizes, under names of sizes, which are short and never
    /// turned.
    pub(crate) fn fixed(
        (x, columns): (&'a str, &'a [String]),
        (y, rows): (&'a str, &'a [String]),
        (width, height): (f64, f64),
        cell: &'a CellAt<'a>,
    ) -> Self {
        Cells {
            columns,
            x,
            rows,
            y,
            width: (1.0, width),
            height: (1.0, height),
            foot: 0.0,
            numbers: Numbers::EachThatFits,
            edge: 0.0,
            first: (0, 0),
            cell,
        }
    }

    /// Draws the grid under a heading; returns the rectangle of its cells.
    pub(crate) fn titled(
        &self,
        scene: &mut Scene,
        [left, top, width, height]: Rect,
        title: &str,
    ) -> Rect {
        legend::heading(scene, (left, top + 8.0), width, title);
        self.draw(scene, [left, top + HEAD, width, height - HEAD]).rect()
    }

    /// Draws the grid into `room` and makes every cell a hit area. If some do not fit, the grid scrolls.
    pub(crate) fn draw(&self, scene: &mut Scene, room: Rect) -> Grid {
        let [left, top, width, height] = room;
        let names = text::widest(self.rows, FONT).min((width * 0.3).min(300.0)).max(8.0);
        let side = names + SIDE;
        let (w, columns) =
            fit((width - side - 12.0).max(self.width.0), self.columns.len(), self.width);
        let widest = text::widest(self.columns, FONT);
        let turned = self.foot > TITLE && widest + 6.0 > w;
        // Names of tiles have two numbers.
        let tiles = self.columns.iter().all(|c| c.contains('×'));
        let lines = if !turned && tiles && widest + 4.0 > w { 2 } else { 1 };
        let foot = match turned {
            true => widest.min(height * 0.45).min(self.foot - 14.0) + 14.0,
            false => NAME_LINE * lines as f64 + 10.0,
        };
        let below = (height - foot - TITLE - 4.0).max(self.height.0);
        let (h, rows) = fit(below, self.rows.len(), self.height);
        let start = |first: usize, n: usize, shown: usize| first.min(n.saturating_sub(shown));
        let grid = Grid {
            origin: (left + side, top),
            cell: (w, h),
            first: (
                start(self.first.0, self.columns.len(), columns),
                start(self.first.1, self.rows.len(), rows),
            ),
            shown: (columns, rows),
            gap: if w.min(h) < 10.0 { 0.0 } else { 1.0 },
        };
        scene.fill(grid.rect(), scene.theme.panel);
        self.marks(scene, &grid);
        self.row_names(scene, &grid, names);
        let below = Below {
            names: &self.columns[grid.first.0..][..columns],
            title: self.x,
            at: (grid.origin.0, top + h * rows as f64),
            each: w,
            turned,
            foot,
            room: if turned { foot - 12.0 } else { scene.width },
            lines,
        };
        below.draw(scene);
        // Below that many rows, the names would be far from the first row.
        if h * rows as f64 > TALL && !turned && lines == 1 {
            below.names(scene, top - NAME_LINE - 9.0);
        }
        if grid.shown != (self.columns.len(), self.rows.len()) {
            let (nx, ny) = (self.columns.len(), self.rows.len());
            let words = format!("{columns} of {nx} columns and {rows} of {ny} rows shown.");
            let window = |first, shown, total, step| Window { first, shown, total, step };
            let across = window(grid.first.0, columns, nx, w);
            scene.scrolls(grid.rect(), across, window(grid.first.1, rows, ny, h), words);
        }
        grid
    }

    /// Draws the cells with their figures.
    fn marks(&self, scene: &mut Scene, grid: &Grid) {
        let size = (grid.cell.0 - grid.gap, grid.cell.1 - grid.gap);
        let fits = |text: &str, font: f64| {
            let (width, height) = (text::width(text, font, false), font * text::LINE);
            width + 2.0 * self.edge <= size.0 - 2.0 && height + self.edge <= size.1
        };
        // The figures have the largest font in which they all fit.
        let fonts = [FONT, FONT - 1.0, FONT - 2.0];
        let font = match self.numbers {
            _ if !fits("1", FONT - 2.0) => None,
            Numbers::EachThatFits => Some(FONT),
            Numbers::AllOrNone => fonts.into_iter().find(|font| {
                let mut all = grid.each().filter_map(|at| (self.cell)(at, size));
                all.all(|mark| fits(&mark.text, *font))
            }),
        };
        for at in grid.each() {
            let Some(mark) = (self.cell)(at, size) else { continue };
            let rect = grid.cell_rect(at);
            scene.fill(rect, mark.fill);
            if let Some(color) = mark.frame {
                scene.outline(grown(rect, -1.0), color, 2.0);
            }
            inside(scene, rect, &mark, font.filter(|font| fits(&mark.text, *font)));
            scene.hit(mark.rows, rect, mark.tooltip);
        }
    }

    fn row_names(&self, scene: &mut Scene, grid: &Grid, room: f64) {
        let (left, top) = grid.origin;
        let every = (FONT * 1.15 / grid.cell.1).ceil().max(1.0) as usize;
        let names = self.rows.iter().skip(grid.first.1).take(grid.shown.1);
        let names: Vec<&str> = names.map(String::as_str).collect();
        for (i, name) in text::cut_apart(&names, FONT, room).into_iter().enumerate().step_by(every)
        {
            let y = top + grid.cell.1 * (i as f64 + 0.5);
            scene.text((left - 6.0, y), name, scene.theme.text, END);
        }
        if !self.y.is_empty() {
            // The title of the rows, above their names.
            let label = format!("{} \u{2193}", self.y);
            // If it is wider than the names, it extends over the cells.
            let (x, side) = match text::width(&label, FONT, false) <= room + SIDE - 8.0 {
                true => (left - 6.0, Anchor::End),
                false => (left - room - SIDE, Anchor::Start),
            };
            let width = room + SIDE + grid.rect()[2].max(grid.cell.0);
            let label = text::ellipsis(&label, FONT, width);
            let hang = (side, Baseline::Bottom);
            scene.text((x, top - 4.0), label, scene.theme.muted, hang);
        }
    }
}

/// Names below columns of equal width, and their title.
pub(crate) struct Below<'a> {
    /// Names of the visible columns, and the title of all.
    pub(crate) names: &'a [String],
    pub(crate) title: &'a str,
    /// Left end and lower edge of the columns, and the width of each.
    pub(crate) at: (f64, f64),
    pub(crate) each: f64,
    /// The names are turned to read upwards.
    pub(crate) turned: bool,
    /// Height below the columns, above the title.
    pub(crate) foot: f64,
    /// Maximum width of a name.
    pub(crate) room: f64,
    /// Lines per name; a tile has a number on each of two.
    pub(crate) lines: usize,
}

impl Below<'_> {
    pub(crate) fn draw(&self, scene: &mut Scene) {
        let (left, bottom) = self.at;
        self.names(scene, bottom);
        let title =
            if self.lines > 1 { &self.title.replace(" × ", " above ") } else { self.title };
        let right = left + self.each * self.names.len() as f64;
        layout::x_title(scene, (0.0, right, bottom + self.foot), title);
    }

    /// Draws only the names, from `top` down.
    fn names(&self, scene: &mut Scene, top: f64) {
        let (turned, left) = (self.turned, self.at.0);
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        // Level names that would touch the previous one are left out.
        let mut free = f64::NEG_INFINITY;
        for (i, name) in text::cut_apart(&names, FONT, self.room).into_iter().enumerate() {
            let x = left + self.each * (i as f64 + 0.5);
            let parts = || name.splitn(self.lines, '×');
            let half = match turned {
                true => FONT * 0.65,
                false => text::widest(parts(), FONT) / 2.0,
            };
            if x - half < free || x + half > scene.width && !turned {
                continue;
            }
            free = x + half + if turned { 0.0 } else { 4.0 };
            for (line, part) in parts().enumerate() {
                let y = top + NAME_LINE * line as f64;
                if !turned {
                    scene.text((x, y + 5.0), part, scene.theme.text, BELOW);
                    continue;
                }
                scene.text((x, y + 6.0), part, scene.theme.text, END);
                if let Some(Item::Text { turned, .. }) = scene.items.last_mut() {
                    *turned = true;
                }
            }
        }
    }
}

/// Width of a tick.
const TICK: f64 = 14.0;

/// Draws the content of a cell: up to two figures below each other, and ticks in the corner. If the ticks would cover
/// the figures, they replace them.
fn inside(scene: &mut Scene, rect: Rect, mark: &CellMark, font: Option<f64>) {
    let ([l, t, w, h], ticks) = (rect, &mark.ticks);
    let (x, y, ink) = (l + w / 2.0, t + h / 2.0, on(mark.fill));
    // From the corner to the centre of the first tick: off the outline of a region, if there is room.
    let inset = (0.3 * w.min(h)).clamp(7.5, 11.0);
    let first = inset + TICK / 2.0;
    let last = first + TICK * (ticks.len() as f64 - 1.0);
    let widths = [&mark.text, &mark.also].map(|text| text::width(text, FONT, false));
    let has_room = |figures: usize| {
        let width = if figures > 1 { widths[0].max(widths[1]) } else { widths[0] };
        let height = NAME_LINE * figures as f64;
        let both = !mark.also.is_empty() && !mark.hatched && width + 4.0 <= w && height + 4.0 <= h;
        let above = (h - height) / 2.0 >= first && w >= last;
        let beside = (w - width) / 2.0 >= last && h > TICK;
        (figures == 1 || both) && (ticks.is_empty() || above || beside)
    };
    let figures = match font {
        Some(_) if mark.text.is_empty() => 0,
        Some(_) if has_room(2) => 2,
        Some(_) if has_room(1) => 1,
        _ => 0,
    };
    if mark.hatched {
        legend::hatch(scene, rect, hatching(&scene.theme), 7.0);
        if figures > 0 {
            // Hatching through digits is illegible.
            let plate = widths[0] + 6.0;
            scene.fill([x - plate / 2.0, y - 8.0, plate, 16.0], mark.fill);
        }
    }
    for (i, text) in [&mark.text, &mark.also].into_iter().take(figures).enumerate() {
        let y = y + NAME_LINE * (i as f64 - (figures as f64 - 1.0) / 2.0);
        let ink = if i > 0 { alpha(ink, 0.75) } else { ink };
        scene.sized((x, y), text, font.unwrap_or(FONT), ink, CENTER);
    }
    let (from, step, r) = if figures > 0 {
        // From the right corner leftwards.
        ((l + w - inset, t + inset), -TICK, 5.0)
    } else {
        let r = (w.min(h) * 0.3).clamp(2.5, 7.0);
        // Side by side if there are two, so that both are visible.
        let apart = if ticks.len() > 1 { (w * 0.4).min(r * 3.0) } else { 0.0 };
        ((x - apart / 2.0, y), apart, r)
    };
    for (i, tick) in ticks.iter().enumerate() {
        tick.draw(scene, (from.0 + step * i as f64, from.1), r);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Item;

    #[test]
    fn a_tile_is_named_in_two_lines_where_one_has_no_room() {
        let said = |columns: [&str; 2], width: f64| {
            let mut scene = Scene::new(&Theme::LIGHT, (width, 200.0), "");
            let (columns, rows) = (columns.map(str::to_owned), ["a".to_owned()]);
            let cells =
                Cells::fixed(("M × N", &columns), ("", &rows), (100.0, 50.0), &|_, _| None);
            cells.draw(&mut scene, [0.0, 20.0, width, 150.0]);
            let texts = scene.items.into_iter().filter_map(|i| match i {
                Item::Text { text, .. } => Some(text),
                _ => None,
            });
            texts.skip(1).collect::<Vec<_>>()
        };
        let tiles = ["128×16", "128×128"];
        assert_eq!(said(tiles, 200.0), ["128×16", "128×128", "M × N"]);
        assert_eq!(said(tiles, 120.0), ["128", "16", "128", "128", "M above N"]);
        // A number is never split; without room it is left out.
        assert_eq!(said(["1024", "2048"], 80.0), ["1024", "M × N"]);
    }

    #[test]
    fn ticks_stand_beside_the_figures_of_a_cell_or_in_their_place() {
        let mut shown = [0; 3];
        let ticks = [Tick::Best, Tick::Model];
        for (w, h) in (8..120).step_by(3).flat_map(|w| (8..64).step_by(3).map(move |h| (w, h))) {
            for (also, hatched) in [("", false), ("9.13 GB", false), ("9.13 GB", true)] {
                for n in 0..=ticks.len() {
                    let size = (f64::from(w), f64::from(h));
                    let mut scene = Scene::new(&Theme::LIGHT, size, "");
                    let new = CellMark::new(Color(0, 0, 0, 255), "100 %", vec![], Tooltip::of(0));
                    let (also, ticks) = (also.to_owned(), ticks[..n].to_vec());
                    let mark = CellMark { also, hatched, ticks, ..new };
                    inside(&mut scene, [0.0, 0.0, size.0, size.1], &mark, (w > 36).then_some(FONT));
                    assert_eq!(scene.text_faults(), [""; 0], "{size:?} {n} {hatched}");
                    shown[scene.text_boxes().len()] += 1;
                }
            }
        }
        assert!(shown.iter().all(|n| *n > 100), "{shown:?}");
    }

    #[test]
    fn tall_cells_have_the_names_of_their_columns_above_them_too() {
        let named = |rows: usize| {
            let mut scene = Scene::new(&Theme::LIGHT, (200.0, 1000.0), "");
            let columns = ["32", "64"].map(str::to_owned);
            let rows: Vec<String> = (0..rows).map(|i| format!("r{i}")).collect();
            let cells = Cells::fixed(("BN", &columns), ("", &rows), (100.0, 30.0), &|_, _| None);
            cells.draw(&mut scene, [0.0, HEAD, 200.0, 960.0]);
            let at = |i: Item| match i {
                Item::Text { text, at, .. } if text == "32" => Some(at.1),
                _ => None,
            };
            scene.items.into_iter().filter_map(at).collect::<Vec<_>>()
        };
        assert_eq!(named(10).len(), 1);
        assert!(matches!(named(30)[..], [below, above] if above < HEAD && below > HEAD + 500.0));
    }
}
