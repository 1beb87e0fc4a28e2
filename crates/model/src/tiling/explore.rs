//! On-chip cost of a tile setting and the share of the roof it can reach, before a kernel exists: for one setting, or
//! for a map over two of its numbers.

use super::Axis;
use super::{Caution, Footprint, Occupancy, Overflow, Tile, TileRoof, Tiling, Waves, tile_traffic};
use crate::gemm::Problem;
use crate::hardware::Device;
use crate::roofline::Roof;
use crate::units::Bytes;

/// Tuning parameters of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSetting {
    /// BM, BN and BK.
    pub tile: Tile,
    /// Warps (wavefronts) per workgroup.
    pub warps: u32,
    /// Pipeline stages of operands in shared memory.
    pub stages: u32,
    /// Split-K: workgroups that share one tile of C.
    pub split_k: u32,
}

/// Axes of a map with the values tried.
pub const AXES: [(Axis, &[u32]); 6] = [
    (Axis::Bn, &[16, 32, 64, 128, 256, 512]),
    (Axis::Bm, &[16, 32, 64, 128, 256, 512]),
    (Axis::Bk, &[16, 32, 64, 128, 256]),
    (Axis::SplitK, &[1, 2, 4, 8, 16, 32]),
    (Axis::Stages, &[1, 2, 3, 4, 5, 6, 8]),
    (Axis::Warps, &[1, 2, 4, 8, 16, 32]),
];

impl TileSetting {
    /// The setting's value on an axis.
    pub fn get(&self, axis: Axis) -> u32 {
        match axis {
            Axis::Bn | Axis::BmBn => self.tile.n,
            Axis::Bm => self.tile.m,
            Axis::Bk => self.tile.k.unwrap_or(0),
            Axis::SplitK => self.split_k,
            Axis::Stages => self.stages,
            Axis::Warps => self.warps,
        }
    }

    /// The setting with another value on an axis.
    pub(crate) fn with(mut self, axis: Axis, value: u32) -> Self {
        match axis {
            Axis::Bn | Axis::BmBn => self.tile.n = value,
            Axis::Bm => self.tile.m = value,
            Axis::Bk => self.tile.k = Some(value),
            Axis::SplitK => self.split_k = value,
            Axis::Stages => self.stages = value,
            Axis::Warps => self.warps = value,
        }
        self
    }
}

/// Evaluation of a setting for one shape and device.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The setting.
    pub setting: TileSetting,
    /// On-chip memory of a workgroup.
    pub footprint: Footprint,
    /// Device limits that it exceeds; empty if it can run.
    pub overflows: Vec<Overflow>,
    /// What may go wrong although no limit is exceeded.
    pub cautions: Vec<Caution>,
    /// Resident workgroups per unit and the resource that limits them, if known.
    pub occupancy: Option<Occupancy>,
    /// Division of C into tiles.
    pub tiling: Tiling,
    /// Waves with one workgroup on each unit, if the number of units is known.
    pub waves: Option<Waves>,
    /// The part of the roof that it can reach, at most what L2 feeds; `None` without a roof or a number of units.
    pub roof: Option<TileRoof>,
    /// Bytes between L2 and the units.
    pub traffic: Bytes,
    /// Rate at which L2 feeds these bytes, FLOP/s; `None` if its bandwidth is not known.
    pub l2_flops_per_s: Option<f64>,
}

/// Evaluates a setting. `None` if a size or number is zero.
///
/// ```
/// use gemmscope_model::dtype::DataType;
/// use gemmscope_model::gemm::Problem;
/// use gemmscope_model::hardware;
/// use gemmscope_model::tiling::Tile;
/// use gemmscope_model::tiling::explore::{TileSetting, evaluate};
/// let tile = Tile { m: 256, n: 128, k: Some(64) };
/// let setting = TileSetting { tile, warps: 16, stages: 4, split_k: 1 };
/// let a100 = hardware::by_id("a100-80-sxm").ok_or("no device")?;
/// let square = Problem::new(4096, 4096, 4096, DataType::Fp16);
/// let e = evaluate(&square, a100, None, setting).ok_or("empty")?;
/// assert_eq!(e.footprint.accumulator_registers_per_thread, 64.0);
/// assert!(e.overflows.is_empty());
/// assert_eq!(e.cautions.len(), 1); // 192 KiB of shared memory, 144 with one buffer less
/// # Ok::<(), &str>(())
/// ```
pub fn evaluate(
    problem: &Problem,
    device: &Device,
    roof: Option<Roof>,
    setting: TileSetting,
) -> Option<Evaluation> {
    let lanes = device.lanes.unwrap_or(32);
    let footprint =
        Footprint::new(setting.tile, &problem.op, setting.stages, setting.warps, lanes)?;
    let tiling = Tiling::of(problem, setting.tile, setting.split_k)?;
    let waves = device.units.and_then(|units| tiling.waves(units));
    let traffic = tile_traffic(problem, setting.tile);
    let l2_flops_per_s = device.l2_bandwidth().map(|b| problem.work().0 * b / traffic.0);
    let roof = waves.zip(roof).map(|(w, r)| {
        let roof = w.roof(&r, problem.intensity().0);
        let flops_per_s = l2_flops_per_s.map_or(roof.flops_per_s, |l2| l2.min(roof.flops_per_s));
        let tile_headroom = roof.device_flops_per_s / flops_per_s;
        TileRoof { flops_per_s, tile_headroom, ..roof }
    });
    Some(Evaluation {
        setting,
        footprint,
        overflows: footprint.overflows(device),
        cautions: footprint.cautions(device),
        occupancy: footprint.occupancy(device),
        tiling,
        waves,
        roof,
        traffic,
        l2_flops_per_s,
    })
}

