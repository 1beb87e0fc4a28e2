//! Commands of the libraries' own clients: hipBLASLt, rocBLAS, CUTLASS.

use super::types::{cutlass_accumulator, hipblaslt_compute, names};
use super::{CALLS, Case, Tool, WARM_UP, head};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;

/// Shell lines with the operands of a column-major product for the clients of AMD's libraries; `trans` is their option
/// for the layout.
fn operands(p: &Problem, trans: &str, [a, b, c]: [&str; 3], compute: &str) -> String {
    let (Problem { m, n, k, batch, .. }, op) = (*p, p.op);
    let flag = |t: bool| if t { 'T' } else { 'N' };
    let area = |a: u32, b: u32| u64::from(a) * u64::from(b);
    let (lda, ldb) = (if op.trans_a { k } else { m }, if op.trans_b { n } else { k });
    let batched = match batch {
        1 => String::new(),
        _ => format!(
            "  --batch_count {batch} --stride_a {} --stride_b {} --stride_c {} --stride_d {} \\\n",
            area(m, k),
            area(k, n),
            area(m, n),
            area(m, n)
        ),
    };
    format!(
        "  -m {m} -n {n} -k {k} --{trans}A {} --{trans}B {} \\\n  --lda {lda} --ldb {ldb} --ldc {m} --ldd {m} \\\n{batched}  --a_type {a} --b_type {b} --c_type {c} --d_type {c} --compute_type {compute}",
        flag(op.trans_a),
        flag(op.trans_b)
    )
}

/// The command for a column-major product, without the number of timed calls.
pub(crate) fn hipblaslt_call(p: &Problem) -> Result<String, String> {
    let types = names(&p.op, Tool::HipblasltBench)?;
    // One of the types that the client accepts for a bias.
    let bias = match types[2] {
        _ if !p.op.bias => String::new(),
        c @ ("f16_r" | "bf16_r") => format!("  --bias_vector --bias_type {c} \\\n"),
        _ => "  --bias_vector --bias_type f32_r \\\n".to_owned(),
    };
    Ok(format!(
        "hipblaslt-bench \\\n{} \\\n{bias}  --alpha 1 --beta {}",
        operands(p, "trans", types, hipblaslt_compute(p.op.compute)),
        u8::from(p.op.beta)
    ))
}

pub(super) fn hipblaslt(case: &Case) -> Result<String, String> {
    Ok(format!(
        "{}# The library's own pick is timed, as programs get it; --requested_solution -1 times all.\n{} --iters {CALLS} --cold_iters {WARM_UP} \\\n  --algo_method heuristic --requested_solution 1 --rotating 512 --print_kernel_info\n",
        head(case, "#!/bin/sh\n#"),
        hipblaslt_call(&case.stored(true).problem)?
    ))
}

/// Types that rocBLAS multiplies in one call: of A and B, of C and D, and of the sum.
const ROCBLAS_TYPES: [[&str; 3]; 8] = [
    ["f64_r", "f64_r", "f64_r"],
    ["f32_r", "f32_r", "f32_r"],
    ["f16_r", "f16_r", "f32_r"],
    ["f16_r", "f32_r", "f32_r"],
    ["f16_r", "f16_r", "f16_r"],
    ["bf16_r", "bf16_r", "f32_r"],
    ["bf16_r", "f32_r", "f32_r"],
    ["i8_r", "i32_r", "i32_r"],
];

pub(super) fn rocblas(case: &Case) -> Result<String, String> {
    let p = &case.stored(true).problem;
    let [a_type, b_type, c_type] = names(&p.op, Tool::RocblasBench)?;
    // 8-bit integers are summed in a wider type, whatever the output type.
    let c_type = if a_type == "i8_r" { "i32_r" } else { c_type };
    let compute = match p.op.compute {
        DataType::Fp64 => "f64_r",
        DataType::Int8 => "i32_r",
        _ => "f32_r",
    };
    if a_type != b_type || !ROCBLAS_TYPES.contains(&[a_type, c_type, compute]) {
        return Err(format!("rocblas-bench multiplies no {a_type} by {b_type} into {c_type}"));
    }
    let mut out = head(case, "#!/bin/sh\n#");
    if p.op.bias {
        out.push_str("# The bias is left out: rocBLAS has no epilogue.\n");
    }
    out.push_str(
        "# Operands stay in the caches between calls; with --flush_memory_size 536870912 (newer \
         versions) they do not.\n",
    );
    let function = if p.batch > 1 { "gemm_strided_batched_ex" } else { "gemm_ex" };
    // fp32 operands multiplied in tf32.
    let mode = if p.op.compute == DataType::Tf32 { " --math_mode 1" } else { "" };
    out.push_str(&format!(
        "rocblas-bench -f {function} \\\n{}{mode} \\\n  --alpha 1 --beta {} --iters {CALLS} --cold_iters {WARM_UP}\n",
        operands(p, "transpose", [a_type, b_type, c_type], compute),
        u8::from(p.op.beta)
    ));
    Ok(out)
}

/// The command for a product, without the number of timed calls.
pub(crate) fn cutlass_call(p: &Problem, column_major: bool) -> Result<String, String> {
    let [a, b, c] = names(&p.op, Tool::CutlassProfiler)?;
    let order = |transposed: bool| if transposed == column_major { "row" } else { "column" };
    let class = if p.op.compute == DataType::Fp32 { "simt" } else { "tensorop" };
    Ok(format!(
        "cutlass_profiler --operation=Gemm \\\n  --m={} --n={} --k={} --batch_count={} \\\n  --A={a}:{} --B={b}:{} --C={c}:{} --accumulator-type={} --op_class={class} \\\n  --alpha=1 --beta={}",
        p.m,
        p.n,
        p.k,
        p.batch,
        order(p.op.trans_a),
        order(p.op.trans_b),
        order(false),
        cutlass_accumulator(p.op.compute),
        u8::from(p.op.beta)
    ))
}

pub(super) fn cutlass(case: &Case) -> Result<String, String> {
    let call = cutlass_call(&case.problem, case.column_major)?;
    let mut out = head(case, "#!/bin/sh\n#");
    if case.problem.op.bias {
        out.push_str("# The bias is left out.\n");
    }
    if let Some(t) = case.tile {
        let k = t.k.map_or(String::new(), |k| format!(" --cta_k={k}"));
        out.push_str(&format!(
            "# Only the measured tile: add --cta_m={} --cta_n={}{k}\n",
            t.m, t.n
        ));
    }
    out.push_str(&format!(
        "# All kernels that were built for these types are timed.\n{call} --profiling-iterations={CALLS} --warmup-iterations={WARM_UP} \\\n  --output=replay\n"
    ));
    Ok(out)
}
