//! Names of the types in the tools: one table a tool, for replays and for the commands of a plan.

use gemmscope_model::dtype::DataType;

/// Names in rocBLAS.
pub(super) fn rocm_type(t: DataType) -> Option<&'static str> {
    Some(match t {
        DataType::Fp64 => "f64_r",
        DataType::Fp32 | DataType::Tf32 => "f32_r",
        DataType::Fp16 => "f16_r",
        DataType::Bf16 => "bf16_r",
        DataType::Int8 => "i8_r",
        DataType::Int32 => "i32_r",
        _ => return None,
    })
}

/// Names in hipBLASLt.
pub(crate) fn hipblaslt_type(t: DataType) -> Option<&'static str> {
    rocm_type(t).or(match t {
        DataType::Fp8E4m3 => Some("f8_r"),
        DataType::Fp8E5m2 => Some("bf8_r"),
        DataType::Fp8E4m3Fnuz => Some("f8_fnuz_r"),
        DataType::Fp8E5m2Fnuz => Some("bf8_fnuz_r"),
        _ => None,
    })
}

/// What hipBLASLt calls the type that products are multiplied and summed in.
pub(crate) fn hipblaslt_compute(t: DataType) -> &'static str {
    match t {
        DataType::Fp64 => "f64_r",
        DataType::Tf32 => "xf32_r",
        DataType::Int8 => "i32_r",
        _ => "f32_r",
    }
}

/// Names in CUTLASS.
pub(crate) fn cutlass_type(t: DataType) -> Option<&'static str> {
    Some(match t {
        DataType::Fp64 => "f64",
        DataType::Fp32 => "f32",
        DataType::Tf32 => "tf32",
        DataType::Fp16 => "f16",
        DataType::Bf16 => "bf16",
        DataType::Int8 => "s8",
        DataType::Int4 => "s4",
        DataType::Int32 => "s32",
        DataType::Fp8E4m3 => "fe4m3",
        DataType::Fp8E5m2 => "fe5m2",
        _ => return None,
    })
}

/// What CUTLASS calls the type that products of `t` are summed in.
pub(crate) fn cutlass_accumulator(t: DataType) -> &'static str {
    cutlass_type(t.default_accumulate()).unwrap_or("f32")
}
