//! Accounts of one side on one device, summed.

use super::{Account, Evidence, Scatter};
use gemmscope_table::metrics::Typical;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Total of one account of one side and device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Seconds over all calls.
    pub seconds: f64,
    /// Number of groups with time in it.
    pub groups: u64,
}

/// Which runs a total includes, and of how many GEMMs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Runs {
    /// All runs.
    #[default]
    All,
    /// The fastest variant of each GEMM.
    Fastest(u64),
    /// The median repeat of each GEMM (the faster of the middle two if their number is even).
    Middle(u64),
}

/// The accounts of one side on one device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// Index of the side in [`Frame::counted`](gemmscope_table::field::Frame::counted).
    pub number: usize,
    /// Name of the side; "" if no sides are compared.
    pub side: String,
    /// Name of the device, the catalogue's if known; "" if none is stated.
    pub device: String,
    /// Name among the books: its side, and its device if there are several; "" for the only book.
    pub name: String,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Time of the calls with a roof, seconds.
    pub known_s: f64,
    /// Their roof time, seconds.
    pub roof_s: f64,
    /// Their lost time, seconds: calls x max(0, time - roof).
    pub below_s: f64,
    /// Time of GEMMs of the same traces without a known shape, seconds, which is in no account.
    pub without_s: f64,
    /// Which runs the time includes.
    pub runs: Runs,
    /// Efficiency of its GEMMs, each counted once.
    pub typical: Option<Typical>,
    /// Number of GEMMs.
    pub groups: u64,
    /// The split, in the order of [`Account::ALL`]: exclusive seconds, which add up to the time.
    pub accounts: [Sum; Account::COUNT],
    /// In the same order: seconds saved if only this is changed, and for how many GEMMs. These overlap.
    pub alone: [Sum; Account::COUNT],
    /// Accounts whose gains may be scatter.
    pub scatter: Vec<(Account, Scatter)>,
}

impl Book {
    /// `words` about the book, after its name if it has one.
    pub fn named(&self, words: &str) -> String {
        match self.name.as_str() {
            "" => words.to_owned(),
            name => format!("{name}: {words}"),
        }
    }

    /// Why the gains of an account may be scatter, if they may.
    pub fn scatter(&self, account: Account) -> Option<Scatter> {
        self.scatter.iter().find(|(of, _)| *of == account).map(|(_, scatter)| *scatter)
    }

    /// Evidence for the seconds of an account in this book.
    pub fn evidence(&self, account: Account) -> Evidence {
        self.scatter(account).map_or(account.evidence(), |_| Evidence::Scatter)
    }

    /// Seconds saved if only this account's cause is changed, and the number of GEMMs.
    pub fn alone(&self, account: Account) -> Sum {
        self.alone[account as usize]
    }

    /// Split of an account.
    pub fn of(&self, account: Account) -> Sum {
        self.accounts[account as usize]
    }

    /// Total lost seconds.
    pub fn lost_s(&self) -> f64 {
        let lost = Account::ALL.into_iter().filter(|a| a.is_lost());
        lost.map(|a| self.of(a).seconds).sum()
    }

    /// `roof time / time` over the calls with a roof, above 1 if they are above it; `None` if there are none.
    pub fn share_of_roof(&self) -> Option<f64> {
        (self.known_s > 0.0).then(|| self.roof_s / self.known_s)
    }

    /// Accounts that hold time, in the order of [`Account::ALL`].
    pub fn each(&self) -> impl Iterator<Item = (Account, Sum)> + '_ {
        Account::ALL.into_iter().zip(self.accounts).filter(|(_, s)| s.seconds > 0.0)
    }

    /// Accounts that hold time, most first.
    pub fn ranked(&self) -> Vec<(Account, Sum)> {
        let mut held: Vec<_> = self.each().collect();
        // The sort is stable: ties stay in the order of `ALL`.
        held.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
        held
    }
}

impl Serialize for Book {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Line {
            account: &'static str,
            seconds: f64,
            groups: u64,
            alone_s: f64,
            alone_groups: u64,
        }
        let line = |(a, s): (Account, Sum)| Line {
            account: a.key(),
            seconds: s.seconds,
            groups: s.groups,
            alone_s: self.alone(a).seconds,
            alone_groups: self.alone(a).groups,
        };
        // An account without time in the split may still save some alone.
        let only_alone = Account::ALL.into_iter().filter(|a| self.of(*a).seconds <= 0.0);
        let only_alone = only_alone.filter(|a| self.alone(*a).seconds > 0.0);
        let held = self.ranked().into_iter().chain(only_alone.map(|a| (a, Sum::default())));
        let accounts: Vec<Line> = held.map(line).collect();
        let mut object = to.serialize_struct("Book", 8)?;
        object.serialize_field("side", &self.side)?;
        object.serialize_field("device", &self.device)?;
        object.serialize_field("of_roof", &self.typical)?;
        object.serialize_field("time_s", &self.time_s)?;
        object.serialize_field("lost_s", &self.lost_s())?;
        object.serialize_field("share_of_roof", &self.share_of_roof())?;
        object.serialize_field("groups", &self.groups)?;
        object.serialize_field("accounts", &accounts)?;
        object.end()
    }
}
