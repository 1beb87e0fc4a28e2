//! Rule: figures in the file differ from the recomputed ones.

use super::{
    Basis, Category, Difference, Fact, FindingFacts, Kind, Need, Rule, Scan, Severity, hits,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_table::build::roundings;
use gemmscope_table::dataset::ColumnMeaning;

/// Relative difference from which a figure is flagged.
pub(crate) const GAP: f64 = 0.01;

pub(super) const RULE: Rule = Rule {
    id: "reported",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::AnyColumn(&CHECKED)],
    basis: Basis::Arithmetic,
    check,
};

const CHECKED: [ColumnMeaning; 5] = [
    ColumnMeaning::ReportedRate,
    ColumnMeaning::ReportedBandwidth,
    ColumnMeaning::ReportedIntensity,
    ColumnMeaning::ReportedWork,
    ColumnMeaning::ReportedBytes,
];

/// Rows of one source whose figure differs from the recomputed one.
#[derive(Default)]
struct Differing {
    rows: Vec<u32>,
    /// Time of all their calls, seconds.
    time_s: f64,
    /// Rows with both figures.
    compared: u64,
    /// The row with the largest difference, and its ratio file / recomputed.
    worst: Option<(u32, f64)>,
    /// Ratio of the first row.
    first_ratio: Option<f64>,
    /// True if some row has another ratio than the first.
    ratios_vary: bool,
    /// True if some row differs by other than the scales of its operands.
    not_scales: bool,
}

/// Most bytes of scales per element: a group of 32 has one of 4 bytes.
const SCALES: f64 = 4.0 / 32.0;

/// Bytes that the scales of the operands may take beside those of their types: a type of 8 bits or less that does not
/// hold its scales is mostly used with some.
fn most_scales(p: &Problem) -> f64 {
    let bytes = |op: Operation| Problem { op, ..*p }.bytes().0;
    // A wider type costs as many bytes more as there are elements, whatever the groups.
    let of = |narrow: DataType, own: &dyn Fn(DataType) -> Operation| {
        let scaled = narrow.bits() <= 8 && narrow.scale_bytes_per_element() == 0.0;
        let elements = (bytes(own(DataType::Fp16)) - bytes(own(DataType::Int8))).max(0.0);
        if scaled { SCALES * elements } else { 0.0 }
    };
    of(p.op.a, &|a| Operation { a, ..p.op }) + of(p.op.b, &|b| Operation { b, ..p.op })
}

impl Differing {
    /// Compares the figures of a row; `rounded` is the rounding error of the file's figure.
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
        let problem = scan.data().problem(r);
        let most = 1.0 + most_scales(&problem) / problem.bytes().0;
        self.not_scales |= !(1.0..=most + GAP).contains(&ratio);
        self.ratios_vary |= (ratio / first - 1.0).abs() >= 2e-3;
        if self.worst.is_none_or(|(_, w)| (ratio - 1.0).abs() > (w - 1.0).abs()) {
            self.worst = Some((row, ratio));
        }
    }
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let (data, metrics) = (scan.data(), scan.metrics());
    let mut out = Vec::new();
    for meaning in CHECKED {
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
            let rounded = rounding.get(source).copied().unwrap_or(0.0);
            let mut found = Differing::default();
            for &row in scan.frame.rows.iter() {
                let r = row as usize;
                if usize::from(data.source[r]) == source && theirs[r].is_finite() {
                    found.look(scan, row, (theirs[r], ours(r)), rounded);
                }
            }
            let Some((row, _)) = found.worst else { continue };
            let r = row as usize;
            let (count, constant) = (found.rows.len(), !found.ratios_vary && found.rows.len() > 1);
            let of_bytes = [ColumnMeaning::ReportedBandwidth, ColumnMeaning::ReportedBytes];
            let scales = !found.not_scales && of_bytes.contains(&meaning);
            let fact = Fact::Reported(Difference {
                source: source as u16,
                meaning,
                compared: found.compared,
                row,
                theirs: theirs[r],
                ours: ours(r),
                constant,
                scales,
            });
            let mut finding = hits::of_rows(rule, scan, found.rows, found.time_s, fact);
            // A small difference in a few rows is harmless; a wrong unit in all rows is not.
            finding.severity = match constant && !scales && count as u64 == found.compared {
                true => Severity::Medium,
                false => Severity::Low,
            };
            out.push(finding);
        }
    }
    out
}