/// Warps that are tried if the chosen number cannot run.
const WARPS: [u32; 4] = [4, 8, 16, 32];

/// The setting adapted to the device: as many stages as fit (at most its own), and other warps if its own cannot run.
/// Axes in `fixed` keep their value. Returns the setting unchanged if nothing runs.
pub fn fitted(
    problem: &Problem,
    device: &Device,
    setting: TileSetting,
    fixed: &[Axis],
) -> TileSetting {
    let few = |axis, all: Vec<u32>| match fixed.contains(&axis) {
        true => vec![setting.get(axis)],
        false => all,
    };
    let stages = few(Axis::Stages, (1..=setting.stages).rev().collect());
    let warps = [&[setting.warps][..], &WARPS].concat();
    few(Axis::Warps, warps)
        .iter()
        .flat_map(|w| stages.iter().map(|s| (*w, *s)))
        .map(|(warps, stages)| TileSetting { warps, stages, ..setting })
        .find(|s| evaluate(problem, device, None, *s).is_some_and(|e| e.overflows.is_empty()))
        .unwrap_or(setting)
}

/// The setting with one stage less if its stages fit into shared memory only with some compilers.
pub fn without_doubt(problem: &Problem, device: &Device, setting: TileSetting) -> TileSetting {
    let one_less = |c: &Caution| matches!(c, Caution::OneBufferLess { .. });
    let doubted = evaluate(problem, device, None, setting);
    match doubted.is_some_and(|e| e.cautions.iter().any(one_less)) {
        true => TileSetting { stages: setting.stages - 1, ..setting },
        false => setting,
    }
}

/// Evaluations of a setting over all values of two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Axis of the columns, axis of the rows.
    pub axes: (Axis, Axis),
    /// Values of the columns.
    pub xs: Vec<u32>,
    /// Values of the rows.
    pub ys: Vec<u32>,
    /// The requested settings, row by row.
    pub asked: Vec<TileSetting>,
    /// Evaluation of each after [`fitted`].
    pub cells: Vec<Option<Evaluation>>,
    /// Index of the best setting that can run: among those within 10 % of the highest tile roof, the one with the least
    /// traffic between L2 and the units; on a tie, the highest occupancy.
    pub best: Option<usize>,
}

/// Tile roofs this close count as equal: the last few per cent of a wave matter less than traffic.
const NEAR: f64 = 0.1;

/// Values of an axis, including the chosen one.
fn values(axis: Axis, chosen: u32) -> Vec<u32> {
    let mut list = AXES.iter().find(|a| a.0 == axis).map_or_else(Vec::new, |a| a.1.to_vec());
    if chosen > 0 && !list.contains(&chosen) {
        list.push(chosen);
        list.sort_unstable();
    }
    list
}

