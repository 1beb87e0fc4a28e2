//! Tests whether an account's gains could be scatter: whether measurements of something that makes no difference would
//! show them too.
//!
//! A layout or type is tested in both directions: if it is scatter, each is slower about as often. For sizes, the next
//! larger one should be slower, because it does more work. Several runs of both sides decide any difference: it is
//! scatter if some runs of the slower one are faster than some of the other.

use super::partners::variant_of;
use super::{Account, Alternative, Partners, Posting};
use gemmscope_table::data_kind::variant_columns;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;

/// Ratio of times that no scatter explains.
const BEYOND: f64 = 2.0;
/// Minimum number of adjacent sizes to distinguish scatter from a pattern.
const FEWEST: u64 = 20;

/// Why the gains of an account may be scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scatter {
    /// Each layout or type is slower than the other about as often.
    BothWays,
    /// Repeated runs of both overlap.
    Runs,
    /// A GEMM with the next larger M (0), N (1) or K (2) and all else equal is over 2 % faster this often, and slower
    /// this often.
    Larger {
        /// Which size is larger.
        size: u8,
        /// How often it is faster.
        faster: u64,
        /// How often it is slower.
        slower: u64,
    },
}

/// Distinct names of the types of a table's operations, and by operation the index of its name.
pub(crate) fn types_of(data: &Dataset) -> (Vec<String>, Vec<u32>) {
    let mut types: Vec<String> = Vec::new();
    let of = data.ops.iter().map(|op| {
        let name = op.types();
        let known = types.iter().position(|t| *t == name);
        known.unwrap_or_else(|| {
            types.push(name);
            types.len() - 1
        }) as u32
    });
    let of = of.collect();
    (types, of)
}

/// M, N and K of a row.
pub(crate) fn sizes(data: &Dataset, row: usize) -> [u32; 3] {
    [data.m[row], data.n[row], data.k[row]]
}

/// The first size of M (0), N (1), K (2) in which two GEMMs differ.
pub(crate) fn size_between(data: &Dataset, row: usize, other: usize) -> u8 {
    let pairs = sizes(data, row).into_iter().zip(sizes(data, other));
    pairs.into_iter().position(|(a, b)| a != b).unwrap_or(0) as u8
}

/// Account, slower value, faster value.
type Pair = (Account, u64, u64);

/// Number of rows, and seconds.
type Held = (f64, f64);

/// Gains of one book while rows are added.
#[derive(Clone, Debug, Default)]
pub(super) struct Gains {
    /// Accounts in which a row states its spread, as bits: a gain beyond that is not scatter.
    stated: u16,
    /// By account: all gained seconds, and those of rows that gain more than scatter [can explain](BEYOND).
    seconds: [(f64, f64); Account::COUNT],
    /// By account: gained seconds of rows whose [runs](Scatter::Runs) overlap.
    crossed: [f64; Account::COUNT],
    /// Rows and seconds by account and pair of layouts or types (slower, faster). A short list.
    pairs: Vec<(Pair, Held)>,
    /// By larger size: gained seconds, and by [kind](Partners::kind_of) whether it has such rows.
    sizes: [(f64, Vec<bool>); 3],
}

/// Properties of a table that all books share.
pub(super) struct Properties<'a> {
    data: &'a Dataset,
    spread: Option<&'a [f64]>,
    type_of: Vec<u32>,
    /// By group: shortest and longest time of the repeats of its fastest variant; empty if no group has repeats.
    runs: Vec<[f64; 2]>,
}

impl<'a> Properties<'a> {
    pub(super) fn of(frame: &'a Frame, partners: &Partners) -> Self {
        let data = &*frame.data;
        let spread = data.numbers(ColumnMeaning::TimeStd);
        Properties { data, spread, type_of: types_of(data).1, runs: runs_of(data, partners) }
    }

    /// True if some run of the slower row's group is faster than some run of the faster row's group.
    fn is_crossed(&self, partners: &Partners, slower: usize, faster: usize) -> bool {
        let of = |row: usize| self.runs.get(partners.group_of[row] as usize);
        let several = |[shortest, longest]: &&[f64; 2]| shortest < longest;
        let pair = of(slower).filter(several).zip(of(faster).filter(several));
        pair.is_some_and(|([shortest, _], [_, longest])| shortest < longest)
    }
}

fn runs_of(data: &Dataset, partners: &Partners) -> Vec<[f64; 2]> {
    if data.len() <= partners.groups.len() {
        return Vec::new();
    }
    let variants = variant_columns(data);
    let mut out = vec![[f64::INFINITY, 0.0]; partners.groups.len()];
    for (row, group) in partners.group_of.iter().enumerate() {
        let Some(held) = partners.groups.get(*group as usize) else { continue };
        if variant_of(&variants, row) == held.own_variant {
            let [shortest, longest] = &mut out[*group as usize];
            *shortest = shortest.min(data.time_s[row]);
            *longest = longest.max(data.time_s[row]);
        }
    }
    out
}

