//! The known devices, from `catalog.json`, which uses the units of datasheets so that an entry can be checked against
//! its source.

use super::{Device, Engine, Peak};
use crate::dtype::DataType;
use serde::Deserialize;
use std::sync::LazyLock;

static CATALOG: LazyLock<Vec<Device>> =
    LazyLock::new(|| entries().into_iter().map(Device::from).collect());

/// Every known device, by vendor and generation.
pub fn catalog() -> &'static [Device] {
    &CATALOG
}

/// The device with this id, as used in links.
pub fn by_id(id: &str) -> Option<&'static Device> {
    catalog().iter().find(|device| device.id == id)
}

fn entries() -> Vec<Entry> {
    serde_json::from_str(include_str!("catalog.json")).expect("the tests read catalog.json")
}

/// A device of `catalog.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    name: String,
    aliases: Vec<String>,
    vendor: String,
    arch: String,
    arch_token: String,
    form: String,
    units: Option<u32>,
    unit_kind: String,
    lanes: Option<u32>,
    clock_ghz: Option<f64>,
    fp16_flops_per_clock_per_unit: Option<f64>,
    memory_gb: Option<f64>,
    memory_kind: String,
    bandwidth_gb_per_s: Option<f64>,
    l2_mib: Option<f64>,
    l2_bytes_per_clock: Option<f64>,
    l2_source: Option<String>,
    llc_mib: Option<f64>,
    shared_kib_per_unit: Option<f64>,
    shared_kib_per_block: Option<f64>,
    registers_kib_per_unit: Option<f64>,
    launch_us: Option<f64>,
    launch_source: Option<String>,
    reached_peak: Option<f64>,
    reached_bandwidth: Option<f64>,
    reached_source: Option<String>,
    peaks: Vec<PeakEntry>,
    confidence: char,
    notes: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PeakEntry {
    dtype: DataType,
    engine: Engine,
    accumulate: DataType,
    tflops: f64,
    achievable_tflops: Option<f64>,
    achievable_source: Option<String>,
}

impl PeakEntry {
    fn peak(self, source: &str) -> Peak {
        Peak {
            dtype: self.dtype,
            engine: self.engine,
            accumulate: Some(self.accumulate),
            flops_per_s: (self.tflops * 1e12).round(),
            dense: true,
            achievable_flops_per_s: self.achievable_tflops.map(|t| (t * 1e12).round()),
            achievable_source: self.achievable_source,
            source: source.to_owned(),
        }
    }
}

impl From<Entry> for Device {
    fn from(entry: Entry) -> Self {
        // Round to whole base units: 2.062 GHz is exactly 2062000000 Hz.
        let times = |factor: f64| move |value: f64| (value * factor).round();
        Device {
            peaks: entry.peaks.into_iter().map(|p| p.peak(&entry.source)).collect(),
            id: entry.id,
            name: entry.name,
            aliases: entry.aliases,
            vendor: entry.vendor,
            arch: entry.arch,
            arch_token: entry.arch_token,
            form: entry.form,
            bandwidth_bytes_per_s: entry.bandwidth_gb_per_s.map_or(f64::NAN, times(1e9)),
            units: entry.units,
            unit_kind: entry.unit_kind,
            lanes: entry.lanes,
            clock_hz: entry.clock_ghz.map(times(1e9)),
            fp16_flops_per_clock_per_unit: entry.fp16_flops_per_clock_per_unit,
            memory_bytes: entry.memory_gb.map(times(1e9)),
            memory_kind: entry.memory_kind,
            l2_bytes: entry.l2_mib.map(times(1048576.0)),
            l2_bytes_per_clock: entry.l2_bytes_per_clock,
            l2_source: entry.l2_source,
            llc_bytes: entry.llc_mib.map(times(1048576.0)),
            shared_bytes_per_unit: entry.shared_kib_per_unit.map(times(1024.0)),
            shared_bytes_per_block: entry.shared_kib_per_block.map(times(1024.0)),
            registers_bytes_per_unit: entry.registers_kib_per_unit.map(times(1024.0)),
            // Round to whole picoseconds, so that 4.5 µs is exactly 4.5e-6 s.
            launch_floor_s: entry.launch_us.map(|us| (us * 1e6).round() / 1e12),
            launch_floor_source: entry.launch_source,
            reached_peak: entry.reached_peak,
            reached_bandwidth: entry.reached_bandwidth,
            reached_source: entry.reached_source,
            confidence: entry.confidence,
            notes: entry.notes,
            source: entry.source,
            ..Device::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_read_and_complete() {
        let devices = catalog();
        for (index, device) in devices.iter().enumerate() {
            assert!(devices[..index].iter().all(|other| other.id != device.id));
            assert_eq!(device.validate(), Ok(()), "{}", device.id);
            assert_eq!(device.doubts(), Vec::<String>::new(), "{}", device.id);
            assert!(!device.source.is_empty() && !device.aliases.is_empty());
            assert!(matches!(device.confidence, 'A' | 'B' | 'C'));
            assert_eq!(device.l2_bytes_per_clock.is_some(), device.l2_source.is_some());
            for peak in &device.peaks {
                assert!(peak.dense && peak.accumulate.is_some());
                assert_eq!(peak.achievable_flops_per_s.is_some(), peak.achievable_source.is_some());
            }
        }
    }

    #[test]
    fn units_times_clock_is_the_peak() {
        // If all four are given they must agree: dense fp16 peak = units x clock x FLOP per clock and unit.
        for device in catalog() {
            let (Some(units), Some(clock), Some(per_clock)) =
                (device.units, device.clock_hz, device.fp16_flops_per_clock_per_unit)
            else {
                continue;
            };
            let Some(peak) = device.peak_for(DataType::Fp16) else {
                continue;
            };
            let product = f64::from(units) * clock * per_clock;
            assert!(
                (product / peak.flops_per_s - 1.0).abs() < 0.02,
                "{}: {product} is not {}",
                device.id,
                peak.flops_per_s
            );
        }
    }

    #[test]
    fn figures_that_others_get_wrong() {
        let bandwidth = |id: &str| by_id(id).unwrap().bandwidth_bytes_per_s / 1e9;
        assert_eq!(bandwidth("h200-sxm"), 4800.0);
        assert_eq!(bandwidth("h100-sxm"), 3350.0);
        assert_eq!(bandwidth("mi325x"), 6000.0);
        assert_eq!(bandwidth("l4"), 300.0);
        let mi300x = by_id("mi300x").unwrap();
        let achievable = |dtype| {
            let peak = mi300x.peak_for(dtype).unwrap();
            peak.achievable_flops_per_s.map(|rate| rate / 1e12)
        };
        assert_eq!(achievable(DataType::Bf16), Some(708.0));
        assert_eq!(achievable(DataType::Fp16), Some(654.0));
        assert_eq!(achievable(DataType::Fp8E4m3Fnuz), Some(1273.0));
        assert_eq!(achievable(DataType::Fp32), Some(163.0));
        assert_eq!(achievable(DataType::Tf32), None);
        assert_eq!(achievable(DataType::Int8), None);
        assert_eq!(mi300x.cache_bytes(), Some(256.0 * 1048576.0));
        let dies = |id: &str| by_id(id).unwrap().l2_dies();
        assert_eq!((dies("mi300x"), dies("mi300a"), dies("h100-sxm")), (8, 6, 1));
    }
}
