//! Figures of every row, computed from shape, type and time.
//!
//! Intensity and roof time are stored; all others follow from these and the time. The roof of a row depends on its
//! device and on the type of its multiplication.

mod references;
mod totals;
mod typical;

use references::References;
pub use totals::{ABOVE_ROOF, Totals};
pub use typical::Typical;

use crate::dataset::{Dataset, Source};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Cost, Operation};
use gemmscope_model::hardware;
use gemmscope_model::hardware::{Device, MemoryLevel, NameMatch, RoofKind};
use gemmscope_model::roofline::{Bound, Roof, is_launch_bound};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which device's roof applies to each row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceChoice {
    /// Device id for rows whose file states no device, or a name that fits several.
    pub default: Option<String>,
    /// The user's choice per device name in files: name -> device id.
    pub overrides: BTreeMap<String, String>,
}

impl DeviceChoice {
    /// Uses the device with this id for rows that state `name` ("" for rows that state none); `None` undoes the choice.
    pub fn choose(&mut self, name: &str, id: Option<String>) {
        match id {
            id if name.is_empty() => self.default = id,
            Some(id) => drop(self.overrides.insert(name.to_owned(), id)),
            None => drop(self.overrides.remove(name)),
        }
    }

    /// The device of each entry of [`Dataset::devices`]. `custom` are the user's own devices, which win over catalogue
    /// devices of the same id. A name that fits several devices means the default one if that is among them, else
    /// `None`, as for an unknown name. A device that a reader guessed gives way to the default one.
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
                // The user's default decides which of several devices is meant.
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
    /// Arithmetic intensity, work / compulsory bytes, FLOP/byte.
    pub ai: Vec<f64>,
    /// Roofline time in seconds; NaN if the device or its peak is unknown.
    pub roof_s: Vec<f64>,
    /// Device of each entry of `Dataset::devices`, adjusted to the rows: the achievable rate is at least their best
    /// rate, the launch floor at most their shortest call.
    pub devices: Vec<Option<Device>>,
    /// The roof of `roof_s` and everything derived from it. A type without an achievable rate uses the datasheet's:
    /// [`Metrics::kind_of`].
    pub kind: RoofKind,
    /// The devices as passed in, unadjusted.
    given: Vec<Option<Device>>,
    /// By device code: the first code of the same device.
    same: Vec<u16>,
    /// By operation: index of its compute type in [`DataType::ALL`].
    type_of: Vec<u8>,
    /// By device and type of [`DataType::ALL`]: the datasheet roof, and the roof of `kind`.
    datasheet: Vec<Option<Roof>>,
    roofs: Vec<Option<Roof>>,
    costs: Vec<Cost>,
    /// By device code: extremes of its rows.
    seen: Vec<DeviceExtremes>,
    /// By row: recorded clock / clock of the device's peaks; empty if no file recorded clocks.
    clock_ratio: Vec<f64>,
    /// Reference time of each row; empty if no device has a table.
    references: References,
}

/// Number of types, each with its own roof in a table.
const TYPES: usize = DataType::ALL.len();

/// Extremes of the rows of one device code.
#[derive(Clone, Copy, Debug)]
struct DeviceExtremes {
    /// Shortest call, seconds.
    shortest_s: f64,
    /// Best rate per type below the datasheet roof, FLOP/s, normalised to the clock of the peaks.
    best: [f64; TYPES],
}

impl DeviceExtremes {
    const NOTHING: DeviceExtremes =
        DeviceExtremes { shortest_s: f64::INFINITY, best: [0.0; TYPES] };

    /// Combines the extremes of two device codes.
    fn and(self, other: &DeviceExtremes) -> DeviceExtremes {
        DeviceExtremes {
            shortest_s: self.shortest_s.min(other.shortest_s),
            best: std::array::from_fn(|t| self.best[t].max(other.best[t])),
        }
    }
}

impl Metrics {
    /// Metrics of an empty dataset.
    pub fn of_nothing(kind: RoofKind) -> Self {
        Metrics { kind, ..Metrics::default() }
    }

    /// Computes all rows in one pass; in two if a row beats the achievable rate that is the roof. `devices` has one
    /// entry per `data.devices`.
    pub fn compute(data: &Dataset, devices: Vec<Option<Device>>, kind: RoofKind) -> Self {
        let mut metrics =
            Metrics { clock_ratio: clock_ratios(data, &devices), kind, ..Metrics::default() };
        metrics.extend(data, devices);
        metrics
    }

