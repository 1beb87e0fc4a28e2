//! Counts the bytes that each thread holds, so that an input that takes too many is found. Whoever
//! includes this file allocates through it.

#![allow(dead_code, reason = "each fuzz target uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what each thread holds, and the most it held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has no counter any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

#[allow(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: all requests go to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that an input may take at most: lines, heads and dictionaries cost a fixed amount, and
/// each byte of a row some hundred where a wide table becomes a long one.
const FIXED: isize = 8 << 20;
const PER_BYTE: isize = 512;

/// Runs within bounds of memory for so many bytes of input.
pub(crate) fn bounded(what: &str, bytes: usize, f: impl FnOnce()) {
    let before = HELD.get();
    MOST.set(before);
    f();
    let held = MOST.get() - before;
    assert!(
        held <= FIXED + PER_BYTE * bytes as isize,
        "{what}: {held} bytes held for {bytes} of input"
    );
}
