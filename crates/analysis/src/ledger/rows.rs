//! Rows that an account's seconds belong to.

use super::{Account, Book, Partners, Splitter};
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// Rows of a book with time in an account, ascending, which a filter to that account shows. Pass the `frame` and
/// `partners` that the book was computed from.
pub fn rows_of(frame: &Frame, partners: &Arc<Partners>, book: &Book, account: Account) -> Vec<u32> {
    let mut sets = frame.sets().into_iter();
    let own = sets.find(|set| (set.side, &set.device) == (book.number, &book.device));
    let splitter = Splitter::new(frame, partners.clone());
    let holds = |row: &u32| splitter.of(*row).is_some_and(|e| e.call.of(account) > 0.0);
    own.map_or(Vec::new(), |set| set.rows.into_iter().filter(holds).collect())
}
