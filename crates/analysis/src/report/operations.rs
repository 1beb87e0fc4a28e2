//! The breakdown by operation: figures, flags with their reasons, and circumstances that explain a
//! low efficiency.

use super::escape::short;
use super::{
    FLAG_EFFICIENCY, FLAG_SHARE, FLAG_TIME_S, MAX_OPERATIONS, Report, THUMB_COMPUTE, THUMB_MEMORY,
};
use crate::findings;
use crate::findings::{
    ANOMALY_EFFICIENCY, Finding, Findings, Group, Kind, Scan, Severity, Sign, band, is_quantized,
};
use crate::trace_time::{TraceTime, Unfused};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::Device;
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{Bytes, BytesPerSec, FlopsPerSec, capitalized, fixed, percent};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::trace::is_unfused_attention;
use serde::Serialize;

/// The bound by the rule of thumb, which ignores the device. It is there for comparison with
/// reports that use it; the ridge point of the device is the better rule.
pub(crate) fn rule_of_thumb(intensity: f64) -> &'static str {
    if intensity > THUMB_COMPUTE {
        "compute"
    } else if intensity < THUMB_MEMORY {
        "memory"
    } else {
        "between"
    }
}

/// Possible savings by tuning one operation, in percent of the whole time, as trace reports
/// estimate them: the gap to the roof times the share, and of that three quarters (low), seven
/// eighths (mid) or all (high).
pub fn impact_percent(efficiency: f64, share_of_total: f64) -> (f64, f64, f64) {
    let gap = (1.0 - efficiency).max(0.0) * share_of_total * 100.0;
    (0.75 * gap, 0.875 * gap, gap)
}

/// Times that a report printed with three decimals are the same within this.
const SAME_TIME: f64 = 2e-3;

/// One operation of the breakdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operation {
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
    /// The side it is on; "" where none are compared.
    pub side: String,
    /// Roof time over time.
    pub efficiency: Option<f64>,
    /// The peak that bounds it and to which the efficiency refers: `peak MAF (708.0 TFLOP/s, bf16)`.
    pub of_peak: Option<String>,
    /// The percentage in the file, as a share.
    pub reported_efficiency: Option<f64>,
    /// Attained, FLOP/s; NaN without a shape, as the two that follow.
    pub flops_per_s: f64,
    /// Compulsory bytes over time.
    pub bytes_per_s: f64,
    /// FLOP/byte.
    pub intensity: f64,
    /// Bound by the ridge of the device.
    pub bound: Option<String>,
    /// Bound by the rule of thumb.
    pub rule_of_thumb: String,
    /// True for 8-bit and narrower types, by the operands' or by the kernel's name.
    pub quantized: bool,
    /// Possible savings as trace reports estimate them: low, mid, high percent of the whole time.
    pub impact_percent: Option<(f64, f64, f64)>,
    /// A sentence about the roof of its tile, if the tile is known.
    #[serde(rename = "shape_roof")]
    pub tile_roof: Option<String>,
    /// Its callers, outermost first.
    pub callers: Vec<String>,
    /// The modules it belongs to, where the report's metadata names them.
    pub modules: Vec<String>,
    /// Its dataset rows, ascending. They have no meaning outside the page.
    #[serde(skip)]
    pub rows: Vec<u32>,
}

impl Operation {
    /// Share of the roof, attained rate, bandwidth and intensity, as tables of reports show them.
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

/// A column of the table of operations that only some data fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtraColumn {
    /// The side, where sides are compared.
    Side,
    /// The kernel that ran.
    Kernel,
    /// The callers, outermost first.
    CalledFrom,
}

impl ExtraColumn {
    /// The columns that have a value in at least one operation.
    pub(super) fn of(report: &Report) -> Vec<ExtraColumn> {
        let filled = |c: &ExtraColumn| report.operations.iter().any(|o| !c.cell(o).is_empty());
        [Self::Side, Self::Kernel, Self::CalledFrom].into_iter().filter(filled).collect()
    }

