//! The settings of a kernel that can be an axis of a tile map.

/// A setting of a kernel: one axis of a tile map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// BN, the tile's width along N.
    Bn,
    /// BM, the tile's height along M.
    Bm,
    /// BM x BN.
    BmBn,
    /// BK, the depth.
    Bk,
    /// Split-K factor.
    SplitK,
    /// Pipeline stages.
    Stages,
    /// Warps of a workgroup.
    Warps,
}

impl Axis {
    /// Every axis, in the order of the menu.
    pub const ALL: [Axis; 7] =
        [Axis::Bn, Axis::Bm, Axis::BmBn, Axis::Bk, Axis::SplitK, Axis::Stages, Axis::Warps];

    /// Key in links.
    pub fn key(self) -> &'static str {
        match self {
            Axis::Bn => "bn",
            Axis::Bm => "bm",
            Axis::BmBn => "bmxbn",
            Axis::Bk => "bk",
            Axis::SplitK => "split_k",
            Axis::Stages => "stages",
            Axis::Warps => "warps",
        }
    }

    /// Title of the axis.
    pub fn label(self) -> &'static str {
        match self {
            Axis::Bn => "BN",
            Axis::Bm => "BM",
            Axis::BmBn => "BM × BN",
            Axis::Bk => "BK",
            Axis::SplitK => "split-K",
            Axis::Stages => "stages",
            Axis::Warps => "warps",
        }
    }
}
