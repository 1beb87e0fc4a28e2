//! Drawing of the tile map: panels in a flow, cells, ticks, outlined regions, legend.

use super::tooltip;
use crate::charts::RenderOptions;
use crate::color_scale::shown;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::legend::Swatch;
use crate::palette::{Theme, alpha, on};
use crate::scene::{Anchor, Baseline, Color, HitArea, Point, Scene};
use crate::text;
use crate::ticks::Format;
use gemmscope_analysis::tile_sweep::{Panel, Sweep, TileSource};
use gemmscope_model::tiling::flat::Region;

/// Height of a line of cells.
pub(super) const LINE: f64 = 26.0;
/// The same in a picture with room to spare, where there are many lines and where there are few.
const TALLEST: f64 = 40.0;
const TALLEST_OF_FEW: f64 = 72.0;
/// Up to so many lines are few.
const FEW: usize = 4;
/// Above the first line: title and the axis's name.
const HEAD: f64 = 42.0;
/// Below the last line: column labels and their name.
const FOOT: f64 = 46.0;
/// Between panels.
const GAP: f64 = 12.0;

/// Where the panels go: columns of panels, width of one.
fn flow(sweep: &Sweep, width: f64) -> (usize, f64) {
    let most = sweep.panels.iter().map(|p| p.columns.len()).max().unwrap_or(1);
    // Enough for a check mark in a cell, and for the labels of the lines.
    let wanted = (most as f64 * 22.0 + 110.0).max(300.0);
    let columns = ((width / wanted) as usize).clamp(1, sweep.panels.len().clamp(1, 4));
    (columns, (width - 8.0) / columns as f64)
}

/// A cell of at least this size says its share.
const VALUE: (f64, f64) = (36.0, 16.0);

/// The legend's entries that occur.
fn entries(sweep: &Sweep, theme: &Theme) -> Vec<(Swatch, String)> {
    let lines = || sweep.panels.iter().flat_map(|p| &p.lines);
    let mut out = Vec::new();
    let best = match sweep.source {
        TileSource::BestColumn => "best, as stated",
        _ => "measured best of its row",
    };
    out.push((Swatch::Check(theme.accent), best.to_owned()));
    if lines().any(|l| l.model.is_some()) {
        out.push((Swatch::Hollow(theme.text), "model".to_owned()));
    }
    for (region, words) in
        [(Region::Parallelism, "parallelism-bounded"), (Region::Memory, "memory-bounded")]
    {
        if lines().any(|l| l.cells.iter().any(|c| c.region == Some(region))) {
            out.push((Swatch::Dashed(outline(region, theme)), words.to_owned()));
        }
    }
    out
}

fn outline(region: Region, theme: &Theme) -> Color {
    match (region, theme.dark) {
        (Region::Parallelism, false) => Color(0x00, 0x80, 0x78, 255),
        (Region::Parallelism, true) => Color(0x35, 0xd0, 0xbe, 255),
        (Region::Memory, false) => Color(0xcc, 0x25, 0x25, 255),
        (Region::Memory, true) => Color(0xff, 0x6a, 0x60, 255),
    }
}

fn legend_height(sweep: &Sweep, width: f64, theme: &Theme) -> f64 {
    let scale = if has_colour(sweep) { 18.0 } else { 0.0 };
    legend::legend(None, (0.0, 0.0), width - 24.0, theme, &entries(sweep, theme)) + scale + 8.0
}

fn has_colour(sweep: &Sweep) -> bool {
    sweep.source != TileSource::BestColumn
}

/// The highest lines of a picture.
pub(super) fn tallest(sweep: &Sweep) -> f64 {
    match sweep.panels.iter().map(|p| p.lines.len()).sum::<usize>() {
        ..=FEW => TALLEST_OF_FEW,
        _ => TALLEST,
    }
}

