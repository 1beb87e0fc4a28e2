//! The JSON scanner.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((step, bytes)) = data.split_first() else { return };
    exercise::json(bytes, usize::from(*step) + 1);
});
