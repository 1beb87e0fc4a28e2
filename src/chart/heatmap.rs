//! The heatmap: any two fields as axes, any figure as colour; or one row of cells.

use super::coloring::shown;
use super::combine::{Combine, Groups, best_first};
use super::labels::Rect;
use super::layout::{self, FONT, NARROW};
use super::palette::{Theme, alpha, on};
use super::scale::{Kind, extent};
use super::scene::{Anchor, Baseline, Color, Item, Mark, Scene, Table};
use super::slots::{Order, Slots};
use super::text;
use super::ticks::{self, Format};
use crate::cells;
use crate::field::{FieldInfo, Frame};

/// Everything a heatmap is drawn from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Data, figures, passing rows.
    pub frame: &'a Frame,
    /// Columns of cells.
    pub x: &'a FieldInfo,
    /// Rows of cells; `None` is the one-row heatmap.
    pub y: Option<&'a FieldInfo>,
    /// What the colour shows.
    pub value: &'a FieldInfo,
    /// How several rows become one cell.
    pub combine: Combine,
    /// Order of the columns.
    pub order_x: Order,
    /// Order of the rows.
    pub order_y: Order,
    /// Spacing of the colours; `None` takes what suits the figure.
    pub log: Option<bool>,
    /// Values at the two ends of the colours; `None` takes all.
    pub range: Option<(f64, f64)>,
    /// First column and row that show, where not all fit.
    pub first: (usize, usize),
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Colours of the page.
    pub theme: &'a Theme,
}

/// The colours' legend, for dragging its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Where the bar was drawn.
    pub bar: Rect,
    /// Spacing.
    pub kind: Kind,
    /// Lowest and highest value of all cells.
    pub data: (f64, f64),
    /// Values at the two ends of the colours.
    pub range: (f64, f64),
}

/// A drawn heatmap.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The picture; its marks are the cells.
    pub scene: Scene,
    /// The colours.
    pub legend: Legend,
    /// All columns and rows.
    pub size: (usize, usize),
    /// Those that show.
    pub visible: (usize, usize),
    /// The cells as a table: all of them.
    pub table: Table,
}

/// Narrowest and widest cell in px.
const CELL: (f64, f64) = (7.0, 112.0);
/// Lowest and highest cell in px.
const CELL_HEIGHT: (f64, f64) = (13.0, 64.0);

