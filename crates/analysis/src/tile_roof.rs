//! The roof of a row's tile: the part of the device's roof that its tile and number of workgroups can reach.
//!
//! The tile comes from columns of the file or from the kernel's name, the number of units from the device, the peak
//! from the row's roof. An achievable rate is that of a *full* device: if a single wave leaves units without work, each
//! of the others computes at the datasheet rate, and all together reach at most the row's roof.

use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::tiling::kernel_name::{KernelName, KernelRole, Library};
use gemmscope_model::tiling::{Tile, TileRoof, Tiling, Waves};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::metrics::Metrics;
use std::sync::OnceLock;

mod verdict;

pub use verdict::LATENCY;
pub use verdict::Limit;

/// Efficiency against a roof (the tile's or the device's) from which a better kernel would gain almost nothing.
pub const AT_ROOF: f64 = 0.95;
/// Efficiency against the tile's roof above which the assumptions about the kernel are wrong.
pub const OVER_TILE_ROOF: f64 = 1.05;
/// Ratio of the tile's roof to the device's below which the tile is the limit.
pub const TILE_LIMITS: f64 = 0.8;
/// Minimum K per workgroup for which split-K pays.
pub const MIN_K_PER_SPLIT: u32 = 512;

/// Source of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileFrom {
    /// Columns of the file.
    Columns,
    /// The kernel's name.
    KernelName,
}

/// What is known about split-K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitK {
    /// The file or the kernel's name states it.
    Stated(u32),
    /// Inferred: number of launched workgroups per tile.
    Launched(u32),
    /// Unknown; taken as 1.
    None,
    /// Chosen at launch and not recorded.
    AtRunTime,
}

impl SplitK {
    /// The factor to compute with.
    pub fn factor(self) -> u32 {
        match self {
            SplitK::Stated(s) | SplitK::Launched(s) => s,
            SplitK::None | SplitK::AtRunTime => 1,
        }
    }
}

/// Why the waves of a kernel cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWaves {
    /// A stream-K kernel spreads the last wave over all units.
    StreamK,
    /// A persistent kernel has one workgroup per unit.
    Persistent,
    /// The device's number of units is unknown.
    UnitsUnknown,
}

/// How a kernel distributes its tiles over workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schedule {
    /// One workgroup per tile and part of K.
    Tiles,
    /// Stream-K: all units share the last wave.
    StreamK,
    /// As many workgroups as units, each computing several tiles.
    Persistent,
}

/// Tile and schedule parsed from a kernel name.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// In row-major orientation.
    tile: Tile,
    /// In the library's own orientation.
    own: Tile,
    split_k: Option<u32>,
    at_run_time: bool,
    schedule: Schedule,
}

/// Tiles of all rows of a dataset. Each kernel name is parsed once, when a row first needs it.
pub struct TileRoofs<'a> {
    data: &'a Dataset,
    metrics: &'a Metrics,
    kernels: Option<Kernels<'a>>,
    columns: Option<[&'a [f64]; 2]>,
    tile_k: Option<&'a [f64]>,
    split_k: Option<&'a [f64]>,
    workgroups: Option<&'a [f64]>,
}

/// The column of kernel names, and the parsed name of each code.
struct Kernels<'a> {
    codes: &'a [u32],
    names: &'a [String],
    parsed: Box<[OnceLock<Option<Named>>]>,
}

impl Kernels<'_> {
    fn of(&self, code: usize) -> Option<&Named> {
        let name = self.names.get(code)?;
        self.parsed.get(code)?.get_or_init(|| named(name)).as_ref()
    }
}

/// A row's tile and schedule.
struct Tiled {
    tile: Tile,
    from: TileFrom,
    split_k: SplitK,
    tiling: Tiling,
    schedule: Schedule,
}

/// Upper bound that a row's tile sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileBound {
    /// Roof of the tile.
    pub roof: TileRoof,
    /// Peak of a device whose units all have work, FLOP/s.
    pub peak_flops_per_s: f64,
    /// Kind of that peak.
    pub peak_kind: RoofKind,
    /// True if memory limits the row, so that tile and waves do not matter.
    pub memory_limited: bool,
}

/// A row's tile, waves and the roof of its tile.
#[derive(Clone, Debug, PartialEq)]
pub struct RowTile {
    /// Tile in the orientation of M and N.
    pub tile: Tile,
    /// Source of the tile.
    pub from: TileFrom,
    /// Split-K.
    pub split_k: SplitK,
    /// The problem divided into tiles.
    pub tiling: Tiling,
    /// Share of the rows of its tiles that the groups of a grouped GEMM fill.
    pub fill: Option<f64>,
    /// Units of the device, and what its vendor calls them.
    pub units: Option<(u32, String)>,
    /// Waves of the workgroups; `None` if they cannot be counted.
    pub waves: Option<Waves>,
    /// Why waves cannot be counted.
    pub no_waves: Option<NoWaves>,
    /// Bound set by the tile; `None` without waves or a peak.
    pub bound: Option<TileBound>,
    /// Kind of the row's roof.
    pub kind: RoofKind,
    /// Attained rate, FLOP/s.
    pub attained_flops_per_s: f64,
    /// Sizes M, N, K and batch.
    pub sizes: [u32; 4],
}