/// Evaluates a setting over two axes.
pub fn map(
    problem: &Problem,
    device: &Device,
    roof: Option<Roof>,
    setting: TileSetting,
    axes: (Axis, Axis),
) -> Map {
    let (xs, ys) = (values(axes.0, setting.get(axes.0)), values(axes.1, setting.get(axes.1)));
    let asked: Vec<TileSetting> = ys
        .iter()
        .flat_map(|y| xs.iter().map(move |x| (*x, *y)))
        .map(|(x, y)| setting.with(axes.0, x).with(axes.1, y))
        .collect();
    let fit = |s: &TileSetting| fitted(problem, device, *s, &[axes.0, axes.1]);
    let cells: Vec<Option<Evaluation>> =
        asked.iter().map(|s| evaluate(problem, device, roof, fit(s))).collect();
    let runs = || {
        cells.iter().enumerate().filter_map(|(i, c)| {
            let c = c.as_ref().filter(|c| c.overflows.is_empty())?;
            Some((i, c, c.roof?.flops_per_s))
        })
    };
    let top = runs().map(|r| r.2).fold(0.0, f64::max);
    let blocks = |e: &Evaluation| e.occupancy.map_or(0, |o| o.blocks);
    let best = runs()
        .filter(|r| r.2 >= top * (1.0 - NEAR))
        .min_by(|a, b| a.1.traffic.0.total_cmp(&b.1.traffic.0).then(blocks(b.1).cmp(&blocks(a.1))))
        .map(|r| r.0);
    Map { axes, xs, ys, asked, cells, best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::hardware::{RoofKind, by_id};
    use proptest::prelude::*;

    fn setting(m: u32, n: u32, k: u32, warps: u32, stages: u32) -> TileSetting {
        TileSetting { tile: Tile { m, n, k: Some(k) }, warps, stages, split_k: 1 }
    }

    #[test]
    fn the_tile_of_the_report_on_an_a100() {
        let a100 = by_id("a100-80-sxm").unwrap();
        let p = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let roof = a100.roof(DataType::Fp16, RoofKind::Datasheet);
        let e = evaluate(&p, a100, roof, setting(256, 128, 64, 16, 4)).unwrap();
        assert_eq!(e.footprint.total_bytes(), 176.0 * 1024.0);
        assert_eq!(e.footprint.shared_bytes, 192.0 * 1024.0);
        assert!(matches!(e.cautions[..], [Caution::OneBufferLess { .. }]));
        assert!(e.cautions[0].sentence().contains("192 KiB"));
        let waves = e.waves.unwrap();
        // 16 x 32 tiles over 108 SMs.
        assert_eq!((waves.workgroups, waves.waves), (512, 5));
        assert!((waves.wave_efficiency - 512.0 / 540.0).abs() < 1e-12);
        let shape = e.roof.unwrap();
        assert!((shape.flops_per_s / (312e12 * 512.0 / 540.0) - 1.0).abs() < 1e-12);
        // L2 gives 5120 B a clock; 2 MNK FLOP for M N K (1/BM + 1/BN) s bytes.
        let l2 = 5120.0 * a100.clock_hz.unwrap() * 2.0 / ((1.0 / 256.0 + 1.0 / 128.0) * 2.0);
        assert!((e.l2_flops_per_s.unwrap() / l2 - 1.0).abs() < 1e-12);
        let small = evaluate(&p, a100, roof, setting(16, 16, 64, 1, 2)).unwrap();
        assert_eq!(small.roof.unwrap().flops_per_s, small.l2_flops_per_s.unwrap());
        // M N K (1/BM + 1/BN) s.
        let traffic = 4096f64.powi(3) * (1.0 / 256.0 + 1.0 / 128.0) * 2.0;
        assert!((e.traffic.0 / traffic - 1.0).abs() < 1e-12);
        // Three stages fit.
        let three = evaluate(&p, a100, roof, setting(256, 128, 64, 16, 3)).unwrap();
        assert!(three.overflows.is_empty());
        assert_eq!(three.occupancy.unwrap().blocks, 1);
    }

    #[test]
    fn a_map_marks_the_best_that_runs() {
        let a100 = by_id("a100-80-sxm").unwrap();
        let p = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let roof = a100.roof(DataType::Fp16, RoofKind::Datasheet);
        let m = map(&p, a100, roof, setting(256, 128, 64, 8, 3), (Axis::Bn, Axis::Bm));
        assert_eq!(m.cells.len(), 36);
        let best = m.cells[m.best.unwrap()].as_ref().unwrap();
        assert!(best.overflows.is_empty());
        let large = m.cells.last().unwrap().as_ref().unwrap();
        assert!(!large.overflows.is_empty(), "512 x 512 fits nowhere");
        // Four stages of 256 x 128 do not fit into a block's 64 KiB, two do.
        let mi300x = by_id("mi300x").unwrap();
        let fitted = |fixed: &[Axis]| fitted(&p, mi300x, setting(256, 128, 64, 16, 4), fixed);
        assert_eq!((fitted(&[]).stages, fitted(&[]).warps), (2, 16));
        assert_eq!(fitted(&[Axis::Stages]).stages, 4);
        // A value not in the list is added.
        let odd = map(&p, a100, roof, setting(96, 48, 64, 8, 3), (Axis::Bn, Axis::Bm));
        assert!(odd.xs.contains(&48) && odd.ys.contains(&96));
        let flat = map(&p, a100, roof, setting(64, 64, 64, 4, 3), (Axis::Stages, Axis::Warps));
        assert_eq!(flat.cells.len(), 42);
    }

    proptest! {
        #[test]
        fn the_best_is_never_infeasible(m in 1u32..9000, n in 1u32..9000, k in 1u32..9000, stages in 1u32..9, warps in 1u32..33) {
            for id in ["a100-80-sxm", "mi300x", "h100-sxm"] {
                let device = by_id(id).unwrap();
                let p = Problem::new(m, n, k, DataType::Bf16);
                let roof = device.roof(DataType::Bf16, RoofKind::Datasheet);
                let map = map(&p, device, roof, setting(128, 128, 64, warps, stages), (Axis::Bn, Axis::Bm));
                if let Some(best) = map.best {
                    let e = map.cells[best].as_ref().unwrap();
                    prop_assert!(e.overflows.is_empty());
                    prop_assert!(e.roof.unwrap().flops_per_s <= e.roof.unwrap().device_flops_per_s * (1.0 + 1e-9));
                }
            }
        }
    }
}
