//! Drawing of the map of the fastest and the crossover strips.

use super::{Model, tooltip};
use crate::cells::{CellMark, Cells, Numbers};
use crate::charts::RenderOptions;
use crate::color_scale::ColorScale;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::legend::Swatch;
use crate::palette::{Theme, mix};
use crate::scene::{Anchor, Baseline, Color, HitArea, Item, Scene, Symbol};
use crate::text;
use crate::tooltip::Tooltip;
use gemmscope_analysis::compare::duel::times;
use gemmscope_analysis::compare::winner::{Cell, Crossover, Strip};
use gemmscope_model::units::format_significant;
use gemmscope_table::field::Frame;
use std::collections::HashMap;

const ROW: f64 = 22.0;
/// Highest cell of a map.
const CELL_HEIGHT: f64 = 52.0;
const STRIPS_TOP: f64 = 64.0;
/// Rows of a narrow map up to which it grows with them.
const MOST_ROWS: f64 = 60.0;

/// Colour of a lead: a narrow one is pale, one of 2x or more is full.
fn shade(theme: &Theme, full: Color, margin: f64) -> Color {
    let t = margin.log2().clamp(0.0, 1.0);
    mix(theme.panel, full, 0.35 + 0.65 * t)
}

fn rows_of(m: &Model, configurations: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut out = Vec::new();
    for c in configurations {
        for (_, s) in m.comparison.samples(c as usize) {
            out.extend_from_slice(m.comparison.rows_of(s));
        }
    }
    out
}

/// Labels along an axis of cells, as many as fit without touching.
fn thinned(values: &[u32], step: f64, needed: impl Fn(&str) -> f64) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut free_from = f64::NEG_INFINITY;
    for (i, v) in values.iter().enumerate() {
        let label = v.to_string();
        let (at, half) = ((i as f64 + 0.5) * step, needed(&label) / 2.0);
        if at - half >= free_from {
            free_from = at + half + 6.0;
            out.push((i, label));
        }
    }
    out
}

/// A lead in as many digits as fit a width: `1.30x`, `1.30`, `1.3`.
pub(super) fn lead_label(margin: f64, width: f64) -> Option<String> {
    let whole = times(margin);
    let bare = whole.trim_end_matches('x').to_owned();
    let short = format_significant(margin, 2);
    [(whole, 4.0), (bare, 2.0), (short, 2.0)]
        .into_iter()
        .find(|(label, room)| text::width(label, FONT, false) + room <= width)
        .map(|(label, _)| label)
}

