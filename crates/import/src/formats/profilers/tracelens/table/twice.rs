//! Finds rows whose time is already in another row.

use super::Pending;
use gemmscope_table::build::intern::Interner;
use std::collections::HashMap;

/// Maps each wrapper to the row that already holds its time: another operation with the same shape, number of calls,
/// kernel, and the same time to the last digit.
pub(super) fn counted_twice(pending: &[Pending], words: &Interner) -> HashMap<usize, usize> {
    type Key = (usize, [u32; 4], u64, u64, u32);
    let mut known: HashMap<Key, usize> = HashMap::default();
    let mut twice = HashMap::default();
    let is_wrapper = |p: &Pending| words.value(p.name).starts_with("aten::");
    for (i, p) in pending.iter().enumerate() {
        let Ok(row) = &p.row else { continue };
        let key = (
            p.set,
            [row.m, row.n, row.k, row.batch],
            p.count.to_bits(),
            p.total_s.to_bits(),
            p.kernel,
        );
        let Some(&first) = known.get(&key) else {
            known.insert(key, i);
            continue;
        };
        if pending[first].name == p.name {
            continue;
        }
        // Keep the operation that launched the kernel; drop its wrapper.
        let wrapper_first = is_wrapper(p) || !is_wrapper(&pending[first]);
        if wrapper_first {
            twice.insert(first, i);
            known.insert(key, i);
        } else {
            twice.insert(i, first);
        }
    }
    twice
}
