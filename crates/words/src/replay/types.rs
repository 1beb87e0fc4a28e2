//! Names of types in the tools, for replays and for the commands of a plan.

use super::Tool;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;

/// Names of each type in PyTorch, rocBLAS, hipBLASLt and CUTLASS; "" if unsupported.
const NAMES: [(DataType, [&str; 4]); 12] = {
    use DataType::*;
    [
        (Fp64, ["torch.float64", "f64_r", "f64_r", "f64"]),
        (Fp32, ["torch.float32", "f32_r", "f32_r", "f32"]),
        (Tf32, ["torch.float32", "f32_r", "f32_r", "tf32"]),
        (Fp16, ["torch.float16", "f16_r", "f16_r", "f16"]),
        (Bf16, ["torch.bfloat16", "bf16_r", "bf16_r", "bf16"]),
        (Int4, ["", "", "", "s4"]),
        (Int8, ["torch.int8", "i8_r", "i8_r", "s8"]),
        (Int32, ["torch.int32", "i32_r", "i32_r", "s32"]),
        (Fp8E4m3, ["torch.float8_e4m3fn", "", "f8_r", "fe4m3"]),
        (Fp8E5m2, ["torch.float8_e5m2", "", "bf8_r", "fe5m2"]),
        (Fp8E4m3Fnuz, ["torch.float8_e4m3fnuz", "", "f8_fnuz_r", ""]),
        (Fp8E5m2Fnuz, ["torch.float8_e5m2fnuz", "", "bf8_fnuz_r", ""]),
    ]
};

/// A tool's name for a type.
fn name(t: DataType, tool: Tool) -> Option<&'static str> {
    let (_, [torch, rocblas, hipblaslt, cutlass]) = NAMES.iter().find(|(of, _)| *of == t)?;
    let name = match tool {
        Tool::Pytorch | Tool::Triton => torch,
        Tool::RocblasBench => rocblas,
        Tool::HipblasltBench => hipblaslt,
        Tool::CutlassProfiler => cutlass,
    };
    Some(*name).filter(|name| !name.is_empty())
}

/// A tool's names for the types of A, B and C; `Err` is a sentence that names the unsupported type.
pub(super) fn names(op: &Operation, tool: Tool) -> Result<[&'static str; 3], String> {
    let one = |t: DataType| {
        name(t, tool).ok_or_else(|| format!("{} takes no {t} operands", tool.label()))
    };
    Ok([one(op.a)?, one(op.b)?, one(op.c)?])
}

/// hipBLASLt's name for the type in which products are computed and summed.
pub(crate) fn hipblaslt_compute(t: DataType) -> &'static str {
    match t {
        DataType::Fp64 => "f64_r",
        DataType::Tf32 => "xf32_r",
        DataType::Int8 => "i32_r",
        _ => "f32_r",
    }
}

/// CUTLASS's name for the type in which products of `t` are summed.
pub(crate) fn cutlass_accumulator(t: DataType) -> &'static str {
    name(t.default_accumulate(), Tool::CutlassProfiler).unwrap_or("f32")
}
