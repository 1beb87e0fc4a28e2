//! Any bytes as a zip archive.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::archive(data));
