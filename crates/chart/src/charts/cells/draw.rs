//! Drawing a map of cells: its grid of cells, names, and the bar of colours.

use super::CellMap;
use crate::cells::{CellMark, Cells, Numbers};
use crate::charts::RenderOptions;
use crate::color_scale::{ramp, shown};
use crate::labels::Rect;
use crate::layout::{self, FONT, NARROW};
use crate::palette::{Theme, alpha};
use crate::scale::Scale;
use crate::scene::{DragArea, Scene, TOP};
use crate::text;
use crate::ticks::{self, Format};
use crate::tooltip::Tooltip;
use gemmscope_table::column_format;
use gemmscope_table::metrics::ABOVE_ROOF;

/// Narrowest and widest cell in px, and the widest of a few columns, which would leave most room empty.
const CELL: (f64, f64) = (7.0, 112.0);
const FEW: (usize, f64) = (5, 220.0);
/// Lowest and highest cell in px.
const CELL_HEIGHT: (f64, f64) = (13.0, 64.0);
/// Highest cell of a single row.
const ROW_HEIGHT: f64 = 120.0;
/// Most room for names below.
const MOST_FOOT: f64 = 164.0;

/// The height past which cells do not grow.
pub(super) fn most_height(map: &CellMap) -> f64 {
    let cells = match map.ys.len() {
        1 => ROW_HEIGHT,
        n => CELL_HEIGHT.1 * n as f64,
    };
    (96.0 + MOST_FOOT + cells).max(300.0)
}

pub(super) fn draw(
    map: &CellMap,
    scene: &mut Scene,
    [left, _, width, height]: Rect,
    options: &RenderOptions<'_>,
) {
    let theme = options.theme;
    let (xs, ys, value) = (&map.xs, &map.ys, &map.value);
    let cell = |(x, y): (usize, usize), _: (f64, f64)| {
        let band = y * xs.len() + x;
        let rows = map.groups.get(band);
        let v = map.figures.get(band).copied().unwrap_or(f64::NAN);
        let fill = if v.is_nan() {
            alpha(theme.other, 0.35)
        } else {
            shown(map.kind.part(v, map.range), theme)
        };
        (!rows.is_empty()).then(|| CellMark {
            frame: (value.unit == "%" && v > ABOVE_ROOF).then_some(theme.warn),
            ..CellMark::new(fill, column_format::number(value, v), rows.to_vec(), Tooltip::of(band))
        })
    };
    let legend = draw_legend(scene, map, theme, &map.shown());
    scene.drag_areas.push(legend);
    let top = if width < NARROW { 64.0 } else { 44.0 };
    let one = ys.len() == 1;
    let cells = Cells {
        columns: &xs.names,
        x: &xs.label,
        rows: &ys.names,
        y: &ys.label,
        width: (CELL.0, if xs.len() <= FEW.0 { FEW.1 } else { CELL.1 }),
        height: (CELL_HEIGHT.0, if one { ROW_HEIGHT } else { CELL_HEIGHT.1 }),
        foot: MOST_FOOT,
        numbers: Numbers::AllOrNone,
        first: options.first,
        cell: &cell,
    };
    cells.draw(scene, [left, top, width, height - top], theme);
}

/// Title, and the bar of colours with its ticks; returns where the bar is.
fn draw_legend(scene: &mut Scene, map: &CellMap, theme: &Theme, title: &str) -> DragArea {
    let (kind, range, value) = (map.kind, map.range, &map.value);
    let narrow = scene.width < NARROW;
    let w = if narrow { scene.width - 24.0 } else { 220.0 }.max(40.0);
    let bar = if narrow { [12.0, 28.0, w, 8.0] } else { [scene.width - w - 16.0, 8.0, w, 8.0] };
    let room = if narrow { scene.width - 24.0 } else { bar[0] - 36.0 };
    let title = text::ellipsis(title, FONT + 1.0, room.max(0.0));
    scene.sized((12.0, 6.0), title, FONT + 1.0, theme.text, TOP);
    ramp(scene, bar, theme);
    let unit = column_format::unit_for(&value.unit);
    let scaled = (range.0 / unit.factor, range.1 / unit.factor);
    let scale = Scale::new(kind, scaled, (bar[0], bar[0] + bar[2]));
    let ticks = ticks::ticks(&scale, 4, &Format::plain("")).into_iter();
    let labels = ticks.filter_map(|t| Some((scale.px(t.value), t.label?)));
    let end = (bar[0] + bar[2] + 10.0, bar[1] + bar[3] + 2.0);
    layout::labels_below(scene, theme, end, FONT - 1.0, labels);
    DragArea::Range {
        rect: bar,
        field: value.field.to_string(),
        scale: Scale::new(kind, range, (bar[0], bar[0] + bar[2])),
    }
}
