//! Kernels from profilers: times, counters and grids, but no M, N, K.
//!
//! The user may state the shape of a kernel (`shape:NAME` among the assumptions); otherwise it is inferred if
//! grid, tile and executed instructions allow only one. A kernel without a shape is rejected, and its
//! fraction of the time is shown.

use super::kernel_kind::KernelKind;
use super::{Omitted, Times, tell_omitted};
use crate::cell::{self, shape_text};
use crate::cell::{CellError, NOT_A_GEMM};
use crate::columns::defaults::{self, AssumedType, assumption};
use crate::{Head, ImportOptions, Imported};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::units::{Flops, Seconds, TimeUnit};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning::*;
use std::collections::HashMap;

/// Maximum number of kernels whose shapes the file's card asks for, longest first.
const ASKED: usize = 12;
/// Number of kernels in the ranking.
const RANKED: usize = 5;

/// A launch of a kernel, or all its launches if the profile sums them up. NaN if not in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launch {
    /// 1-based line in the file.
    pub line: u32,
    /// Name as written by the profiler.
    pub kernel: String,
    /// Seconds per launch.
    pub time_s: f64,
    /// Number of launches.
    pub calls: f64,
    /// Minimum, maximum and standard deviation, seconds.
    pub spread: [f64; 3],
    /// Workgroups along x, y, z.
    pub grid: [f64; 3],
    /// Counted bytes to and from main memory.
    pub bytes: f64,
    /// Counted bytes through the L2 cache and through the L1 caches.
    pub cache_bytes: [f64; 2],
    /// Counted floating-point or integer operations.
    pub work: f64,
    /// Clock of the compute units, Hz.
    pub clock_hz: f64,
    /// Code of the device.
    pub device: u16,
    /// The type, if counters determine it.
    pub dtype: Option<DataType>,
}

impl Launch {
    /// A launch with only a name and a time.
    pub(crate) fn new(line: u32, kernel: &str, time_s: f64) -> Self {
        Launch {
            line,
            kernel: kernel.to_owned(),
            time_s,
            calls: 1.0,
            spread: [f64::NAN; 3],
            grid: [f64::NAN; 3],
            bytes: f64::NAN,
            cache_bytes: [f64::NAN; 2],
            work: f64::NAN,
            clock_hz: f64::NAN,
            device: 0,
            dtype: None,
        }
    }

    fn workgroups(&self) -> f64 {
        self.grid.iter().product()
    }

    /// Counted operations per counted byte; NaN if either is missing.
    fn intensity(&self) -> f64 {
        let ratio = self.work / self.bytes;
        if ratio.is_finite() { ratio } else { f64::NAN }
    }
}

/// Counters of one launch: names and values in SI units, in file order.
#[derive(Debug, Default)]
pub(crate) struct Counters(Vec<(String, f64)>);

impl Counters {
    /// Adds a counter if its cell is a number.
    pub(crate) fn add(&mut self, name: &str, unit: &str, value: Option<f64>) {
        let name = name.trim();
        self.0.extend(value.and_then(|v| Some((name.to_owned(), in_si(name, v, unit)?))));
    }

    /// The first value with one of these names; NaN if there is none.
    pub(crate) fn first(&self, names: &[&str]) -> f64 {
        self.0.iter().find(|(n, _)| names.contains(&n.as_str())).map_or(f64::NAN, |c| c.1)
    }

    /// The last value with one of these names; NaN if there is none.
    pub(crate) fn last(&self, names: &[&str]) -> f64 {
        self.0.iter().rev().find(|(n, _)| names.contains(&n.as_str())).map_or(f64::NAN, |c| c.1)
    }

    /// The counters for whose names `rest` returns a value, with that value.
    pub(crate) fn of<'a, T>(
        &'a self,
        rest: impl Fn(&'a str) -> Option<T> + 'a,
    ) -> impl Iterator<Item = (T, f64)> + 'a {
        self.0.iter().filter_map(move |(name, value)| Some((rest(name)?, *value)))
    }
}

/// Names of time counters in Nsight Compute.
pub(crate) const TIMES: [&str; 4] =
    ["gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration.max", "Duration"];