/// Height of the picture with lines of this height.
pub(super) fn height(sweep: &Sweep, width: f64, line: f64) -> f64 {
    let (columns, _) = flow(sweep, width);
    let rows: f64 = sweep.panels.chunks(columns).map(|row| panel_height(row, line) + GAP).sum();
    (legend_height(sweep, width, &Theme::LIGHT) + rows + 4.0).max(220.0)
}

fn panel_height(row: &[Panel], line: f64) -> f64 {
    let most = row.iter().map(|p| p.lines.len()).max().unwrap_or(0);
    HEAD + most as f64 * line + FOOT
}

/// Draws all panels, shrinking the lines where the picture is too low.
pub(super) fn panels(sweep: &Sweep, scene: &mut Scene, options: &RenderOptions<'_>) {
    let theme = options.theme;
    let (w, h) = (scene.width, scene.height);
    let legend = legend_height(sweep, w, theme);
    let (columns, panel_w) = flow(sweep, w);
    let rows: Vec<&[Panel]> = sweep.panels.chunks(columns).collect();
    let lines: usize =
        rows.iter().map(|r| r.iter().map(|p| p.lines.len()).max().unwrap_or(0)).sum();
    let fixed = legend + rows.len() as f64 * (HEAD + FOOT + GAP);
    // A picture with room to spare has taller lines, up to a reasonable square.
    let line = ((h - fixed) / lines.max(1) as f64).clamp(8.0, tallest(sweep));
    let mut y =
        legend::legend(Some(scene), (10.0, 4.0), w - 24.0, theme, &entries(sweep, theme)) + 4.0;
    let low = lowest(sweep);
    if has_colour(sweep) {
        gradient(scene, (10.0, y), (w - 20.0).min(320.0), theme, low);
        y += 18.0;
    }
    y += 4.0;
    for row in rows {
        for (i, panel) in row.iter().enumerate() {
            let x = 4.0 + i as f64 * panel_w;
            draw(sweep, panel, scene, options, [x, y, panel_w, line], low);
        }
        y += panel_height(row, line) + GAP;
    }
}

/// The share at the dark end of the colours: the lowest drawn, rounded down to a tenth.
fn lowest(sweep: &Sweep) -> f64 {
    let low = sweep
        .panels
        .iter()
        .flat_map(|p| &p.lines)
        .flat_map(|l| &l.cells)
        .map(|c| c.share)
        .filter(|s| s.is_finite())
        .fold(1.0, f64::min);
    ((low * 10.0).floor() / 10.0).clamp(0.0, 0.9)
}

fn gradient(scene: &mut Scene, (x, y): Point, width: f64, theme: &Theme, low: f64) {
    let words = |v: f64| Format::percent().write(v, 3);
    let left = words(low);
    let lw = text::width(&left, FONT, false);
    let right = format!("{} of the row's best", words(1.0));
    let rw = text::width(&right, FONT, false);
    let bar = (width - lw - rw - 12.0).clamp(30.0, 140.0);
    let cy = y + 9.0;
    let hang = (Anchor::Start, Baseline::Middle);
    scene.text((x, cy), left, FONT, theme.muted, hang);
    let steps = 24;
    for i in 0..steps {
        let t = (f64::from(i) + 0.5) / f64::from(steps);
        let w = bar / f64::from(steps);
        scene.fill([x + lw + 6.0 + f64::from(i) * w, y + 4.0, w + 0.5, 10.0], shown(t, theme));
    }
    scene.text((x + lw + bar + 12.0, cy), right, FONT, theme.muted, hang);
}

