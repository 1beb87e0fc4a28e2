//! Pictures, reports, scripts and exports of a table of extreme values.
#![no_main]

#[path = "../drawn.rs"]
mod drawn;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| drawn::extremes(data));
