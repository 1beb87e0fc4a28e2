//! Advice that fits the device and the type of a GEMM.

use super::{Group, Scan};
use gemmscope_model::dtype::{DataType, Family};
use gemmscope_model::hardware::Device;

/// A type must raise the peak at least this many times to be worth a word.
const FASTER: f64 = 1.5;

/// Types that may take the place of another, the least narrow first. None for integers and for
/// 8 bit and less: what is narrower needs another model, not another flag.
fn narrower(of: DataType) -> &'static [DataType] {
    match of.family() {
        Some(Family::Fp64) => &[DataType::Fp32],
        Some(Family::Fp32) => &[DataType::Tf32, DataType::Bf16, DataType::Fp16],
        Some(Family::Tf32) => &[DataType::Bf16, DataType::Fp16],
        Some(Family::Fp16 | Family::Bf16) => &[DataType::Fp8E4m3, DataType::Int8],
        _ => &[],
    }
}

/// The types that the device multiplies at least 1.5 times as fast.
pub(super) fn faster_types(device: &Device, of: DataType) -> Vec<DataType> {
    let peak = |t: DataType| device.peak_for(t).map(|p| p.flops_per_s);
    let Some(now) = peak(of) else {
        return Vec::new();
    };
    narrower(of)
        .iter()
        .copied()
        .filter(|t| peak(*t).is_some_and(|p| p >= FASTER * now))
        .collect()
}

/// True for 8-bit and narrower operands.
pub(crate) fn is_quantized(op: &gemmscope_model::gemm::Operation) -> bool {
    [op.a, op.b].iter().any(|t| {
        matches!(
            t.family(),
            Some(Family::Fp8 | Family::Fp6 | Family::Fp4 | Family::Int8 | Family::Int4)
        )
    })
}

/// `tf32 or bf16`, of the types that the device of a group multiplies faster; "" if there is none.
pub(super) fn types(scan: &Scan<'_>, group: &Group) -> String {
    let of = scan.problem(group).op.compute;
    let found = scan
        .device(group)
        .map_or_else(Vec::new, |d| faster_types(d, of));
    let names: Vec<&str> = found.iter().map(|t| t.name()).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
    }
}

/// What to try in the algorithm or the model for a compute-bound GEMM below its roof.
pub(super) fn compute_path(scan: &Scan<'_>, group: &Group) -> String {
    if is_quantized(&scan.problem(group).op) {
        return "Validate the quantisation scheme and its calibration: scaling and conversion take \
                time that the roof does not know. A larger batch spreads them."
            .to_owned();
    }
    let types = types(scan, group);
    let narrower = if types.is_empty() {
        String::new()
    } else {
        format!(", a narrower type ({types}) if the numbers allow it")
    };
    format!(
        "Ask whether the product is needed at this size: a larger batch, a fused \
         neighbour{narrower}, or structured sparsity change the roof itself."
    )
}

/// What to try in the algorithm or the model for a memory-bound GEMM below the bandwidth.
pub(super) fn memory_path(scan: &Scan<'_>, group: &Group) -> String {
    let quantise = if is_quantized(&scan.problem(group).op) {
        "validate that the quantised operands are stored packed"
    } else if types(scan, group).is_empty() {
        "store the weights in a narrower type"
    } else {
        "quantise the weights (8 or 4 bit)"
    };
    format!(
        "Move fewer bytes: fuse the neighbouring elementwise operations, {quantise}, or batch \
         requests so that one read of the weights serves more rows."
    )
}
