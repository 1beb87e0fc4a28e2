//! A grid of cells under named columns, beside named rows: of what does not fit, a part that scrolls.

use crate::labels::Rect;
use crate::layout::{self, FONT};
use crate::palette::{Theme, on};
use crate::scene::{Anchor, Baseline, Color, DragArea, HitArea, Item, Scene, Window};
use crate::text;
use crate::tooltip::Tooltip;

/// What a cell shows.
pub(crate) struct CellMark {
    pub(crate) fill: Color,
    /// Its outline.
    pub(crate) frame: Option<Color>,
    /// The figure in it, in the ink that reads on it.
    pub(crate) text: String,
    /// What it stands for.
    pub(crate) rows: Vec<u32>,
    pub(crate) tooltip: Tooltip,
}

/// Which figures show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// All, or none: some alone would look as if the others had none.
    AllOrNone,
    /// Those that fit.
    EachThatFits,
}

/// A grid of cells.
pub(crate) struct Cells<'a> {
    /// Names of the columns, and what they are.
    pub(crate) columns: &'a [String],
    pub(crate) x: &'a str,
    /// Names of the rows, and what they are.
    pub(crate) rows: &'a [String],
    pub(crate) y: &'a str,
    /// Least and most width of a cell, and height.
    pub(crate) width: (f64, f64),
    pub(crate) height: (f64, f64),
    /// Most room for the names below.
    pub(crate) foot: f64,
    pub(crate) numbers: Numbers,
    /// First column and row that show.
    pub(crate) first: (usize, usize),
    /// What is in a cell, by column and row and its size; `None` for an empty one.
    pub(crate) cell: &'a dyn Fn((usize, usize), (f64, f64)) -> Option<CellMark>,
}

/// Where cells are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    origin: (f64, f64),
    cell: (f64, f64),
    first: (usize, usize),
    shown: (usize, usize),
    gap: f64,
}

impl Grid {
    /// All cells.
    pub(crate) fn rect(&self) -> Rect {
        let (x, y) = self.origin;
        [x, y, self.cell.0 * self.shown.0 as f64, self.cell.1 * self.shown.1 as f64]
    }

    /// A cell that shows.
    pub(crate) fn cell_rect(&self, (column, row): (usize, usize)) -> Rect {
        [
            self.origin.0 + self.cell.0 * (column - self.first.0) as f64,
            self.origin.1 + self.cell.1 * (row - self.first.1) as f64,
            (self.cell.0 - self.gap).max(1.0),
            (self.cell.1 - self.gap).max(1.0),
        ]
    }

    /// The cells that show, by column and row.
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, usize)> {
        let at = move |i: usize| {
            (self.first.0 + i % self.shown.0.max(1), self.first.1 + i / self.shown.0.max(1))
        };
        (0..self.shown.0 * self.shown.1).map(at)
    }
}

fn widest(names: &[String]) -> f64 {
    names.iter().map(|n| text::width(n, FONT, false)).fold(0.0, f64::max)
}

/// The size of one of `n` bands in a room, and how many of them show.
fn fit(room: f64, n: usize, (least, most): (f64, f64)) -> (f64, usize) {
    let size = (room / n.max(1) as f64).clamp(least, most);
    (size, ((room / size + 1e-9) as usize).clamp(1, n.max(1)).min(n))
}

/// Height of a line of names.
const NAME_LINE: f64 = FONT * text::LINE;
/// Around the names of the rows.
const SIDE: f64 = 16.0;
/// Below the names of the columns: what they are.
const TITLE: f64 = NAME_LINE + 4.0;
/// Below the cells, where names are level and have one line.
pub(crate) const FOOT: f64 = NAME_LINE + 10.0 + TITLE + 4.0;

