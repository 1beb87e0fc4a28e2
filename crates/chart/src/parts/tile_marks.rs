//! Maps of tiles: measured cells with their figures, ticks on the best tile of a row, and outlines around regions of
//! one bottleneck. Each mark has the same colour on every map and in the legend.

use crate::cells::{CellMark, Cells};
use crate::color_scale::shown;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::legend::{self, Swatch};
use crate::palette::{Theme, alpha};
use crate::scene::{Color, Point, Scene};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::tile_sweep::{Cell, FLAT_M, Panel, SweepLine};
use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::{self, Region};
use gemmscope_table::result_table::ResultTable;

/// A tick on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    /// The measured best, or the best that a file states.
    Best,
    /// The model's choice.
    Model,
}

impl Tick {
    /// Its sample in a legend.
    pub(crate) fn swatch(self, theme: &Theme) -> Swatch {
        match self {
            Tick::Best => Swatch::Check(theme.accent),
            Tick::Model => Swatch::Hollow(theme.text),
        }
    }

    /// Draws it on a plate, so that it has the same contrast on any cell.
    pub(crate) fn draw(self, scene: &mut Scene, (x, y): Point, r: f64) {
        let half = 1.3 * r;
        scene.fill([x - half, y - half, 2.0 * half, 2.0 * half], alpha(scene.theme.panel, 0.85));
        match self {
            Tick::Best => legend::check(scene, (x, y), r, scene.theme.accent, 2.0),
            Tick::Model => legend::hollow(scene, (x, y), 0.8 * r, scene.theme.text),
        }
    }
}

/// A measured cell: panel, line, column and cell.
type Place<'a> = (&'a Panel, &'a SweepLine, usize, Cell);

/// Bottleneck of a cell of a panel, if known.
type LimitOf<'a> = dyn Fn(&Panel, &Cell) -> Option<Region> + 'a;

/// Maps of measured tiles, one per panel.
pub(crate) struct Measured<'a> {
    pub(crate) panels: &'a [Panel],
    /// Mark number of the first cell; the others follow row by row.
    pub(crate) first: usize,
    /// Axis of the columns.
    pub(crate) axis: Axis,
    /// Name of the best tile of a row.
    pub(crate) best: &'a str,
    /// Share of the row's best that has the lowest colour.
    pub(crate) low: f64,
    /// Bottleneck of a cell.
    pub(crate) region: Box<LimitOf<'a>>,
}

