//! Devices: peak rates per data type, memory bandwidth, counts and caches, each with its source.
//!
//! [`catalog`] holds the known devices as data, [`match_name`] finds one by the name that a driver
//! or a file uses, and [`Device::from_json`] reads a user's own device. Peaks are always dense: a
//! rate with structured sparsity is never a roof.

use crate::dtype::DataType;
use crate::reference::References;
use crate::units::FlopsPerSec;
use serde::{Deserialize, Serialize};

mod catalog;
mod json;
mod name_match;

pub use catalog::{by_id, catalog};
pub use name_match::{NameMatch, match_name, match_target};

/// Which arithmetic units deliver a peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Tensor cores, matrix cores, systolic arrays.
    #[default]
    Matrix,
    /// The ordinary multiply-add units.
    Vector,
}

/// The roof that efficiency is measured against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoofKind {
    /// The vendor's dense peak and bandwidth.
    #[default]
    Datasheet,
    /// Best rate measured with large GEMMs, and the datasheet's bandwidth. Types without such a rate use the datasheet
    /// peak.
    Achievable,
}

impl RoofKind {
    /// Key for exports: `datasheet`, `achievable`. Equal to the serde name.
    pub fn key(self) -> &'static str {
        match self {
            RoofKind::Datasheet => "datasheet",
            RoofKind::Achievable => "achievable",
        }
    }
}

/// Start of [`Peak::achievable_source`] for a rate that [`Device::raise_achievable`] set.
pub const BEST_MEASURED: &str = "best measured here";

/// Default launch floor of a GPU in seconds: the least time of a kernel, however little it computes. Origami (AMD)
/// counts 4.5 µs; fits to measured times of small GEMMs gave 4 to 5.
const GPU_LAUNCH_S: f64 = 4.5e-6;
/// Default launch floor of a CPU in seconds: fork and join of a parallel loop.
const CPU_LAUNCH_S: f64 = 1e-6;

/// A peak rate for one data type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Operand type.
    pub dtype: DataType,
    /// Units that deliver it.
    #[serde(default)]
    pub engine: Engine,
    /// Accumulator type, if known. Consumer cards are faster with a narrow accumulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accumulate: Option<DataType>,
    /// Datasheet peak in FLOP/s, dense (never the structured-sparsity figure).
    pub flops_per_s: f64,
    /// Always true: import rejects a sparse peak.
    #[serde(default = "yes")]
    pub dense: bool,
    /// Best rate measured with large GEMMs (max-achievable), in FLOP/s, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub achievable_flops_per_s: Option<f64>,
    /// Source of the achievable rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub achievable_source: Option<String>,
    /// Source of the datasheet peak.
    #[serde(default)]
    pub source: String,
}

fn yes() -> bool {
    true
}

crate::named! {
/// Level of the memory hierarchy at which bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryLevel {
    /// Main memory: HBM, DRAM.
    Main = "dram", "DRAM";
    /// L2 cache.
    L2 = "l2", "L2";
    /// L1 caches of the compute units.
    L1 = "l1", "L1";
}
/// Every level, farthest from the compute units first.
pub const ALL;
/// Key in links.
pub fn key -> &'static str;
/// Name on the page.
pub fn label -> &'static str;
}

