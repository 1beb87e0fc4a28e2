//! Figures of every row, computed from shape, type and time: intensity and roof time, from which all others follow.
//!
//! Work, bytes and the rest follow from these three. The roof of a row depends on its device and
//! on the type in which its products are multiplied.

use crate::dataset::Dataset;
use crate::field::Frame;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Cost, Operation};
use gemmscope_model::hardware;
use gemmscope_model::hardware::{Device, MemoryLevel, NameMatch, RoofKind};
use gemmscope_model::roofline::{Bound, LostTime, Roof, is_launch_bound};
use gemmscope_model::units::larger;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The device whose roof applies to each row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceChoice {
    /// Device id for rows whose file does not state one, or states a name that fits several.
    pub default: Option<String>,
    /// The user's choice for device names in files: name -> device id.
    pub overrides: BTreeMap<String, String>,
}

impl DeviceChoice {
    /// The device of each entry of [`Dataset::devices`]. `custom` are the user's own devices;
    /// they win over the catalogue's of the same id. A name that fits several devices is the
    /// default one where that is among them; else it gives `None`, as an unknown name does. A
    /// device that a reader guessed gives way to the default one.
    pub fn resolve(&self, data: &Dataset, custom: &[Device]) -> Vec<Option<Device>> {
        let by_id =
            |id: &str| custom.iter().find(|d| d.id == id).or_else(|| hardware::by_id(id)).cloned();
        let chosen = self.default.as_deref();
        let stated = |name: &String, implied: bool| {
            if let Some(id) = self.overrides.get(name) {
                return by_id(id);
            }
            if name.is_empty() || implied && chosen.is_some() {
                return chosen.and_then(by_id);
            }
            if let Some(own) = custom.iter().find(|d| d.name == *name || d.id == *name) {
                return Some(own.clone());
            }
            match hardware::match_name(name) {
                NameMatch::Exact(d) | NameMatch::Alias(d) => by_id(&d.id),
                // The user's choice answers which of several devices a name means.
                NameMatch::Ambiguous(may_be) => {
                    let meant = may_be.iter().any(|d| Some(d.id.as_str()) == chosen);
                    meant.then(|| chosen.and_then(by_id)).flatten()
                }
                NameMatch::Unknown => None,
            }
        };
        let implied = data.implied_devices();
        let names = data.devices.iter().zip(implied);
        names.map(|(name, implied)| stated(name, implied)).collect()
    }
}

/// The figures of every row of a dataset.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Arithmetic intensity, FLOP/byte over compulsory traffic.
    pub ai: Vec<f64>,
    /// Shortest time that the roof allows, seconds; NaN if the device or its peak is unknown.
    pub roof_s: Vec<f64>,
    /// Device of each entry of `Dataset::devices`, as the rows show it: an achievable rate that they
    /// beat is the best of theirs, and no call is shorter than the launch floor.
    pub devices: Vec<Option<Device>>,
    /// The roof of `roof_s` and of everything derived from it. A type without an achievable rate
    /// has the datasheet's: [`Metrics::kind_of`].
    pub kind: RoofKind,
    /// The devices as they were given.
    given: Vec<Option<Device>>,
    /// Type in which each operation computes, as its place in [`DataType::ALL`].
    type_of: Vec<u8>,
    /// Of each device the datasheet's roof for each type of [`DataType::ALL`], and the one of `kind`.
    datasheet: Vec<Option<Roof>>,
    roofs: Vec<Option<Roof>>,
    costs: Vec<Cost>,
    /// What the rows of each device code show of it.
    seen: Vec<Seen>,
    /// Clock of each row over the clock of its device's peaks; empty if no file recorded clocks.
    clock_ratio: Vec<f64>,
}

/// Number of types that have a roof of their own in a table.
const TYPES: usize = DataType::ALL.len();

/// What the rows of one device code show of their device.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Shortest call, seconds.
    shortest_s: f64,
    /// Best rate for each type up to the datasheet's roof, FLOP/s at the clock of the peaks.
    best: [f64; TYPES],
}

