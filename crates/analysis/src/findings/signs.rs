//! Signs: noticeable properties of a GEMM that hold no seconds of their own. A finding lists the signs of its GEMMs
//! with counts.

use super::{Group, Scan};
use crate::tile_roof::{RowTile, SplitK};
use gemmscope_model::dtype::Family;
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_model::roofline::Bound;
use gemmscope_model::tiling::kernel_name::{self, built_for};
use gemmscope_table::dataset::ColumnMeaning;
use serde::{Deserialize, Serialize};

/// A noticeable property of a GEMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Rows of A, B or C do not start at multiples of 16 bytes.
    Unaligned,
    /// M or N at most 64, and a tile at least twice as wide along it.
    SkinnyTile,
    /// A kernel built for an older tensor core generation than the device's, or a Tensile fallback.
    OlderKernel,
    /// At most one wave, not full, and K long enough for twice the split.
    SplitK,
    /// Fewer workgroups than units.
    FewWorkgroups,
    /// 16 calls or more of one shape, each short and at low efficiency.
    Repeats,
    /// Standard deviation over 20 % of the mean.
    Variance,
    /// [Launch-bound](Bound::Launch).
    LaunchBound,
    /// Groups of a grouped GEMM that fill less than half of the rows of their tiles.
    SmallGroups,
}

/// Number of GEMMs of a finding that have a sign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignCount {
    /// The sign.
    pub sign: Sign,
    /// The sign in words.
    pub title: String,
    /// Number of GEMMs.
    pub groups: u64,
    /// Their rows, ascending. Row numbers are not exported.
    #[serde(skip)]
    pub rows: Vec<u32>,
}

impl Sign {
    /// All signs.
    pub const ALL: [Sign; 9] = [
        Sign::Unaligned,
        Sign::SkinnyTile,
        Sign::OlderKernel,
        Sign::SplitK,
        Sign::FewWorkgroups,
        Sign::Repeats,
        Sign::Variance,
        Sign::LaunchBound,
        Sign::SmallGroups,
    ];

    /// The sign in words: `unaligned sizes`.
    pub fn label(self) -> &'static str {
        match self {
            Sign::Unaligned => "unaligned sizes",
            Sign::SkinnyTile => "tile too wide for a skinny shape",
            Sign::OlderKernel => "kernel of an older generation, or a fallback",
            Sign::SplitK => "K could be split further",
            Sign::FewWorkgroups => "fewer workgroups than units",
            Sign::Repeats => "repeated calls that could batch",
            Sign::Variance => "times that vary by over 20 %",
            Sign::LaunchBound => "launch-bound",
            Sign::SmallGroups => "groups smaller than their tiles",
        }
    }

    /// Condition for the sign, in words.
    pub fn threshold(self) -> &'static str {
        match self {
            Sign::Unaligned => "the rows of A, B or C are no multiple of 16 bytes",
            Sign::SkinnyTile => "M or N up to 64, and a tile at least twice as wide on that side",
            Sign::OlderKernel => {
                "the kernel's name is of sm_89 or older on a device of sm_90 or sm_100, or of a Tensile fallback"
            }
            Sign::SplitK => {
                "one wave at most, and K is long enough (512 a part) for twice the split"
            }
            Sign::FewWorkgroups => "fewer workgroups than SMs or CUs",
            Sign::Repeats => {
                "16 calls or more of one shape, each under 200 µs and under 40 % of the roof"
            }
            Sign::Variance => "standard deviation over 20 % of the mean, from 5 calls on",
            Sign::LaunchBound => {
                "the launch floor is over 30 % of the call, and the roof explains less than a fifth"
            }
            Sign::SmallGroups => {
                "the rows of a grouped GEMM are under half of those that the tiles of its groups hold"
            }
        }
    }
}

/// Tensor core generations from this on need their own instructions for their full rate: `wgmma` from 90, `tcgen05`
/// from 100 (PTX ISA).
const OWN: u32 = 90;
/// Width in bytes of vector loads and copy engines of current devices.
pub const ROW_BYTES: f64 = 16.0;
/// Maximum size of a skinny side.
const SKINNY: u32 = 64;
/// Minimum number of calls for batching, each shorter than 200 µs and below 40 % of the roof.
const MANY_CALLS: f64 = 16.0;
const LOW: f64 = 0.40;
const SHORT_CALL_S: f64 = 200e-6;
/// Parts of a transformer that run once per layer and depend on the layer before, so that calls cannot be batched.
const IN_TURN: [&str; 6] =
    ["qkv_proj", "o_proj", "out_proj", "gate_up_proj", "down_proj", "lm_head"];
/// Below this share of the rows of their tiles groups are small.
const FILLED: f64 = 0.5;
/// A standard deviation over mean above this is a sign, from five calls on.
const SPREAD: f64 = 0.20;
const MIN_CALLS: f64 = 5.0;