/// One accelerator, as one process sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Stable key, as used in links: `mi300x`.
    #[serde(default)]
    pub id: String,
    /// Name as the driver prints it.
    pub name: String,
    /// Other names of this device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// NVIDIA, AMD, ...
    #[serde(default)]
    pub vendor: String,
    /// Architecture: Hopper, CDNA3.
    #[serde(default)]
    pub arch: String,
    /// Compiler target: sm_90, gfx942.
    #[serde(default)]
    pub arch_token: String,
    /// SXM5, PCIe, OAM.
    #[serde(default)]
    pub form: String,
    /// Peak rates by data type.
    pub peaks: Vec<Peak>,
    /// Main memory bandwidth in byte/s (datasheet).
    pub bandwidth_bytes_per_s: f64,
    /// SM or CU count.
    #[serde(default)]
    pub units: Option<u32>,
    /// Vendor's name for a unit: SM, CU, Xe-core.
    #[serde(default = "unit")]
    pub unit_kind: String,
    /// Lanes of a warp or wavefront.
    #[serde(default)]
    pub lanes: Option<u32>,
    /// Clock in Hz that the datasheet peaks imply.
    #[serde(default)]
    pub clock_hz: Option<f64>,
    /// Dense fp16 FLOP per clock and unit, if known; times `units` and `clock_hz` it gives the fp16 peak.
    #[serde(default)]
    pub fp16_flops_per_clock_per_unit: Option<f64>,
    /// Main memory in bytes (the vendor's decimal GB).
    #[serde(default)]
    pub memory_bytes: Option<f64>,
    /// HBM3, GDDR6.
    #[serde(default)]
    pub memory_kind: String,
    /// L2 cache in bytes.
    #[serde(default)]
    pub l2_bytes: Option<f64>,
    /// Bandwidth of the L2 cache in byte/s, measured by a benchmark of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_bytes_per_s: Option<f64>,
    /// Bytes that the L2 cache delivers per clock, all channels together, as its vendor states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_bytes_per_clock: Option<f64>,
    /// Source of the bytes per clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_source: Option<String>,
    /// Aggregate bandwidth of all L1 caches in byte/s, measured the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1_bytes_per_s: Option<f64>,
    /// Last-level cache in bytes, if separate from L2.
    #[serde(default)]
    pub llc_bytes: Option<f64>,
    /// Shared memory or LDS per unit, in bytes.
    #[serde(default)]
    pub shared_bytes_per_unit: Option<f64>,
    /// Maximum shared memory or LDS of one block, in bytes.
    #[serde(default)]
    pub shared_bytes_per_block: Option<f64>,
    /// Register file per unit, in bytes.
    #[serde(default)]
    pub registers_bytes_per_unit: Option<f64>,
    /// Launch floor in seconds, if stated: see [`Device::launch_floor`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_floor_s: Option<f64>,
    /// Source of the launch floor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_floor_source: Option<String>,
    /// Fraction of the bf16 and fp16 peak that GEMMs reach, fitted to published times together with
    /// `reached_bandwidth`; see [`Device::expected_s`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_peak: Option<f64>,
    /// Fraction of the bandwidth that GEMMs reach, counting compulsory bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_bandwidth: Option<f64>,
    /// Source of the two fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_source: Option<String>,
    /// Quality of the source: A published by the vendor, B secondary, C derived.
    #[serde(default = "derived")]
    pub confidence: char,
    /// Remarks on how to read these figures.
    #[serde(default)]
    pub notes: String,
    /// Source of the figures.
    #[serde(default)]
    pub source: String,
    /// Published times loaded for this device; not part of its JSON.
    #[serde(skip)]
    pub references: References,
}

/// A device's name without the vendor, if that stays unambiguous.
pub fn short_name(name: &str) -> String {
    ["NVIDIA ", "AMD Instinct ", "AMD ", "Intel "]
        .iter()
        .find_map(|maker| name.strip_prefix(maker))
        .unwrap_or(name)
        .to_owned()
}

impl Device {
    /// True if name, id, vendor or architecture contains `text`, ignoring case.
    pub fn is_called(&self, text: &str) -> bool {
        let text = text.trim().to_lowercase();
        [&self.name, &self.id, &self.vendor, &self.arch, &self.arch_token]
            .iter()
            .any(|own| own.to_lowercase().contains(&text))
    }
}

/// All devices, the user's own first. One with the id of a device of the catalogue takes its place.
pub fn known(own: &[Device]) -> Vec<Device> {
    let new = own.iter().filter(|d| by_id(&d.id).is_none());
    let listed = catalog().iter().map(|d| own.iter().find(|o| o.id == d.id).unwrap_or(d));
    new.chain(listed).cloned().collect()
}

fn unit() -> String {
    "unit".to_owned()
}

fn derived() -> char {
    'C'
}

