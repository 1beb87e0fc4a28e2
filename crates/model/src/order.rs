//! Sorting lists by a comparison of their own.
//!
//! `sort_by` of the standard library is compiled anew for every closure, 7 kB each time. Here one
//! sort serves them all: it calls the comparison through a pointer, which costs a few nanoseconds a
//! time. A list with an entry for each of a million rows is better sorted by the standard library.

use std::cmp::Ordering;

/// Sorting that adds little to the program.
pub trait InOrder<T> {
    /// As `sort_by`, stable.
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// As `sort_by_key`, stable.
    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> InOrder<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        if self.len() < 2 {
            return;
        }
        arrange(self, sorted(self.len(), &|a, b| compare(&self[a], &self[b])));
    }
}

/// Puts items in the order of their places: each cycle moves its items round by one.
#[inline(never)]
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// The places of so many items in their order.
#[inline(never)]
fn sorted(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library(items: Vec<(u8, u8)>) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            ours.order_by(|a, b| b.0.cmp(&a.0));
            theirs.sort_by_key(|b| std::cmp::Reverse(b.0));
            prop_assert_eq!(&ours, &theirs);
            let (mut ours, mut theirs) = (items.clone(), items);
            ours.order_by_key(|a| a.1);
            theirs.sort_by_key(|a| a.1);
            prop_assert_eq!(ours, theirs);
        }
    }
}