impl Seen {
    const NOTHING: Seen = Seen { shortest_s: f64::INFINITY, best: [0.0; TYPES] };

    /// What the rows of both show.
    fn and(self, other: &Seen) -> Seen {
        Seen {
            shortest_s: self.shortest_s.min(other.shortest_s),
            best: std::array::from_fn(|t| self.best[t].max(other.best[t])),
        }
    }
}

impl Metrics {
    /// The metrics of no rows.
    pub fn of_nothing(kind: RoofKind) -> Self {
        Metrics { kind, ..Metrics::default() }
    }

    /// Computes all rows in one pass, or in two where a row beat an achievable rate that is the roof.
    /// `devices` has one entry per `data.devices`.
    pub fn compute(data: &Dataset, devices: Vec<Option<Device>>, kind: RoofKind) -> Self {
        let mut metrics =
            Metrics { clock_ratio: clock_ratios(data, &devices), kind, ..Metrics::default() };
        metrics.extend(data, devices);
        metrics
    }

    /// Computes the rows that were added to the dataset since the last call. The devices of earlier
    /// rows have to be the same as then, and the dataset may record no clocks: see
    /// [`can_grow`](Self::can_grow).
    pub fn extend(&mut self, data: &Dataset, devices: Vec<Option<Device>>) {
        self.look_up(data, devices);
        let (from, n) = (self.ai.len(), data.len());
        for column in [&mut self.ai, &mut self.roof_s] {
            // As much room as the rows have.
            column.reserve_exact(data.m.capacity().max(n) - from);
        }
        for row in from..n {
            let (work, bytes) = self.work_bytes(data, row);
            self.ai.push(work / bytes);
            let (device, of_type) = self.place(data, row);
            let (at, clock) = (device * TYPES + of_type, self.clock_ratio.get(row));
            let time_s = data.time_s[row];
            self.roof_s.push(match self.roofs[at] {
                Some(roof) => at_clock(roof, clock).time_s(work, bytes),
                None => f64::NAN,
            });
            let seen = &mut self.seen[device];
            if time_s > 0.0 && time_s < seen.shortest_s {
                seen.shortest_s = time_s;
            }
            // Few rows are better than all before them.
            let ratio = clock.copied().filter(is_clock_ratio).unwrap_or(1.0);
            if work > seen.best[of_type] * time_s * ratio
                && let Some(roof) = self.datasheet[at]
                && time_s >= at_clock(roof, clock).time_s(work, bytes)
            {
                seen.best[of_type] = work / time_s / ratio;
            }
        }
        self.settle(data);
    }

    /// True if the figures of a growing dataset are those of the finished one. No achievable roof
    /// is known before the last row.
    pub fn can_grow(data: &Dataset, kind: RoofKind) -> bool {
        kind == RoofKind::Datasheet
            && data.column(crate::dataset::ColumnMeaning::MeasuredClock).is_none()
    }

    /// True if these are the metrics of a dataset on these devices.
    pub fn are_of(&self, devices: &[Option<Device>], kind: RoofKind) -> bool {
        self.given == devices && self.kind == kind
    }

    /// Works out what a row needs to know of its operation and device.
    fn look_up(&mut self, data: &Dataset, devices: Vec<Option<Device>>) {
        let known = self.type_of.len();
        self.costs.extend(data.ops[known..].iter().map(Operation::cost));
        let place = |op: &Operation| DataType::ALL.iter().position(|t| *t == op.compute);
        let types = data.ops[known..].iter().map(|op| place(op).unwrap_or(0) as u8);
        self.type_of.extend(types);
        if self.given == devices && self.seen.len() == devices.len() {
            return;
        }
        self.seen.resize(devices.len(), Seen::NOTHING);
        self.devices.clone_from(&devices);
        self.given = devices;
        self.datasheet = self.roofs_of(RoofKind::Datasheet);
        self.roofs = self.roofs_of(self.kind);
    }

