//! Cells: any two fields as axes, any figure as colour; or one row of cells.

mod draw;

use crate::aggregate::{Aggregate, Groups, distinct};
use crate::band_scale::{BandScale, Order};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, nothing};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::scale::{Kind, extent};
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_table::column_format;
use gemmscope_table::control::Keyed;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "cells",
    name: "Cells",
    hint: "Where is performance good, where is it lost? Any figure by any two columns",
    params: explore::PARAMS,
    open: |inputs| CellMap::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// An opened map of cells.
#[derive(Debug)]
pub(crate) struct CellMap {
    frame: Frame,
    /// What the colour shows.
    value: FieldInfo,
    /// How several rows become one cell.
    aggregate: Aggregate,
    /// Only columns or rows whose name contains this.
    find: String,
    /// The side that cells are of, where there are several.
    side: Option<String>,
    /// What is said of the rows of that side that do not count.
    slower: Option<String>,
    /// All cells stand in one row.
    one: bool,
    xs: BandScale,
    ys: BandScale,
    groups: Groups,
    figures: Vec<f64>,
    kind: Kind,
    range: (f64, f64),
}

/// Kernels up to which they are the rows where nothing is chosen.
const KERNELS: usize = 400;
/// The axes that a map may start with, the most telling first.
const AXES: [(&str, &str); 4] = [("k", "mxn"), ("n", "m"), ("k", "m"), ("k", "n")];
/// A map with this share of its cells filled is no blank sheet.
const FILLED: f64 = 0.3;
/// Rows that are looked at to choose the axes.
const LOOKED_AT: usize = 20_000;

/// The tile of the variants of a sweep, where their file tells it: that is what they differ in.
fn tiles(frame: &Frame) -> Option<[String; 2]> {
    let key = |meaning| {
        let column = frame.data.column(meaning)?;
        Some(Field::Column(column.key.clone()).to_string())
    };
    let tiles = [key(ColumnMeaning::TileN)?, key(ColumnMeaning::TileM)?];
    (frame.kind() == DataKind::Sweep).then_some(tiles)
}

/// The first axes whose map is not mostly blank; else those with the least blank. Kernels are the rows
/// where they fill a map.
fn filled(frame: &Frame, kernel: Option<&str>) -> [String; 2] {
    let data = &*frame.data;
    let kernels = data.codes(ColumnMeaning::Kernel);
    let step = frame.rows.len() / LOOKED_AT + 1;
    let value = |axis: &str, row: usize| {
        let [m, n, k] = [data.m[row], data.n[row], data.k[row]].map(u64::from);
        match axis {
            "m" => m,
            "n" => n,
            "k" => k,
            "mxn" => m << 32 | n,
            _ => kernels.map_or(0, |codes| u64::from(codes[row])),
        }
    };
    let share = |&(x, y): &(&str, &str)| {
        let rows = frame.rows.iter().step_by(step).map(|r| *r as usize);
        let cells = distinct(rows.map(|r| (value(x, r), value(y, r))));
        let along = |of: fn(&(u64, u64)) -> u64| distinct(cells.iter().map(of)).len() as f64;
        cells.len() as f64 / (along(|c| c.0) * along(|c| c.1))
    };
    if let Some(kernel) = kernel
        && share(&("k", "kernel")) >= FILLED
    {
        return ["k".to_owned(), kernel.to_owned()];
    }
    let shares = AXES.map(|axes| share(&axes));
    let most = shares.iter().copied().fold(0.0, f64::max);
    let enough = most.min(FILLED);
    let found = AXES.iter().zip(shares).find(|(_, s)| *s >= enough);
    let (x, y) = found.map_or(AXES[0], |(axes, _)| *axes);
    [x, y].map(str::to_owned)
}

/// Figures that differ by less than this factor get nearly one colour.
const LEAST_RANGE: f64 = 1.1;

/// The ends of the colours, not closer than [`LEAST_RANGE`] where figures are positive.
fn apart((low, high): (f64, f64)) -> (f64, f64) {
    if low <= 0.0 || high >= low * LEAST_RANGE {
        return (low, high);
    }
    let (middle, half) = ((low * high).sqrt(), LEAST_RANGE.sqrt());
    (middle / half, middle * half)
}

/// Most cells of a map, empty ones included; an axis with more values is refused.
const MOST_CELLS: usize = 4_000_000;

