//! The trace reader on small synthetic traces.

use super::*;
use crate::testing::{read_as, read_with};
use gemmscope_table::dataset::TraceContext;

#[test]
fn a_long_trace_is_read_in_bounded_time() {
    let mut text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for i in 1..20_000u32 {
        text += &format!(
            "{{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f{i}\", \"ts\": {i}, \"args\": {{\"Python id\": {i}, \"x\": \"}}]\\\"\"}}}},\n"
        );
        if i % 10 == 0 {
            text += &format!(
                "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": {i}, \"dur\": 2, \"args\": {{\"External id\": {i}, \"Input Dims\": [[64, {k}], [{k}, 32]], \"Input type\": [\"float\", \"float\"]}}}},\n\
                 {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k_gemm\", \"ts\": {i}, \"dur\": 5.0, \"args\": {{\"External id\": {i}, \"grid\": [4, 1, 1], \"block\": [256, 1, 1]}}}},\n",
                k = 16 + i % 3
            );
        }
    }
    text += "{\"ph\": \"M\"}]}";
    // Guards against quadratic time: restarting with every slice would take hours.
    let d = read_as("t.json", text);
    assert_eq!(d.len(), 3);
    assert_eq!((0..3).map(|r| d.count(r)).sum::<f64>(), 1999.0);
}

/// A capture of one graph: two matrix multiplies with different shapes and the same kernel, the second followed by a
/// reduction, and another kernel between them.
fn capture() -> String {
    let launch = |ts: u32, kernel: &str| {
        format!(
            "{{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": {ts}, \"dur\": 1, \"args\": {{\"kernel\": \"{kernel}\", \"correlation\": {ts}}}}},\n"
        )
    };
    let mm = |ts: u32, k: u32| {
        format!(
            "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": {ts}, \"dur\": 8, \"args\": {{\"External id\": {ts}, \"Input Dims\": [[32, {k}], [{k}, 64]], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]}}}},\n"
        )
    };
    let mut text = String::from(
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"AMD Instinct MI300X\"}], \"traceEvents\": [\n",
    );
    text += "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipStreamBeginCapture\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 1},\n";
    text += &(mm(10, 128) + &launch(11, "Cijk_gemm"));
    text += &launch(25, "silu");
    text += &(mm(30, 256) + &launch(31, "Cijk_gemm") + &launch(32, "Cijk_gemm_PostGSU4"));
    text + "{\"ph\": \"M\"}]}"
}

/// Two launches of a graph that runs these kernels.
fn run(kernels: &[&str]) -> String {
    let mut text = String::from(
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"AMD Instinct MI300X\"}], \"traceEvents\": [\n",
    );
    for launch in 0..2u32 {
        let id = 100 + launch;
        let ts = 1000 * (launch + 1);
        text += &format!(
            "{{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipGraphLaunch\", \"pid\": 1, \"tid\": 1, \"ts\": {ts}, \"dur\": 1, \"args\": {{\"correlation\": {id}}}}},\n"
        );
        for (i, kernel) in (1u32..).zip(kernels) {
            text += &format!(
                "{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{kernel}\", \"ts\": {}, \"dur\": {i}, \"args\": {{\"correlation\": {id}, \"device\": 0}}}},\n",
                ts + 20 * i
            );
        }
    }
    text + "{\"ph\": \"M\"}]}"
}

#[test]
fn a_capture_gives_the_kernels_of_a_graph_their_shapes() {
    let kernels = ["Cijk_gemm", "silu", "Cijk_gemm", "Cijk_gemm_PostGSU4"];
    let captured = read_as("t.json", capture());
    assert_eq!(captured.k, [128, 256]);
    assert!(captured.time_s.iter().all(|t| t.is_nan()));
    let alone = read_as("t.json", run(&kernels));
    assert_eq!((alone.len(), alone.sources[0].graphs_without_capture), (0, 2));
    assert!(alone.sources[0].rejected.reasons[0].text.contains("the trace of the capture"));
    assert_eq!(
        alone.sources[0].why_unusable().as_deref(),
        Some("4 kernel calls without shapes: also open the trace of the graph's capture")
    );

    let options = ImportOptions {
        captures: captured.sources[0].captures.clone(),
        ..ImportOptions::default()
    };
    let joined = read_with("t.json", run(&kernels), &options);
    assert_eq!(joined.k, [128, 256]);
    assert_eq!((0..2).map(|r| joined.count(r)).collect::<Vec<_>>(), [2.0, 2.0]);
    // The reduction is part of its call.
    assert!((joined.time_s[0] - 1e-6).abs() < 1e-12 && (joined.time_s[1] - 7e-6).abs() < 1e-12);
    assert_eq!(joined.sources[0].graphs_with_capture, 2);
    assert_eq!(joined.sources[0].not_gemm.rows, 2);
    assert_eq!(joined.sources[0].not_gemm_names[0].0, "silu");

    // If the runtime names the kernels differently, they match by count and order.
    let renamed = ["Cijk_gemm.kd", "silu.kd", "Cijk_gemm.kd", "Cijk_gemm_PostGSU4.kd"];
    let by_order = read_with("t.json", run(&renamed), &options);
    assert_eq!((&by_order.k[..], by_order.sources[0].graphs_with_capture), (&[128, 256][..], 2));
    // A call without a GEMM kernel means another graph.
    let other = read_with("t.json", run(&["silu", "copy", "Cijk_gemm", "x"]), &options);
    assert_eq!((other.len(), other.sources[0].graphs_without_capture), (0, 2));
    // A capture whose start is not marked by the runtime.
    let unmarked = read_as("t.json", capture().replace("hipStreamBeginCapture", "hipStreamWait"));
    assert_eq!(unmarked.sources[0].captures.len(), 1);

    // Another graph does not match this capture.
    let other = read_with("t.json", run(&["Cijk_gemm", "silu", "Cijk_gemm"]), &options);
    assert_eq!((other.len(), other.sources[0].graphs_without_capture), (0, 2));
}

