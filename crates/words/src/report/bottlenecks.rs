//! The flagged operations: reasons, circumstances, and advice.

use super::merges::Neighbours;
use super::operations::{
    KERNEL_CHARS, PROFILER, ReportOperation, UNKNOWN_SHAPE, names_quantized, profiler_of,
};
use super::{FLAG_EFFICIENCY, FLAG_SHARE, FLAG_TIME_S};
use crate::doc::escape::short;
use crate::findings::{Finding, Findings, own_paths};
use crate::trace_time::TRY_FUSED_ATTENTION;
use gemmscope_analysis::findings;
use gemmscope_analysis::findings::{Group, Kind, Scan, Severity, Sign, band, is_fallback};
use gemmscope_analysis::ledger::{Account, Partners, Splitter, TileCost};
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{capitalized, fixed, percent};
use gemmscope_table::trace::is_unfused_attention;
use serde::Serialize;

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
    /// Determined by the thresholds alone.
    pub priority: Severity,
}

/// GEMMs without a shape that take over 10 % of the time, as operations from index `first` on and as bottlenecks: they
/// matter, and their efficiency is unknown. Only if there is a single side.
pub(super) fn without_model(scan: &Scan<'_>, first: usize) -> Vec<(ReportOperation, Bottleneck)> {
    let [part] = scan.parts.as_slice() else {
        return Vec::new();
    };
    let profiler = scan.metrics().devices.iter().flatten().next().map_or(PROFILER, profiler_of);
    let mut out = Vec::new();
    for source in &scan.data().sources {
        for (name, sum) in &source.without_model_names {
            let share = part.share(sum.time_s);
            if share <= findings::HIGH_SHARE || source.lacks_no_shape() {
                continue;
            }
            let o = ReportOperation {
                name: short(name, KERNEL_CHARS).into_owned(),
                problem: UNKNOWN_SHAPE.to_owned(),
                kernel: name.clone(),
                calls: sum.rows as f64,
                time_s: sum.time_s,
                share_of_category: sum.time_s / (part.time_s + part.without_s),
                share,
                side: part.label.clone(),
                flops_per_s: f64::NAN,
                bytes_per_s: f64::NAN,
                intensity: f64::NAN,
                quantized: names_quantized(name),
                ..ReportOperation::default()
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
                priority: findings::priority(share, share, None, false),
            };
            out.push((o, b));
        }
    }
    out
}

/// The flagged operations by priority.
pub(super) fn bottlenecks(
    scan: &Scan<'_>,
    operations: &[ReportOperation],
    groups: &[&Group],
    findings: &Findings,
) -> Vec<Bottleneck> {
    let neighbours = Neighbours::of(scan, groups);
    let partners = Partners::of(scan.frame);
    let splitter = Splitter::with(scan.frame, partners, scan.tiles.clone());
    let mut out = Vec::new();
    for (i, (o, g)) in operations.iter().zip(groups).enumerate() {
        let flags = flags(o);
        if flags.is_empty() || o.is_anomaly() {
            continue;
        }
        let own: Vec<&Finding> = findings
            .findings
            .iter()
            .filter(|f| f.evidence.rows.binary_search(&g.row).is_ok())
            .collect();
        let of = Circumstances::of(scan, &neighbours, g, o);
        let mut context = context(&scan.problem(g), o, &of);
        // The loss decides, whatever the share of the roof.
        let little =
            o.efficiency.is_some_and(|e| e >= 0.6 && o.share * (1.0 - e) < findings::TRIFLE_SHARE);
        let dismissed = dismissed(o, &of, little);
        let lost = || own.iter().filter(|f| f.kind == Kind::Lost);
        let loss = largest_loss(&splitter, scan, g);
        // The finding of the account that holds most of this GEMM's loss.
        let of_account = loss.as_ref().and_then(|l| lost().find(|f| f.rule == l.0.key())).copied();
        let narrow = own.iter().find(|f| f.rule == "narrow").copied();
        let weightiest = of_account.or(own.first().copied());
        let signs = own.iter().flat_map(|f| &f.signs);
        let mut signs: Vec<(Sign, &str)> = signs
            .filter(|s| s.rows.binary_search(&g.row).is_ok())
            .map(|s| (s.sign, s.title.as_str()))
            .collect();
        signs.sort();
        signs.dedup();
        if !of.attention && !signs.is_empty() {
            let titles: Vec<&str> = signs.iter().map(|s| s.1).collect();
            context.push(format!("Signs: {}.", titles.join(", ")));
        }
        context.extend(narrow.map(|f| format!("{}.", f.title)));
        let by_loss = || {
            let (account, tile) = loss.as_ref()?;
            Some(own_paths(scan, g, (*account, tile.as_ref()), of_account))
        };
        let found = || match narrow.or(weightiest) {
            Some(f) if narrow.is_some() || loss.is_none() => {
                Some((f.path_a.clone(), f.path_b.clone()))
            }
            _ => by_loss(),
        };
        let (mut path_a, mut path_b) = paths(o, &of, (!little).then(found).flatten());
        if let Some(merged) = neighbours.merged(g).filter(|_| !little) {
            path_a = format!("{merged} {path_a}");
        }
        if of.repeats
            && signs.iter().any(|s| s.0 == Sign::Repeats)
            && !path_a.contains("torch.compile")
        {
            path_a.push_str(
                " Calls that do not wait for each other can be one: torch.compile may batch them.",
            );
        }
        if signs.iter().any(|s| s.0 == Sign::OlderKernel) {
            path_b = format!("Flag the choice of kernel: {} {path_b}", older(&o.kernel));
        }
        out.push(Bottleneck {
            operation: i,
            flags,
            issue: issue(o, weightiest),
            context,
            validated: dismissed.is_empty(),
            dismissed,
            path_a,
            path_b,
            priority: findings::priority(o.share, o.share, o.efficiency, of.pattern()),
        });
    }
    out
}

