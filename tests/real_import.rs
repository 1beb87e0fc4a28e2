//! Facts of real files, in the folder that `GEMMSCOPE_DATA` names: `make test-real DATA=FOLDER`. Missing files are
//! skipped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use gemmscope_import::{ImportOptions, Imported, read_all};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::trace;
use std::path::PathBuf;

fn data(path: &str) -> Option<Vec<u8>> {
    let folder =
        PathBuf::from(std::env::var_os("GEMMSCOPE_DATA").expect("GEMMSCOPE_DATA names a folder"));
    std::fs::read(folder.join(path)).ok()
}

/// A report of TraceLens.
fn real(path: &str) -> Option<Vec<u8>> {
    data(&format!("tracelens/{path}"))
}

fn table(name: &str, bytes: &[u8]) -> Dataset {
    match read_all(name, bytes, &ImportOptions::default()) {
        Ok(Imported::Table(data)) => *data,
        other => panic!("{name}: {other:?}"),
    }
}

fn context(name: &str, bytes: &[u8]) -> gemmscope_table::dataset::TraceContext {
    match read_all(name, bytes, &ImportOptions::default()) {
        Ok(Imported::Context(c)) => *c,
        other => panic!("{name}: {other:?}"),
    }
}

fn gemm_s(data: &Dataset) -> f64 {
    (0..data.len()).map(|r| data.time_s[r] * data.count(r)).sum()
}

#[test]
fn work_and_bytes_of_every_real_row_agree() {
    let mut rows = 0;
    for folder in [
        "gemm_01_compute_few_tiles",
        "gemm_02_compute_non_pow2",
        "gemm_03_compute_misaligned",
        "gemm_04_memory_tall_skinny",
        "qwen_h100",
        "qwen_mi300",
        "vllm_decode_full",
    ] {
        for file in ["GEMM.csv", "category_data/gemm_ops.csv", "unified_perf_summary.csv"] {
            let path = format!("{folder}/{file}");
            let name = format!("../{path}");
            let Some(bytes) = real(&path) else {
                continue;
            };
            let data = table(&name, &bytes);
            assert_eq!(data.sources[0].format, "tracelens");
            for r in 0..data.len() {
                let (problem, close) = (data.problem(r), |a: f64, b: f64| {
                    assert!((a / b - 1.0).abs() < 1e-6, "{path} row {r}: {a} is not {b}");
                });
                close(problem.work().0, data.number(ColumnMeaning::ReportedWork, r));
                close(problem.bytes().0, data.number(ColumnMeaning::ReportedBytes, r));
                close(problem.intensity().0, data.number(ColumnMeaning::ReportedIntensity, r));
                rows += 1;
            }
        }
    }
    eprintln!("{rows} rows compared");
}

#[test]
fn qwen_on_mi300x() {
    let Some(bytes) = real("qwen_mi300/GEMM.csv") else {
        return;
    };
    let data = table("GEMM.csv", &bytes);
    assert_eq!(data.len(), 5);
    assert_eq!((data.m[0], data.n[0], data.k[0]), (8944, 2816, 1024));
    assert_eq!(data.problem(0).to_string(), "8944 × 2816 × 1024 bf16 NT");
    assert_eq!(data.problem(1).to_string(), "8944 × 1024 × 1024 bf16 NT + bias");
    assert_eq!(data.problem(4).to_string(), "32 × 559 × 1 fp32 NN");
    assert_eq!(data.count(0), 48.0);
    assert!((data.time_s[0] * 1e6 - 110.589_03).abs() < 1e-4);
    assert!((data.problem(0).work().0 / data.time_s[0] / 1e12 - 466.4).abs() < 0.05);
    assert!((data.number(ColumnMeaning::ReportedRate, 0) / 1e12 - 466.824).abs() < 1e-3);
    assert!((data.number(ColumnMeaning::ReportedEfficiency, 0) - 0.659_356).abs() < 1e-6);
    assert!((data.number(ColumnMeaning::TimeStd, 0) * 1e6 - 3.280_588).abs() < 1e-5);
    assert!(data.text(ColumnMeaning::Kernel, 0).contains("MT128x224x64"));
    assert!(!data.text(ColumnMeaning::Kernel, 0).ends_with("..."));
    assert_eq!(data.text(ColumnMeaning::Library, 0), "Tensile");
    // The standard deviation of a single call is empty.
    assert!(data.number(ColumnMeaning::TimeStd, 4).is_nan());
    // The same rows in the agent's table.
    let Some(bytes) = real("qwen_mi300/category_data/gemm_ops.csv") else {
        return;
    };
    let ops = table("gemm_ops.csv", &bytes);
    assert_eq!((&ops.m, &ops.n, &ops.k, &ops.time_s), (&data.m, &data.n, &data.k, &data.time_s));
    assert_eq!(ops.ops, data.ops);
    assert!((gemm_s(&ops) * 1e3 - 11.646).abs() < 5e-4);
}

