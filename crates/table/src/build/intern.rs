//! Dictionaries of texts, with caches that find the code of a cell without hashing it.

use super::cell_text::cell_text;
use super::cells::Cells;
use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::Hasher;

/// Cache sizes, powers of two: small for few texts, since a file may have thousands of columns; large enough for the
/// hundreds of kernels of a tuning sweep.
const SLOTS: std::ops::RangeInclusive<usize> = 64..=2048;

/// A dictionary of cell texts. Code 0 is the empty text.
#[derive(Debug)]
pub struct Interner {
    values: Vec<String>,
    /// Total length of the texts in bytes.
    bytes: usize,
    table: HashTable<u32>,
    /// Cache of recent texts by some bits of their fingerprint, since most cells repeat few texts.
    recent: Vec<CachedText>,
    /// Cache of short cells by all their bytes.
    short: ShortCells,
}

/// A cached text, by fingerprint and length. Length 0 marks an empty slot.
#[derive(Clone, Copy, Debug, Default)]
struct CachedText {
    fingerprint: u64,
    len: u32,
    code: u32,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            values: vec![String::new()],
            bytes: 0,
            table: HashTable::new(),
            recent: Vec::new(),
            short: ShortCells::default(),
        }
    }
}

/// Codes of raw cells of up to 15 bytes: a hit is cheaper than trimming the cell.
#[derive(Debug, Default)]
struct ShortCells {
    /// The cell's bytes as two words, with the length in the topmost byte, and its code. All zero: the empty cell.
    slots: Vec<(u64, u64, u32)>,
}

/// Sizes of this cache, up to twice the other's, since a slot is cheaper to check.
const SHORT_SLOTS: std::ops::RangeInclusive<usize> = 64..=4096;
/// Slots per text, so that texts rarely collide.
const SLOTS_A_TEXT: usize = 32;

/// By cell length: masks for 16 loaded bytes, and the length mark.
const KEEP: [(u64, u64, u64); 16] = {
    let mut keep = [(0, 0, 0); 16];
    let mut len = 1;
    while len < 16 {
        let (low, high) = match len {
            ..=8 => (!0 >> (64 - 8 * len), 0),
            _ => (!0, !0 >> (128 - 8 * len)),
        };
        keep[len] = (low, high, (len as u64) << 56);
        len += 1;
    }
    keep
};

impl ShortCells {
    /// The bytes of a short cell as key and slot; `None` for longer cells, and within 16 bytes of the end of the text.
    #[inline(always)]
    fn key(&self, text: &[u8], from: u32, to: u32) -> Option<(u64, u64, usize)> {
        let &(low, high, len) = KEEP.get(to.wrapping_sub(from) as usize)?;
        let bytes: [u8; 16] = text.get(from as usize..)?.get(..16)?.try_into().ok()?;
        let both = u128::from_le_bytes(bytes);
        let low = both as u64 & low;
        let high = (both >> 64) as u64 & high | len;
        let mixed = (low ^ high.wrapping_mul(0xff51_afd7_ed55_8ccd)).wrapping_mul(MIX);
        Some((low, high, (mixed >> 44) as usize))
    }

    #[inline(always)]
    fn find(&self, (low, high, mixed): (u64, u64, usize)) -> Option<u32> {
        let slot = self.slots.get(mixed & self.slots.len().wrapping_sub(1))?;
        (slot.0 == low && slot.1 == high).then_some(slot.2)
    }

    #[cold]
    fn keep(&mut self, (low, high, mixed): (u64, u64, usize), code: u32) {
        let wanted = (code as usize).saturating_mul(SLOTS_A_TEXT);
        let slots = self.slots.len();
        if slots == 0 || wanted > slots && slots < *SHORT_SLOTS.end() {
            self.slots = vec![(0, 0, 0); (slots * 2).max(*SHORT_SLOTS.start())];
        }
        let slot = mixed & (self.slots.len() - 1);
        self.slots[slot] = (low, high, code);
    }
}

/// Overhead of a text in a dictionary in bytes: the `String` and its table entry.
const WORD_BYTES: usize = size_of::<String>() + 8;

fn hash(bytes: &[u8]) -> u64 {
    let mut h = rustc_hash::FxHasher::default();
    h.write(bytes);
    h.finish()
}

