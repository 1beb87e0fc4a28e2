//! Undo and redo: the history of steps, and the change of a step to a list.

/// The steps that can be undone and redone.
#[derive(Clone, Debug)]
pub struct History<T> {
    past: Vec<T>,
    future: Vec<T>,
    /// Kind and time of the last change, so that dragging a slider is one step, not fifty.
    last: Option<(&'static str, f64)>,
}

/// Changes of one kind within this time, ms, are joined into one step.
const TOGETHER_MS: f64 = 900.0;
/// Maximum number of steps that can be undone.
const DEPTH: usize = 100;

impl<T> Default for History<T> {
    fn default() -> Self {
        History { past: Vec::new(), future: Vec::new(), last: None }
    }
}

impl<T> History<T> {
    /// Records the state before a change. `kind` names what is changed; `now_ms` may be of any clock. Quick changes of
    /// one kind are joined.
    pub fn record(&mut self, before: T, kind: &'static str, now_ms: f64) {
        let together = matches!(self.last, Some((k, at)) if k == kind && now_ms - at < TOGETHER_MS);
        if together {
            self.future.clear();
        } else {
            self.push(before);
        }
        self.last = Some((kind, now_ms));
    }

    /// Records the state before a change, always as a separate step.
    pub fn push(&mut self, before: T) {
        self.future.clear();
        self.last = None;
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        self.past.push(before);
    }

    /// Drops the oldest steps until the total weight of the others is at most `limit`.
    pub fn lighten(&mut self, limit: usize, weight: impl Fn(&T) -> usize) {
        let mut sum: usize = self.past.iter().chain(&self.future).map(&weight).sum();
        while sum > limit && !self.past.is_empty() {
            sum -= weight(&self.past.remove(0));
        }
    }

    /// Takes the last step. After performing it, pass its inverse to [`undone`](History::undone).
    pub fn undo(&mut self) -> Option<T> {
        self.last = None;
        self.past.pop()
    }

    /// Stores the redo step after an [`undo`](History::undo).
    pub fn undone(&mut self, forward: T) {
        self.future.push(forward);
    }

    /// Takes the step undone last. After performing it, pass its inverse to [`redone`](History::redone).
    pub fn redo(&mut self) -> Option<T> {
        self.last = None;
        self.future.pop()
    }

    /// Stores the undo step after a [`redo`](History::redo).
    pub fn redone(&mut self, back: T) {
        self.past.push(back);
    }

    /// True if something can be undone.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// True if something can be redone.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

/// An item of a list that a step can remove and put back.
pub trait HasKey {
    /// Identifies an item.
    type Key: PartialEq;
    /// Its key.
    fn key(&self) -> Self::Key;
}

/// A change of a list: items to remove, and items to insert at their places. Items added meanwhile stay.
#[derive(Clone, Debug)]
pub struct Swap<T: HasKey> {
    /// Items to insert, with their indices in ascending order.
    pub back: Vec<(usize, T)>,
    /// Keys of the items to remove.
    pub out: Vec<T::Key>,
}

impl<T: HasKey> Default for Swap<T> {
    fn default() -> Self {
        Swap { back: Vec::new(), out: Vec::new() }
    }
}

impl<T: HasKey> Swap<T> {
    /// Removes these items from a list; the result puts them back.
    pub fn take(list: &mut Vec<T>, out: Vec<T::Key>) -> Swap<T> {
        let swap = Swap { back: Vec::new(), out };
        swap.apply(list)
    }

    /// True if it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.back.is_empty() && self.out.is_empty()
    }

