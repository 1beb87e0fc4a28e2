//! The last value of a function, for the inputs that it was worked out from.

/// The last result of a pass over many rows, made ahead in a task of its own; the memo that asks with the same inputs
/// finds its value here.
#[derive(Clone)]
pub(super) struct Last<I, O>(Option<(I, O)>);

impl<I, O> Default for Last<I, O> {
    fn default() -> Self {
        Last(None)
    }
}

impl<I: PartialEq, O: Clone> Last<I, O> {
    /// The value for these inputs, which is worked out where it is not the last one.
    pub(super) fn of(&mut self, inputs: I, compute: impl FnOnce(&I) -> O) -> O {
        match &self.0 {
            Some((last, value)) if *last == inputs => value.clone(),
            _ => {
                let value = compute(&inputs);
                self.0 = Some((inputs, value.clone()));
                value
            }
        }
    }
}
