//! Cells of a line of a sweep, its best column, and the model's column.

use super::settings::Setting;
use super::{Cell, FLAT_M, NEAR, Panel, SweepLine};
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Bound;
use gemmscope_model::tiling::flat::{self, Region};
use gemmscope_model::tiling::{Axis, Tile, Tiling, tile_traffic};

/// The fastest row in a column of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tried {
    pub(super) column: u32,
    pub(super) row: u32,
    /// Rate, FLOP/s.
    pub(super) rate: f64,
    /// Its rate / best rate of the line.
    pub(super) share: f64,
    pub(super) setting: Setting,
}

impl SweepLine {
    /// The fastest run in a column, if any.
    pub(super) fn tried(&self, column: usize) -> Option<&Tried> {
        let at = self.tried.partition_point(|t| (t.column as usize) < column);
        self.tried.get(at).filter(|t| t.column as usize == column)
    }

    /// Adds a run; on a tie in its column the first one stays.
    pub(super) fn add(&mut self, run: Tried) {
        let at = self.tried.partition_point(|t| t.column < run.column);
        match self.tried.get_mut(at).filter(|t| t.column == run.column) {
            None => self.tried.insert(at, run),
            Some(t) if run.rate > t.rate => *t = run,
            Some(_) => {}
        }
    }

    /// Finds the best column, on a tie the first, with the smaller tile; sets every share relative to it.
    pub(super) fn find_best(&mut self) {
        let faster = |a: Option<Tried>, b: &Tried| a.filter(|a| b.rate <= a.rate).or(Some(*b));
        let Some(best) = self.tried.iter().fold(None, faster) else { return };
        self.tried.iter_mut().for_each(|t| t.share = t.rate / best.rate);
        self.best = Some(best.column as usize);
    }
}

impl Panel {
    /// The cell of a line in a column, computed on demand because a sweep may have a million.
    pub fn cell(&self, line: &SweepLine, column: usize) -> Cell {
        let known = |v: u32| (v > 0).then_some(v);
        let tried = line.tried(column);
        let (tile, split_k) = match (tried.map(|t| t.setting), self.columns.get(column)) {
            (Some(s), _) => ((known(s.m), known(s.n)), s.split_k.max(1)),
            (None, Some(&(first, second))) => match self.axis {
                Axis::Bn => ((None, known(first)), 1),
                Axis::Bm => ((known(first), None), 1),
                Axis::BmBn => ((known(first), known(second)), 1),
                _ => ((None, None), 1),
            },
            (None, None) => ((None, None), 1),
        };
        let mut cell = Cell {
            row: tried.map(|t| t.row),
            share: tried.map_or(f64::NAN, |t| t.share),
            rate: tried.map_or(f64::NAN, |t| t.rate),
            tile,
            workgroups: None,
            waves: None,
            region: None,
        };
        occupy(&mut cell, &line.problem, split_k, self.units);
        if cell.region == Some(Region::Memory)
            && self.roof.is_some_and(|r| r.bound(line.problem.intensity().0) == Bound::Compute)
        {
            // Enough blocks and compute-bound, so memory is not the limit.
            cell.region = None;
        }
        cell
    }

    /// All cells of a line.
    pub fn cells<'a>(&'a self, line: &'a SweepLine) -> impl Iterator<Item = Cell> + 'a {
        (0..self.columns.len()).map(|column| self.cell(line, column))
    }

    /// The column that the model suggests for a line.
    pub(super) fn model(&self, line: &SweepLine) -> Option<usize> {
        let units = self.units?;
        let p = &line.problem;
        if self.axis == Axis::Bn && p.m <= FLAT_M {
            let candidates: Vec<u32> = self.columns.iter().map(|c| c.0).collect();
            let tick = flat::model_tick(p.n, &candidates, units)?;
            return self.columns.iter().position(|c| c.0 == tick);
        }
        // Other axes do not change the tile, so the tile's roof says nothing about them.
        if !matches!(self.axis, Axis::Bn | Axis::Bm | Axis::BmBn) {
            return None;
        }
        let roof = self.roof?;
        let intensity = p.intensity().0;
        let cells = self.cells(line).enumerate();
        let candidates = cells.filter_map(|(i, c)| {
            let ((_, tile_eff, wave_eff), m, n) = (c.waves?, c.tile.0?, c.tile.1?);
            let allowed = (roof.peak_flops_per_s * tile_eff * wave_eff)
                .min(intensity * roof.bandwidth_bytes_per_s);
            Some((allowed, tile_traffic(p, Tile { m, n, k: None }).0, i))
        });
        let candidates: Vec<(f64, f64, usize)> = candidates.collect();
        let top = candidates.iter().map(|c| c.0).fold(0.0, f64::max);
        candidates
            .into_iter()
            .filter(|c| c.0 >= top * (1.0 - NEAR))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)))
            .map(|c| c.2)
    }
}

/// Counts workgroups and waves. A flat GEMM is not tiled along M, so BN suffices.
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
