//! Sweeps over tiles: for each shape the best measured tile, the tile that a model suggests, and the limit of each
//! cell.
//!
//! The model depends on the shape. For a flat GEMM (M up to [`FLAT_M`], tiled along N only) it is
//! [`model_tick`](gemmscope_model::tiling::flat::model_tick).
//! For other shapes it suggests, among the tiles whose roof is within 10 % of the highest, the one with the least
//! traffic between L2 and the units.

use cells::Tried;
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Roof;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::Region;
use gemmscope_table::field::Frame;

mod cells;
mod influence;
mod name_parts;
mod panels;
mod settings;
mod single_choice;

pub use influence::MOST_ROWS;
pub use influence::{Influence, LITTLE, influences};
use panels::{Reading, Run, by_shape};
use settings::{Setting, settings};
pub use settings::{TileRuns, has_tiles, launch_of, only_best_tiles};
pub use single_choice::SingleChoice;

/// Maximum M for the flat GEMM model: up to here the paper argues against padding.
pub const FLAT_M: u32 = 64;

/// Tile roofs this close count as equal: waves do not run in lockstep, so traffic matters more than a few per cent of
/// wave efficiency.
const NEAR: f64 = 0.1;

/// Source of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileSource {
    /// Columns of the file.
    Columns,
    /// The kernels' names.
    KernelNames,
    /// A column with the best tile of each shape, without a sweep.
    BestColumn,
}

/// One shape and column of a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The fastest row of the cell; `None` if nothing was measured.
    pub row: Option<u32>,
    /// Its rate / best rate of the line.
    pub share: f64,
    /// Rate, FLOP/s; NaN if nothing was measured.
    pub rate: f64,
    /// Tile of the fastest row, or of the column if nothing was measured.
    pub tile: (Option<u32>, Option<u32>),
    /// Number of workgroups, if they can be counted.
    pub workgroups: Option<u64>,
    /// Number of waves, tile efficiency and wave efficiency, if tile and units are known.
    pub waves: Option<(u64, f64, f64)>,
    /// What limits the cell in the model; `None` without the device's unit count, or if the shape is compute-bound and
    /// has enough blocks.
    pub region: Option<Region>,
}

/// One shape of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepLine {
    /// The shape.
    pub problem: Problem,
    /// The measured columns, ascending, from which [`Panel::cell`] makes cells.
    tried: Vec<Tried>,
    /// Rows that state the best tile, if nothing was measured.
    pub stated: Vec<u32>,
    /// Column of the best measured tile; `None` with fewer than two measured tiles.
    pub best: Option<usize>,
    /// Column that the model suggests; `None` if it does not apply.
    pub model: Option<usize>,
}

/// The shapes of one K, type and device.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// `K = 4096, M = 8, fp16`.
    pub title: String,
    /// Columns of the map: one tile number, or two.
    pub columns: Vec<(u32, u32)>,
    /// Lines, ascending by N, then M.
    pub lines: Vec<SweepLine>,
    /// What the columns are.
    pub axis: Axis,
    /// Units of the device (SMs, CUs), if known.
    pub units: Option<u32>,
    /// Roof of its shapes, if known.
    pub roof: Option<Roof>,
    /// Vendor's name for a unit.
    pub unit_kind: String,
    /// Name of the device, if known.
    pub device: String,
    /// Sizes in the label of a line.
    pub line_name: LineName,
}

/// Sizes in the labels of a panel's lines; sizes that all lines share are in the title.
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
    /// Axis title: `M × N`.
    pub fn label(self) -> &'static str {
        match self {
            LineName::N => "N",
            LineName::MN => "M × N",
            LineName::MNK => "M × N × K",
        }
    }
}

impl Panel {
    /// Label of a column.
    pub fn column_label(&self, i: usize) -> String {
        match self.columns.get(i) {
            Some((a, 0)) => a.to_string(),
            Some((a, b)) => format!("{a}×{b}"),
            None => String::new(),
        }
    }

