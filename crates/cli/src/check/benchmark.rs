//! Records for a trend: what github-action-benchmark reads as `customSmallerIsBetter`.

use gemmscope_analysis::figures::figures;
use gemmscope_analysis::ledger::{Book, Ledger};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Frame, shape_label};
use serde::Serialize;
use std::collections::BTreeMap;

/// A figure of which less is better, by its name.
#[derive(Debug, Serialize)]
struct BenchmarkRecord {
    name: String,
    unit: &'static str,
    value: f64,
    /// Standard deviation: `± 1.2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    /// What a reader sees beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<String>,
}

/// A value in microseconds, to 4 digits: more is no measurement.
fn microseconds(seconds: f64) -> f64 {
    format!("{:.3e}", seconds * 1e6).parse().unwrap_or_default()
}

/// Time and lost time of each side and device, then the time of a call of each GEMM that counts; every name once. Calls
/// of one GEMM by several operations are one record, their mean.
pub(super) fn records(frame: &Frame, ledger: &Ledger) -> String {
    let mut records: Vec<BenchmarkRecord> = ledger.books.iter().flat_map(sums).collect();
    for set in frame.sets() {
        let mut gemms: BTreeMap<String, Mean> = BTreeMap::new();
        for &row in &set.rows {
            let x = figures(frame, row as usize);
            if x.time_s > 0.0 {
                let label = label(frame, row as usize, &set.name);
                gemms.entry(label).or_default().add(frame, row as usize, x.share, x.calls);
            }
        }
        records.extend(gemms.into_iter().map(|(name, mean)| mean.record(name)));
    }
    serde_json::to_string_pretty(&records).unwrap_or_default() + "\n"
}

fn sums(book: &Book) -> [BenchmarkRecord; 2] {
    let record = |what: &str, seconds, extra| BenchmarkRecord {
        name: book.named(what),
        unit: "µs",
        value: microseconds(seconds),
        range: None,
        extra,
    };
    let share = book.share_of_roof().map(|share| format!("{} of the roof", percent(share)));
    [record("time of all GEMMs", book.time_s, share), record("lost time", book.lost_s(), None)]
}

fn label(frame: &Frame, row: usize, side: &str) -> String {
    let p = frame.data.problem(row);
    let (shape, op) = (shape_label(&p), p.op);
    let label = format!("{shape}, {}, {}{}", op.types(), op.layout(), op.epilogue());
    if side.is_empty() { label } else { format!("{side}: {label}") }
}

/// The calls of one GEMM.
#[derive(Default)]
struct Mean {
    calls: f64,
    seconds: f64,
    /// Share of the roof times time; NaN where one has no roof.
    roof_s: f64,
    rows: u64,
    std_s: f64,
}

impl Mean {
    fn add(&mut self, frame: &Frame, row: usize, share: f64, calls: f64) {
        let time_s = frame.data.time_s[row];
        self.calls += calls;
        self.seconds += calls * time_s;
        self.roof_s += share * calls * time_s;
        self.rows += 1;
        self.std_s = frame.data.numbers(ColumnMeaning::TimeStd).map_or(f64::NAN, |v| v[row]);
    }

    fn record(self, name: String) -> BenchmarkRecord {
        let share = self.roof_s / self.seconds;
        let spread = self.rows == 1 && self.std_s.is_finite();
        BenchmarkRecord {
            name,
            unit: "µs",
            value: microseconds(self.seconds / self.calls),
            range: spread.then(|| format!("± {}", microseconds(self.std_s))),
            extra: share.is_finite().then(|| format!("{} of the roof", percent(share))),
        }
    }
}