/// Converts a value to SI units, such as `Mbyte` or `usecond`; `None` for a time without a known unit.
fn in_si(name: &str, value: f64, unit: &str) -> Option<f64> {
    let unit = unit.trim().to_ascii_lowercase();
    if TIMES.contains(&name) {
        // `usecond`, `ms`, `second`
        let short = unit.trim_end_matches("econd").trim_end_matches("econds");
        return Some(cell::scaled(value, TimeUnit::parse(short)?.to_si()));
    }
    let scale = match unit.as_str() {
        "kbyte" | "khz" | "cycle/msecond" => 1e3,
        "mbyte" | "mhz" | "cycle/usecond" | "cycle/us" => 1e6,
        "gbyte" | "ghz" | "cycle/nsecond" | "cycle/ns" => 1e9,
        "tbyte" => 1e12,
        _ => 1.0,
    };
    Some(value * scale)
}

/// Collects launches and builds the table.
#[derive(Debug)]
pub(crate) struct Profile {
    launches: Vec<Launch>,
    options: ImportOptions,
    /// Device for launches that name none.
    device: u16,
    dtype: AssumedType,
}

impl Profile {
    /// An empty profile.
    pub(crate) fn new(table: &mut TableBuilder, head: &Head, options: &ImportOptions) -> Self {
        let device = defaults::chosen_device(table, options);
        let dtype = AssumedType::new(head, options, DataType::Fp16);
        Profile { launches: Vec::new(), options: options.clone(), device, dtype }
    }

    /// Adds a launch.
    pub(crate) fn push(&mut self, mut launch: Launch) {
        if launch.device == 0 {
            launch.device = self.device;
        }
        self.launches.push(launch);
    }

    /// Merges launches with the same kernel, grid and device, for traces.
    pub(crate) fn unite(&mut self) {
        let mut places: HashMap<(String, [u64; 3], u16), usize> = HashMap::new();
        let mut out: Vec<(Launch, Times)> = Vec::new();
        for l in std::mem::take(&mut self.launches) {
            let key = (l.kernel.clone(), l.grid.map(f64::to_bits), l.device);
            let (next, time_s) = (out.len(), l.time_s);
            let at = *places.entry(key).or_insert(next);
            if at == next {
                out.push((l, Times::NONE));
            }
            out[at].1.add(time_s);
        }
        let united = |(l, t): (Launch, Times)| {
            let (calls, time_s, spread) = (t.calls, t.mean(), t.spread());
            Launch { calls, time_s, spread, ..l }
        };
        self.launches = out.into_iter().map(united).collect();
    }

    /// Builds the table.
    pub(crate) fn finish(mut self, mut table: TableBuilder) -> Imported {
        let launches = std::mem::take(&mut self.launches);
        if launches.iter().any(|l| l.clock_hz.is_finite()) {
            table.note(
                "The profiler locks the clock: efficiency is of the peak at the recorded clock.",
            );
        }
        let all: f64 = launches.iter().map(total).sum();
        let parsed: Vec<KernelName> =
            launches.iter().map(|l| KernelName::parse(&l.kernel)).collect();
        let (mut without, mut not_gemm) = (Omitted::default(), Omitted::default());
        // Longest first, for the questions and the ranking.
        let mut order: Vec<usize> =
            (0..launches.len()).filter(|&i| is_gemm(&launches[i].kernel, &parsed[i])).collect();
        order.sort_by(|&a, &b| total(&launches[b]).total_cmp(&total(&launches[a])));
        let gemm_s: f64 = order.iter().map(|&i| total(&launches[i])).sum();
        let shapes = self.shapes(&launches, &parsed, &order, all, &mut table);
        rank(&mut table, &launches, &order, gemm_s, all);
        for (i, l) in launches.iter().enumerate() {
            let gemm = is_gemm(&l.kernel, &parsed[i]);
            let row = match shapes.get(&i) {
                Some(&[batch, m, n, k]) => {
                    let dtype = self.dtype.of(parsed[i].dtype.or(l.dtype), &mut table);
                    let (a, b) = parsed[i].transposes.unwrap_or_default();
                    let op = Operation::uniform(dtype).with_layout(a, b);
                    let row = Row { batch, device: l.device, ..Row::new(m, n, k, op, l.time_s) };
                    if l.time_s.is_nan() { Err(CellError::Missing.of("time")) } else { Ok(row) }
                }
                None if gemm => {
                    without.add(&l.kernel, l.calls, total(l));
                    Err(RowError::new("no M, N, K in the profile: enter the kernel's shape"))
                }
                None => {
                    not_gemm.add(&l.kernel, l.calls, total(l));
                    Err(RowError::new(NOT_A_GEMM))
                }
            };
            stage(&mut table, l, &parsed[i]);
            table.commit(l.line, short(&l.kernel).as_bytes(), row);
        }
        if launches.iter().all(|l| l.device == 0) {
            table.assume_device("", "The file names no device.");
        }
        let mut data = table.finish();
        tell_omitted(&mut data, without, not_gemm);
        Imported::table(data)
    }