/// A number that differs for most cells of the same length: all bytes up to eight, a mix of both ends and the middle
/// for longer cells.
#[inline]
fn fingerprint(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let four = |from: usize| {
        let four = bytes.get(from..from + 4).and_then(|b| b.try_into().ok());
        u64::from(u32::from_le_bytes(four.unwrap_or_default()))
    };
    let eight = |from: usize| {
        let eight = bytes.get(from..from + 8).and_then(|b| b.try_into().ok());
        u64::from_le_bytes(eight.unwrap_or_default())
    };
    match n {
        0 => 0,
        1..4 => u64::from(bytes[0]) | u64::from(bytes[n / 2]) << 8 | u64::from(bytes[n - 1]) << 16,
        4..=8 => four(0) | four(n - 4) << 32,
        _ => {
            let ends = eight(0).wrapping_mul(MIX).rotate_left(29) ^ eight(n - 8);
            ends.wrapping_mul(MIX).rotate_left(29) ^ eight((n - 8) / 2)
        }
    }
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Interner {
    /// Code of a cell.
    #[inline]
    pub fn code(&mut self, cell: &[u8]) -> u32 {
        if cell.is_empty() {
            return 0;
        }
        let (fingerprint, len) = (fingerprint(cell), cell.len() as u32);
        let mixed = (fingerprint ^ u64::from(len)).wrapping_mul(MIX);
        // With an empty cache the mask is all ones, so the lookup finds no slot.
        let slot = (mixed >> 40) as usize & self.recent.len().wrapping_sub(1);
        if let Some(seen) = self.recent.get(slot)
            && seen.fingerprint == fingerprint
            && seen.len == len
            && (len <= 8 || self.values[seen.code as usize].as_bytes() == cell)
        {
            return seen.code;
        }
        match self.find(cell) {
            Some(code) => {
                if let Some(seen) = self.recent.get_mut(slot) {
                    *seen = CachedText { fingerprint, len, code };
                }
                code
            }
            None => self.add(cell),
        }
    }

    /// Code of the cell of a row.
    #[inline(always)]
    pub fn code_of(&mut self, cells: &impl Cells, row: usize) -> u32 {
        let (from, to) = cells.place(row);
        let Some(key) = self.short.key(cells.text(), from, to) else {
            return self.code(cells.cell(row));
        };
        if let Some(code) = self.short.find(key) {
            return code;
        }
        let code = self.code(cells.cell(row));
        self.short.keep(key, code);
        code
    }

    /// The text of a code.
    pub fn value(&self, code: u32) -> &str {
        &self.values[code as usize]
    }

    /// The texts from `code` on.
    pub(crate) fn texts_from(&self, code: usize) -> &[String] {
        self.values.get(code..).unwrap_or_default()
    }

    /// All texts.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.values
    }

    /// Approximate size of the texts in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.bytes + self.values.len() * WORD_BYTES
    }

    fn find(&self, bytes: &[u8]) -> Option<u32> {
        let values = &self.values;
        let same = |&c: &u32| values[c as usize].as_bytes() == bytes;
        self.table.find(hash(bytes), same).copied()
    }

    #[cold]
    fn add(&mut self, cell: &[u8]) -> u32 {
        let text = cell_text(cell);
        // A cell that is not UTF-8 is decoded to another text, which the dictionary may hold already.
        if let (Cow::Owned(_), Some(code)) = (&text, self.find(text.as_bytes())) {
            return code;
        }
        let code = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.bytes += text.len();
        self.values.push(text.into_owned());
        let values = &self.values;
        let hash_of = |&c: &u32| hash(values[c as usize].as_bytes());
        self.table.insert_unique(hash_of(&code), code, hash_of);
        if values.len() > self.recent.len() / 2 && self.recent.len() < *SLOTS.end() {
            let slots = (self.recent.len() * 2).max(*SLOTS.start());
            self.recent = vec![CachedText::default(); slots];
        }
        code
    }
}

/// Finds the code of a text in a list of distinct texts.
#[derive(Debug, Default)]
pub(crate) struct Index {
    table: HashTable<u32>,
}

impl Index {
    /// Indexes these texts.
    pub(crate) fn of(values: &[String]) -> Self {
        let mut index = Index::default();
        for code in 0..values.len() {
            index.insert(values, code as u32);
        }
        index
    }

    /// Code of a text.
    pub(crate) fn find(&self, values: &[String], text: &str) -> Option<u32> {
        let same = |&c: &u32| values[c as usize] == text;
        self.table.find(hash(text.as_bytes()), same).copied()
    }

    /// Adds a text that is not in the list; returns its code.
    pub(crate) fn add(&mut self, values: &mut Vec<String>, text: String) -> u32 {
        values.push(text);
        let code = (values.len() - 1) as u32;
        self.insert(values, code);
        code
    }

    fn insert(&mut self, values: &[String], code: u32) {
        let hash_of = |&c: &u32| hash(values[c as usize].as_bytes());
        self.table.insert_unique(hash_of(&code), code, hash_of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the caches hold, a text has one code and a code one text.
        #[test]
        fn equal_texts_share_a_code(cells in proptest::collection::vec("[ab]{0,5}|[ab]{7,10}|[ab]{15,26}|[0-9]{1,3}", 1..400)) {
            let mut words = Interner::default();
            for cell in cells.iter().chain(&cells) {
                let code = words.code(cell.as_bytes()) as usize;
                prop_assert_eq!(&words.values[code], cell);
            }
            let mut distinct: Vec<&str> = cells.iter().map(String::as_str).filter(|c| !c.is_empty()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(words.values.len(), distinct.len() + 1);
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_known_again() {
        let mut words = Interner::default();
        let first = words.code(b"na\xefve");
        assert_eq!(words.code(b"na\xefve"), first);
        assert_eq!(words.code("na\u{ef}ve".as_bytes()), first);
        assert_eq!(words.values, ["", "na\u{ef}ve"]);
    }
}
