//! Tests that need a browser: `make test-wasm` runs them in Chromium. What decides something is tested natively.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// The build and the browser agree on what wasm they speak: the crate is compiled with SIMD.
#[wasm_bindgen_test]
fn runs_with_simd_in_a_browser() {
    const { assert!(cfg!(target_feature = "simd128")) };
    assert!(web_sys::window().is_some());
}
