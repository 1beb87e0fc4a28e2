//! Columns as typed arrays between worker and page: one copy out of this module's memory, one into the other's, and a
//! transfer in between, which copies nothing.

use super::js::field;
use gemmscope_table::dataset::wire::Buffer;
use js_sys::{Array, ArrayBuffer, Float64Array, Uint8Array, Uint16Array, Uint32Array};
use wasm_bindgen::prelude::*;

/// Copies the buffers out. Each column is freed as soon as it is copied, so that a large file is never in memory twice.
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
    arrays.iter().map(|array| field(&array, "buffer")).collect()
}

/// Copies the buffers of a part of a table into one block of memory, reusing a spare one if it is large enough: the
/// browser then neither clears new memory for each part nor collects it afterwards.
pub fn part_to_js(buffers: &[Buffer], spare: &mut Vec<ArrayBuffer>) -> (Array, ArrayBuffer) {
    let bytes = |buffer: &Buffer| match buffer {
        Buffer::U8(v) => v.len(),
        Buffer::U16(v) => v.len() * 2,
        Buffer::U32(v) => v.len() * 4,
        Buffer::F64(v) => v.len() * 8,
    };
    // Each starts at an alignment valid for any type.
    let room = |buffer: &Buffer| bytes(buffer).next_multiple_of(8) as u32;
    let need: u32 = buffers.iter().map(room).sum();
    let memory = loop {
        match spare.pop() {
            Some(memory) if memory.byte_length() >= need => break memory,
            Some(_) => {}
            // The next part may be a little larger.
            None => break ArrayBuffer::new(need + need / 8),
        }
    };
    let mut at = 0;
    let array = |buffer: &Buffer| -> JsValue {
        let from = at;
        at += room(buffer);
        macro_rules! copied {
            ($array:ident, $values:expr) => {{
                let len = $values.len() as u32;
                let array = $array::new_with_byte_offset_and_length(&memory, from, len);
                array.copy_from($values);
                array.into()
            }};
        }
        match buffer {
            Buffer::U8(v) => copied!(Uint8Array, v),
            Buffer::U16(v) => copied!(Uint16Array, v),
            Buffer::U32(v) => copied!(Uint32Array, v),
            Buffer::F64(v) => copied!(Float64Array, v),
        }
    };
    let arrays = buffers.iter().map(array).collect();
    (arrays, memory)
}

/// Copies typed arrays in; `None` for anything else.
pub fn from_js(arrays: &Array) -> Option<Vec<Buffer>> {
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