/// Draws the heatmap.
pub fn heatmap(input: &Input<'_>) -> Chart {
    let theme = input.theme;
    let frame = input.frame;
    let mut xs = Slots::of(frame, input.x, input.order_x);
    let mut ys = match input.y {
        Some(info) => Slots::of(frame, info, input.order_y),
        None => Slots::single(frame),
    };
    let better = input.value.higher_is_better.unwrap_or(true);
    for (slots, order) in [(&mut xs, input.order_x), (&mut ys, input.order_y)] {
        if order == Order::Value {
            let groups = Groups::of(frame, slots.len(), |i| slots.of[i]);
            let figures = groups.figures(frame, input.value, input.combine);
            slots.reorder(&best_first(&figures, better));
        }
    }
    let (nx, ny) = (xs.len(), ys.len());
    let cell_of = |i: usize| match (xs.of[i], ys.of[i]) {
        (Slots::NONE, _) | (_, Slots::NONE) => Slots::NONE,
        (x, y) => y.saturating_mul(nx as u32).saturating_add(x),
    };
    let groups = Groups::of(frame, nx * ny, cell_of);
    let figures = groups.figures(frame, input.value, input.combine);

    let kind = match input.log.unwrap_or(input.value.log) {
        true if figures.iter().any(|v| *v > 0.0) => Kind::Log,
        _ => Kind::Linear,
    };
    let data = extent(kind, figures.iter().copied()).unwrap_or((1.0, 10.0));
    let range = input
        .range
        .filter(|(a, b)| kind.forward(*a).is_finite() && kind.forward(*b).is_finite() && b > a)
        .unwrap_or(match input.value.unit.as_str() {
            // A share of a roof has its ends; what passes them is framed, not given the scale.
            "%" if kind == Kind::Linear && data.0 >= 0.0 => (0.0, 1.0),
            _ => data,
        });
    let share = |v: f64| {
        let (a, b) = (kind.forward(range.0), kind.forward(range.1));
        let t = (kind.forward(v) - a) / (b - a);
        if t.is_nan() { 0.5 } else { t.clamp(0.0, 1.0) }
    };

    let mut scene = Scene::new(input.width, input.height, "");
    scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
    let title = format!(
        "{}, {} of each cell",
        cells::title(input.value),
        input.combine.label()
    );
    scene.title = match input.y {
        Some(y) => format!("Heatmap of {title}: {} by {}", y.label, input.x.label),
        None => format!("Heatmap of {title} by {}", input.x.label),
    };
    let grid = Grid::of(&scene, &xs, &ys, input.first);
    let legend = Legend {
        bar: draw_legend(&mut scene, input, &title, kind, range),
        kind,
        data,
        range,
    };
    if nx * ny == 0 {
        let why = if frame.data.is_empty() {
            "No GEMMs yet: open a file."
        } else {
            "No GEMM passes the filters."
        };
        let all = [0.0, 0.0, scene.width, scene.height];
        layout::message(&mut scene, all, theme, why);
    }
    scene.fill(grid.rect(), theme.panel);
    let gap = if grid.cell.0 < 10.0 { 0.0 } else { 1.0 };
    let mut over = 0;
    for row in 0..grid.shown.1 {
        for column in 0..grid.shown.0 {
            let (x, y) = (grid.first.0 + column, grid.first.1 + row);
            let slot = y * nx + x;
            let rows = groups.get(slot);
            let v = figures.get(slot).copied().unwrap_or(f64::NAN);
            if rows.is_empty() {
                continue;
            }
            let rect = grid.cell_rect(column, row, gap);
            let color = if v.is_nan() {
                alpha(theme.other, 0.35)
            } else {
                shown(share(v), theme)
            };
            scene.fill(rect, color);
            if input.value.unit == "%" && v > 1.0 + 1e-6 {
                over += 1;
                let inner = [rect[0] + 1.0, rect[1] + 1.0, rect[2] - 2.0, rect[3] - 2.0];
                scene.items.push(Item::Rect {
                    rect: inner,
                    fill: None,
                    stroke: Some((theme.warn, 2.0)),
                });
            }
            let number = cells::number(input.value, v);
            let center = (rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0);
            if !number.is_empty()
                && text::width(&number, FONT, false) <= rect[2] - 4.0
                && rect[3] >= FONT * text::LINE
            {
                let hang = (Anchor::Middle, Baseline::Middle);
                scene.text(center, number.clone(), FONT, on(color), hang);
            }
            scene.marks.push(Mark {
                rows: rows.to_vec(),
                rect,
                label: cell_label(input, &xs.names[x], &ys.names[y], v, rows.len()),
            });
        }
    }
    axis_labels(&mut scene, theme, &grid, &xs, &ys);
    let (sx, sy) = grid.shown;
    if (sx, sy) != (nx, ny) {
        scene.description = format!("{sx} of {nx} columns and {sy} of {ny} rows show.");
    }
    if over > 0 {
        let note = format!("{over} cells over 100 % are framed.");
        scene.description = format!("{} {note}", scene.description).trim().to_owned();
    }
    Chart {
        table: table(input, &xs, &ys, &figures, &groups),
        scene,
        legend,
        size: (nx, ny),
        visible: grid.shown,
    }
}