impl<'a> Measured<'a> {
    /// Columns of a cell.
    fn columns(&self) -> Columns<'_, Place<'a>> {
        let yes = |on: bool| if on { "yes" } else { "" }.to_owned();
        let ratio = |p: &Problem, c: &Cell| Some(flat::ratio(p.m, p.k, c.tile.1?));
        Columns::new()
            .text("Panel", |r: &Place<'a>| r.0.title.clone())
            .no_tip()
            .text("M", |r| r.1.problem.m.to_string())
            .no_tip()
            .text("N", |r| r.1.problem.n.to_string())
            .no_tip()
            .text("K", |r| r.1.problem.k.to_string())
            .no_tip()
            .text(self.axis.label(), |r| r.0.column_label(r.2))
            .no_tip()
            .number("Attained", "FLOP/s", |r| r.3.rate)
            .number("% of the row's best", "%", |r| r.3.share)
            .text(self.best, move |r| yes(r.1.best == Some(r.2)))
            .text("Model's best", move |r| yes(r.1.model == Some(r.2)))
            .text("Workgroups", |r| r.3.workgroups.map_or_else(String::new, |w| w.to_string()))
            .text("Waves", |r| r.3.waves.map_or_else(String::new, |w| w.0.to_string()))
            .number("Tile efficiency", "%", |r| r.3.waves.map_or(f64::NAN, |w| w.1))
            .number("Wave efficiency", "%", |r| r.3.waves.map_or(f64::NAN, |w| w.2))
            .text("Limit", |r| (self.region)(r.0, &r.3).map_or("", limit).to_owned())
            .number("Compute/memory ratio (FLOP/element)", "", move |r| {
                let p = &r.1.problem;
                ratio(p, &r.3).filter(|_| p.m <= FLAT_M).unwrap_or(f64::NAN)
            })
    }

    /// Table of all cells.
    pub(crate) fn table(&self) -> ResultTable {
        let of = |(p, l): (&'a Panel, &'a SweepLine)| {
            p.cells(l).enumerate().map(move |(i, cell)| (p, l, i, cell))
        };
        let lines = self.panels.iter().flat_map(|p| p.lines.iter().map(move |l| (p, l)));
        self.columns().table(lines.flat_map(of))
    }

    /// Tooltip of a cell's mark.
    pub(crate) fn tooltip(&self, mark: usize) -> Tooltip {
        let mut at = mark - self.first;
        for panel in self.panels {
            let (n, tile) = (panel.columns.len().max(1), self.axis.label());
            let Some(line) = panel.lines.get(at / n) else {
                at -= n * panel.lines.len();
                continue;
            };
            let (Problem { m, n, k, .. }, i) = (line.problem, at % n);
            let head = format!("{m} × {n} × {k}, {tile} {}", panel.column_label(i));
            return self.columns().tooltip(head, &(panel, line, i, panel.cell(line, i)));
        }
        Tooltip::default()
    }

    /// Draws a panel under a title, with maximum cell sizes.
    pub(crate) fn draw(
        &self,
        scene: &mut Scene,
        area: Rect,
        (at, title): (usize, &str),
        most: (f64, f64),
    ) {
        let (before, panel) = (&self.panels[..at], &self.panels[at]);
        let marks = before.iter().map(|p| p.lines.len() * p.columns.len());
        let first = self.first + marks.sum::<usize>();
        let cells: Vec<Cell> = panel.lines.iter().flat_map(|l| panel.cells(l)).collect();
        let limits: Vec<_> = cells.iter().map(|c| (self.region)(panel, c)).collect();
        let columns: Vec<_> = (0..panel.columns.len()).map(|i| panel.column_label(i)).collect();
        let rows: Vec<_> = (0..panel.lines.len()).map(|i| panel.line_label(i)).collect();
        let theme = scene.theme;
        let number = |i: usize, j: usize| j * columns.len() + i;
        let cell = |(i, j): (usize, usize), _: (f64, f64)| {
            let (line, c) = (panel.lines.get(j)?, cells.get(number(i, j))?);
            let known = c.share.is_finite();
            let mut ticks = Vec::new();
            for (at, tick) in [(line.best, Tick::Best), (line.model, Tick::Model)] {
                if at == Some(i) {
                    ticks.push(tick);
                }
            }
            let share = (c.share - self.low) / (1.0 - self.low);
            let rows = match c.row {
                // Only the row shown in the cell; the others are slower.
                Some(best) => vec![best],
                None if line.best == Some(i) => line.stated.clone(),
                None => Vec::new(),
            };
            let text = if known { Format::percent().write(c.share, 2) } else { String::new() };
            let fill = if known { shown(share, &theme) } else { theme.panel };
            let tooltip = Tooltip::of(first + number(i, j));
            Some(CellMark {
                frame: (!known).then_some(theme.grid),
                ticks,
                ..CellMark::new(fill, text, rows, tooltip)
            })
        };
        let (x, y) = ((self.axis.label(), &columns[..]), (panel.line_name.label(), &rows[..]));
        let edge = if limits.iter().any(Option::is_some) { OUTLINE } else { 0.0 };
        let cells = Cells { edge, ..Cells::fixed(x, y, most, &cell) };
        let grid = cells.titled(scene, area, title);
        regions(scene, grid, columns.len(), &limits);
    }
}

/// Both regions, too few workgroups first, which is the upper one on a map.
pub(crate) const REGIONS: [Region; 2] = [Region::Parallelism, Region::Memory];

/// Name of the bottleneck of a region.
pub(crate) fn limit(region: Region) -> &'static str {
    match region {
        Region::Parallelism => "parallelism",
        Region::Memory => "memory",
    }
}

