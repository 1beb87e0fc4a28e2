use super::operations::rule_of_thumb;
use super::{Report, gemm_findings, impact_percent};
use crate::findings::check_all;
use gemmscope_analysis::findings::Severity;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::{ColumnMeaning, RowsAndTime, Source, TraceContext};
use gemmscope_table::field::Frame;
use gemmscope_table::fixture;
use gemmscope_table::trace::{PART_COLUMN, UNFUSED_ATTENTION};

#[test]
fn rules_of_thumb() {
    assert_eq!([250.0, 150.0, 50.0].map(rule_of_thumb), ["compute", "between", "memory"]);
    let (low, mid, high) = impact_percent(0.0446, 1.0);
    assert!((low - 71.66).abs() < 0.01 && (mid - 83.6).abs() < 0.01 && (high - 95.54).abs() < 1e-9);
    assert_eq!(impact_percent(1.05, 1.0), (0.0, 0.0, 0.0));
}

/// A kind of call: M, N, K, batch; number of calls; µs per call; kernel; what it is a part of.
type Call<'a> = ([u32; 4], f64, f64, &'a str, &'a str);

/// bf16 calls of a trace with this compute time; `more` sets what else its source knows.
fn trace(calls: &[Call<'_>], compute_us: f64, device: &str, more: impl Fn(&mut Source)) -> Frame {
    let mut t = TableBuilder::new();
    let kernel = t.text_column(ColumnMeaning::Kernel, "kernel");
    let count = t.number_column(ColumnMeaning::Count, "calls");
    let part = t.text_column(ColumnMeaning::Other, PART_COLUMN);
    for (line, ([m, n, k, batch], calls, us, name, of)) in (2..).zip(calls) {
        t.set_text(kernel, name.as_bytes());
        t.set_number(count, *calls);
        t.set_text(part, of.as_bytes());
        let row = Row::new(*m, *n, *k, Operation::uniform(DataType::Bf16), us * 1e-6);
        t.commit(line, b"", Ok(Row { batch: *batch, ..row }));
    }
    let mut data = t.finish();
    let context = TraceContext { compute_s: Some(compute_us * 1e-6), ..TraceContext::default() };
    data.sources[0].trace = Some(Box::new(context));
    more(&mut data.sources[0]);
    fixture::frame(data, Some(device))
}

fn report(frame: &Frame) -> Report {
    Report::new(frame, &check_all(frame))
}

const LARGE: [u32; 4] = [4096, 4096, 4096, 1];

#[test]
fn a_gemm_without_a_model_that_weighs_is_a_high_bottleneck() {
    let unknown = |source: &mut Source| {
        source.without_model.add(480e-6);
        source.name_without_model(vec![
            ("bmm_MxE4m3_MxE4m3_Fp32".to_owned(), RowsAndTime { rows: 1, time_s: 430e-6 }),
            ("bmm_Bf16_MxE4m3_Fp32".to_owned(), RowsAndTime { rows: 1, time_s: 50e-6 }),
        ]);
        source.trace.as_mut().unwrap().reported_share = Some(0.612);
    };
    let frame = trace(&[(LARGE, 1.0, 200.0, "gemm", "")], 1000.0, "mi300x", unknown);
    let report = report(&frame);
    let first = &report.bottlenecks[0];
    let operation = &report.operations[first.operation];
    assert_eq!((first.priority, first.validated), (Severity::High, true));
    assert!(operation.has_no_model() && operation.quantized && operation.efficiency.is_none());
    assert!((operation.share - 0.43).abs() < 1e-9);
    assert!(first.issue.starts_with("Efficiency unknown"), "{}", first.issue);
    // 5 % of the time is not a bottleneck, but is counted.
    assert_eq!(report.bottlenecks.iter().filter(|b| b.issue == first.issue).count(), 1);
    assert_eq!(report.parts[0].quantized, 2);
    let text = gemm_findings(&report);
    for part in [
        "- **Efficiency:** unknown (no performance model)",
        "- **Priority:** High",
        "Quantized GEMMs detected: 2",
        "GEMMs account for 68.0% of compute time (61.2% by the report's metadata).",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("None of the flagged operations"));
}

#[test]
fn a_file_of_gemms_without_a_shape_has_a_report() {
    let frame = trace(&[], 500.0, "mi300x", |source| {
        source.without_model.add(280e-6);
        source.name_without_model(vec![(
            "fused_moe_kernel".to_owned(),
            RowsAndTime { rows: 1, time_s: 280e-6 },
        )]);
    });
    let text = gemm_findings(&report(&frame));
    assert!(text.contains("### 1. fused_moe_kernel (shape unknown)"), "{text}");
    assert!(text.contains("0.280 ms (56.0% of compute)"), "{text}");
    assert!(
        text.contains("\nNone of the 0.280 ms of GEMM time has a performance model.\n"),
        "{text}"
    );
}

#[test]
fn repeats_that_could_batch_are_medium() {
    // 4 % of the time, 40 % of the GEMM time, half of the roof.
    let priority = |calls: f64| {
        let calls = [(LARGE, calls, 400.0 / calls, "gemm", ""), (LARGE, 1.0, 600.0, "other", "")];
        let report = report(&trace(&calls, 10_000.0, "mi300x", |_| {}));
        let at = report.operations.iter().position(|o| o.kernel == "gemm").unwrap();
        let of = report.bottlenecks.iter().find(|b| b.operation == at);
        of.map(|b| b.priority)
    };
    // One call of 400 µs reaches 26 %: that alone makes it High.
    assert_eq!(priority(1.0), Some(Severity::High));
    let small = |calls: f64| {
        let shape = [512, 512, 1024, 1];
        let of = [(shape, calls, 4e5 / calls, "gemm", ""), (LARGE, 1.0, 6e5, "other", "")];
        let frame = trace(&of, 1e7, "mi300x", |_| {});
        // At half of its roof.
        let roof_s = frame.metrics.roof_s[0];
        let us = 2e6 * roof_s;
        let total = us * calls;
        let of = [(shape, calls, us, "gemm", ""), (LARGE, 1.0, 1.5 * total, "other", "")];
        let report = report(&trace(&of, 25.0 * total, "mi300x", |_| {}));
        let at = report.operations.iter().position(|o| o.kernel == "gemm").unwrap();
        report.bottlenecks.iter().find(|b| b.operation == at).map(|b| b.priority)
    };
    assert_eq!(small(99.0), Some(Severity::Low));
    assert_eq!(small(1000.0), Some(Severity::Medium));
}

#[test]
fn flagged_lines_have_both_paths_and_near_the_roof_the_first_counts() {
    // 105.1 µs at the roof: 85 % of it.
    let frame = trace(&[(LARGE, 1.0, 123.7, "gemm", "")], 200.0, "mi300x", |_| {});
    let text = gemm_findings(&report(&frame));
    let line = text.lines().find(|l| l.starts_with("- Flagged but not")).unwrap();
    assert!(line.contains(" Path A: Focus on Path A: the kernel is near its roof"), "{line}");
    assert!(line.contains(" Path B: Nothing worth tuning."), "{line}");
}

#[test]
fn what_to_try_follows_from_what_the_gemm_is() {
    let calls = [
        ([8, 16, 64, 2000], 1.0, 300.0, "tiny", ""),
        ([128, 256, 64, 32], 24.0, 20.0, "scores", UNFUSED_ATTENTION),
    ];
    let report = report(&trace(&calls, 900.0, "mi300x", |_| {}));
    let of = |kernel: &str| {
        let at = report.operations.iter().position(|o| o.kernel == kernel).unwrap();
        report.bottlenecks.iter().find(|b| b.operation == at).unwrap()
    };
    let tiny = of("tiny");
    assert!(tiny.path_a.contains("torch.bmm") && tiny.path_a.contains("grouped GEMM"));
    assert!(tiny.context[0].starts_with("Tiny batched GEMM (2000 of 8 × 16 × 64)"));
    let scores = of("scores");
    assert!(scores.path_a.contains("scaled_dot_product_attention"), "{}", scores.path_a);
    let said = [scores.path_a.clone(), scores.path_b.clone(), scores.context.join(" ")].concat();
    for never in ["pad", "fp8", "narrower", "batch"] {
        assert!(!said.to_lowercase().contains(never), "{never}: {said}");
    }
}

#[test]
fn what_times_cannot_show_names_bytes_cache_and_profiler() {
    let said = |device: &str, n: u32| {
        let frame = trace(&[([8192, n, 8192, 1], 1.0, 5000.0, "gemm", "")], 6000.0, device, |_| {});
        let report = report(&frame);
        report.cannot_infer.iter().map(|c| c[2].clone()).collect::<Vec<_>>().join("; ")
    };
    let amd = said("mi300x", 8192);
    assert!(amd.contains("profile with rocprof"), "{amd}");
    assert!(
        amd.contains("(403 MB) exceed the largest cache of the AMD Instinct MI300X (268 MB)"),
        "{amd}"
    );
    assert!(said("mi300x", 64).contains("fit the largest cache"));
    let nvidia = said("h100-sxm", 8192);
    assert!(nvidia.contains("Nsight Compute (ncu)") && !nvidia.contains("rocprof"), "{nvidia}");
    assert!(nvidia.contains("gemmscope replay"), "{nvidia}");
}