#[test]
fn callers_are_modules_and_operations() {
    let text = include_str!("../../../../../../tests/fixtures/kineto/modules.json");
    let d = read_as("t.json", text);
    let stack = gemmscope_table::trace::call_stack(&d, 0).unwrap();
    let modules = ["BertLayer", "BertSdpaSelfAttention", "Linear", "aten::linear"];
    assert_eq!((d.len(), &stack.parents[..]), (1, &modules.map(str::to_owned)[..]));
}

/// A trace with a GEMM kernel and other device events: category, name, start and duration.
fn timeline(events: &[(&str, &str, f64, f64)]) -> TraceContext {
    let mut text = String::from(
        "{\"schemaVersion\": 1, \"traceEvents\": [\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 2, \"args\": {\"External id\": 1, \"Input Dims\": [[64, 32], [32, 32]], \"Input type\": [\"float\", \"float\"]}},\n",
    );
    for (category, name, start, length) in events {
        text += &format!(
            "{{\"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"ts\": {start:.3}, \"dur\": {length}, \"args\": {{\"External id\": 1}}}},\n"
        );
    }
    let data = read_as("t.json", text + "{\"ph\": \"M\"}]}");
    *data.sources[0].trace.clone().unwrap()
}

#[test]
fn a_moment_of_the_timeline_counts_once() {
    let nccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)";
    // Also with timestamps since 1970.
    for zero in [0.0, 1.7e15] {
        let t = timeline(&[
            // A copy that overlaps a kernel, one alone, and communication after a kernel.
            ("gpu_memcpy", "Memcpy HtoD", zero + 90.0, 20.0),
            ("kernel", "k_gemm", zero + 100.0, 50.0),
            ("kernel", nccl, zero + 140.0, 30.0),
            ("gpu_memset", "Memset", zero + 180.0, 5.0),
            ("gpu_memcpy", "Memcpy DtoH", zero + 200.0, 10.0),
        ]);
        let is = |of: Option<f64>, us: f64| {
            let of = of.unwrap() * 1e6;
            // An f64 of that size has a resolution of a quarter of a microsecond.
            let near = if zero == 0.0 { 1e-6 } else { 0.6 };
            assert!((of - us).abs() < near, "{of} for {us}");
        };
        is(t.total_s, 120.0);
        is(t.compute_s, 55.0);
        is(t.exposed_comm_s, 20.0);
        is(t.exposed_memcpy_s, 20.0);
        is(t.idle_time_s(), 25.0);
    }
}

/// An operation with its shapes, followed by its only kernel.
fn step(at: u32, op: &str, dims: &str, kernel: &str, us: f64) -> String {
    format!(
        "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{op}\", \"pid\": 1, \"tid\": 1, \"ts\": {}, \"dur\": 2, \"args\": {{\"External id\": {at}, \"Input Dims\": {dims}, \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]}}}},\n\
         {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{kernel}\", \"ts\": {}, \"dur\": {us}, \"args\": {{\"External id\": {at}, \"device\": 0}}}},\n",
        at * 100,
        at * 100 + 10
    )
}

