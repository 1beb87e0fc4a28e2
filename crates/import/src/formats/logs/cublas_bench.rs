//! NVIDIA's cuBLAS benchmark and the sample it is based on: type letters and sizes of a run, followed by its rate,
//! column-major. The time may be of one call or of all, and its unit is unreliable, so the rate is used.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "cublas-bench",
    name: "cublasMatmulBench and batchCUBLAS",
    produced_by: "cublasMatmulBench -P=hsh -m=8192 -n=9728 -k=16384 -ta=0 -tb=1 -T=1000 (NVIDIA), ./batchCUBLAS (CUDA samples)",
    example: "cublasMatmulBench -P=hsh -m=8192 -n=9728 -k=16384 -T=1000 -ta=0 -tb=1 -B=0\n\
              #### args: ta=N tb=T m=8192 n=9728 k=16384 lda=8192 ldb=9728 ldc=8192 loop=1000\n\
              ^^^^ CUDA : elapsed = 3.48132 sec,  Gflops = 750063.711\n",
    read: ReadBy::Log(&LogFormat {
        above: &[
            "!cublasMatmulBench{}-P={precision} ",
            "^Testing {routine}",
            " -m={m} ",
            " -n={n} ",
            " -k={k} ",
            " -ta={a} ",
            " -tb={b} ",
            "#### args: ta={a} tb={b} m={m} n={n} k={k}",
        ],
        results: &[
            "CUDA : elapsed = {number} sec, Gflops = {gflops}",
            "elapsed = {number} sec GFLOPS={gflops}",
        ],
        library: "cuBLAS",
        dtype: DataType::Fp16,
        ..LogFormat::DEFAULT
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn letters_of_the_types() {
        let op = |letters: &str| {
            let d = read(format!(
                "+ ./cublasMatmulBench -P={letters} -m=8192 -n=9728 -k=16384 -T=1000 -ta=1 -B=0\n\
                 ^^^^ CUDA : elapsed = 0.3481 sec,  Gflops = 750063.711\n"
            ));
            assert_eq!((d.sources[0].format.as_str(), d.len()), ("cublas-bench", 1));
            let p = d.problem(0);
            assert_eq!(
                (p.m, p.n, p.k, p.op.trans_a, p.op.trans_b),
                (8192, 9728, 16384, true, false)
            );
            [p.op.a, p.op.b, p.op.c]
        };
        use DataType::*;
        assert_eq!(op("hsh"), [Fp16; 3]);
        assert_eq!(op("tst"), [Bf16; 3]);
        assert_eq!(op("bisb_imma"), [Int8; 3]);
        assert_eq!(op("qqssq"), [Fp8E4m3; 3]);
        assert_eq!(op("sss_fast_tf32"), [Tf32, Tf32, Fp32]);
        assert_eq!(op("nvoohso"), [NvFp4; 3]);
    }

    #[test]
    fn the_sample_names_its_routine() {
        let d = read(
            "Testing sgemm\n#### args: ta=0 tb=0 m=128 n=64 k=32  alpha = (0xbf800000, -1) beta= (0x40000000, 2)\n\
             #### args: lda=128 ldb=128 ldc=128\n^^^^ elapsed = 0.00249505 sec  GFLOPS=2904.85\n\
             @@@@ sgemm test OK\n",
        );
        assert_eq!((d.len(), d.m[0], d.n[0], d.k[0]), (1, 128, 64, 32));
        assert_eq!(d.problem(0).op.a, DataType::Fp32);
    }
}