/// Cells by two sizes, coloured by the fastest side.
pub(super) fn map(frame: &Frame, m: &Model, scene: &mut Scene, options: &RenderOptions<'_>) {
    let theme = options.theme;
    let sides = &m.comparison.names;
    let setup = &m.comparison.setup;
    let colors = ColorScale::of_values(frame, &setup.side, &setup.sides, theme);
    let mut xs: Vec<u32> = m.cells.iter().map(|c| c.x).collect();
    let mut ys: Vec<u32> = m.cells.iter().map(|c| c.y).collect();
    for v in [&mut xs, &mut ys] {
        v.sort_unstable();
        v.dedup();
    }
    let mut entries: Vec<(Swatch, String)> =
        sides.iter().enumerate().map(|(i, s)| (Swatch::Box(colors[i]), s.clone())).collect();
    if m.cells.iter().any(|c| c.winner.is_none() && !c.compared.is_empty()) {
        entries.push((Swatch::Box(theme.other), "tie".to_owned()));
    }
    if m.cells.iter().any(|c| c.compared.is_empty()) {
        entries.push((Swatch::Mark(Symbol::Ring, theme.muted), "one side only".to_owned()));
    }
    if m.cells.iter().any(|c| c.other().is_some()) {
        entries
            .push((Swatch::Mark(Symbol::Dot, theme.muted), "another side wins a part".to_owned()));
    }
    let (w, h) = (scene.width, scene.height);
    // What shows comes before what the figures are, where there is no room for both.
    let of = format!("Fastest {}", m.where_words());
    let whole = format!("{of}, mean lead over the next");
    let fits = text::width(&whole, FONT * 1.1, false) <= w - 16.0;
    let words = if fits { &whole } else { &of };
    legend::heading(scene, (8.0, 14.0), w - 16.0, theme, words);
    let legend = legend::legend(Some(scene), (10.0, 24.0), w - 24.0, theme, &entries);
    let top = 24.0 + legend + 22.0;
    let names = |v: &[u32]| v.iter().map(u32::to_string).collect::<Vec<_>>();
    let (columns, rows) = (names(&xs), names(&ys));
    let at: HashMap<(u32, u32), &Cell> = m.cells.iter().map(|c| ((c.x, c.y), c)).collect();
    let of = |x: usize, y: usize| at.get(&(xs[x], ys[y])).copied();
    let cells = Cells {
        columns: &columns,
        x: m.x.name(),
        rows: &rows,
        y: m.y.name(),
        width: (1.0, 170.0),
        height: (1.0, CELL_HEIGHT),
        // Sizes are short: none is turned.
        foot: 0.0,
        numbers: Numbers::EachThatFits,
        first: (0, 0),
        cell: &|(x, y), (width, _)| {
            let c = of(x, y)?;
            let configurations = c.compared.iter().copied();
            let fill = match c.winner {
                Some(side) => shade(theme, colors[side], c.margin),
                None if !c.compared.is_empty() => theme.other,
                None => theme.panel,
            };
            Some(CellMark {
                fill,
                frame: None,
                text: c.winner.and_then(|_| lead_label(c.margin, width)).unwrap_or_default(),
                rows: rows_of(m, configurations.chain(c.alone.iter().map(|a| a.0))),
                tooltip: tooltip(frame, m, c),
            })
        },
    };
    let grid = cells.draw(scene, [0.0, top, w, h - top], theme);
    for (i, j) in grid.each() {
        let Some(c) = of(i, j) else { continue };
        let [l, t, width, height] = grid.cell_rect((i, j));
        // Somebody else wins a part of these GEMMs.
        if let Some(other) = c.other().filter(|_| width.min(height) >= 10.0) {
            // In a small cell the figure needs the room.
            let (inset, r) = if width < 40.0 { (3.5, 2.0) } else { (6.0, 2.5) };
            let at = (l + width - inset, t + inset);
            for (radius, color) in [(r + 1.0, theme.panel), (r, colors[other])] {
                scene.items.push(Item::Symbol { at, radius, symbol: Symbol::Dot, color });
            }
        }
        if c.compared.is_empty() {
            scene.items.push(Item::Symbol {
                at: (l + width / 2.0, t + height / 2.0),
                radius: (width.min(height) / 2.0 - 1.0).clamp(1.0, 4.0),
                symbol: Symbol::Ring,
                color: colors[c.alone.first().map_or(0, |a| a.1)],
            });
        }
    }
}

fn map_rows(m: &Model) -> f64 {
    let mut ys: Vec<u32> = m.cells.iter().map(|c| c.y).collect();
    ys.sort_unstable();
    ys.dedup();
    ys.len() as f64
}

/// Heading, two lines of legend, axis names of a map.
const MAP_FRAME: f64 = 126.0;

/// Height past which the cells of a map do not grow.
pub(super) fn map_height(m: &Model) -> f64 {
    MAP_FRAME + CELL_HEIGHT * map_rows(m)
}

/// Height at which a narrow map's cells can be read and touched; of a wide one they shrink first.
pub(super) fn map_least(m: &Model, width: f64) -> f64 {
    match width < NARROW {
        true => MAP_FRAME + ROW * map_rows(m).min(MOST_ROWS),
        false => 0.0,
    }
}

/// Height of a picture of `n` strips.
pub(super) fn strips_height(n: usize) -> f64 {
    STRIPS_TOP + 18.0 + ROW * n as f64 + 40.0
}

