//! Texts with tables and lines of measurements.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::document(data));
