//! Drawing of the map of winners.

use super::WinnerMap;
use crate::cells::{CellMark, Cells};
use crate::charts::RenderOptions;
use crate::color_scale::ColorScale;
use crate::layout::{EDGE, FONT};
use crate::legend::{self, ENTRIES, Swatch};
use crate::palette::{Theme, alpha, mix};
use crate::scene::{Color, Scene, Symbol};
use crate::text;
use crate::tooltip::Tooltip;
use gemmscope_model::units::{and_more, format_significant};
use gemmscope_words::compare::times;

/// Row height that suits touch.
pub(super) const ROW: f64 = 22.0;
/// Maximum height of a cell.
pub(super) const CELL_HEIGHT: f64 = 52.0;
/// A narrow map grows with its rows up to this number.
pub(super) const MOST_ROWS: f64 = 60.0;
/// Height of heading, two lines of legend and axis names of a map.
pub(super) const FRAME: f64 = 126.0;

/// The lead with as many digits as fit: `1.30x`, `1.30`, `1.3`; `None` if none fits.
pub(super) fn lead_label(margin: f64, width: f64) -> Option<String> {
    let whole = times(margin);
    let bare = whole.trim_end_matches('x').to_owned();
    let short = format_significant(margin, 2);
    [(whole, 4.0), (bare, 2.0), (short, 2.0)]
        .into_iter()
        .find(|(label, room)| text::width(label, FONT, false) + room <= width)
        .map(|(label, _)| label)
}

/// Legend of the colours and marks that occur; with many sides, those that win most.
fn entries(m: &WinnerMap, theme: &Theme, colors: &[Color]) -> Vec<(Swatch, String)> {
    let (sides, wins) = (&m.comparison.names, m.score().0);
    let mut shown: Vec<usize> = (0..sides.len()).collect();
    if shown.len() > ENTRIES {
        shown.sort_by_key(|i| std::cmp::Reverse(wins[*i]));
        shown.truncate(ENTRIES);
    }
    let entry = |i: &usize| (Swatch::Box(colors[*i]), sides[*i].clone());
    let mut entries: Vec<(Swatch, String)> = shown.iter().map(entry).collect();
    if shown.len() < sides.len() {
        let more = and_more(sides.len() - shown.len());
        entries.push((Swatch::Box(alpha(theme.other, 0.0)), more));
    }
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
    entries
}

/// Cells by two sizes, coloured by the fastest side.
pub(super) fn map(m: &WinnerMap, scene: &mut Scene, options: &RenderOptions<'_>) {
    let theme = options.theme;
    let setup = &m.comparison.setup;
    let colors = ColorScale::of_values(&m.frame, &setup.side, &setup.sides, theme);
    let entries = entries(m, theme, &colors);
    let (w, h) = (scene.width, scene.height);
    // Meaning of the figures; the headline says which GEMMs they cover.
    let words = "Side with most wins, and its lead there";
    legend::heading(scene, (EDGE, 14.0), w - 2.0 * EDGE, words);
    let legend = legend::legend(Some(scene), (EDGE, 24.0), w - 3.0 * EDGE, &entries);
    let top = 24.0 + legend + 22.0;
    let columns: Vec<String> = m.xs.iter().map(u32::to_string).collect();
    let rows: Vec<String> = m.ys.iter().map(|row| m.row_name(*row)).collect();
    let mut at = vec![None; columns.len() * rows.len()];
    for (i, c) in m.cells.iter().enumerate() {
        let x = m.xs.partition_point(|o| *o < c.x);
        let y = m.ys.partition_point(|o| *o < (c.y, m.part[i]));
        at[y * columns.len() + x] = Some((i, c));
    }
    let of = |x: usize, y: usize| at[y * columns.len() + x];
    let cell = |(x, y): (usize, usize), (width, _): (f64, f64)| {
        let (i, c) = of(x, y)?;
        let fill = match c.winner {
            // A narrow lead is pale, one of 2x or more is saturated.
            Some(side) => {
                let lead = c.margin.log2().clamp(0.0, 1.0);
                mix(theme.panel, colors[side], 0.35 + 0.65 * lead)
            }
            None if !c.compared.is_empty() => theme.other,
            None => theme.panel,
        };
        let text = c.winner.and_then(|_| lead_label(c.margin, width)).unwrap_or_default();
        let configurations = c.compared.iter().copied().chain(c.alone.iter().map(|a| a.0));
        let samples = configurations.flat_map(|c| m.comparison.samples(c as usize));
        let rows = samples.flat_map(|(_, s)| m.comparison.rows_of(s).iter().copied());
        Some(CellMark::new(fill, text, rows.collect(), Tooltip::of(i)))
    };
    let (x, y) = ((m.x.name(), &columns[..]), (m.y.name(), &rows[..]));
    let cells = Cells::fixed(x, y, (170.0, CELL_HEIGHT), &cell);
    let grid = cells.draw(scene, [0.0, top, w, h - top]);
    for (i, j) in grid.each() {
        let Some((_, c)) = of(i, j) else { continue };
        let [l, t, width, height] = grid.cell_rect((i, j));
        // Another side wins some of these GEMMs.
        if let Some(other) = c.other().filter(|_| width.min(height) >= 10.0) {
            // A small cell needs the room for its figure.
            let (inset, r) = if width < 40.0 { (3.5, 2.0) } else { (6.0, 2.5) };
            let at = (l + width - inset, t + inset);
            for (radius, color) in [(r + 1.0, theme.panel), (r, colors[other])] {
                scene.mark(at, radius, Symbol::Dot, color);
            }
        }
        if c.compared.is_empty() {
            scene.mark(
                (l + width / 2.0, t + height / 2.0),
                (width.min(height) / 2.0 - 1.0).clamp(1.0, 4.0),
                Symbol::Ring,
                colors[c.alone.first().map_or(0, |a| a.1)],
            );
        }
    }
}
