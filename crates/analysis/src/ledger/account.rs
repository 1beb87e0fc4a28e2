//! The accounts that the time of a GEMM is split into, and what each rests on.

use serde::{Deserialize, Serialize};

/// What a part of a GEMM's time went to, in the order of [`Account::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// What the device needs.
    Roof,
    /// The time of a GEMM without a roof.
    NoRoof,
    /// Another kernel or tile of the same library ran it faster.
    Kernel,
    /// Operands stored the other way round ran faster.
    Layout,
    /// Another type with the same roof ran faster.
    Type,
    /// A GEMM larger in exactly one of M, N, K ran faster: padding leads there.
    Size,
    /// Another library or file ran it faster.
    Library,
    /// Padding of the tile and waves that are not full.
    Tile,
    /// Starting, filling and draining a kernel.
    Launch,
    /// Below the roof, and no run or model says why.
    Rest,
}

/// What the seconds of an account rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A faster run was measured.
    Measured,
    /// Work and bytes over the rates of the device.
    Arithmetic,
    /// A constant of the device, or a model of tiles and waves.
    Modelled,
    /// Nobody has shown that it can be faster.
    AtMost,
    /// Faster runs that were measured both ways round about as often: scatter of the measurement may show the
    /// same.
    Scatter,
    /// Several of these, in one sum.
    Mixed,
}

impl Evidence {
    /// The word for it: `measured`, `by arithmetic`, `modelled`, `at most`, `may be scatter`, `mixed`.
    pub fn label(self) -> &'static str {
        match self {
            Evidence::Measured => "measured",
            Evidence::Arithmetic => "by arithmetic",
            Evidence::Modelled => "modelled",
            Evidence::AtMost => "at most",
            Evidence::Scatter => "may be scatter",
            Evidence::Mixed => "mixed",
        }
    }

    /// True where what can be won is at most so much.
    pub fn is_bound(self) -> bool {
        matches!(self, Evidence::AtMost | Evidence::Scatter | Evidence::Mixed)
    }
}

impl Account {
    /// Number of accounts.
    pub const COUNT: usize = 10;

    /// All accounts as bars show them from left to right: what is needed, what has a cause (of the
    /// measured alternatives the smallest change first), what has none.
    pub const ALL: [Account; Account::COUNT] = [
        Account::Roof,
        Account::NoRoof,
        Account::Kernel,
        Account::Layout,
        Account::Type,
        Account::Size,
        Account::Library,
        Account::Tile,
        Account::Launch,
        Account::Rest,
    ];

    /// Its name in JSON: `library`, `no_roof`.
    pub fn key(self) -> &'static str {
        match self {
            Account::Kernel => "kernel",
            Account::Layout => "layout",
            Account::Type => "type",
            Account::Size => "size",
            Account::Library => "library",
            Account::Roof => "roof",
            Account::Launch => "launch",
            Account::Tile => "tile",
            Account::Rest => "rest",
            Account::NoRoof => "no_roof",
        }
    }

    /// Its name for people: `library`, `roof time`, `unexplained`.
    pub fn label(self) -> &'static str {
        match self {
            Account::Roof => "roof time",
            Account::Rest => "unexplained",
            Account::NoRoof => "roof unknown",
            other => other.key(),
        }
    }

    /// What its seconds are, in a sentence.
    pub fn hint(self) -> &'static str {
        match self {
            Account::Kernel => "Another kernel or tile of the same library ran it in less time.",
            Account::Layout => "It ran in less time with operands stored the other way round.",
            Account::Type => "It ran in less time in another type with the same roof.",
            Account::Size => "A GEMM larger in exactly one of M, N, K took less time.",
            Account::Library => "Another library or file ran it in less time.",
            Account::Roof => "What the device needs, over all calls.",
            Account::Launch => "Starting, filling and draining kernels, up to the launch floor.",
            Account::Tile => "Padding of the tile and waves that are not full.",
            Account::Rest => "Lost, and no run or model says why: at most so much to gain.",
            Account::NoRoof => {
                "Time of GEMMs without a roof, but for what a faster run would save."
            }
        }
    }

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
