//! Small files that once showed a fault, and traces with their own reports: the correct figures. `make test-real
//! DATA=FOLDER`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_analysis::tile_sweep::{Sweep, influences};
use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::tiling::Axis;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::trace;
use gemmscope_words::findings::check_all;
use gemmscope_words::report::{Report, gemm_findings_of};
use std::path::PathBuf;
use std::sync::Arc;

fn read(file: &str) -> Dataset {
    let folder = std::env::var_os("GEMMSCOPE_DATA").expect("GEMMSCOPE_DATA names a folder");
    let bytes = std::fs::read(PathBuf::from(folder).join(file)).unwrap();
    match read_all(file, &bytes, &ImportOptions::default()) {
        Ok(Imported::Table(data)) => *data,
        other => panic!("{file}: {other:?}"),
    }
}

fn frame(data: Dataset) -> Frame {
    let choice = DeviceChoice { default: Some("mi300x".to_owned()), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, &[]);
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(data), Arc::new(metrics))
}

/// Some files of a folder, opened together.
fn together(folder: &str, files: &[&str]) -> (Dataset, Vec<trace::Repeated>) {
    let tables: Vec<Dataset> = files.iter().map(|f| read(&format!("{folder}/{f}"))).collect();
    let tables: Vec<&Dataset> = tables.iter().collect();
    let repeated = trace::repeated_rows(&tables);
    let (mut all, _, lent) = trace::unite(&tables, &repeated);
    lent.to(&mut all);
    (all, repeated)
}

#[test]
fn rates_say_that_the_batch_is_in_m() {
    for (file, rows) in [("k002", 84), ("k002_m", 6)] {
        let f = frame(read(&format!("audit/{file}.csv")));
        let source = &f.data.sources[0];
        let asked = source.assumptions.iter().find(|a| a.key == "batch").unwrap();
        assert_eq!(asked.value, "in M", "{file}");
        assert_eq!(
            (source.reported_rate.compared, source.reported_rate.within_1_percent),
            (rows, rows)
        );
        let sum = |of: &[f64]| of.iter().sum::<f64>();
        let share = sum(&f.metrics.roof_s) / sum(&f.data.time_s) * 100.0;
        assert!(file != "k002" || (share - 43.3).abs() < 0.05, "{share}");
    }
}

#[test]
fn tiles_and_settings_are_what_they_are_called() {
    let sweep = Sweep::new(&frame(read("audit/fig_BN.csv")), None).unwrap();
    assert_eq!((sweep.axis, sweep.panels.len()), (Axis::Bn, 2));
    let group = influences(&frame(read("audit/group.csv")), Axis::BmBn);
    assert_eq!((group.len(), group[0].name.as_str()), (1, "GROUP_SIZE_M"));
    let worst = group[0].values.last().unwrap();
    assert_eq!((worst.value.as_str(), (worst.best * 1000.0).round()), ("1", 892.0));
}

#[test]
fn a_report_says_what_each_generation_gained() {
    let f = frame(read("audit/hist.csv"));
    let report = Report::new(&f, &check_all(&f));
    let changes = report.tuning[0].changes.iter().map(|c| (c.change * 1000.0).round() / 10.0);
    assert_eq!(changes.collect::<Vec<_>>(), [15.0, 8.4, -11.8, 11.0]);
}

#[test]
fn a_trace_beside_its_report_is_one_run_on_its_device() {
    for (folder, rows, device) in [
        ("tracelens/kineto_bert_h100", 4, "NVIDIA H100 80GB HBM3"),
        ("tracelens/kineto_moe_b200", 5, "NVIDIA B200"),
        ("tracelens/kineto_torch_compile_mi300", 3, "AMD Instinct MI300X"),
    ] {
        let (all, repeated) = together(folder, &["GEMM.csv", "trace.json.gz"]);
        assert_eq!((repeated.len(), repeated[0].table), (1, 0), "{folder}");
        assert_eq!((all.sources.len(), all.len()), (1, rows), "{folder}");
        let device_of = |r: usize| all.devices[usize::from(all.device[r])].as_str();
        assert!((0..rows).all(|r| device_of(r) == device), "{folder}: {:?}", all.devices);
        assert!(trace::call_stack(&all, 0).is_some(), "{folder} has callers");
    }
}

#[test]
fn kernels_without_a_shape_count_once_and_by_their_calls() {
    let (all, repeated) =
        together("tracelens/kineto_conv_mi210", &["perf_report.xlsx", "trace.json.gz"]);
    assert_eq!((repeated.len(), all.sources.len()), (1, 1));
    let source = &all.sources[0];
    assert!((source.without_model.time_s - 89.92e-6).abs() < 1e-8, "{:?}", source.without_model);
    // 1.621 of the 5.980 ms from the first to the last kernel.
    let said = |note: &String| note.contains("1.621 ms of convolution kernels (27.1 %");
    assert!(source.notes.iter().any(said), "{:?}", source.notes);
    let moe = read("tracelens/kineto_moe_b200/trace.json.gz");
    assert_eq!(moe.sources[0].without_model_names[0].1.rows, 36);
}

#[test]
fn paths_belong_to_the_gemm() {
    let text = gemm_findings_of(&frame(read("audit/syn1/category_data/gemm_ops.csv")));
    let first = text.split("\n### ").nth(1).unwrap();
    assert!(first.starts_with("1. aten::mm (4096 × 11008 × 4096"), "{first}");
    assert!(!first.contains("so that there are more tiles"), "{first}");
    let text = gemm_findings_of(&frame(read("audit/fb.csv")));
    assert!(text.contains("**Path B:** Flag the choice of kernel: it is a fallback"), "{text}");
    assert!(!text.contains("fills whole waves"), "{text}");
    let slow = check_all(&frame(read("audit/fp8slow.csv"))).findings;
    let slow = slow.iter().find(|f| f.rule == "narrow").unwrap();
    assert_eq!(slow.title, "fp8 E4M3 fnuz is slower than bf16: 2 GEMMs");
    let qwen = gemm_findings_of(&frame(read("tracelens/qwen_mi300/category_data/gemm_ops.csv")));
    assert!(qwen.contains("Gate and up become one 8944 × 5632 × 1024"), "{qwen}");
    assert!(qwen.contains("Q, K and V become one 8944 × 3072 × 1024"), "{qwen}");
}