#[test]
fn attention_of_three_kernels_is_recognised() {
    let scores = "[[32, 128, 64], [32, 64, 256]]";
    let values = "[[32, 128, 256], [32, 256, 64]]";
    let soft = "void softmax_warp_forward<c10::BFloat16>(int)";
    let head =
        "{\"schemaVersion\": 1, \"with_stack\": 1, \"profile_memory\": 0, \"traceEvents\": [\n";
    let read = |steps: &[String]| {
        read_as("t.json", head.to_owned() + &steps.concat() + "{\"ph\": \"M\"}]}")
    };
    let layer = |at: u32| {
        [
            step(at, "aten::bmm", scores, "gemm_scores", 8.0),
            step(at + 1, "aten::div", "[[32, 128, 256], []]", "scale", 2.0),
            step(at + 2, "aten::_softmax", "[[32, 128, 256], [], []]", soft, 5.0),
            step(at + 3, "aten::bmm", values, "gemm_values", 7.0),
        ]
        .concat()
    };
    // The last product has the shape of scores, but no softmax follows before the next product.
    let alone = step(30, "aten::bmm", scores, "gemm_scores", 8.0);
    let linear = step(31, "aten::mm", "[[128, 64], [64, 256]]", "gemm_linear", 4.0);
    let d = read(&[layer(10), layer(20), alone.clone(), linear]);
    let marked: Vec<bool> =
        (0..d.len()).map(|r| gemmscope_table::trace::is_unfused_attention(&d, r)).collect();
    let shapes: Vec<_> = (0..d.len()).map(|r| (d.m[r], d.n[r], d.k[r], d.count(r))).collect();
    assert_eq!(
        shapes,
        [(128, 256, 64, 2.0), (128, 64, 256, 2.0), (128, 256, 64, 1.0), (128, 256, 64, 1.0)]
    );
    assert_eq!(marked, [true, true, false, false]);
    let context = d.sources[0].trace.as_deref().unwrap();
    let unfused = context.unfused.unwrap();
    assert_eq!(unfused.calls, 2);
    // Scaling and softmax of both layers.
    assert!((unfused.between_s - 14e-6).abs() < 1e-12);
    assert_eq!(context.slowed_by, ["with_stack"]);

    // Different heads, and a softmax whose input is not from a batched product.
    let others = step(13, "aten::bmm", "[[16, 128, 256], [16, 256, 64]]", "gemm_values", 7.0);
    let d = read(&[
        step(10, "aten::bmm", scores, "gemm_scores", 8.0),
        step(12, "aten::_softmax", "[[32, 128, 256], [], []]", soft, 5.0),
        others,
        step(14, "aten::_softmax", "[[128, 256], [], []]", soft, 5.0),
        alone,
    ]);
    assert!((0..d.len()).all(|r| !gemmscope_table::trace::is_unfused_attention(&d, r)));
    assert_eq!(d.sources[0].trace.as_deref().unwrap().unfused, None);
}

