//! What the kernels of the rows were built for, by their names: the device can only be one that runs them.

use crate::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_model::hardware::{Device, match_target};
use gemmscope_model::tiling::kernel_name::{generation, target};

/// Rows and names that are looked at: the first of them tell.
const MOST_ROWS: usize = 100_000;
const MOST_NAMES: usize = 2000;

/// The compiler target that the kernels of each of the [`devices`](Dataset::devices) need: of NVIDIA's the newest,
/// as a device runs older ones too. `None` where no name tells, or names contradict each other.
pub fn kernel_targets(data: &Dataset) -> Vec<Option<String>> {
    let mut all = vec![Targets::None; data.devices.len()];
    let kernels = data.column(ColumnMeaning::Kernel).map(|c| &c.data);
    if let Some(ColumnData::Text { codes, values }) = kernels {
        // The device that a name was last met with.
        let mut met = vec![None; values.len()];
        let mut names = 0;
        for (&code, &device) in codes.iter().zip(&data.device).take(MOST_ROWS) {
            let last = &mut met[code as usize];
            if *last == Some(device) || names == MOST_NAMES {
                continue;
            }
            *last = Some(device);
            names += 1;
            if let Some(name) = target(&values[code as usize]) {
                all[usize::from(device)].add(name);
            }
        }
    }
    all.into_iter().map(Targets::one).collect()
}

/// The devices of the catalogue that kernels with this target run on. None for a target that newer
/// devices run too: kernels for `sm_80` tell little, those for `sm_90` use what only Hopper has.
pub fn devices_for(target: &str) -> Vec<&'static Device> {
    const OWN: u32 = 90;
    match generation(target) {
        Some(old) if old < OWN => Vec::new(),
        _ => match_target(target, None).candidates(),
    }
}

#[derive(Clone)]
enum Targets {
    None,
    One(String),
    Several,
}

impl Targets {
    fn add(&mut self, other: String) {
        let newest = match self {
            Targets::None => Targets::One(other),
            Targets::One(known) if *known == other => return,
            Targets::One(known) => match (generation(known), generation(&other)) {
                (Some(a), Some(b)) if a < b => Targets::One(other),
                (Some(_), Some(_)) => return,
                _ => Targets::Several,
            },
            Targets::Several => return,
        };
        *self = newest;
    }

    fn one(self) -> Option<String> {
        match self {
            Targets::One(name) => Some(name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Rows;

    /// The target of kernels on a device that no file names.
    fn told(kernels: &[&str]) -> Option<String> {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for kernel in kernels {
            rows.table().set_text(column, kernel.as_bytes());
            rows.row((64, 64, 64), "", 1e-6, "");
        }
        kernel_targets(&rows.frame(None).data).swap_remove(0)
    }

    #[test]
    fn kernels_tell_their_device_where_they_agree() {
        let amd = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA942";
        let other = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA950";
        let new = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
        let old = "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x4";
        assert_eq!(told(&[amd, "gemv", amd]).as_deref(), Some("gfx942"));
        assert_eq!(told(&[old, new, old]).as_deref(), Some("sm_90"));
        assert_eq!(told(&[amd, other]), None);
        assert_eq!(told(&[amd, new]), None);
        assert_eq!(told(&["", "gemv"]), None);
    }
}
