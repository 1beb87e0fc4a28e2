//! Content of a trace report beside its GEMM table.

use gemmscope_model::hardware::Device;
use gemmscope_model::units::plural;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Start of [`Device::source`] for a device whose ceilings rocprof-compute measured.
pub const MEASURED: &str = "measured by rocprof-compute";

/// Content of one report beside its table; every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceContext {
    /// Files that it was read from.
    pub files: Vec<String>,
    /// Prefix of the format id of the tables it belongs to; "" for trace reports.
    pub tables_of: String,
    /// Facts about the device, a few words each.
    pub facts: Vec<String>,
    /// Platform name in the report: `MI300X`.
    pub platform: String,
    /// Memory bandwidth in the report, byte/s.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Peaks in the report, FLOP/s, by its own key: `matrix_bf16`.
    pub achievable_flops_per_s: BTreeMap<String, f64>,
    /// Memory size, bytes.
    pub memory_bytes: Option<f64>,
    /// Traced wall time including idle gaps, seconds.
    pub total_s: Option<f64>,
    /// Time the device computed, seconds.
    pub compute_s: Option<f64>,
    /// Time the device only communicated (exposed communication), seconds.
    pub exposed_comm_s: Option<f64>,
    /// Time the device only copied (exposed copies), seconds.
    pub exposed_memcpy_s: Option<f64>,
    /// Time the device was idle, seconds.
    pub idle_s: Option<f64>,
    /// Kernel time of the report's GEMM category, seconds.
    pub gemm_s: Option<f64>,
    /// GEMMs' share of the compute time, from the report's metadata.
    pub reported_share: Option<f64>,
    /// CPU time of the category's operations, seconds.
    pub cpu_s: Option<f64>,
    /// Time the CPU waited for the device, seconds.
    pub sync_s: Option<f64>,
    /// Attention that runs as separate product, softmax and product.
    pub unfused: Option<UnfusedAttention>,
    /// Recording options that slow the program, so that idle time is an upper bound: `with_stack`, `profile_memory`,
    /// `Python frames`.
    pub slowed_by: Vec<String>,
    /// Kernel time by category of operation.
    pub categories: Vec<CategoryTime>,
    /// Call stacks by operation id.
    pub calls: BTreeMap<u64, CallStack>,
    /// The report's own figures by operation, as printed.
    pub reported: Option<ReportedFigures>,
}

/// Unfused attention, without its two products, which are rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnfusedAttention {
    /// Number of product pairs with a softmax between them.
    pub calls: u64,
    /// Kernel time between the products (softmax, scale, mask), seconds.
    pub between_s: f64,
}

/// Kernel time of one category of operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CategoryTime {
    /// Key: `gemm`.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Kernel time, seconds.
    pub kernel_s: f64,
    /// Number of distinct operations.
    pub operations: u64,
}

/// Callers and callees of one operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallStack {
    /// The operation.
    pub operation: String,
    /// Callers, outermost first, as the report lists them.
    pub parents: Vec<String>,
    /// Operations and kernels below it.
    pub subtree: Vec<String>,
    /// Time in seconds, if the report states it.
    pub time_s: Option<f64>,
    /// True if the report marks it as a candidate for fusion.
    pub fusion_opportunity: bool,
    /// Remarks of the report.
    pub notes: String,
}

/// Figures that the report computed, which the page shows beside ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedFigures {
    /// Kernel time of the category, seconds.
    pub total_s: Option<f64>,
    /// The report's "percent of compute".
    pub percent_of_compute: Option<f64>,
    /// One entry per operation.
    pub operations: Vec<ReportedOperation>,
}

/// One operation of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedOperation {
    /// Operation name: `aten::mm`.
    pub name: String,
    /// Operand shapes as printed.
    pub input_dims: String,
    /// Time, seconds.
    pub time_s: Option<f64>,
    /// Percentage of the category's time.
    pub percent_of_category: Option<f64>,
    /// Percentage of the total time.
    pub percent_of_total: Option<f64>,
    /// Percentage of its roof.
    pub efficiency_percent: Option<f64>,
    /// The report's estimate of possible savings, in percent of the total time: low, mid, high.
    pub impact_percent: Option<(f64, f64, f64)>,
    /// Callers, from the module chain or call chain.
    pub callers: Vec<String>,
}

