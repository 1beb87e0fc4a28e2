//! A workbook of made-up sheets.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::workbook(data));
