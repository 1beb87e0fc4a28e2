//! TritonBench tables: `(M, N, K)` in the first cell, titles of backend and metric (`aten_matmul-tflops`); a cell may
//! be `CUDA OOM`, and the last line is an average.

use super::*;
use crate::cell::shape_text;

pub(crate) const FORMAT: Format = Format {
    id: "tritonbench",
    name: "TritonBench table",
    produced_by: "python run.py --op gemm --metrics latency,tflops --csv --output gemm.csv (TritonBench)",
    example: "x_val;aten_matmul-latency;aten_matmul-tflops;triton_tutorial_matmul-latency;triton_tutorial_matmul-tflops\n\
              (4096, 4096, 4096);0.2312 (±1.2%);594.4;0.2502 (±2.0%);549.3\n",
    read: ReadBy::Table(&TableFormat {
        claim,
        // The first column, whatever its title.
        sizes: &[column(&[], Mnk)],
        columns: &[BATCHES],
        figure: Some(figure),
        dtype_of: Some(|head| match head.first().contains("bf16") {
            true => DataType::Bf16,
            false => DataType::Fp16,
        }),
        ..TableFormat::DEFAULT
    }),
};

/// Splits `aten_matmul-tflops` into backend and metric.
fn figure(title: &str) -> Option<Figure<'_>> {
    let (backend, metric) = title.rsplit_once('-')?;
    Some(match metric {
        "latency" => Figure::In(backend, Quantity::Time, MILLI),
        "tflops" => Figure::In(backend, Quantity::Rate, TERA),
        "gbps" => Figure::In(backend, Quantity::Bandwidth, GIGA),
        other if OTHER_METRICS.split('|').any(|m| m == other) => Figure::Kept(backend, metric),
        _ => return None,
    })
}

/// Metrics that are kept unchanged.
const OTHER_METRICS: &str = "speedup|accuracy|walltime|compile_time|best_config|mem_footprint|ncu_trace|\
    cpu_peak_mem|gpu_peak_mem|hw_roofline|kineto_trace|error";

fn claim(head: &Head) -> Option<Claim> {
    let at = head.lines.iter().position(|l| !l.trim().is_empty())?;
    let fields = Head::fields(&head.lines[at]);
    let metrics = fields.iter().filter(|f| matches!(figure(f), Some(Figure::In(..)))).count();
    let tuples = head.lines[at + 1..]
        .iter()
        .filter(|l| shape_text::sizes(Head::fields(l)[0]).len() >= 3)
        .count();
    (metrics > 0 && tuples > 0).then(|| Claim::signature(2))
}
