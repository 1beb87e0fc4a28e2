//! LIBXSMM's `gemm_kernel`: sizes and types of a run, followed by the rates of the library and the reference,
//! column-major. Its seconds cover an unstated number of repetitions.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "libxsmm",
    name: "LIBXSMM gemm_kernel",
    produced_by: "./gemm_kernel F32 F32 F32 F32 512 512 512 512 512 512 1 1 0 0 0 0 nopf nobr 0 1 1000 0 (libxsmm/samples/xgemm)",
    example: "RUNNING (512x256) X (256x128) = (512x128)\n\
              a:BF16, b:BF16, comp:F32, c:F32, BR=1\n\
              0.000071s for creating jit\n\
              0.029381s for libxsmm\n\
              1755.189780 GFLOPS for libxsmm\n",
    read: ReadBy::Log(&LogFormat {
        above: &[
            "!^RUNNING ({}x{k}) X ({}x{}){b} = ({m}x{n})",
            "!^RUNNING ({k}x{})^{a} X ({}x{}){b} = ({m}x{n})",
            "a:{dtype_a}, b:{dtype_b}, comp:{}, c:{dtype_c}, BR={blocks}",
            "), {dtype}, BR={blocks}",
        ],
        results: &["{gflops} GFLOPS for {library}"],
        dtype: DataType::Fp32,
        ..LogFormat::DEFAULT
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn older_versions_name_one_type_and_the_reference() {
        let d = read(
            "RUNNING (32x16) X (16x8) = (32x8), F64, BR=2\n0.000071s for creating jit\n\
             0.529381s for C\n1.5 GFLOPS for C\n0.029381s for libxsmm\n55.0 GFLOPS for libxsmm\n",
        );
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), d.len(), d.problem(1).op.a), ("libxsmm", 2, DataType::Fp64));
        assert_eq!([d.m[1], d.n[1], d.k[1]], [32, 8, 32]);
        assert_eq!(d.text(ColumnMeaning::Library, 0), "C");
        assert!((d.time_s[1] - 2.0 * 32.0 * 8.0 * 32.0 / 55e9).abs() < 1e-18);
    }
}