    /// The head of the column.
    pub(super) fn title(self) -> &'static str {
        match self {
            ExtraColumn::Side => "Side",
            ExtraColumn::Kernel => "Kernel",
            ExtraColumn::CalledFrom => "Called from",
        }
    }

    /// The value of an operation; "" if it has none.
    pub(super) fn cell(self, o: &Operation) -> String {
        match self {
            ExtraColumn::Side => o.side.clone(),
            ExtraColumn::Kernel => short(&o.kernel, KERNEL_CHARS).into_owned(),
            ExtraColumn::CalledFrom => o.callers.join(" > "),
        }
    }
}

/// Characters of a kernel's name in the table of operations; tiles and types come first in them.
const KERNEL_CHARS: usize = 120;

/// What the time goes to: besides GEMMs, and operation by operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakdown {
    /// The parts of a trace's time.
    pub time: Option<TraceTime>,
    /// The operations that take most time, in this order.
    pub operations: Vec<Operation>,
    /// How many there are.
    pub total: usize,
    /// The flagged ones, most important first.
    pub bottlenecks: Vec<Bottleneck>,
    /// What times cannot show, why, and what to say instead.
    pub cannot_infer: Vec<[String; 3]>,
}

impl Operation {
    /// Its name, with the side that it is on.
    pub(super) fn heading(&self) -> String {
        match self.side.as_str() {
            "" => self.name.clone(),
            side => format!("{side}: {}", self.name),
        }
    }

    /// True for a GEMM whose shape is not known, so that it has no performance model.
    pub fn has_no_model(&self) -> bool {
        self.problem == UNKNOWN_SHAPE
    }

    /// True if it is so far above its roof that it is left out of the ranking.
    pub fn is_anomaly(&self) -> bool {
        self.efficiency.is_some_and(|e| e > ANOMALY_EFFICIENCY)
    }
}

impl Breakdown {
    /// Breaks the checked rows down; `findings` are those of the same scan.
    pub fn new(scan: &Scan<'_>, findings: &Findings) -> Self {
        let (groups, total) = heaviest(scan);
        let mut operations: Vec<_> = groups.iter().map(|g| operation(scan, g)).collect();
        let mut bottlenecks = bottlenecks(scan, &operations, &groups, findings);
        for (o, b) in without_model(scan, operations.len()) {
            operations.push(o);
            bottlenecks.push(b);
        }
        bottlenecks.order_by(|a, b| {
            (!a.validated)
                .cmp(&!b.validated)
                .then(a.priority.cmp(&b.priority))
                .then(operations[b.operation].time_s.total_cmp(&operations[a.operation].time_s))
        });
        Breakdown {
            time: TraceTime::of(scan),
            cannot_infer: cannot_infer(scan, &operations, &bottlenecks),
            bottlenecks,
            // Those without a model are listed too.
            total: total + operations.len() - groups.len(),
            operations,
        }
    }

    /// The reason to flag an operation, if there is one.
    pub fn flag(&self, operation: usize) -> Option<&Bottleneck> {
        self.bottlenecks.iter().find(|b| b.operation == operation)
    }
}

/// An operation that is flagged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bottleneck {
    /// Index in [`Report::operations`](super::Report::operations).
    pub operation: usize,
    /// Why it was flagged.
    pub flags: Vec<String>,
    /// The issue in one sentence.
    pub issue: String,
    /// Circumstances: tiny, quantised, very large, called often.
    pub context: Vec<String>,
    /// True if it is worth acting on in these circumstances.
    pub validated: bool,
    /// Why it is not worth acting on, else "".
    pub dismissed: &'static str,
    /// Fusion, batching, algorithm, sparsity, quantisation.
    pub path_a: String,
    /// Kernel tuning, replay, tile, access pattern.
    pub path_b: String,
    /// By the thresholds alone.
    pub priority: Severity,
}

