//! Detection and the guesses of the column mapping on any head.
#![no_main]

use gemmscope::import::{Head, ImportOptions, header_fingerprint, inspect, sniff};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let head = Head::from_bytes("x.csv", data);
    let _ = sniff(&head, &ImportOptions::default());
    let _ = inspect(&head, &ImportOptions::default());
    let _ = header_fingerprint(&head);
});