fn draw(
    sweep: &Sweep,
    panel: &Panel,
    scene: &mut Scene,
    options: &RenderOptions<'_>,
    [x, y, w, line]: [f64; 4],
    low: f64,
) {
    let theme = options.theme;
    legend::heading(scene, (x + 4.0, y + 10.0), w - 12.0, theme, &panel.title);
    let labels: Vec<String> = (0..panel.lines.len()).map(|i| panel.line_label(i)).collect();
    let label_w =
        labels.iter().map(|l| text::width(l, FONT, false)).fold(20.0, f64::max).min(w * 0.4);
    let texts: Vec<&str> = labels.iter().map(String::as_str).collect();
    let labels = text::cut_apart(&texts, FONT, label_w);
    let name = panel.line_name.label();
    legend::note(scene, (x + 4.0, y + HEAD - 12.0), w - 8.0, theme, name);
    let left = x + 4.0 + label_w + 10.0;
    let n = panel.columns.len().max(1);
    let narrow = scene.width < NARROW;
    let step = ((x + w - 12.0 - left) / n as f64).min(if narrow { 60.0 } else { 84.0 });
    let top = y + HEAD;
    let at = |i: usize, j: usize| (left + i as f64 * step, top + j as f64 * line);
    let bottom = top + panel.lines.len() as f64 * line;
    scene.fill([left, top, step * n as f64, bottom - top], theme.panel);
    for (j, l) in panel.lines.iter().enumerate() {
        if line >= FONT * 1.1 || j % 2 == 0 {
            scene.text(
                (left - 7.0, top + (j as f64 + 0.5) * line),
                labels[j].clone(),
                FONT,
                theme.muted,
                (Anchor::End, Baseline::Middle),
            );
        }
        for (i, c) in l.cells.iter().enumerate() {
            let (cx, cy) = at(i, j);
            let rect = [cx + 0.5, cy + 0.5, step - 1.0, line - 1.0];
            let mut behind = theme.panel;
            if c.share.is_finite() {
                behind = shown((c.share - low) / (1.0 - low), theme);
                scene.fill(rect, behind);
            } else {
                scene.items.push(crate::scene::Item::Rect {
                    rect,
                    fill: None,
                    stroke: Some((theme.grid, 1.0)),
                });
            }
            let centre = (cx + step / 2.0, cy + line / 2.0);
            let r = (step.min(line) * 0.3).clamp(2.5, 7.0);
            // Side by side where both fall on one cell, so that neither hides the other.
            let both = l.best == Some(i) && l.model == Some(i);
            let shift = if both { (step * 0.2).min(r * 1.5) } else { 0.0 };
            let ink = if c.share.is_finite() { on(behind) } else { theme.text };
            // On a plate of one colour, so that both have their colour of the legend on any cell.
            let mut mark = |x: f64, draw: &mut dyn FnMut(&mut Scene, Point)| {
                let plate = [x - 1.3 * r, centre.1 - 1.3 * r, 2.6 * r, 2.6 * r];
                scene.fill(plate, alpha(theme.panel, 0.85));
                draw(scene, (x, centre.1));
            };
            if l.best == Some(i) {
                mark(centre.0 - shift, &mut |s, at| legend::check(s, at, r, theme.accent, 2.0));
            }
            if l.model == Some(i) {
                mark(centre.0 + shift, &mut |s, at| legend::hollow(s, at, r * 0.8, theme.text));
            }
            if c.share.is_finite()
                && l.best != Some(i)
                && l.model != Some(i)
                && step >= VALUE.0
                && line >= VALUE.1
            {
                scene.text(
                    centre,
                    Format::percent().write(c.share, 2),
                    FONT,
                    ink,
                    (Anchor::Middle, Baseline::Middle),
                );
            }
            let rows = match c.row {
                // The row that the cell shows: the others are slower.
                Some(best) => vec![best],
                None if l.best == Some(i) => c.rows.clone(),
                None => Vec::new(),
            };
            scene.hit_areas.push(HitArea {
                rows,
                rect: [cx, cy, step, line],
                tooltip: tooltip(sweep, panel, j, i),
            });
        }
    }
    for region in [Region::Memory, Region::Parallelism] {
        let inside = |i: i64, j: i64| {
            let cell = usize::try_from(j)
                .ok()
                .and_then(|j| panel.lines.get(j))
                .zip(usize::try_from(i).ok())
                .and_then(|(l, i)| l.cells.get(i));
            cell.is_some_and(|c| c.region == Some(region))
        };
        for piece in outlines(n, panel.lines.len(), &inside) {
            let inset = 2.5;
            let points: Vec<Point> = piece
                .iter()
                .map(|&((i, j), (dx, dy))| {
                    let (px, py) = (left + i as f64 * step, top + j as f64 * line);
                    (px + dx * inset, py + dy * inset)
                })
                .collect();
            // A line of the panel's colour below keeps the dashes apart from any cell.
            scene.line(points.clone(), theme.panel, 4.0);
            scene.dashed(points, outline(region, theme), 2.0, &[5.0, 3.0]);
        }
    }
    let under = [left, bottom, step];
    let lines =
        columns(scene, theme, &(0..n).map(|i| panel.column_label(i)).collect::<Vec<_>>(), under);
    let name = match lines {
        2 => sweep.axis.label().replace(" × ", " above "),
        _ => sweep.axis.label().to_owned(),
    };
    scene.text(
        (left + step * n as f64, bottom + 10.0 + 12.0 * lines as f64),
        name,
        FONT,
        theme.muted,
        (Anchor::End, Baseline::Top),
    );
}

