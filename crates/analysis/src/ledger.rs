//! The ledger: every second of a GEMM's time belongs to exactly one account, so figures made of it never disagree.
//!
//! The time `t` of one call is split in this order, each account taking at most what is left; the parts therefore add
//! up to `t`:
//!
//! | account | seconds of one call | evidence |
//! |---|---|---|
//! | `kernel`, `layout`, `type`, `size`, `library` | `t - r`, `r = max(t_alt, min(t, roof))`, where `t_alt` is the fastest run on the same device that differs in that alone | measured |
//! | `roof` | `min(r, roof time)` | arithmetic |
//! | `launch` | `min(rest, launch floor)`; 0 where a profiler timed the kernels, whose gaps are the trace's idle time | modelled |
//! | `tile` | `min(rest, time at the roof of the run's tile - roof time)`, where compute limits | modelled |
//! | `published` | `min(rest, max(0, r - max(t_ref x error, roof time)))`, where others have published a time `t_ref` near it | published |
//! | `rest` | what is left | at most |
//! | `no_roof` | what is left without a roof | at most |
//!
//! An alternative counts if it is over 2 % faster, and by more than the spread of both if the file states it. The
//! fastest counts; among those within 2 % of it, the smallest change: kernel, layout, type, size, library. A run over 2
//! % above its datasheet roof is nobody's alternative.
//!
//! Lost time is everything except `roof` and `no_roof`: with a roof, `calls x max(0, t - roof)`. The share of the roof
//! of any set is `roof time / time`, over what has a roof: `1 - lost / time` unless some of it is above its roof, which
//! loses nothing.
//!
//! An account has two sums. Its *split* are the seconds above: exclusive, so those of all accounts add up. *Alone* is
//! what is saved if only this is changed: the sum of `calls x (t - r)` over all GEMMs with an alternative that counts,
//! whichever account holds their time. For an account without a measurement both are equal. [`Ledger::left`] returns
//! the accounts after several changes made together.
//!
//! [`Partners`] are computed once per table, over all of its rows; a filter changes only which rows [`Ledger`] adds up.

mod account;
mod adding;
mod book;
mod change;
mod columns;
mod partners;
mod rows;
mod scatter;

pub use account::{Account, Evidence, Split};
pub use adding::Posting;
pub use book::{Book, Runs, Sum};
pub use change::Change;
pub(crate) use change::rest_bound;
pub use columns::{Columns, LARGEST_LOSS, NOTHING_LOST, field_of};
use partners::{Held, LINES, variant_of};
pub use partners::{Partners, TIE};
pub use rows::rows_of;
pub use scatter::Scatter;
pub(crate) use scatter::{size_between, sizes, types_of};

use crate::tile_roof::TileRoofs;
use gemmscope_model::pass;
use gemmscope_model::tiling::Waves;
use gemmscope_table::data_kind::variant_columns;
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::stats::is_noise;
use std::sync::Arc;

/// A faster run that differs from a GEMM in one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    /// Account of the difference.
    pub account: Account,
    /// Row of the faster run.
    pub row: u32,
    /// Seconds of one call with this alternative, at least the roof time.
    pub call_s: f64,
}

/// Cost of a run's tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileCost {
    /// Seconds of one call at the tile's roof.
    pub bound_s: f64,
    /// Waves of the run.
    pub waves: Waves,
    /// Number of units of the device.
    pub units: u32,
}

/// The accounts of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Split: seconds of one call by account.
    pub call: Split,
    /// Faster runs that count, one per account of [`Account::MEASURED`].
    pub alternatives: [Option<Alternative>; Account::MEASURED.len()],
    /// The one of these whose account holds the saving.
    pub alternative: Option<Alternative>,
    /// The tile behind [`Account::Tile`].
    pub tile: Option<TileCost>,
}

impl Entry {
    /// The faster run that differs only in this account's property, whichever account holds the time.
    pub fn alternative_in(&self, account: Account) -> Option<Alternative> {
        self.alternatives.into_iter().flatten().find(|a| a.account == account)
    }

