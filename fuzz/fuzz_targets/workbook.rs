//! A workbook of made-up sheets.
#![no_main]

#[path = "../checks.rs"]
mod checks;
#[path = "../exercise.rs"]
mod exercise;
#[path = "../held.rs"]
mod held;

libfuzzer_sys::fuzz_target!(|data: &[u8]| held::bounded("", data.len(), || checks::workbook(data)));
