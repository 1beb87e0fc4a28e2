//! Long passes over rows are async functions: plain loops that await a `pause` every few thousand rows.
//!
//! Who runs a pass says what a pause is: the page gives the browser its turn, everybody else has nobody to
//! wait for ([`at_once`]).

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs a pass whose pauses are [`none`] to its end.
pub fn at_once<T>(pass: impl Future<Output = T>) -> T {
    let mut pass = pin!(pass);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = pass.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// A pause that is over at once.
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
}
