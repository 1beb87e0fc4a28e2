//! Drawing of the tile map: panels in a flow, cells, ticks, outlined regions, legend.

use super::{TileMap, cells, lines};
use crate::cells::{FOOT, HEAD};
use crate::color_scale::ramp;
use crate::labels::Rect;
use crate::layout::{EDGE, FONT};
use crate::legend::{self, Swatch};
use crate::palette::Theme;
use crate::scene::{Point, START, Scene};
use crate::text;
use crate::tile_marks::{Measured, Tick, connected, region_entries};
use gemmscope_analysis::tile_sweep::{Panel, Sweep, TileSource};
use gemmscope_model::tiling::flat::Region;
use gemmscope_model::units::short_percent;

/// Height of a line of cells in a picture without a page: with many lines, and with few.
const LINE: (f64, f64) = (26.0, 52.0);
/// Height shared by the lines of such a picture, between these two line heights.
const LINES: f64 = 208.0;
/// Maximum width and height of a cell.
const MOST: (f64, f64) = (220.0, 110.0);
/// Between panels.
const GAP: f64 = 12.0;

/// Layout of the panels.
struct Flow {
    /// Panels side by side, and the width of one.
    columns: usize,
    width: f64,
    /// Rows of panels, and total lines of cells from top to bottom.
    rows: f64,
    lines: f64,
}

/// Number of lines of the longest panel.
fn longest(row: &[Panel]) -> f64 {
    row.iter().map(|p| p.lines.len()).max().unwrap_or(0) as f64
}

impl TileMap {
    fn flow(&self, width: f64) -> Flow {
        let panels = &self.drawn().panels;
        let most = panels.iter().map(|p| p.columns.len()).max().unwrap_or(1);
        // Enough for a check mark in a cell, and for the labels of the lines.
        let wanted = (most as f64 * 22.0 + 110.0).max(300.0);
        let beside = ((width / wanted) as usize).clamp(1, 4);
        // As few rows as possible; then as few columns as these need, since their cells are wider.
        let rows = panels.len().div_ceil(beside).max(1);
        let columns = panels.len().div_ceil(rows).max(1);
        let lines = panels.chunks(columns).map(longest).sum::<f64>().max(1.0);
        Flow { columns, width: (width - EDGE - 4.0) / columns as f64, rows: rows as f64, lines }
    }

    /// Legend entries of what occurs.
    pub(super) fn entries(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let sweep = self.drawn();
        let best = match sweep.source {
            TileSource::BestColumn => "best, as stated",
            _ => "measured best",
        };
        let mut out = vec![(Tick::Best.swatch(theme), best.to_owned())];
        if lines(sweep).any(|(_, l)| l.model.is_some()) {
            out.push((Tick::Model.swatch(theme), "model".to_owned()));
        }
        out.extend(region_entries(theme, &outlined(sweep)));
        out
    }

    /// Height of the colour bar, if cells are coloured by it.
    fn scale_height(&self) -> f64 {
        if self.sweep.source != TileSource::BestColumn { 18.0 } else { 0.0 }
    }

    /// Height of everything but the cells.
    fn fixed(&self, flow: &Flow) -> f64 {
        self.scale_height() + flow.rows * (HEAD + FOOT + GAP)
    }

    /// Height of a picture without a page, and the maximum height.
    pub(super) fn ends(&self, width: f64) -> [f64; 2] {
        let flow = self.flow(width);
        let entries = self.entries(&Theme::LIGHT);
        let legend = legend::legend(None, (0.0, 0.0), width - 20.0, &entries) + 8.0;
        let own = (LINES / flow.lines).clamp(LINE.0, LINE.1);
        [own, MOST.1]
            .map(|line| (legend + self.fixed(&flow) + flow.lines * line + 4.0).ceil().max(220.0))
    }

    /// Draws all panels; lines shrink if the picture is too low.
    pub(super) fn panels(&self, scene: &mut Scene, [_, top, w, h]: Rect) {
        let (flow, scale, measured) =
            (self.flow(w), self.scale_height(), self.measured(self.drawn()));
        // With room to spare, lines are taller, also in the shorter panels of a row.
        let line = ((h - self.fixed(&flow)) / flow.lines).clamp(8.0, MOST.1);
        let mut y = top + scale;
        if scale > 0.0 {
            gradient(scene, (EDGE, top - 4.0), (w - 20.0).min(320.0), self.low);
        }
        let most = (MOST.0, (2.0 * line).clamp(LINE.1, MOST.1));
        let mut first = 0;
        for row in measured.panels.chunks(flow.columns) {
            let height = longest(row) * line;
            for (i, panel) in row.iter().enumerate() {
                let area = [EDGE + i as f64 * flow.width, y, flow.width, HEAD + height + FOOT];
                measured.draw(scene, area, (first + i, &panel.title), most);
            }
            first += row.len();
            y += HEAD + height + FOOT + GAP;
        }
    }

    /// Appearance of the panels of a sweep.
    pub(super) fn measured<'a>(&self, sweep: &'a Sweep) -> Measured<'a> {
        let best = match sweep.source {
            TileSource::BestColumn => "Best, as stated",
            _ => "Measured best",
        };
        Measured {
            panels: &sweep.panels,
            first: 0,
            axis: sweep.axis,
            best,
            low: self.low,
            region: Box::new(|_, cell| cell.region),
        }
    }
}

/// The share at the dark end of the colours (the lowest drawn one, rounded down to a tenth), and the limits that occur.
pub(super) fn occurring(sweep: &Sweep) -> (f64, Vec<Region>) {
    let (mut low, mut limits) = (1.0f64, Vec::new());
    for cell in cells(sweep) {
        low = low.min(cell.share);
        if let Some(region) = cell.region.filter(|r| !limits.contains(r)) {
            limits.push(region);
        }
    }
    (((low * 10.0).floor() / 10.0).clamp(0.0, 0.9), limits)
}

/// The limits that some panel outlines.
fn outlined(sweep: &Sweep) -> Vec<Region> {
    let of = |panel: &Panel| -> Vec<Option<Region>> {
        panel.lines.iter().flat_map(|l| panel.cells(l)).map(|cell| cell.region).collect()
    };
    let panels = sweep.panels.iter().map(|p| (p.columns.len(), of(p)));
    panels
        .filter(|(columns, of)| connected(*columns, of))
        .flat_map(|(_, of)| of)
        .flatten()
        .collect()
}

fn gradient(scene: &mut Scene, (x, y): Point, width: f64, low: f64) {
    let left = short_percent(low);
    let lw = text::width(&left, FONT, false);
    let right = format!("{} of the row's best", short_percent(1.0));
    let rw = text::width(&right, FONT, false);
    let bar = (width - lw - rw - 12.0).clamp(30.0, 140.0);
    let cy = y + 9.0;
    scene.text((x, cy), left, scene.theme.muted, START);
    ramp(scene, [x + lw + 6.0, y + 4.0, bar, 10.0]);
    scene.text((x + lw + bar + 12.0, cy), right, scene.theme.muted, START);
}