    /// Label of a line.
    pub fn line_label(&self, i: usize) -> String {
        let Some(Problem { m, n, k, batch, .. }) = self.lines.get(i).map(|l| &l.problem) else {
            return String::new();
        };
        let sizes = match self.line_name {
            LineName::N => n.to_string(),
            LineName::MN => format!("{m} × {n}"),
            LineName::MNK => format!("{m} × {n} × {k}"),
        };
        if *batch > 1 { format!("{batch} of {sizes}") } else { sizes }
    }
}

/// A sweep as panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Source of the tiles.
    pub source: TileSource,
    /// Axis of the columns.
    pub axis: Axis,
    /// Axes with more than one value in the data.
    pub axes: Vec<Axis>,
    /// Panels, by type, K and device.
    pub panels: Vec<Panel>,
    /// Number of shapes with a single tile, which are not drawn.
    pub single: u64,
    /// Number of lines whose measured best and model agree, and of lines that have both.
    pub agreement: (u64, u64),
    /// Geometric mean of (rate of the model's tile / best rate) over lines with both; NaN without such lines.
    pub model_reaches: f64,
}

/// Why there is nothing to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSweep {
    /// No column and no kernel name has a tile.
    NoTiles,
    /// Every shape has a single tile.
    SingleTile(TileSource, u64),
    /// In every row the tile is as wide as N.
    TileIsShape(u64),
}

impl Sweep {
    /// The rows of a frame as a sweep along `axis`, by default the first of its axes.
    pub fn new(frame: &Frame, axis: Option<Axis>) -> Result<Sweep, NoSweep> {
        let (source, setting) = settings(frame).ok_or(NoSweep::NoTiles)?;
        let data = &*frame.data;
        let best = source == TileSource::BestColumn;
        let measured = |r: usize| best || crate::compare::measured(data, r);
        let set = |r: usize| setting(r) != Setting::default();
        let rows = frame.rows.iter().copied();
        let rows: Vec<u32> = rows.filter(|&r| measured(r as usize) && set(r as usize)).collect();
        if rows.is_empty() {
            return Err(NoSweep::NoTiles);
        }
        let run = |(shape, row): (u64, u32)| {
            let (setting, time_s) = (setting(row as usize), data.time_s[row as usize]);
            Run { shape, row, setting, time_s }
        };
        let runs: Vec<Run> = by_shape(frame, &rows).into_iter().map(run).collect();
        if best {
            let reading = Reading { frame, source, axis: Axis::Bn };
            return Ok(reading.sweep(&runs, vec![Axis::Bn]));
        }
        if rows.len() > 1 && runs.iter().all(|run| run.setting.n == data.n[run.row as usize]) {
            return Err(NoSweep::TileIsShape(rows.len() as u64));
        }
        let shapes = || runs.chunk_by(|a, b| a.shape == b.shape);
        let varies = |axis: Axis| {
            shapes().filter(|runs| runs.len() > 1).any(|runs| {
                let mut values = runs.iter().filter_map(|run| run.setting.at(axis));
                let first = values.next();
                first.is_some() && values.any(|v| Some(v) != first)
            })
        };
        let mut axes: Vec<Axis> = Axis::ALL.into_iter().filter(|a| varies(*a)).collect();
        // For flat GEMMs only BN matters; for others the whole tile.
        let flat = rows.iter().any(|&r| data.m[r as usize] <= FLAT_M);
        let both = axes.contains(&Axis::Bm) && axes.contains(&Axis::Bn);
        if let Some(tile) = axes.iter().position(|a| *a == Axis::BmBn)
            && both
            && !flat
        {
            axes[..=tile].rotate_right(1);
        }
        let Some(&first) = axes.first() else {
            return Err(NoSweep::SingleTile(source, shapes().count() as u64));
        };
        let axis = axis.filter(|a| axes.contains(a)).unwrap_or(first);
        Ok(Reading { frame, source, axis }.sweep(&runs, axes))
    }
}

#[cfg(test)]
mod tests;