/// The labels of the columns below them, those of tiles in two lines where one has no room. Gives the
/// number of lines.
pub(super) fn columns(
    scene: &mut Scene,
    theme: &Theme,
    labels: &[String],
    [left, bottom, step]: [f64; 3],
) -> usize {
    const APART: f64 = 5.0;
    let tight = labels.iter().any(|l| text::width(l, FONT, false) + APART > step);
    let lines = if tight && labels.iter().all(|l| l.contains('×')) { 2 } else { 1 };
    let mut free_from = f64::NEG_INFINITY;
    for (i, label) in labels.iter().enumerate() {
        let parts: Vec<&str> = label.splitn(lines, '×').collect();
        let half = parts.iter().map(|p| text::width(p, FONT, false)).fold(0.0, f64::max) / 2.0;
        let px = left + (i as f64 + 0.5) * step;
        if px - half < free_from || px + half > scene.width - 2.0 {
            continue;
        }
        free_from = px + half + APART;
        for (line, part) in parts.into_iter().enumerate() {
            scene.text(
                (px, bottom + 6.0 + 12.0 * line as f64),
                part.to_owned(),
                FONT,
                theme.muted,
                (Anchor::Middle, Baseline::Top),
            );
        }
    }
    lines
}

/// A corner of the grid and the way into the region from it.
type Corner = ((i64, i64), (f64, f64));

/// The closed outlines of the cells for which `inside` holds, each corner with the direction in
/// which an inset moves it. Walks with the region on the right hand.
fn outlines(columns: usize, lines: usize, inside: &dyn Fn(i64, i64) -> bool) -> Vec<Vec<Corner>> {
    const STEPS: [(i64, i64); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let (w, h) = (columns as i64, lines as i64);
    // An edge from a corner in a direction exists where the cell to its right is inside and the
    // cell to its left is not.
    let cell = |(x, y): (i64, i64), d: usize, right: bool| match (d, right) {
        (0, true) | (1, false) => inside(x, y),
        (0, false) | (3, true) => inside(x, y - 1),
        (1, true) | (2, false) => inside(x - 1, y),
        // Left of upwards, right of leftwards.
        _ => inside(x - 1, y - 1),
    };
    let edge = |at: (i64, i64), d: usize| cell(at, d, true) && !cell(at, d, false);
    let mut used = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    for y in 0..=h {
        for x in 0..=w {
            if !edge((x, y), 0) || used.contains(&(x, y, 0usize)) {
                continue;
            }
            let (mut at, mut d) = ((x, y), 0usize);
            let mut corners: Vec<((i64, i64), usize, usize)> = Vec::new();
            loop {
                if !used.insert((at.0, at.1, d)) {
                    break;
                }
                let next = (at.0 + STEPS[d].0, at.1 + STEPS[d].1);
                // Right turn first: cells that touch at a corner only stay apart.
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
                // To the right of the direction of travel.
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