    /// Computes the rows added to the dataset since the last call. The devices of earlier rows must be unchanged and
    /// the dataset must have no clocks: see [`can_grow`](Self::can_grow).
    pub fn extend(&mut self, data: &Dataset, devices: Vec<Option<Device>>) {
        self.look_up(data, devices);
        let (from, n) = (self.ai.len(), data.len());
        for column in [&mut self.ai, &mut self.roof_s] {
            // Same capacity as the rows.
            column.reserve_exact(data.m.capacity().max(n) - from);
        }
        for row in from..n {
            let (work, bytes) = self.cost(data, row);
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
            // Division-free; few rows improve on all before them.
            let ratio = clock.copied().filter(is_clock_ratio).unwrap_or(1.0);
            if work > seen.best[of_type] * time_s * ratio
                && let Some(roof) = self.datasheet[at]
                && time_s >= at_clock(roof, clock).time_s(work, bytes)
            {
                seen.best[of_type] = work / time_s / ratio;
            }
        }
        self.references.extend(data, &self.devices);
        self.settle(data);
    }

    /// True if the metrics of a growing dataset equal those of the finished one. An achievable roof is known only after
    /// the last row.
    pub fn can_grow(data: &Dataset, kind: RoofKind) -> bool {
        kind == RoofKind::Datasheet
            && data.column(crate::dataset::ColumnMeaning::MeasuredClock).is_none()
    }

    /// True if these metrics were computed for these devices and this roof.
    pub fn are_of(&self, devices: &[Option<Device>], kind: RoofKind) -> bool {
        self.given == devices && self.kind == kind
    }

    /// Tabulates types and roofs by operation and device.
    fn look_up(&mut self, data: &Dataset, devices: Vec<Option<Device>>) {
        let known = self.type_of.len();
        self.costs.extend(data.ops[known..].iter().map(Operation::cost));
        let place = |op: &Operation| DataType::ALL.iter().position(|t| *t == op.compute);
        let types = data.ops[known..].iter().map(|op| place(op).unwrap_or(0) as u8);
        self.type_of.extend(types);
        if self.given == devices && self.seen.len() == devices.len() {
            return;
        }
        self.seen.resize(devices.len(), DeviceExtremes::NOTHING);
        self.devices.clone_from(&devices);
        let mut first: FxHashMap<&str, u16> = FxHashMap::default();
        let codes = devices.iter().zip(0..=u16::MAX);
        self.same = codes
            .map(|(d, code)| d.as_ref().map_or(code, |d| *first.entry(&d.id).or_insert(code)))
            .collect();
        self.given = devices;
        self.datasheet = self.roofs_of(RoofKind::Datasheet);
        self.roofs = self.roofs_of(self.kind);
    }

    fn roofs_of(&self, kind: RoofKind) -> Vec<Option<Roof>> {
        let of = |d: &Option<Device>, t| d.as_ref().and_then(|d| d.roof(t, kind));
        self.devices.iter().flat_map(|d| DataType::ALL.map(|t| of(d, t))).collect()
    }

