//! Reports of the CUTLASS profiler and of the CUTLASS and CuTe DSL examples: a paragraph per problem, with the sizes as
//! arguments, after `Problem Size:` or `mnkl:`, or on a line each, followed by the time.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "cutlass-report",
    name: "CUTLASS profiler or example (printed report)",
    produced_by: "cutlass_profiler --operation=Gemm --m=4096 --n=4096 --k=4096, or an example such as 48_hopper_warp_specialized_gemm (CUTLASS)",
    example: "  Operation: cutlass_tensorop_s16816gemm_f16_256x128_32x3_nt_align8\n\
              \x20 Disposition: Passed\n\
              \x20 Arguments: --gemm_kind=universal --m=4096 --n=2048 --k=1024 --A=f16:column --B=f16:row --C=f32:column --batch_count=1\n\
              \x20 Runtime: 0.0763  ms\n\
              \x20 Math: 225141 GFLOP/s\n",
    read: ReadBy::Log(&LogFormat {
        above: &[
            "!^Operation: {kernel}",
            "^Disposition: {status}",
            "Arguments: {=}",
            "Problem Size: {shape}",
            "timing iterations of {shape} matrix-matrix multiply",
            "!^mnkl: ({m}, {n}, {k}, {batch})",
            "^AB dtype: {dtype},",
            "^A dtype: {dtype_a},",
            ", B dtype: {dtype_b},",
            ", C dtype: {dtype_c},",
            ", D dtype: {dtype_d},",
            "^Matrix majors - A: {major_a}, B: {major_b},",
            "^M = {m}",
            "^N = {n}",
            "^K = {k}",
        ],
        // The last one is from the SYCL examples and CuTe's tutorial.
        results: &[
            "^Runtime : {ms} ms",
            "^Avg runtime : {ms} ms",
            "^Execution time: {us} microseconds",
            "^Execution time: {us} us",
            "[{rate} ({ms})ms",
        ],
        below: &["Math: {gflops} GFLOP/s", "GFLOPS: {gflops}", "GFLOPs: {gflops}"],
        also: checked,
        library: "CUTLASS",
        others: Others::Unsaid,
        ..LogFormat::DEFAULT
    }),
};

/// Applies the verdict, and the contiguous dimensions of A and B as CuTe DSL names them: k and n
/// correspond to T and T in BLAS.
fn checked(s: &SlotValues<'_>, e: &mut Entry, _: &mut LogRows<'_>) {
    let (status, majors) = (s.get("status"), [s.get("major_a"), s.get("major_b")]);
    let passed = ["", "passed", "not verified", "not_verified"];
    e.amend(|row| match passed.contains(&status.to_ascii_lowercase().as_str()) {
        true if majors == ["", ""] => Ok(row),
        true => Ok(Row { op: row.op.with_layout(majors[0] == "k", majors[1] == "n"), ..row }),
        false => Err(RowError::new(format!("Disposition is {status}"))),
    });
}
