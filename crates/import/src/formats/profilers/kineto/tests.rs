//! The trace reader on small traces.

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
    let started = std::time::Instant::now();
    let d = read_as("t.json", text);
    assert_eq!(d.len(), 3);
    assert_eq!((0..3).map(|r| d.count(r)).sum::<f64>(), 1999.0);
    assert!(started.elapsed().as_secs() < 60);
}

/// A capture of one graph: two multiplications of different shape by the same kernel, the second
/// with a reduction, and something else between them.
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

/// Two launches of a graph with these kernels.
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
        Some("1 kernel without shapes: also open the trace of the graph's capture")
    );

    let options = ImportOptions {
        captures: captured.sources[0].captures.clone(),
        ..ImportOptions::default()
    };
    let joined = read_with("t.json", run(&kernels), &options);
    assert_eq!(joined.k, [128, 256]);
    assert_eq!((0..2).map(|r| joined.count(r)).collect::<Vec<_>>(), [2.0, 2.0]);
    // The reduction belongs to its call.
    assert!((joined.time_s[0] - 1e-6).abs() < 1e-12 && (joined.time_s[1] - 7e-6).abs() < 1e-12);
    assert_eq!(joined.sources[0].graphs_with_capture, 2);
    assert_eq!(joined.sources[0].not_gemm.rows, 2);
    assert_eq!(joined.sources[0].not_gemm_names[0].0, "silu");

    // Another graph is not forced into this capture.
    let other = read_with("t.json", run(&["Cijk_gemm", "silu", "Cijk_gemm"]), &options);
    assert_eq!((other.len(), other.sources[0].graphs_without_capture), (0, 2));
}

/// A trace with a GEMM's kernel and other events of the device: category, name, start and duration.
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
    // Also on a clock that counts from 1970.
    for zero in [0.0, 1.7e15] {
        let t = timeline(&[
            // A copy that a kernel covers in part, one alone, and communication behind a kernel.
            ("gpu_memcpy", "Memcpy HtoD", zero + 90.0, 20.0),
            ("kernel", "k_gemm", zero + 100.0, 50.0),
            ("kernel", nccl, zero + 140.0, 30.0),
            ("gpu_memset", "Memset", zero + 180.0, 5.0),
            ("gpu_memcpy", "Memcpy DtoH", zero + 200.0, 10.0),
        ]);
        let is = |of: Option<f64>, us: f64| {
            let of = of.unwrap() * 1e6;
            // That clock has steps of a quarter of a microsecond.
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