    fn roofs_of(&self, kind: RoofKind) -> Vec<Option<Roof>> {
        let of = |d: &Option<Device>, t| d.as_ref().and_then(|d| d.roof(t, kind));
        self.devices.iter().flat_map(|d| DataType::ALL.map(|t| of(d, t))).collect()
    }

    /// Lets achievable rates and launch floors give way to what the rows show: of a device under
    /// several names, those of all names.
    fn settle(&mut self, data: &Dataset) {
        let mut all: FxHashMap<&str, Seen> = FxHashMap::default();
        for (device, seen) in self.given.iter().zip(&self.seen) {
            if let Some(d) = device {
                all.entry(&d.id).and_modify(|s| *s = s.and(seen)).or_insert(*seen);
            }
        }
        for device in self.devices.iter_mut().flatten() {
            let Some(seen) = all.get(&*device.id) else { continue };
            device.lower_launch_floor(seen.shortest_s);
            for (dtype, best) in DataType::ALL.into_iter().zip(seen.best) {
                device.raise_achievable(dtype, best);
            }
        }
        if self.kind == RoofKind::Datasheet {
            return;
        }
        let roofs = self.roofs_of(self.kind);
        if roofs == self.roofs {
            return;
        }
        self.roofs = roofs;
        for row in 0..self.roof_s.len() {
            let (work, bytes) = self.work_bytes(data, row);
            let roof = self.roof(data, row);
            self.roof_s[row] = roof.map_or(f64::NAN, |roof| roof.time_s(work, bytes));
        }
    }

    /// Device code and type of a row.
    fn place(&self, data: &Dataset, row: usize) -> (usize, usize) {
        (usize::from(data.device[row]), usize::from(self.type_of[usize::from(data.op[row])]))
    }

    /// Seconds that a call takes on a device however little it computes: its launch floor, never more
    /// than the shortest call that any row shows on it. NaN for an unknown device.
    pub fn launch_floor_s(&self, device: u16) -> f64 {
        let device = self.devices.get(usize::from(device)).and_then(Option::as_ref);
        device.map_or(f64::NAN, |d| d.launch_floor().0)
    }

    /// The roof that a row is judged by: the datasheet's where its type has no achievable rate.
    pub fn kind_of(&self, data: &Dataset, row: usize) -> RoofKind {
        let device = self.devices.get(usize::from(data.device[row])).and_then(Option::as_ref);
        let compute = data.ops[usize::from(data.op[row])].compute;
        device.map_or(self.kind, |d| d.roof_kind(compute, self.kind))
    }

    /// The types that keep the datasheet's roof while all others have an achievable one, each with its
    /// device: `fp32 on NVIDIA H200`.
    pub fn keep_datasheet(&self, data: &Dataset) -> Vec<String> {
        if self.kind == RoofKind::Datasheet {
            return Vec::new();
        }
        let mut used = vec![false; self.given.len() * TYPES];
        for row in 0..data.len() {
            let (device, of_type) = self.place(data, row);
            used[device * TYPES + of_type] = true;
        }
        let mut out = Vec::new();
        for (at, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            let dtype = DataType::ALL[at % TYPES];
            let Some(device) = &self.devices[at / TYPES] else { continue };
            let judged = self.datasheet[at].is_some();
            if judged && device.roof_kind(dtype, self.kind) == RoofKind::Datasheet {
                out.push(format!("{dtype} on {}", device.name));
            }
        }
        out.dedup();
        out
    }

    /// Roof of a device code and operation code of the dataset these metrics belong to.
    pub fn roof_of(&self, device: u16, op: u16) -> Option<Roof> {
        let of_type = usize::from(*self.type_of.get(usize::from(op))?);
        let at = usize::from(device) * TYPES + of_type;
        self.roofs.get(at).copied().flatten()
    }

    /// Roof of a row at its recorded clock; `None` if the device or its peak for the type is
    /// unknown.
    pub fn roof(&self, data: &Dataset, row: usize) -> Option<Roof> {
        self.roof_of(data.device[row], data.op[row])
            .map(|roof| at_clock(roof, self.clock_ratio.get(row)))
    }

