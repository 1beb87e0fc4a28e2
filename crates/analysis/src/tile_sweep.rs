//! Sweeps over tiles: for each shape the best measured tile, the tile that a model takes, and the
//! limit of each cell.
//!
//! The model depends on the shape. For a flat GEMM (M up to [`FLAT_M`], tiled along N only) it is
//! [`flat::model_tick`]. For other shapes it takes, among the tiles whose roof is within a tenth of
//! the highest, the one with the least traffic between L2 and the units.

use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::Region;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use std::collections::{BTreeMap, BTreeSet};

mod cells;
mod influence;
mod settings;
mod single_choice;

use cells::{best_of, cells, model};
pub(crate) use influence::MOST_ROWS;
pub use influence::{Influence, influences, sentence as influence_sentence};
pub use settings::{Runs, has_tiles, launch_of, only_best_tiles};
use settings::{Setting, settings};
pub use single_choice::NAMED;

/// Largest M for the model of flat GEMMs: up to here the paper argues against padding.
pub const FLAT_M: u32 = 64;

/// Roofs of tiles this close count as equal: waves do not run in lockstep, so traffic matters more
/// than a few per cent of wave efficiency.
const NEAR: f64 = 0.1;

/// The source of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileSource {
    /// Columns of the file.
    Columns,
    /// The kernels' names.
    KernelNames,
    /// A column that holds the best tile of each shape, without a sweep.
    BestColumn,
}

/// One shape and tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The fastest row of this cell; `None` if nothing was measured.
    pub row: Option<u32>,
    /// All rows of the cell.
    pub rows: Vec<u32>,
    /// Its rate over the best rate of the line.
    pub share: f64,
    /// Rate, FLOP/s; NaN if nothing was measured.
    pub rate: f64,
    /// The tile of the fastest row, or that of the axis if nothing was measured.
    pub tile: (Option<u32>, Option<u32>),
    /// Number of workgroups, if they can be counted.
    pub workgroups: Option<u64>,
    /// Waves, tile efficiency and wave efficiency, if tile and units are known.
    pub waves: Option<(u64, f64, f64)>,
    /// Limit of the cell in the model; `None` without the device's unit count, or if the shape is
    /// compute-bound and has blocks enough.
    pub region: Option<Region>,
}

/// One shape of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The shape.
    pub problem: Problem,
    /// One per column of the panel.
    pub cells: Vec<Cell>,
    /// Column of the best measured tile; `None` with fewer than two measured tiles.
    pub best: Option<usize>,
    /// Column that the model takes; `None` if it does not apply.
    pub model: Option<usize>,
}

/// The shapes of one K, type and device.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// `K = 4096, M = 8, fp16`.
    pub title: String,
    /// Columns of the map: a tile's number, or two.
    pub columns: Vec<(u32, u32)>,
    /// Ascending by N, then M.
    pub lines: Vec<Line>,
    /// Units of the device (SMs, CUs), if known.
    pub units: Option<u32>,
    /// What the vendor calls a unit.
    pub unit_kind: String,
    /// Name of the device, if known.
    pub device: String,
    /// What names a line.
    pub line_name: LineName,
}

/// What names the lines of a panel: what is the same in all of them is in the title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineName {
    /// N alone.
    N,
    /// M and N.
    MN,
    /// M, N and K.
    MNK,
}

impl LineName {
    /// Title of the axis: `M × N`.
    pub fn label(self) -> &'static str {
        match self {
            LineName::N => "N",
            LineName::MN => "M × N",
            LineName::MNK => "M × N × K",
        }
    }
}

impl Panel {
    /// The text of a column.
    pub fn column_label(&self, i: usize) -> String {
        match self.columns.get(i) {
            Some((a, 0)) => a.to_string(),
            Some((a, b)) => format!("{a}×{b}"),
            None => String::new(),
        }
    }

    /// The text of a line.
    pub fn line_label(&self, i: usize) -> String {
        match (self.lines.get(i).map(|l| &l.problem), self.line_name) {
            (Some(p), LineName::N) => p.n.to_string(),
            (Some(p), LineName::MN) => format!("{} × {}", p.m, p.n),
            (Some(p), LineName::MNK) => format!("{} × {} × {}", p.m, p.n, p.k),
            (None, _) => String::new(),
        }
    }
}

/// A sweep as panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The source of the tiles.
    pub source: TileSource,
    /// Axis of the columns.
    pub axis: Axis,
    /// Axes with more than one value in this data.
    pub axes: Vec<Axis>,
    /// Panels by type, K and device.
    pub panels: Vec<Panel>,
    /// Number of shapes with a single tile, which are not drawn.
    pub single: u64,
    /// Lines whose measured best and model agree, and lines that have both.
    pub agreement: (u64, u64),
    /// Geometric mean of the rate of the model's tile over the best one, for lines with both; NaN
    /// without such lines.
    pub model_reaches: f64,
}

