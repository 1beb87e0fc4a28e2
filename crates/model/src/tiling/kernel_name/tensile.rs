//! Tensile (rocBLAS, hipBLASLt): words separated by underscores; `MT` is the macro tile.

use super::scan::{sizes_after_prefix, words};
use super::{KernelName, Library, tile_of};
use crate::dtype::from_tensile_code;

/// `Cijk_Alik_Bljk_BBS_BH_..._MT256x128x64_..._GSU2_..._SK3_..._WG32_8_1`.
pub(super) fn read(name: &str) -> Option<KernelName> {
    let tile = words(name).find_map(|word| sizes_after_prefix(word, "MT")).and_then(tile_of)?;
    // Other projects may write MT too, so require Tensile's index notation, or the matrix instruction of a custom
    // kernel.
    let index_notation = words(name).any(|word| word.len() == 4 && word.starts_with("Cij"));
    let instruction = words(name).any(|word| sizes_after_prefix(word, "MI").is_some());
    if !index_notation && !instruction {
        return None;
    }
    let mut parsed = KernelName {
        library: Library::Tensile,
        tile: Some(tile),
        orientation_swapped: true,
        ..KernelName::default()
    };
    let (mut a, mut b) = (None, None);
    let mut code: Option<Vec<&str>> = None;
    let mut code_open = false;
    for word in words(name) {
        match word {
            "Ailk" | "Ailkr" => a = Some(false),
            "Alik" => a = Some(true),
            "Bljk" => {
                b = Some(false);
                code_open = true;
                continue;
            }
            "Bjlk" => {
                b = Some(true);
                code_open = true;
                continue;
            }
            _ => {}
        }
        if code_open {
            let is_code = word.len() <= 6
                && !word.starts_with("MT")
                && word.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            if is_code {
                code.get_or_insert_default().push(word);
            } else {
                code_open = false;
            }
        }
        if let Some(rest) = word.strip_prefix("GSU") {
            match rest.parse::<u32>() {
                Ok(parts) if parts > 0 => parsed.split_k = Some(parts),
                // GSUAMB and GSUAMBSK: the factor is a launch argument.
                _ if rest.starts_with("AMB") => parsed.split_k_at_run_time = true,
                _ => {}
            }
        }
        if let Some(Ok(mode)) = word.strip_prefix("SK").map(str::parse::<u32>) {
            parsed.stream_k = Some(mode > 0);
        }
    }
    parsed.transposes = a.zip(b);
    if let Some(code) = code {
        let code = code.join("_");
        parsed.dtype = from_tensile_code(&code);
        parsed.type_code = Some(code);
    }
    parsed.threads = work_group(name);
    Some(parsed)
}

/// Threads per workgroup, the product in `_WG32_8_1` or `_WG16_16_1`.
fn work_group(name: &str) -> Option<u32> {
    let mut rest = words(name);
    let first: u32 = rest.find_map(|word| word.strip_prefix("WG")?.parse().ok())?;
    let second: u32 = rest.next()?.parse().ok()?;
    let third: u32 = rest.next()?.parse().ok()?;
    first.checked_mul(second)?.checked_mul(third)
}
