//! What limits a row under its tile's roof, as a value and a formula.

use super::{MIN_K_PER_SPLIT, OVER_TILE_ROOF, RowTile, TILE_LIMITS};
use crate::formula::{Formula, given, given_as};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::tiling::TileRoof;
use gemmscope_model::units::{FlopsPerSec, format_significant};

/// Fraction of the memory-bound rate below which less traffic would save almost nothing.
pub const LATENCY: f64 = 0.1;

/// What keeps a row below the device's roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Fewer workgroups than units, and K long enough to split (further).
    SplitK,
    /// Fewer workgroups than units, and K too short to split.
    FewWorkgroups,
    /// Tiles overlap the edge of the output.
    TilePadding,
    /// The last wave is not full.
    TailWave,
    /// Memory bandwidth.
    Memory,
    /// The kernel itself.
    Kernel,
}

impl RowTile {
    /// Roof of the tile; `None` without waves or a peak.
    pub fn roof(&self) -> Option<TileRoof> {
        self.bound.map(|bound| bound.roof)
    }

    /// Attained rate / tile roof.
    pub fn efficiency(&self) -> Option<f64> {
        self.roof().map(|r| self.attained_flops_per_s / r.flops_per_s)
    }

    /// How the tile's roof follows from the peak.
    pub fn roof_formula(&self) -> Option<Formula<FlopsPerSec>> {
        let (bound, waves) = (self.bound?, self.waves?);
        let peak = FlopsPerSec(bound.peak_flops_per_s);
        let name = match bound.peak_kind {
            RoofKind::Datasheet => "datasheet peak",
            RoofKind::Achievable => "achievable peak",
        };
        let share = |name: &str, v: f64| {
            given_as(name, v, format!("{} %", format_significant(v * 100.0, 4)))
        };
        let of_peak = given_as(name, peak, peak.peak())
            * share("tile efficiency", waves.tile_efficiency)
            * share("wave efficiency", waves.wave_efficiency);
        let device = FlopsPerSec(bound.roof.device_flops_per_s);
        Some(of_peak.min(given("roof at this intensity", device)))
    }

    /// Split-K factor that would give every unit a workgroup, as far as K is long enough; at least the current factor.
    pub fn split_k_room(&self) -> u32 {
        let tiles = self.tiling.workgroups() / self.tiling.split_k.max(1);
        let units = self.units.as_ref().map_or(0, |(u, _)| u64::from(*u));
        let wanted = units.checked_div(tiles).unwrap_or(1);
        let room = u64::from(self.sizes[2] / MIN_K_PER_SPLIT);
        u32::try_from(wanted.min(room)).unwrap_or(u32::MAX).max(self.split_k.factor())
    }

    /// The largest limit.
    pub fn limit(&self) -> Limit {
        let (Some(waves), Some(bound)) = (self.waves, self.bound) else {
            return Limit::Kernel;
        };
        let roof = bound.roof;
        if self.attained_flops_per_s > OVER_TILE_ROOF * roof.flops_per_s {
            return Limit::Kernel;
        }
        if bound.memory_limited {
            return Limit::Memory;
        }
        if roof.tile_headroom < 1.0 / TILE_LIMITS {
            return Limit::Kernel;
        }
        if waves.tile_efficiency < waves.wave_efficiency {
            Limit::TilePadding
        } else if waves.waves > 1 {
            Limit::TailWave
        } else if self.split_k_room() >= self.split_k.factor().saturating_mul(2) {
            Limit::SplitK
        } else {
            Limit::FewWorkgroups
        }
    }
}