/// Legend entries of some regions.
pub(crate) fn region_entries(
    theme: &Theme,
    regions: &[Region],
) -> impl Iterator<Item = (Swatch, String)> {
    let shown = REGIONS.into_iter().filter(|r| regions.contains(r));
    shown.map(|r| (Swatch::Dashed(outline(r, theme)), format!("{}-bound", limit(r))))
}

fn outline(region: Region, theme: &Theme) -> Color {
    match (region, theme.dark) {
        (Region::Parallelism, false) => Color(0x00, 0x80, 0x78, 255),
        (Region::Parallelism, true) => Color(0x35, 0xd0, 0xbe, 255),
        (Region::Memory, false) => Color(0xcc, 0x25, 0x25, 255),
        (Region::Memory, true) => Color(0xff, 0x6a, 0x60, 255),
    }
}

/// Distance of a region's outline from the edge of its cells, and its extent.
const INSET: f64 = 2.5;
pub(crate) const OUTLINE: f64 = 4.5;

/// The regions to outline on a map, `columns` wide, of cells row by row: all, or none if the cells of one do not hang
/// together, as pieces that alternate say nothing.
pub(crate) fn connected(columns: usize, of: &[Option<Region>]) -> bool {
    let rows = of.len() / columns.max(1);
    REGIONS.into_iter().all(|region| {
        let inside = |at: usize| of[at] == Some(region);
        let Some(first) = (0..of.len()).find(|at| inside(*at)) else { return true };
        let (mut seen, mut open) = (vec![false; of.len()], vec![first]);
        seen[first] = true;
        while let Some(at) = open.pop() {
            let (x, y) = (at % columns, at / columns);
            let beside = [
                (x > 0).then(|| at - 1),
                (x + 1 < columns).then_some(at + 1),
                (y > 0).then(|| at - columns),
                (y + 1 < rows).then_some(at + columns),
            ];
            for next in beside.into_iter().flatten() {
                if inside(next) && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        (0..of.len()).all(|at| seen[at] || !inside(at))
    })
}

/// Outlines the [`connected`] regions of a map whose cells fill a rectangle, each inside its own edge. `of` are the
/// cells, row by row.
pub(crate) fn regions(
    scene: &mut Scene,
    [left, top, width, height]: Rect,
    columns: usize,
    of: &[Option<Region>],
) {
    if !connected(columns, of) {
        return;
    }
    let rows = of.len() / columns.max(1);
    let (w, h) = (width / columns.max(1) as f64, height / rows.max(1) as f64);
    for region in REGIONS.into_iter().rev() {
        let inside = |x: i64, y: i64| {
            let at = usize::try_from(x).ok().zip(usize::try_from(y).ok());
            at.is_some_and(|(x, y)| x < columns && y < rows && of[y * columns + x] == Some(region))
        };
        for piece in outlines(columns, rows, &inside) {
            let place = |((x, y), (dx, dy)): Corner| {
                (left + x as f64 * w + dx * INSET, top + y as f64 * h + dy * INSET)
            };
            let points: Vec<Point> = piece.into_iter().map(place).collect();
            // A wider line in the panel's colour below keeps the dashes visible on any cell.
            scene.line(points.clone(), scene.theme.panel, 4.0);
            scene.dashed(points, outline(region, &scene.theme), 2.0, &[5.0, 3.0]);
        }
    }
}

/// A corner of the grid, and the direction from it into the region.
type Corner = ((i64, i64), (f64, f64));

/// Closed outlines of the cells for which `inside` holds; each corner comes with the direction of its inset. Walks with
/// the region on the right.
fn outlines(columns: usize, lines: usize, inside: &dyn Fn(i64, i64) -> bool) -> Vec<Vec<Corner>> {
    const STEPS: [(i64, i64); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let (w, h) = (columns as i64, lines as i64);
    // An edge from a corner in direction `d` exists if the cell on its right is inside and the cell on its left is not.
    let cell = |(x, y): (i64, i64), d: usize, right: bool| match (d, right) {
        (0, true) | (1, false) => inside(x, y),
        (0, false) | (3, true) => inside(x, y - 1),
        (1, true) | (2, false) => inside(x - 1, y),
        // Left of upwards, right of leftwards.
        _ => inside(x - 1, y - 1),
    };
    let edge = |at: (i64, i64), d: usize| cell(at, d, true) && !cell(at, d, false);
    let place = |(x, y): (i64, i64), d: usize| ((y * (w + 1) + x) * 4) as usize + d;
    let mut used = vec![false; place((0, h + 1), 0)];
    let mut out = Vec::new();
    for y in 0..=h {
        for x in 0..=w {
            if !edge((x, y), 0) || used[place((x, y), 0)] {
                continue;
            }
            let (mut at, mut d) = ((x, y), 0usize);
            let mut corners: Vec<((i64, i64), usize, usize)> = Vec::new();
            loop {
                if std::mem::replace(&mut used[place(at, d)], true) {
                    break;
                }
                let next = (at.0 + STEPS[d].0, at.1 + STEPS[d].1);
                // Right turn first: cells that touch only at a corner stay separate.
                let Some(turn) = [(d + 1) % 4, d, (d + 3) % 4].into_iter().find(|&t| edge(next, t))
                else {
                    break;
                };
                if turn != d {
                    corners.push((next, d, turn));
                }
                (at, d) = (next, turn);
            }
            let inward = |d: usize| {
                // Right of the direction of travel.
                let (x, y) = STEPS[(d + 1) % 4];
                (x as f64, y as f64)
            };
            let mut path: Vec<Corner> = corners
                .into_iter()
                .map(|(p, a, b)| {
                    let (u, v) = (inward(a), inward(b));
                    (p, (u.0 + v.0, u.1 + v.1))
                })
                .collect();
            if let Some(first) = path.first().copied() {
                path.push(first);
            }
            out.push(path);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_follows_its_stairs() {
        // x x .
        // x . .
        let inside = |i: i64, j: i64| matches!((i, j), (0 | 1, 0) | (0, 1));
        let found = outlines(3, 2, &inside);
        assert_eq!(found.len(), 1);
        let corners: Vec<(i64, i64)> = found[0].iter().map(|c| c.0).collect();
        assert_eq!(corners, [(2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 0), (2, 0)]);
        // Convex corners move inwards on both axes; the concave one moves into the region too.
        assert_eq!(found[0][0].1, (-1.0, 1.0));
        assert_eq!(found[0][2].1, (-1.0, -1.0));
    }

    #[test]
    fn regions_that_alternate_have_no_outline() {
        let (p, m) = (Some(Region::Parallelism), Some(Region::Memory));
        assert!(connected(3, &[p, p, m, p, m, m]));
        assert!(connected(2, &[None, None]) && connected(2, &[p, None, None, None]));
        assert!(!connected(3, &[p, m, p]));
        assert!(!connected(2, &[p, m, m, p]));
    }

    #[test]
    fn separate_and_hollow_regions_have_their_own_outlines() {
        let ring = |i: i64, j: i64| (0..3).contains(&i) && (0..3).contains(&j) && (i, j) != (1, 1);
        assert_eq!(outlines(3, 3, &ring).len(), 2);
        let apart = |i: i64, j: i64| j == 0 && (i == 0 || i == 2);
        assert_eq!(outlines(3, 1, &apart).len(), 2);
        let touching = |i: i64, j: i64| i == j && (0..2).contains(&i);
        assert_eq!(outlines(2, 2, &touching).len(), 2);
        assert!(outlines(3, 3, &|_, _| false).is_empty());
    }
}
