//! Which rows an account's seconds are of.

use super::{Account, Book, Partners, Splitter};
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// The rows of a book that hold time in an account, ascending: what a filter to that account shows.
/// `frame` and `partners` are those that the book was added up from.
pub fn rows_of(frame: &Frame, partners: &Arc<Partners>, book: &Book, account: Account) -> Vec<u32> {
    let mut sets = frame.sets().into_iter();
    let own = sets.find(|set| (set.side, &set.device) == (book.number, &book.device));
    let splitter = Splitter::new(frame, partners.clone());
    let holds = |row: &u32| splitter.of(*row).is_some_and(|e| e.call.of(account) > 0.0);
    own.map_or(Vec::new(), |set| set.rows.into_iter().filter(holds).collect())
}
