//! Tiles and waves: the share of the device's roof that a tile lets a shape reach.
//!
//! One workgroup (thread block) computes one tile of C; the units (SMs or CUs) take workgroups in waves. Tiles that
//! overlap the edge of C and a partial last wave cost a share of the peak, however good the kernel is.
//!
//! Sizes and tile have the same orientation: the first size is divided by the first number of the tile. A tile from a
//! column-major library ([`kernel_name`]) is swapped first, with `Tile::swapped`.
//!
//! ```
//! use gemmscope_model::tiling::{Tile, Tiling};
//! let tiling = Tiling::new((4097, 4097, 1), Tile { m: 256, n: 112, k: Some(64) }, 1);
//! let waves = tiling.and_then(|tiling| tiling.waves(304)).ok_or("empty")?;
//! assert_eq!((waves.workgroups, waves.waves), (629, 3));
//! # Ok::<(), &str>(())
//! ```

use crate::gemm::{Problem, tiles_of_rows};
use crate::roofline::Roof;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

mod axis;
pub mod explore;
pub mod flat;
mod footprint;
pub mod kernel_name;
mod order;

pub use axis::Axis;
pub use footprint::{Caution, Footprint, Occupancy, OccupancyLimit, Overflow};
pub use order::{LaunchOrder, Panels, best_group_size};

/// The part of C that one workgroup computes, and its step along K.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tile {
    /// BM, along the first size.
    pub m: u32,
    /// BN, along the second size.
    pub n: u32,
    /// BK, if known.
    pub k: Option<u32>,
}

impl Tile {
    /// The tile in the other storage order. Tensile's first number runs along the row-major N.
    pub fn swapped(self) -> Self {
        Self { m: self.n, n: self.m, k: self.k }
    }
}

/// `256x128x64`, or `256x128` if BK is unknown.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.m, self.n)?;
        match self.k {
            Some(k) => write!(f, "x{k}"),
            None => Ok(()),
        }
    }
}

/// A problem divided into tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tiling {
    /// `ceil(M / BM)`; of a grouped GEMM the sum of it over the groups.
    pub tiles_m: u64,
    /// ceil(N / BN).
    pub tiles_n: u64,
    /// Independent GEMMs.
    pub batch: u64,
    /// Workgroups per tile, each with a part of K.
    pub split_k: u64,
    /// `M N / (ceil(M/BM) BM ceil(N/BN) BN)`: the fraction of computed elements that lie inside C.
    pub tile_efficiency: f64,
}

/// Workgroups scheduled over the units of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waves {
    /// `ceil(M/BM) ceil(N/BN) b s`.
    pub workgroups: u64,
    /// Number of waves.
    pub waves: u64,
    /// `workgroups / (waves P)`: the fraction of workgroup slots, over all waves, that are filled.
    pub wave_efficiency: f64,
    /// See [`Tiling::tile_efficiency`].
    pub tile_efficiency: f64,
}

/// The rate that a shape can reach with a tile, next to the device's roof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileRoof {
    /// `min(peak x tile eff x wave eff, AI x BW)` in FLOP/s.
    pub flops_per_s: f64,
    /// Roof of the device at this intensity, in FLOP/s.
    pub device_flops_per_s: f64,
    /// Device roof / tile roof: the speedup available only by another tile, split-K or batching.
    pub tile_headroom: f64,
}

impl Tiling {
    /// Divides `(M, N, batch)` into tiles. `None` if any size, tile or `split_k` is zero.
    pub fn new((m, n, batch): (u32, u32, u32), tile: Tile, split_k: u32) -> Option<Self> {
        if [m, n, batch, tile.m, tile.n, split_k].contains(&0) {
            return None;
        }
        Self::with_rows((m, n, batch), tile, u64::from(m.div_ceil(tile.m)), split_k)
    }

