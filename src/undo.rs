//! Undo and redo over snapshots.

/// The past states, and those that were undone.
#[derive(Clone, Debug)]
pub struct History<T> {
    past: Vec<T>,
    future: Vec<T>,
    /// Kind and time of the last change: dragging a slider is one step, not fifty.
    last: Option<(&'static str, f64)>,
}

/// Changes of one kind that follow within this time are one step, ms.
const TOGETHER_MS: f64 = 900.0;
/// How many steps can be undone.
const DEPTH: usize = 100;

impl<T> Default for History<T> {
    fn default() -> Self {
        History {
            past: Vec::new(),
            future: Vec::new(),
            last: None,
        }
    }
}

impl<T> History<T> {
    /// Records the state before a change. `kind` names what is changed; `now_ms` may be of any
    /// clock.
    pub fn record(&mut self, before: T, kind: &'static str, now_ms: f64) {
        self.future.clear();
        let together = matches!(self.last, Some((k, at)) if k == kind && now_ms - at < TOGETHER_MS);
        self.last = Some((kind, now_ms));
        if together {
            return;
        }
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        self.past.push(before);
    }

    /// The state before the last change; `current` can be redone.
    pub fn undo(&mut self, current: T) -> Option<T> {
        self.last = None;
        let before = self.past.pop()?;
        self.future.push(current);
        Some(before)
    }

    /// The state that was undone last; `current` can be undone again.
    pub fn redo(&mut self, current: T) -> Option<T> {
        self.last = None;
        let after = self.future.pop()?;
        self.past.push(current);
        Some(after)
    }

    /// True where something can be undone.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// True where something can be redone.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_and_redo_walk_the_line() {
        let mut h = History::default();
        h.record(1, "a", 0.0);
        h.record(2, "b", 0.0);
        assert_eq!(h.undo(3), Some(2));
        assert_eq!(h.undo(2), Some(1));
        assert_eq!(h.undo(1), None);
        assert_eq!(h.redo(1), Some(2));
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
        assert_eq!(h.undo(4), Some(3));
        assert_eq!(h.undo(3), Some(0));
        assert!(!h.can_undo());
    }

    #[test]
    fn the_past_is_bounded() {
        let mut h = History::default();
        for i in 0..1000 {
            h.record(i, "x", f64::from(i) * 1e4);
        }
        let mut steps = 0;
        while h.undo(0).is_some() {
            steps += 1;
        }
        assert_eq!(steps, DEPTH);
    }
}
