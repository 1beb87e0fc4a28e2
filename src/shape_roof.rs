//! The second ceiling of a row: what its tile and the number of its workgroups leave of the
//! device's roof, in numbers and in a sentence.
//!
//! The tile comes from the file's own columns or from the kernel's name, the number of units
//! from the device. The peak is always the datasheet's: an achievable peak is what a *full*
//! device sustains, and a kernel on 8 of 304 units is not held back by what slows the full one.

use crate::dataset::{ColumnData, Dataset, Role};
use crate::hardware::{Device, RoofKind};
use crate::metrics::Metrics;
use crate::roofline::Roof;
use crate::tiling::kernel_name::{KernelName, Kind, Library};
use crate::tiling::{ShapeRoof, Tile, Tiling, Waves};
use crate::units::FlopsPerSec;

/// A kernel that reaches this share of its shape roof does what its workgroups allow.
pub const AT_SHAPE_ROOF: f64 = 0.8;
/// Above this share of the shape roof its assumptions do not hold.
pub const OVER_SHAPE_ROOF: f64 = 1.05;
/// A shape roof under this share of the device's leaves the kernel little to win.
pub const SHAPE_LIMITS: f64 = 0.8;
/// Below this depth a workgroup's share of K no longer hides the cost of splitting.
pub const MIN_K_PER_SPLIT: u32 = 512;

/// Where a tile was found.
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
    /// The file or the name says so.
    Stated(u32),
    /// The launched workgroups are this multiple of the tiles.
    Launched(u32),
    /// Neither says anything: taken as 1.
    None,
    /// The kernel chooses it when it is launched, and nothing tells what it chose.
    AtRunTime,
}

impl SplitK {
    /// The factor to count with.
    pub fn factor(self) -> u32 {
        match self {
            SplitK::Stated(s) | SplitK::Launched(s) => s,
            SplitK::None | SplitK::AtRunTime => 1,
        }
    }
}

/// How a kernel walks its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schedule {
    /// One workgroup a tile (and split).
    Tiles,
    /// Stream-K shares the last wave out.
    StreamK,
    /// As many workgroups as units, which take tiles as they come.
    Persistent,
}

/// Tile and schedule of one kernel name.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// In the orientation of a row-major product.
    tile: Tile,
    /// As the library itself counts M and N.
    own: Tile,
    split_k: Option<u32>,
    at_run_time: bool,
    schedule: Schedule,
}

/// Tiles of all rows of a dataset, found once per distinct kernel name.
pub struct ShapeRoofs<'a> {
    data: &'a Dataset,
    metrics: &'a Metrics,
    by_kernel: Vec<Option<Named>>,
    kernels: Option<&'a [u32]>,
    columns: Option<[&'a [f64]; 2]>,
    tile_k: Option<&'a [f64]>,
    split_k: Option<&'a [f64]>,
    workgroups: Option<&'a [f64]>,
    datasheet: Vec<Option<Roof>>,
}

/// A row's tile, waves and second roof.
#[derive(Clone, Debug, PartialEq)]
pub struct RowShape {
    /// Tile in the orientation of M and N.
    pub tile: Tile,
    /// Where it was found.
    pub from: TileFrom,
    /// Split-K.
    pub split_k: SplitK,
    /// The problem in tiles.
    pub tiling: Tiling,
    /// Units of the device, and what its vendor calls them.
    pub units: Option<(u32, String)>,
    /// Workgroups in waves; `None` where no claim is made.
    pub waves: Option<Waves>,
    /// Why no claim is made about waves.
    pub no_waves: Option<&'static str>,
    /// The second roof; `None` without waves or without a peak.
    pub roof: Option<ShapeRoof>,
    /// The shape roof is the memory's: tile and waves take nothing from it.
    pub memory_limited: bool,
    /// Attained rate, FLOP/s.
    pub attained_flops_per_s: f64,
    /// Sizes M, N, K and batch.
    pub sizes: [u32; 4],
}