    /// Cuts groups of rows into tiles, of which each group begins its own: M is their sum.
    pub fn of_rows(rows: &[u32], n: u32, tile: Tile, split_k: u32) -> Option<Self> {
        let m = rows.iter().try_fold(0u32, |sum, rows| sum.checked_add(*rows))?;
        if [m, n, tile.m, tile.n, split_k].contains(&0) {
            return None;
        }
        let tiles_m = tiles_of_rows(rows.iter().copied(), tile.m);
        Self::with_rows((m, n, 1), tile, tiles_m, split_k)
    }

    /// With so many tiles along M.
    fn with_rows(
        (m, n, batch): (u32, u32, u32),
        tile: Tile,
        tiles_m: u64,
        split_k: u32,
    ) -> Option<Self> {
        let tiles_n = u64::from(n.div_ceil(tile.n));
        let covered_m = tiles_m as f64 * f64::from(tile.m);
        let covered_n = tiles_n as f64 * f64::from(tile.n);
        Some(Self {
            tiles_m,
            tiles_n,
            batch: u64::from(batch),
            split_k: u64::from(split_k),
            tile_efficiency: f64::from(m) * f64::from(n) / (covered_m * covered_n),
        })
    }

    /// Divides a problem into tiles, in the problem's own orientation.
    pub fn of(problem: &Problem, tile: Tile, split_k: u32) -> Option<Self> {
        let Problem { m, n, batch, .. } = *problem;
        let whole = Self::new((m, n, batch), tile, split_k)?;
        match problem.op.groups {
            None => Some(whole),
            Some(groups) if groups.along_k => {
                Self::new((m, n, batch.saturating_mul(groups.count)), tile, split_k)
            }
            Some(groups) => Self::with_rows((m, n, batch), tile, groups.tiles(m, tile.m), split_k),
        }
    }

    /// Share of the tiles' rows that hold a row of the problem: `M / (tiles along M x BM)`.
    pub fn fill(&self, m: u32, tile: Tile) -> f64 {
        f64::from(m) / (self.tiles_m as f64 * f64::from(tile.m))
    }

    /// Number of workgroups. Saturates at `u64::MAX`.
    pub fn workgroups(&self) -> u64 {
        self.tiles_m
            .saturating_mul(self.tiles_n)
            .saturating_mul(self.batch)
            .saturating_mul(self.split_k)
    }

    /// Waves over `units` units that hold one workgroup each. `None` if `units` is 0.
    ///
    /// Not valid for stream-K kernels, which spread the last wave over all units, nor for persistent kernels, whose
    /// workgroups compute several tiles.
    pub fn waves(&self, units: u32) -> Option<Waves> {
        self.waves_with(units, 1)
    }

    /// Like [`Tiling::waves`], with `per_unit` workgroups resident per unit.
    pub(crate) fn waves_with(&self, units: u32, per_unit: u32) -> Option<Waves> {
        let slots = u64::from(units) * u64::from(per_unit);
        if slots == 0 {
            return None;
        }
        let workgroups = self.workgroups();
        let waves = workgroups.div_ceil(slots);
        Some(Waves {
            workgroups,
            waves,
            wave_efficiency: workgroups as f64 / (waves as f64 * slots as f64),
            tile_efficiency: self.tile_efficiency,
        })
    }
}

impl Waves {
    /// Tile efficiency x wave efficiency: the fraction of the peak this shape can reach.
    pub fn efficiency(&self) -> f64 {
        self.tile_efficiency * self.wave_efficiency
    }

    /// The part of a roof that can be reached at an arithmetic intensity in FLOP/byte.
    pub fn roof(&self, roof: &Roof, intensity: f64) -> TileRoof {
        let flops_per_s =
            (roof.peak_flops_per_s * self.efficiency()).min(intensity * roof.bandwidth_bytes_per_s);
        let device_flops_per_s = roof.at(intensity);
        TileRoof {
            flops_per_s,
            device_flops_per_s,
            tile_headroom: device_flops_per_s / flops_per_s,
        }
    }
}