/// The problem of a GEMM whose shape is not known.
const UNKNOWN_SHAPE: &str = "shape unknown";

/// The GEMMs without a shape that take over 10 % of the time, as operations from index `first` on
/// and as bottlenecks: nobody knows how good they are, and they weigh. Of the only side.
fn without_model(scan: &Scan<'_>, first: usize) -> Vec<(Operation, Bottleneck)> {
    let [part] = scan.parts.as_slice() else {
        return Vec::new();
    };
    let profiler = scan.metrics().devices.iter().flatten().next().map_or(PROFILER, profiler_of);
    let mut out = Vec::new();
    for source in &scan.data().sources {
        for (name, sum) in &source.without_model_names {
            let share = part.share(sum.time_s);
            if share <= findings::HIGH_SHARE {
                continue;
            }
            let o = Operation {
                name: short(name, KERNEL_CHARS).into_owned(),
                problem: UNKNOWN_SHAPE.to_owned(),
                kernel: name.clone(),
                calls: sum.rows as f64,
                time_s: sum.time_s,
                share_of_category: sum.time_s / (part.time_s + part.without_s),
                share,
                side: part.label.clone(),
                efficiency: None,
                of_peak: None,
                reported_efficiency: None,
                flops_per_s: f64::NAN,
                bytes_per_s: f64::NAN,
                intensity: f64::NAN,
                bound: None,
                rule_of_thumb: String::new(),
                quantized: names_quantized(name),
                impact_percent: None,
                tile_roof: None,
                callers: Vec::new(),
                modules: Vec::new(),
                rows: Vec::new(),
            };
            let remedy = match source.remedy.as_str() {
                "" => "record the shapes of its operands (record_shapes=True), or of its groups",
                remedy => remedy,
            };
            let b = Bottleneck {
                operation: first + out.len(),
                flags: vec!["over 10 % of the time without a performance model".to_owned()],
                issue: "Efficiency unknown: the file has no shape for it, so no model says how fast it could be.".to_owned(),
                context: context_of_type(&o),
                validated: true,
                dismissed: "",
                path_a: format!(
                    "Learn its shape first: {remedy}. Then see whether fewer, larger groups or a narrower type would help."
                ),
                path_b: format!(
                    "Generate a reproducer from the code that calls it and profile that with {profiler}."
                ),
                priority: findings::priority(share, None, false),
            };
            out.push((o, b));
        }
    }
    out
}

/// The profiler of a device's vendor.
fn profiler_of(device: &Device) -> &'static str {
    match device.vendor.as_str() {
        "AMD" => "rocprof (rocprofv3, rocprof-compute)",
        "NVIDIA" => "Nsight Compute (ncu)",
        "Intel" => "VTune or unitrace",
        "Google" => "XProf",
        _ => PROFILER,
    }
}

const PROFILER: &str = "the vendor's profiler";

