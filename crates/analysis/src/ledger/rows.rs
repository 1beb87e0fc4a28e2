//! Which rows an account's seconds are of.

use super::{Account, Book, Partners, Splitter, device_name};
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// The rows of a book that hold time in an account, ascending: what a filter to that account shows.
/// `frame` and `partners` are those that the book was added up from.
pub fn rows_of(frame: &Frame, partners: &Arc<Partners>, book: &Book, account: Account) -> Vec<u32> {
    let Some(side) = frame.counted().sides.get(book.number) else {
        return Vec::new();
    };
    let splitter = Splitter::new(frame, partners.clone());
    let own = |row: &u32| {
        device_name(frame, frame.data.device[*row as usize]) == book.device
            && splitter.of(*row).is_some_and(|entry| entry.call.of(account) > 0.0)
    };
    let mut rows: Vec<u32> = side.rows.iter().copied().filter(own).collect();
    rows.sort_unstable();
    rows
}