    /// Seconds of one call saved if only this is changed: at least its split, and equal to it without a measurement.
    pub fn alone_s(&self, account: Account) -> f64 {
        match self.alternative_in(account) {
            Some(other) if self.alternative != Some(other) => self.call.total_s() - other.call_s,
            _ => self.call.of(account),
        }
    }
}

/// Splits the time of rows. Create one per table and reuse it for all of its rows.
pub struct Splitter<'a> {
    frame: &'a Frame,
    partners: Arc<Partners>,
    tiles: Arc<TileRoofs<'a>>,
    variants: Vec<&'a ColumnData>,
    spread: Option<&'a [f64]>,
}

impl<'a> Splitter<'a> {
    /// A splitter for the rows of a frame.
    pub fn new(frame: &'a Frame, partners: Arc<Partners>) -> Splitter<'a> {
        Splitter::with(frame, partners, Arc::new(TileRoofs::new(&frame.data, &frame.metrics)))
    }

    /// Like [`Splitter::new`], with tile roofs computed before.
    pub fn with(
        frame: &'a Frame,
        partners: Arc<Partners>,
        tiles: Arc<TileRoofs<'a>>,
    ) -> Splitter<'a> {
        Splitter {
            frame,
            partners,
            tiles,
            variants: variant_columns(&frame.data),
            spread: frame.data.numbers(ColumnMeaning::TimeStd),
        }
    }

    /// The partners that alternatives are taken from.
    pub fn partners(&self) -> &Arc<Partners> {
        &self.partners
    }

    /// Index of a row's group, which is the same for all rows of one configuration, library, file and device.
    pub fn group_of(&self, row: u32) -> u32 {
        self.partners.group_of[row as usize]
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.partners.groups.len()
    }

    /// The accounts of one call of a row; `None` without a time.
    pub fn of(&self, row: u32) -> Option<Entry> {
        self.split(row, self.held(row).as_ref())
    }

    /// Fastest comparable run of the row's group, if any.
    fn held(&self, row: u32) -> Option<Held> {
        let group = self.partners.group_of[row as usize] as usize;
        let comparable = *self.partners.comparable.get(group)?;
        comparable.then(|| self.partners.groups[group])
    }

    fn split(&self, row: u32, held: Option<&Held>) -> Option<Entry> {
        let r = row as usize;
        let time_s = self.frame.data.time_s[r];
        if time_s.is_nan() {
            return None;
        }
        let roof_s = self.frame.metrics.roof_s[r];
        let mut call = Split::default();
        let mut put = |account: Account, s: f64| call.0[account as usize] = s;
        let alternatives = held
            .map_or_else(Default::default, |held| self.alternatives(row, held, (time_s, roof_s)));
        let alternative = self.smallest_of_fastest(&alternatives);
        let mut left = time_s;
        if let Some(a) = alternative {
            put(a.account, time_s - a.call_s);
            left = a.call_s;
        }
        if roof_s.is_nan() {
            put(Account::NoRoof, left);
            return Some(Entry { call, alternatives, alternative, tile: None });
        }
        let least_s = left;
        let mut take = |account: Account, most: f64| {
            let s = left.min(most);
            put(account, s);
            left -= s;
            left
        };
        // ANCHOR: launch
        let over = take(Account::Roof, roof_s);
        let mut tile = None;
        if over > 0.0 {
            if take(Account::Launch, self.frame.metrics.launch_s(&self.frame.data, r)) > 0.0 {
                tile = self.tile(r, time_s);
                if let Some(tile) = tile {
                    take(Account::Tile, tile.bound_s - roof_s);
                }
            }
            // NaN if nothing is published, so the comparison is false.
            let slow_s = self.frame.metrics.reference_slow_s(r);
            if slow_s < least_s {
                take(Account::Published, least_s - slow_s.max(roof_s));
            }
            take(Account::Rest, f64::INFINITY);
        }
        // ANCHOR_END: launch
        Some(Entry { call, alternatives, alternative, tile })
    }

