//! OpenBLAS's `benchmark/gemm`: ` M=  64, N=  64, K=  64 :   12345.67 MFlops   0.000042 sec`.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "openblas",
    name: "OpenBLAS benchmark",
    produced_by: "./sgemm.goto 256 4096 256 2>&1 | tee sgemm.txt (OpenBLAS/benchmark)",
    example: "          SIZE                   Flops             Time\n M=1024, N=1024, K=1024 :    85899.35 MFlops   0.025000 sec\n",
    read: ReadBy::Log(&LogFormat {
        results: &["M={m}, N={n}, K={k} : {mflops} MFlops {s} sec"],
        library: "OpenBLAS",
        notes: &["Times are rounded: the rates of short calls differ by more than 1 %."],
        dtype: DataType::Fp32,
        ..LogFormat::DEFAULT
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read_as;

    #[test]
    fn seconds_and_megaflops() {
        let text = "From :   1  To : 200 Step=1 : Transa=N : Transb=N\n          SIZE                   Flops             Time\n\
            \x20M=1024, N= 512, K=1024 :   107374.18 MFlops   0.010000 sec\n\
            \x20M=   1, N=   1, K=   1 :        0.00 MFlops   0.000000 sec\n";
        let d = read_as("dgemm.txt", text);
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), d.len(), s.rejected.total()), ("openblas", 1, 1));
        assert_eq!(s.reported_rate.within_1_percent, 1);
        assert_eq!(d.problem(0).op.a, DataType::Fp64);
    }
}
