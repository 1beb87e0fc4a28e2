//! Infers from kernel names which device the rows ran on: only one that can run these kernels.

use crate::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_model::hardware::{Device, match_target};
use gemmscope_model::tiling::kernel_name::{generation, target};

/// Maximum number of kernel names looked at per device or file.
const MOST_NAMES: usize = 2000;

/// Compiler target that the kernels of each of the [`devices`](Dataset::devices) need; for NVIDIA the newest, since a
/// device runs older kernels too. `None` if no name tells, or names contradict each other.
pub fn kernel_targets(data: &Dataset) -> Vec<Option<String>> {
    targets_by(data, data.devices.len(), &|r| Some(data.device[r]))
}

/// Targets of `groups` groups of rows.
fn targets_by(
    data: &Dataset,
    groups: usize,
    group_of: &dyn Fn(usize) -> Option<u16>,
) -> Vec<Option<String>> {
    let mut all = vec![Targets::None; groups];
    let kernels = data.column(ColumnMeaning::Kernel).map(|c| &c.data);
    if let Some(ColumnData::Text { codes, values }) = kernels {
        // By kernel name: the group it was last seen in.
        let mut met = vec![None; values.len()];
        let mut names = vec![0; groups];
        for (r, &code) in codes.iter().enumerate() {
            let Some(group) = group_of(r) else { continue };
            let (last, at) = (&mut met[code as usize], usize::from(group));
            if *last == Some(group) || names[at] == MOST_NAMES {
                continue;
            }
            *last = Some(group);
            names[at] += 1;
            if let Some(name) = target(&values[code as usize]) {
                all[at].add(name);
            }
        }
    }
    all.into_iter().map(Targets::one).collect()
}

/// Distinguishes unnamed devices: if the kernels of two files without a device cannot have run on the same device, each
/// file gets the target as its device name, provided no other device runs that target.
pub(crate) fn tell_apart(data: &mut Dataset) {
    if data.sources.len() < 2 {
        return;
    }
    let unnamed = |r: usize| (data.device[r] == 0).then_some(data.source[r]);
    let targets = targets_by(data, data.sources.len(), &unnamed);
    let known: Vec<&String> = targets.iter().flatten().collect();
    let runs = |kernel: &str, device: &str| {
        kernel == device || !is_own(kernel) && generation(device).is_some()
    };
    let apart = |a: &&String| known.iter().any(|b| !runs(a, b) && !runs(b, a));
    if !known.iter().any(apart) {
        return;
    }
    for (source, target) in targets.iter().enumerate() {
        let Some(target) = target.as_ref().filter(|t| is_own(t)) else { continue };
        data.state_device(source, target);
        data.sources[source].notes.push(format!(
            "No device is named. The kernels were built for {target}, those of another file for another \
             device, so they are taken for two."
        ));
    }
}

/// True for a target that only one architecture runs: `sm_80` kernels run on newer devices too, `sm_90` kernels use
/// features that only Hopper has.
fn is_own(target: &str) -> bool {
    generation(target).is_none_or(|generation| generation >= 90)
}

/// Catalogue devices that run kernels of this target. Empty for a target that newer devices run too.
pub fn devices_for(target: &str) -> Vec<&'static Device> {
    match is_own(target) {
        true => match_target(target, None).candidates(),
        false => Vec::new(),
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

    /// Target of kernels on a device that no file names.
    fn told(kernels: &[&str]) -> Option<String> {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for kernel in kernels {
            rows.table().set_text(column, kernel.as_bytes());
            rows.row((64, 64, 64), "", 1e-6, "");
        }
        kernel_targets(&rows.frame(None).data).swap_remove(0)
    }

    const AMD: &str = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA942";
    const HOPPER: &str = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
    const AMPERE: &str = "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x4";

    #[test]
    fn kernels_tell_their_device_where_they_agree() {
        let (amd, new, old) = (AMD, HOPPER, AMPERE);
        let other = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA950";
        assert_eq!(told(&[amd, "gemv", amd]).as_deref(), Some("gfx942"));
        assert_eq!(told(&[old, new, old]).as_deref(), Some("sm_90"));
        assert_eq!(told(&[amd, other]), None);
        assert_eq!(told(&[amd, new]), None);
        assert_eq!(told(&["", "gemv"]), None);
    }

    #[test]
    fn files_without_a_device_are_told_apart_by_kernels_that_one_device_cannot_run() {
        let devices = |kernels: &[&str]| -> Vec<String> {
            let table = |kernel: &&str| {
                let mut rows = Rows::new();
                let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
                rows.table().set_text(column, kernel.as_bytes());
                rows.row((64, 64, 64), "", 1e-6, "");
                Dataset::clone(&rows.frame(None).data)
            };
            let mut tables = kernels.iter().map(table);
            let mut all = tables.next().unwrap_or_default();
            tables.for_each(|table| all.append(table));
            tell_apart(&mut all);
            all.device.iter().map(|d| all.devices[usize::from(*d)].clone()).collect()
        };
        assert_eq!(devices(&[AMD, HOPPER, AMD]), ["gfx942", "sm_90", "gfx942"]);
        // Files without a target, or with one that newer devices run too, stay unnamed.
        assert_eq!(devices(&[AMD, AMPERE, "gemv"]), ["gfx942", "", ""]);
        assert_eq!(devices(&[HOPPER, AMPERE]), ["", ""]);
        assert_eq!(devices(&[AMD, "gemv", AMD]), ["", "", ""]);
    }
}