/// What times cannot show, why, and what to say instead, with the bytes, the cache and the profiler of
/// the first bottleneck, else of the longest operation.
fn cannot_infer(
    scan: &Scan<'_>,
    operations: &[Operation],
    bottlenecks: &[Bottleneck],
) -> Vec<[String; 3]> {
    let leading = bottlenecks.iter().map(|b| &operations[b.operation]).chain(operations);
    let row = leading.filter_map(|o| o.rows.first()).next().map(|r| *r as usize);
    let device =
        row.and_then(|r| scan.metrics().devices[usize::from(scan.data().device[r])].as_ref());
    let profiler = device.map_or(PROFILER, profiler_of);
    let set = row.map(|r| scan.data().problem(r)).map(|p| (p, p.bytes()));
    let cache = device.and_then(|d| Some((d, Bytes(d.cache_bytes()?))));
    let working = match (set, cache) {
        (Some((p, bytes)), Some((d, cache))) => {
            let fits = if bytes.0 > cache.0 { "exceed" } else { "fit" };
            format!(
                "the operands of {p} ({bytes}) {fits} the largest cache of the {} ({cache})",
                d.name
            )
        }
        (Some((p, bytes)), None) => format!("the operands of {p} ({bytes}) may exceed the cache"),
        _ => "a large working set may exceed the cache".to_owned(),
    };
    let slow = match row.map(|r| scan.metrics().efficiency(scan.data(), r)) {
        Some(e) if e < 1.0 => format!("the kernel runs at {} of its roof", percent(e)),
        _ => "the kernel runs slower than expected".to_owned(),
    };
    [
        (
            "Bank conflicts",
            "only hardware counters see them",
            format!("low efficiency; profile with {profiler} to diagnose"),
        ),
        ("Cache hit rates", "only hardware counters see them", working),
        ("Occupancy", "it depends on registers and shared memory that a trace does not show", slow),
        (
            "Root causes",
            "a trace shows what ran and how long, not why",
            format!(
                "bottleneck identified; generate a reproducer for the kernel team (gemmscope replay) \
                 and profile it with {profiler}"
            ),
        ),
    ]
    .map(|(what, why, instead)| [what.to_owned(), why.to_owned(), instead])
    .to_vec()
}

/// The groups that take most time, most first, and the number of all.
fn heaviest<'s>(scan: &'s Scan<'_>) -> (Vec<&'s Group>, usize) {
    // The bits of a time that is not negative are in its order. The few are chosen before they are sorted.
    let mut keys: Vec<(u64, u32, u32)> =
        scan.checked().map(|(i, g)| (!g.time_s.max(0.0).to_bits(), g.row, i)).collect();
    let total = keys.len();
    if total > MAX_OPERATIONS {
        keys.select_nth_unstable(MAX_OPERATIONS);
        keys.truncate(MAX_OPERATIONS);
    }
    keys.sort_unstable();
    let groups = keys.iter().map(|k| &scan.groups[k.2 as usize]);
    (groups.collect(), total)
}

fn operation(scan: &Scan<'_>, g: &Group) -> Operation {
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
    let name = [ColumnMeaning::OpName, ColumnMeaning::Library]
        .into_iter()
        .map(|meaning| data.text(meaning, row))
        .find(|t| !t.is_empty())
        .unwrap_or("GEMM");
    Operation {
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
            .filter(|e| *e <= ANOMALY_EFFICIENCY)
            .map(|e| impact_percent(e, g.time_s / total)),
        tile_roof: scan.tile(g).filter(|s| s.roof.is_some()).map(|s| s.sentence()),
        callers: gemmscope_table::trace::call_stack(data, row).map_or_else(Vec::new, |s| s.parents),
        modules: modules(scan, g, name),
        rows: scan.rows(g).to_vec(),
    }
}

/// True for a group of 8-bit and narrower types, by its operands or by the name of its kernel.
pub(super) fn quantized(scan: &Scan<'_>, g: &Group) -> bool {
    let kernel = scan.data().text(ColumnMeaning::Kernel, g.row as usize);
    is_quantized(&scan.problem(g).op) || names_quantized(kernel)
}

/// True where the name of a kernel or of an operation has a narrow type in it: `bmm_MxE4m3`.
pub(super) fn names_quantized(name: &str) -> bool {
    const NARROW: [&str; 14] = [
        "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "fp8", "fp4", "mxfp", "w8a8", "w4a8", "w4a16",
        "int8", "i8i32", "i8ii",
    ];
    let lower = name.to_ascii_lowercase();
    NARROW.iter().any(|narrow| lower.contains(narrow))
}

/// The peak that bounds a group: the rate of its type over the ridge point, else the bandwidth.
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

/// The module chain of an operation in the report's own figures, found by name and time.
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

