//! Rule: figures in the file differ from the recomputed ones.

use super::story::{self, Story};
use super::{Basis, Category, Finding, Kind, Need, Rule, Scan, Severity};
use crate::formula::given_as;
use gemmscope_model::gemm::Operation;
use gemmscope_model::units::{percent, plural};
use gemmscope_table::build::roundings;
use gemmscope_table::dataset::ColumnMeaning;

/// Relative difference from which a figure is flagged.
pub(crate) const GAP: f64 = 0.01;
const GIB: f64 = 1.073_741_824;

pub(super) const RULE: Rule = Rule {
    id: "reported",
    title: "Reported figures that disagree",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[
        Need::Time,
        Need::AnyColumn(
            &[
                ColumnMeaning::ReportedRate,
                ColumnMeaning::ReportedBandwidth,
                ColumnMeaning::ReportedIntensity,
                ColumnMeaning::ReportedWork,
                ColumnMeaning::ReportedBytes,
            ],
            "a rate, bandwidth, intensity, work or traffic of the file's own",
        ),
    ],
    threshold: "more than 1 %, and than the file's rounding, between its figure and the one \
                recomputed from shape, type and time",
    basis: Basis::Arithmetic,
    why: "Both figures can't be right; often a unit or a count differs.",
    path_a: "Take the recomputed figures, or correct the shape, type or unit of the file.",
    path_b: "Ask the producer what it counts: bias, two FLOP a multiply-add, GiB or GB, mean of \
             rates or rate of the mean.",
    profile: "Nothing: this is arithmetic.",
    check,
};

const CHECKED: [(ColumnMeaning, &str); 5] = [
    (ColumnMeaning::ReportedRate, "rate"),
    (ColumnMeaning::ReportedBandwidth, "bandwidth"),
    (ColumnMeaning::ReportedIntensity, "arithmetic intensity"),
    (ColumnMeaning::ReportedWork, "work"),
    (ColumnMeaning::ReportedBytes, "bytes"),
];

/// Rows of one source whose figure is not the recomputed one.
#[derive(Default)]
struct Differing {
    rows: Vec<u32>,
    /// Time of all their calls, seconds.
    time_s: f64,
    /// Rows with both figures.
    compared: u64,
    /// The row that is furthest off, and its ratio of the file's figure to ours.
    worst: Option<(u32, f64)>,
    /// The ratio of the first one.
    first_ratio: Option<f64>,
    /// One has another ratio than the first.
    ratios_vary: bool,
}

impl Differing {
    /// Compares the figures of a row, which `rounded` may keep apart.
    fn look(&mut self, scan: &Scan<'_>, row: u32, (theirs, ours): (f64, f64), rounded: f64) {
        let ratio = theirs / ours;
        if !ratio.is_finite() {
            return;
        }
        self.compared += 1;
        if (ratio - 1.0).abs() <= GAP || (theirs - ours).abs() <= rounded {
            return;
        }
        self.rows.push(row);
        let r = row as usize;
        let time = scan.data().time_s[r] * scan.frame.calls(r);
        self.time_s += if time.is_finite() { time } else { 0.0 };
        let first = *self.first_ratio.get_or_insert(ratio);
        self.ratios_vary |= (ratio / first - 1.0).abs() >= 2e-3;
        if self.worst.is_none_or(|(_, w)| (ratio - 1.0).abs() > (w - 1.0).abs()) {
            self.worst = Some((row, ratio));
        }
    }
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let (data, metrics) = (scan.data(), scan.metrics());
    let mut out = Vec::new();
    for (meaning, what) in CHECKED {
        let Some(theirs) = data.numbers(meaning) else {
            continue;
        };
        let ours = |r: usize| match meaning {
            ColumnMeaning::ReportedRate => metrics.rate(data, r),
            ColumnMeaning::ReportedBandwidth => metrics.bandwidth(data, r),
            ColumnMeaning::ReportedIntensity => metrics.ai[r],
            ColumnMeaning::ReportedWork => metrics.work(data, r),
            _ => metrics.bytes(data, r),
        };
        let rounding = roundings(data, theirs);
        for (source, from) in data.sources.iter().enumerate() {
            let rounded = rounding.get(source).copied().unwrap_or(0.0);
            let mut found = Differing::default();
            for &row in scan.frame.rows.iter() {
                let r = row as usize;
                if usize::from(data.source[r]) == source && theirs[r].is_finite() {
                    found.look(scan, row, (theirs[r], ours(r)), rounded);
                }
            }
            let Some((row, ratio)) = found.worst else { continue };
            let r = row as usize;
            let (count, constant) = (found.rows.len(), !found.ratios_vary && found.rows.len() > 1);
            let op = data.ops[usize::from(data.op[r])];
            let guess = match leaves_out_scales(op, ratio, meaning) {
                true => " The file may leave out the scales of the blocks, which are bytes too."
                    .to_owned(),
                false => guess(ratio, constant, meaning),
            };
            let story = Story {
                title: format!(
                    "The file's {what} disagrees in {count} of {} ({})",
                    plural(found.compared, "row"),
                    from.name
                ),
                text: format!(
                    "Up to {} off, in line {}.{guess}",
                    percent((ratio - 1.0).abs()),
                    data.line[r]
                ),
                formula: {
                    let exact = |name: &str, v: f64| given_as(name, v, format!("{v:.6e}"));
                    let ratio = exact("reported", theirs[r]) / exact("ours", ours(r));
                    ratio.result(|ratio| format!("{ratio:.4}"))
                },
                ..Story::default()
            };
            let mut finding = story::of_rows(rule, scan, found.rows, found.time_s, story);
            // A small difference in a few rows does not matter; a wrong unit in all of them does.
            finding.severity = match constant && count as u64 == found.compared {
                true => Severity::Medium,
                false => Severity::Low,
            };
            out.push(finding);
        }
    }
    out
}

/// True where a figure of bytes is short of the scales of blocks, which many a producer leaves out.
fn leaves_out_scales(op: Operation, ratio: f64, meaning: ColumnMeaning) -> bool {
    let bytes = [ColumnMeaning::ReportedBandwidth, ColumnMeaning::ReportedBytes];
    let scaled = [op.a, op.b].iter().any(|t| t.scale_bytes_per_element() > 0.0);
    scaled && bytes.contains(&meaning) && (0.8..1.0).contains(&ratio)
}

/// The usual reason for a ratio.
fn guess(ratio: f64, everywhere: bool, meaning: ColumnMeaning) -> String {
    let near = |value: f64| (ratio / value - 1.0).abs() < 5e-3;
    let known = [
        (0.5, "half: the file counts a multiply-add as one operation"),
        (2.0, "twice: the file counts more operations, or this page's batch is too small"),
        (1.0 / GIB, "1/1.074: the file's figure is in binary units (GiB)"),
        (GIB, "1.074: the file's figure is decimal where binary was read"),
        (1e3, "a thousand: a unit of the rate or the time"),
        (1e-3, "a thousandth: a unit of the rate or the time"),
    ];
    if let Some((_, words)) = known.iter().find(|(v, _)| near(*v)) {
        return format!(" The ratio is {words}.");
    }
    if everywhere {
        return format!(" The ratio is {ratio:.4} in every such row: a constant of the producer.");
    }
    match meaning {
        ColumnMeaning::ReportedRate | ColumnMeaning::ReportedBandwidth => {
            " A mean of the calls' rates is not the rate of their mean time.".to_owned()
        }
        _ => String::new(),
    }
}
