//! The architecture a kernel was built for, from its name.

use super::scan::words;

/// Tensor core generation that a CUTLASS or cuBLAS kernel was built for: 80 of `cutlass_80_tensorop_…`,
/// `ampere_bf16_s16816gemm_…` and `sm80_xmma_gemm_…`. `None` for kernels without tensor cores, and if the name does not
/// tell.
pub fn built_for(name: &str) -> Option<u32> {
    let mut words = words(name).peekable();
    let mut found = None;
    while let Some(word) = words.next() {
        let number = |text: &str| {
            let generation = text.trim_end_matches(['a', 'f']).parse().ok();
            generation.filter(|n| (70..200).contains(n))
        };
        found = found.or(match word {
            "simt" | "sgemm" | "dgemm" => return None,
            "volta" => Some(70),
            "turing" => Some(75),
            "ampere" => Some(80),
            "cutlass" => words.peek().and_then(|next| number(next)),
            _ => ["sm", "Sm"].iter().find_map(|sm| number(word.strip_prefix(sm)?)),
        });
    }
    found
}

/// Compiler target of a kernel, in the devices' notation: `gfx942` of Tensile's `…_ISA942_…`, `sm_90` of
/// `sm90_xmma_gemm_…`. `None` if the name does not tell.
///
/// ```
/// use gemmscope_model::tiling::kernel_name::{runs_on, target};
/// let kernel = target("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA942").ok_or("not told")?;
/// assert_eq!(kernel, "gfx942");
/// assert!(runs_on(&kernel, "gfx942") && !runs_on(&kernel, "sm_90"));
/// # Ok::<(), &str>(())
/// ```
pub fn target(name: &str) -> Option<String> {
    let amd = words(name).find_map(|word| {
        let token = word.strip_prefix("ISA").or(word.strip_prefix("gfx"))?;
        let told =
            (3..=4).contains(&token.len()) && token.starts_with(|c: char| c.is_ascii_digit());
        told.then(|| format!("gfx{}", token.to_lowercase()))
    });
    amd.or_else(|| built_for(name).map(|generation| format!("sm_{generation}")))
}

/// True if a device of compiler target `device` can run a kernel built for `kernel`: newer NVIDIA devices run older
/// kernels, AMD devices only their own. True if the device's target is unknown.
pub fn runs_on(kernel: &str, device: &str) -> bool {
    match (generation(kernel), generation(device)) {
        (Some(kernel), Some(device)) => kernel <= device,
        _ => device.is_empty() || kernel == device,
    }
}

/// Number of an NVIDIA target: 90 of `sm_90`.
pub fn generation(target: &str) -> Option<u32> {
    let number = target.strip_prefix("sm_")?;
    number.trim_end_matches(['a', 'f']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_names_tell() {
        for (name, told) in [
            ("Cijk_Alik_Bljk_HHS_BH_MT64x64x32_MI32x32x8x1_ISA90a_IU1", Some("gfx90a")),
            ("kernel.kd_gfx1201", Some("gfx1201")),
            ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", Some("sm_90")),
            ("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x4", Some("sm_80")),
            ("Cijk_Ailk_Bjlk_HBH_MT64x64x16_SE_FL0", None),
            ("void ISAAC_gfx9(float)", None),
            ("", None),
        ] {
            assert_eq!(target(name).as_deref(), told, "{name}");
        }
    }

    #[test]
    fn devices_that_cannot_run_a_kernel() {
        for (kernel, device, runs) in [
            ("sm_80", "sm_90", true),
            ("sm_90", "sm_80", false),
            ("sm_90", "gfx942", false),
            ("gfx942", "gfx942", true),
            ("gfx942", "gfx950", false),
            ("gfx942", "sm_90", false),
            ("gfx942", "", true),
        ] {
            assert_eq!(runs_on(kernel, device), runs, "{kernel} on {device}");
        }
    }
}
