//! The operations of a breakdown and their figures.

use super::{THUMB_COMPUTE, THUMB_MEMORY};
use crate::doc::escape::short;
use crate::tile_roof;
use gemmscope_analysis::findings::{ANOMALY_EFFICIENCY, Group, Scan, is_quantized};
use gemmscope_model::hardware::Device;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{BytesPerSec, FlopsPerSec, fixed, percent, seconds_brief};
use gemmscope_table::dataset::ColumnMeaning;
use serde::Serialize;

/// The bound by the rule of thumb, which ignores the device; for comparison with reports that use it. The ridge point
/// of the device is the better rule.
pub(crate) fn rule_of_thumb(intensity: f64) -> &'static str {
    if intensity > THUMB_COMPUTE {
        "compute"
    } else if intensity < THUMB_MEMORY {
        "memory"
    } else {
        "between"
    }
}

/// Possible savings by tuning one operation, in percent of the whole time, as trace reports estimate them: gap to the
/// roof times share, and of that three quarters (low), seven eighths (mid) or all (high).
pub fn impact_percent(efficiency: f64, share_of_total: f64) -> (f64, f64, f64) {
    let gap = (1.0 - efficiency).max(0.0) * share_of_total * 100.0;
    (0.75 * gap, 0.875 * gap, gap)
}

/// Relative tolerance for times that a report prints with three decimals.
const SAME_TIME: f64 = 2e-3;

/// One operation of the breakdown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReportOperation {
    /// `aten::mm`, or the library, or "GEMM".
    pub name: String,
    /// Shape, types, layout.
    pub problem: String,
    /// Kernel, "" if unknown.
    pub kernel: String,
    /// Number of calls.
    pub calls: f64,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Share of the time of all GEMMs.
    pub share_of_category: f64,
    /// Share of the whole time.
    pub share: f64,
    /// Its side; "" if none are compared.
    pub side: String,
    /// Roof time over time.
    pub efficiency: Option<f64>,
    /// The peak that bounds it, which the efficiency refers to: `peak MAF (708.0 TFLOP/s, bf16)`.
    pub of_peak: Option<String>,
    /// The percentage in the file, as a share.
    pub reported_efficiency: Option<f64>,
    /// Attained rate, FLOP/s; NaN without a shape, like the next two.
    pub flops_per_s: f64,
    /// Compulsory bytes over time.
    pub bytes_per_s: f64,
    /// FLOP/byte.
    pub intensity: f64,
    /// Bound by the ridge point of the device.
    pub bound: Option<String>,
    /// Bound by the rule of thumb.
    pub rule_of_thumb: String,
    /// True for types of 8 bits or less, by the operands or the kernel name.
    pub quantized: bool,
    /// Possible savings as trace reports estimate them: low, mid, high percent of the whole time. Only for calls of a
    /// program: the rows of a benchmark are not a whole.
    pub impact_percent: Option<(f64, f64, f64)>,
    /// A sentence about the roof of its tile, if the tile is known.
    #[serde(rename = "shape_roof")]
    pub tile_roof: Option<String>,
    /// Published time of one call, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_s: Option<f64>,
    /// Software that was timed, with version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_by: Option<String>,
    /// Its callers, outermost first.
    pub callers: Vec<String>,
    /// The modules it belongs to, if the report's metadata names them.
    pub modules: Vec<String>,
    /// Its dataset rows, ascending. They have no meaning outside the page.
    #[serde(skip)]
    pub rows: Vec<u32>,
}

impl ReportOperation {
    /// Share of the roof, attained rate, bandwidth and intensity, formatted for tables.
    pub(super) fn figures(&self) -> [String; 4] {
        let known = |value: f64, text: String| match value.is_nan() {
            true => "unknown".to_owned(),
            false => text,
        };
        let efficiency = self.efficiency.unwrap_or(f64::NAN);
        [
            percent(efficiency),
            known(self.flops_per_s, FlopsPerSec(self.flops_per_s).to_string()),
            known(self.bytes_per_s, BytesPerSec(self.bytes_per_s).to_string()),
            known(self.intensity, fixed(self.intensity, 1)),
        ]
    }
}

/// A column of the table of operations: its title, and the value of an operation, "" for none.
type Column = (&'static str, fn(&ReportOperation) -> String);

/// Columns that only some data have. Callers are listed outermost first.
pub(super) const EXTRA_COLUMNS: [Column; 4] = [
    ("Others reach", |o| o.reference_s.map_or_else(String::new, seconds_brief)),
    ("Side", |o| o.side.clone()),
    ("Kernel", |o| short(&o.kernel, KERNEL_CHARS).into_owned()),
    ("Called from", |o| o.callers.join(" > ")),
];

/// Characters of a kernel name in the table of operations, enough for its tile and types.
pub(super) const KERNEL_CHARS: usize = 120;

impl ReportOperation {
    /// Its name, with its side.
    pub(super) fn heading(&self) -> String {
        match self.side.as_str() {
            "" => self.name.clone(),
            side => format!("{side}: {}", self.name),
        }
    }

    /// True for a GEMM with an unknown shape, which has no performance model.
    pub fn has_no_model(&self) -> bool {
        self.problem == UNKNOWN_SHAPE
    }

    /// True if it is so far above its roof that the ranking leaves it out.
    pub fn is_anomaly(&self) -> bool {
        self.efficiency.is_some_and(|e| e > ANOMALY_EFFICIENCY)
    }
}

/// Stands for the problem of a GEMM with an unknown shape.
pub(super) const UNKNOWN_SHAPE: &str = "shape unknown";

/// The profiler of the device's vendor.
pub(super) fn profiler_of(device: &Device) -> &'static str {
    match device.vendor.as_str() {
        "AMD" => "rocprof (rocprofv3, rocprof-compute)",
        "NVIDIA" => "Nsight Compute (ncu)",
        "Intel" => "VTune or unitrace",
        "Google" => "XProf",
        _ => PROFILER,
    }
}

