//! Figures of every row, computed from shape, type and time: intensity and roof time, from which all others follow.
//!
//! Work, bytes and the rest follow from these three. The roof of a row depends on its device and
//! on the type in which its products are multiplied.

use crate::data_kind::Side;
use crate::dataset::Dataset;
use crate::field::Frame;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Cost, Operation};
use gemmscope_model::hardware;
use gemmscope_model::hardware::{Device, MemoryLevel, NameMatch, RoofKind};
use gemmscope_model::roofline::{Bound, Roof, is_launch_bound};
use gemmscope_model::units::larger;
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
    /// Device of each entry of `Dataset::devices`.
    pub devices: Vec<Option<Device>>,
    /// The roof of `roof_s` and of everything derived from it.
    pub kind: RoofKind,
    /// Number of types in which the operations compute, and the number of each operation's.
    types: usize,
    type_of: Vec<u8>,
    /// Of each device the roof for each of these types.
    roofs: Vec<Option<Roof>>,
    costs: Vec<Cost>,
    /// Clock of each row over the clock of its device's peaks; empty if no file recorded clocks.
    clock_ratio: Vec<f64>,
}

impl Metrics {
    /// The metrics of no rows.
    pub fn of_nothing(kind: RoofKind) -> Self {
        Metrics { kind, ..Metrics::default() }
    }

    /// Computes all rows. `devices` has one entry per `data.devices`.
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
            let op = data.op[row] as usize;
            let (work, bytes) = self.costs[op].of(
                f64::from(data.m[row]),
                f64::from(data.n[row]),
                f64::from(data.k[row]),
                f64::from(data.batch[row]),
            );
            self.ai.push(work / bytes);
            let roof = data.device[row] as usize * self.types + usize::from(self.type_of[op]);
            self.roof_s.push(match self.roofs[roof] {
                Some(roof) => at_clock(roof, self.clock_ratio.get(row)).time_s(work, bytes),
                None => f64::NAN,
            });
        }
    }

    /// True if the figures of a growing dataset are those of the finished one.
    pub fn can_grow(data: &Dataset) -> bool {
        data.column(crate::dataset::ColumnMeaning::MeasuredClock).is_none()
    }

    /// Works out what a row needs to know of its operation and device.
    fn look_up(&mut self, data: &Dataset, devices: Vec<Option<Device>>) {
        let known = self.type_of.len();
        if known == data.ops.len() && !self.roofs.is_empty() && devices == self.devices {
            return;
        }
        self.costs.extend(data.ops[known..].iter().map(Operation::cost));
        let mut types: Vec<DataType> = Vec::new();
        self.type_of = data
            .ops
            .iter()
            .map(|op| {
                let at = types.iter().position(|t| *t == op.compute);
                at.unwrap_or_else(|| {
                    types.push(op.compute);
                    types.len() - 1
                }) as u8
            })
            .collect();
        self.types = types.len();
        self.roofs.clear();
        for d in &devices {
            for t in &types {
                self.roofs.push(d.as_ref().and_then(|d| d.roof(*t, self.kind)));
            }
        }
        self.devices = devices;
    }

    /// Roof of a device code and operation code of the dataset these metrics belong to.
    pub fn roof_of(&self, device: u16, op: u16) -> Option<Roof> {
        let of_type = usize::from(*self.type_of.get(usize::from(op))?);
        let at = usize::from(device) * self.types + of_type;
        self.roofs.get(at).copied().flatten()
    }

    /// Roof of a row at its recorded clock; `None` if the device or its peak for the type is
    /// unknown.
    pub fn roof(&self, data: &Dataset, row: usize) -> Option<Roof> {
        self.roof_of(data.device[row], data.op[row])
            .map(|roof| at_clock(roof, self.clock_ratio.get(row)))
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
        Some(match is_launch_bound(data.time_s[row], self.roof_s[row]) {
            true => Bound::Launch,
            false => roof.bound(self.ai[row]),
        })
    }
}

/// The roof at another clock: compute scales with it, memory does not.
fn at_clock(mut roof: Roof, ratio: Option<&f64>) -> Roof {
    if let Some(ratio) = ratio.filter(|r| **r > 0.0 && r.is_finite()) {
        roof.peak_flops_per_s *= ratio;
    }
    roof
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

/// Totals of a set of rows. Of all rows of a frame there is one for each side: [`Totals::of`].
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
    /// Sum of roof times over sum of times, of the rows with a roof; not a mean of percentages.
    pub weighted_efficiency: Option<f64>,
    /// Highest efficiency of one row.
    pub max_efficiency: Option<f64>,
    /// Share of the time of memory-bound rows (among rows with a roof).
    pub share_memory_bound: Option<f64>,
    /// Share of the time of compute-bound rows.
    pub share_compute_bound: Option<f64>,
    /// Time over the roof time, summed over rows below their roof, seconds.
    pub lost_s: Option<f64>,
    /// Rows whose rate is above their roof.
    pub above_roof: u64,
    /// Measured rows without a known roof, and their time in seconds.
    pub without_roof: (u64, f64),
}

impl Totals {
    /// The totals of each side, with its name; of all rows that count where there are no sides.
    pub fn of(frame: &Frame) -> Vec<(String, Totals)> {
        let counted = frame.counted();
        let side = |s: &Side| (s.label.clone(), Totals::over(frame, &s.rows));
        counted.sides.iter().map(side).collect()
    }

    /// Sums over `rows`.
    pub fn over(frame: &Frame, rows: &[u32]) -> Totals {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let count = data.numbers(crate::dataset::ColumnMeaning::Count);
        let decision = frame.decision();
        let mut t = Totals { rows: rows.len() as u64, ..Totals::default() };
        let (mut work, mut roofed, mut roof_sum, mut mem, mut comp, mut lost) =
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
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
            roofed += total;
            roof_sum += roof_s * calls;
            let efficiency = roof_s / time;
            best = larger(best, efficiency);
            if efficiency > 1.0 {
                t.above_roof += 1;
            } else {
                lost += total - roof_s * calls;
            }
            match metrics.bound(data, r) {
                Some(Bound::Memory) => mem += total,
                Some(Bound::Compute) => comp += total,
                _ => {}
            }
        }
        if t.time_s > 0.0 {
            t.attained_flops_per_s = work / t.time_s;
        }
        if roofed > 0.0 {
            t.weighted_efficiency = Some(roof_sum / roofed);
            t.max_efficiency = Some(best);
            t.share_memory_bound = Some(mem / roofed);
            t.share_compute_bound = Some(comp / roofed);
            t.lost_s = Some(lost);
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
