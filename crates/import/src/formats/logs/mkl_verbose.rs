//! Timed CPU BLAS calls: `MKL_VERBOSE=1`, and the log of AOCL-BLAS (DTL). M, N, K follow the two
//! transpose letters, column-major.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "mkl-verbose",
    name: "MKL_VERBOSE",
    produced_by: "MKL_VERBOSE=1 ./app (oneMKL)",
    example: "MKL_VERBOSE SGEMM(N,N,64,512,256,0x7ffd,0x5581,64,0x5582,256,0x7ffe,0x5583,64) 29.10us CNR:OFF Dyn:1 FastMM:1 TID:0  NThr:2\n",
    read: ReadBy::Log(&LogFormat {
        results: &["MKL_VERBOSE {routine}({a},{b},{m},{n},{k},{}) {time} CNR"],
        library: "oneMKL",
        dtype: DataType::Fp32,
        ..LogFormat::DEFAULT
    }),
};

pub(crate) const AOCL: Format = Format {
    id: "aocl-dtl",
    name: "AOCL-BLAS log (DTL)",
    produced_by: "AOCL_VERBOSE=1 ./app (AOCL-BLAS built with AOCL_DTL_LOG_ENABLE), which writes P…_aocldtl_log.txt",
    example: "dgemm_ D N T 1024 512 256 1.000000 0.000000 1024 512 0.000000 0.000000 1024 nt=64 0.512 ms 524.288 GFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        // Alpha and beta are complex. Earlier versions omit the time, and the first ones also the type: sizes, column
        // and row strides, transposes, alpha and beta.
        results: &[
            "^{routine} {} {a} {b} {m} {n} {k} {number} {number} {whole} {whole} {beta} {} {whole} nt={whole} {ms} ms{rate}",
            "^{routine} {} {a} {b} {m} {n} {k} {number} {number} {whole} {whole} {beta} {number} {whole}",
            "^bli_gemm{} {m} {n} {k} {whole} {whole} {whole} {whole} {whole} {whole} {a} {b} {number} {number} {beta} {number}",
        ],
        library: "AOCL-BLAS",
        dtype: DataType::Fp64,
        ..LogFormat::DEFAULT
    }),
};

#[cfg(test)]
mod tests {
    use crate::testing::read;
    use gemmscope_model::dtype::DataType;

    #[test]
    fn earlier_logs_of_aocl_have_sizes_alone() {
        let d = read("sgemm_ s T N 16 32 64 1.000000 0.000000 64 64 0.000000 0.000000 16\n");
        assert_eq!((d.sources[0].format.as_str(), d.len()), ("aocl-dtl", 1));
        assert_eq!((d.m[0], d.n[0], d.k[0], d.time_s[0].is_nan()), (16, 32, 64, true));
        let d =
            read("bli_gemm_ex 16 32 64 16 64 16 1 1 1 t n 1.000000 0.000000 1.000000 0.000000\n");
        let p = d.problem(0);
        assert_eq!((p.m, p.n, p.k, p.op.a), (16, 32, 64, DataType::Fp64));
        assert!(p.op.trans_a && !p.op.trans_b && p.op.beta);
        assert!(d.sources[0].assumptions.iter().any(|a| a.key == "dtype"));
    }
}
