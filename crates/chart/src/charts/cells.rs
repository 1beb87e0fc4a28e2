//! Heat map: any two fields as axes, any figure as colour; or one row of cells.

use crate::aggregate::Groups;
use crate::band_scale::{BandScale, Order};
use crate::cells::{CellMark, Cells, Numbers};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, axes};
use crate::color_scale::{ColorBar, shown};
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::palette::alpha;
use crate::scale::{ScaleKind, extent};
use crate::scene::Scene;
use crate::spec::{Figure, Name, Spec};
use crate::tooltip::Tooltip;
use gemmscope_table::column_format;
use gemmscope_table::control::Keyed;
use gemmscope_table::field::{FieldInfo, Frame};
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts as words;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "cells",
    name: "Cells",
    hint: "Where is performance good, where is it lost? Any figure by any two columns",
    params: explore::PARAMS,
    open: |inputs| CellMap::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// An opened heat map.
pub(crate) struct CellMap {
    spec: Spec,
    /// The figure shown as colour.
    value: FieldInfo,
    /// The side shown, if there are several, and a note on its rows that do not count.
    side: Option<String>,
    slower: Option<String>,
    xs: BandScale,
    ys: BandScale,
    kind: ScaleKind,
    range: (f64, f64),
}

/// Kernels are the default rows up to this number.
const KERNELS: usize = 400;

/// The colour range spans at least this factor, so that nearly equal figures get nearly one colour.
const LEAST_RANGE: f64 = 1.1;

/// Ends of the colour range, at least [`LEAST_RANGE`] apart if the figures are positive.
fn apart((low, high): (f64, f64)) -> (f64, f64) {
    if low <= 0.0 || high >= low * LEAST_RANGE {
        return (low, high);
    }
    let (middle, half) = ((low * high).sqrt(), LEAST_RANGE.sqrt());
    (middle / half, middle * half)
}

/// Most cells of a map, empty ones included; a map with more is refused.
const MOST_CELLS: usize = 4_000_000;
/// Minimum and maximum cell width, px; and the maximum with few columns, which would leave most room empty.
const CELL: (f64, f64) = (7.0, 112.0);
const FEW: (usize, f64) = (5, 220.0);
/// Minimum and maximum cell height, px, and the maximum for a single row.
const CELL_HEIGHT: (f64, f64) = (13.0, 64.0);
const ROW_HEIGHT: f64 = 120.0;
/// Maximum height for names below the cells, px.
const MOST_FOOT: f64 = 164.0;

impl CellMap {
    /// Reads the settings, chooses what is not set, and computes the cells.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let (frame, side, slower) = Explore::side(frame, state);
        let frame = &frame;
        let mut e = Explore::new(frame, state);
        e.controls.extend(side.clone());
        let (row, kernel) = (state.param(explore::Y) == Some(explore::NONE), e.kernel(KERNELS));
        let [across, down] = axes::map(frame, kernel.as_deref());
        let across = match row {
            true => kernel.unwrap_or_else(|| "shape".to_owned()),
            false => across,
        };
        let (x, y) = (e.x(None, &across), e.axis(explore::Y, "Y", Some("one row"), &down));
        let (value, aggregate) = (e.figure("Colour"), e.statistic(true));
        let order_x = e.sort(false, if row { Order::Value } else { Order::Name });
        let order_y = match row {
            true => Order::Name,
            false => e.order((explore::SORT_Y, "Sort Y"), false, Order::Name),
        };
        let (log, find) = (e.log(), e.find());

