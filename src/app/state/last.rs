//! Cache of a function's last value, by its inputs.

/// The last result of a pass over many rows. A separate task computes it ahead; the memo that asks with the same inputs
/// finds it here.
#[derive(Clone)]
pub(super) struct Last<I, O>(Option<(I, O)>);

impl<I, O> Default for Last<I, O> {
    fn default() -> Self {
        Last(None)
    }
}

impl<I: PartialEq, O: Clone> Last<I, O> {
    /// The value for these inputs; computed unless it is the last one.
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
