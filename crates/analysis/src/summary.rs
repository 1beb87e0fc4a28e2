//! The figures of one file as an object, which the command prints and the page gives to scripts.

use gemmscope_table::dataset::{Assumption, Dataset, ReportedCheck};
use gemmscope_table::metrics::{Metrics, Totals};
use serde::Serialize;
use std::collections::BTreeMap;

/// Summary of one file. `rows_read` is always `rows_used + rows_set_aside`. Figures that are not
/// known (no device, no times) are null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// File name.
    pub file: String,
    /// Key of the format.
    pub format: String,
    /// Why this format was chosen.
    pub format_reason: String,
    /// Rows in the file.
    pub rows_read: u64,
    /// Rows in the dataset.
    pub rows_used: u64,
    /// Rejected rows.
    pub rows_set_aside: u64,
    /// Number of rejected rows by reason.
    #[serde(rename = "set_aside")]
    pub rejected: BTreeMap<String, u64>,
    /// Assumptions.
    pub assumptions: Vec<Assumption>,
    /// Remarks of the importer.
    pub notes: Vec<String>,
    /// Devices of the rows: the catalogue's name if it is known, else the name in the file.
    pub devices: Vec<String>,
    /// Operand types of the rows.
    pub dtypes: Vec<String>,
    /// Highest rate, TFLOP/s.
    pub max_tflops: Option<f64>,
    /// Highest share of a row's roof.
    pub max_efficiency: Option<f64>,
    /// Rows above their roof.
    pub rows_above_roof: Option<u64>,
    /// Time of all calls, seconds.
    pub total_time_s: Option<f64>,
    /// Sum of roof times over sum of times.
    pub weighted_efficiency: Option<f64>,
    /// Share of the time of memory-bound rows.
    pub share_memory_bound: Option<f64>,
    /// Comparison of the file's rates with work over time.
    pub reported_rate: ReportedCheck,
}

impl Summary {
    /// The summary of one source of a dataset.
    pub fn of(data: &Dataset, metrics: &Metrics, source: usize) -> Option<Summary> {
        let s = data.sources.get(source)?;
        let rows: Vec<u32> = (0u32..)
            .zip(&data.source)
            .filter(|(_, code)| usize::from(**code) == source)
            .map(|(row, _)| row)
            .collect();
        let totals = Totals::over(data, metrics, &rows);
        let mut device_used = vec![false; data.devices.len()];
        let mut op_used = vec![false; data.ops.len()];
        for &row in &rows {
            device_used[data.device[row as usize] as usize] = true;
            op_used[data.op[row as usize] as usize] = true;
        }
        let mut devices = Vec::new();
        for (i, stated) in data.devices.iter().enumerate() {
            let known = metrics.devices.get(i).and_then(Option::as_ref);
            let name = known.map_or(stated.as_str(), |d| d.name.as_str());
            if device_used[i] && !name.is_empty() && !devices.iter().any(|d| d == name) {
                devices.push(name.to_owned());
            }
        }
        let mut dtypes = Vec::new();
        for (op, used) in data.ops.iter().zip(op_used) {
            for t in [op.a, op.b] {
                if used && !dtypes.iter().any(|d| d == t.id()) {
                    dtypes.push(t.id().to_owned());
                }
            }
        }
        let measured = totals.measured > 0;
        let roofed = totals.max_efficiency.is_some();
        Some(Summary {
            file: s.name.clone(),
            format: s.format.clone(),
            format_reason: s.format_reason.clone(),
            rows_read: s.rows_read,
            rows_used: s.rows_used,
            rows_set_aside: s.rejected.total(),
            rejected: s
                .rejected
                .reasons
                .iter()
                .map(|r| (r.text.clone(), r.count))
                .collect(),
            assumptions: s.assumptions.clone(),
            notes: s.notes.clone(),
            devices,
            dtypes,
            max_tflops: measured.then_some(totals.max_flops_per_s / 1e12),
            max_efficiency: totals.max_efficiency,
            rows_above_roof: roofed.then_some(totals.above_roof),
            total_time_s: measured.then_some(totals.time_s),
            weighted_efficiency: totals.weighted_efficiency,
            share_memory_bound: totals.share_memory_bound,
            reported_rate: s.reported_rate,
        })
    }

    /// The summaries of all sources, in their order.
    pub fn all(data: &Dataset, metrics: &Metrics) -> Vec<Summary> {
        (0..data.sources.len())
            .filter_map(|i| Summary::of(data, metrics, i))
            .collect()
    }
}
