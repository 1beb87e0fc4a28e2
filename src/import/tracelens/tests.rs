//! Against real reports where they are at hand, and against small ones of our own.

use super::super::{ImportOptions, Imported, read_all};
use crate::dataset::{Dataset, Role};
use crate::trace;
use std::path::PathBuf;

fn real(path: &str) -> Option<Vec<u8>> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data/tracelens")
        .join(path);
    match std::fs::read(&full) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("skipped: {path} is not at hand");
            None
        }
    }
}

fn table(name: &str, bytes: &[u8]) -> Dataset {
    match read_all(name, bytes, &ImportOptions::default()) {
        Ok(Imported::Table(data)) => *data,
        other => panic!("{name}: {other:?}"),
    }
}

fn context(name: &str, bytes: &[u8]) -> trace::TraceContext {
    match read_all(name, bytes, &ImportOptions::default()) {
        Ok(Imported::Context(c)) => *c,
        other => panic!("{name}: {other:?}"),
    }
}

fn gemm_s(data: &Dataset) -> f64 {
    (0..data.len())
        .map(|r| data.time_s[r] * data.count(r))
        .sum()
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
        for file in [
            "GEMM.csv",
            "category_data/gemm_ops.csv",
            "unified_perf_summary.csv",
        ] {
            let path = format!("{folder}/{file}");
            let name = format!("../{path}");
            let full = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
                .join("../shared/data/tracelens")
                .join(&path);
            let Ok(bytes) = std::fs::read(full) else {
                continue;
            };
            let data = table(&name, &bytes);
            assert_eq!(data.sources[0].format, "tracelens");
            for r in 0..data.len() {
                let (problem, close) = (data.problem(r), |a: f64, b: f64| {
                    assert!((a / b - 1.0).abs() < 1e-6, "{path} row {r}: {a} is not {b}");
                });
                close(problem.work().0, data.number(Role::ReportedWork, r));
                close(problem.bytes().0, data.number(Role::ReportedBytes, r));
                close(
                    problem.intensity().0,
                    data.number(Role::ReportedIntensity, r),
                );
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
    assert_eq!(data.problem(0).to_string(), "8944 x 2816 x 1024 bf16 NT");
    assert_eq!(
        data.problem(1).to_string(),
        "8944 x 1024 x 1024 bf16 NT + bias"
    );
    assert_eq!(data.problem(4).to_string(), "32 x 559 x 1 fp32 NN");
    assert_eq!(data.count(0), 48.0);
    assert!((data.time_s[0] * 1e6 - 110.589_03).abs() < 1e-4);
    assert!((data.problem(0).work().0 / data.time_s[0] / 1e12 - 466.4).abs() < 0.05);
    assert!((data.number(Role::ReportedRate, 0) / 1e12 - 466.824).abs() < 1e-3);
    assert!((data.number(Role::ReportedEfficiency, 0) - 0.659_356).abs() < 1e-6);
    assert!((data.number(Role::TimeStd, 0) * 1e6 - 3.280_588).abs() < 1e-5);
    assert!(data.text(Role::Kernel, 0).contains("MT128x224x64"));
    assert!(!data.text(Role::Kernel, 0).ends_with("..."));
    assert_eq!(data.text(Role::Library, 0), "Tensile");
    // The empty standard deviation of a single call.
    assert!(data.number(Role::TimeStd, 4).is_nan());
    // The same rows in the agent's table.
    let Some(bytes) = real("qwen_mi300/category_data/gemm_ops.csv") else {
        return;
    };
    let ops = table("gemm_ops.csv", &bytes);
    assert_eq!(
        (&ops.m, &ops.n, &ops.k, &ops.time_s),
        (&data.m, &data.n, &data.k, &data.time_s)
    );
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
    assert_eq!(source.not_gemm.rows, source.set_aside.total());
    assert!(source.not_gemm.rows > 20 && source.not_gemm.time_s > 0.0);
    assert_eq!(source.without_model.rows, 0);
    // A memset comes with each: the main kernel is named all the same.
    assert!(
        data.text(Role::Kernel, 0).contains("tilesize")
            || data.text(Role::Kernel, 0).contains("nvjet")
    );
    // No transpose flags on this device: the layout comes from the strides.
    assert_eq!(data.problem(0).op.layout(), "NT");
    let gemm = real("qwen_h100/GEMM.csv").map(|b| table("GEMM.csv", &b));
    if let Some(gemm) = gemm {
        assert_eq!(
            (&gemm.m, &gemm.op, &gemm.time_s),
            (&data.m, &data.op, &data.time_s)
        );
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
        source.set_aside.reasons[0].text,
        "counted in aten::addmm (same shape, count and time)"
    );
    assert!((0..4).all(|r| data.text(Role::OpName, r).starts_with("aten::")));
    assert!(
        source
            .notes
            .iter()
            .any(|n| n.contains("1230.6 µs") && n.contains("2461.1 µs"))
    );
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
    assert_eq!(
        reported.operations[0].impact_percent,
        Some((4.09, 4.77, 5.46))
    );
    assert_eq!(data.devices, ["", "MI300X"]);
    assert!(data.device.iter().all(|&d| d == 1));
    // Their roof is the achievable one of their own file.
    let roof = device
        .roof(data.ops[0].compute, crate::hardware::RoofKind::Achievable)
        .expect("bf16");
    assert_eq!(
        (roof.peak_flops_per_s, roof.bandwidth_bytes_per_s),
        (708e12, 5.3e12)
    );
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

const HEADER: &str = "name,param: M,param: N,param: K,param: bias,param: dtype_A_B,param: B,\
                      trunc_kernel_details,Kernel Time (\u{3bc}s)_mean,Kernel Time (\u{3bc}s)_sum,name_count";

#[test]
fn the_other_micro_sign_zero_times_and_unknown_types() {
    let text = format!(
        "{HEADER}\n\
         aten::mm,32,64,128,False,\"('c10::Half', 'c10::Half')\",1,[],2.5,5.0,2\n\
         aten::addmm,256,64,3072,True,\"('c10::Half', 'c10::Half')\",1,[],0.0,0.0,1\n\
         aten::mm,32,64,128,False,\"('quux', 'quux')\",1,[],2.5,5.0,2\n\
         aten::mm,32,64,-1,False,\"('c10::Half', 'c10::Half')\",1,[],2.5,5.0,2\n"
    );
    let data = table("x", text.as_bytes());
    assert_eq!(data.len(), 1);
    assert!((data.time_s[0] - 2.5e-6).abs() < 1e-18);
    let reasons: Vec<&str> = data.sources[0]
        .set_aside
        .reasons
        .iter()
        .map(|r| r.text.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "time is zero (Kernel Time (μs)_mean)",
            "data type not known",
            "K is negative (param: K)"
        ]
    );
}

#[test]
fn operations_of_one_shape_that_are_not_the_same_time() {
    // Same shape and time but another kernel, and same kernel but another time: all count.
    let kernel = |name: &str| format!("\"[{{'name': '{name}', 'mean_duration_us': 5}}]\"");
    let (k1, k2) = (kernel("k1"), kernel("k2"));
    let types = "\"('float', 'float')\"";
    let text = format!(
        "{HEADER}\n\
         a::wrap,32,64,128,False,{types},1,{k1},5,10,2\n\
         aten::mm,32,64,128,False,{types},1,{k2},5,10,2\n\
         aten::addmm,32,64,128,False,{types},1,{k1},5.5,11,2\n\
         aten::mm,32,64,128,False,{types},1,{k2},5,10,2\n"
    );
    assert_eq!(table("x", text.as_bytes()).len(), 4);
}

#[test]
fn gemms_without_a_model_keep_their_time() {
    let text = "name,op category,Input Dims,Input type,operation_count,Kernel Time (µs)_sum,\
                has_perf_model,perf_params\n\
                aten::mm,GEMM,\"((8, 16), (16, 4))\",\"('float', 'float')\",2,10.0,True,\n\
                my::moe_gemm,GEMM,\"((8, 16), (4, 16, 4))\",\"('float', 'float')\",1,30.0,False,\n\
                aten::add,elementwise,\"((8, 16),)\",\"('float',)\",5,60.0,False,\n";
    let data = table("x", text.as_bytes());
    let source = &data.sources[0];
    assert_eq!(data.len(), 1);
    assert_eq!(source.without_model.rows, 1);
    assert!((source.without_model.time_s - 30e-6).abs() < 1e-15);
    assert!((source.not_gemm.time_s - 60e-6).abs() < 1e-15);
    assert!(source.notes.iter().any(|n| n.contains("75.0 %")));
}

#[test]
fn a_comparison_gives_one_row_a_report() {
    let text = "name,param: M,param: N,param: K,param: bias,param: dtype_A_B,\
                Kernel Time (µs)_mean__b_diff,a::Kernel Time (µs)_mean,b::Kernel Time (µs)_mean,\
                a::name_count,b::name_count\n\
                aten::mm,8,16,32,False,\"('float', 'float')\",1.0,5.0,6.0,1,1\n";
    let data = table("x", text.as_bytes());
    assert_eq!(data.len(), 2);
    assert_eq!(data.devices, ["", "a", "b"]);
    assert_eq!(data.device, [1, 2]);
    assert!((data.time_s[1] - 6e-6).abs() < 1e-15);
}