#[test]
fn qwen_on_h100_with_everything_else_of_the_trace() {
    let Some(bytes) = real("qwen_h100/unified_perf_summary.csv") else {
        return;
    };
    let data = table("unified_perf_summary.csv", &bytes);
    assert_eq!(data.len(), 5);
    let source = &data.sources[0];
    // 30 operations, by number of calls.
    assert_eq!((source.rejected.total(), source.not_gemm.rows), (30, 861));
    assert!(source.not_gemm.time_s > 0.0);
    assert_eq!(source.without_model.rows, 0);
    // Each comes with a memset; the main kernel is named nevertheless.
    assert!(
        data.text(ColumnMeaning::Kernel, 0).contains("tilesize")
            || data.text(ColumnMeaning::Kernel, 0).contains("nvjet")
    );
    // This device has no transpose flags: the layout follows from the strides.
    assert_eq!(data.problem(0).op.layout(), "NT");
    let gemm = real("qwen_h100/GEMM.csv").map(|b| table("GEMM.csv", &b));
    if let Some(gemm) = gemm {
        assert_eq!((&gemm.m, &gemm.op, &gemm.time_s), (&data.m, &data.op, &data.time_s));
        assert!((gemm.time_s[0] * 1e6 - 84.484).abs() < 5e-4);
    }
}

#[test]
fn vllm_decode_is_counted_once() {
    let Some(bytes) = real("vllm_decode_full/GEMM.csv") else {
        return;
    };
    let data = table("GEMM.csv", &bytes);
    assert_eq!(data.len(), 4);
    let source = &data.sources[0];
    assert!((gemm_s(&data) * 1e6 - 1230.6).abs() < 0.05);
    let sheet = gemm_s(&data) + source.counted_twice.time_s;
    assert!((sheet * 1e6 - 2461.1).abs() < 0.05);
    assert_eq!(source.counted_twice.rows, 4);
    assert_eq!(
        source.rejected.reasons[0].text,
        "counted in aten::addmm (same shape, count and time)"
    );
    assert!((0..4).all(|r| data.text(ColumnMeaning::OpName, r).starts_with("aten::")));
    assert!(source.notes.iter().any(|n| n.contains("1230.6 µs") && n.contains("2461.1 µs")));
}