    /// Raises achievable rates and lowers launch floors to what the rows reached, over all names of a device.
    fn settle(&mut self, data: &Dataset) {
        let mut all = vec![DeviceExtremes::NOTHING; self.seen.len()];
        for (code, seen) in self.same.iter().zip(&self.seen) {
            let all = &mut all[usize::from(*code)];
            *all = all.and(seen);
        }
        for (device, code) in self.devices.iter_mut().zip(&self.same) {
            let (Some(device), seen) = (device, &all[usize::from(*code)]) else { continue };
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

    /// Canonical code of a device. A file may have several codes for one device: by its name, and by choice for rows
    /// that state none.
    pub fn same_device(&self, code: u16) -> u16 {
        self.same.get(usize::from(code)).map_or(code, |first| *first)
    }

    /// Device code and type index of a row.
    fn place(&self, data: &Dataset, row: usize) -> (usize, usize) {
        (usize::from(data.device[row]), usize::from(self.type_of[usize::from(data.op[row])]))
    }

    /// Launch floor of a device in seconds, at most the shortest call of its rows. NaN for an unknown device.
    pub fn launch_floor_s(&self, device: u16) -> f64 {
        let device = self.devices.get(usize::from(device)).and_then(Option::as_ref);
        device.map_or(f64::NAN, |d| d.launch_floor().0)
    }

    /// Launch floor in a row's time, seconds: 0 if the time is a kernel duration from a profiler, which excludes the
    /// launch.
    pub fn launch_s(&self, data: &Dataset, row: usize) -> f64 {
        let source = data.sources.get(usize::from(data.source[row]));
        match source.is_some_and(Source::times_kernels) {
            true => 0.0,
            false => self.launch_floor_s(data.device[row]),
        }
    }

    /// The roof that a row is measured against: the datasheet's if its type has no achievable rate.
    pub fn kind_of(&self, data: &Dataset, row: usize) -> RoofKind {
        let device = self.devices.get(usize::from(data.device[row])).and_then(Option::as_ref);
        let compute = data.ops[usize::from(data.op[row])].compute;
        device.map_or(self.kind, |d| d.roof_kind(compute, self.kind))
    }

    /// Types that fall back to the datasheet's roof while the achievable one is chosen, each with its device: `fp32 on
    /// NVIDIA H200`.
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

    /// Roof of a device code and operation code of this dataset.
    pub fn roof_of(&self, device: u16, op: u16) -> Option<Roof> {
        let of_type = usize::from(*self.type_of.get(usize::from(op))?);
        let at = usize::from(device) * TYPES + of_type;
        self.roofs.get(at).copied().flatten()
    }

    /// Like [`roof_of`](Self::roof_of), always the datasheet roof.
    pub fn sheet_of(&self, device: u16, op: u16) -> Option<Roof> {
        let of_type = usize::from(*self.type_of.get(usize::from(op))?);
        self.datasheet.get(usize::from(device) * TYPES + of_type).copied().flatten()
    }

    /// Roof of a row at its recorded clock; `None` if the device or its peak for the type is unknown.
    pub fn roof(&self, data: &Dataset, row: usize) -> Option<Roof> {
        self.roof_of(data.device[row], data.op[row])
            .map(|roof| at_clock(roof, self.clock_ratio.get(row)))
    }

    /// Like [`roof`](Self::roof), always the datasheet roof.
    pub fn sheet_roof(&self, data: &Dataset, row: usize) -> Option<Roof> {
        self.sheet_of(data.device[row], data.op[row])
            .map(|roof| at_clock(roof, self.clock_ratio.get(row)))
    }

    /// Datasheet roofline time of a row in seconds; NaN if unknown.
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

    /// Work / bytes that hardware counters measured at a memory level, FLOP/byte; NaN without such a count.
    pub fn measured_ai(&self, data: &Dataset, row: usize, level: MemoryLevel) -> f64 {
        self.work(data, row) / data.number(crate::dataset::ColumnMeaning::measured(level), row)
    }

    fn work_bytes(&self, data: &Dataset, row: usize) -> (f64, f64) {
        self.cost(data, row)
    }

    /// Inlined [`work_bytes`](Self::work_bytes) for loops over rows.
    #[inline(always)]
    fn cost(&self, data: &Dataset, row: usize) -> (f64, f64) {
        self.costs[data.op[row] as usize].of(
            f64::from(data.m[row]),
            f64::from(data.n[row]),
            f64::from(data.k[row]),
            f64::from(data.batch[row]),
        )
    }

    /// Attained rate, FLOP/s; NaN if the row has no time.
    pub fn rate(&self, data: &Dataset, row: usize) -> f64 {
        self.rate_inline(data, row)
    }

    /// Inlined [`rate`](Self::rate) for loops over rows.
    #[inline(always)]
    pub fn rate_inline(&self, data: &Dataset, row: usize) -> f64 {
        self.cost(data, row).0 / data.time_s[row]
    }

    /// Compulsory bytes / time, byte/s.
    pub fn bandwidth(&self, data: &Dataset, row: usize) -> f64 {
        self.bytes(data, row) / data.time_s[row]
    }

    /// Fraction of the device's bandwidth that the compulsory bytes use.
    pub fn bandwidth_use(&self, data: &Dataset, row: usize) -> f64 {
        self.roof(data, row)
            .map_or(f64::NAN, |r| self.bandwidth(data, row) / r.bandwidth_bytes_per_s)
    }

    /// Roof time / measured time: 1 is at the roof. Values above 1 are never clamped.
    pub fn efficiency(&self, data: &Dataset, row: usize) -> f64 {
        self.roof_s[row] / data.time_s[row]
    }

    /// True if starting, filling and draining the kernel dominates a call, whether or not its time includes a launch.
    pub fn is_tiny(&self, data: &Dataset, row: usize) -> bool {
        let floor_s = self.launch_floor_s(data.device[row]);
        is_launch_bound(data.time_s[row], self.roof_s[row], floor_s)
    }

    /// What limits the row: its launch, else its limit at the roof. `None` without a roof.
    pub fn bound(&self, data: &Dataset, row: usize) -> Option<Bound> {
        let roof = self.roof(data, row)?;
        // Look up the file last, since few rows are short.
        let launch = self.is_tiny(data, row) && self.launch_s(data, row) > 0.0;
        Some(if launch { Bound::Launch } else { roof.bound(self.ai[row]) })
    }
}

/// The roof at another clock: compute scales with it, memory does not.
fn at_clock(mut roof: Roof, ratio: Option<&f64>) -> Roof {
    if let Some(ratio) = ratio.filter(|r| is_clock_ratio(r)) {
        roof.peak_flops_per_s *= ratio;
    }
    roof
}

/// False if the row has no recorded clock.
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

#[cfg(test)]
mod tests;