    /// The datasheet roof of a row at its recorded clock, whatever roof it is judged by.
    pub fn sheet_roof(&self, data: &Dataset, row: usize) -> Option<Roof> {
        let (device, of_type) = self.place(data, row);
        let roof = self.datasheet.get(device * TYPES + of_type).copied().flatten()?;
        Some(at_clock(roof, self.clock_ratio.get(row)))
    }

    /// Shortest time that the datasheet allows a row, seconds; NaN where it is not known.
    pub fn sheet_s(&self, data: &Dataset, row: usize) -> f64 {
        if self.kind == RoofKind::Datasheet {
            return self.roof_s[row];
        }
        let (work, bytes) = self.work_bytes(data, row);
        self.sheet_roof(data, row).map_or(f64::NAN, |roof| roof.time_s(work, bytes))
    }

    /// Work of one call of a row, FLOP.
    pub fn work(&self, data: &Dataset, row: usize) -> f64 {
        self.work_bytes(data, row).0
    }

    /// Compulsory bytes of one call of a row.
    pub fn bytes(&self, data: &Dataset, row: usize) -> f64 {
        self.work_bytes(data, row).1
    }

    /// Work over the bytes that a profiler counted at a level of the memory, FLOP/byte; NaN without
    /// such a count.
    pub fn measured_ai(&self, data: &Dataset, row: usize, level: MemoryLevel) -> f64 {
        self.work(data, row) / data.number(crate::dataset::ColumnMeaning::measured(level), row)
    }

    fn work_bytes(&self, data: &Dataset, row: usize) -> (f64, f64) {
        self.costs[data.op[row] as usize].of(
            f64::from(data.m[row]),
            f64::from(data.n[row]),
            f64::from(data.k[row]),
            f64::from(data.batch[row]),
        )
    }

    /// Attained rate, FLOP/s; NaN if the row has no time.
    pub fn rate(&self, data: &Dataset, row: usize) -> f64 {
        self.work(data, row) / data.time_s[row]
    }

    /// Compulsory bytes over time, byte/s.
    pub fn bandwidth(&self, data: &Dataset, row: usize) -> f64 {
        self.bytes(data, row) / data.time_s[row]
    }

    /// Share of the device's bandwidth that the compulsory bytes used.
    pub fn bandwidth_use(&self, data: &Dataset, row: usize) -> f64 {
        self.roof(data, row)
            .map_or(f64::NAN, |r| self.bandwidth(data, row) / r.bandwidth_bytes_per_s)
    }

    /// Roof time over measured time: 1 is at the roof. Values above 1 are never clamped.
    pub fn efficiency(&self, data: &Dataset, row: usize) -> f64 {
        self.roof_s[row] / data.time_s[row]
    }

    /// What limits the row: its launch, or what limits it at its roof.
    pub fn bound(&self, data: &Dataset, row: usize) -> Option<Bound> {
        let roof = self.roof(data, row)?;
        let floor_s = self.launch_floor_s(data.device[row]);
        Some(match is_launch_bound(data.time_s[row], self.roof_s[row], floor_s) {
            true => Bound::Launch,
            false => roof.bound(self.ai[row]),
        })
    }
}

/// The roof at another clock: compute scales with it, memory does not.
fn at_clock(mut roof: Roof, ratio: Option<&f64>) -> Roof {
    if let Some(ratio) = ratio.filter(|r| is_clock_ratio(r)) {
        roof.peak_flops_per_s *= ratio;
    }
    roof
}

/// False for the ratio of a row without a clock.
fn is_clock_ratio(ratio: &f64) -> bool {
    *ratio > 0.0 && ratio.is_finite()
}