fn numbers(data: &Dataset, role: Role) -> Option<&[f64]> {
    match &data.role(role)?.data {
        ColumnData::Number(v) => Some(v),
        ColumnData::Text { .. } => None,
    }
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
    if parsed.kind != Kind::Gemm {
        return None;
    }
    let (tile, own) = (parsed.row_major_tile()?, parsed.tile?);
    if tile.m == 0 || tile.n == 0 {
        return None;
    }
    // A Tensile kernel built with arguments of the user takes its split when launched; so does
    // one that adds up its parts itself. A number in the name wins over both.
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
    Some(Named {
        tile,
        own,
        split_k: parsed.split_k,
        at_run_time,
        schedule,
    })
}

/// True for the formats of a BLAS library's own benchmark: their M, N and layout are those of a
/// column-major call, as the kernels see them.
pub fn is_column_major(format: &str) -> bool {
    ["hipblaslt", "rocblas", "tensile", "tunableop"]
        .iter()
        .any(|f| format.starts_with(f))
}

impl<'a> ShapeRoofs<'a> {
    /// Parses the kernel names of a dataset.
    pub fn new(data: &'a Dataset, metrics: &'a Metrics) -> Self {
        Self::with(data, metrics, |_| true)
    }

    /// Tile, waves and second roof of one row, when no other is asked for.
    pub fn of_row(data: &Dataset, metrics: &Metrics, row: usize) -> Option<RowShape> {
        let kernel = match data.role(Role::Kernel).map(|c| &c.data) {
            Some(ColumnData::Text { codes, .. }) => codes.get(row).copied(),
            _ => None,
        };
        ShapeRoofs::with(data, metrics, |code| Some(code) == kernel).of(row)
    }

    /// Parses the names whose code is wanted.
    fn with(data: &'a Dataset, metrics: &'a Metrics, wanted: impl Fn(u32) -> bool) -> Self {
        let (by_kernel, kernels) = match data.role(Role::Kernel).map(|c| &c.data) {
            Some(ColumnData::Text { codes, values }) => (
                (0u32..)
                    .zip(values)
                    .map(|(code, v)| if wanted(code) { named(v) } else { None })
                    .collect(),
                Some(codes.as_slice()),
            ),
            _ => (Vec::new(), None),
        };
        let columns = numbers(data, Role::TileM)
            .zip(numbers(data, Role::TileN))
            .map(|(m, n)| [m, n]);
        let mut datasheet = Vec::with_capacity(metrics.devices.len() * data.ops.len());
        for device in &metrics.devices {
            for op in &data.ops {
                let roof = device
                    .as_ref()
                    .and_then(|d| d.roof(op.compute, RoofKind::Datasheet));
                datasheet.push(roof);
            }
        }
        ShapeRoofs {
            data,
            metrics,
            by_kernel,
            kernels,
            columns,
            tile_k: numbers(data, Role::TileK),
            split_k: numbers(data, Role::SplitK),
            workgroups: numbers(data, Role::Workgroups),
            datasheet,
        }
    }

    /// True where at least one row can have a tile.
    pub fn any(&self) -> bool {
        self.columns.is_some() || self.by_kernel.iter().any(Option::is_some)
    }

    fn device(&self, row: usize) -> Option<&Device> {
        self.metrics
            .devices
            .get(usize::from(self.data.device[row]))?
            .as_ref()
    }

    /// The tile of a row; `None` where neither the columns nor the name give one.
    pub fn tile(&self, row: usize) -> Option<(Tile, TileFrom)> {
        if let Some([m, n]) = self.columns
            && let (Some(m), Some(n)) = (whole(Some(m), row), whole(Some(n), row))
        {
            let k = whole(self.tile_k, row);
            return Some((Tile { m, n, k }, TileFrom::Columns));
        }
        let source = self.data.sources.get(usize::from(self.data.source[row]));
        let own = source.is_some_and(|s| is_column_major(&s.format));
        self.name_of(row)
            .map(|n| (if own { n.own } else { n.tile }, TileFrom::KernelName))
    }

    fn name_of(&self, row: usize) -> Option<&Named> {
        let code = *self.kernels?.get(row)? as usize;
        self.by_kernel.get(code)?.as_ref()
    }

