//! The accounts that the time of a GEMM is split into, and what each rests on.

use serde::{Deserialize, Serialize};

gemmscope_model::named! {
/// What a part of a GEMM's time went to, in the order of [`Account::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// What the device needs.
    Roof = "roof", "roof time", "What the device needs, over all calls.";
    /// The time of a GEMM without a roof.
    NoRoof =
        "no_roof",
        "roof unknown",
        "Time of GEMMs without a roof, but for what a faster run would save.";
    /// Another kernel or tile of the same library ran it faster.
    Kernel = "kernel", "kernel", "Another kernel or tile of the same library ran it in less time.";
    /// Operands stored the other way round ran faster.
    Layout = "layout", "layout", "It ran in less time with operands stored the other way round.";
    /// Another type with the same roof ran faster.
    Type = "type", "type", "It ran in less time in another type with the same roof.";
    /// A GEMM larger in exactly one of M, N, K ran faster: padding leads there.
    Size = "size", "size", "A GEMM larger in exactly one of M, N, K took less time.";
    /// Another library or file ran it faster.
    Library = "library", "library", "Another library or file ran it in less time.";
    /// Padding of the tile and waves that are not full.
    Tile = "tile", "tile", "Padding of the tile and waves that are not full.";
    // ANCHOR: launch
    /// Starting, filling and draining a kernel.
    Launch = "launch", "launch", "Starting, filling and draining kernels, up to the launch floor.";
    // ANCHOR_END: launch
    /// Below the roof, and no run or model says why.
    Rest = "rest", "unexplained", "Lost, and no run or model says why: at most so much to gain.";
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
    /// Nobody has shown that it can be faster.
    AtMost = "at most";
    /// Faster runs that were measured both ways round about as often: scatter of the measurement may show the
    /// same.
    Scatter = "may be scatter";
    /// Several of these, in one sum.
    Mixed = "mixed";
}
/// The word for it: `measured`, `by arithmetic`, `modelled`, `at most`, `may be scatter`, `mixed`.
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
    pub const COUNT: usize = 10;

    /// The accounts of a measured alternative, the smallest change first.
    pub const MEASURED: [Account; 5] =
        [Account::Kernel, Account::Layout, Account::Type, Account::Size, Account::Library];

    /// What its seconds rest on.
    pub fn evidence(self) -> Evidence {
        match self {
            Account::Roof => Evidence::Arithmetic,
            Account::Launch | Account::Tile => Evidence::Modelled,
            Account::Rest | Account::NoRoof => Evidence::AtMost,
            _ => Evidence::Measured,
        }
    }

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
