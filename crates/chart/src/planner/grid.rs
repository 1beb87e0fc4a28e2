//! Maps of the tools: grids of cells under headings.

use crate::cells::{CellAt, Cells};
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::legend;
use crate::palette::Theme;
use crate::scene::Scene;

/// How many maps stand below each other.
pub(super) fn lines(count: usize, width: f64) -> usize {
    if width < NARROW { count } else { count.div_ceil(2) }.max(1)
}

/// Places of maps: two beside each other, or one where it is narrow or the only one.
pub(super) fn places([_, top, width, height]: Rect, count: usize) -> Vec<Rect> {
    let line = height / lines(count, width) as f64;
    let beside = if width < NARROW || count == 1 { 1 } else { 2 };
    let each = width / beside as f64;
    (0..count)
        .map(|i| {
            let (x, y) = ((i % beside) as f64, (i / beside) as f64);
            [8.0 + each * x, top + 4.0 + line * y, each - 16.0, line - 4.0]
        })
        .collect()
}

/// Above the cells: the heading, and the name of the rows.
const HEAD: f64 = 38.0;

/// Draws a map into an area, its columns and rows under what they are; returns the rectangle of its cells.
pub(super) fn draw(
    scene: &mut Scene,
    theme: &Theme,
    [left, top, width, height]: Rect,
    title: &str,
    x: (&str, &[String]),
    y: (&str, &[String]),
    cell: &CellAt<'_>,
) -> Rect {
    legend::heading(scene, (left, top + 8.0), width, theme, title);
    let cells = Cells::fixed(x, y, (150.0, 56.0), cell);
    cells.draw(scene, [left, top + HEAD, width, height - HEAD], theme).rect()
}

/// Sizes as names of columns or rows.
pub(super) fn names(sizes: &[u32]) -> Vec<String> {
    sizes.iter().map(u32::to_string).collect()
}
