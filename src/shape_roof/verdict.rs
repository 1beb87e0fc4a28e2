//! What of a row's shape limits it, in a word, in a sentence and with the numbers put in.

use super::{AT_SHAPE_ROOF, MIN_K_PER_SPLIT, OVER_SHAPE_ROOF, RowShape, SHAPE_LIMITS, SplitK};
use crate::tiling::Tile;
use crate::units::FlopsPerSec;

/// What stands between a row and the device's roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Fewer workgroups than units, and K is long enough to split (further).
    SplitK,
    /// Fewer workgroups than units; K gives nothing to split.
    FewWorkgroups,
    /// Tiles hang over the edge.
    TilePadding,
    /// The last wave is not full.
    TailWave,
    /// The memory.
    Memory,
    /// Nothing of the shape: the kernel itself.
    Kernel,
}

impl RowShape {
    /// Attained over the shape roof.
    pub fn efficiency(&self) -> Option<f64> {
        self.roof.map(|r| self.attained_flops_per_s / r.flops_per_s)
    }

    /// Attained over the device's datasheet roof.
    pub fn device_efficiency(&self) -> Option<f64> {
        self.roof
            .map(|r| self.attained_flops_per_s / r.device_flops_per_s)
    }

    /// Split-K that would give every unit a workgroup, as far as K can be split; at least the
    /// present factor.
    pub fn split_k_room(&self) -> u32 {
        let tiles = self.tiling.workgroups() / self.tiling.split_k.max(1);
        let units = self.units.as_ref().map_or(0, |(u, _)| u64::from(*u));
        let wanted = units.checked_div(tiles).unwrap_or(1);
        let room = u64::from(self.sizes[2] / MIN_K_PER_SPLIT);
        u32::try_from(wanted.min(room))
            .unwrap_or(u32::MAX)
            .max(self.split_k.factor())
    }

    /// What of the shape costs most.
    pub fn limit(&self) -> Limit {
        let (Some(waves), Some(roof)) = (self.waves, self.roof) else {
            return Limit::Kernel;
        };
        if self.attained_flops_per_s > OVER_SHAPE_ROOF * roof.flops_per_s {
            return Limit::Kernel;
        }
        if self.memory_limited {
            return Limit::Memory;
        }
        if roof.shape_headroom < 1.0 / SHAPE_LIMITS {
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

    /// Attained against shape roof against device roof, and what follows.
    pub fn sentence(&self) -> String {
        let attained = FlopsPerSec(self.attained_flops_per_s);
        let (Some(waves), Some(roof), Some((units, kind))) = (self.waves, self.roof, &self.units)
        else {
            return format!(
                "Tile {}; no claim about waves: {}.",
                self.tile,
                self.no_waves
                    .unwrap_or("the device has no peak for this type")
            );
        };
        let share = self.attained_flops_per_s / roof.flops_per_s;
        let of_device = self.attained_flops_per_s / roof.device_flops_per_s;
        if self.memory_limited {
            return format!(
                "Memory limits this shape whatever the tile ({}): {attained} is {} of the roof of \
                 {}. Only less traffic or a kernel that reaches more of the bandwidth helps.",
                self.tile,
                percent(share),
                FlopsPerSec(roof.flops_per_s),
            );
        }
        let allowed = match self.limit() {
            Limit::SplitK | Limit::FewWorkgroups => format!(
                "{} workgroup{} on {units} {kind}s",
                waves.workgroups,
                if waves.workgroups == 1 { "" } else { "s" }
            ),
            Limit::TailWave => format!(
                "{} workgroups in {} waves on {units} {kind}s",
                waves.workgroups, waves.waves
            ),
            Limit::TilePadding => format!("tiles of {}x{}", self.tile.m, self.tile.n),
            Limit::Memory | Limit::Kernel => "this tile and its waves".to_owned(),
        };
        let at_roof = share >= AT_SHAPE_ROOF;
        let advice = match (self.limit(), at_roof) {
            (Limit::SplitK, true) => "more split-K, not a better kernel",
            (Limit::SplitK, false) => "more split-K first; the kernel has room too",
            (Limit::FewWorkgroups, true) => "smaller tiles or batching, not a better kernel",
            (Limit::FewWorkgroups, false) => "smaller tiles or batching; the kernel has room too",
            (Limit::TilePadding, true) => "a tile that fits, not a better kernel",
            (Limit::TilePadding, false) => "a tile that fits; the kernel has room too",
            (Limit::TailWave, true) => {
                "a tile that fills the last wave, or stream-K, not a better kernel"
            }
            (Limit::TailWave, false) => {
                "a tile that fills the last wave, or stream-K; the kernel has room too"
            }
            (Limit::Memory | Limit::Kernel, true) => "little is left",
            (Limit::Memory | Limit::Kernel, false) => "the shape is not what holds it back",
        };
        if share > OVER_SHAPE_ROOF {
            return format!(
                "{attained} is {} of what {allowed} would allow ({}): the tile, the split of K or \
                 the number of units is not what is assumed here, so no claim is made.",
                percent(share),
                FlopsPerSec(roof.flops_per_s),
            );
        }
        let caution = match self.split_k {
            SplitK::AtRunTime => {
                " The kernel chooses its split-K when launched; 1 is assumed here."
            }
            _ => "",
        };
        format!(
            "{attained} is {} of what {allowed} allow ({}), and {} of the datasheet's roof ({}): \
             {advice}.{caution}",
            percent(share),
            FlopsPerSec(roof.flops_per_s),
            percent(of_device),
            FlopsPerSec(roof.device_flops_per_s),
        )
    }

    /// Workgroups, tile and wave efficiency with the numbers put in.
    pub fn formula(&self) -> String {
        let [m, n, _, batch] = self.sizes;
        let Tile { m: bm, n: bn, .. } = self.tile;
        let mut text = format!(
            "workgroups = ceil({m}/{bm}) x ceil({n}/{bn}) x {batch} x {} = {}; tile efficiency = \
             {m} x {n} / ({} x {}) = {:.3}",
            self.tiling.split_k,
            self.tiling.workgroups(),
            self.tiling.tiles_m.saturating_mul(u64::from(bm)),
            self.tiling.tiles_n.saturating_mul(u64::from(bn)),
            self.tiling.tile_efficiency,
        );
        if let (Some(w), Some((units, _))) = (self.waves, &self.units) {
            text.push_str(&format!(
                "; wave efficiency = {} / ({} x {units}) = {:.3}",
                w.workgroups, w.waves, w.wave_efficiency
            ));
        }
        if let Some(roof) = self.roof {
            text.push_str(&format!("; shape roof = {}", FlopsPerSec(roof.flops_per_s)));
        }
        text
    }
}

/// A share as the sentences write it: two digits from 10 % on.
fn percent(share: f64) -> String {
    if share >= 0.0995 {
        format!("{:.0} %", share * 100.0)
    } else {
        format!("{:.1} %", share * 100.0)
    }
}
