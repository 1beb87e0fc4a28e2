//! Any bytes, recognised and read.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;
#[path = "../held.rs"]
mod held;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((step, bytes)) = data.split_first() else { return };
    held::bounded("", bytes.len(), || exercise::exercise(None, bytes, usize::from(*step) * 7 + 1));
});
