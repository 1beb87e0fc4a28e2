//! Tests whether an account's gains could be scatter: whether measurements of something that makes no difference would
//! show them too.
//!
//! A layout or type is tested in both directions: if it is scatter, each is slower about as often. For sizes, the next
//! larger one should be slower, because it does more work, and where sizes matter, the same ones are slow again with
//! other sizes around them, or they are slow by what divides them. Several runs of both sides decide any difference: it is
//! scatter if some runs of the slower one are faster than some of the other.

use super::partners::{Bend, variant_of};
use super::{Account, Alternative, Partners, Posting};
use gemmscope_table::data_kind::variant_columns;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::group::mix;
use rustc_hash::FxHashMap;

/// Ratio of times that no scatter explains.
const BEYOND: f64 = 2.0;
/// Minimum number of adjacent sizes to distinguish scatter from a pattern.
const FEWEST: u64 = 20;
/// If sizes explain less than this fraction of the variance of times between neighbours, they do not explain it.
const EXPLAINED: f64 = 0.25;
/// If sizes explain more than this, they do.
const RULE: f64 = 0.75;
/// Greatest gain that scatter explains, in standard deviations of one measurement.
const GREATEST: f64 = 4.0;
/// Variance of a time beside two neighbours / that of one time.
const OF_THREE: f64 = 1.5;
/// Jumps that are skewed more than this are of a few slow sizes.
const SKEWED: f64 = 0.5;

/// Why the gains of an account may be scatter.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// From one M (0), N (1) or K (2) to the next the time jumps up or down, and no more so at some sizes than at others.
    Jumps {
        /// Which size it is.
        size: u8,
        /// How far, as a fraction of the time.
        by: f64,
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
    /// By larger size.
    sizes: [OfSize; 3],
}

/// Gains by a larger size.
#[derive(Clone, Debug, Default)]
struct OfSize {
    /// Gained seconds.
    seconds: f64,
    /// Gained seconds x logarithm of the ratio of times.
    logs: f64,
    /// By [kind](Partners::kind_of), whether it has such rows.
    kinds: Vec<bool>,
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
                let sums = &mut self.sizes[usize::from(size_between(of.data, row, faster))];
                sums.seconds += seconds;
                sums.logs += seconds * (time_s / (time_s - seconds)).ln();
                sums.kinds.resize(partners.larger.len(), false);
                sums.kinds[partners.kind_of[partners.group_of[row] as usize] as usize] = true;
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
        let is_known = |out: &[(Account, Scatter)], account| out.iter().any(|of| of.0 == account);
        let stated = self.stated >> Account::Size as usize & 1 == 1;
        if !stated && !is_known(&out, Account::Size) {
            out.extend(self.jumps(partners).map(|scatter| (Account::Size, scatter)));
        }
        for account in [Account::Layout, Account::Type, Account::Size] {
            let (all, crossed) = (self.seconds[account as usize].0, self.crossed[account as usize]);
            if 2.0 * crossed > all && !is_known(&out, account) {
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

    /// The size with most of the gains.
    fn most(&self) -> Option<u8> {
        let seconds = |size: u8| self.sizes[usize::from(size)].seconds;
        let most = |a: &u8, b: &u8| seconds(*a).total_cmp(&seconds(*b)).then(b.cmp(a));
        (0..3).max_by(most).filter(|size| seconds(*size) > 0.0)
    }

    /// Times beside their neighbours' in the size with most of the gains, of kinds with gains.
    fn bends(&self, size: u8, partners: &Partners) -> Vec<Bend> {
        let at = usize::from(size);
        let kinds = &self.sizes[at].kinds;
        let has = |bend: &&Bend| kinds.get(bend.kind as usize) == Some(&true);
        partners.bends[at].iter().filter(has).copied().collect()
    }

    /// Jumps between neighbours that no size explains, for the size with most of the gains, if they are large enough for
    /// these.
    fn jumps(&self, partners: &Partners) -> Option<Scatter> {
        let size = self.most()?;
        let bends = self.bends(size, partners);
        let n = bends.len() as f64;
        let power =
            |power: i32| bends.iter().map(|b| f64::from(b.over).powi(power)).sum::<f64>() / n;
        let rms = power(2).sqrt();
        let OfSize { seconds, logs, .. } = &self.sizes[usize::from(size)];
        let large = logs / seconds <= GREATEST * rms / OF_THREE.sqrt();
        let skewed = power(3) > SKEWED * rms.powi(3);
        let found = large && is_unexplained(&bends, size, skewed);
        found.then(|| Scatter::Jumps { size, by: rms.exp() - 1.0 })
    }

    /// How often the next larger size is faster, for the size with most of the gains, if that is often, and at no size
    /// as a rule.
    fn larger(&self, partners: &Partners) -> Option<Scatter> {
        let size = self.most()?;
        let kinds = partners.larger.iter().zip(&self.sizes[usize::from(size)].kinds);
        let seen =
            kinds.filter(|(_, has)| **has).map(|(of, _)| of[usize::from(size)].map(u64::from));
        let [faster, slower] = seen.fold([0, 0], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
        let often = faster + slower >= FEWEST && 2 * faster >= slower;
        let by_rule =
            || sizes_explain(&self.bends(size, partners), size).reduce(f64::max) > Some(RULE);
        (often && !by_rule()).then_some(Scatter::Larger { size, faster, slower })
    }
}

/// True if neither what divides a size nor the same size elsewhere explains its times. Where none is seen again, a
/// skewed distribution is of a few slow sizes.
fn is_unexplained(bends: &[Bend], size: u8, skewed: bool) -> bool {
    let by = sizes_explain(bends, size);
    let again = by.clone().count() > 1;
    let most = by.reduce(f64::max);
    bends.len() as u64 >= FEWEST && most.is_some_and(|most| most < EXPLAINED) && (again || !skewed)
}

/// How much of the variance of times what divides a size explains, the same size, and the same size with one other; only
/// where enough share it.
fn sizes_explain(bends: &[Bend], size: u8) -> impl Iterator<Item = f64> + Clone {
    let at = usize::from(size);
    let of = |b: &Bend, other: usize| u64::from(b.sizes[(at + other) % 3]);
    let keys: [&dyn Fn(&Bend) -> u64; 4] = [
        &|b| u64::from(b.sizes[at].trailing_zeros()),
        &|b| of(b, 0),
        &|b| mix(of(b, 0), of(b, 1)),
        &|b| mix(of(b, 0), of(b, 2)),
    ];
    let by = keys.map(|key| explained(bends, |b| mix(u64::from(b.kind), key(b))));
    by.into_iter().flatten()
}

/// Fraction of the variance that a key explains, without what as many keys explain by chance; `None` if too few values
/// share a key.
fn explained(bends: &[Bend], key: impl Fn(&Bend) -> u64) -> Option<f64> {
    let (mut of_key, mut all) = (FxHashMap::<u64, [f64; 2]>::default(), [0.0; 3]);
    for bend in bends {
        let over = f64::from(bend.over);
        let [n, sum] = of_key.entry(key(bend)).or_default();
        (*n, *sum) = (*n + 1.0, *sum + over);
        all = [all[0] + 1.0, all[1] + over, all[2] + over * over];
    }
    let [n, sum, squares] = all;
    let keys = of_key.len() as f64;
    let within = squares - of_key.values().map(|[n, sum]| sum * sum / n).sum::<f64>();
    let whole = squares - sum * sum / n;
    (2.0 * keys <= n && whole > 0.0).then(|| 1.0 - (within / (n - keys)) / (whole / (n - 1.0)))
}
