//! Drawing a heatmap: its grid of cells, names, and the bar of colours.

use super::Heatmap;
use crate::band_scale::BandScale;
use crate::charts::explore::Axis;
use crate::charts::{Chart, RenderOptions};
use crate::color_scale::shown;
use crate::labels::Rect;
use crate::layout;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::palette::{Theme, alpha, on};
use crate::scale::Scale;
use crate::scene::{Anchor, Baseline, Color, DragArea, HitArea, Item, Scene, Window};
use crate::text;
use crate::ticks;
use crate::ticks::Format;
use gemmscope_table::column_format;

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
pub(super) fn most_height(map: &Heatmap) -> f64 {
    let cells = match map.ys.len() {
        1 => ROW_HEIGHT,
        n => CELL_HEIGHT.1 * n as f64,
    };
    (96.0 + MOST_FOOT + cells).max(300.0)
}

pub(super) fn draw(map: &Heatmap, options: &RenderOptions<'_>) -> Scene {
    let theme = options.theme;
    let (xs, ys, value) = (&map.xs, &map.ys, &map.settings.value);
    let mut scene = Scene::new(options.width, options.height, "");
    scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
    let title = map.title();
    scene.title = match map.settings.y {
        Axis::One => format!("Heatmap of {title} by {}", xs.label),
        _ => format!("Heatmap of {title}: {} by {}", ys.label, xs.label),
    };
    if let Some(why) = map.obstacle() {
        let all = [0.0, 0.0, scene.width, scene.height];
        layout::message(&mut scene, all, theme, &why);
        return scene;
    }
    let (kind, range) = (map.kind, map.range);
    let share = |v: f64| {
        let (a, b) = (kind.forward(range.0), kind.forward(range.1));
        let t = (kind.forward(v) - a) / (b - a);
        if t.is_nan() { 0.5 } else { t.clamp(0.0, 1.0) }
    };
    let (nx, ny) = map.size();
    let grid = Grid::of(&scene, xs, ys, options.first);
    let legend = draw_legend(&mut scene, map, theme, &title);
    scene.drag_areas.push(legend);
    scene.fill(grid.rect(), theme.panel);
    let gap = if grid.cell.0 < 10.0 { 0.0 } else { 1.0 };
    let font = number_font(map, &grid, gap);
    for row in 0..grid.shown.1 {
        for column in 0..grid.shown.0 {
            let (x, y) = (grid.first.0 + column, grid.first.1 + row);
            let band = y * nx + x;
            let rows = map.groups.get(band);
            let v = map.figures.get(band).copied().unwrap_or(f64::NAN);
            if rows.is_empty() {
                continue;
            }
            let rect = grid.cell_rect(column, row, gap);
            let color = if v.is_nan() { alpha(theme.other, 0.35) } else { shown(share(v), theme) };
            scene.fill(rect, color);
            if value.unit == "%" && v > 1.0 + 1e-6 {
                let inner = [rect[0] + 1.0, rect[1] + 1.0, rect[2] - 2.0, rect[3] - 2.0];
                scene.items.push(Item::Rect {
                    rect: inner,
                    fill: None,
                    stroke: Some((theme.warn, 2.0)),
                });
            }
            let number = column_format::number(value, v);
            let center = (rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0);
            if let (Some(font), false) = (font, number.is_empty()) {
                let hang = (Anchor::Middle, Baseline::Middle);
                scene.text(center, number, font, on(color), hang);
            }
            scene.hit_areas.push(HitArea {
                rows: rows.to_vec(),
                rect,
                tooltip: map.tooltip(x, y, v, rows.len()),
            });
        }
    }
    axis_labels(&mut scene, theme, &grid, xs, ys);
    let window = |first, shown, total, step| Window { first, shown, total, step };
    let (sx, sy) = grid.shown;
    let mut said = map.notes();
    if (sx, sy) != (nx, ny) {
        said.insert(0, format!("{sx} of {nx} columns and {sy} of {ny} rows shown."));
        scene.drag_areas.push(DragArea::Scroll {
            rect: grid.rect(),
            columns: window(grid.first.0, sx, nx, grid.cell.0),
            rows: window(grid.first.1, sy, ny, grid.cell.1),
        });
    }
    scene.description = said.join(" ");
    legend::outline_selected(&mut scene, theme, options.selected);
    scene
}

