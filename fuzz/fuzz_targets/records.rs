//! The tokenizer.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [_, step, bytes @ ..] = data else { return };
    exercise::records(bytes, usize::from(*step) + 1);
});