/// Groups between two pauses.
const GROUPS: usize = 1024;

/// By row, the signs of its group as bits. Awaits `pause` every few thousand rows.
pub(super) async fn of_rows(scan: &Scan<'_>, pause: &impl AsyncFn()) -> Vec<u16> {
    let mut out = vec![0; scan.data().len()];
    for groups in scan.groups.chunks(GROUPS) {
        for group in groups.iter().filter(|g| g.checked) {
            let (mut bits, tile) = (0, scan.tile(group));
            for (i, sign) in Sign::ALL.into_iter().enumerate() {
                bits |= u16::from(has(scan, group, sign, tile.as_ref())) << i;
            }
            if bits != 0 {
                scan.rows(group).iter().for_each(|r| out[*r as usize] = bits);
            }
        }
        pause().await;
    }
    out
}

/// True if a group has a sign; `tile` is its tile, if known.
pub(super) fn has(scan: &Scan<'_>, g: &Group, sign: Sign, tile: Option<&RowTile>) -> bool {
    let data = scan.data();
    match sign {
        Sign::Unaligned => !unaligned(&scan.problem(g)).is_empty(),
        Sign::SkinnyTile => tile.is_some_and(is_too_wide),
        Sign::OlderKernel => {
            let token = scan.device(g).map_or("", |d| d.arch_token.as_str());
            let newer = kernel_name::generation(token).is_some_and(|g| (OWN..120).contains(&g));
            let kernel = data.text(ColumnMeaning::Kernel, g.row as usize);
            let older = || built_for(kernel).is_some_and(|of| of < OWN);
            newer && older() || is_fallback(kernel)
        }
        Sign::SplitK => tile.is_some_and(|t| {
            let one = t.waves.is_some_and(|w| w.waves <= 1 && w.wave_efficiency < 0.8);
            one && t.split_k != SplitK::AtRunTime
                && t.split_k_room() >= t.split_k.factor().saturating_mul(2)
        }),
        Sign::FewWorkgroups => tile.is_some_and(|t| {
            let units = t.units.as_ref().map_or(0, |(units, _)| u64::from(*units));
            t.waves.is_some_and(|w| w.workgroups < units)
        }),
        Sign::Repeats => {
            let name = data.text(ColumnMeaning::OpName, g.row as usize);
            let many = scan.is_program(g) && g.calls >= MANY_CALLS;
            let short = g.call_s() < SHORT_CALL_S && g.efficiency() < LOW;
            many && short && !IN_TURN.iter().any(|part| name.ends_with(part))
        }
        Sign::Variance => {
            let enough = g.calls >= MIN_CALLS || g.calls == f64::from(g.len);
            let r = g.row as usize;
            enough && data.number(ColumnMeaning::TimeStd, r) > SPREAD * data.time_s[r]
        }
        Sign::LaunchBound => scan.bound(g) == Some(Bound::Launch),
        Sign::SmallGroups => tile.and_then(|t| t.fill).is_some_and(|fill| fill < FILLED),
    }
}

/// True for a Tensile fallback kernel, used if Tensile was built without kernels for the device and types.
pub fn is_fallback(kernel: &str) -> bool {
    kernel.starts_with("Cijk_") && kernel.to_ascii_lowercase().contains("fallback")
}

/// True for 8-bit and narrower operands.
pub fn is_quantized(op: &Operation) -> bool {
    [op.a, op.b].iter().any(|t| {
        matches!(
            t.family(),
            Some(Family::Fp8 | Family::Fp6 | Family::Fp4 | Family::Int8 | Family::Int4)
        )
    })
}

/// True if the tile is at least twice as wide as a skinny side.
fn is_too_wide(tile: &RowTile) -> bool {
    let [m, n, _, _] = tile.sizes;
    let too_wide =
        |size: u32, tile: u32| size <= SKINNY && tile >= size.saturating_mul(2) && tile > 16;
    too_wide(m, tile.tile.m) || too_wide(n, tile.tile.n)
}

/// Sizes contiguous in memory whose bytes are not a multiple of 16: name, size and bytes.
pub fn unaligned(p: &Problem) -> Vec<(&'static str, u32, f64)> {
    let op = &p.op;
    let rows = [
        if op.trans_a {
            ("M (rows of A, stored transposed)", p.m, op.a)
        } else {
            ("K (rows of A)", p.k, op.a)
        },
        if op.trans_b {
            ("K (rows of B, stored transposed)", p.k, op.b)
        } else {
            ("N (rows of B)", p.n, op.b)
        },
        ("N (rows of C)", p.n, op.c),
    ];
    rows.into_iter()
        .map(|(what, size, dtype)| (what, size, f64::from(size) * dtype.bytes()))
        .filter(|(_, size, bytes)| *size > 1 && bytes % ROW_BYTES != 0.0)
        .collect()
}