fn clock_ratios(data: &Dataset, devices: &[Option<Device>]) -> Vec<f64> {
    let Some(column) = data.column(crate::dataset::ColumnMeaning::MeasuredClock) else {
        return Vec::new();
    };
    let crate::dataset::ColumnData::Number(clocks) = &column.data else {
        return Vec::new();
    };
    clocks
        .iter()
        .zip(&data.device)
        .map(|(clock, device)| {
            let of_peak = devices[usize::from(*device)].as_ref().and_then(|d| d.clock_hz);
            of_peak.map_or(f64::NAN, |peak| clock / peak)
        })
        .collect()
}

/// A row is above its roof where its share of it is over this: what is less, clocks and timers vary by.
/// Whatever counts rows above the roof counts these.
pub const ABOVE_ROOF: f64 = 1.02;

/// Totals of a set of rows. Of all rows of a frame there is one for each side and device:
/// [`Totals::of`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Rows in the set.
    pub rows: u64,
    /// Rows with a measured time.
    pub measured: u64,
    /// Sum of time x count, seconds.
    pub time_s: f64,
    /// Sum of work x count over that time, FLOP/s; 0 without a measured time.
    pub attained_flops_per_s: f64,
    /// Highest rate of one row, FLOP/s.
    pub max_flops_per_s: f64,
    /// Share of the roof of the rows with one: [`LostTime::share_of_roof`], not a mean of
    /// percentages.
    pub weighted_efficiency: Option<f64>,
    /// Highest efficiency of one row.
    pub max_efficiency: Option<f64>,
    /// Share of the time of memory-bound rows (among rows with a roof).
    pub share_memory_bound: Option<f64>,
    /// Share of the time of compute-bound rows.
    pub share_compute_bound: Option<f64>,
    /// Time over the roof time, summed over rows below their roof, seconds.
    pub lost_s: Option<f64>,
    /// Rows [above their roof](ABOVE_ROOF).
    pub above_roof: u64,
    /// Measured rows without a known roof, and their time in seconds.
    pub without_roof: (u64, f64),
}

impl Totals {
    /// The totals of each side and device, with their name.
    pub fn of(frame: &Frame) -> Vec<(String, Totals)> {
        let sets = frame.sets().into_iter();
        sets.map(|set| (set.name, Totals::over(frame, &set.rows))).collect()
    }