/// The size of the numbers in the cells that are shown. `None` where one does not fit: numbers in
/// some cells only would look as if the others had none.
fn number_font(map: &Heatmap, grid: &Grid, gap: f64) -> Option<f64> {
    let [_, _, width, height] = grid.cell_rect(0, 0, gap);
    let value = &map.settings.value;
    let smallest = FONT - 2.0;
    if width < text::width("1", smallest, false) || height < smallest * text::LINE {
        return None;
    }
    let numbers: Vec<String> = (0..grid.shown.0 * grid.shown.1)
        .map(|i| (i % grid.shown.0 + grid.first.0, i / grid.shown.0 + grid.first.1))
        .filter_map(|(x, y)| map.figures.get(y * map.size().0 + x))
        .map(|v| column_format::number(value, *v))
        .collect();
    [FONT, FONT - 1.0, smallest].into_iter().find(|font| {
        let fits = |n: &String| text::width(n, *font, false) <= width - 2.0;
        height >= font * text::LINE && numbers.iter().all(fits)
    })
}

/// Where cells are.
struct Grid {
    origin: (f64, f64),
    cell: (f64, f64),
    first: (usize, usize),
    shown: (usize, usize),
    turned: bool,
    name_width: f64,
    foot: f64,
}

impl Grid {
    fn of(scene: &Scene, xs: &BandScale, ys: &BandScale, first: (usize, usize)) -> Self {
        let widest = |s: &BandScale| {
            let w = s.names.iter().map(|n| text::width(n, FONT, false));
            w.fold(0.0, f64::max)
        };
        let name_width = widest(ys).min((scene.width * 0.3).min(300.0)).max(8.0);
        let left = name_width + 16.0;
        let top = if scene.width < NARROW { 64.0 } else { 44.0 };
        let room = (scene.width - left - 12.0).max(CELL.0);
        let fit = |room: f64, n: usize, (least, most): (f64, f64)| {
            let size = (room / n.max(1) as f64).clamp(least, most);
            (size, ((room / size + 1e-9) as usize).clamp(1, n.max(1)).min(n))
        };
        let widest_cell = match xs.len() {
            n if n <= FEW.0 => FEW.1,
            _ => CELL.1,
        };
        let (w, shown_x) = fit(room, xs.len(), (CELL.0, widest_cell));
        let widest_x = widest(xs);
        let turned = widest_x + 6.0 > w;
        let foot = if turned {
            widest_x
                .min(scene.height * if ys.len() == 1 { 0.45 } else { 0.3 })
                .min(MOST_FOOT - 14.0)
                + 14.0
        } else {
            FONT * text::LINE + 10.0
        };
        let title = FONT * text::LINE + 4.0;
        let room_y = (scene.height - top - foot - title - 4.0).max(CELL_HEIGHT.0);
        let most = if ys.len() == 1 { ROW_HEIGHT } else { CELL_HEIGHT.1 };
        let (h, shown_y) = fit(room_y, ys.len(), (CELL_HEIGHT.0, most));
        let start = |first: usize, n: usize, shown: usize| first.min(n.saturating_sub(shown));
        Grid {
            origin: (left, top),
            cell: (w, h),
            first: (start(first.0, xs.len(), shown_x), start(first.1, ys.len(), shown_y)),
            shown: (shown_x, shown_y),
            turned,
            name_width,
            foot,
        }
    }

    fn rect(&self) -> Rect {
        [
            self.origin.0,
            self.origin.1,
            self.cell.0 * self.shown.0 as f64,
            self.cell.1 * self.shown.1 as f64,
        ]
    }

    fn cell_rect(&self, column: usize, row: usize, gap: f64) -> Rect {
        [
            self.origin.0 + self.cell.0 * column as f64,
            self.origin.1 + self.cell.1 * row as f64,
            self.cell.0 - gap,
            self.cell.1 - gap,
        ]
    }
}

