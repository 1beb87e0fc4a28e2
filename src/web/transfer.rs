//! Columns as typed arrays between worker and page: one copy out of this module's memory, one into
//! the other's, and a transfer in between, which copies nothing.

use super::clock;
use gemmscope_table::dataset::wire::Buffer;
use js_sys::{Array, Float64Array, Uint8Array, Uint16Array, Uint32Array};
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// Copies the buffers out. Each column is freed as soon as it is copied, so that memory never holds
/// a large file twice.
pub fn to_js(buffers: Vec<Buffer>) -> Array {
    buffers
        .into_iter()
        .map(|buffer| -> JsValue {
            match buffer {
                Buffer::U8(v) => Uint8Array::from(v.as_slice()).into(),
                Buffer::U16(v) => Uint16Array::from(v.as_slice()).into(),
                Buffer::U32(v) => Uint32Array::from(v.as_slice()).into(),
                Buffer::F64(v) => Float64Array::from(v.as_slice()).into(),
            }
        })
        .collect()
}

/// The `ArrayBuffer`s to transfer with the arrays of [`to_js`].
pub fn transfer_list(arrays: &Array) -> Array {
    arrays
        .iter()
        .filter_map(|array| js_sys::Reflect::get(&array, &"buffer".into()).ok())
        .collect()
}

/// Longest stretch of work before the browser gets a turn, ms.
const TURN_MS: f64 = 8.0;

/// Copies typed arrays in, a few at a time; `None` for anything else.
pub async fn from_js(arrays: &Array) -> Option<Vec<Buffer>> {
    let mut out = Vec::with_capacity(arrays.length() as usize);
    let mut turn = clock::now_ms();
    for array in arrays.iter() {
        if clock::now_ms() - turn > TURN_MS {
            clock::pause(Duration::ZERO).await;
            turn = clock::now_ms();
        }
        out.push(buffer(&array)?);
    }
    Some(out)
}

/// Copies the typed arrays of a part in.
pub fn part_from_js(arrays: &Array) -> Option<Vec<Buffer>> {
    arrays.iter().map(|array| buffer(&array)).collect()
}

fn buffer(array: &JsValue) -> Option<Buffer> {
    Some(if let Some(a) = array.dyn_ref::<Uint32Array>() {
        Buffer::U32(a.to_vec())
    } else if let Some(a) = array.dyn_ref::<Float64Array>() {
        Buffer::F64(a.to_vec())
    } else if let Some(a) = array.dyn_ref::<Uint16Array>() {
        Buffer::U16(a.to_vec())
    } else {
        Buffer::U8(array.dyn_ref::<Uint8Array>()?.to_vec())
    })
}