    /// Sums over `rows`.
    pub fn over(frame: &Frame, rows: &[u32]) -> Totals {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let count = data.numbers(crate::dataset::ColumnMeaning::Count);
        let decision = frame.decision();
        let mut t = Totals { rows: rows.len() as u64, ..Totals::default() };
        let (mut work, mut mem, mut comp, mut roofed) = (0.0, 0.0, 0.0, LostTime::default());
        let mut best = f64::NEG_INFINITY;
        for &r in rows {
            let r = r as usize;
            let time = data.time_s[r];
            if time.is_nan() {
                continue;
            }
            let calls = match count {
                Some(v) if !v[r].is_nan() && decision.is_program(usize::from(data.source[r])) => {
                    v[r]
                }
                _ => 1.0,
            };
            t.measured += 1;
            let total = time * calls;
            t.time_s += total;
            let rate = metrics.rate(data, r);
            work += rate * total;
            t.max_flops_per_s = larger(t.max_flops_per_s, rate);
            let roof_s = metrics.roof_s[r];
            if roof_s.is_nan() {
                t.without_roof.0 += 1;
                t.without_roof.1 += total;
                continue;
            }
            roofed.add(calls, time, roof_s);
            let efficiency = roof_s / time;
            best = larger(best, efficiency);
            t.above_roof += u64::from(efficiency > ABOVE_ROOF);
            match metrics.bound(data, r) {
                Some(Bound::Memory) => mem += total,
                Some(Bound::Compute) => comp += total,
                _ => {}
            }
        }
        if t.time_s > 0.0 {
            t.attained_flops_per_s = work / t.time_s;
        }
        if roofed.time_s > 0.0 {
            t.weighted_efficiency = Some(roofed.share_of_roof());
            t.max_efficiency = Some(best);
            t.share_memory_bound = Some(mem / roofed.time_s);
            t.share_compute_bound = Some(comp / roofed.time_s);
            t.lost_s = Some(roofed.lost_s);
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Row, TableBuilder};
    use gemmscope_model::dtype::DataType;

    #[test]
    fn a_choice_answers_a_name_that_fits_several_devices() {
        let data = Dataset {
            devices: ["gfx950:256", "NVIDIA H200", "mine"].map(str::to_owned).to_vec(),
            ..Dataset::default()
        };
        let ids = |default: Option<&str>| {
            let choice =
                DeviceChoice { default: default.map(str::to_owned), ..DeviceChoice::default() };
            let found = choice.resolve(&data, &[]);
            found.iter().map(|d| d.as_ref().map_or("", |d| &d.id).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(ids(None), ["", "h200-sxm", ""]);
        assert_eq!(ids(Some("mi355x")), ["mi355x", "h200-sxm", ""]);
        // Another device is no answer to which of the two was meant.
        assert_eq!(ids(Some("a100-80-sxm")), ["", "h200-sxm", ""]);
    }

    /// Shape, type, time in µs and device of each row.
    fn rows(rows: &[([u32; 3], DataType, f64, &str)]) -> Dataset {
        let mut t = TableBuilder::new();
        for (line, ([m, n, k], dtype, us, device)) in (2..).zip(rows) {
            let mut row = Row::new(*m, *n, *k, Operation::uniform(*dtype), us * 1e-6);
            row.device = t.device(device);
            t.commit(line, b"", Ok(row));
        }
        t.finish()
    }

    fn on(data: &Dataset, kind: RoofKind) -> Metrics {
        Metrics::compute(data, DeviceChoice::default().resolve(data, &[]), kind)
    }

    #[test]
    fn a_row_without_an_achievable_rate_changes_no_other() {
        let bf16 = ([8192; 3], DataType::Bf16, 1600.0, "NVIDIA H100 80GB HBM3");
        let fp32 = ([64; 3], DataType::Fp32, 4.0, "NVIDIA H100 80GB HBM3");
        let alone = on(&rows(&[bf16]), RoofKind::Achievable);
        let data = rows(&[bf16, fp32]);
        let both = on(&data, RoofKind::Achievable);
        assert_eq!(both.roof_s[0], alone.roof_s[0]);
        // 794.5 TFLOP/s, as the catalogue says; the other keeps the datasheet's and is named so.
        assert!((both.roof_s[0] - 2.0 * 8192f64.powi(3) / 794.5e12).abs() < 1e-12);
        assert_eq!(both.roof_s[1], on(&data, RoofKind::Datasheet).roof_s[1]);
        let kinds = [0, 1].map(|row| both.kind_of(&data, row));
        assert_eq!(kinds, [RoofKind::Achievable, RoofKind::Datasheet]);
        assert_eq!(both.keep_datasheet(&data), ["fp32 on NVIDIA H100 80GB HBM3"]);
        assert!(alone.keep_datasheet(&rows(&[bf16])).is_empty());
    }

    #[test]
    fn nothing_beats_the_achievable_roof() {
        // 859.7 TFLOP/s is over the 794.5 of the catalogue and under the datasheet's 989.4; 2000 is
        // over both, so it tells nothing of the device. Two names of one device share what is seen.
        let at = |tflops: f64| 2.0 * 8192f64.powi(3) / tflops * 1e-6;
        let data = rows(&[
            ([8192; 3], DataType::Bf16, at(700.0), "NVIDIA H100 80GB HBM3"),
            ([8192; 3], DataType::Bf16, at(859.7), "H100 SXM5"),
            ([8192; 3], DataType::Bf16, at(2000.0), "NVIDIA H100 80GB HBM3"),
            ([8192; 3], DataType::Bf16, at(600.0), "NVIDIA H200"),
        ]);
        let metrics = on(&data, RoofKind::Achievable);
        let shares = [0, 1, 2, 3].map(|row| metrics.efficiency(&data, row));
        let expected = [700.0 / 859.7, 1.0, 2000.0 / 859.7, 600.0 / 794.5];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-9, "{share} is not {expected}");
        }
        let source = |code: usize| {
            let device = metrics.devices[code].as_ref().unwrap();
            device.peak_for(DataType::Bf16).unwrap().achievable_source.clone().unwrap()
        };
        let code = |row: usize| usize::from(data.device[row]);
        assert_eq!(source(code(0)), gemmscope_model::hardware::BEST_MEASURED);
        assert!(source(code(3)).ends_with("(MAMF)"));
        // The datasheet's figures are as they were, and the achievable rate is known beside them.
        let datasheet = on(&data, RoofKind::Datasheet);
        assert_eq!(datasheet.devices, metrics.devices);
        assert!((datasheet.efficiency(&data, 1) - 859.7 / 989.4).abs() < 1e-9);
        let again = Metrics::compute(&data, metrics.devices.clone(), RoofKind::Achievable);
        assert_eq!(again.roof_s, metrics.roof_s);
    }

    #[test]
    fn the_launch_floor_is_no_longer_than_the_shortest_call() {
        let floor = |us: f64| {
            let data = rows(&[
                ([64; 3], DataType::Bf16, us, "AMD Instinct MI300X"),
                ([64; 3], DataType::Bf16, 90.0, "mi300x"),
                ([64; 3], DataType::Bf16, 1.5, "NVIDIA H200"),
            ]);
            let metrics = on(&data, RoofKind::Datasheet);
            [0, 1].map(|row| metrics.launch_floor_s(data.device[row]))
        };
        assert_eq!(floor(60.0), [4.5e-6; 2]);
        assert_eq!(floor(3.0), [3e-6; 2]);
    }

    #[test]
    fn a_growing_table_has_the_figures_of_the_finished_one() {
        let all: Vec<_> = (1..40u32)
            .map(|i| {
                let dtype = [DataType::Bf16, DataType::Fp32, DataType::Fp16][i as usize % 3];
                let name = ["AMD Instinct MI300X", "NVIDIA H200"][i as usize % 2];
                ([256 * i, 512, 1024], dtype, 200.0 / f64::from(i), name)
            })
            .collect();
        for kind in [RoofKind::Datasheet, RoofKind::Achievable] {
            let whole = rows(&all);
            let devices = DeviceChoice::default().resolve(&whole, &[]);
            let expected = Metrics::compute(&whole, devices.clone(), kind);
            let mut grown = Metrics::of_nothing(kind);
            for n in [1, 2, 9, all.len()] {
                let part = rows(&all[..n]);
                grown.extend(&part, DeviceChoice::default().resolve(&part, &[]));
            }
            assert_eq!((&grown.ai, &grown.roof_s), (&expected.ai, &expected.roof_s));
            assert_eq!(grown.devices, expected.devices);
            assert!(grown.are_of(&devices, kind));
        }
    }

    #[test]
    fn a_guessed_device_gives_way_to_the_choice_and_a_stated_one_does_not() {
        let table = |guessed: bool| {
            let mut t = TableBuilder::new();
            let mut row = Row::new(64, 64, 64, Operation::uniform(DataType::Bf16), 1e-5);
            row.device = t.device("NVIDIA H200");
            if guessed {
                t.assume_device("NVIDIA H200", "Device from the file's name.");
            }
            t.commit(2, b"", Ok(row));
            t.finish()
        };
        let choice =
            DeviceChoice { default: Some("b200-sxm".to_owned()), ..DeviceChoice::default() };
        let id = |data: &Dataset, choice: &DeviceChoice| {
            choice.resolve(data, &[])[1].as_ref().map(|d| d.id.clone())
        };
        let mut guessed = table(true);
        assert_eq!(id(&guessed, &choice).as_deref(), Some("b200-sxm"));
        assert_eq!(id(&guessed, &DeviceChoice::default()).as_deref(), Some("h200-sxm"));
        // A second file says that it was an H200.
        guessed.append(table(false));
        assert_eq!(id(&guessed, &choice).as_deref(), Some("h200-sxm"));
    }
}
