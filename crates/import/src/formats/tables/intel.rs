//! Reports of Intel's Triton benchmarks: run parameters as JSON in one cell, and one rate.

use super::*;
use serde_json::Value;

pub(crate) const FORMAT: Format = Format {
    id: "intel-triton",
    name: "Intel Triton benchmark report",
    produced_by: "python build_report.py matmul-performance.csv report.csv --benchmark gemm --compiler triton --param_cols B,M,K,N --tflops_col Triton-TFlops --hbm_col Triton-GB/s (intel-xpu-backend-for-triton)",
    example: "params,tflops,hbm_gbs,run_uuid,datetime,benchmark,compiler,gpu_device\n\
              \"{\"\"B\"\": 1, \"\"M\"\": 4096, \"\"K\"\": 4096, \"\"N\"\": 4096}\",281.3,206.1,0c3d,2025-05-05 07:00:00,gemm,triton,Intel(R) Data Center GPU Max 1550\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["params", "tflops", "benchmark", "compiler"]],
        columns: &[
            column(&["params"], Ignore),
            column(&["gpu_device"], Device),
            column(&["compiler"], Library),
            column(&["benchmark"], OpName),
            number(&["tflops"], ReportedRate, TERA),
            number(&["hbm_gbs"], ReportedBandwidth, GIGA),
        ],
        dtype: DataType::Bf16,
        hook: Some(parameters),
        ..TableFormat::DEFAULT
    }),
};

/// M, N, K and batch from the parameters.
fn parameters(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let params: Value = serde_json::from_str(&cells.text("params"))
        .map_err(|_| cells.error("params", "params is not a JSON object"))?;
    let size = |name: &str| match params.get(name) {
        None => Err(cells.error("params", NO_SIZES)),
        Some(v) => cell::size(v.to_string().trim_matches('"').as_bytes())
            .map_err(|flaw| cells.error("params", flaw.of(name).reason)),
    };
    let batch = match ["B", "Z"].iter().find(|n| params.get(**n).is_some()) {
        Some(name) => Some(size(name)?),
        None => None,
    };
    Ok(Given { sizes: Some([size("M")?, size("N")?, size("K")?]), batch, ..Given::default() })
}
