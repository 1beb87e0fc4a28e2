//! Any bytes to any reader: the first byte chooses it, the third how long the file is.
#![no_main]

#[path = "../exercise.rs"]
mod exercise;
#[path = "../held.rs"]
mod held;

use gemmscope_import::FORMATS;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [format, step, times, bytes @ ..] = data else { return };
    let format = &FORMATS[usize::from(*format) % FORMATS.len()];
    let (times, step) = (usize::from(*times), usize::from(*step) * 7 + 1);
    held::bounded(format.id, bytes.len() * (times + 1), || exercise::long(Some(format.id), bytes, times, step));
});
