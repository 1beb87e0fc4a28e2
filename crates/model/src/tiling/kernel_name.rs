//! Parses kernel names: tile, split-K, types and more.
//!
//! Each library encodes its tile in kernel names in its own way. What a name does not state is `None`, never guessed:
//! `512x512` in an unknown name can be the problem size.
//!
//! ```
//! use gemmscope_model::tiling::kernel_name::KernelName;
//! let name = KernelName::parse("cutlass_tensorop_h16816gemm_256x128_32x3_nn_align8");
//! assert_eq!(name.tile.map(|tile| tile.to_string()).as_deref(), Some("256x128x32"));
//! assert_eq!(name.stages, Some(3));
//! ```

use super::Tile;
use crate::dtype::{DataType, from_blas_letter};

mod composable_kernel;
mod function;
mod scan;
mod target;
mod tensile;

pub use function::{communicates, function};
use scan::{Sizes, number_after, sizes, sizes_after_prefix, words};
pub use target::{built_for, generation, runs_on, target};

crate::named! {
/// The library of a kernel, as far as its name tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Library {
    /// Tensile: rocBLAS and hipBLASLt.
    Tensile = "Tensile";
    /// A Triton kernel with its block sizes in the name.
    Triton = "Triton";
    /// Composable Kernel, also through aiter.
    ComposableKernel = "Composable Kernel";
    /// CUTLASS, alone or inside cuBLAS.
    Cutlass = "CUTLASS";
    /// cuBLAS's own kernels: xmma, nvjet and the older `volta_sgemm` kind.
    CuBlas = "cuBLAS";
    /// MIOpen's implicit GEMM convolutions.
    MiOpen = "MIOpen";
    /// Assembly kernels of aiter.
    Aiter = "aiter";
    /// FlyDSL.
    FlyDsl = "FlyDSL";
    /// Opus.
    Opus = "Opus";
    /// The name does not tell.
    #[default]
    Unknown = "unknown";
}
/// The library's name as it spells it.
pub fn label -> &'static str;
}

/// What a kernel does, as far as its name tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelRole {
    /// A tiled matrix multiply (or an implicit one).
    Gemm,
    /// Matrix-vector and dot-product kernels, which have no tile of C.
    MatrixVector,
    /// Sums the partial results of split-K that another kernel computed.
    Helper,
    /// The name does not tell.
    #[default]
    Unknown,
}

/// What a kernel's name tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelName {
    /// The library.
    pub library: Library,
    /// What it does.
    pub kind: KernelRole,
    /// The tile in the name's own orientation; see [`KernelName::row_major_tile`].
    pub tile: Option<Tile>,
    /// Split-K factor, if the name has it.
    pub split_k: Option<u32>,
    /// The split-K factor is chosen at run time.
    pub split_k_at_run_time: bool,
    /// Pipeline stages.
    pub stages: Option<u32>,
    /// Stream-K: work of the last wave is spread over all units, so wave counts do not apply.
    pub stream_k: Option<bool>,
    /// Threads per workgroup.
    pub threads: Option<u32>,
    /// Warps per workgroup.
    pub warps: Option<u32>,
    /// Rows of tiles per group of the launch order (Triton's `GROUP_M`).
    pub group_m: Option<u32>,
    /// Transposes of A and B as the kernel's library sees them.
    pub transposes: Option<(bool, bool)>,
    /// Type of the operands.
    pub dtype: Option<DataType>,
    /// The library's code for its types: `BBS_BH`.
    pub type_code: Option<String>,
    /// The first tile number runs along the row-major N, because the library saw a column-major call. Holds for GEMMs
    /// issued by a row-major framework, not for a benchmark of the library itself, whose M and N are column-major
    /// already.
    pub orientation_swapped: bool,
    /// Built for sm90 or later, where kernels are persistent: the grid size is the SM count, so only the name tells the
    /// tile.
    pub persistent: bool,
}

impl KernelName {
    /// Parses a kernel's name. Accepts any text; all fields of an unknown name are `None`.
    pub fn parse(name: &str) -> Self {
        let mut parsed = read(name);
        if parsed.tile.is_some() && parsed.kind == KernelRole::Unknown {
            parsed.kind = KernelRole::Gemm;
        }
        parsed
    }