    /// Cost of a row's tile; `None` if it costs nothing, or if the run beats the tile's roof and therefore cannot have
    /// used it.
    fn tile(&self, r: usize, time_s: f64) -> Option<TileCost> {
        let (data, metrics) = (&*self.frame.data, &*self.frame.metrics);
        let (bound_s, waves, units) = self.tiles.bound_s(r)?;
        let peak = metrics.sheet_roof(data, r)?.peak_flops_per_s;
        let possible = time_s * TIE >= metrics.work(data, r) / (peak * waves.efficiency());
        let costs = bound_s > metrics.roof_s[r];
        (possible && costs).then_some(TileCost { bound_s, waves, units })
    }

    /// Faster runs of a row that count, in the order of [`Account::MEASURED`].
    fn alternatives(
        &self,
        row: u32,
        held: &Held,
        (time_s, roof_s): (f64, f64),
    ) -> [Option<Alternative>; Account::MEASURED.len()] {
        let mut out = [None; Account::MEASURED.len()];
        // Shortcut: in most groups no run is faster.
        let fastest_s = held.others_s.iter().fold(held.own_s, |a, b| a.min(*b));
        if time_s <= TIE * fastest_s {
            return out;
        }
        // With the same kernel it is a repeat, not an alternative.
        let own = match variant_of(&self.variants, row as usize) == held.own_variant {
            true => (Account::Kernel, f64::INFINITY, held.own),
            false => (Account::Kernel, held.own_s, held.own),
        };
        let others = (0..LINES.len()).map(|i| (LINES[i], held.others_s[i], held.others[i]));
        let runs = std::iter::once(own).chain(others);
        for (slot, (account, other_s, other)) in out.iter_mut().zip(runs) {
            let spreads = |std: &[f64]| [row, other].map(|row| std[row as usize]);
            let is_tie = time_s <= TIE * other_s
                || self.spread.is_some_and(|std| is_noise(time_s - other_s, spreads(std)));
            // `min` ignores NaN, so without a roof use the alternative's time as is.
            let call_s = match roof_s.is_nan() {
                true => other_s,
                false => other_s.max(time_s.min(roof_s)),
            };
            let counts = !is_tie && call_s < time_s;
            *slot = counts.then_some(Alternative { account, row: other, call_s });
        }
        out
    }

    /// The smallest change among the alternatives within [`TIE`] of the fastest.
    fn smallest_of_fastest(&self, alternatives: &[Option<Alternative>]) -> Option<Alternative> {
        let run_s = |a: &Alternative| self.frame.data.time_s[a.row as usize];
        let counted = || alternatives.iter().flatten();
        let fastest_s = counted().map(run_s).fold(f64::INFINITY, f64::min);
        counted().find(|a| run_s(a) <= TIE * fastest_s).copied()
    }
}

/// The accounts of every side and device of a frame.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Ledger {
    /// One book per side and device.
    pub books: Vec<Book>,
}

impl Ledger {
    /// Adds up the rows that count and pass the filters.
    pub fn of(frame: &Frame, partners: &Arc<Partners>) -> Ledger {
        Ledger::of_rows(&Splitter::new(frame, partners.clone()), |_| {})
    }

    /// Like [`Ledger::of`], with a splitter; calls `each` for every row.
    pub fn of_rows(splitter: &Splitter<'_>, each: impl FnMut(&Posting<'_>)) -> Ledger {
        pass::at_once(Ledger::add_up(splitter, &[], each, &pass::none))
    }

    /// The books of one side, one per device.
    pub fn of_side(&self, side: usize) -> impl Iterator<Item = &Book> {
        self.books.iter().filter(move |b| b.number == side)
    }

    /// Like [`Ledger::of`], for a frame whose partners are needed only here.
    pub fn new(frame: &Frame) -> Ledger {
        Ledger::of(frame, &Partners::of(frame))
    }

    /// The ledger after some changes made together: each GEMM takes the fastest run that they allow, and accounts
    /// without a measurement give back their split. Other alternatives remain if they are still faster.
    pub fn left(frame: &Frame, partners: &Arc<Partners>, changes: &[Change]) -> Ledger {
        let splitter = Splitter::new(frame, partners.clone());
        pass::at_once(Ledger::add_up(&splitter, changes, |_| {}, &pass::none))
    }
}

#[cfg(test)]
mod tests;