#[test]
fn python_frames_and_memory_events_are_noted() {
    let event = |category: &str, name: &str| {
        format!(
            "{{\"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"ts\": 3, \"dur\": 2}},\n"
        )
    };
    let text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [\n")
        + &step(1, "aten::mm", "[[64, 32], [32, 32]]", "k_gemm", 5.0)
        + &event("python_function", "f")
        + &event("cpu_instant_event", "[memory]")
        + "{\"ph\": \"M\"}]}";
    let d = read_as("t.json", text);
    let context = d.sources[0].trace.as_deref().unwrap();
    assert_eq!(context.slowed_by, ["Python frames", "profile_memory"]);
}

/// The framework's operands are fp32 in both cases; the kernel name tells whether TF32 is used.
#[test]
fn a_tf32_kernel_has_the_roof_of_tf32() {
    use gemmscope_model::dtype::DataType::{Fp32, Tf32};
    let name = |multiplied: &str| {
        format!("sm90_xmma_gemm_f32f32_{multiplied}_f32_tn_n_tilesize128x256x32")
    };
    let dims = "[[4096, 4096], [4096, 4096]]";
    let steps = step(1, "aten::mm", dims, &name("f32f32"), 2702.0)
        + &step(2, "aten::mm", dims, &name("tf32f32"), 335.0);
    let d = read_as(
        "t.json",
        format!(
            "{{\"traceEvents\": [\n{}]}}",
            steps.replace("c10::BFloat16", "float").trim_end_matches(",\n")
        ),
    );
    let types: Vec<_> =
        (0..d.len()).map(|r| d.problem(r).op).map(|op| (op.a, op.compute)).collect();
    assert_eq!(types, [(Fp32, Fp32), (Fp32, Tf32)]);
}

#[test]
fn a_product_with_a_stride_of_0_is_left_out_by_that_name() {
    let mut text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (i, strides) in [(1, "[[16, 1], [32, 1]]"), (2, "[[0, 0], [32, 1]]")] {
        text += &format!(
            "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": {i}0, \"dur\": 2, \"args\": {{\"External id\": {i}, \"Input Dims\": [[64, 16], [16, 32]], \"Input type\": [\"float\", \"float\"], \"Input Strides\": {strides}}}}},\n\
             {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k_gemm\", \"ts\": {i}00, \"dur\": {i}, \"args\": {{\"External id\": {i}, \"grid\": [4, 1, 1], \"block\": [256, 1, 1]}}}},\n"
        );
    }
    let d = read_as("t.json", text + "{\"ph\": \"M\"}]}");
    let source = &d.sources[0];
    assert_eq!((d.len(), source.without_model.rows, d.time_s[0]), (1, 1, 1e-6));
    assert_eq!(source.without_model_names[0].0, "aten::mm with a stride of 0");
    assert!((source.without_model.time_s - 2e-6).abs() < 1e-15 && source.lacks_no_shape());
    assert!(source.rejected.reasons[0].text.contains("a stride of 0"));
}

#[test]
fn a_product_with_a_stride_of_0_has_no_time_in_a_capture() {
    let strides = "\"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]";
    let expanded = format!("{strides}, \"Input Strides\": [[0, 0], [64, 1]]");
    let d = read_as("capture.json", capture().replacen(strides, &expanded, 1));
    let source = &d.sources[0];
    let skipped = source.rejected.reasons[0].count;
    assert_eq!((d.len(), skipped, source.without_model.rows), (1, 1, 0));
}

/// The rows of the experts trace: operation, part, sizes, groups, time in microseconds.
fn rows_of_experts(options: &ImportOptions) -> (gemmscope_table::dataset::Dataset, Vec<String>) {
    use gemmscope_table::dataset::ColumnMeaning;
    let text = include_str!("../../../../../../tests/fixtures/kineto/experts.json");
    let d = read_with("t.json", text, options);
    let part = d.columns.iter().find(|c| c.key == gemmscope_table::trace::PART_COLUMN).unwrap();
    let part = |row: usize| match &part.data {
        gemmscope_table::dataset::ColumnData::Text { codes, values } => {
            values[codes[row] as usize].clone()
        }
        gemmscope_table::dataset::ColumnData::Number(_) => String::new(),
    };
    let row = |r: usize| {
        let p = d.problem(r);
        format!(
            "{} {} {}x{}x{} {}x{} {} {:.0}",
            d.text(ColumnMeaning::OpName, r),
            part(r),
            p.m,
            p.n,
            p.k,
            p.op.a,
            p.op.b,
            p.op.groups.map_or_else(|| "-".to_owned(), |g| g.to_string()),
            d.time_s[r] * 1e6
        )
    };
    let rows = (0..d.len()).map(row).collect();
    (d, rows)
}

#[test]
fn experts_are_grouped_gemms() {
    let (d, rows) = rows_of_experts(&ImportOptions::default());
    assert_eq!(
        rows,
        [
            "vllm::inplace_fused_experts experts, up 192x2816x2048 bf16xbf16 E=64 k=6 260",
            "vllm::inplace_fused_experts experts, down 192x2048x1408 bf16xbf16 E=64 k=6 140",
            "vllm::rocm_aiter_fused_moe experts, up and down 32x22016x4096 fp8 E4M3 fnuzxfp8 E4M3 fnuz E=64 k=2 down=11008 900",
            "aten::_grouped_mm  4000x1408x2048 bf16xbf16 E=16 k=1 60",
            "aten::_grouped_mm  2048x1408x4000 bf16xbf16 E=16 k=1 along=K 70",
        ]
    );
    let source = &d.sources[0];
    assert_eq!(source.assumptions[0].key, "routing");
    // Kernels of a call whose inner size is unknown count as GEMM time without a model; the activation is not a GEMM.
    assert_eq!((source.without_model.rows, source.not_gemm.rows), (1, 1));
    assert!(source.notes.iter().any(|n| n.contains("8 bits too")), "{:?}", source.notes);
}

#[test]
fn the_rows_of_each_group_can_be_given() {
    let given = |rows: &str| {
        let mut options = ImportOptions::default();
        options.answers.insert("routing".to_owned(), rows.to_owned());
        rows_of_experts(&options)
    };
    let list = "1000 0 0 0 500 500 0 0 0 0 0 0 0 1000 500 500";
    let (d, rows) = given(list);
    assert!(rows[3].contains("E=16 active=6"), "{}", rows[3]);
    assert_eq!(d.group_rows(3).map(|rows| rows.len()), Some(16));
    // The list is for 16 groups, so rows with 64 groups stay as they are.
    assert!(rows[0].contains("E=64 k=6"), "{}", rows[0]);
    // Equal groups form a batch.
    let (d, rows) = given(&["250"; 16].join(","));
    assert!(rows[3].contains("250x1408x2048 bf16xbf16 -"), "{}", rows[3]);
    assert_eq!(d.batch[3], 16);
    let (d, _) = given("none");
    assert!(d.sources[0].notes.iter().any(|n| n.contains("neither")), "{:?}", d.sources[0].notes);
}
