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
    let keys: Vec<u64> = rows.iter().map(|&r| key(r)).collect();
    let bits = (rows.len() / BUCKET).next_power_of_two().trailing_zeros();
    let bucket = |key: u64| key.checked_shr(64 - bits).unwrap_or(0) as usize;
    let mut next = vec![0u32; (1 << bits) + 1];
    for &k in &keys {
        next[bucket(k) + 1] += 1;
    }
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let mut out = vec![(0u64, 0u32); rows.len()];
    let ends = next[1..].to_vec();
    for (&k, &row) in keys.iter().zip(rows) {
        let at = &mut next[bucket(k)];
        out[*at as usize] = (k, row);
        *at += 1;
    }
    let mut start = 0;
    for end in ends {
        out[start..end as usize].sort_unstable();
        start = end as usize;
    }
    out
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