    /// Batch, M, N and K by index of the launch, as entered by the user or inferred from counters; adds questions for
    /// the others. `all_s` is the time of all launches in seconds.
    fn shapes(
        &self,
        launches: &[Launch],
        parsed: &[KernelName],
        order: &[usize],
        all_s: f64,
        table: &mut TableBuilder,
    ) -> HashMap<usize, [u32; 4]> {
        let mut shapes: HashMap<usize, [u32; 4]> = HashMap::new();
        let mut asked: Vec<Assumption> = Vec::new();
        for &i in order {
            let (l, p) = (&launches[i], &parsed[i]);
            let key = shape_key(l);
            let answer = self
                .options
                .answer(&key)
                .or(self.options.answer("shape"))
                .and_then(|a| four(&shape_text::sizes(a)));
            let found = inferred(l, p);
            if let Some(shape) = answer.or(found) {
                shapes.insert(i, shape);
            }
            if asked.iter().any(|a| a.key == key) || asked.len() >= ASKED {
                continue;
            }
            let value = answer.or(found).map_or(String::new(), |[b, m, n, k]| match b {
                1 => format!("{m}x{n}x{k}"),
                b => format!("{b}x{m}x{n}x{k}"),
            });
            let share = if all_s > 0.0 { total(l) / all_s * 100.0 } else { 0.0 };
            let text = match (answer, found) {
                (Some(_), _) => format!("M x N x K of {}: as entered.", short(&l.kernel)),
                (None, Some(_)) => format!(
                    "M x N x K of {}: from its grid, tile and executed instructions.",
                    short(&l.kernel)
                ),
                (None, None) => format!(
                    "M x N x K of {} ({share:.1} % of the time)? Not in the profile; enter \
                     4096x4096x1024, or BxMxNxK.",
                    short(&l.kernel)
                ),
            };
            asked.push(assumption(key, text, value, &[]));
        }
        // Unanswered questions come first.
        asked.sort_by_key(|a| !a.value.is_empty());
        for assumption in asked {
            table.assume(assumption);
        }
        shapes
    }
}

fn stage(t: &mut TableBuilder, l: &Launch, p: &KernelName) {
    t.stage_text(Kernel, "kernel", l.kernel.as_bytes());
    t.stage_text(Library, "library", super::tracelens::library(&l.kernel).as_bytes());
    t.stage_number(Count, "launches", l.calls);
    t.stage_number(Workgroups, "workgroups", l.workgroups());
    t.stage_number(MeasuredBytes, "measured bytes", l.bytes);
    t.stage_number(MeasuredL2Bytes, "measured L2 bytes", l.cache_bytes[0]);
    t.stage_number(MeasuredL1Bytes, "measured L1 bytes", l.cache_bytes[1]);
    t.stage_number(MeasuredClock, "clock", l.clock_hz);
    t.stage_number(ReportedWork, "counted work", l.work);
    t.stage_number(TimeMin, "shortest", l.spread[0]);
    t.stage_number(TimeMax, "longest", l.spread[1]);
    t.stage_number(TimeStd, "standard deviation", l.spread[2]);
    t.stage_extra("measured intensity", "FLOP/B", l.intensity());
    if let Some(tile) = p.tile {
        t.stage_number(TileM, "tile M", tile.m.into());
        t.stage_number(TileN, "tile N", tile.n.into());
        t.stage_number(TileK, "tile K", tile.k.map_or(f64::NAN, f64::from));
    }
}

/// Time of all calls of a launch, seconds; 0 if not stated.
fn total(l: &Launch) -> f64 {
    let t = l.time_s * l.calls;
    if t.is_finite() { t } else { 0.0 }
}