        let by = Some((&value, aggregate));
        let (mut xs, mut ys) = (x.bands(frame, order_x, by), y.bands(frame, order_y, by));
        only(&mut xs, &mut ys, &find);
        let nx = xs.len();
        let cells = nx.saturating_mul(ys.len());
        let cells = if cells > MOST_CELLS { 0 } else { cells };
        let of = xs.of.iter().zip(&ys.of).map(|band| match band {
            (&BandScale::NONE, _) | (_, &BandScale::NONE) => BandScale::NONE,
            (x, y) => y.saturating_mul(nx as u32).saturating_add(*x),
        });
        let groups = Groups::of(frame, cells, &of.collect::<Vec<u32>>());
        let figures = groups.figures(frame, &value, aggregate);
        let kind = explore::spacing(log, &value, figures.iter().copied());
        let data = extent(kind, figures.iter().copied()).unwrap_or((1.0, 10.0));
        let range = match value.unit.as_str() {
            // The colours of a share of a roof have a fixed range; cells beyond it are framed.
            "%" if kind == ScaleKind::Linear && data.0 >= 0.0 => (0.0, 1.0),
            _ => apart(data),
        };
        let (columns, rows) = (xs.names.clone(), ys.names.clone());
        let mut names: Vec<(String, Name)> =
            vec![(xs.label.clone(), Box::new(move |cell| columns[cell % nx].clone()))];
        if y != Axis::One {
            names.push((ys.label.clone(), Box::new(move |cell| rows[cell / nx].clone())));
        }
        let order = (0..cells).filter(|cell| !groups.get(*cell).is_empty()).collect();
        let figure = Figure::new(&value.label, &value.unit, figures);
        let spec = Spec {
            order,
            statistic: Some(aggregate),
            find,
            ..Spec::new(frame, "cells", names, groups, vec![figure])
        };
        let side = side.map(|s| s.current).filter(|s| s != explore::ALL_SIDES);
        Chart::of(CellMap { spec, value, side, slower, xs, ys, kind, range }, e.controls)
    }

    /// Name of what the colours show.
    fn shown(&self) -> String {
        let side = self.side.as_ref().map_or(String::new(), |s| format!(", {s}"));
        let statistic = self.spec.statistic.map_or("", Keyed::caption);
        format!("{}, {statistic}{side}", column_format::title(&self.value))
    }

    fn above(&self, figure: f64) -> bool {
        self.value.unit == "%" && figure > ABOVE_ROOF
    }
}

/// Keeps the columns whose name matches, or if none does, the rows.
fn only(xs: &mut BandScale, ys: &mut BandScale, text: &str) {
    let mut found = xs.clone();
    found.find(text);
    if found.is_empty() && ys.names.len() > 1 {
        ys.find(text);
    } else {
        *xs = found;
    }
}

impl Picture for CellMap {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        match &self.spec.names[..] {
            [(x, _), (y, _)] => format!("{}: {y} by {x}", self.shown()),
            _ => format!("{} by {}", self.shown(), self.xs.label),
        }
    }

    fn notes(&self) -> Vec<String> {
        let over = self.spec.figures[0].of.iter().filter(|v| self.above(**v)).count() as u64;
        let over = (over > 0).then(|| words::cells_above(over));
        let binned = self.xs.binned || self.ys.binned;
        let binned = binned.then(|| words::BINNED.to_owned());
        let own = over.into_iter().chain(binned).chain(self.slower.clone());
        own.chain(self.spec.notes()).collect()
    }

    fn obstacle(&self) -> Option<String> {
        let (nx, ny) = (self.xs.len(), self.ys.len());
        let many = nx.saturating_mul(ny) > MOST_CELLS;
        many.then(|| words::too_many_cells(nx, ny)).or_else(|| self.spec.obstacle())
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let (xs, ys, value) = (&self.xs, &self.ys, &self.value);
        let cell = |(x, y): (usize, usize), _: (f64, f64)| {
            let group = y * xs.len() + x;
            let (rows, v) = (self.spec.groups.get(group), self.spec.figures[0].of[group]);
            let fill = match v.is_nan() {
                true => alpha(theme.other, 0.35),
                false => shown(self.kind.part(v, self.range), theme),
            };
            let (text, tooltip) = (column_format::number(value, v), Tooltip::of(group));
            (!rows.is_empty()).then(|| CellMark {
                frame: self.above(v).then_some(theme.warn),
                ..CellMark::new(fill, text, rows.to_vec(), tooltip)
            })
        };
        let bar = ColorBar { title: &self.shown(), of: value, kind: self.kind, range: self.range };
        bar.draw(scene);
        let [left, _, width, height] = room;
        // Names above the cells stand below the bar of colours.
        let top = if width < NARROW { 76.0 } else { 56.0 };
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
            edge: 0.0,
            first: options.first,
            cell: &cell,
        };
        cells.draw(scene, [left, top, width, height - top]);
    }

    fn heights(&self, width: f64) -> Heights {
        let one = self.spec.names.len() == 1;
        let own = if one { (300.0, 300.0) } else { (380.0, 440.0) };
        // Beyond this height cells do not grow.
        let cells = match self.ys.len() {
            1 => ROW_HEIGHT,
            n => CELL_HEIGHT.1 * n as f64,
        };
        let most = (96.0 + MOST_FOOT + cells).max(300.0);
        Heights { least: 220.0, most, ..Heights::of(width, own) }
    }
}
