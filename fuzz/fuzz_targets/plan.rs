//! The plan of any model, step and devices.
#![no_main]

#[path = "../drawn.rs"]
mod drawn;
#[path = "../exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| drawn::plan(data));