impl Gains {
    /// Adds a row's gain by each of its alternatives alone.
    pub(super) fn add(&mut self, of: &Properties<'_>, partners: &Partners, posting: &Posting<'_>) {
        for other in posting.entry.alternatives.into_iter().flatten() {
            self.add_one(of, partners, posting, other);
        }
    }

    fn add_one(
        &mut self,
        of: &Properties<'_>,
        partners: &Partners,
        posting: &Posting<'_>,
        other: Alternative,
    ) {
        let seconds = posting.entry.alone_s(other.account) * posting.calls;
        if seconds <= 0.0 {
            return;
        }
        let (row, faster) = (posting.row as usize, other.row as usize);
        let (all, beyond) = &mut self.seconds[other.account as usize];
        *all += seconds;
        let time_s = of.data.time_s[row] * posting.calls;
        *beyond += if time_s > BEYOND * (time_s - seconds) { seconds } else { 0.0 };
        if of.spread.is_some_and(|std| !std[row].is_nan()) {
            self.stated |= 1 << other.account as usize;
        }
        if of.is_crossed(partners, row, faster) {
            self.crossed[other.account as usize] += seconds;
        }
        let ops = [row, faster].map(|r| usize::from(of.data.op[r]));
        let [slow, fast] = match other.account {
            Account::Layout => ops.map(|op| {
                of.data.ops[op].layout().bytes().fold(0, |key, b| key << 8 | u64::from(b))
            }),
            Account::Type => ops.map(|op| u64::from(of.type_of[op])),
            Account::Size => {
                let (sum, kinds) = &mut self.sizes[usize::from(size_between(of.data, row, faster))];
                *sum += seconds;
                kinds.resize(partners.larger.len(), false);
                kinds[partners.kind_of[partners.group_of[row] as usize] as usize] = true;
                return;
            }
            _ => return,
        };
        let pair = (other.account, slow, fast);
        match self.pairs.iter_mut().find(|(of, _)| *of == pair) {
            Some((_, (rows, sum))) => (*rows, *sum) = (*rows + 1.0, *sum + seconds),
            None => self.pairs.push((pair, (1.0, seconds))),
        }
    }

    /// Accounts whose gains may be scatter.
    pub(super) fn scatter(&self, partners: &Partners) -> Vec<(Account, Scatter)> {
        let both_ways = |account: &Account| self.is_both_ways(*account);
        let pairs = [Account::Layout, Account::Type].into_iter().filter(both_ways);
        let mut out: Vec<_> = pairs.map(|account| (account, Scatter::BothWays)).collect();
        out.extend(self.larger(partners).map(|scatter| (Account::Size, scatter)));
        out.retain(|(account, _)| {
            let (all, beyond) = self.seconds[*account as usize];
            self.stated >> *account as usize & 1 == 0 && beyond < all / 2.0
        });
        for account in [Account::Layout, Account::Type, Account::Size] {
            let (all, crossed) = (self.seconds[account as usize].0, self.crossed[account as usize]);
            if 2.0 * crossed > all && !out.iter().any(|(of, _)| *of == account) {
                out.push((account, Scatter::Runs));
            }
        }
        out
    }

    /// True if in each pair, each is slower in about as many rows and seconds. Sign test: the counts differ by less
    /// than two standard deviations of a fair coin.
    fn is_both_ways(&self, account: Account) -> bool {
        let mut sums: [Held; 2] = [(0.0, 0.0); 2];
        for &((of, slow, fast), (rows, seconds)) in &self.pairs {
            if of == account {
                let other = self.pairs.iter().find(|(pair, _)| *pair == (of, fast, slow));
                let other_s = other.map_or(0.0, |(_, held)| held.1);
                let lesser = other_s > seconds || (other_s == seconds && slow > fast);
                let sum = &mut sums[usize::from(lesser)];
                *sum = (sum.0 + rows, sum.1 + seconds);
            }
        }
        let [(more, more_s), (fewer, fewer_s)] = sums;
        fewer_s >= more_s / 2.0 && (more - fewer).abs() < 2.0 * (more + fewer).sqrt()
    }

    /// How often the next larger size is faster, for the size with most of the gains, if that is often.
    fn larger(&self, partners: &Partners) -> Option<Scatter> {
        let most = |a: &u8, b: &u8| {
            let seconds = |size: u8| self.sizes[usize::from(size)].0;
            seconds(*a).total_cmp(&seconds(*b)).then(b.cmp(a))
        };
        let size = (0..3).max_by(most)?;
        let kinds = partners.larger.iter().zip(&self.sizes[usize::from(size)].1);
        let seen =
            kinds.filter(|(_, has)| **has).map(|(of, _)| of[usize::from(size)].map(u64::from));
        let [faster, slower] = seen.fold([0, 0], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
        let often = faster + slower >= FEWEST && 2 * faster >= slower;
        often.then_some(Scatter::Larger { size, faster, slower })
    }
}