impl Device {
    /// The peak rate for products of this type. `None` if the device lists none: then there is no roof, and
    /// [`Device::explain_peak`] says why.
    ///
    /// Search order: the type itself, then its family (all 8-bit floats share one peak, MX formats use their
    /// element's); matrix units before vector units; the widest accumulator if several are listed. fp32 never borrows
    /// the tf32 peak, bf16 never the fp16 one.
    ///
    /// ```
    /// use gemmscope_model::dtype::DataType;
    /// use gemmscope_model::hardware;
    /// let mi300x = hardware::by_id("mi300x").ok_or("no device")?;
    /// let peak = mi300x.peak_for(DataType::Bf16).ok_or("no peak")?;
    /// assert_eq!(peak.flops_per_s, 1307.4e12);
    /// assert!(mi300x.peak_for(DataType::Fp4).is_none());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn peak_for(&self, dtype: DataType) -> Option<&Peak> {
        self.peaks.get(self.peak_index(dtype)?)
    }

    fn peak_index(&self, dtype: DataType) -> Option<usize> {
        let family = dtype.family()?;
        self.peaks
            .iter()
            .enumerate()
            .filter(|(_, peak)| peak.dense && peak.dtype.family() == Some(family))
            .min_by_key(|(_, peak)| {
                (
                    // A family shares one rate, unless a type has a rate listed for itself: then only that type uses
                    // it.
                    peak.dtype != dtype,
                    stands_alone(peak.dtype),
                    peak.engine == Engine::Vector,
                    peak.accumulate != Some(dtype.default_accumulate()),
                )
            })
            .filter(|(_, peak)| peak.dtype == dtype || !stands_alone(peak.dtype))
            .map(|(index, _)| index)
    }

    /// Raises the achievable rate of a type to a measured rate in FLOP/s, if that is higher, so that no measurement
    /// lies above the achievable roof.
    pub fn raise_achievable(&mut self, dtype: DataType, flops_per_s: f64) {
        let peak = self.peak_index(dtype).and_then(|i| self.peaks.get_mut(i));
        if let Some(Peak { achievable_flops_per_s: Some(rate), achievable_source, .. }) = peak
            && flops_per_s > *rate
        {
            let own = FlopsPerSec(std::mem::replace(rate, flops_per_s));
            if !achievable_source.as_deref().is_some_and(|s| s.starts_with(BEST_MEASURED)) {
                *achievable_source = Some(format!("{BEST_MEASURED}, instead of {own}"));
            }
        }
    }

    /// Lowers the launch floor to the shortest measured call, in seconds, if that is shorter: kernel times of a trace
    /// exclude the launch by the CPU.
    pub fn lower_launch_floor(&mut self, call_s: f64) {
        if call_s < self.launch_floor().0 {
            self.launch_floor_s = Some(call_s);
            self.launch_floor_source = Some("shortest call here".to_owned());
        }
    }

    /// Names the peak that [`Device::peak_for`] uses for this type, or says why there is none. One sentence.
    pub fn explain_peak(&self, dtype: DataType) -> String {
        let Some(peak) = self.peak_for(dtype) else {
            return match dtype.family() {
                None => {
                    format!("no matrix unit runs {dtype}, so it has no peak")
                }
                Some(_) => format!("{} has no {dtype} peak, so no roof", self.name),
            };
        };
        let engine = match peak.engine {
            Engine::Matrix => "matrix",
            Engine::Vector => "vector",
        };
        let rate = crate::units::FlopsPerSec(peak.flops_per_s).peak();
        let summed = match peak.accumulate {
            Some(sum) if sum != peak.dtype => format!(", summed in {sum}"),
            _ => String::new(),
        };
        let shared = if peak.dtype == dtype {
            String::new()
        } else {
            format!(" (the {} peak of this device)", peak.dtype)
        };
        format!("{dtype} on {}: {engine} units, {rate} dense{summed}{shared}", self.name)
    }

    /// The launch floor in seconds (starting, filling and draining a kernel, however little it computes) and its
    /// source. Unless the device states one: 4.5 µs on accelerators, 1 µs on CPUs (`unit_kind` is `core`).
    pub fn launch_floor(&self) -> (f64, &str) {
        match self.launch_floor_s {
            Some(own) => (own, self.launch_floor_source.as_deref().unwrap_or("stated")),
            None if self.unit_kind == "core" => {
                (CPU_LAUNCH_S, "assumed: a parallel loop's fork and join")
            }
            None => (GPU_LAUNCH_S, "assumed: what AMD's Origami counts"),
        }
    }

    /// Bandwidth of a memory level in byte/s, if known.
    pub fn bandwidth_of(&self, level: MemoryLevel) -> Option<f64> {
        match level {
            MemoryLevel::Main => Some(self.bandwidth_bytes_per_s),
            MemoryLevel::L2 => self.l2_bytes_per_s,
            MemoryLevel::L1 => self.l1_bytes_per_s,
        }
    }

    /// Bandwidth between L2 and the units in byte/s: measured, else what the vendor states at the clock of the peaks.
    pub fn l2_bandwidth(&self) -> Option<f64> {
        let stated = || Some(self.l2_bytes_per_clock? * self.clock_hz?);
        self.l2_bytes_per_s.or_else(stated)
    }

    /// Number of dies with an L2 of their own. CDNA3 and CDNA4 have 4 MiB on each compute die, and workgroups go to the
    /// dies round-robin ("AMD Instinct MI300 series microarchitecture", ROCm docs).
    pub fn l2_dies(&self) -> u32 {
        match self.arch_token.as_str() {
            "gfx942" | "gfx950" => (self.l2_bytes.unwrap_or(0.0) / 4_194_304.0).max(1.0) as u32,
            _ => 1,
        }
    }

    /// Size of the largest on-chip cache (L2 or last level) in bytes.
    pub fn cache_bytes(&self) -> Option<f64> {
        match (self.l2_bytes, self.llc_bytes) {
            (Some(l2), Some(llc)) => Some(l2.max(llc)),
            (l2, llc) => l2.or(llc),
        }
    }
}

