//! Long passes over rows: async functions with a plain loop that awaits a `pause` every few thousand rows.
//!
//! The caller supplies the pause: the page yields to the browser, native code continues at once ([`at_once`]).

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Rows or groups between two pauses, approximately.
pub const ROWS: usize = 5_000;

/// Runs a pass with [`none`] as its pause to completion.
pub fn at_once<T>(pass: impl Future<Output = T>) -> T {
    let mut pass = pin!(pass);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = pass.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Runs a pass while `wanted()` is true, checked after each pause; once false, drops the pass and returns `None`.
pub async fn while_wanted<T>(
    wanted: impl Fn() -> bool,
    pass: impl Future<Output = T>,
) -> Option<T> {
    let mut pass = pin!(pass);
    poll_fn(|context| match wanted() {
        true => pass.as_mut().poll(context).map(Some),
        false => Poll::Ready(None),
    })
    .await
}

/// A pause that does not pause.
pub async fn none() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_pass_is_the_same_with_pauses() {
        let pauses = Cell::new(0);
        let sum = async |pause: &dyn Fn()| {
            let mut sum = 0;
            for rows in (1..=10).collect::<Vec<u32>>().chunks(4) {
                sum += rows.iter().sum::<u32>();
                pause();
                none().await;
            }
            sum
        };
        assert_eq!(at_once(sum(&|| pauses.set(pauses.get() + 1))), 55);
        assert_eq!(pauses.get(), 3);
    }

    #[test]
    fn a_pass_that_nobody_wants_ends_at_its_next_pause() {
        let pauses = Cell::new(0);
        let pause = || {
            pauses.set(pauses.get() + 1);
            let mut over = false;
            poll_fn(move |_| {
                if std::mem::replace(&mut over, true) { Poll::Ready(()) } else { Poll::Pending }
            })
        };
        let pass = async || {
            for _ in 0..10 {
                pause().await;
            }
            "done"
        };
        assert_eq!(at_once(while_wanted(|| pauses.get() < 4, pass())), None);
        assert_eq!(pauses.replace(0), 4);
        assert_eq!(at_once(while_wanted(|| true, pass())), Some("done"));
    }
}