/// The account that holds most of the loss of a group's calls, and the tile of its first row.
fn largest_loss(
    splitter: &Splitter<'_>,
    scan: &Scan<'_>,
    g: &Group,
) -> Option<(Account, Option<TileCost>)> {
    let mut sums = [0.0; Account::ALL.len()];
    for &row in scan.rows(g) {
        let calls = scan.frame.calls(row as usize);
        let entry = splitter.of(row)?;
        for (account, call_s) in entry.call.each().filter(|(account, _)| account.is_lost()) {
            sums[account as usize] += call_s * calls;
        }
    }
    let most = Account::ALL.into_iter().filter(|a| sums[*a as usize] > 0.0);
    let most = most.max_by(|a, b| sums[*a as usize].total_cmp(&sums[*b as usize]))?;
    Some((most, splitter.of(g.row).and_then(|entry| entry.tile)))
}

/// Remark on a kernel that should be replaced by another one.
fn older(kernel: &str) -> &'static str {
    match is_fallback(kernel) {
        true => {
            "it is a fallback of Tensile, which the library takes where it has none for this device and these types."
        }
        false => "it was built for an older generation of the device.",
    }
}

/// Reasons to flag an operation; empty if there are none.
fn flags(o: &ReportOperation) -> Vec<String> {
    let checks = [
        (o.time_s > FLAG_TIME_S, "over 50 ms"),
        (o.share_of_category > FLAG_SHARE, "over 5 % of the category"),
        (o.efficiency.is_some_and(|e| e < FLAG_EFFICIENCY), "under 40 % efficiency"),
    ];
    checks.into_iter().filter(|c| c.0).map(|c| c.1.to_owned()).collect()
}

/// Why an operation is not worth acting on, else "". `little`: it loses under 1 % of the time.
fn dismissed(o: &ReportOperation, of: &Circumstances, little: bool) -> &'static str {
    if o.share < findings::TRIFLE_SHARE {
        "under 1 % of the time"
    } else if o.efficiency.is_some_and(|e| e > 0.8) {
        "near its roof"
    } else if little {
        "60 to 80 % of its roof, little to gain"
    } else if (of.tiny_batched || of.launch) && o.share < findings::MEDIUM_SHARE {
        "natural for its size"
    } else {
        ""
    }
}

/// From this number of calls on, a GEMM is a pattern.
const MANY_CALLS: f64 = 100.0;

/// Circumstances of an operation, and options to batch it.
struct Circumstances {
    /// Very many small products.
    tiny_batched: bool,
    /// A call takes little more than its launch.
    launch: bool,
    /// Enough calls that some may be batched.
    repeats: bool,
    /// A product of unfused attention.
    attention: bool,
    /// Right of the ridge point of its roof.
    compute: bool,
}

impl Circumstances {
    fn of(scan: &Scan<'_>, neighbours: &Neighbours<'_>, g: &Group, o: &ReportOperation) -> Self {
        let p = scan.problem(g);
        let tiny_batched = p.batch >= 100 && p.m.min(p.n) <= 64 && p.k <= 256;
        let attention = is_unfused_attention(scan.data(), g.row as usize);
        Circumstances {
            tiny_batched,
            launch: !tiny_batched && scan.bound(g) == Some(Bound::Launch),
            repeats: !attention && o.calls >= MANY_CALLS && !neighbours.run_in_turn(g),
            attention,
            compute: scan.bound(g) == Some(Bound::Compute),
        }
    }

    /// A notable pattern: at least Medium.
    fn pattern(&self) -> bool {
        self.tiny_batched || self.repeats || self.attention
    }
}

/// Circumstances that explain a low efficiency.
fn context(problem: &Problem, o: &ReportOperation, of: &Circumstances) -> Vec<String> {
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
    // Left of the ridge point memory is the bound itself.
    if problem.bytes().0 > 1e9 && of.compute {
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

/// Notes that the efficiency of a quantised GEMM compares with other quantised GEMMs only.
fn context_of_type(o: &ReportOperation) -> Vec<String> {
    let words = "Quantised: its roof is higher and scaling takes a part of the time, so its percentage \
                 compares with other quantised GEMMs only.";
    o.quantized.then(|| words.to_owned()).into_iter().collect()
}

/// The issue in one sentence: the bound of the tile, else the distance from the roof.
fn issue(o: &ReportOperation, finding: Option<&Finding>) -> String {
    let grade = o.efficiency.map_or_else(
        || "no roof is known for it".to_owned(),
        |e| format!("{} ({} of its roof)", band(e), percent(e)),
    );
    let bound = o.bound.as_deref().unwrap_or("bound unknown");
    // The sentence on the tile says more than the title of a finding, which repeats the percentage.
    let seen = match (&o.tile_roof, finding) {
        (Some(shape), _) => format!(" {shape}"),
        (None, Some(f)) => format!(" {}.", f.title.split(": ").next().unwrap_or(&f.title)),
        (None, None) => String::new(),
    };
    format!("{} at AI {} FLOP/B, {grade}.{seen}", capitalized(bound), fixed(o.intensity, 1))
}

/// Advice for both paths. Near the roof only path A; else by the pattern that the operation is a part of, by what was
/// `found` on it, or by its efficiency.
fn paths(
    o: &ReportOperation,
    of: &Circumstances,
    found: Option<(String, String)>,
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
        return (
            TRY_FUSED_ATTENTION.to_owned(),
            "Tune the fused kernel, not this product.".to_owned(),
        );
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
    if let Some(found) = found {
        return found;
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