fn whole(values: Option<&[f64]>, row: usize) -> Option<u32> {
    let v = *values?.get(row)?;
    (v >= 1.0 && v <= f64::from(u32::MAX)).then_some(v as u32)
}

fn named(name: &str) -> Option<Named> {
    if name.is_empty() {
        return None;
    }
    let parsed = KernelName::parse(name);
    if parsed.kind != KernelRole::Gemm {
        return None;
    }
    let (tile, own) = (parsed.row_major_tile()?, parsed.tile?);
    if tile.m == 0 || tile.n == 0 {
        return None;
    }
    // Tensile kernels with user arguments, and those that sum the parts themselves, get their split at launch. A number
    // in the name has priority.
    let at_run_time = parsed.split_k.is_none()
        && (name.contains("GSUAMBSK") || name.contains("UserArgs"))
        && parsed.library == Library::Tensile;
    let schedule = if parsed.stream_k == Some(true) {
        Schedule::StreamK
    } else if parsed.persistent {
        Schedule::Persistent
    } else {
        Schedule::Tiles
    };
    Some(Named { tile, own, split_k: parsed.split_k, at_run_time, schedule })
}

/// Split-K factor inferred from the number of launched workgroups and tiles. Clusters pad the grid: up to a twentieth
/// of it may compute nothing.
fn parts(launched: u64, tiles: u64) -> Option<u32> {
    let parts = (launched + tiles / 2) / tiles.max(1);
    let idle = launched.checked_sub(parts * tiles)?;
    (parts > 0 && 20 * idle <= launched).then(|| u32::try_from(parts).unwrap_or(u32::MAX))
}

impl<'a> TileRoofs<'a> {
    /// No name is parsed yet.
    pub fn new(data: &'a Dataset, metrics: &'a Metrics) -> Self {
        let kernels = match data.column(ColumnMeaning::Kernel).map(|c| &c.data) {
            Some(ColumnData::Text { codes, values }) => {
                let parsed = values.iter().map(|_| OnceLock::new()).collect();
                Some(Kernels { codes, names: values, parsed })
            }
            _ => None,
        };
        let columns = data
            .numbers(ColumnMeaning::TileM)
            .zip(data.numbers(ColumnMeaning::TileN))
            .map(|(m, n)| [m, n]);
        TileRoofs {
            data,
            metrics,
            kernels,
            columns,
            tile_k: data.numbers(ColumnMeaning::TileK),
            split_k: data.numbers(ColumnMeaning::SplitK),
            workgroups: data.numbers(ColumnMeaning::Workgroups),
        }
    }

    /// Parses all names in advance. Awaits `pause` after every thousand.
    pub(crate) async fn parse(&self, pause: &impl AsyncFn()) {
        let Some(kernels) = &self.kernels else { return };
        for code in 0..kernels.names.len() {
            kernels.of(code);
            if (code + 1) % 1024 == 0 {
                pause().await;
            }
        }
    }

    /// True if any row can have a tile. Parses names up to the first that has one.
    pub fn any(&self) -> bool {
        let named = |k: &Kernels<'_>| (0..k.names.len()).any(|code| k.of(code).is_some());
        self.columns.is_some() || self.kernels.as_ref().is_some_and(named)
    }

    fn device(&self, row: usize) -> Option<&Device> {
        self.metrics.devices.get(usize::from(self.data.device[row]))?.as_ref()
    }

    /// Tile of a row; `None` if neither columns nor kernel name tell it.
    pub fn tile(&self, row: usize) -> Option<(Tile, TileFrom)> {
        if let Some([m, n]) = self.columns
            && let (Some(m), Some(n)) = (whole(Some(m), row), whole(Some(n), row))
        {
            let k = whole(self.tile_k, row);
            return Some((Tile { m, n, k }, TileFrom::Columns));
        }
        let own = self.data.is_column_major(row);
        self.name_of(row).map(|n| (if own { n.own } else { n.tile }, TileFrom::KernelName))
    }

    fn name_of(&self, row: usize) -> Option<&Named> {
        let kernels = self.kernels.as_ref()?;
        kernels.of(*kernels.codes.get(row)? as usize)
    }