pub(super) const PROFILER: &str = "the vendor's profiler";

/// A group of a scan as an operation.
pub(super) fn operation(scan: &Scan<'_>, g: &Group) -> ReportOperation {
    let (data, metrics) = (scan.data(), scan.metrics());
    let row = g.row as usize;
    let problem = scan.problem(g);
    let efficiency = Some(g.efficiency()).filter(|e| e.is_finite());
    let reported =
        Some(data.number(ColumnMeaning::ReportedEfficiency, row)).filter(|e| e.is_finite());
    let total = data
        .sources
        .get(usize::from(data.source[row]))
        .and_then(|s| s.trace.as_ref())
        .and_then(|t| t.total_s)
        .unwrap_or_else(|| scan.part(g).whole_s);
    let name = match data.first_text(&[ColumnMeaning::OpName, ColumnMeaning::Library], row) {
        "" => "GEMM",
        name => name,
    };
    let reference = metrics.reference(data, row);
    ReportOperation {
        name: name.to_owned(),
        problem: problem.to_string(),
        kernel: data.text(ColumnMeaning::Kernel, row).to_owned(),
        calls: g.calls,
        time_s: g.time_s,
        share_of_category: g.time_s / scan.part(g).time_s,
        share: scan.share(g, g.time_s),
        side: scan.part(g).label.clone(),
        efficiency,
        of_peak: of_peak(scan, g),
        reported_efficiency: reported,
        flops_per_s: problem.work().0 / g.call_s(),
        bytes_per_s: problem.bytes().0 / g.call_s(),
        intensity: metrics.ai[row],
        bound: scan.bound(g).map(|b| b.label().to_owned()),
        rule_of_thumb: rule_of_thumb(metrics.ai[row]).to_owned(),
        quantized: quantized(scan, g),
        impact_percent: reported
            .or(efficiency)
            .filter(|e| scan.is_program(g) && *e <= ANOMALY_EFFICIENCY)
            .map(|e| impact_percent(e, g.time_s / total)),
        tile_roof: scan
            .tile(g)
            .filter(|s| s.roof().is_some() && scan.bound(g) != Some(Bound::Launch))
            .map(|s| tile_roof::sentence(&s)),
        reference_s: reference.map(|others| others.time_s),
        reference_by: reference.map(|others| others.by().to_owned()),
        callers: gemmscope_table::trace::call_stack(data, row).map_or_else(Vec::new, |s| s.parents),
        modules: modules(scan, g, name),
        rows: scan.rows(g).to_vec(),
    }
}

/// True for a group with types of 8 bits or less, by its operands or its kernel name.
pub(super) fn quantized(scan: &Scan<'_>, g: &Group) -> bool {
    let kernel = scan.data().text(ColumnMeaning::Kernel, g.row as usize);
    is_quantized(&scan.problem(g).op) || names_quantized(kernel)
}

/// True if the name of a kernel or an operation contains a narrow type: `bmm_MxE4m3`.
pub(super) fn names_quantized(name: &str) -> bool {
    const NARROW: [&str; 14] = [
        "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "fp8", "fp4", "mxfp", "w8a8", "w4a8", "w4a16",
        "int8", "i8i32", "i8ii",
    ];
    let lower = name.to_ascii_lowercase();
    NARROW.iter().any(|narrow| lower.contains(narrow))
}

/// The peak that bounds a group: that of its type right of the ridge point, else the bandwidth.
fn of_peak(scan: &Scan<'_>, g: &Group) -> Option<String> {
    let roof = scan.roof(g)?;
    let over = scan.metrics().ai[g.row as usize] >= roof.ridge();
    Some(match (over, scan.achievable()) {
        (true, achievable) => format!(
            "{} ({}, {})",
            if achievable { "peak MAF" } else { "the datasheet peak" },
            FlopsPerSec(roof.peak_flops_per_s),
            scan.problem(g).op.compute
        ),
        (false, _) => {
            format!("peak memory bandwidth ({})", BytesPerSec(roof.bandwidth_bytes_per_s))
        }
    })
}

/// The module chain of an operation in the metadata of the report, found by name and time.
fn modules(scan: &Scan<'_>, g: &Group, name: &str) -> Vec<String> {
    let source = scan.data().source[g.row as usize];
    let trace = scan.data().sources.get(usize::from(source)).and_then(|s| s.trace.as_ref());
    let Some(reported) = trace.and_then(|t| t.reported.as_ref()) else {
        return Vec::new();
    };
    let near = |s: f64| (s / g.time_s - 1.0).abs() < SAME_TIME;
    reported
        .operations
        .iter()
        .find(|o| o.name == name && o.time_s.is_some_and(near))
        .map_or_else(Vec::new, |o| o.callers.clone())
}