impl CellMap {
    /// Reads the settings, chooses what is not set, and computes the cells.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let (frame, side, slower) = Explore::side(frame, state);
        let frame = &frame;
        let mut e = Explore::new(frame, state);
        e.controls.extend(side.clone());
        let (row, kernel) = (state.param(explore::Y) == Some(explore::NONE), e.kernel(KERNELS));
        let [across, down] = tiles(frame).unwrap_or_else(|| filled(frame, kernel.as_deref()));
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
        if !find.trim().is_empty() {
            only(&mut xs, &mut ys, &find);
        }
        let nx = xs.len();
        let cells = nx.saturating_mul(ys.len());
        let cells = if cells > MOST_CELLS { 0 } else { cells };
        let groups = Groups::of(frame, cells, |i| match (xs.of[i], ys.of[i]) {
            (BandScale::NONE, _) | (_, BandScale::NONE) => BandScale::NONE,
            (x, y) => y.saturating_mul(nx as u32).saturating_add(x),
        });
        let figures = groups.figures(frame, &value, aggregate);
        let kind = explore::spacing(log, &value, figures.iter().copied());
        let data = extent(kind, figures.iter().copied()).unwrap_or((1.0, 10.0));
        let range = match value.unit.as_str() {
            // The colours of a share of a roof have fixed ends; values past them are framed.
            "%" if kind == Kind::Linear && data.0 >= 0.0 => (0.0, 1.0),
            _ => apart(data),
        };
        let out = CellMap {
            side: side.map(|s| s.current).filter(|s| s != explore::ALL_SIDES),
            slower,
            one: y == Axis::One,
            frame: frame.clone(),
            value,
            aggregate,
            find,
            xs,
            ys,
            groups,
            figures,
            kind,
            range,
        };
        Chart::of(out, e.controls)
    }

    /// What the colours show.
    fn shown(&self) -> String {
        let side = self.side.as_ref().map_or(String::new(), |s| format!(", {s}"));
        format!("{}, {}{side}", column_format::title(&self.value), self.aggregate.caption())
    }

    /// The figures of a cell.
    fn columns(&self) -> Columns<'_, usize> {
        let nx = self.xs.len().max(1);
        let x = move |cell: &usize| self.xs.names[cell % nx].clone();
        let columns = Columns::new().text(&*self.xs.label, x).no_tip();
        let columns = match self.one {
            true => columns,
            false => columns.text(&*self.ys.label, move |c| self.ys.names[c / nx].clone()).no_tip(),
        };
        columns
            .text(column_format::title(&self.value), |cell| {
                column_format::number(&self.value, self.figures[*cell])
            })
            .text("GEMMs", |cell| self.groups.get(*cell).len().to_string())
            .no_tip()
    }
}

/// Columns that are found by name; where none is, rows.
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
    fn title(&self) -> String {
        let (xs, ys) = (&self.xs.label, &self.ys.label);
        match self.one {
            true => format!("{} by {xs}", self.shown()),
            false => format!("{}: {ys} by {xs}", self.shown()),
        }
    }

    fn notes(&self) -> Vec<String> {
        let (mut several, mut over, mut filled) = (0, 0u64, 0);
        for (band, v) in self.figures.iter().enumerate() {
            let n = self.groups.get(band).len();
            filled += usize::from(n > 0);
            several += usize::from(n > 1);
            over += u64::from(self.value.unit == "%" && *v > ABOVE_ROOF);
        }
        let mut out = Vec::new();
        out.extend(explore::of_several((several, filled), "cells", self.aggregate));
        if over > 0 {
            out.push(format!(
                "{} above the roof: framed.",
                gemmscope_model::units::plural(over, "cell")
            ));
        }
        if self.xs.binned || self.ys.binned {
            out.push("Numbers are binned.".to_owned());
        }
        out.extend(self.slower.clone());
        out.extend(explore::left_out(&self.frame, &self.groups, None, &self.find));
        out
    }

    fn obstacle(&self) -> Option<String> {
        let cells = self.xs.len().saturating_mul(self.ys.len());
        if let Some(why) = nothing(&self.frame) {
            Some(why.to_owned())
        } else if cells == 0 {
            Some(match self.find.trim() {
                "" => "No GEMM has a value on both axes: choose others.".to_owned(),
                text => format!("No name contains {text:?}."),
            })
        } else if cells > MOST_CELLS {
            Some(format!(
                "{} × {} cells are too many: choose an axis with fewer values, or filter.",
                self.xs.len(),
                self.ys.len()
            ))
        } else {
            None
        }
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        draw::draw(self, scene, room, options);
    }

    fn tooltip(&self, cell: usize) -> Tooltip {
        let (xs, ys) = (&self.xs, &self.ys);
        let x = &xs.names[cell % xs.len()];
        let head = match self.one {
            true => x.clone(),
            false => format!("{} {x}, {} {}", xs.label, ys.label, ys.names[cell / xs.len()]),
        };
        self.columns().tooltip(head, &cell)
    }

    fn table(&self) -> Table {
        let filled = |cell: &usize| !self.groups.get(*cell).is_empty();
        self.columns().table((0..self.figures.len()).filter(filled))
    }

    fn heights(&self, width: f64) -> Heights {
        let own = if self.one { (300.0, 300.0) } else { (380.0, 440.0) };
        Heights { least: 220.0, most: draw::most_height(self), ..Heights::of(width, own) }
    }
}