    /// Tile, waves and second roof of a row.
    pub fn of(&self, row: usize) -> Option<RowShape> {
        let (tile, from) = self.tile(row)?;
        let data = self.data;
        let sizes = [data.m[row], data.n[row], data.k[row], data.batch[row]];
        let [m, n, _, batch] = sizes;
        let name = self.name_of(row);
        let tiles = Tiling::new((m, n, batch), tile, 1)?;
        let launched = whole(self.workgroups, row).map(u64::from);
        let schedule = name.map_or(Schedule::Tiles, |n| n.schedule);
        let split_k = match whole(self.split_k, row).or(name.and_then(|n| n.split_k)) {
            Some(s) => SplitK::Stated(s),
            None => match launched {
                Some(w) if schedule == Schedule::Tiles && w % tiles.workgroups() == 0 => {
                    SplitK::Launched(u32::try_from(w / tiles.workgroups()).unwrap_or(u32::MAX))
                }
                _ if name.is_some_and(|n| n.at_run_time) => SplitK::AtRunTime,
                _ => SplitK::None,
            },
        };
        let tiling = Tiling::new((m, n, batch), tile, split_k.factor().max(1))?;
        let device = self.device(row);
        let units = device.and_then(|d| Some((d.units?, d.unit_kind.clone())));
        let no_waves = match (schedule, &units) {
            (Schedule::StreamK, _) => Some("a stream-K kernel shares its last wave out"),
            (Schedule::Persistent, _) => {
                Some("a persistent kernel launches one workgroup a unit and walks its tiles")
            }
            (Schedule::Tiles, None) => Some("the number of units of the device is not known"),
            (Schedule::Tiles, Some(_)) => None,
        };
        let waves = match (&units, no_waves) {
            (Some((units, _)), None) => tiling.waves(*units),
            _ => None,
        };
        let peak = self
            .datasheet
            .get(usize::from(data.device[row]) * data.ops.len() + usize::from(data.op[row]))
            .copied()
            .flatten();
        let intensity = self.metrics.ai[row];
        let roof = waves.zip(peak).map(|(w, peak)| w.roof(&peak, intensity));
        let memory_limited = peak.is_some_and(|p| {
            roof.is_some_and(|r| {
                let memory = intensity * p.bandwidth_bytes_per_s;
                memory <= r.flops_per_s * (1.0 + 1e-12)
            })
        });
        Some(RowShape {
            tile,
            from,
            split_k,
            tiling,
            units,
            waves,
            no_waves,
            roof,
            memory_limited,
            attained_flops_per_s: self.metrics.rate[row],
            sizes,
        })
    }
}

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
            (Limit::Memory | Limit::Kernel, false) => "the shape is not the problem, the kernel is",
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
            "{attained} is {} of what {allowed} allow ({}), and {} of the device's roof ({}): \
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Column;
    use crate::dtype::DataType;
    use crate::gemm::Operation;
    use crate::hardware;

    fn one(sizes: [u32; 3], dtype: DataType, time_s: f64, kernel: &str) -> Dataset {
        let mut d = Dataset::new();
        d.sources.push(Default::default());
        d.ops.push(Operation::uniform(dtype));
        let [m, n, k] = sizes;
        (d.m, d.n, d.k, d.batch) = (vec![m], vec![n], vec![k], vec![1]);
        (d.op, d.device, d.source, d.line) = (vec![0], vec![0], vec![0], vec![2]);
        d.time_s = vec![time_s];
        d.columns.push(Column {
            key: "kernel".into(),
            label: "Kernel".into(),
            role: Role::Kernel,
            unit: String::new(),
            data: ColumnData::Text {
                codes: vec![1],
                values: vec![String::new(), kernel.to_owned()],
            },
        });
        d
    }

    fn shape(data: &Dataset) -> RowShape {
        let device = hardware::by_id("mi300x").cloned();
        let metrics = Metrics::compute(data, vec![device], RoofKind::Datasheet);
        ShapeRoofs::new(data, &metrics).of(0).expect("a tile")
    }

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn few_tiles_with_a_long_k_need_split_k() {
        let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_GSU2_GSUAMB_ISA942";
        let s = shape(&one([256, 512, 131072], DataType::Bf16, 1089e-6, name));
        // Tensile's first number covers N.
        assert_eq!((s.tile.m, s.tile.n), (128, 256));
        let w = s.waves.unwrap();
        assert_eq!((w.workgroups, w.waves), (8, 1));
        close(w.wave_efficiency, 0.026, 5e-4);
        close(s.roof.unwrap().flops_per_s / 1e12, 34.4, 0.05);
        close(s.efficiency().unwrap(), 0.92, 5e-3);
        assert_eq!(s.limit(), Limit::SplitK);
        assert_eq!(s.split_k_room(), 76);
        let text = s.sentence();
        assert!(
            text.contains("92 % of what 8 workgroups on 304 CUs allow"),
            "{text}"
        );
        assert!(text.contains("more split-K, not a better kernel"), "{text}");
    }

    #[test]
    fn just_over_a_power_of_two_wastes_tiles_and_units() {
        let name = "Cijk_Ailk_Bljk_BBS_BH_MT128x64x64_MI32x32x8x1_ISA942";
        let s = shape(&one([1025, 1025, 8192], DataType::Bf16, 107.1e-6, name));
        let w = s.waves.unwrap();
        assert_eq!((w.workgroups, w.waves), (153, 1));
        close(w.tile_efficiency, 0.838, 5e-4);
        close(w.wave_efficiency, 0.503, 5e-4);
        close(s.roof.unwrap().flops_per_s / 1e12, 551.6, 0.5);
        close(s.efficiency().unwrap(), 0.29, 5e-3);
        assert!(s.sentence().contains("the kernel has room too"));
    }

    #[test]
    fn a_tail_wave() {
        let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x112x64_MI16x16x16x1_ISA942";
        let s = shape(&one([4097, 4097, 4097], DataType::Bf16, 367.2e-6, name));
        let w = s.waves.unwrap();
        assert_eq!((w.workgroups, w.waves), (629, 3));
        close(s.roof.unwrap().flops_per_s / 1e12, 839.2, 0.5);
        close(s.efficiency().unwrap(), 0.45, 5e-3);
        assert_eq!(s.limit(), Limit::TailWave);
    }

    #[test]
    fn a_tall_skinny_one_is_the_memorys() {
        let name = "Cijk_Ailk_Bljk_HHS_BH_MT64x128x32_MI16x16x16x1_ISA942";
        let s = shape(&one([131072, 32, 32], DataType::Fp16, 13.5e-6, name));
        let w = s.waves.unwrap();
        assert_eq!((w.workgroups, w.waves), (1024, 4));
        close(w.tile_efficiency, 0.5, 1e-9);
        close(w.wave_efficiency, 0.842, 5e-4);
        assert_eq!(s.limit(), Limit::Memory);
        close(s.efficiency().unwrap(), 0.235, 1e-3);
        assert!(s.sentence().starts_with("Memory limits this shape"));
    }

    #[test]
    fn no_claim_about_stream_k_and_persistent_kernels() {
        let name = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x256x64_MI16x16x1_SK3_ISA950";
        let s = shape(&one([4096, 4096, 4096], DataType::Bf16, 300e-6, name));
        assert!(s.waves.is_none() && s.roof.is_none());
        assert!(s.sentence().contains("stream-K"));
    }

    #[test]
    fn split_k_from_the_launched_grid() {
        let name = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT16x16x256_MI16x16x1_GSUAMBSK_ISA942";
        let mut d = one([32, 32, 2880], DataType::Bf16, 8e-6, name);
        assert_eq!(shape(&d).split_k, SplitK::AtRunTime);
        d.columns.push(Column {
            key: "workgroups".into(),
            label: "workgroups".into(),
            role: Role::Workgroups,
            unit: String::new(),
            data: ColumnData::Number(vec![12.0]),
        });
        let s = shape(&d);
        assert_eq!(s.split_k, SplitK::Launched(3));
        assert_eq!(s.tiling.workgroups(), 12);
    }
}
