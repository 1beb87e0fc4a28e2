//! A table of published times.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::reference(data));
