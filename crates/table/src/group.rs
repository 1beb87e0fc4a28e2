//! Rows with the same key, brought together.

/// Mixes a word into a hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    mixed ^ (mixed >> 32)
}

/// Keys are spread over this many at a time: what is sorted then lies in the processor's cache.
const BUCKET: usize = 256;

/// The rows with their keys, equal keys beside each other, rows ascending within a key. Keys must
/// be hashes: their upper bits spread them. Linear in the number of rows.
pub fn by_key(rows: &[u32], key: &dyn Fn(u32) -> u64) -> Vec<(u64, u32)> {
    let mut keys = Vec::with_capacity(rows.len());
    keys.extend(rows.iter().map(|&r| key(r)));
    let mut buckets = Buckets::new(rows, &keys);
    while buckets.sort_next(usize::MAX).is_some() {}
    buckets.items
}

/// Rows with their keys in buckets, which are sorted a few at a time: as [`by_key`], in steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    items: Vec<(u64, u32)>,
    ends: Vec<u32>,
    /// Buckets that are sorted.
    sorted: usize,
}

impl Buckets {
    /// Spreads rows by their keys.
    pub(crate) fn new(rows: &[u32], keys: &[u64]) -> Self {
        let bits = (rows.len() / BUCKET).next_power_of_two().trailing_zeros();
        let bucket = |key: u64| key.checked_shr(64 - bits).unwrap_or(0) as usize;
        let mut next = vec![0u32; (1 << bits) + 1];
        for &k in keys {
            next[bucket(k) + 1] += 1;
        }
        for i in 1..next.len() {
            next[i] += next[i - 1];
        }
        let ends = next[1..].to_vec();
        let mut items = vec![(0u64, 0u32); rows.len()];
        for (&k, &row) in keys.iter().zip(rows) {
            let at = &mut next[bucket(k)];
            items[*at as usize] = (k, row);
            *at += 1;
        }
        Buckets { items, ends, sorted: 0 }
    }

    /// Sorts the next buckets, together about `rows` rows, and gives them; `None` after the last.
    pub(crate) fn sort_next(&mut self, rows: usize) -> Option<&[(u64, u32)]> {
        let end_of = |i: usize| self.ends[i] as usize;
        let first = match self.sorted {
            0 => 0,
            n => end_of(n - 1),
        };
        if self.sorted == self.ends.len() {
            return None;
        }
        let mut start = first;
        while self.sorted < self.ends.len() && start - first < rows {
            let end = end_of(self.sorted);
            self.items[start..end].sort_unstable();
            start = end;
            self.sorted += 1;
        }
        Some(&self.items[first..start])
    }
}

/// The same rows ascending, each once. `all` is one more than the largest row.
pub(crate) fn ascending(rows: &[u32], all: usize) -> Vec<u32> {
    if rows.len() < all / 64 {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows.dedup();
        return rows;
    }
    let mut marks = vec![0u64; all.div_ceil(64)];
    for &r in rows {
        marks[r as usize / 64] |= 1 << (r % 64);
    }
    let mut out = Vec::with_capacity(rows.len());
    for (i, mut word) in marks.into_iter().enumerate() {
        while word != 0 {
            out.push((i * 64) as u32 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_are_those_of_a_sort(keys in prop::collection::vec(0u64..300, 0..3000)) {
            // Spread as hashes are.
            let hash = |r: u32| keys[r as usize].wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let rows: Vec<u32> = (0..keys.len() as u32).collect();
            let mut sorted: Vec<(u64, u32)> = rows.iter().map(|&r| (hash(r), r)).collect();
            sorted.sort_unstable();
            prop_assert_eq!(by_key(&rows, &hash), sorted);
        }

        #[test]
        fn ascending_sorts(mut rows in prop::collection::vec(0u32..5000, 0..400)) {
            let all = ascending(&rows, 5000);
            rows.sort_unstable();
            rows.dedup();
            prop_assert_eq!(all, rows);
        }
    }
}
