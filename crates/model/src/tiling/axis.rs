//! Kernel settings that can be an axis of a tile map.

crate::named! {
/// A kernel setting: one axis of a tile map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// BN, the tile's width along N.
    Bn = "bn", "BN";
    /// BM, the tile's height along M.
    Bm = "bm", "BM";
    /// BM x BN.
    BmBn = "bmxbn", "BM × BN";
    /// BK, the step along K.
    Bk = "bk", "BK";
    /// Split-K factor.
    SplitK = "split_k", "split-K";
    /// Pipeline stages.
    Stages = "stages", "stages";
    /// Warps per workgroup.
    Warps = "warps", "warps";
}
/// Every axis, in the order of the menu.
pub const ALL;
/// Key in links.
pub fn key -> &'static str;
/// Title of the axis.
pub fn label -> &'static str;
}
