//! Infers the unit of figures for which a plot states none.

use super::Unit;
use crate::ImportOptions;
use crate::cell::Quantity;
use crate::columns::defaults::{as_chosen, assumption};
use crate::columns::plan::Plan;
use crate::document::plain::sizes;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::TableBuilder;

/// Units used in plots of matrix multiplies, most common first, each with a penalty.
const UNITS: [(&str, Unit, f64); 8] = [
    ("TFLOP/s", (Quantity::Rate, 1e12), 0.0),
    ("ms", (Quantity::Time, 1e-3), 0.7),
    ("µs", (Quantity::Time, 1e-6), 0.9),
    ("GFLOP/s", (Quantity::Rate, 1e9), 1.2),
    ("GB/s", (Quantity::Bandwidth, 1e9), 1.5),
    ("ns", (Quantity::Time, 1e-9), 3.0),
    ("s", (Quantity::Time, 1.0), 3.0),
    ("FLOP/s", (Quantity::Rate, 1.0), 1.5),
];

pub(super) fn unit_said(
    table: &mut TableBuilder,
    options: &ImportOptions,
    inferred: usize,
) -> Unit {
    let answered = options.answer("unit:value").and_then(|a| {
        UNITS
            .iter()
            .position(|u| u.0.eq_ignore_ascii_case(a))
            .or_else(|| UNITS.iter().position(|u| Some(u.1) == Quantity::parse(a)))
    });
    let (label, unit, _) = UNITS[answered.unwrap_or(inferred)];
    let why = match answered {
        Some(_) => as_chosen(label),
        None => format!("assuming {label}, the closest to what devices reach"),
    };
    let text = format!("No unit on the values: {why}.");
    table.assume(assumption("unit:value", text, label, &UNITS.map(|u| u.0)));
    unit
}

/// Work (FLOP) and bytes of the first rows.
pub(super) fn sampled_shapes(
    plan: &Plan,
    dtype: DataType,
    rows: &[Vec<String>],
) -> Vec<(f64, f64)> {
    let cost = Operation::uniform(dtype).cost();
    let of_row = |sizes: Option<[f64; 4]>| {
        sizes.map_or((f64::NAN, f64::NAN), |[m, n, k, b]| cost.of(m, n, k, b))
    };
    sizes(plan, rows).into_iter().map(of_row).collect()
}

/// Index of the unit with the most plausible figures: never above the limits of a device, and with the least variation
/// of the attained fraction over the shapes.
pub(super) fn infer(shapes: &[(f64, f64)], columns: &[Vec<f64>]) -> usize {
    // A large device of today; only the order of magnitude matters.
    const RATE: f64 = 2.5e15;
    const BANDWIDTH: f64 = 8e12;
    let cost = |unit: Unit, unusual: f64| -> Option<f64> {
        let mut highest = 0.0f64;
        let mut spreads = Vec::new();
        for column in columns {
            let (mut low, mut high) = (f64::INFINITY, 0.0f64);
            for (&(work, bytes), &v) in shapes.iter().zip(column) {
                let time = match unit {
                    (Quantity::Time, s) => v * s,
                    (Quantity::Rate, s) => work / (v * s),
                    (Quantity::Bandwidth, s) => bytes / (v * s),
                };
                let share = (work / time / RATE).max(bytes / time / BANDWIDTH);
                if share.is_finite() && share > 0.0 {
                    low = low.min(share);
                    high = high.max(share);
                }
            }
            if high > 0.0 {
                spreads.push((high / low).ln());
                highest = highest.max(high);
            }
        }
        // Small shapes stay in the cache, so allow some excess over the bandwidth.
        if spreads.is_empty() || highest > 4.0 {
            return None;
        }
        let slow = (0.01 / highest).log10().max(0.0);
        let spread = spreads.iter().sum::<f64>() / spreads.len() as f64;
        Some(spread + unusual + 2.0 * slow + if highest > 1.2 { 2.0 } else { 0.0 })
    };
    let costs = UNITS.map(|(_, unit, unusual)| cost(unit, unusual).unwrap_or(f64::INFINITY));
    (0..UNITS.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0)
}
