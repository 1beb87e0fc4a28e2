//! What is left of a GEMM's time after some changes made together.

use super::{Account, Alternative, Entry, Evidence};
use gemmscope_model::roofline::Bound;
use gemmscope_table::field::Frame;

/// Something that can be changed: the cause of one account of one side and device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// Index in [`Ledger::books`](super::Ledger::books).
    pub book: usize,
    /// Account whose cause is changed.
    pub account: Account,
    /// For [`Account::Rest`]: restricts it to GEMMs with this bound.
    pub bound: Option<Bound>,
}

/// What limits a GEMM, by which [`Account::Rest`] is split; `None` without a roof.
pub(crate) fn rest_bound(frame: &Frame, row: u32) -> Option<Bound> {
    match frame.metrics.is_tiny(&frame.data, row as usize) {
        true => Some(Bound::Launch),
        false => frame.metrics.bound(&frame.data, row as usize),
    }
}

/// Changed accounts of one row, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes(u16);

impl Changes {
    /// The changes that apply to a row of a book.
    pub(super) fn of(frame: &Frame, all: &[Change], book: usize, row: u32) -> Changes {
        let own = all.iter().filter(|change| change.book == book);
        let applies = own.filter(|change| match change.account {
            Account::Rest => change.bound == rest_bound(frame, row),
            _ => true,
        });
        Changes(applies.fold(0, |bits, change| bits | 1 << change.account as usize))
    }

    fn has(self, account: Account) -> bool {
        self.0 >> account as usize & 1 == 1
    }
}

impl Entry {
    /// The entry after `changes`: the call takes the fastest run that they allow, and accounts without a measurement
    /// give back their split.
    pub(super) fn left(mut self, changes: Changes) -> Entry {
        let time_s = self.call.total_s();
        let allowed = self.alternatives.into_iter().flatten().filter(|a| changes.has(a.account));
        let call_s = allowed.map(|a| a.call_s).fold(time_s, f64::min);
        // The saving is taken off the alternative's account that holds the time. If that is a smaller change within the
        // tie of a faster run, it holds less than the saving; the remainder is taken off the later accounts, last
        // first.
        let mut saved_s = time_s - call_s;
        let held = self.alternative.map(|a| a.account);
        let behind =
            [Account::Rest, Account::Published, Account::Tile, Account::Launch, Account::NoRoof];
        for account in held.into_iter().chain(behind) {
            let part = &mut self.call.0[account as usize];
            let taken = saved_s.min(*part);
            *part -= taken;
            saved_s -= taken;
        }
        for account in Account::ALL {
            if changes.has(account) && account.evidence() != Evidence::Measured {
                self.call.0[account as usize] = 0.0;
            }
        }
        let left_s = self.call.total_s();
        let faster = |a: &Alternative| !changes.has(a.account) && a.call_s < left_s;
        self.alternatives.iter_mut().for_each(|a| *a = a.filter(faster));
        self.alternative = self.alternative.filter(faster);
        self
    }
}
