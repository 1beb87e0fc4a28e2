//! Layout of the maps of the tools.

use crate::labels::Rect;
use crate::layout::NARROW;

/// Number of maps below each other.
pub(super) fn lines(count: usize, width: f64) -> usize {
    if width < NARROW { count } else { count.div_ceil(2) }.max(1)
}

/// Rectangles of the maps: two side by side; one if it is the only one or the picture is narrow.
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

/// Maximum width and height of a cell.
pub(super) const MOST: (f64, f64) = (150.0, 56.0);

/// Sizes as names of columns or rows.
pub(super) fn names(sizes: &[u32]) -> Vec<String> {
    sizes.iter().map(u32::to_string).collect()
}
