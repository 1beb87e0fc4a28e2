//! The accounts that the time of a GEMM is split into, and what each rests on.

use serde::{Deserialize, Serialize};

gemmscope_model::named! {
/// What a part of a GEMM's time went to, in the order of [`Account::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// What the device needs.
    Roof = "roof", "roof time",
        "What the device needs, over all calls.",
        Evidence::Arithmetic, 0xcfd8e6, 0x38455a;
    /// The time of a GEMM without a roof.
    NoRoof = "no_roof", "roof unknown",
        "Time of GEMMs without a roof, but for what a faster run would save.",
        Evidence::AtMost, 0xcfd8e6, 0x38455a;
    /// Another kernel or tile of the same library ran it faster.
    Kernel = "kernel", "kernel",
        "Another kernel or tile of the same library ran it in less time.",
        Evidence::Measured, 0x5481b8, 0x92c6ec;
    /// Operands stored the other way round ran faster.
    Layout = "layout", "layout",
        "It ran in less time with operands stored the other way round.",
        Evidence::Measured, 0xa2b412, 0xaed242;
    /// Another type with the same roof ran faster.
    Type = "type", "type",
        "It ran in less time in another type with the same roof.",
        Evidence::Measured, 0x8ea0de, 0x6473b2;
    /// A GEMM larger in exactly one of M, N, K ran faster: padding leads there.
    Size = "size", "size",
        "A GEMM larger in exactly one of M, N, K took less time.",
        Evidence::Measured, 0xd09368, 0xf8c782;
    /// Another library or file ran it faster.
    Library = "library", "library",
        "Another library or file ran it in less time.",
        Evidence::Measured, 0x7dac97, 0x7dbd93;
    /// Padding of the tile and waves that are not full.
    Tile = "tile", "tile",
        "Padding of the tile and waves that are not full.",
        Evidence::Modelled, 0x997b4f, 0xb29352;
    // ANCHOR: launch
    /// Starting, filling and draining a kernel.
    Launch = "launch", "launch",
        "Starting, filling and draining kernels, up to the launch floor.",
        Evidence::Modelled, 0x69c4da, 0x56a1d1;
    // ANCHOR_END: launch
    /// Others take less for such a GEMM on this device.
    Published = "published", "others reach",
        "Slower than what others have published for this GEMM, or ones near it, on this device.",
        Evidence::Published, 0xe6ce71, 0x8e5752;
    /// Below the roof, and no run or model says why.
    Rest = "rest", "unexplained",
        "Lost, and no run or model says why: at most so much to gain.",
        Evidence::AtMost, 0x8592a6, 0x7d8aa0;
}
/// All accounts as bars show them from left to right: what is needed, what has a cause (of the
/// measured alternatives the smallest change first), what has none.
pub const ALL;
/// Its name in JSON: `library`, `no_roof`.
pub fn key -> &'static str;
/// Its name for people: `library`, `roof time`, `unexplained`.
pub fn label -> &'static str;
/// What its seconds are, in a sentence.
pub fn hint -> &'static str;
/// What its seconds rest on.
pub fn evidence -> Evidence;
/// Its colour on a light ground, 0xRRGGBB. Accounts are paler than categories, which stand beside them, and none has
/// the colour of one.
pub fn light_rgb -> u32;
/// Its colour on a dark ground, 0xRRGGBB.
pub fn dark_rgb -> u32;
}

gemmscope_model::named! {
/// What the seconds of an account rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A faster run was measured.
    Measured = "measured";
    /// Work and bytes over the rates of the device.
    Arithmetic = "by arithmetic";
    /// A constant of the device, or a model of tiles and waves.
    Modelled = "modelled";
    /// Others have published less time.
    Published = "published";
    /// Nobody has shown that it can be faster.
    AtMost = "at most";
    /// Faster runs that were measured both ways round about as often: scatter of the measurement may show the
    /// same.
    Scatter = "may be scatter";
    /// Several of these, in one sum.
    Mixed = "mixed";
}
/// The word for it: `measured`, `by arithmetic`, `modelled`, `published`, `at most`, `may be scatter`, `mixed`.
pub fn label -> &'static str;
}

impl Evidence {
    /// True where what can be won is at most so much.
    pub fn is_bound(self) -> bool {
        matches!(self, Evidence::AtMost | Evidence::Scatter | Evidence::Mixed)
    }
}

impl Account {
    /// Number of accounts.
    pub const COUNT: usize = Account::ALL.len();

    /// The accounts of a measured alternative, the smallest change first.
    pub const MEASURED: [Account; 5] =
        [Account::Kernel, Account::Layout, Account::Type, Account::Size, Account::Library];

    /// True where its seconds are lost: all but the roof and the time without one.
    pub fn is_lost(self) -> bool {
        !matches!(self, Account::Roof | Account::NoRoof)
    }
}

/// Seconds by account, in the order of [`Account::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split(pub(super) [f64; Account::COUNT]);

impl Split {
    /// Seconds of an account.
    pub fn of(&self, account: Account) -> f64 {
        self.0[account as usize]
    }

    /// The accounts that hold time, in the order of [`Account::ALL`].
    pub fn each(&self) -> impl Iterator<Item = (Account, f64)> + '_ {
        Account::ALL.into_iter().zip(self.0).filter(|(_, s)| *s > 0.0)
    }

    /// Seconds of all accounts.
    pub fn total_s(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The account that holds most of what is lost, of equal ones the first of [`Account::ALL`]; `None`
    /// where nothing is.
    pub fn largest_loss(&self) -> Option<Account> {
        let lost = self.each().filter(|(a, _)| a.is_lost());
        lost.reduce(|a, b| if a.1 >= b.1 { a } else { b }).map(|(account, _)| account)
    }

    /// Seconds that are lost: `max(0, time - roof)` where there is a roof, and what a faster run
    /// would save where there is none.
    pub fn lost_s(&self) -> f64 {
        self.each().filter(|(a, _)| a.is_lost()).map(|(_, s)| s).sum()
    }

    /// The same for this many calls.
    pub(super) fn times(mut self, calls: f64) -> Split {
        self.0.iter_mut().for_each(|s| *s *= calls);
        self
    }
}