fn axis_labels(scene: &mut Scene, theme: &Theme, grid: &Grid, xs: &BandScale, ys: &BandScale) {
    let (left, top) = grid.origin;
    let names = |s: &BandScale, first: usize, n: usize, room: f64| {
        let shown = s.names.iter().skip(first).take(n).map(String::as_str);
        text::cut_apart(&shown.collect::<Vec<_>>(), FONT, room)
    };
    let rows = names(ys, grid.first.1, grid.shown.1, grid.name_width);
    for (row, name) in rows.into_iter().enumerate() {
        let y = top + grid.cell.1 * (row as f64 + 0.5);
        let hang = (Anchor::End, Baseline::Middle);
        scene.text((left - 6.0, y), name, FONT, theme.text, hang);
    }
    let bottom = top + grid.cell.1 * grid.shown.1 as f64;
    let every = if grid.turned { (FONT * 1.35 / grid.cell.0).ceil().max(1.0) as usize } else { 1 };
    let room = if grid.turned { grid.foot - 12.0 } else { grid.cell.0 };
    let columns = names(xs, grid.first.0, grid.shown.0, room);
    for (column, name) in columns.into_iter().enumerate().step_by(every) {
        let x = left + grid.cell.0 * (column as f64 + 0.5);
        if grid.turned {
            scene.items.push(Item::Text {
                at: (x, bottom + 6.0),
                text: name,
                size: FONT,
                bold: false,
                color: theme.text,
                anchor: Anchor::End,
                baseline: Baseline::Middle,
                turns: 3,
            });
        } else {
            let hang = (Anchor::Middle, Baseline::Top);
            scene.text((x, bottom + 5.0), name, FONT, theme.text, hang);
        }
    }
    let hang = (Anchor::Start, Baseline::Top);
    scene.text((left, bottom + grid.foot), xs.label.clone(), FONT, theme.muted, hang);
    if !ys.label.is_empty() {
        let hang = (Anchor::End, Baseline::Bottom);
        let label = text::ellipsis(&ys.label, FONT, left - 8.0);
        scene.text((left - 6.0, top - 4.0), label, FONT, theme.muted, hang);
    }
}

/// Title, and the bar of colours with its ticks; returns where the bar is.
fn draw_legend(scene: &mut Scene, map: &Heatmap, theme: &Theme, title: &str) -> DragArea {
    let (kind, range, value) = (map.kind, map.range, &map.settings.value);
    let narrow = scene.width < NARROW;
    let w = if narrow { scene.width - 24.0 } else { 220.0 }.max(40.0);
    let bar = if narrow { [12.0, 28.0, w, 8.0] } else { [scene.width - w - 16.0, 8.0, w, 8.0] };
    let room = if narrow { scene.width - 24.0 } else { bar[0] - 36.0 };
    let title = text::ellipsis(title, FONT + 1.0, room.max(0.0));
    let hang = (Anchor::Start, Baseline::Top);
    scene.text((12.0, 6.0), title, FONT + 1.0, theme.text, hang);
    const STEPS: usize = 44;
    for i in 0..STEPS {
        let x = bar[0] + bar[2] * i as f64 / STEPS as f64;
        let next = bar[0] + bar[2] * (i + 1) as f64 / STEPS as f64;
        let color: Color = shown((i as f64 + 0.5) / STEPS as f64, theme);
        scene.fill([x, bar[1], next - x, bar[3]], color);
    }
    let unit = column_format::unit_for(&value.unit);
    let scaled = (range.0 / unit.factor, range.1 / unit.factor);
    let scale = Scale::new(kind, scaled, (bar[0], bar[0] + bar[2]));
    let mut last = f64::NEG_INFINITY;
    for tick in ticks::ticks(&scale, 4, &Format::plain("")) {
        let Some(label) = tick.label else { continue };
        let w = text::width(&label, FONT - 1.0, false);
        let x = scale.px(tick.value).clamp(w / 2.0 + 2.0, scene.width - w / 2.0 - 2.0);
        if x - w / 2.0 < last + 6.0 {
            continue;
        }
        last = x + w / 2.0;
        let hang = (Anchor::Middle, Baseline::Top);
        scene.text((x, bar[1] + bar[3] + 2.0), label, FONT - 1.0, theme.muted, hang);
    }
    DragArea::Range {
        rect: bar,
        field: value.field.to_string(),
        scale: Scale::new(kind, range, (bar[0], bar[0] + bar[2])),
    }
}