/// The flagged operations in the order of their priority.
fn bottlenecks(
    scan: &Scan<'_>,
    operations: &[Operation],
    groups: &[&Group],
    findings: &Findings,
) -> Vec<Bottleneck> {
    let mut out = Vec::new();
    for (i, (o, g)) in operations.iter().zip(groups).enumerate() {
        let mut flags = Vec::new();
        if o.time_s > FLAG_TIME_S {
            flags.push("over 50 ms".to_owned());
        }
        if o.share_of_category > FLAG_SHARE {
            flags.push("over 5 % of the category".to_owned());
        }
        if o.efficiency.is_some_and(|e| e < FLAG_EFFICIENCY) {
            flags.push("under 40 % efficiency".to_owned());
        }
        if flags.is_empty() || o.is_anomaly() {
            continue;
        }
        let own: Vec<&Finding> = findings
            .findings
            .iter()
            .filter(|f| f.evidence.rows.binary_search(&g.row).is_ok())
            .collect();
        let of = Circumstances::of(scan, g, o);
        let context = context(&scan.problem(g), o, &of);
        let natural = of.tiny_batched || of.launch;
        let trifle = o.share < findings::TRIFLE_SHARE;
        let good = o.efficiency.is_some_and(|e| e > 0.8);
        let limited = o.efficiency.is_some_and(|e| e >= 0.6);
        let dismissed = if trifle {
            "under 1 % of the time"
        } else if good {
            "near its roof"
        } else if limited {
            "60 to 80 % of its roof, little to gain"
        } else if natural && o.share < findings::MEDIUM_SHARE {
            "natural for its size"
        } else {
            ""
        };
        let lost = || own.iter().filter(|f| f.kind == Kind::Lost);
        // If the tile is the limit, the finding about it tells what to do.
        let weightiest = lost()
            .find(|f| f.category == findings::Category::Tiling)
            .or(lost().next())
            .or(own.first())
            .copied();
        let mut context = context;
        let signs = own.iter().flat_map(|f| &f.signs);
        let mut signs: Vec<(Sign, &str)> = signs
            .filter(|s| s.rows.binary_search(&g.row).is_ok())
            .map(|s| (s.sign, s.title.as_str()))
            .collect();
        signs.sort_unstable();
        signs.dedup();
        if !of.attention && !signs.is_empty() {
            let titles: Vec<&str> = signs.iter().map(|s| s.1).collect();
            context.push(format!("Signs: {}.", titles.join(", ")));
        }
        // The finding's own are those of another GEMM.
        let own_paths = weightiest.and_then(|f| findings::own_paths(scan, g, f));
        let (path_a, path_b) = paths(o, &of, weightiest, own_paths);
        out.push(Bottleneck {
            operation: i,
            flags,
            issue: issue(o, weightiest),
            context,
            validated: dismissed.is_empty(),
            dismissed,
            path_a,
            path_b,
            priority: findings::priority(o.share, o.efficiency, of.pattern()),
        });
    }
    out
}

/// What explains an operation, and what it could be batched with.
struct Circumstances {
    /// Very many products of a few rows and columns each.
    tiny_batched: bool,
    /// A call is little more than a launch.
    launch: bool,
    /// So many calls that some of them may be batched.
    repeats: bool,
    /// A product of attention that is not fused.
    attention: bool,
}

impl Circumstances {
    fn of(scan: &Scan<'_>, g: &Group, o: &Operation) -> Self {
        let p = scan.problem(g);
        let tiny_batched = p.batch >= 100 && p.m.min(p.n) <= 64 && p.k <= 256;
        let attention = is_unfused_attention(scan.data(), g.row as usize);
        Circumstances {
            tiny_batched,
            launch: !tiny_batched && scan.bound(g) == Some(Bound::Launch),
            repeats: !attention && o.calls >= 100.0,
            attention,
        }
    }

    /// A notable pattern: Medium at least.
    fn pattern(&self) -> bool {
        self.tiny_batched || self.repeats || self.attention
    }
}