impl TraceContext {
    /// Fills in everything that is missing here and known in `other`.
    pub(crate) fn merge(&mut self, other: TraceContext) {
        self.files.extend(other.files);
        self.facts.extend(other.facts);
        take_text(&mut self.platform, other.platform);
        for (mine, theirs) in [
            (&mut self.bandwidth_bytes_per_s, other.bandwidth_bytes_per_s),
            (&mut self.memory_bytes, other.memory_bytes),
            (&mut self.total_s, other.total_s),
            (&mut self.compute_s, other.compute_s),
            (&mut self.exposed_comm_s, other.exposed_comm_s),
            (&mut self.exposed_memcpy_s, other.exposed_memcpy_s),
            (&mut self.idle_s, other.idle_s),
            (&mut self.gemm_s, other.gemm_s),
            (&mut self.reported_share, other.reported_share),
            (&mut self.cpu_s, other.cpu_s),
            (&mut self.sync_s, other.sync_s),
        ] {
            *mine = mine.or(theirs);
        }
        for (key, value) in other.achievable_flops_per_s {
            self.achievable_flops_per_s.entry(key).or_insert(value);
        }
        self.unfused = self.unfused.or(other.unfused);
        if self.slowed_by.is_empty() {
            self.slowed_by = other.slowed_by;
        }
        if self.categories.is_empty() {
            self.categories = other.categories;
        }
        for (uid, stack) in other.calls {
            let mine = self.calls.entry(uid).or_default();
            if mine.parents.is_empty() && mine.subtree.is_empty() {
                *mine = stack;
            }
        }
        if self.reported.is_none() {
            self.reported = other.reported;
        }
    }

    /// Clears all times, because another context has them.
    pub(crate) fn forget_times(&mut self) {
        for time in [
            &mut self.total_s,
            &mut self.compute_s,
            &mut self.exposed_comm_s,
            &mut self.exposed_memcpy_s,
            &mut self.idle_s,
            &mut self.gemm_s,
            &mut self.cpu_s,
            &mut self.sync_s,
        ] {
            *time = None;
        }
    }

    /// The platform as a device whose achievable peaks are those of the report, which its percentages refer to. `None`
    /// if the report lacks name, bandwidth or peaks.
    pub fn device(&self) -> Option<Device> {
        let bandwidth = self.bandwidth_bytes_per_s?;
        if self.platform.is_empty() || self.achievable_flops_per_s.is_empty() {
            return None;
        }
        let peaks = self.achievable_flops_per_s.iter();
        let peaks: serde_json::Map<String, serde_json::Value> =
            peaks.map(|(key, rate)| (key.clone(), (rate / 1e12).into())).collect();
        let mut platform = serde_json::json!({
            "name": self.platform,
            "mem_bw_gbps": bandwidth / 1e9,
            "max_achievable_tflops": peaks,
        });
        if let (Some(bytes), Some(object)) = (self.memory_bytes, platform.as_object_mut()) {
            object.insert("memory_gb".to_owned(), (bytes / 1e9).into());
        }
        let mut device = Device::from_json(&platform.to_string()).ok()?;
        // Rows state the name in the report.
        device.name.clone_from(&self.platform);
        Some(device)
    }

    /// The device in `devices` whose ceilings this profile measured (`roofline.csv`), with the name, compute units and
    /// caches of this context. `None` if there is none or it is named already.
    pub fn name_measured(&self, devices: &[Device]) -> Option<Device> {
        if self.tables_of.is_empty() || self.platform.is_empty() {
            return None;
        }
        let measured =
            devices.iter().find(|d| d.source.starts_with(MEASURED) && d.name != self.platform)?;
        let known = gemmscope_model::hardware::match_name(&self.platform).device();
        let named = known.cloned().unwrap_or_else(|| measured.clone());
        // Rows state this name.
        Some(Device {
            id: measured.id.clone(),
            name: self.platform.clone(),
            aliases: Vec::new(),
            bandwidth_bytes_per_s: measured.bandwidth_bytes_per_s,
            peaks: measured.peaks.clone(),
            source: measured.source.clone(),
            ..named
        })
    }

    /// Summary of its content, a few words per part.
    pub fn brings(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.platform.is_empty() {
            out.push(match self.achievable_flops_per_s.len() {
                0 => self.platform.clone(),
                n => format!("{} with {n} peaks", self.platform),
            });
        }
        out.extend(self.facts.iter().cloned());
        if let Some(total) = self.total_s.or(self.compute_s) {
            out.push(format!("{} traced", gemmscope_model::units::Seconds(total)));
        }
        let reported = self.reported.as_ref().map_or(0, |r| r.operations.len()) as u64;
        let (calls, categories) = (self.calls.len() as u64, self.categories.len());
        out.extend((calls > 0).then(|| plural(calls, "call stack")));
        out.extend((categories > 0).then(|| match categories {
            1 => "1 category".to_owned(),
            n => format!("{n} categories"),
        }));
        out.extend(
            (reported > 0).then(|| format!("own figures of {}", plural(reported, "operation"))),
        );
        out
    }

    /// Idle time of the device in seconds: as stated, else the rest of the total.
    pub fn idle_time_s(&self) -> Option<f64> {
        self.idle_s.or_else(|| {
            let alone = |part: Option<f64>| part.unwrap_or(0.0);
            let busy = self.compute_s? + alone(self.exposed_comm_s) + alone(self.exposed_memcpy_s);
            Some(self.total_s? - busy)
        })
    }

    /// Time outside the GEMMs in seconds: total time if known, else compute time, minus `gemm_s`.
    pub fn other_s(&self, gemm_s: f64) -> Option<f64> {
        let whole = self.total_s.or(self.compute_s)?;
        Some((whole - gemm_s).max(0.0))
    }
}

fn take_text(mine: &mut String, theirs: String) {
    if mine.is_empty() {
        *mine = theirs;
    }
}