/// Why there is nothing to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSweep {
    /// No column and no kernel name has a tile.
    NoTiles,
    /// Every shape has one tile.
    SingleTile(TileSource, u64),
    /// The tile is as wide as N in every row.
    TileIsShape(u64),
}

impl NoSweep {
    /// A sentence for the user.
    pub fn sentence(&self) -> String {
        match self {
            NoSweep::NoTiles => {
                "No tiles: the tile map needs columns such as tile_m and tile_n, or \
                tiles in kernel names."
                    .to_owned()
            }
            NoSweep::SingleTile(source, n) => {
                let named = match source {
                    TileSource::KernelNames => " (from the kernel's name)",
                    _ => "",
                };
                let of = match n {
                    1 => String::new(),
                    n => format!(" for each of {}", plural(*n, "shape")),
                };
                format!(
                    "Only one tile{named} was measured{of}: measure several to see which is best."
                )
            }
            NoSweep::TileIsShape(n) => format!(
                "The tile is as wide as N in all {}: keep N and vary tile_n.",
                plural(*n, "row")
            ),
        }
    }
}

impl Sweep {
    /// The rows of a frame as a sweep along `axis`, or along the first of its axes.
    pub fn new(frame: &Frame, axis: Option<Axis>) -> Result<Sweep, NoSweep> {
        let (source, settings) = settings(frame).ok_or(NoSweep::NoTiles)?;
        let data = &*frame.data;
        let rows: Vec<usize> = frame
            .rows
            .iter()
            .map(|&r| r as usize)
            .filter(|&r| settings[r] != Setting::default())
            .filter(|&r| source == TileSource::BestColumn || crate::compare::measured(data, r))
            .collect();
        if rows.is_empty() {
            return Err(NoSweep::NoTiles);
        }
        if source == TileSource::BestColumn {
            return Ok(build(frame, source, &settings, &rows, Axis::Bn, vec![Axis::Bn]));
        }
        if rows.len() > 1 && rows.iter().all(|&r| settings[r].n == data.n[r]) {
            return Err(NoSweep::TileIsShape(rows.len() as u64));
        }
        let mut shapes: BTreeMap<ShapeKey, Vec<usize>> = BTreeMap::new();
        for &r in &rows {
            shapes.entry(shape_key(frame, r)).or_default().push(r);
        }
        let varies = |axis: Axis| {
            shapes.values().any(|rows| {
                let mut values = rows.iter().filter_map(|&r| settings[r].at(axis));
                let first = values.next();
                first.is_some() && values.any(|v| Some(v) != first)
            })
        };
        let mut axes: Vec<Axis> = Axis::ALL.into_iter().filter(|a| varies(*a)).collect();
        // B_N alone is the question of flat GEMMs; of others it is the whole tile.
        let flat = rows.iter().any(|&r| data.m[r] <= FLAT_M);
        let both = axes.contains(&Axis::Bm) && axes.contains(&Axis::Bn);
        if let Some(tile) = axes.iter().position(|a| *a == Axis::BmBn)
            && both
            && !flat
        {
            axes[..=tile].rotate_right(1);
        }
        let Some(&first) = axes.first() else {
            return Err(NoSweep::SingleTile(source, shapes.len() as u64));
        };
        let axis = axis.filter(|a| axes.contains(a)).unwrap_or(first);
        Ok(build(frame, source, &settings, &rows, axis, axes))
    }
}

/// Key of rows with the same shape on the same device.
type ShapeKey = (u16, u16, u32, u32, u32, u32);

fn shape_key(frame: &Frame, r: usize) -> ShapeKey {
    let d = &*frame.data;
    (d.op[r], d.device[r], d.k[r], d.n[r], d.m[r], d.batch[r])
}

