//! Rule: figures in the file differ from the recomputed ones.

use super::story::{self, Story};
use super::{Basis, Category, Finding, Kind, Need, Rule, Scan, Severity};
use gemmscope_model::units::{percent, plural};
use gemmscope_table::build::roundings;
use gemmscope_table::dataset::ColumnMeaning;

/// Relative difference from which a figure is flagged.
pub(super) const GAP: f64 = 0.01;
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
        for source in 0..data.sources.len() {
            let (mut rows, mut time_s, mut compared) = (Vec::new(), 0.0, 0u64);
            let mut worst: Option<(u32, f64)> = None;
            let (mut same_ratio, mut first_ratio) = (true, None);
            for &row in scan.frame.rows.iter() {
                let r = row as usize;
                if usize::from(data.source[r]) != source || !theirs[r].is_finite() {
                    continue;
                }
                let ratio = theirs[r] / ours(r);
                if !ratio.is_finite() {
                    continue;
                }
                compared += 1;
                let rounded = rounding.get(source).copied().unwrap_or(0.0);
                if (ratio - 1.0).abs() <= GAP || (theirs[r] - ours(r)).abs() <= rounded {
                    continue;
                }
                rows.push(row);
                let time = data.time_s[r] * scan.frame.calls(r);
                time_s += if time.is_finite() { time } else { 0.0 };
                let first = *first_ratio.get_or_insert(ratio);
                same_ratio &= (ratio / first - 1.0).abs() < 2e-3;
                if worst.is_none_or(|(_, w)| (ratio - 1.0).abs() > (w - 1.0).abs()) {
                    worst = Some((row, ratio));
                }
            }
            let Some((row, ratio)) = worst else { continue };
            let r = row as usize;
            // Block scales are bytes that many a producer leaves out.
            let scaled = {
                let op = data.ops[usize::from(data.op[r])];
                [op.a, op.b].iter().any(|t| t.scale_bytes_per_element() > 0.0)
            };
            let bytes = [ColumnMeaning::ReportedBandwidth, ColumnMeaning::ReportedBytes];
            let guess = match scaled && bytes.contains(&meaning) && (0.8..1.0).contains(&ratio) {
                true => " The file may leave out the scales of the blocks, which are bytes too."
                    .to_owned(),
                false => guess(ratio, same_ratio && rows.len() > 1, meaning),
            };
            let count = rows.len();
            let mut finding = story::of_rows(
                rule,
                scan,
                rows,
                time_s,
                Story {
                    title: format!(
                        "The file's {what} disagrees in {count} of {} ({})",
                        plural(compared, "row"),
                        data.sources[source].name
                    ),
                    text: format!(
                        "Up to {} off, in line {}.{guess}",
                        percent((ratio - 1.0).abs()),
                        data.line[r]
                    ),
                    formula: format!(
                        "reported / ours = {:.6e} / {:.6e} = {ratio:.4}",
                        theirs[r],
                        ours(r)
                    ),
                    ..Story::default()
                },
            );
            // A small difference in a few rows does not matter; a wrong unit in all of them does.
            finding.severity = if same_ratio && count as u64 == compared && count > 1 {
                Severity::Medium
            } else {
                Severity::Low
            };
            out.push(finding);
        }
    }
    out
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