    /// Tile and schedule of a row.
    fn tiled(&self, row: usize) -> Option<Tiled> {
        let (mut tile, from) = self.tile(row)?;
        let data = self.data;
        let problem = data.problem(row);
        let groups = problem.op.groups;
        // The tiles of two products in one call are not told apart.
        if groups.is_some_and(|groups| groups.down > 0) {
            return None;
        }
        let rows = groups.filter(|groups| !groups.along_k).and_then(|_| data.group_rows(row));
        let cut = |tile: Tile, split_k: u32| match &rows {
            Some(rows) => Tiling::of_rows(rows, problem.n, tile, split_k),
            None => Tiling::of(&problem, tile, split_k),
        };
        let name = self.name_of(row);
        let launched = whole(self.workgroups, row).map(u64::from);
        // Whether a name's M is the row's M depends on the caller; the launched grid tells.
        let fits = |tile: Tile| {
            let tiles = cut(tile, 1)?.workgroups();
            Some(launched? % tiles == 0)
        };
        if from == TileFrom::KernelName
            && fits(tile) == Some(false)
            && fits(tile.swapped()) == Some(true)
        {
            tile = tile.swapped();
        }
        let tiles = cut(tile, 1)?;
        let schedule = name.map_or(Schedule::Tiles, |n| n.schedule);
        let split_k = match whole(self.split_k, row).or(name.and_then(|n| n.split_k)) {
            Some(s) => SplitK::Stated(s),
            None => match launched {
                Some(w)
                    // A grouped kernel is launched for the most tiles that its groups could take.
                    if schedule == Schedule::Tiles
                        && groups.is_none()
                        && let Some(parts) = parts(w, tiles.workgroups()) =>
                {
                    SplitK::Launched(parts)
                }
                _ if name.is_some_and(|n| n.at_run_time) => SplitK::AtRunTime,
                _ => SplitK::None,
            },
        };
        let tiling = cut(tile, split_k.factor().max(1))?;
        Some(Tiled { tile, from, split_k, tiling, schedule })
    }

    /// Waves of a row's workgroups over the units of its device, and the number of units; else why they cannot be
    /// counted.
    fn waves(&self, row: usize, tiled: &Tiled) -> Result<(Waves, u32), NoWaves> {
        match tiled.schedule {
            Schedule::StreamK => Err(NoWaves::StreamK),
            Schedule::Persistent => Err(NoWaves::Persistent),
            Schedule::Tiles => {
                let units = self.device(row).and_then(|d| d.units);
                units
                    .and_then(|units| Some((tiled.tiling.waves(units)?, units)))
                    .ok_or(NoWaves::UnitsUnknown)
            }
        }
    }

    /// Bound set by a row's tile: the peak of the units that have work, at most the row's roof.
    fn bound(&self, row: usize, waves: Waves) -> Option<TileBound> {
        let active = self.metrics.roof(self.data, row)?;
        let sheet = self.metrics.sheet_roof(self.data, row)?;
        let (full, kind) = match waves.waves > 1 {
            true => (active, self.metrics.kind_of(self.data, row)),
            false => (sheet, RoofKind::Datasheet),
        };
        let device_flops_per_s = active.at(self.metrics.ai[row]);
        let of_peak = full.peak_flops_per_s * waves.efficiency();
        let flops_per_s = of_peak.min(device_flops_per_s);
        let memory = self.metrics.ai[row] * active.bandwidth_bytes_per_s;
        Some(TileBound {
            roof: TileRoof {
                flops_per_s,
                device_flops_per_s,
                tile_headroom: device_flops_per_s / flops_per_s,
            },
            peak_flops_per_s: full.peak_flops_per_s,
            peak_kind: kind,
            memory_limited: memory <= flops_per_s * (1.0 + 1e-12),
        })
    }

    /// Seconds of one call of a row at its tile's roof, its waves, and the device's number of units. `None` if memory
    /// limits it, or if tile, split-K or waves are unknown.
    pub fn bound_s(&self, row: usize) -> Option<(f64, Waves, u32)> {
        let tiled = self.tiled(row)?;
        // With an unknown split-K factor the tile does not determine the time.
        if tiled.split_k == SplitK::AtRunTime {
            return None;
        }
        let (waves, units) = self.waves(row, &tiled).ok()?;
        let bound = self.bound(row, waves)?;
        let time_s = self.metrics.work(self.data, row) / bound.roof.flops_per_s;
        (!bound.memory_limited).then_some((time_s, waves, units))
    }

    /// Tile, waves and tile roof of a row.
    pub fn of(&self, row: usize) -> Option<RowTile> {
        let tiled = self.tiled(row)?;
        let waves = self.waves(row, &tiled);
        let Tiled { tile, from, split_k, tiling, .. } = tiled;
        let data = self.data;
        let units = self.device(row).and_then(|d| Some((d.units?, d.unit_kind.clone())));
        Some(RowTile {
            tile,
            from,
            split_k,
            tiling,
            fill: data
                .problem(row)
                .op
                .groups
                .filter(|groups| !groups.along_k)
                .map(|_| tiling.fill(data.m[row], tile)),
            units,
            waves: waves.ok().map(|(waves, _)| waves),
            no_waves: waves.err(),
            bound: waves.ok().and_then(|(waves, _)| self.bound(row, waves)),
            kind: self.metrics.kind_of(data, row),
            attained_flops_per_s: self.metrics.rate(data, row),
            sizes: [data.m[row], data.n[row], data.k[row], data.batch[row]],
        })
    }
}

#[cfg(test)]
mod tests;