fn build(
    frame: &Frame,
    source: TileSource,
    settings: &[Setting],
    rows: &[usize],
    axis: Axis,
    axes: Vec<Axis>,
) -> Sweep {
    let data = &*frame.data;
    type Shapes = BTreeMap<ShapeKey, Vec<usize>>;
    let mut panels: BTreeMap<(u16, u16, u32), Shapes> = BTreeMap::new();
    for &r in rows.iter().filter(|&&r| settings[r].at(axis).is_some()) {
        panels
            .entry((data.op[r], data.device[r], data.k[r]))
            .or_default()
            .entry(shape_key(frame, r))
            .or_default()
            .push(r);
    }
    let mut out = Sweep {
        source,
        axis,
        axes,
        panels: Vec::new(),
        single: 0,
        agreement: (0, 0),
        model_reaches: f64::NAN,
    };
    // Panels of one line each read better as the lines of one panel.
    let together = panels.len() > 1 && panels.values().all(|shapes| shapes.len() == 1);
    if together {
        let mut joined: BTreeMap<(u16, u16, u32), Shapes> = BTreeMap::new();
        for ((op, device, _), shapes) in panels {
            joined.entry((op, device, 0)).or_default().extend(shapes);
        }
        panels = joined;
    }
    let mut reached: Vec<f64> = Vec::new();
    let several = |v: &mut Vec<u16>| {
        v.sort_unstable();
        v.dedup();
        v.len() > 1
    };
    let many_ops = several(&mut panels.keys().map(|k| k.0).collect());
    let many_devices = several(&mut panels.keys().map(|k| k.1).collect());
    for ((op, device, k), mut shapes) in panels {
        if source != TileSource::BestColumn {
            let before = shapes.len();
            shapes.retain(|_, rows| {
                let first = settings[rows[0]].at(axis);
                rows.iter().any(|&r| settings[r].at(axis) != first)
            });
            out.single += (before - shapes.len()) as u64;
            if shapes.is_empty() {
                continue;
            }
        }
        let columns = columns_of(source, settings, axis, shapes.values().flatten());
        let dev = frame.metrics.devices.get(device as usize).and_then(Option::as_ref);
        let ms: BTreeSet<u32> = shapes.keys().map(|s| s.4).collect();
        let mut title: Vec<String> = Vec::new();
        if !together {
            title.push(format!("K = {k}"));
            let one = ms.first().filter(|_| ms.len() == 1);
            title.extend(one.map(|m| format!("M = {m}")));
        }
        if many_ops {
            title.push(data.ops[op as usize].to_string());
        }
        if many_devices {
            let name = dev.map_or(data.devices[device as usize].as_str(), |d| d.name.as_str());
            title.push(name.to_owned());
        }
        if title.is_empty() {
            title.push(plural(shapes.len() as u64, "shape"));
        }
        let units = dev.and_then(|d| d.units);
        let roof = frame.metrics.roof_of(device, op);
        let mut lines = Vec::with_capacity(shapes.len());
        for rows in shapes.values() {
            let problem = data.problem(rows[0]);
            let mut line = Line {
                cells: cells(frame, settings, &columns, axis, rows, &problem, units, roof, source),
                best: None,
                model: None,
                problem,
            };
            line.best = match source {
                TileSource::BestColumn => {
                    settings[rows[0]].at(axis).and_then(|v| columns.iter().position(|c| *c == v))
                }
                _ => best_of(&mut line.cells),
            };
            line.model = model(&line, &columns, axis, units, roof);
            if let (Some(a), Some(b)) = (line.best, line.model) {
                out.agreement.0 += u64::from(a == b);
                out.agreement.1 += 1;
                reached.push(line.cells[b].share.ln());
            }
            lines.push(line);
        }
        out.panels.push(Panel {
            title: title.join(", "),
            columns,
            lines,
            units,
            unit_kind: dev.map_or_else(|| "unit".to_owned(), |d| d.unit_kind.clone()),
            device: dev.map_or_else(String::new, |d| d.name.clone()),
            line_name: match (together, ms.len()) {
                (true, _) => LineName::MNK,
                (false, 1) => LineName::N,
                (false, _) => LineName::MN,
            },
        });
    }
    reached.retain(|v| v.is_finite());
    if !reached.is_empty() {
        out.model_reaches = (reached.iter().sum::<f64>() / reached.len() as f64).exp();
    }
    out
}

fn columns_of<'a>(
    source: TileSource,
    settings: &[Setting],
    axis: Axis,
    rows: impl Iterator<Item = &'a usize>,
) -> Vec<(u32, u32)> {
    let mut set: BTreeSet<(u32, u32)> = rows.filter_map(|&r| settings[r].at(axis)).collect();
    // A column of best tiles does not tell which others were tried. Such sweeps usually try powers
    // of two, here from the smallest best to four times the largest.
    if source == TileSource::BestColumn
        && let (Some(&(lo, _)), Some(&(hi, _))) = (set.first(), set.last())
    {
        let mut next = lo.checked_next_power_of_two();
        while let Some(v) = next.filter(|v| *v <= hi.saturating_mul(4) && set.len() < 24) {
            set.insert((v, 0));
            next = v.checked_mul(2);
        }
    }
    set.into_iter().collect()
}

#[cfg(test)]
mod tests;