    /// The tile for a row-major problem, BM along its M.
    pub fn row_major_tile(&self) -> Option<Tile> {
        let tile = self.tile?;
        Some(if self.orientation_swapped { tile.swapped() } else { tile })
    }
}

fn read(name: &str) -> KernelName {
    let has = |part: &str| name.contains(part);
    if let Some(parsed) = tensile::read(name) {
        return parsed;
    }
    if has("PostGSU") || has("splitKreduce") || has("splitk_reduce") || has("splitKReduce") {
        return KernelName { kind: KernelRole::Helper, ..KernelName::default() };
    }
    if ["gemv", "GEMV", "wvSplitK", "dot_kernel", "LLMM1"].into_iter().any(has) {
        return KernelName { kind: KernelRole::MatrixVector, ..KernelName::default() };
    }
    matmul_ogs(name)
        .or_else(|| composable_kernel::read(name))
        .or_else(|| triton(name))
        .or_else(|| nvjet(name))
        .or_else(|| xmma(name))
        .or_else(|| igemm(name))
        .or_else(|| cutlass(name))
        .or_else(|| flydsl(name))
        .or_else(|| aiter(name))
        .or_else(|| macro_tile(name))
        .unwrap_or_default()
}

/// `mt64x128_sk1`, `mt256x128x64_splitk4`: macro tile and split-K in a configuration's name, of any library.
fn macro_tile(name: &str) -> Option<KernelName> {
    let size = |word| sizes_after_prefix(word, "mt").or_else(|| sizes_after_prefix(word, "MT"));
    let tile = words(name).find_map(size).and_then(tile_of)?;
    let parts = ["sk", "splitk", "split_k", "splitK"].into_iter();
    let split_k = parts.filter_map(|key| number_after(name, key)).find(|parts| *parts > 0);
    Some(KernelName { tile: Some(tile), split_k, dtype: type_word(name), ..KernelName::default() })
}

fn tile_of(sizes: Sizes) -> Option<Tile> {
    match sizes {
        Sizes::Two([m, n]) => Some(Tile { m, n, k: None }),
        Sizes::Three([m, n, k]) => Some(Tile { m, n, k: Some(k) }),
        Sizes::Four(_) => None,
    }
}

/// `tn`, `NT`, or three letters of which the third is the output's.
fn transposes(word: &str) -> Option<(bool, bool)> {
    let flag = |letter: u8| match letter.to_ascii_lowercase() {
        b't' => Some(true),
        b'n' => Some(false),
        _ => None,
    };
    match word.as_bytes() {
        [a, b] => Some((flag(*a)?, flag(*b)?)),
        [a, b, c] => {
            flag(*c)?;
            Some((flag(*a)?, flag(*b)?))
        }
        _ => None,
    }
}

/// The first word of more than one letter that names a type.
fn type_word(name: &str) -> Option<DataType> {
    words(name).filter(|word| word.len() >= 2).find_map(|word| match DataType::parse_noting(word) {
        Some(parsed) if parsed.assumed.is_none() => Some(parsed.dtype),
        _ => None,
    })
}

/// Block sizes as Triton's constants, in a name or in a printed configuration.
fn triton(name: &str) -> Option<KernelName> {
    let size = |axis: &str| {
        number_after(name, &format!("BLOCK_SIZE_{axis}"))
            .or_else(|| number_after(name, &format!("BLOCK_{axis}")))
            .filter(|size| *size > 0)
    };
    let (m, n) = (size("M")?, size("N")?);
    let split_k = number_after(name, "NUM_KSPLIT").or_else(|| number_after(name, "SPLIT_K"));
    Some(KernelName {
        library: Library::Triton,
        tile: Some(Tile { m, n, k: size("K") }),
        split_k,
        stages: number_after(name, "num_stages"),
        warps: number_after(name, "num_warps"),
        group_m: number_after(name, "GROUP_SIZE_M").or_else(|| number_after(name, "GROUP_M")),
        dtype: type_word(name),
        ..KernelName::default()
    })
}

