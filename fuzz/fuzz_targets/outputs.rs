//! Pictures, reports, scripts and exports of any table.
#![no_main]

#[path = "../drawn.rs"]
mod drawn;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| drawn::outputs(data));