#[test]
fn a_folder_comes_together() {
    let (Some(ops), Some(meta), Some(metrics), Some(timeline), Some(manifest)) = (
        real("qwen_mi300/category_data/gemm_ops.csv"),
        real("qwen_mi300/metadata/gemm_metadata.json"),
        real("qwen_mi300/category_data/gemm_metrics.json"),
        real("qwen_mi300/gpu_timeline.csv"),
        real("qwen_mi300/category_data/category_manifest.json"),
    ) else {
        return;
    };
    let mut data = table("q/category_data/gemm_ops.csv", &ops);
    let meta = context("q/metadata/gemm_metadata.json", &meta);
    let attached = trace::attach(&mut data, &meta);
    assert_eq!(attached.source, Some(0));
    let device = attached.device.expect("a device");
    assert_eq!(device.name, "MI300X");
    for (name, bytes) in [
        ("q/category_data/gemm_metrics.json", metrics),
        ("q/gpu_timeline.csv", timeline),
        ("q/category_data/category_manifest.json", manifest),
    ] {
        let c = context(name, &bytes);
        assert_eq!(trace::attach(&mut data, &c).source, Some(0), "{name}");
    }
    let t = data.sources[0].trace.as_ref().expect("attached");
    let close = |a: Option<f64>, b: f64| assert!((a.unwrap() / b - 1.0).abs() < 1e-9, "{a:?} {b}");
    close(t.total_s, 33.131_333_496_093_75e-3);
    close(t.compute_s, 29.743_167_968_75e-3);
    close(t.gemm_s, 11.646e-3);
    close(t.other_s(11.646e-3), 21.485_333_496_093_75e-3);
    assert_eq!(t.categories.len(), 5);
    let kernels: f64 = t.categories.iter().map(|c| c.kernel_s).sum();
    assert!((kernels * 1e3 - 29.743).abs() < 1e-3);
    let reported = t.reported.as_ref().expect("metrics");
    assert_eq!(reported.operations[0].impact_percent, Some((4.09, 4.77, 5.46)));
    assert_eq!(data.devices, ["", "MI300X"]);
    assert!(data.device.iter().all(|&d| d == 1));
    // Their roof is the achievable one from their own file.
    let roof = device
        .roof(data.ops[0].compute, gemmscope_model::hardware::RoofKind::Achievable)
        .expect("bf16");
    assert_eq!((roof.peak_flops_per_s, roof.bandwidth_bytes_per_s), (708e12, 5.3e12));
}

#[test]
fn a_tree_without_chains_says_so() {
    let (Some(ops), Some(tree)) = (
        real("qwen_mi300_tree/category_data/gemm_ops.csv"),
        real("qwen_mi300_tree/category_data/gemm_tree_data.json"),
    ) else {
        return;
    };
    let mut data = table("gemm_ops.csv", &ops);
    trace::attach(&mut data, &context("gemm_tree_data.json", &tree));
    let stack = trace::call_stack(&data, 0).expect("uid 231");
    assert_eq!(stack.operation, "aten::mm");
    assert!(stack.parents.is_empty() && stack.notes.contains("simplified"));
}

/// File, format, rows read, rows used, rates within 1 % of work over time or within their rounding.
const TABLES: [(&str, &str, u64, u64, u64); 9] = [
    ("cutlass_profiler/superbench_fp32.gemm.csv", "cutlass", 4, 4, 4),
    ("cutlass_profiler/superbench_stdout_fp16_tc.txt", "cutlass", 4, 0, 0),
    ("flashinfer/sample_testlist_output.csv", "flashinfer", 111, 11, 11),
    ("aiter/dsv3_bf16_tuned_gemm.csv", "aiter", 176, 62, 62),
    ("aiter/bf16_tuned_gemm.csv", "aiter", 232, 232, 232),
    ("aiter/a8w8_tuned_gemm.csv", "aiter", 579, 579, 579),
    ("hipblaslt-bench/readme_demo_output.txt", "hipblaslt-bench", 3, 3, 3),
    ("rocBLAS/gemm.csv", "rocblas-bench", 64, 64, 64),
    ("pytorch-tunableop/tunableop_results0.csv", "tunableop", 855, 855, 0),
];

#[test]
fn rows_of_real_tables() {
    for (path, format, read, used, within) in TABLES {
        let Some(bytes) = data(path) else { continue };
        let d = table(path, &bytes);
        let s = &d.sources[0];
        let have = (s.format.as_str(), s.rows_read, s.rows_used);
        assert_eq!(have, (format, read, used), "{path}: {:?}", s.rejected.reasons);
        assert_eq!(s.reported_rate.within_1_percent, within, "{path}");
    }
}

#[test]
fn every_cell_of_a_real_tensile_file() {
    let Some(bytes) = data("Tensile/Cijk_Ailk_Bjlk_HBH_01.csv") else {
        return;
    };
    let d = table("t.csv", &bytes);
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let kernels = lines.next().unwrap().matches("Cijk_").count();
    assert_eq!(d.sources[0].rows_read as usize, kernels * lines.count());
}
