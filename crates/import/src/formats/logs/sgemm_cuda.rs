//! SGEMM_CUDA and its forks: `Average elapsed time: (0.005661) s, performance: (24277.4) GFLOPS. size: (4096).`

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "sgemm-cuda",
    name: "SGEMM_CUDA",
    produced_by: "./sgemm 6 | tee 6_output.txt (SGEMM_CUDA)",
    example: "Running kernel 6 on device 0.\ndimensions(m=n=k) 4096, alpha: 0.5, beta: 3\nAverage elapsed time: (0.005661) s, performance: (24277.4) GFLOPS. size: (4096).\n",
    read: ReadBy::Log(&LogFormat {
        above: &["!Running {kernel} on device", "beta: {beta}"],
        results: &["elapsed time: ({s}) {} performance: ({gflops}) GFLOPS {} size: ({square})"],
        notes: &["Times are rounded: the rates of short calls differ by more than 1 %."],
        dtype: DataType::Fp32,
        ..LogFormat::DEFAULT
    }),
};
