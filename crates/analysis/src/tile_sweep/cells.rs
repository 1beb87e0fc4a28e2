//! The cells of a line of a sweep, its best one, and the one that the model names.

use super::panels::Reading;
use super::{Cell, FLAT_M, Line, NEAR, TileSource};
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::{Bound, Roof};
use gemmscope_model::tiling::flat::{self, Region};
use gemmscope_model::tiling::{Axis, Tile, Tiling, tile_traffic};

/// The cells of the line of a problem, of rows that ascend, on a device of so many units and with a roof.
pub(super) fn cells(
    Reading { frame, source, settings, axis }: Reading<'_>,
    columns: &[(u32, u32)],
    rows: &[usize],
    problem: &Problem,
    (units, roof): (Option<u32>, Option<Roof>),
) -> Vec<Cell> {
    let empty = || Cell {
        row: None,
        rows: Vec::new(),
        share: f64::NAN,
        rate: f64::NAN,
        tile: (None, None),
        workgroups: None,
        waves: None,
        region: None,
    };
    let mut cells: Vec<Cell> = columns.iter().map(|_| empty()).collect();
    for &r in rows {
        let column = settings[r].at(axis).and_then(|at| columns.binary_search(&at).ok());
        let Some(cell) = column.map(|i| &mut cells[i]) else { continue };
        cell.rows.push(r as u32);
        // A row of a best-tile file belongs to its shape; it is not a measurement of the cell.
        let rate = frame.metrics.rate(&frame.data, r);
        let measured = source != TileSource::BestColumn && rate.is_finite();
        if measured && (cell.row.is_none() || rate > cell.rate) {
            (cell.row, cell.rate) = (Some(r as u32), rate);
        }
    }
    let computes = roof.is_some_and(|r| r.bound(problem.intensity().0) == Bound::Compute);
    for (cell, &column) in cells.iter_mut().zip(columns) {
        let known = |v: u32| (v > 0).then_some(v);
        let (tile, split_k) = match cell.row.map(|r| settings[r as usize]) {
            Some(s) => ((known(s.m), known(s.n)), s.split_k.max(1)),
            None => match axis {
                Axis::Bn => ((None, known(column.0)), 1),
                Axis::Bm => ((known(column.0), None), 1),
                Axis::BmBn => ((known(column.0), known(column.1)), 1),
                _ => ((None, None), 1),
            },
        };
        cell.tile = tile;
        occupy(cell, problem, split_k, units);
        if computes && cell.region == Some(Region::Memory) {
            // Enough blocks, and arithmetic limits this shape: memory does not.
            cell.region = None;
        }
    }
    cells
}

/// Counts workgroups and waves. A flat GEMM is not tiled along M, so there BN is enough.
fn occupy(cell: &mut Cell, problem: &Problem, split_k: u32, units: Option<u32>) {
    let (bm, bn) = cell.tile;
    let flat = problem.m <= FLAT_M && bm.is_none_or(|bm| bm >= problem.m);
    let tile = match (bm, bn) {
        (Some(m), Some(n)) => Tile { m, n, k: None },
        (None, Some(n)) if flat => Tile { m: problem.m, n, k: None },
        _ => return,
    };
    let Some(tiling) = Tiling::of(problem, tile, split_k) else {
        return;
    };
    cell.workgroups = Some(tiling.workgroups());
    let Some(units) = units else {
        return;
    };
    cell.waves = tiling.waves(units).map(|w| (w.waves, w.tile_efficiency, w.wave_efficiency));
    cell.region = Some(if tiling.workgroups() < u64::from(units) {
        Region::Parallelism
    } else {
        Region::Memory
    });
}

/// Normalises a line and finds its best cell; of equal ones the first, with the smaller tile.
pub(super) fn best_of(cells: &mut [Cell]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (i, c) in cells.iter().enumerate() {
        if c.rate.is_finite() && best.is_none_or(|b| c.rate > cells[b].rate) {
            best = Some(i);
        }
    }
    let top = cells.get(best?)?.rate;
    for c in cells.iter_mut() {
        c.share = c.rate / top;
    }
    best
}

pub(super) fn model(
    line: &Line,
    columns: &[(u32, u32)],
    axis: Axis,
    units: Option<u32>,
    roof: Option<Roof>,
) -> Option<usize> {
    let units = units?;
    let p = &line.problem;
    if axis == Axis::Bn && p.m <= FLAT_M {
        let candidates: Vec<u32> = columns.iter().map(|c| c.0).collect();
        let tick = flat::model_tick(p.n, &candidates, units)?;
        return columns.iter().position(|c| c.0 == tick);
    }
    // The other axes do not change the tiles, so the roof of the tile does not depend on them.
    if !matches!(axis, Axis::Bn | Axis::Bm | Axis::BmBn) {
        return None;
    }
    let roof = roof?;
    let intensity = p.intensity().0;
    let candidates: Vec<(f64, f64, usize)> = line
        .cells
        .iter()
        .enumerate()
        .filter_map(|(i, c)| {
            let ((_, tile_eff, wave_eff), m, n) = (c.waves?, c.tile.0?, c.tile.1?);
            let allowed = (roof.peak_flops_per_s * tile_eff * wave_eff)
                .min(intensity * roof.bandwidth_bytes_per_s);
            Some((allowed, tile_traffic(p, Tile { m, n, k: None }).0, i))
        })
        .collect();
    let top = candidates.iter().map(|c| c.0).fold(0.0, f64::max);
    candidates
        .into_iter()
        .filter(|c| c.0 >= top * (1.0 - NEAR))
        .min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)))
        .map(|c| c.2)
}
