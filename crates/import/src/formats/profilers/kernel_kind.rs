//! Classifies kernels by name.

use crate::columns::words::holds;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::tiling::kernel_name::{KernelName, KernelRole};

/// Kind of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelKind {
    /// A matrix multiply.
    Gemm,
    /// A grouped or expert (MoE) matrix multiply, whose shape is not a single M, N, K.
    GroupedGemm,
    /// Fused attention.
    Attention,
    /// A convolution, including implicit GEMM.
    Convolution,
    /// Anything else.
    Other,
}

impl KernelKind {
    /// Classifies a kernel by its name and the name of the operation that launched it ("" if unknown).
    ///
    /// A word counts if it names the function, not as part of another word (`NumericArrayConverter`) or of the path
    /// (`vllm::attention::reshape_and_cache`).
    pub(crate) fn of(operation: &str, kernel: &str) -> KernelKind {
        KernelKind::of_parsed(operation, kernel, &KernelName::parse(kernel))
    }

    /// [`KernelKind::of`] with the kernel's name already parsed.
    pub(crate) fn of_parsed(operation: &str, kernel: &str, parsed: &KernelName) -> KernelKind {
        let gemm = names_gemm(kernel, parsed);
        let name = own_name(kernel);
        let lower = name.to_ascii_lowercase();
        if holds(&lower, "reshape_and_cache|kv_cache|concat_and_cache|quant_kernel") {
            return KernelKind::Other;
        }
        if holds(&lower, ATTENTION) && !holds(&lower, "attention_norm|softmax_warp") {
            return KernelKind::Attention;
        }
        if is_convolution(&name) || (is_convolution(operation_name(operation)) && gemm) {
            return KernelKind::Convolution;
        }
        let batched = || lower.starts_with("bmm_") && holds(&lower, "e4m3|e2m1|mxe|bfloat16|e5m2");
        if holds(&lower, GROUPED) || batched() {
            return KernelKind::GroupedGemm;
        }
        if gemm {
            return KernelKind::Gemm;
        }
        KernelKind::Other
    }

    /// True if its time counts as GEMM time.
    pub(crate) fn is_gemm_time(self) -> bool {
        matches!(self, KernelKind::Gemm | KernelKind::GroupedGemm)
    }
}

/// True if the name is that of a matrix multiply, also one with another word that makes it a convolution or attention.
fn names_gemm(kernel: &str, parsed: &KernelName) -> bool {
    let lower = kernel.to_ascii_lowercase();
    match parsed.kind {
        KernelRole::Helper => false,
        _ if lower.contains("softmax") => false,
        KernelRole::Gemm | KernelRole::MatrixVector => true,
        KernelRole::Unknown => holds(&lower, "gemm|matmul|nvjet|cijk_|_mm_|gemv"),
    }
}

/// The operation as this kernel computes it: with fp32 operands in TF32 if its name says so, which a framework's
/// operand types do not tell.
pub(crate) fn as_computed(op: Operation, kernel: &str) -> Operation {
    let tf32 =
        op.compute == DataType::Fp32 && KernelName::parse(kernel).dtype == Some(DataType::Tf32);
    Operation { compute: if tf32 { DataType::Tf32 } else { op.compute }, ..op }
}

fn operation_name(operation: &str) -> &str {
    operation.rsplit("::").next().unwrap_or(operation)
}

/// The function's name without its path. Wrappers such as `cutlass::device_kernel` name the actual kernel in their
/// template arguments, which are kept.
fn own_name(kernel: &str) -> String {
    const WRAPPERS: [&str; 7] =
        ["device_kernel", "Kernel", "Kernel2", "kernel", "kentry", "kernel_entry", "launch_kernel"];
    let text = kernel.strip_prefix("void ").unwrap_or(kernel);
    let end = text.find(['<', '(']).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    let function = path.rsplit("::").next().unwrap_or(path);
    if WRAPPERS.contains(&function) { format!("{function}{rest}") } else { function.to_owned() }
}

const ATTENTION: &str = "flash_fwd|flash_bwd|flash_attn|flashattn|flash::|fmha|attention|sdpa|\
    paged_attn|attn_fwd|attn_bwd|mla_decode|mla_prefill";

const GROUPED: &str = "fused_moe|moe_gemm|moegemm|fmoe|moe_stage|moe_mxgemm|matmul_ogs|grouped_gemm|groupedgemm|grouped_mm|\
     finalize_matmul_scatter";

const CONVOLUTION: &str =
    "fprop|dgrad|wgrad|bwd_weight|bwd_data|implicit_convolve|implicitgemm|winograd|miopen";

/// True if the name contains a convolution word: `conv2d`, `_fprop_`, `implicit_convolve`.
fn is_convolution(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let igemm = lower.contains("igemm") && holds(&lower, "nhwc|nchw|fwd|bwd|wrw");
    igemm || holds(&lower, CONVOLUTION) || has_conv(&lower)
}

/// True for `conv` as a word: preceded by the start or a non-letter, and followed by the end, a non-letter, or a
/// suffix used for convolutions.
fn has_conv(lower: &str) -> bool {
    let bytes = lower.as_bytes();
    lower.match_indices("conv").any(|(at, _)| {
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let rest = &lower[at + 4..];
        // `cudnn_conv`, `grouped_conv_bwd`, and CK's camel case `GroupedConvFwd`.
        let starts =
            before.is_none_or(|b| !b.is_ascii_alphabetic()) || lower[..at].ends_with("grouped");
        let ends = rest.is_empty()
            || !rest.as_bytes()[0].is_ascii_alphabetic()
            || ["olve", "olution", "fwd", "bwd", "depthwise"].iter().any(|w| rest.starts_with(w));
        starts && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_inside_another_is_no_evidence() {
        for (operation, kernel, kind) in [
            (
                "",
                "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x3_tn_align8>(Params)",
                KernelKind::Gemm,
            ),
            (
                "",
                "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<Shape, NumericArrayConverter<half, float>>>(Params)",
                KernelKind::Gemm,
            ),
            (
                "",
                "void vllm::attention::reshape_and_cache_flash_kernel<unsigned short>(x)",
                KernelKind::Other,
            ),
            (
                "",
                "void cutlass::device_kernel<flash::FlashAttnFwdSm90<X>>(Params)",
                KernelKind::Attention,
            ),
            ("", "fmha_fwd_d128_bf16_causal", KernelKind::Attention),
            ("", "igemm_fwd_gtcx2_nhwc_fp16_bx0_ex1_bt256x64x32", KernelKind::Convolution),
            (
                "",
                "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32",
                KernelKind::Convolution,
            ),
            (
                "",
                "void cudnn::cnn::implicit_convolve_sgemm<float, 1024>(int)",
                KernelKind::Convolution,
            ),
            ("aten::miopen_convolution", "Cijk_Ailk_Bljk_SB_MT64x64x8_SN", KernelKind::Convolution),
            ("", "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x8x512_s3_et128x8", KernelKind::GroupedGemm),
            ("", "fused_moe_kernel", KernelKind::GroupedGemm),
            ("", "nvjet_tst_128x256_64x4_2x1_v_bz_TNT", KernelKind::Gemm),
            (
                "",
                "void at::native::vectorized_elementwise_kernel<4, FillFunctor<long>>(int)",
                KernelKind::Other,
            ),
        ] {
            assert_eq!(KernelKind::of(operation, kernel), kind, "{operation} {kernel}");
        }
    }
}
