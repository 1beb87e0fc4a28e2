//! DeepBench on CPUs: one line per result, `SGEMM(N,N,512,32,512) 24.6 usec 682.47 GFlop/sec`.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "deepbench-log",
    name: "DeepBench log (CPU)",
    produced_by: "./run_mkl_sgemm_ia.sh | tee sgemm.txt (DeepBench/code/intel/sgemm)",
    example: "SGEMM(N,N,512,32,512) 24.6 usec 682.47345 GFlop/sec\n",
    read: ReadBy::Log(&LogFormat {
        results: &[
            "{routine}({a},{b},{m},{n},{k}) {us} usec {gflops} GFlop/sec",
            "{routine}({a},{b},{m},{n},{k}) {ms} msec {gflops} GFlop/sec",
        ],
        dtype: DataType::Fp32,
        ..LogFormat::DEFAULT
    }),
};