/// True for NVFP4: some devices have a separate rate for it, higher than for other 4-bit formats.
fn stands_alone(dtype: DataType) -> bool {
    dtype == DataType::NvFp4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(id: &str) -> &'static Device {
        by_id(id).unwrap()
    }

    #[test]
    fn explicit_rules_for_peaks() {
        let peak = |id: &str, dtype| device(id).peak_for(dtype).map(|p| p.flops_per_s / 1e12);
        assert_eq!(peak("a100-80-sxm", DataType::Fp16), Some(312.0));
        assert_eq!(peak("a100-80-sxm", DataType::Tf32), Some(156.0));
        // fp32 is not tf32: the vector units where there is no fp32 matrix rate.
        assert_eq!(peak("a100-80-sxm", DataType::Fp32), Some(19.5));
        assert_eq!(peak("mi300x", DataType::Fp32), Some(163.4));
        assert_eq!(peak("mi300x", DataType::Fp64), Some(163.4));
        assert_eq!(peak("mi300x", DataType::Fp8E4m3), Some(2614.9));
        assert_eq!(peak("mi355x", DataType::MxFp4), Some(10066.3));
        assert_eq!(peak("mi355x", DataType::MxFp6), Some(10066.3));
        assert_eq!(peak("h100-sxm", DataType::Fp8E5m2), Some(1979.0));
        assert_eq!(peak("rtx4090", DataType::Fp16), Some(165.2));
        assert_eq!(peak("b300-sxm", DataType::NvFp4), Some(15000.0));
        assert_eq!(peak("b300-sxm", DataType::MxFp4), Some(12600.0));
        // Never a guess.
        assert_eq!(peak("a100-80-sxm", DataType::Fp8E4m3), None);
        assert_eq!(peak("v100-sxm2", DataType::Bf16), None);
        assert_eq!(peak("mi350x", DataType::Tf32), None);
        assert_eq!(peak("mi300x", DataType::Int32), None);
        assert_eq!(peak("mi300x", DataType::Int4), None);
    }

    #[test]
    fn a_device_is_found_by_what_it_is_called() {
        let found = |text: &str| catalog().iter().filter(|d| d.is_called(text)).count();
        assert_eq!(found(""), catalog().len());
        assert!(device("h200-sxm").is_called(" h200 ") && device("mi300x").is_called("GFX942"));
        assert!(found("nvidia") > 5 && found("nvidia") < catalog().len());
        assert_eq!(found("no such thing"), 0);
    }

    #[test]
    fn the_choice_is_said() {
        assert_eq!(
            device("a100-80-sxm").explain_peak(DataType::Fp32),
            "fp32 on NVIDIA A100-SXM4-80GB: vector units, 19.5 TFLOP/s dense"
        );
        assert_eq!(
            device("mi300x").explain_peak(DataType::Fp8E4m3),
            "fp8 E4M3 on AMD Instinct MI300X: matrix units, 2614.9 TFLOP/s dense, summed in fp32 \
             (the fp8 E4M3 fnuz peak of this device)"
        );
        assert_eq!(
            device("v100-sxm2").explain_peak(DataType::Bf16),
            "Tesla V100-SXM2 has no bf16 peak, so no roof"
        );
    }
}
