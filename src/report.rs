//! The findings as documents: `gemm_findings.md` in the form that trace analysts exchange, a
//! richer markdown, one HTML file with pictures in it, and JSON for machines. All four are
//! written from one [`Report`], so that they cannot say different things.

use crate::dataset::Role;
use crate::dtype::Family;
use crate::field::Frame;
use crate::findings::{
    self, ANOMALY_EFFICIENCY, Checked, Finding, Findings, Group, Scan, Severity, band,
};
use crate::gemm::Problem;
use crate::hardware::RoofKind;
use crate::metrics::Metrics;
use crate::units::Seconds;
use serde::Serialize;
use std::sync::Arc;

mod escape;
mod html;
mod json;
mod markdown;
mod summary;

pub use escape::{html_text, markdown_text};
pub use html::{Picture, html};
pub use json::json;
pub use markdown::markdown;
pub use summary::{gemm_findings, gemm_findings_of};

/// GEMMs matter as a category from this share of the time on.
pub const SIGNIFICANT_SHARE: f64 = 0.10;
/// An operation is flagged above this time.
pub const FLAG_TIME_S: f64 = 50e-3;
/// Or above this share of the category.
pub const FLAG_SHARE: f64 = 0.05;
/// Or under this efficiency.
pub const FLAG_EFFICIENCY: f64 = 0.40;
/// Operations that are listed by themselves.
pub const MAX_OPERATIONS: usize = 100;
/// Bottlenecks that are written out.
pub const MAX_BOTTLENECKS: usize = 5;
/// Above this intensity the rule of thumb says compute-bound.
pub const THUMB_COMPUTE: f64 = 200.0;
/// Below this intensity it says memory-bound.
pub const THUMB_MEMORY: f64 = 100.0;

/// The rule of thumb for the bound, whatever the device: kept for comparison with reports that
/// use it. The ridge point of the device is the better rule.
pub fn rule_of_thumb(intensity: f64) -> &'static str {
    if intensity > THUMB_COMPUTE {
        "compute"
    } else if intensity < THUMB_MEMORY {
        "memory"
    } else {
        "between"
    }
}

/// What could be won by tuning one operation, in percent of the whole time, as trace reports
/// estimate it: the gap to the roof times the share, of which three quarters (low), seven eighths
/// (mid) or all (high) come back.
pub fn impact_percent(efficiency: f64, share_of_total: f64) -> (f64, f64, f64) {
    let gap = (1.0 - efficiency).max(0.0) * share_of_total * 100.0;
    (0.75 * gap, 0.875 * gap, gap)
}

/// One operation of the breakdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operation {
    /// `aten::mm`, or the library, or "GEMM".
    pub name: String,
    /// Shape, types, layout.
    pub problem: String,
    /// Kernel, "" where unknown.
    pub kernel: String,
    /// Calls.
    pub calls: f64,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Share of all GEMMs.
    pub share_of_category: f64,
    /// Share of the whole.
    pub share: f64,
    /// Roof time over time.
    pub efficiency: Option<f64>,
    /// The file's own percentage, as a share.
    pub reported_efficiency: Option<f64>,
    /// Attained, FLOP/s.
    pub flops_per_s: f64,
    /// Compulsory bytes over time.
    pub bytes_per_s: f64,
    /// FLOP/byte.
    pub intensity: f64,
    /// By the ridge of the device.
    pub bound: Option<String>,
    /// By the rule of thumb.
    pub rule_of_thumb: String,
    /// 8 bit and narrower.
    pub quantized: bool,
    /// Estimate as trace reports make it: low, mid, high percent of the whole time.
    pub impact_percent: Option<(f64, f64, f64)>,
    /// What of the shape limits it, where the tile is known.
    pub shape_roof: Option<String>,
    /// Who calls it.
    pub callers: Vec<String>,
}

/// An operation that is flagged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bottleneck {
    /// Its number in [`Report::operations`].
    pub operation: usize,
    /// Why it was flagged.
    pub flags: Vec<String>,
    /// In one sentence.
    pub issue: String,
    /// What must be considered: tiny, quantised, very large, called often.
    pub context: Vec<String>,
    /// Worth acting on, considering all that.
    pub validated: bool,
    /// Fusion, batching, algorithm, sparsity, quantisation.
    pub path_a: String,
    /// Kernel tuning, replay, tile, access pattern.
    pub path_b: String,
    /// By the thresholds alone.
    pub priority: Severity,
}

/// Where a finding's rows lie in the files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// File.
    pub file: String,
    /// 1-based line.
    pub line: u32,
}

