//! Drawing of the tile map: panels in a flow, cells, ticks, outlined regions, legend.

use super::{cells, lines};
use crate::cells::{FOOT, HEAD};
use crate::color_scale::ramp;
use crate::labels::Rect;
use crate::layout::{EDGE, FONT, NARROW};
use crate::legend::{self, Swatch};
use crate::palette::Theme;
use crate::scene::{Point, START, Scene};
use crate::text;
use crate::ticks::share_words;
use crate::tile_marks::{Measured, Tick, region_entries};
use gemmscope_analysis::tile_sweep::{Panel, Sweep, TileSource};

/// Height of a line of cells.
pub(super) const LINE: f64 = 26.0;
/// The same in a picture with room to spare, where there are many lines and where there are few.
const TALLEST: f64 = 40.0;
const TALLEST_OF_FEW: f64 = 110.0;
/// Up to so many lines are few.
const FEW: usize = 4;
/// Between panels.
const GAP: f64 = 12.0;

/// Where the panels go: columns of panels, width of one.
fn flow(sweep: &Sweep, width: f64) -> (usize, f64) {
    let most = sweep.panels.iter().map(|p| p.columns.len()).max().unwrap_or(1);
    // Enough for a check mark in a cell, and for the labels of the lines.
    let wanted = (most as f64 * 22.0 + 110.0).max(300.0);
    let columns = ((width / wanted) as usize).clamp(1, sweep.panels.len().clamp(1, 4));
    (columns, (width - EDGE - 4.0) / columns as f64)
}

/// The legend's entries that occur.
pub(super) fn entries(sweep: &Sweep, theme: &Theme) -> Vec<(Swatch, String)> {
    let best = match sweep.source {
        TileSource::BestColumn => "best, as stated",
        _ => "measured best of its row",
    };
    let mut out = vec![(Tick::Best.swatch(theme), best.to_owned())];
    if lines(sweep).any(|(_, l)| l.model.is_some()) {
        out.push((Tick::Model.swatch(theme), "model".to_owned()));
    }
    out.extend(region_entries(theme, |region| cells(sweep).any(|c| c.region == Some(region))));
    out
}

/// Height of the bar of colours, where cells have some.
fn scale_height(sweep: &Sweep) -> f64 {
    if sweep.source != TileSource::BestColumn { 18.0 } else { 0.0 }
}

/// The highest lines of a picture.
pub(super) fn tallest(sweep: &Sweep) -> f64 {
    match lines(sweep).count() {
        ..=FEW => TALLEST_OF_FEW,
        _ => TALLEST,
    }
}

/// Height of the picture with lines of this height.
pub(super) fn height(sweep: &Sweep, width: f64, line: f64) -> f64 {
    let (columns, _) = flow(sweep, width);
    let rows: f64 = sweep.panels.chunks(columns).map(|row| panel_height(row, line) + GAP).sum();
    let entries = entries(sweep, &Theme::LIGHT);
    let legend = legend::legend(None, (0.0, 0.0), width - 20.0, &entries) + 8.0;
    (legend + scale_height(sweep) + rows + 4.0).ceil().max(220.0)
}

fn panel_height(row: &[Panel], line: f64) -> f64 {
    let most = row.iter().map(|p| p.lines.len()).max().unwrap_or(0);
    HEAD + most as f64 * line + FOOT
}

/// Draws all panels, shrinking the lines where the picture is too low.
pub(super) fn panels(sweep: &Sweep, scene: &mut Scene, [_, top, w, h]: Rect) {
    let scale = scale_height(sweep);
    let (columns, panel_w) = flow(sweep, w);
    let rows: Vec<&[Panel]> = sweep.panels.chunks(columns).collect();
    let lines: usize =
        rows.iter().map(|r| r.iter().map(|p| p.lines.len()).max().unwrap_or(0)).sum();
    let fixed = scale + rows.len() as f64 * (HEAD + FOOT + GAP);
    // A picture with room to spare has taller lines, up to a reasonable square.
    let line = ((h - fixed) / lines.max(1) as f64).clamp(8.0, tallest(sweep));
    // So do its few columns.
    let most = sweep.panels.iter().map(|p| p.columns.len()).max().unwrap_or(1);
    let share = panel_w / (most as f64 + 3.0);
    let widest = if scene.width < NARROW { 60.0 } else { share.clamp(84.0, 160.0) };
    let (measured, mut y) = (measured(sweep), top + scale);
    if scale > 0.0 {
        gradient(scene, (EDGE, top - 4.0), (w - 20.0).min(320.0), measured.low);
    }
    for row in rows {
        for (i, panel) in row.iter().enumerate() {
            let x = EDGE + i as f64 * panel_w;
            let area = [x, y, panel_w, HEAD + line * panel.lines.len() as f64 + FOOT];
            measured.draw(scene, area, (panel, &panel.title), (widest, line));
        }
        y += panel_height(row, line) + GAP;
    }
}

/// How the panels of a sweep are drawn.
pub(super) fn measured(sweep: &Sweep) -> Measured<'_> {
    let best = match sweep.source {
        TileSource::BestColumn => "Best, as stated",
        _ => "Measured best",
    };
    Measured { axis: sweep.axis, best, low: lowest(sweep), region: &|_, cell| cell.region }
}

/// The share at the dark end of the colours: the lowest drawn, rounded down to a tenth.
fn lowest(sweep: &Sweep) -> f64 {
    let known = cells(sweep).map(|c| c.share).filter(|s| s.is_finite());
    let low = known.fold(1.0, f64::min);
    ((low * 10.0).floor() / 10.0).clamp(0.0, 0.9)
}

fn gradient(scene: &mut Scene, (x, y): Point, width: f64, low: f64) {
    let left = share_words(low);
    let lw = text::width(&left, FONT, false);
    let right = format!("{} of the row's best", share_words(1.0));
    let rw = text::width(&right, FONT, false);
    let bar = (width - lw - rw - 12.0).clamp(30.0, 140.0);
    let cy = y + 9.0;
    scene.text((x, cy), left, scene.theme.muted, START);
    ramp(scene, [x + lw + 6.0, y + 4.0, bar, 10.0]);
    scene.text((x + lw + bar + 12.0, cy), right, scene.theme.muted, START);
}
