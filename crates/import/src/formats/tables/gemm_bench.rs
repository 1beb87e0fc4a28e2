//! gemm-bench (github.com/paulhondola/gemm-bench): square sizes on CPUs and GPUs, times in ms.

use super::*;

#[rustfmt::skip]
pub(crate) const FORMAT: Format = Format {
    id: "gemm-bench",
    name: "gemm-bench results (CSV)",
    produced_by: "gemm-bench by paulhondola (its CSV of results)",
    example: "kernel,backend,device,precision,n,threads,gops,mean_rel_error_f64,median_ms,min_ms,stddev_ms,block_size,repetitions,host,commit,timestamp\n\
              tiled,cpu,Apple M2,f32,1024,8,214.7,1e-7,10.0,9.8,0.2,64,10,mac,0c3d,2025-01-01\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["kernel", "backend", "precision", "n", "gops", "median_ms"]],
        sizes: &[column(&["n"], Square)],
        columns: &[
            column(&["precision"], Dtype), column(&["device"], Device), number(&["median_ms"], Time, MILLI),
            column(&["kernel"], Kernel), column(&["backend"], Library), number(&["gops"], ReportedRate, GIGA),
            number(&["min_ms"], TimeMin, MILLI), number(&["stddev_ms"], TimeStd, MILLI),
        ],
        ..TableFormat::DEFAULT
    }),
};