/// A finding with its rows as places in files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingLine {
    /// Everything but the row numbers, which mean nothing outside the page.
    #[serde(flatten)]
    pub finding: Finding,
    /// Rows it rests on.
    pub rows_total: usize,
    /// The first of them.
    pub places: Vec<Place>,
}

/// Everything a document says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this structure.
    pub schema: &'static str,
    /// Files with their formats.
    pub files: Vec<(String, String)>,
    /// Devices that rows are judged by.
    pub devices: Vec<String>,
    /// Which roof percentages are of.
    pub roof: String,
    /// What matters, in three sentences.
    pub sentences: [String; 3],
    /// GEMM time, seconds.
    pub gemm_s: f64,
    /// Whole time, seconds.
    pub whole_s: f64,
    /// What the whole is.
    pub whole: String,
    /// GEMM time over the whole.
    pub share: f64,
    /// The category is worth the work.
    pub significant: bool,
    /// Roof time over time of all operations together.
    pub efficiency: Option<f64>,
    /// Plain mean of the operations' percentages: what some reports print.
    pub plain_mean_efficiency: Option<f64>,
    /// Seconds the findings could give back together, each row counted once.
    pub gives_back_s: (f64, f64),
    /// The dearest operations.
    pub operations: Vec<Operation>,
    /// How many there are.
    pub operations_total: usize,
    /// The flagged ones, most important first.
    pub bottlenecks: Vec<Bottleneck>,
    /// All findings, ranked.
    pub findings: Vec<FindingLine>,
    /// Every rule and what became of it.
    pub checked: Vec<Checked>,
    /// Remarks on the data.
    pub notes: Vec<String>,
    /// Operations without a known shape.
    pub missing_models: Vec<String>,
    /// 8-bit and narrower operations.
    pub quantized: usize,
    /// Titles of the batching findings.
    pub batching: Vec<String>,
}

/// Places written for one finding.
const MAX_PLACES: usize = 200;

/// What times cannot tell, why, and what to say instead.
pub const CANNOT_INFER: [(&str, &str, &str); 4] = [
    (
        "Bank conflicts",
        "only hardware counters see them",
        "low efficiency: profile the replay to see why",
    ),
    (
        "Cache hit rates",
        "only hardware counters see them",
        "the working set is larger (or smaller) than the cache",
    ),
    (
        "Occupancy",
        "it depends on registers and shared memory that a trace does not show",
        "the kernel runs slower than its shape allows",
    ),
    (
        "Root causes",
        "a trace shows what ran and how long, not why",
        "a bottleneck is identified: hand over a replay",
    ),
];

impl Report {
    /// Gathers what the documents say. `findings` are those of the same frame.
    pub fn new(frame: &Frame, findings: &Findings) -> Report {
        let scan = Scan::new(frame);
        let data = scan.data();
        let (operations, operations_total) = operations(&scan);
        let mut sums = (0.0, 0.0);
        let (mut mean, mut counted, mut quantized) = (0.0, 0usize, 0usize);
        for (_, g) in scan.judged() {
            quantized += usize::from(is_quantized(&scan.problem(g)));
            let e = g.efficiency();
            if e.is_finite() && e <= ANOMALY_EFFICIENCY {
                sums.0 += g.roof_s;
                sums.1 += g.time_s;
                mean += e;
                counted += 1;
            }
        }
        let places = |rows: &[u32]| {
            rows.iter()
                .take(MAX_PLACES)
                .filter_map(|&r| {
                    let r = r as usize;
                    Some(Place {
                        file: data.sources.get(usize::from(data.source[r]))?.name.clone(),
                        line: data.line[r],
                    })
                })
                .collect()
        };
        let gives_back_s = findings::gives_back_together(&findings.findings, &scan);
        let bottlenecks = bottlenecks(&scan, &operations, findings);
        let share = scan.share(scan.time_s);
        Report {
            schema: "gemmscope/report/1",
            files: data
                .sources
                .iter()
                .map(|s| (s.name.clone(), s.format_name.clone()))
                .collect(),
            devices: devices(&scan),
            roof: scan.roof_name().to_owned(),
            sentences: sentences(&scan, findings),
            gemm_s: scan.time_s,
            whole_s: scan.whole_s,
            whole: scan.whole.label().to_owned(),
            share,
            significant: share > SIGNIFICANT_SHARE,
            efficiency: (sums.1 > 0.0).then(|| sums.0 / sums.1),
            plain_mean_efficiency: (counted > 0).then(|| mean / counted as f64),
            gives_back_s,
            bottlenecks,
            operations,
            operations_total,
            findings: findings
                .findings
                .iter()
                .map(|f| FindingLine {
                    rows_total: f.evidence.rows.len(),
                    places: places(&f.evidence.rows),
                    finding: Finding {
                        evidence: findings::Evidence {
                            rows: Vec::new(),
                            formula: f.evidence.formula.clone(),
                        },
                        ..f.clone()
                    },
                })
                .collect(),
            checked: findings.checked.clone(),
            notes: data
                .sources
                .iter()
                .flat_map(|s| s.notes.iter().cloned())
                .collect(),
            missing_models: missing_models(data),
            quantized,
            batching: findings
                .findings
                .iter()
                .filter(|f| f.rule == "batching")
                .map(|f| f.title.clone())
                .collect(),
        }
    }
}

