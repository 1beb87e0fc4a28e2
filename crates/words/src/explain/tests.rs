//! Figures of rows checked against numbers computed by hand.

use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::dataset::{Column, Dataset, Source};
use gemmscope_table::metrics::Metrics;
use std::sync::Arc;

fn frame(device: &str, m: u32, n: u32, k: u32, time: f64, rate: f64) -> Frame {
    let mut d = Dataset::new();
    d.sources.push(Source { name: "a.csv".into(), ..Source::default() });
    d.ops.push(Operation::uniform(DataType::Bf16));
    d.m.push(m);
    d.n.push(n);
    d.k.push(k);
    d.batch.push(1);
    d.op.push(0);
    d.device.push(0);
    d.time_s.push(time);
    d.source.push(0);
    d.line.push(7);
    d.columns.push(Column {
        key: "reported_rate".into(),
        label: "tflops".into(),
        meaning: ColumnMeaning::ReportedRate,
        unit: "FLOP/s".into(),
        data: ColumnData::Number(vec![rate]),
    });
    let devices = vec![hardware::by_id(device).cloned()];
    let metrics = Metrics::compute(&d, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(d), Arc::new(metrics))
}

fn value(e: &Explanation, label: &str) -> String {
    e.figures.iter().find(|f| f.label == label).map(|f| f.value.clone()).unwrap_or_default()
}

#[test]
fn numbers_are_put_into_the_formulas() {
    let e = explain(&frame("mi300x", 8944, 2816, 1024, 110.589e-6, 466.4e12), 0);
    assert_eq!(value(&e, "Work"), "51.58 GFLOP");
    assert_eq!(value(&e, "Bytes"), "74.5 MB");
    assert_eq!(value(&e, "Attained"), "466.4 TFLOP/s");
    assert_eq!(value(&e, "Ridge point"), "246.7 FLOP/B");
    assert_eq!(e.limit, Some(Bound::Compute));
    assert_eq!(e.place, "a.csv, line 7");
    let attained = e.figures.iter().find(|f| f.label == "Attained").unwrap();
    assert_eq!(attained.formula, "work / time = 51.58 GFLOP / 110.6 µs");
    assert!(attained.reported.as_ref().unwrap().gap.abs() < 0.01);
    assert!(e.above_roof.is_empty());
}

#[test]
fn only_what_could_explain_it_is_offered_above_the_roof() {
    // 2 x 2 x 256 kB of operands at twice the DRAM bandwidth: the cache holds them.
    let e = explain(&frame("mi300x", 16, 4096, 4096, 1e-6, f64::NAN), 0);
    assert!(e.efficiency.is_some_and(|e| e > 1.0));
    assert!(e.above_roof[0].contains("may have come from the L2 cache"), "{:?}", e.above_roof);
    // Over the compute roof by half: no cache explains that.
    let e = explain(&frame("mi300x", 8192, 8192, 8192, 560e-6, f64::NAN), 0);
    assert!(
        e.above_roof[0].starts_with("With 2:4 sparsity the peak is twice as high"),
        "{:?}",
        e.above_roof
    );
}

#[test]
fn counted_bytes_stand_beside_the_compulsory_ones() {
    let mut f = frame("a100-80-sxm", 8192, 8192, 8192, 6.9e-3, f64::NAN);
    let data = Arc::make_mut(&mut f.data);
    data.columns.push(Column {
        key: "measured_bytes".into(),
        label: "measured bytes".into(),
        meaning: ColumnMeaning::MeasuredBytes,
        unit: "B".into(),
        data: ColumnData::Number(vec![1.74e9]),
    });
    let e = explain(&f, 0);
    // 402.65 MB if each operand is read once.
    assert_eq!(value(&e, "Measured bytes"), "1.74 GB, 4.32 × the compulsory");
    assert_eq!(value(&e, "Intensity at measured bytes"), "631.9 FLOP/B");
    assert_eq!(value(&e, "Memory rate"), "252 GB/s (12.4 % of the memory's)");
    let (_, lines) = brief(&f, 0);
    assert!(lines.contains(&("AI, measured bytes".to_owned(), "631.9 FLOP/B".to_owned())));
}

#[test]
fn a_row_without_a_device_says_what_to_do() {
    let e = explain(&frame("", 16, 16, 16, 1e-6, f64::NAN), 0);
    assert_eq!(e.efficiency, None);
    assert!(e.device.contains("choose one"));
}