fn cell_label(input: &Input<'_>, x: &str, y: &str, v: f64, rows: usize) -> String {
    let place = match input.y {
        Some(info) => format!("{} {x}, {} {y}", input.x.label, info.label),
        None => format!("{} {x}", input.x.label),
    };
    let figure = match cells::number(input.value, v).as_str() {
        "" => "no value".to_owned(),
        n => format!("{n} {}", cells::unit_for(&input.value.unit).label),
    };
    let several = match rows {
        1 => String::new(),
        n => format!(" ({} of {n} GEMMs)", input.combine.label()),
    };
    format!("{place}: {}{several}", figure.trim_end())
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
    fn of(scene: &Scene, xs: &Slots, ys: &Slots, first: (usize, usize)) -> Self {
        let widest = |s: &Slots| {
            let w = s.names.iter().map(|n| text::width(n, FONT, false));
            w.fold(0.0, f64::max)
        };
        let name_width = widest(ys).min((scene.width * 0.3).min(220.0)).max(8.0);
        let left = name_width + 16.0;
        let top = if scene.width < NARROW { 64.0 } else { 44.0 };
        let room = (scene.width - left - 12.0).max(CELL.0);
        let fit = |room: f64, n: usize, (least, most): (f64, f64)| {
            let size = (room / n.max(1) as f64).clamp(least, most);
            (
                size,
                ((room / size + 1e-9) as usize).clamp(1, n.max(1)).min(n),
            )
        };
        let (w, shown_x) = fit(room, xs.len(), CELL);
        let widest_x = widest(xs);
        let turned = widest_x + 6.0 > w;
        let foot = if turned {
            widest_x
                .min(scene.height * if ys.len() == 1 { 0.45 } else { 0.3 })
                .min(150.0)
                + 14.0
        } else {
            FONT * text::LINE + 10.0
        };
        let title = FONT * text::LINE + 4.0;
        let room_y = (scene.height - top - foot - title - 4.0).max(CELL_HEIGHT.0);
        let most = if ys.len() == 1 { 64.0 } else { CELL_HEIGHT.1 };
        let (h, shown_y) = fit(room_y, ys.len(), (CELL_HEIGHT.0, most));
        let start = |first: usize, n: usize, shown: usize| first.min(n.saturating_sub(shown));
        Grid {
            origin: (left, top),
            cell: (w, h),
            first: (
                start(first.0, xs.len(), shown_x),
                start(first.1, ys.len(), shown_y),
            ),
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

fn axis_labels(scene: &mut Scene, theme: &Theme, grid: &Grid, xs: &Slots, ys: &Slots) {
    let (left, top) = grid.origin;
    for row in 0..grid.shown.1 {
        if let Some(name) = ys.names.get(grid.first.1 + row) {
            let y = top + grid.cell.1 * (row as f64 + 0.5);
            let name = text::ellipsis_middle(name, FONT, grid.name_width);
            let hang = (Anchor::End, Baseline::Middle);
            scene.text((left - 6.0, y), name, FONT, theme.text, hang);
        }
    }
    let bottom = top + grid.cell.1 * grid.shown.1 as f64;
    let every = if grid.turned {
        (FONT * 1.35 / grid.cell.0).ceil().max(1.0) as usize
    } else {
        1
    };
    for column in (0..grid.shown.0).step_by(every) {
        let Some(name) = xs.names.get(grid.first.0 + column) else {
            continue;
        };
        let x = left + grid.cell.0 * (column as f64 + 0.5);
        if grid.turned {
            let name = text::ellipsis_middle(name, FONT, grid.foot - 12.0);
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
            let name = text::ellipsis_middle(name, FONT, grid.cell.0);
            let hang = (Anchor::Middle, Baseline::Top);
            scene.text((x, bottom + 5.0), name, FONT, theme.text, hang);
        }
    }
    let hang = (Anchor::Start, Baseline::Top);
    scene.text(
        (left, bottom + grid.foot),
        xs.label.clone(),
        FONT,
        theme.muted,
        hang,
    );
    if !ys.label.is_empty() {
        let hang = (Anchor::End, Baseline::Bottom);
        let label = text::ellipsis(&ys.label, FONT, left - 8.0);
        scene.text((left - 6.0, top - 4.0), label, FONT, theme.muted, hang);
    }
}

/// Title, and the bar of colours with its ticks; returns where the bar is.
fn draw_legend(
    scene: &mut Scene,
    input: &Input<'_>,
    title: &str,
    kind: Kind,
    range: (f64, f64),
) -> Rect {
    let theme = input.theme;
    let narrow = scene.width < NARROW;
    let w = if narrow { scene.width - 24.0 } else { 220.0 }.max(40.0);
    let bar = if narrow {
        [12.0, 28.0, w, 8.0]
    } else {
        [scene.width - w - 16.0, 8.0, w, 8.0]
    };
    let room = if narrow {
        scene.width - 24.0
    } else {
        bar[0] - 36.0
    };
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
    let unit = cells::unit_for(&input.value.unit);
    let scaled = (range.0 / unit.factor, range.1 / unit.factor);
    let scale = super::scale::Scale::new(kind, scaled, (bar[0], bar[0] + bar[2]));
    let mut last = f64::NEG_INFINITY;
    for tick in ticks::ticks(&scale, 4, &Format::plain("")) {
        let Some(label) = tick.label else { continue };
        let w = text::width(&label, FONT - 1.0, false);
        let x = scale
            .px(tick.value)
            .clamp(w / 2.0 + 2.0, scene.width - w / 2.0 - 2.0);
        if x - w / 2.0 < last + 6.0 {
            continue;
        }
        last = x + w / 2.0;
        let hang = (Anchor::Middle, Baseline::Top);
        scene.text(
            (x, bar[1] + bar[3] + 2.0),
            label,
            FONT - 1.0,
            theme.muted,
            hang,
        );
    }
    bar
}

fn table(input: &Input<'_>, xs: &Slots, ys: &Slots, figures: &[f64], groups: &Groups) -> Table {
    let mut out = Table::default();
    out.header.push(input.x.label.clone());
    if let Some(y) = input.y {
        out.header.push(y.label.clone());
    }
    out.header.push(cells::title(input.value));
    out.header.push("GEMMs".to_owned());
    for (iy, y) in ys.names.iter().enumerate() {
        for (ix, x) in xs.names.iter().enumerate() {
            let slot = iy * xs.len() + ix;
            let n = groups.get(slot).len();
            if n == 0 {
                continue;
            }
            let mut row = vec![x.clone()];
            if input.y.is_some() {
                row.push(y.clone());
            }
            row.push(cells::number(
                input.value,
                figures.get(slot).copied().unwrap_or(f64::NAN),
            ));
            row.push(n.to_string());
            out.rows.push(row);
        }
    }
    out
}