/// One line per combination of everything else, one square per size.
pub(super) fn strips(frame: &Frame, m: &Model, scene: &mut Scene, options: &RenderOptions<'_>) {
    let theme = options.theme;
    let sides = &m.comparison.names;
    let setup = &m.comparison.setup;
    let colors = ColorScale::of_values(frame, &setup.side, &setup.sides, theme);
    let (w, h) = (scene.width, scene.height);
    let mut entries: Vec<(Swatch, String)> = sides
        .iter()
        .enumerate()
        .map(|(i, s)| (Swatch::Mark(Symbol::Square, colors[i]), s.clone()))
        .collect();
    let tie = |margin: f64| margin <= 1.0 + m.threshold;
    let points = || m.strips.iter().flat_map(|s| &s.points);
    if points().any(|(_, _, margin, _)| tie(*margin)) {
        entries.push((Swatch::Mark(Symbol::Square, theme.other), "tie".to_owned()));
    }
    let crosses = |s: &Strip| matches!(&s.verdict, Crossover::At(steps) if steps.len() > 1);
    if m.strips.iter().any(crosses) {
        let words = "crossover, where there is one";
        entries.push((Swatch::Tick(theme.accent), words.to_owned()));
    }
    legend::heading(
        scene,
        (8.0, 14.0),
        w - 16.0,
        theme,
        &format!("Fastest along {}", m.along.name()),
    );
    let legend = legend::legend(Some(scene), (10.0, 24.0), w - 24.0, theme, &entries);
    let top = STRIPS_TOP.max(24.0 + legend + 22.0);
    let room = (((h - top - 36.0) / ROW).max(1.0) as usize).min(super::MOST_STRIPS);
    let shown: Vec<_> = m.strips.iter().take(room).collect();
    let mut sizes: Vec<u32> = shown.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let narrow = w < NARROW;
    let widest =
        |texts: Vec<String>| texts.iter().map(|t| text::width(t, FONT, false)).fold(0.0, f64::max);
    let label_w = widest(shown.iter().map(|s| s.label.clone()).collect())
        .min(w * if narrow { 0.46 } else { 0.28 });
    let say_w = if narrow {
        0.0
    } else {
        widest(shown.iter().map(|s| s.sentence(sides, m.along)).collect()).min(w * 0.34)
    };
    let x0 = 8.0 + label_w + 12.0;
    let x1 = (w - 14.0 - say_w - if narrow { 0.0 } else { 14.0 }).max(x0 + 20.0);
    let step = ((x1 - x0) / sizes.len().max(1) as f64).min(46.0);
    let place = |size: u32| {
        let i = sizes.binary_search(&size).unwrap_or(0);
        x0 + (i as f64 + 0.5) * step
    };
    let say_x = x0 + step * sizes.len() as f64 + 14.0;
    let labels: Vec<&str> = shown.iter().map(|s| s.label.as_str()).collect();
    let labels = text::cut_apart(&labels, FONT, label_w);
    for (k, (s, label)) in shown.iter().zip(labels).enumerate() {
        let y = top + (k as f64 + 0.5) * ROW;
        scene.text((x0 - 8.0, y), label, FONT, theme.text, (Anchor::End, Baseline::Middle));
        let ends = (s.points.first(), s.points.last());
        if let (Some(a), Some(b)) = ends {
            scene.line(vec![(place(a.0), y), (place(b.0), y)], theme.grid, 2.0);
        }
        for &(size, side, margin, configuration) in &s.points {
            let x = place(size);
            let r = (step * 0.4).clamp(2.0, 7.0);
            let rect = [x - r, y - r, 2.0 * r, 2.0 * r];
            let color = match tie(margin) {
                true => theme.other,
                false => shade(theme, colors[side], margin),
            };
            scene.fill(rect, color);
            scene.hit_areas.push(HitArea {
                rows: rows_of(m, [configuration].into_iter()),
                rect: [x - step / 2.0, y - ROW / 2.0, step, ROW],
                tooltip: Tooltip::new(m.comparison.label(frame, configuration as usize))
                    .line(match tie(margin) {
                        true => format!("tie ({} {})", sides[side], times(margin)),
                        false => format!("{} ahead by {}", sides[side], times(margin)),
                    })
                    .line(s.sentence(sides, m.along)),
            });
        }
        if let Crossover::At(steps) = &s.verdict {
            // The crossing lies between the last size of one side and the first of the next.
            for (size, _) in steps.iter().skip(1) {
                let x = place(*size) - step / 2.0;
                scene.line(vec![(x, y - ROW * 0.45), (x, y + ROW * 0.45)], theme.accent, 2.0);
            }
        }
        if !narrow {
            scene.text(
                (say_x, y),
                text::ellipsis(&s.sentence(sides, m.along), FONT, w - say_x - 8.0),
                FONT,
                theme.muted,
                (Anchor::Start, Baseline::Middle),
            );
        }
    }
    let bottom = top + ROW * shown.len() as f64;
    // Above and below: a long list shows only one of the two at a time.
    let baseline = [(top - 3.0, Baseline::Bottom), (bottom + 4.0, Baseline::Top)];
    for (i, label) in thinned(&sizes, step, |l| text::width(l, FONT, false)) {
        for (y, hang) in baseline {
            scene.text(
                (x0 + (i as f64 + 0.5) * step, y),
                label.clone(),
                FONT,
                theme.muted,
                (Anchor::Middle, hang),
            );
        }
    }
    scene.text(
        (x0 - 8.0, top - 3.0),
        m.along.name(),
        FONT,
        theme.muted,
        (Anchor::End, Baseline::Bottom),
    );
    let more = m.strips.len().saturating_sub(shown.len());
    let note = if more > 0 {
        format!("{}; {more} more strips", m.along.name())
    } else {
        m.along.name().to_owned()
    };
    legend::note(scene, (8.0, bottom + 11.0), label_w, theme, &note);
}
