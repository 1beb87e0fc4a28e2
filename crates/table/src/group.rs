//! Groups rows with the same key.

use gemmscope_model::pass;
use rustc_hash::FxHashMap;

/// Mixes a word into a hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    mixed ^ (mixed >> 32)
}

/// Keys per bucket, so that a sort fits in the CPU cache.
const BUCKET: usize = 512;

/// Pairs each row with its key; equal keys are adjacent, rows ascend within a key. Keys must be hashes: their upper
/// bits distribute them. Linear in the number of rows.
pub fn by_key(rows: &[u32], key: &dyn Fn(u32) -> u64) -> Vec<(u64, u32)> {
    let keys: Vec<u64> = rows.iter().map(|&r| key(r)).collect();
    let mut buckets = Buckets::new(|| keys.iter().map(|key| (key >> 32) as u32));
    keys.iter().zip(rows).for_each(|(&key, &row)| buckets.put(key, row));
    while buckets.sort_next(usize::MAX).is_some() {}
    buckets.items
}

/// Items with their keys, distributed over buckets that are sorted a few at a time.
struct Buckets<T> {
    items: Vec<(u64, T)>,
    /// Number of upper bits of a key that select its bucket.
    bits: u32,
    /// Index of each bucket's next item; once filled, the end of the bucket.
    next: Vec<u32>,
    /// Number of buckets sorted so far.
    sorted: usize,
}

/// Bucket of a key, given its upper half.
fn bucket(half: u32, bits: u32) -> usize {
    half.checked_shr(32 - bits).unwrap_or(0) as usize
}

impl<T: Copy + Default + Ord> Buckets<T> {
    /// Empty buckets sized (by prefix sum) for items with these upper halves of keys.
    fn new<I: Iterator<Item = u32>>(halves: impl Fn() -> I) -> Self {
        let len = halves().count();
        let bits = (len / BUCKET).next_power_of_two().trailing_zeros();
        let mut next = vec![0u32; 1 << bits];
        halves().for_each(|half| next[bucket(half, bits)] += 1);
        let mut start = 0;
        for next in &mut next {
            start += std::mem::replace(next, start);
        }
        Buckets { items: vec![(0, T::default()); len], bits, next, sorted: 0 }
    }

    /// Puts an item into its bucket.
    fn put(&mut self, key: u64, item: T) {
        let at = &mut self.next[bucket((key >> 32) as u32, self.bits)];
        self.items[*at as usize] = (key, item);
        *at += 1;
    }

    /// Sorts the next buckets, together about `most` items, and returns them; `None` after the last.
    fn sort_next(&mut self, most: usize) -> Option<&[(u64, T)]> {
        let end_of = |i: usize| self.next[i] as usize;
        let first = self.sorted.checked_sub(1).map_or(0, end_of);
        if self.sorted == self.next.len() {
            return None;
        }
        let mut start = first;
        while self.sorted < self.next.len() && start - first < most {
            let end = self.next[self.sorted] as usize;
            self.items[start..end].sort_unstable();
            start = end;
            self.sorted += 1;
        }
        Some(&self.items[first..start])
    }
}

/// Members grouped at a time, at most about twice as many, which bounds the extra memory however large the table is.
const PART: usize = 1_000_000;

/// Groups members `0..n` by key. `key` is the hash of a member, `item` what is kept of it; `found` receives about
/// `most` sorted items at a time, never splitting a key. Awaits `pause` every few thousand members. Columns are read
/// sequentially, and sorts fit in the CPU cache.
pub async fn gather<T: Copy + Default + Ord>(
    (n, most): (usize, usize),
    key: impl Fn(usize) -> u64,
    item: impl FnMut(usize) -> T,
    found: impl FnMut(&[(u64, T)]),
    pause: &impl AsyncFn(),
) {
    gather_parts((n, most, PART), key, item, found, pause).await;
}

/// Like [`gather`], with about `part` members at a time.
async fn gather_parts<T: Copy + Default + Ord>(
    (n, most, part): (usize, usize, usize),
    key: impl Fn(usize) -> u64,
    mut item: impl FnMut(usize) -> T,
    mut found: impl FnMut(&[(u64, T)]),
    pause: &impl AsyncFn(),
) {
    let stretches = || (0..n).step_by(pass::ROWS).map(|from| from..n.min(from + pass::ROWS));
    // Upper half of each key; its highest bits select the part.
    let mut halves = Vec::with_capacity(n);
    for members in stretches() {
        halves.extend(members.map(|member| (key(member) >> 32) as u32));
        pause().await;
    }
    let bits = (n / part).next_power_of_two().trailing_zeros();
    for part in 0..1 << bits {
        let is_own = |half: u32| bucket(half, bits) == part;
        // The bits below those that a part shares distribute its keys over buckets.
        let own = || halves.iter().filter(|half| is_own(**half)).map(|half| half << bits);
        let mut buckets = Buckets::new(own);
        for members in stretches() {
            for member in members.filter(|member| is_own(halves[*member])) {
                buckets.put(key(member).rotate_left(bits), item(member));
            }
            pause().await;
        }
        while let Some(items) = buckets.sort_next(most) {
            found(items);
            pause().await;
        }
    }
}

/// Slots of the cache in front of [`numbered`]'s map, indexed by the top eight bits of the hash.
const RECENT: usize = 256;

/// Numbers values in order of first occurrence: the number of each value, and the value of each number.
pub fn numbered(values: &mut dyn Iterator<Item = u64>) -> (Vec<u32>, Vec<u64>) {
    let (mut met, mut known) = (Vec::new(), FxHashMap::default());
    // Few values are frequent, so the cache finds most of them without the map.
    let mut recent = [(0, u32::MAX); RECENT];
    let number = |value: u64| {
        let last = &mut recent[(mix(0, value) >> 56) as usize];
        if last.0 != value || last.1 == u32::MAX {
            let number = *known.entry(value).or_insert_with(|| {
                met.push(value);
                (met.len() - 1) as u32
            });
            *last = (value, number);
        }
        last.1
    };
    (values.map(number).collect(), met)
}

/// The distinct rows, ascending. `all` is one more than the largest row.
pub fn ascending(rows: &[u32], all: usize) -> Vec<u32> {
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
            // Distributed as hashes are.
            let hash = |r: u32| keys[r as usize].wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let rows: Vec<u32> = (0..keys.len() as u32).collect();
            let mut sorted: Vec<(u64, u32)> = rows.iter().map(|&r| (hash(r), r)).collect();
            sorted.sort_unstable();
            prop_assert_eq!(by_key(&rows, &hash), sorted);
        }

        #[test]
        fn gathering_in_parts_gives_each_key_once_with_all_of_its_members(
            keys in prop::collection::vec(0u64..300, 0..1000),
            part in 20usize..2000,
            most in 1usize..700,
        ) {
            let hash = |member: usize| keys[member].wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut found: Vec<Vec<usize>> = Vec::new();
            let take = |items: &[(u64, usize)]| {
                let of_key = items.chunk_by(|a, b| a.0 == b.0);
                found.extend(of_key.map(|items| items.iter().map(|item| item.1).collect()));
            };
            let all = (keys.len(), most, part);
            pass::at_once(gather_parts(all, hash, |member| member, take, &pass::none));
            found.sort_unstable();
            let mut expected: Vec<Vec<usize>> = (0..300)
                .map(|key| (0..keys.len()).filter(|member| keys[*member] == key).collect())
                .filter(|members: &Vec<usize>| !members.is_empty())
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
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