/// `_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu` of Triton's kernels: layouts and types of the output, A and B,
/// then BM x BN x BK x split-K.
fn matmul_ogs(name: &str) -> Option<KernelName> {
    let start = name.find("matmul_ogs")?;
    let name = &name[start..];
    let (m, n, k, split_k) = words(name).find_map(|word| match sizes(word) {
        Some(Sizes::Four([m, n, k, split_k])) => Some((m, n, k, split_k)),
        _ => None,
    })?;
    let of_a = |word: &str| {
        let (output, operands) = word.split_once('x')?;
        let (a, _) = operands.split_once('x')?;
        DataType::parse(output).and(DataType::parse(a))
    };
    Some(KernelName {
        library: Library::Triton,
        tile: Some(Tile { m, n, k: Some(k) }),
        split_k: Some(split_k),
        dtype: words(name).find_map(of_a),
        ..KernelName::default()
    })
}

/// `nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT`: tile, BK x stages, cluster.
fn nvjet(name: &str) -> Option<KernelName> {
    let start = name.find("nvjet_")?;
    let name = &name[start..];
    let mut pairs = words(name).filter_map(|word| match sizes(word) {
        Some(Sizes::Two(pair)) => Some(pair),
        _ => None,
    });
    let [m, n] = pairs.next()?;
    let deep = pairs.next();
    Some(KernelName {
        library: Library::CuBlas,
        tile: Some(Tile { m, n, k: deep.map(|[k, _]| k) }),
        stages: deep.map(|[_, stages]| stages),
        split_k_at_run_time: name.contains("splitK"),
        transposes: words(name).last().filter(|word| word.len() == 3).and_then(transposes),
        // Letters of A, B, accumulator and C.
        dtype: words(name).find_map(|word| match word {
            "tst" => Some(DataType::Bf16),
            "hsh" => Some(DataType::Fp16),
            "qqtst" => Some(DataType::Fp8E4m3),
            _ => None,
        }),
        persistent: true,
        orientation_swapped: true,
        ..KernelName::default()
    })
}

/// `sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_...`.
fn xmma(name: &str) -> Option<KernelName> {
    let tile =
        words(name).find_map(|word| sizes_after_prefix(word, "tilesize")).and_then(tile_of)?;
    Some(KernelName {
        library: Library::CuBlas,
        tile: Some(tile),
        transposes: words(name).find_map(transposes),
        // In `f32f32_tf32f32_f32` the second word is the type of the multiplication.
        dtype: words(name)
            .find_map(|word| word.starts_with("tf32").then_some(DataType::Tf32))
            .or_else(|| words(name).find_map(doubled_type)),
        persistent: for_sm90_or_later(name),
        orientation_swapped: true,
        ..KernelName::default()
    })
}

/// `bf16bf16`: the types of A and B written together.
fn doubled_type(word: &str) -> Option<DataType> {
    let half = word.len() / 2;
    let (a, b) = (word.get(..half)?, word.get(half..)?);
    (a == b && a.len() >= 2).then(|| DataType::parse(a)).flatten()
}

/// `igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt256x64x8_wt64x16x4_...`.
fn igemm(name: &str) -> Option<KernelName> {
    if !name.contains("igemm_") {
        return None;
    }
    let tile = words(name).find_map(|word| sizes_after_prefix(word, "bt")).and_then(tile_of)?;
    Some(KernelName {
        library: Library::MiOpen,
        tile: Some(tile),
        split_k_at_run_time: words(name).any(|word| word == "gkgs"),
        dtype: type_word(name),
        ..KernelName::default()
    })
}

