//! Commands of the libraries' own clients: hipBLASLt, rocBLAS, CUTLASS.

use super::types::{
    cutlass_accumulator, cutlass_type, hipblaslt_compute, hipblaslt_type, rocm_type,
};
use super::{CALLS, Case, Tool, WARM_UP, head, names};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;

/// A column-major call.
struct Blas {
    m: u32,
    n: u32,
    k: u32,
    trans: [char; 2],
    types: [DataType; 3],
    ld: [u32; 3],
    strides: [u64; 3],
}

fn blas(case: &Case) -> Blas {
    let Problem { m, n, k, op, .. } = case.stored(true).problem;
    let flag = |t: bool| if t { 'T' } else { 'N' };
    let area = |a: u32, b: u32| u64::from(a) * u64::from(b);
    Blas {
        m,
        n,
        k,
        trans: [flag(op.trans_a), flag(op.trans_b)],
        types: [op.a, op.b, op.c],
        ld: [if op.trans_a { k } else { m }, if op.trans_b { n } else { k }, m],
        strides: [area(m, k), area(k, n), area(m, n)],
    }
}

pub(super) fn hipblaslt(case: &Case) -> Result<String, String> {
    let (p, b) = (&case.problem, blas(case));
    let [a_type, b_type, c_type] = names(b.types, hipblaslt_type, Tool::HipblasltBench)?;
    let compute = hipblaslt_compute(p.op.compute);
    let mut out = head(case, "#!/bin/sh\n#");
    out.push_str(&format!(
        "# All solutions of the library are timed; the best stands last.\nhipblaslt-bench \\\n  -m {} -n {} -k {} --transA {} --transB {} \\\n  --lda {} --ldb {} --ldc {} --ldd {} \\\n",
        b.m, b.n, b.k, b.trans[0], b.trans[1], b.ld[0], b.ld[1], b.ld[2], b.ld[2]
    ));
    if p.batch > 1 {
        out.push_str(&format!(
            "  --batch_count {} --stride_a {} --stride_b {} --stride_c {} --stride_d {} \\\n",
            p.batch, b.strides[0], b.strides[1], b.strides[2], b.strides[2]
        ));
    }
    out.push_str(&format!(
        "  --a_type {a_type} --b_type {b_type} --c_type {c_type} --d_type {c_type} --compute_type {compute} \\\n"
    ));
    if p.op.bias {
        // One of the types that the client accepts for a bias.
        let bias = match c_type {
            "f16_r" | "bf16_r" => c_type,
            _ => "f32_r",
        };
        out.push_str(&format!("  --bias_vector --bias_type {bias} \\\n"));
    }
    out.push_str(&format!(
        "  --alpha 1 --beta {} --iters {CALLS} --cold_iters {WARM_UP} \\\n  --algo_method heuristic --requested_solution -1 --rotating 512 --print_kernel_info\n",
        u8::from(p.op.beta)
    ));
    Ok(out)
}

/// Types of A and B, of C and D, and of the sum that rocBLAS multiplies in one call.
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
    let (p, b) = (&case.problem, blas(case));
    let [a_type, b_type, c_type] = names(b.types, rocm_type, Tool::RocblasBench)?;
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
    let (function, batch) = if p.batch > 1 {
        let [sa, sb, sc] = b.strides;
        (
            "gemm_strided_batched_ex",
            format!(
                "  --batch_count {} --stride_a {sa} --stride_b {sb} --stride_c {sc} --stride_d {sc} \\\n",
                p.batch
            ),
        )
    } else {
        ("gemm_ex", String::new())
    };
    // fp32 operands multiplied in a shorter format.
    let mode = if p.op.compute == DataType::Tf32 { " --math_mode 1" } else { "" };
    out.push_str(&format!(
        "rocblas-bench -f {function} \\\n  -m {} -n {} -k {} --transposeA {} --transposeB {} \\\n  --lda {} --ldb {} --ldc {} --ldd {} \\\n{batch}  --a_type {a_type} --b_type {b_type} --c_type {c_type} --d_type {c_type} --compute_type {compute}{mode} \\\n  --alpha 1 --beta {} --iters {CALLS} --cold_iters {WARM_UP}\n",
        b.m, b.n, b.k, b.trans[0], b.trans[1], b.ld[0], b.ld[1], b.ld[2], b.ld[2],
        u8::from(p.op.beta)
    ));
    Ok(out)
}

pub(super) fn cutlass(case: &Case) -> Result<String, String> {
    let p = &case.problem;
    let [a, b, c] = names([p.op.a, p.op.b, p.op.c], cutlass_type, Tool::CutlassProfiler)?;
    let accumulator = cutlass_accumulator(p.op.compute);
    let order = |transposed: bool| {
        if transposed == case.column_major { "row" } else { "column" }
    };
    let class = if p.op.compute == DataType::Fp32 { "simt" } else { "tensorop" };
    let mut out = head(case, "#!/bin/sh\n#");
    if p.op.bias {
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
        "# All kernels that were built for these types are timed.\ncutlass_profiler --operation=Gemm \\\n  --m={} --n={} --k={} --batch_count={} \\\n  --A={a}:{} --B={b}:{} --C={c}:{} --accumulator-type={accumulator} --op_class={class} \\\n",
        p.m, p.n, p.k, p.batch, order(p.op.trans_a), order(p.op.trans_b), order(false)
    ));
    out.push_str(&format!(
        "  --alpha=1 --beta={} --profiling-iterations={CALLS} --warmup-iterations={WARM_UP} \\\n  --output=replay\n",
        u8::from(p.op.beta)
    ));
    Ok(out)
}
