//! Composable Kernel: the tile has fixed positions among the template arguments, in mangled and in readable names.

use super::scan::{Sizes, leading_number, sizes, words};
use super::{KernelName, Library};
use crate::tiling::Tile;

pub(super) fn read(name: &str) -> Option<KernelName> {
    let start = name.find("Gridwise").or_else(|| name.find("DeviceGemm"));
    let (threads, tile) = match start {
        Some(start) => {
            let name = &name[start..];
            if name.contains("ELi") {
                mangled(name)?
            } else {
                readable(name).or_else(|| instance(name))?
            }
        }
        None => instance(name)?,
    };
    let is_convolution = name.contains("conv");
    Some(KernelName {
        library: Library::ComposableKernel,
        tile: Some(tile),
        threads,
        transposes: if is_convolution { None } else { layouts(name) },
        ..KernelName::default()
    })
}

type Found = (Option<u32>, Tile);

fn tile(m: u32, n: u32, k: u32) -> Option<Tile> {
    (m > 0 && n > 0 && k > 0).then_some(Tile { m, n, k: Some(k) })
}

/// Block size and tile at the start of a list of integers. In block-scaled kernels the three sizes of the scale block
/// lie between them.
fn of_list(list: &[u32], scaled: bool) -> Option<Found> {
    let (block, rest) = list.split_first()?;
    let rest = if scaled { rest.get(3..)? } else { rest };
    match rest {
        [m, n, k, ..] => Some((Some(*block), tile(*m, *n, *k)?)),
        _ => None,
    }
}

fn is_scaled(gridwise: &str) -> bool {
    let end = gridwise.find(['<', 'I']).unwrap_or(gridwise.len());
    let head = &gridwise[..end];
    head.contains("ABScale") || head.contains("BlockScale")
}

/// `GridwiseGemm...<..., (ck::...::GemmSpecialization)0, 256, 16, 128, 256, ...>`.
fn readable(name: &str) -> Option<Found> {
    let marker = "GemmSpecialization)";
    let at = name.find(marker)? + marker.len();
    let list: Vec<u32> =
        name[at..].split(',').skip(1).map_while(|part| part.trim().parse().ok()).collect();
    of_list(&list, is_scaled(name))
}

/// `...GemmSpecializationE7ELi128ELi16ELi32ELi64E...`: integers are `Li<n>E`. The first long run holds the tile; the
/// text before the run tells what else is in it.
fn mangled(name: &str) -> Option<Found> {
    const LONG: usize = 8;
    let bytes = name.as_bytes();
    let mut at = 0;
    while let Some(found) = name.get(at..).and_then(|rest| rest.find("Li")) {
        let start = at + found;
        let mut list = Vec::new();
        let mut end = start;
        while let Some(rest) = name.get(end..).and_then(|rest| rest.strip_prefix("Li")) {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Some(number) = leading_number(rest) else {
                break;
            };
            if rest.as_bytes().get(digits) != Some(&b'E') {
                break;
            }
            list.push(number);
            end += 2 + digits + 1;
        }
        if list.len() >= LONG {
            let before = name.get(..start).unwrap_or_default();
            return if ends_with_enum(before, "GemmSpecialization") {
                of_list(&list, is_scaled(name))
            } else if ends_with_enum(before, "InMemoryDataOperationEnum") {
                // The number of prefetch stages comes first.
                of_list(list.get(1..)?, false)
            } else {
                // The block size is the template's first argument, far earlier.
                let block = name.split_once("ILi").and_then(|(_, rest)| leading_number(rest));
                match list[..] {
                    [m, n, k, ..] => Some((block, tile(m, n, k)?)),
                    _ => None,
                }
            };
        }
        at = end.max(start + 2);
        if at >= bytes.len() {
            break;
        }
    }
    None
}

/// True if the text ends with a value of this enum: `GemmSpecializationE7E`.
fn ends_with_enum(text: &str, name: &str) -> bool {
    text.strip_suffix('E')
        .map(|text| text.trim_end_matches(|c: char| c.is_ascii_digit()))
        .and_then(|text| text.strip_suffix('E'))
        .is_some_and(|text| text.ends_with(name))
}

/// An instance as the profiler prints it: `BlkSize: 256, BlkTile: 224x256x64`.
fn instance(name: &str) -> Option<Found> {
    let (_, rest) = name.split_once("BlkTile")?;
    let Some(Sizes::Three([m, n, k])) = words(rest).next().and_then(sizes) else {
        return None;
    };
    let block = name.split_once("BlkSize").and_then(|(_, rest)| words(rest).next()?.parse().ok());
    Some((block, tile(m, n, k)?))
}

/// Transposes of A and B: column-major is transposed.
fn layouts(name: &str) -> Option<(bool, bool)> {
    let mut found = words(name).filter_map(|word| {
        if word.ends_with("RowMajor") {
            Some(false)
        } else if word.ends_with("ColumnMajor") {
            Some(true)
        } else {
            None
        }
    });
    found.next().zip(found.next())
}