/// CUTLASS 2 (`_256x128_32x3_nn_`), CUTLASS 3 (`_128x128x64_1x2x1_0_tnn_`) and cuBLAS kernels named alike
/// (`ampere_s16816gemm_fp16_256x128_ldg8_stages_64x3_nn`, `volta_sgemm_128x64_nn`).
fn cutlass(name: &str) -> Option<KernelName> {
    let is_cutlass = name.contains("cutlass");
    let is_cublas = ["ampere_", "volta_", "turing_", "maxwell_", "hopper_", "sm80_", "sm90_"]
        .iter()
        .any(|prefix| name.contains(prefix));
    if !is_cutlass && !is_cublas {
        return None;
    }
    // `cutlass_80_…`: CUTLASS's own names have no generation there; these kernels are in cuBLAS, whose calls are
    // column-major.
    let in_cublas = words(name)
        .skip_while(|word| *word != "cutlass")
        .nth(1)
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    const MULTIPLIES: [&str; 4] = ["gemm", "fprop", "dgrad", "wgrad"];
    let multiplies = |word: &str| MULTIPLIES.iter().any(|part| word.contains(part));
    // A demangled template repeats the name; the first occurrence is enough.
    let mut rest = words(name).skip_while(|word| !multiplies(word)).peekable();
    let operation = *rest.peek()?;
    let mut parsed = KernelName {
        library: if is_cutlass { Library::Cutlass } else { Library::CuBlas },
        kind: KernelRole::Gemm,
        // `s1688gemm` without a type name: fp32 operands, multiplied in TF32.
        dtype: type_word(name)
            .or_else(|| (operation == "s1688gemm").then_some(DataType::Tf32))
            .or_else(|| blas_letter(operation)),
        persistent: for_sm90_or_later(name),
        orientation_swapped: !is_cutlass || in_cublas,
        ..KernelName::default()
    };
    let mut stages_next = false;
    for word in rest {
        match (sizes(word), parsed.tile) {
            (Some(found @ (Sizes::Two(_) | Sizes::Three(_))), None) => parsed.tile = tile_of(found),
            (Some(Sizes::Two([k, stages])), Some(tile))
                if tile.k.is_none() && (stages_next || parsed.stages.is_none()) =>
            {
                parsed.tile = Some(Tile { k: Some(k), ..tile });
                parsed.stages = Some(stages);
            }
            _ => {}
        }
        stages_next = word == "stages";
        if parsed.tile.is_some()
            && let Some(found) = transposes(word)
        {
            parsed.transposes = Some(found);
            break;
        }
    }
    Some(parsed)
}

/// `sgemm` is fp32, `h16816gemm` fp16 by its accumulator; `s16816gemm` alone does not tell the operand type.
fn blas_letter(word: &str) -> Option<DataType> {
    let mut letters = word.chars();
    let first = letters.next()?;
    letters.as_str().starts_with("gemm").then(|| from_blas_letter(first)).flatten()
}

fn for_sm90_or_later(name: &str) -> bool {
    words(name).any(|word| {
        word.strip_prefix("sm")
            .and_then(|digits| digits.parse::<u32>().ok())
            .is_some_and(|version| version >= 90)
    })
}

/// `flydsl_gemm4_abf16_wbf16_bf16_t16x64x256_split_k4_...`.
fn flydsl(name: &str) -> Option<KernelName> {
    if !name.contains("flydsl") {
        return None;
    }
    let tile = words(name).find_map(|word| sizes_after_prefix(word, "t")).and_then(tile_of)?;
    Some(KernelName {
        library: Library::FlyDsl,
        tile: Some(tile),
        split_k: number_after(name, "split_k"),
        dtype: type_word(name),
        ..KernelName::default()
    })
}

/// Names in aiter's tuning files: `a8w8_rowwise_256x16x64x512_16x16_...` and Opus have the block size before the tile,
/// assembly kernels only two numbers.
fn aiter(name: &str) -> Option<KernelName> {
    // The thread count is a power of two of at least one wave, unlike a scale block 1x128x128.
    let with_threads = words(name).find_map(|word| match sizes(word) {
        Some(Sizes::Four([threads, m, n, k]))
            if threads.is_power_of_two() && (32..=1024).contains(&threads) =>
        {
            Some((threads, Tile { m, n, k: Some(k) }))
        }
        _ => None,
    });
    let split_k_at_run_time = words(name).any(|word| word == "splitk");
    if let Some((threads, tile)) = with_threads {
        return Some(KernelName {
            library: if name.contains("opus") { Library::Opus } else { Library::ComposableKernel },
            tile: Some(tile),
            threads: Some(threads),
            split_k_at_run_time,
            dtype: type_word(name),
            ..KernelName::default()
        });
    }
    let is_assembly = name.contains("aiter")
        || name.contains("fmoe_")
        || words(name).any(|word| {
            word.strip_suffix("gemm").is_some_and(|dtype| DataType::parse(dtype).is_some())
        });
    if !is_assembly {
        return None;
    }
    let tile = words(name)
        .filter_map(|word| sizes(word.strip_suffix('E').unwrap_or(word)))
        .find_map(|found| match found {
            Sizes::Two(_) => tile_of(found),
            _ => None,
        })?;
    Some(KernelName {
        library: Library::Aiter,
        tile: Some(tile),
        split_k_at_run_time,
        transposes: words(name).find_map(transposes),
        dtype: type_word(name),
        ..KernelName::default()
    })
}

#[cfg(test)]
mod tests;