/// Bytes between L2 and the units: each tile reads its own rows of A and columns of B, `M N K (s_b / BM + s_a / BN)`
/// times batch; with one type, `M N K (1/BM + 1/BN) s`. Split-K divides K and does not change it. Excludes the output
/// and the overhang of edge tiles.
pub fn tile_traffic(problem: &Problem, tile: Tile) -> Bytes {
    let macs = f64::from(problem.m) * f64::from(problem.n) * f64::from(problem.k);
    let (s_a, s_b) = (problem.op.a.bytes(), problem.op.b.bytes());
    let per_mac = s_b / f64::from(tile.m) + s_a / f64::from(tile.n);
    Bytes(f64::from(problem.batch) * macs * per_mac)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::gemm::Groups;
    use proptest::prelude::*;

    const MI300X: Roof = Roof { peak_flops_per_s: 1307.4e12, bandwidth_bytes_per_s: 5.3e12 };

    fn tile(m: u32, n: u32) -> Tile {
        Tile { m, n, k: None }
    }

    fn waves(m: u32, n: u32, t: Tile, split_k: u32) -> Waves {
        Tiling::new((m, n, 1), t, split_k).unwrap().waves(304).unwrap()
    }

    fn close(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value} is not {expected}");
    }

    #[test]
    fn wide_problem_narrow_tile() {
        let w = waves(10240, 2048, tile(256, 64), 1);
        assert_eq!(w.workgroups, 1280);
        close(w.wave_efficiency, 0.842, 5e-4);
        assert_eq!(w.tile_efficiency, 1.0);
    }

    #[test]
    fn groups_of_few_rows_fill_no_tile() {
        // Groups of 3 and 130 rows take 1 and 2 tiles of 128.
        let t = tile(128, 128);
        let tiling = Tiling::of_rows(&[3, 0, 130], 256, t, 1).unwrap();
        assert_eq!((tiling.tiles_m, tiling.workgroups()), (3, 6));
        close(tiling.fill(133, t), 133.0 / 384.0, 1e-12);
        close(tiling.tile_efficiency, 133.0 / 384.0, 1e-12);
        // The same rows in no known groups: 2 of them, 67 each.
        let mut problem = Problem::new(133, 256, 64, DataType::Bf16);
        problem.op.groups = Some(Groups::known(3, 2));
        assert_eq!(Tiling::of(&problem, t, 1).unwrap().tiles_m, 2);
        assert_eq!(Tiling::of_rows(&[], 256, t, 1), None);
    }

    #[test]
    fn tall_problem_odd_tile() {
        let w = waves(2048, 10240, tile(256, 144), 1);
        assert_eq!(w.workgroups, 576);
        close(w.tile_efficiency, 0.9877, 5e-5);
        close(w.wave_efficiency, 0.947, 5e-4);
        close(w.efficiency(), 0.935, 1e-3);
    }

    #[test]
    fn few_tiles_with_a_long_k() {
        let w = waves(256, 512, tile(256, 128), 2);
        assert_eq!((w.workgroups, w.waves), (8, 1));
        close(w.wave_efficiency, 0.026, 5e-4);
        let problem = Problem::new(256, 512, 131072, DataType::Bf16);
        let shape = w.roof(&MI300X, problem.intensity().0);
        close(shape.flops_per_s / 1e12, 34.4, 0.05);
        close(31.55e12 / shape.flops_per_s, 0.92, 5e-3);
        // 4.5 % of the achievable 708 TFLOP/s.
        close(31.55 / 708.0, 0.045, 5e-4);
        assert!(shape.tile_headroom > 20.0);
    }

    #[test]
    fn just_over_a_power_of_two() {
        let w = waves(1025, 1025, tile(128, 64), 1);
        assert_eq!(w.workgroups, 153);
        close(w.tile_efficiency, 0.838, 1e-3);
        close(w.wave_efficiency, 0.503, 5e-4);
        let problem = Problem::new(1025, 1025, 8192, DataType::Bf16);
        let shape = w.roof(&MI300X, problem.intensity().0);
        close(shape.flops_per_s / 1e12, 551.6, 0.5);
    }

    #[test]
    fn misaligned_cube() {
        let w = waves(4097, 4097, tile(256, 112), 1);
        assert_eq!((w.workgroups, w.waves), (629, 3));
        close(w.tile_efficiency, 0.931, 5e-4);
        close(w.wave_efficiency, 0.690, 5e-4);
        let problem = Problem::new(4097, 4097, 4097, DataType::Bf16);
        let shape = w.roof(&MI300X, problem.intensity().0);
        close(shape.flops_per_s / 1e12, 839.2, 0.5);
    }

    #[test]
    fn tall_skinny_is_bound_by_memory_all_the_same() {
        let w = waves(131072, 32, tile(128, 64), 1);
        assert_eq!((w.workgroups, w.waves), (1024, 4));
        close(w.tile_efficiency, 0.5, 1e-12);
        let problem = Problem::new(131072, 32, 32, DataType::Fp16);
        close(problem.intensity().0, 16.0, 0.05);
        let shape = w.roof(&MI300X, problem.intensity().0);
        close(shape.tile_headroom, 1.0, 1e-12);
    }

    #[test]
    fn tensile_names_need_the_swap() {
        // 160x128 on M = 5185, N = 1024 launched 287 workgroups; unswapped it would be 264.
        let name_tile = tile(160, 128);
        let count = |t| waves(5185, 1024, t, 1).workgroups;
        assert_eq!(count(name_tile.swapped()), 287);
        assert_eq!(count(name_tile), 264);
        assert_eq!(name_tile.swapped().swapped(), name_tile);
    }

    #[test]
    fn traffic_of_a_cube() {
        // M N K (1/BM + 1/BN) s.
        let problem = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let expected = 4096f64.powi(3) * (1.0 / 256.0 + 1.0 / 128.0) * 2.0;
        assert_eq!(tile_traffic(&problem, tile(256, 128)).0, expected);
    }

    #[test]
    fn nothing_to_tile() {
        assert_eq!(Tiling::new((0, 1, 1), tile(16, 16), 1), None);
        assert_eq!(Tiling::new((1, 1, 1), tile(16, 0), 1), None);
        assert_eq!(Tiling::new((1, 1, 1), tile(16, 16), 1).unwrap().waves(0), None);
        assert_eq!(tile(64, 32).to_string(), "64x32");
    }

    proptest! {
        #[test]
        fn efficiencies_are_shares(
            m in 1u32.., n in 1u32.., batch in 1u32.., bm in 1u32.., bn in 1u32..,
            split_k in 1u32.., units in 1u32..1000, per_unit in 1u32..16,
        ) {
            let tiling = Tiling::new((m, n, batch), tile(bm, bn), split_k).unwrap();
            let w = tiling.waves_with(units, per_unit).unwrap();
            for share in [w.tile_efficiency, w.wave_efficiency, w.efficiency()] {
                prop_assert!(share > 0.0 && share <= 1.0 + 1e-12, "{share}");
            }
            prop_assert!(w.waves >= 1);
        }

        #[test]
        fn the_shape_roof_is_under_the_roof(
            m in 1u32..50_000, n in 1u32..50_000, k in 1u32..50_000, bm in 1u32..512, bn in 1u32..512,
        ) {
            let problem = Problem::new(m, n, k, DataType::Bf16);
            let w = Tiling::of(&problem, tile(bm, bn), 1).unwrap().waves(304).unwrap();
            let shape = w.roof(&MI300X, problem.intensity().0);
            prop_assert!(shape.flops_per_s <= shape.device_flops_per_s * (1.0 + 1e-12));
            prop_assert!(shape.tile_headroom >= 1.0 - 1e-12);
        }
    }
}