/// A range of times: `10.2 ms to 10.5 ms`, or one of them where both print the same.
pub fn range_text((low, high): (f64, f64)) -> String {
    let (low, high) = (Seconds(low).to_string(), Seconds(high).to_string());
    if low == high {
        high
    } else {
        format!("{low} to {high}")
    }
}

/// What matters in three sentences: how much time GEMMs take and how near their roof they are,
/// the weightiest finding, and what all findings together could give back.
pub fn sentences(scan: &Scan<'_>, findings: &Findings) -> [String; 3] {
    let judged: Vec<&Group> = scan.judged().map(|(_, g)| g).collect();
    let (mut roof_s, mut time_s) = (0.0, 0.0);
    for g in judged.iter().filter(|g| g.efficiency().is_finite()) {
        roof_s += g.roof_s;
        time_s += g.time_s;
    }
    if judged.is_empty() {
        return [
            "No GEMM here was measured, so nothing can be said about lost time.".to_owned(),
            "The roofline still shows what each could reach at best.".to_owned(),
            "Load a file with times or rates to see findings.".to_owned(),
        ];
    }
    let what = match (judged.len(), scan.sweep) {
        (1, _) => "One GEMM takes".to_owned(),
        (n, true) => format!("The best kernels of {n} GEMMs take"),
        (n, false) => format!("{n} different GEMMs take"),
    };
    let share = match scan.whole {
        findings::Whole::MeasuredRows => String::new(),
        _ => format!(
            ", {:.1} % of the {} ({})",
            scan.share(scan.time_s) * 100.0,
            findings.whole,
            if scan.share(scan.time_s) > SIGNIFICANT_SHARE {
                "worth optimizing"
            } else {
                "look elsewhere first"
            }
        ),
    };
    let reach = if time_s > 0.0 {
        format!(
            "; {} {:.1} % of the {}",
            if judged.len() == 1 {
                "it reaches"
            } else {
                "together they reach"
            },
            roof_s / time_s * 100.0,
            scan.roof_name()
        )
    } else {
        "; choose a device to see how near its roof that is".to_owned()
    };
    let first = format!("{what} {}{share}{reach}.", Seconds(scan.time_s));
    let weightiest = findings.findings.iter().find(|f| f.gives_back_s.is_some());
    let second = match weightiest.or(findings.findings.first()) {
        Some(f) => {
            let back = f.gives_back_s.map_or(String::new(), |back| {
                format!(
                    ", which could give back {} of {}",
                    range_text(back),
                    Seconds(f.time_s)
                )
            });
            if f.severity == Severity::Low {
                format!("Nothing weighs much. The largest: {}{back}.", f.title)
            } else {
                format!("Look first at: {}{back}.", f.title)
            }
        }
        None => "Nothing stands out: no rule found anything in what was measured.".to_owned(),
    };
    let together = findings::gives_back_together(&findings.findings, scan);
    let third = if together.1 > 0.0 {
        let [low, high] = [together.0, together.1].map(|t| (t / scan.time_s * 100.0).round());
        let share = match (low, high) {
            (_, 0.0) => "under 1 %".to_owned(),
            _ if low == high => format!("{high:.0} %"),
            _ => format!("{low:.0} to {high:.0} %"),
        };
        format!(
            "All findings together could give back {}, {share} of the GEMM time.",
            range_text(together)
        )
    } else {
        "No finding promises time back.".to_owned()
    };
    [first, second, third]
}

