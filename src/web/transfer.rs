//! Columns as typed arrays: one copy out of this module's memory, one into the other's, and a
//! transfer between the two, which copies nothing.

use crate::dataset::wire::Buffer;
use js_sys::{Array, Float64Array, Uint8Array, Uint16Array, Uint32Array};
use wasm_bindgen::prelude::*;

/// Copies the buffers out. Each column is freed as soon as it is copied, so that the two copies
/// of a large file are never here together.
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

/// The list of `ArrayBuffer`s to transfer with what [`to_js`] gave.
pub fn transfer_list(arrays: &Array) -> Array {
    arrays
        .iter()
        .filter_map(|array| js_sys::Reflect::get(&array, &"buffer".into()).ok())
        .collect()
}

/// Copies typed arrays in; anything else is refused.
pub fn from_js(arrays: &Array) -> Option<Vec<Buffer>> {
    arrays
        .iter()
        .map(|array| {
            if let Some(a) = array.dyn_ref::<Uint32Array>() {
                Some(Buffer::U32(a.to_vec()))
            } else if let Some(a) = array.dyn_ref::<Float64Array>() {
                Some(Buffer::F64(a.to_vec()))
            } else if let Some(a) = array.dyn_ref::<Uint16Array>() {
                Some(Buffer::U16(a.to_vec()))
            } else {
                array
                    .dyn_ref::<Uint8Array>()
                    .map(|a| Buffer::U8(a.to_vec()))
            }
        })
        .collect()
}
