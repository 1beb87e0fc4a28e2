//! Any bytes to any reader: the first byte chooses it.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;

use gemmscope_import::FORMATS;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [format, step, bytes @ ..] = data else { return };
    let format = &FORMATS[usize::from(*format) % FORMATS.len()];
    exercise::exercise(Some(format.id), bytes, usize::from(*step) * 7 + 1);
});