impl Cells<'_> {
    /// Draws the grid into `room`, makes every cell a hit area and, where some do not fit, the grid one
    /// that scrolls.
    pub(crate) fn draw(&self, scene: &mut Scene, room: Rect, theme: &Theme) -> Grid {
        let [left, top, width, height] = room;
        let names = widest(self.rows).min((width * 0.3).min(300.0)).max(8.0);
        let side = names + SIDE;
        let (w, columns) =
            fit((width - side - 12.0).max(self.width.0), self.columns.len(), self.width);
        let turned = self.foot > TITLE && widest(self.columns) + 6.0 > w;
        // Tiles have two numbers.
        let tiles = self.columns.iter().all(|c| c.contains('×'));
        let lines = if !turned && tiles && widest(self.columns) + 4.0 > w { 2 } else { 1 };
        let foot = match turned {
            true => widest(self.columns).min(height * 0.45).min(self.foot - 14.0) + 14.0,
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
        scene.fill(grid.rect(), theme.panel);
        self.marks(scene, &grid);
        self.row_names(scene, &grid, theme, names);
        self.column_names(scene, &grid, theme, (turned, foot, lines));
        if grid.shown != (self.columns.len(), self.rows.len()) {
            let (nx, ny) = (self.columns.len(), self.rows.len());
            scene.description = format!("{columns} of {nx} columns and {rows} of {ny} rows shown.");
            let window = |first, shown, total, step| Window { first, shown, total, step };
            scene.drag_areas.push(DragArea::Scroll {
                rect: grid.rect(),
                columns: window(grid.first.0, columns, nx, w),
                rows: window(grid.first.1, rows, ny, h),
            });
        }
        grid
    }

    fn marks(&self, scene: &mut Scene, grid: &Grid) {
        let size = (grid.cell.0 - grid.gap, grid.cell.1 - grid.gap);
        let fits = |text: &str, font: f64| {
            text::width(text, font, false) <= size.0 - 2.0 && size.1 >= font * text::LINE
        };
        // The first look tells the size of the figures.
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
            let [l, t, w, h] = rect;
            scene.fill(rect, mark.fill);
            if let Some(color) = mark.frame {
                let inner = [l + 1.0, t + 1.0, w - 2.0, h - 2.0];
                let stroke = Some((color, 2.0));
                scene.items.push(Item::Rect { rect: inner, fill: None, stroke });
            }
            let shown = |font: &f64| !mark.text.is_empty() && fits(&mark.text, *font);
            if let Some(font) = font.filter(shown) {
                let hang = (Anchor::Middle, Baseline::Middle);
                scene.text((l + w / 2.0, t + h / 2.0), mark.text, font, on(mark.fill), hang);
            }
            scene.hit_areas.push(HitArea { rows: mark.rows, rect, tooltip: mark.tooltip });
        }
    }

    fn row_names(&self, scene: &mut Scene, grid: &Grid, theme: &Theme, room: f64) {
        let (left, top) = grid.origin;
        let every = (FONT * 1.15 / grid.cell.1).ceil().max(1.0) as usize;
        let names = self.rows.iter().skip(grid.first.1).take(grid.shown.1);
        let names: Vec<&str> = names.map(String::as_str).collect();
        for (i, name) in text::cut_apart(&names, FONT, room).into_iter().enumerate().step_by(every)
        {
            let y = top + grid.cell.1 * (i as f64 + 0.5);
            scene.text((left - 6.0, y), name, FONT, theme.text, (Anchor::End, Baseline::Middle));
        }
        if !self.y.is_empty() {
            // Where the names are shorter than what they are, it goes on above the cells.
            let (x, side) = match text::width(self.y, FONT, false) <= room + SIDE - 8.0 {
                true => (left - 6.0, Anchor::End),
                false => (left - room - SIDE, Anchor::Start),
            };
            let width = room + SIDE + grid.rect()[2].max(grid.cell.0);
            let label = text::ellipsis(self.y, FONT, width);
            let hang = (side, Baseline::Bottom);
            scene.text((x, top - 4.0), label, FONT, theme.muted, hang);
        }
    }

    fn column_names(
        &self,
        scene: &mut Scene,
        grid: &Grid,
        theme: &Theme,
        (turned, foot, lines): (bool, f64, usize),
    ) {
        let [left, _, width, _] = grid.rect();
        let bottom = grid.origin.1 + grid.cell.1 * grid.shown.1 as f64;
        let names = self.columns.iter().skip(grid.first.0).take(grid.shown.0);
        let names: Vec<&str> = names.map(String::as_str).collect();
        let room = if turned { foot - 12.0 } else { scene.width };
        // Names beside each other leave some out where they would touch.
        let mut free = f64::NEG_INFINITY;
        for (i, name) in text::cut_apart(&names, FONT, room).into_iter().enumerate() {
            let x = left + grid.cell.0 * (i as f64 + 0.5);
            let parts = || name.splitn(lines, '×');
            let half = match turned {
                true => FONT * 0.65,
                false => parts().map(|p| text::width(p, FONT, false)).fold(0.0, f64::max) / 2.0,
            };
            if x - half < free || x + half > scene.width && !turned {
                continue;
            }
            free = x + half + if turned { 0.0 } else { 4.0 };
            for (line, part) in parts().enumerate() {
                let y = bottom + NAME_LINE * line as f64;
                layout::name_below(scene, (x, y), part.to_owned(), turned, theme);
            }
        }
        let title = if lines > 1 { &self.x.replace(" × ", " above ") } else { self.x };
        let label = text::ellipsis(title, FONT, (scene.width - left - 4.0).max(width));
        let hang = (Anchor::Start, Baseline::Top);
        scene.text((left, bottom + foot), label, FONT, theme.muted, hang);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_named_in_two_lines_where_one_has_no_room() {
        let said = |columns: [&str; 2], width: f64| {
            let mut scene = Scene::new(width, 200.0, "");
            let cells = Cells {
                columns: &columns.map(str::to_owned),
                x: "M × N",
                rows: &["a".to_owned()],
                y: "",
                width: (1.0, 100.0),
                height: (1.0, 50.0),
                foot: 0.0,
                numbers: Numbers::EachThatFits,
                first: (0, 0),
                cell: &|_, _| None,
            };
            cells.draw(&mut scene, [0.0, 20.0, width, 150.0], &Theme::LIGHT);
            let texts = scene.items.into_iter().filter_map(|i| match i {
                Item::Text { text, .. } => Some(text),
                _ => None,
            });
            texts.skip(1).collect::<Vec<_>>()
        };
        let tiles = ["128×16", "128×128"];
        assert_eq!(said(tiles, 200.0), ["128×16", "128×128", "M × N"]);
        assert_eq!(said(tiles, 120.0), ["128", "16", "128", "128", "M above N"]);
        // A number stays one; without room it is left out.
        assert_eq!(said(["1024", "2048"], 80.0), ["1024", "M × N"]);
    }
}