fn rank(t: &mut TableBuilder, launches: &[Launch], order: &[usize], gemm_s: f64, all: f64) {
    if order.is_empty() || !(all > 0.0 && all.is_finite()) {
        return;
    }
    t.note(format!(
        "GEMM kernels take {} of {} kernel time ({:.1} %).",
        Seconds(gemm_s),
        Seconds(all),
        gemm_s / all * 100.0
    ));
    // Skip launches whose time or count is not a number.
    let share = |i: usize| launches[i].time_s * launches[i].calls / all * 100.0;
    let timed = |i: &&usize| share(**i) > 0.0 && share(**i).is_finite();
    for &i in order.iter().filter(timed).take(RANKED) {
        let l = &launches[i];
        let mut line =
            format!("{:.1} %: {}, {} x {}", share(i), short(&l.kernel), l.calls, Seconds(l.time_s));
        if l.work.is_finite() {
            line += &format!(", {} counted", Flops(l.work));
        }
        let intensity = l.intensity();
        if intensity.is_finite() {
            line += &format!(", {intensity:.1} FLOP per measured byte");
        }
        t.note(line + ".");
    }
}

/// Key of the assumption on a kernel's shape.
fn shape_key(l: &Launch) -> String {
    let groups = l.workgroups();
    if groups.is_finite() {
        format!("shape:{}@{groups}", short(&l.kernel))
    } else {
        format!("shape:{}", short(&l.kernel))
    }
}

/// Shortens a name to fit a line.
fn short(name: &str) -> String {
    let mut out: String = name.chars().take(96).collect();
    if out.len() < name.len() {
        out.push('…');
    }
    out
}

fn four(sizes: &[u32]) -> Option<[u32; 4]> {
    match *sizes {
        [m, n, k] => Some([1, m, n, k]),
        [b, m, n, k] => Some([b, m, n, k]),
        [s] => Some([1, s, s, s]),
        _ => None,
    }
}

fn is_gemm(name: &str, parsed: &KernelName) -> bool {
    KernelKind::of_parsed("", name, parsed).is_gemm_time()
}

/// Infers batch, M, N, K if counted work, grid and tile are consistent with one GEMM of whole K. Tries a cube first,
/// then grid x along one dimension and y along the other.
fn inferred(l: &Launch, p: &KernelName) -> Option<[u32; 4]> {
    let tile = p.tile?;
    let groups = l.workgroups();
    if !(l.work > 0.0 && groups >= 1.0) || l.grid[2] > 1.0 || p.split_k.is_some_and(|s| s > 1) {
        return None;
    }
    let (tm, tn) = (f64::from(tile.m), f64::from(tile.n));
    let depth = |m: f64, n: f64| {
        let k = l.work / (2.0 * m * n);
        let whole = k.round();
        ((k - whole).abs() < 1e-6 * k && (8.0..4e9).contains(&whole)).then_some(whole)
    };
    let area = groups * tm * tn;
    let side = area.sqrt().round();
    if side * side == area && depth(side, side) == Some(side) {
        let s = side as u32;
        return Some([1, s, s, s]);
    }
    let [x, y, _] = l.grid;
    // Column-major libraries run x along their M, which is the row-major N; the work is the same.
    let (m, n) = (x * tm, y * tn);
    if m >= 4e9 || n >= 4e9 || y <= 1.0 {
        return None;
    }
    let k = depth(m, n)?;
    Some([1, m as u32, n as u32, k as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_from_grid_tile_and_work() {
        let name = "ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_nn";
        let mut l = Launch::new(1, name, 0.107);
        l.grid = [640.0, 20.0, 1.0];
        l.work = 2.0 * 20480f64.powi(3);
        let p = KernelName::parse(name);
        assert_eq!(inferred(&l, &p), Some([1, 20480, 20480, 20480]));
        l.work = 2.0 * 20480f64.powi(2) * 1000.5;
        assert_eq!(inferred(&l, &p), None);
    }

    #[test]
    fn other_kernels_are_no_gemms() {
        for (name, gemm) in [
            ("Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_SN", true),
            ("nvjet_tst_64x64_64x16_2x1_v_bz_TNT", true),
            ("void at::native::elementwise_kernel<128>", false),
            ("void cublasLt::splitKreduce_kernel<32>", false),
            ("flash_fwd_kernel_gemm", false),
            ("sm80_xmma_fprop_implicit_gemm_conv", false),
        ] {
            assert_eq!(is_gemm(name, &KernelName::parse(name)), gemm, "{name}");
        }
    }
}
