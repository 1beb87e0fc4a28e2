//! A map of few keys.
//!
//! `BTreeMap` is compiled anew for every two types that it holds, with nodes to split and join, some 3 kB each time. Here
//! the pairs lie in one list.

use crate::order::InOrder;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

/// Pairs in the order of their keys, each key once. A key that comes between others moves all behind it, so a map of
/// many is collected, which sorts once.
#[derive(Clone, PartialEq, Eq)]
pub struct Sorted<K, V>(Vec<(K, V)>);

/// The pairs of a [`Sorted`], borrowed.
pub type Iter<'a, K, V> =
    std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

impl<K, V> Sorted<K, V> {
    /// A map without keys.
    pub const fn new() -> Self {
        Sorted(Vec::new())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all keys out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Every key with its value.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Every key.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Every value, in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Every value, to change it.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Keeps what the condition holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> Sorted<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(k, _)| k.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// The value of a key, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.0[at].1)
    }

    /// True if there is this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// The value of a key; where there is none, this one is put in first.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, value));
            at
        });
        &mut self.0[at].1
    }

    /// Gives a key its value, and the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes a key out; gives its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }
}

impl<K: Ord, V> Sorted<K, Vec<V>> {
    /// The values of each key, in their order.
    pub fn grouped(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut pairs: Vec<(K, V)> = pairs.into_iter().collect();
        pairs.order_by(|a, b| a.0.cmp(&b.0));
        let mut groups: Vec<(K, Vec<V>)> = Vec::new();
        for (key, value) in pairs {
            match groups.last_mut() {
                Some((last, values)) if *last == key => values.push(value),
                _ => groups.push((key, vec![value])),
            }
        }
        Sorted(groups)
    }
}

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Sorted<K, V> {
    /// Of equal keys the last counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut pairs: Vec<(K, V)> = pairs.into_iter().collect();
        pairs.order_by(|a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
        Sorted(pairs)
    }
}

impl<K: Ord, V> Extend<(K, V)> for Sorted<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for Sorted<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Sorted<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Sorted<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Serialize, V: Serialize> Serialize for Sorted<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for Sorted<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Pairs<K, V> {
            type Value = Sorted<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                std::iter::from_fn(|| map.next_entry().transpose()).collect()
            }
        }
        deserializer.deserialize_map(Pairs(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::Sorted;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_holds_what_an_ordered_map_does(
            first: Vec<(u8, u8)>,
            changes: Vec<(bool, u8, u8)>,
        ) {
            let mut ours: Sorted<u8, u8> = first.iter().copied().collect();
            let mut theirs: BTreeMap<u8, u8> = first.iter().copied().collect();
            for (put, key, value) in changes {
                match put {
                    true if value % 2 == 0 => prop_assert_eq!(*ours.or_insert(key, value), *theirs.entry(key).or_insert(value)),
                    true => prop_assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
                    false => prop_assert_eq!(ours.remove(&key), theirs.remove(&key)),
                }
                prop_assert_eq!(ours.get(&value), theirs.get(&value));
            }
            prop_assert!(ours.iter().eq(&theirs));
            let mut groups: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            first.iter().for_each(|(key, value)| groups.entry(*key).or_default().push(*value));
            prop_assert!(Sorted::grouped(first).iter().eq(&groups));
            let text = serde_json::to_string(&ours).unwrap();
            prop_assert_eq!(&text, &serde_json::to_string(&theirs).unwrap());
            prop_assert_eq!(serde_json::from_str::<Sorted<u8, u8>>(&text).unwrap(), ours);
        }
    }
}