/// The same rows judged by achievable peaks, where every row that has a roof has such a peak:
/// what the percentages of `gemm_findings.md` are of. Otherwise the frame's own roof stays.
pub fn with_achievable(frame: &Frame) -> Frame {
    if frame.metrics.kind == RoofKind::Achievable {
        return frame.clone();
    }
    let metrics = Metrics::compute(
        &frame.data,
        frame.metrics.devices.clone(),
        RoofKind::Achievable,
    );
    let known = |roofs: &[f64]| {
        frame
            .rows
            .iter()
            .filter(|r| !roofs[**r as usize].is_nan())
            .count()
    };
    if known(&metrics.roof_s) > 0 && known(&metrics.roof_s) == known(&frame.metrics.roof_s) {
        Frame {
            metrics: Arc::new(metrics),
            ..frame.clone()
        }
    } else {
        frame.clone()
    }
}

fn is_quantized(problem: &Problem) -> bool {
    let narrow = |t: crate::dtype::DataType| {
        matches!(
            t.family(),
            Some(Family::Fp8 | Family::Fp6 | Family::Fp4 | Family::Int8 | Family::Int4)
        )
    };
    narrow(problem.op.a) || narrow(problem.op.b)
}

/// Names of the devices that rows are judged by; those that no row is judged by are left out.
fn devices(scan: &Scan<'_>) -> Vec<String> {
    let data = scan.data();
    let mut used = vec![false; data.devices.len()];
    for &row in scan.frame.rows.iter() {
        used[usize::from(data.device[row as usize])] = true;
    }
    let mut out: Vec<String> = Vec::new();
    for ((device, stated), used) in scan.metrics().devices.iter().zip(&data.devices).zip(used) {
        let name = match device {
            _ if !used => continue,
            Some(d) => d.name.clone(),
            None if stated.is_empty() => continue,
            None => format!("{stated} (no peaks known)"),
        };
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

fn missing_models(data: &crate::dataset::Dataset) -> Vec<String> {
    data.sources
        .iter()
        .filter(|s| s.without_model.rows > 0)
        .map(|s| {
            format!(
                "{} operations of {}, {:.3} ms",
                s.without_model.rows,
                s.name,
                s.without_model.time_s * 1e3
            )
        })
        .collect()
}

/// The dearest operations, and how many there are.
fn operations(scan: &Scan<'_>) -> (Vec<Operation>, usize) {
    let mut groups: Vec<&Group> = scan.judged().map(|(_, g)| g).collect();
    let total = groups.len();
    groups.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.row.cmp(&b.row)));
    groups.truncate(MAX_OPERATIONS);
    (groups.iter().map(|g| operation(scan, g)).collect(), total)
}

fn operation(scan: &Scan<'_>, g: &Group) -> Operation {
    let (data, metrics) = (scan.data(), scan.metrics());
    let row = g.row as usize;
    let problem = scan.problem(g);
    let efficiency = Some(g.efficiency()).filter(|e| e.is_finite());
    let reported = Some(data.number(Role::ReportedEfficiency, row)).filter(|e| e.is_finite());
    let total = data
        .sources
        .get(usize::from(data.source[row]))
        .and_then(|s| s.trace.as_ref())
        .and_then(|t| t.total_s)
        .unwrap_or(scan.whole_s);
    let name = [Role::OpName, Role::Library]
        .into_iter()
        .map(|role| data.text(role, row))
        .find(|t| !t.is_empty())
        .unwrap_or("GEMM");
    Operation {
        name: name.to_owned(),
        problem: problem.to_string(),
        kernel: data.text(Role::Kernel, row).to_owned(),
        calls: g.calls,
        time_s: g.time_s,
        share_of_category: g.time_s / scan.time_s,
        share: scan.share(g.time_s),
        efficiency,
        reported_efficiency: reported,
        flops_per_s: problem.work().0 / g.call_s(),
        bytes_per_s: problem.bytes().0 / g.call_s(),
        intensity: metrics.ai[row],
        bound: scan.bound(g).map(|b| b.label().to_owned()),
        rule_of_thumb: rule_of_thumb(metrics.ai[row]).to_owned(),
        quantized: is_quantized(&problem),
        impact_percent: reported
            .or(efficiency)
            .filter(|e| *e <= ANOMALY_EFFICIENCY)
            .map(|e| impact_percent(e, g.time_s / total)),
        shape_roof: scan
            .shape(g)
            .filter(|s| s.roof.is_some())
            .map(|s| s.sentence()),
        callers: crate::trace::call_stack(data, row).map_or_else(Vec::new, |s| s.parents),
    }
}