/// Circumstances that explain a low efficiency.
fn context(problem: &Problem, o: &Operation, of: &Circumstances) -> Vec<String> {
    let mut out = Vec::new();
    if of.attention {
        out.push("A product of attention that is not fused.".to_owned());
    }
    if of.tiny_batched {
        out.push(format!(
            "Tiny batched GEMM ({} of {} × {} × {}): low efficiency is natural here.",
            problem.batch, problem.m, problem.n, problem.k
        ));
    } else if of.launch {
        out.push("Tiny: a call is little more than a launch.".to_owned());
    }
    out.extend(context_of_type(o));
    if problem.bytes().0 > 1e9 {
        out.push(
            "Very large operands: memory may matter although the intensity is high.".to_owned(),
        );
    }
    if of.repeats {
        out.push(format!(
            "Called {} times: look for products that could be batched.",
            fixed(o.calls, 0)
        ));
    }
    out
}

/// That percentages of quantised GEMMs are their own.
fn context_of_type(o: &Operation) -> Vec<String> {
    let words = "Quantised: its roof is higher and scaling takes a part of the time, so its percentage \
                 compares with other quantised GEMMs only.";
    o.quantized.then(|| words.to_owned()).into_iter().collect()
}

/// The issue in one sentence: the limit of the tile, else the distance from the roof.
fn issue(o: &Operation, finding: Option<&Finding>) -> String {
    let grade = o.efficiency.map_or_else(
        || "no roof is known for it".to_owned(),
        |e| format!("{} ({} of its roof)", band(e), percent(e)),
    );
    let bound = o.bound.as_deref().unwrap_or("bound unknown");
    // The sentence about the tile tells more than a finding's title, which repeats the percentage.
    let seen = match (&o.tile_roof, finding) {
        (Some(shape), _) => format!(" {shape}"),
        (None, Some(f)) => format!(" {}.", f.title.split(": ").next().unwrap_or(&f.title)),
        (None, None) => String::new(),
    };
    format!("{} at AI {} FLOP/B, {grade}.{seen}", capitalized(bound), fixed(o.intensity, 1))
}

/// Both paths: near the roof only the first; else from what the operation is a part of, from the most
/// important finding on it (`own` where the finding's are those of another GEMM), or from its efficiency.
fn paths(
    o: &Operation,
    of: &Circumstances,
    finding: Option<&Finding>,
    own: Option<(String, String)>,
) -> (String, String) {
    if o.efficiency.is_some_and(|e| e > 0.8) {
        return (
            "Focus on Path A: the kernel is near its roof, so only fewer or smaller products help (fusion, \
             batching, a narrower type, sparsity)."
                .to_owned(),
            "Nothing worth tuning.".to_owned(),
        );
    }
    if of.attention {
        return (Unfused::TRY.to_owned(), "Tune the fused kernel, not this product.".to_owned());
    }
    if of.tiny_batched {
        return (
            "Batch more of them into one call: torch.bmm, or a grouped GEMM where sizes differ \
             (torch._grouped_mm, CUTLASS and CK grouped GEMM)."
                .to_owned(),
            "Where another platform is over 5 times as fast, compare the kernels; generate a reproducer."
                .to_owned(),
        );
    }
    // What is below the roof for no known reason is little from 60 % on.
    let little = own.is_some() && o.efficiency.is_some_and(|e| e >= 0.6);
    if let Some(f) = finding.filter(|_| !little) {
        return own.unwrap_or_else(|| (f.path_a.clone(), f.path_b.clone()));
    }
    match o.efficiency {
        Some(e) if e >= 0.6 => (
            "Fuse neighbouring elementwise operations into the epilogue; consider a narrower type \
             (fp8, int8) where the numbers allow it."
                .to_owned(),
            "Limited potential: another tile may fit better; a reproducer shows it.".to_owned(),
        ),
        _ => (
            "Check whether a larger batch or a narrower type changes the picture.".to_owned(),
            "Generate a reproducer of this shape and tune tile, split-K and stages.".to_owned(),
        ),
    }
}