    /// Changes the list; the result is the inverse change.
    pub fn apply(self, list: &mut Vec<T>) -> Swap<T> {
        let mut reverse = Swap::default();
        let mut kept = Vec::with_capacity(list.len());
        for (place, item) in list.drain(..).enumerate() {
            if self.out.contains(&item.key()) {
                reverse.back.push((place, item));
            } else {
                kept.push(item);
            }
        }
        *list = kept;
        for (place, item) in self.back {
            // The same item may have been added again.
            if list.iter().any(|other| other.key() == item.key()) {
                continue;
            }
            reverse.out.push(item.key());
            list.insert(place.min(list.len()), item);
        }
        reverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undoes one step from `current`.
    fn undo(h: &mut History<usize>, current: usize) -> Option<usize> {
        let before = h.undo()?;
        h.undone(current);
        Some(before)
    }

    fn redo(h: &mut History<usize>, current: usize) -> Option<usize> {
        let after = h.redo()?;
        h.redone(current);
        Some(after)
    }

    #[test]
    fn undo_and_redo_walk_the_line() {
        let mut h = History::default();
        h.record(1, "a", 0.0);
        h.record(2, "b", 0.0);
        assert_eq!(undo(&mut h, 3), Some(2));
        assert_eq!(undo(&mut h, 2), Some(1));
        assert_eq!(undo(&mut h, 1), None);
        assert_eq!(redo(&mut h, 1), Some(2));
        assert!(h.can_redo());
        h.record(2, "c", 9e9);
        assert!(!h.can_redo(), "a new change drops what was undone");
    }

    #[test]
    fn a_quick_run_of_one_kind_is_one_step() {
        let mut h = History::default();
        for (i, at) in [0.0, 100.0, 200.0].into_iter().enumerate() {
            h.record(i, "drag", at);
        }
        h.record(3, "drag", 5000.0);
        assert_eq!(undo(&mut h, 4), Some(3));
        assert_eq!(undo(&mut h, 3), Some(0));
        assert!(!h.can_undo());
    }

    #[test]
    fn a_step_of_its_own_joins_no_other() {
        let mut h = History::default();
        h.record(0, "drag", 0.0);
        h.push(1);
        h.push(2);
        h.record(3, "drag", 1.0);
        for i in (0..4).rev() {
            assert_eq!(undo(&mut h, i + 1), Some(i));
        }
    }

    #[test]
    fn the_past_is_bounded() {
        let mut h = History::default();
        for i in 0..1000 {
            h.record(i, "x", i as f64 * 1e4);
        }
        let mut steps = 0;
        while undo(&mut h, 0).is_some() {
            steps += 1;
        }
        assert_eq!(steps, DEPTH);
    }

    #[test]
    fn heavy_steps_are_forgotten_from_the_oldest() {
        let mut h = History::default();
        for weight in [5, 1, 4, 3] {
            h.push(weight);
        }
        h.lighten(8, |w| *w);
        assert_eq!(undo(&mut h, 0), Some(3));
        h.lighten(8, |w| *w);
        assert_eq!(undo(&mut h, 0), Some(4));
        assert_eq!(undo(&mut h, 0), Some(1));
        assert!(!h.can_undo());
    }

    impl HasKey for char {
        type Key = char;
        fn key(&self) -> char {
            *self
        }
    }

    fn text(list: &[char]) -> String {
        list.iter().collect()
    }

    #[test]
    fn what_is_taken_out_comes_back_to_its_place() {
        let mut list: Vec<char> = "abcd".chars().collect();
        let back = Swap::take(&mut list, vec!['b', 'd', 'x']);
        assert_eq!(text(&list), "ac");
        let again = back.apply(&mut list);
        assert_eq!(text(&list), "abcd");
        again.apply(&mut list);
        assert_eq!(text(&list), "ac");
    }

    #[test]
    fn what_came_meanwhile_stays() {
        let mut list: Vec<char> = "ab".chars().collect();
        let back = Swap::take(&mut list, vec!['b']);
        list.push('n');
        let again = back.apply(&mut list);
        assert_eq!(text(&list), "abn");
        again.apply(&mut list);
        assert_eq!(text(&list), "an");
        // An item that was added again is not duplicated.
        list.push('b');
        Swap { back: vec![(1, 'b')], out: vec![] }.apply(&mut list);
        assert_eq!(text(&list), "anb");
        // Its index may be beyond the end.
        let back = Swap::take(&mut list, vec!['n']);
        list.clear();
        back.apply(&mut list);
        assert_eq!(text(&list), "n");
    }
}