/// The flagged operations in the order of their priority.
fn bottlenecks(scan: &Scan<'_>, operations: &[Operation], findings: &Findings) -> Vec<Bottleneck> {
    let mut groups: Vec<&Group> = scan.judged().map(|(_, g)| g).collect();
    groups.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.row.cmp(&b.row)));
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
        let anomaly = o.efficiency.is_some_and(|e| e > ANOMALY_EFFICIENCY);
        if flags.is_empty() || anomaly {
            continue;
        }
        let own: Vec<&Finding> = findings
            .findings
            .iter()
            .filter(|f| f.evidence.rows.binary_search(&g.row).is_ok())
            .collect();
        let context = context(&scan.problem(g), o);
        let natural = context.iter().any(|c| c.starts_with("Tiny"));
        let trifle = o.share < findings::TRIFLE_SHARE;
        let good = o.efficiency.is_some_and(|e| e > 0.8);
        // Where the shape is the limit, its own finding says what to do.
        let weightiest = own
            .iter()
            .find(|f| f.category == findings::Category::Tiling && f.gives_back_s.is_some())
            .or(own.first())
            .copied();
        let (path_a, path_b) = paths(o, weightiest);
        out.push(Bottleneck {
            operation: i,
            flags,
            issue: issue(o, weightiest),
            context,
            validated: !(trifle || natural && o.share < 0.05 || good),
            path_a,
            path_b,
            priority: findings::priority(o.share, o.efficiency, false),
        });
    }
    out.sort_by(|a, b| {
        (!a.validated)
            .cmp(&!b.validated)
            .then(a.priority.cmp(&b.priority))
            .then(a.operation.cmp(&b.operation))
    });
    out
}

/// What must be considered before a low percentage is held against a GEMM.
fn context(problem: &Problem, o: &Operation) -> Vec<String> {
    let mut out = Vec::new();
    if problem.batch >= 100 && problem.m.min(problem.n) <= 64 && problem.k <= 256 {
        out.push(format!(
            "Tiny batched GEMM ({} of {} x {} x {}): low efficiency is natural here.",
            problem.batch, problem.m, problem.n, problem.k
        ));
    } else if o.time_s / o.calls < 15e-6 {
        out.push("Tiny: a call is little more than a launch.".to_owned());
    }
    if o.quantized {
        out.push(
            "Quantised: its roof is higher and scaling takes a part of the time, so its percentage \
             compares with other quantised GEMMs only."
                .to_owned(),
        );
    }
    if problem.bytes().0 > 1e9 {
        out.push(
            "Very large operands: memory may matter although the intensity is high.".to_owned(),
        );
    }
    if o.calls >= 100.0 {
        out.push(format!(
            "Called {:.0} times: look for products that could be batched.",
            o.calls
        ));
    }
    out
}

/// The issue in one sentence: what the shape says, else how far from the roof it is.
fn issue(o: &Operation, finding: Option<&Finding>) -> String {
    let grade = o.efficiency.map_or_else(
        || "no roof is known for it".to_owned(),
        |e| format!("{} ({:.1} % of its roof)", band(e), e * 100.0),
    );
    let bound = o.bound.as_deref().unwrap_or("bound unknown");
    // The shape's sentence says more than a finding's title, which repeats the percentage.
    let seen = match (&o.shape_roof, finding) {
        (Some(shape), _) => format!(" {shape}"),
        (None, Some(f)) => format!(" {}.", f.title),
        (None, None) => String::new(),
    };
    format!(
        "{} at AI {:.1} FLOP/B, {grade}.{seen}",
        capital(bound),
        o.intensity
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Both paths, from the weightiest finding on the operation, else by how good it already is.
fn paths(o: &Operation, finding: Option<&Finding>) -> (String, String) {
    if let Some(f) = finding {
        return (f.path_a.clone(), f.path_b.clone());
    }
    match o.efficiency {
        Some(e) if e > 0.8 => (
            "The kernel is near its roof: only fewer or smaller products help (fusion, batching, a \
             narrower type, sparsity)."
                .to_owned(),
            "Nothing worth tuning.".to_owned(),
        ),
        Some(e) if e >= 0.6 => (
            "Fuse neighbouring elementwise operations into the epilogue; consider a narrower type \
             (fp8, int8) where the numbers allow it."
                .to_owned(),
            "Limited potential: a replay of this shape may find a tile that fits better.".to_owned(),
        ),
        _ => (
            "Check whether a larger batch or a narrower type changes the picture.".to_owned(),
            "Generate a replay of this shape and tune tile, split-K and stages for it.".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
