//! The accounts that the time of a GEMM is split into, and the evidence for each.

use serde::{Deserialize, Serialize};

gemmscope_model::named! {
/// Where a part of a GEMM's time goes, in the order of [`Account::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// Time that the device needs at its roof.
    Roof = "roof", "roof time",
        "What the device needs, over all calls.",
        Evidence::Arithmetic, 0xcfd8e6, 0x38455a;
    /// Time of a GEMM without a roof.
    NoRoof = "no_roof", "roof unknown",
        "Time of GEMMs without a roof, but for what a faster run would save.",
        Evidence::AtMost, 0xcfd8e6, 0x38455a;
    /// Another kernel or tile of the same library was faster.
    Kernel = "kernel", "kernel",
        "Another kernel or tile of the same library ran it in less time.",
        Evidence::Measured, 0x5481b8, 0x92c6ec;
    /// Operands stored in another layout were faster.
    Layout = "layout", "layout",
        "It ran in less time with operands stored the other way round.",
        Evidence::Measured, 0xfcd596, 0xf3a57c;
    /// Another type with the same roof was faster.
    Type = "type", "type",
        "It ran in less time in another type with the same roof.",
        Evidence::Measured, 0x8ea0de, 0x6473b2;
    /// A GEMM larger in exactly one of M, N, K was faster, so padding would help.
    Size = "size", "size",
        "A GEMM larger in exactly one of M, N, K took less time.",
        Evidence::Measured, 0xd09368, 0xf8c782;
    /// Another library or file was faster.
    Library = "library", "library",
        "Another library or file ran it in less time.",
        Evidence::Measured, 0xe99aac, 0xcf9daa;
    /// Padding of the tile, and partial waves.
    Tile = "tile", "tile",
        "Padding of the tile and waves that are not full.",
        Evidence::Modelled, 0x997b4f, 0xb29352;
    // ANCHOR: launch
    /// Starting, filling and draining a kernel.
    Launch = "launch", "launch",
        "Starting, filling and draining kernels, up to the launch floor.",
        Evidence::Modelled, 0x69c4da, 0x56a1d1;
    // ANCHOR_END: launch
    /// Others have published less time for such a GEMM on this device.
    Published = "published", "others reach",
        "Slower than what others have published for this GEMM, or ones near it, on this device.",
        Evidence::Published, 0xf1b270, 0xa16768;
    /// Below the roof, unexplained by any run or model.
    Rest = "rest", "unexplained",
        "Lost, and no run or model says why: at most so much to gain.",
        Evidence::AtMost, 0x8592a6, 0x7d8aa0;
}
/// All accounts in the order of bars from left to right: needed time, lost time with a cause (among measured
/// alternatives the smallest change first), lost time without one.
pub const ALL;
/// Key in JSON: `library`, `no_roof`.
pub fn key -> &'static str;
/// Name for people: `library`, `roof time`, `unexplained`.
pub fn label -> &'static str;
/// One sentence on what its seconds are.
pub fn hint -> &'static str;
/// Evidence for its seconds.
pub fn evidence -> Evidence;
/// Colour in the light theme, 0xRRGGBB. Accounts are paler than the categories beside them, and share no colour with
/// them.
pub fn light_rgb -> u32;
/// Colour in the dark theme, 0xRRGGBB.
pub fn dark_rgb -> u32;
}

gemmscope_model::named! {
/// Evidence for the seconds of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A faster run was measured.
    Measured = "measured";
    /// Work and bytes / rates of the device.
    Arithmetic = "by arithmetic";
    /// A constant of the device, or a model of tiles and waves.
    Modelled = "modelled";
    /// Others have published a shorter time.
    Published = "published";
    /// An upper bound: nobody has shown that it can be faster.
    AtMost = "at most";
    /// Measured, but faster runs occur about as often in the opposite direction, so it may be scatter of the
    /// measurement.
    Scatter = "may be scatter";
}
/// Label: `measured`, `by arithmetic`, `modelled`, `published`, `at most`, `may be scatter`.
pub fn label -> &'static str;
}

impl Evidence {
    /// True if the seconds are only an upper bound of what can be gained.
    pub fn is_bound(self) -> bool {
        matches!(self, Evidence::AtMost | Evidence::Scatter)
    }
}

impl Account {
    /// Number of accounts.
    pub const COUNT: usize = Account::ALL.len();

    /// Accounts with a measured alternative, smallest change first.
    pub const MEASURED: [Account; 5] =
        [Account::Kernel, Account::Layout, Account::Type, Account::Size, Account::Library];

    /// True if its seconds are lost: all except the roof and the time without one.
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

    /// Accounts that hold time, in the order of [`Account::ALL`].
    pub fn each(&self) -> impl Iterator<Item = (Account, f64)> + '_ {
        Account::ALL.into_iter().zip(self.0).filter(|(_, s)| *s > 0.0)
    }

    /// Total seconds of all accounts.
    pub fn total_s(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The account that holds most lost time, the first of [`Account::ALL`] on a tie; `None` if nothing is lost.
    pub fn largest_loss(&self) -> Option<Account> {
        let lost = self.each().filter(|(a, _)| a.is_lost());
        lost.reduce(|a, b| if a.1 >= b.1 { a } else { b }).map(|(account, _)| account)
    }

    /// Lost seconds: `max(0, time - roof)` with a roof, else what a faster run would save.
    pub fn lost_s(&self) -> f64 {
        self.each().filter(|(a, _)| a.is_lost()).map(|(_, s)| s).sum()
    }

    /// The split of this many calls.
    pub(super) fn times(mut self, calls: f64) -> Split {
        self.0.iter_mut().for_each(|s| *s *= calls);
        self
    }
}
