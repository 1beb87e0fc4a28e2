//! Parquet files as the CSV of their flat columns, by `public/parquet.mjs`, which comes when the first one does.

use super::boot;
use super::js::{field, number, text};
use gemmscope_import::ImportError;
use gloo_file::Blob;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// What a file begins with.
const MAGIC: &[u8] = b"PAR1";

/// A file that is being read.
pub(super) struct Parquet {
    opened: JsValue,
    /// Share of its rows that came so far.
    pub(super) part: f64,
}

impl Parquet {
    /// Opens a Parquet file whose pages may unpack to `limit` bytes at a time; `None` for any other file, and in the
    /// one-file page, which has no reader of them.
    ///
    /// # Errors
    /// Why it is not read.
    pub(super) async fn open(blob: &Blob, limit: u64) -> Result<Option<Parquet>, ImportError> {
        let open = boot::value("openParquet").dyn_into::<js_sys::Function>();
        let (Ok(open), true) = (open, is_parquet(blob).await) else { return Ok(None) };
        let raw: &JsValue = blob.as_ref();
        let promise = open.call2(&JsValue::NULL, raw, &(limit as f64).into());
        let opened = awaited(promise).await?;
        Ok(Some(Parquet { opened, part: 0.0 }))
    }

    /// What the file is and what of it is left out, as a note of its card.
    pub(super) fn note(&self) -> String {
        text(&self.opened, "note")
    }

    /// The next piece of the CSV; `None` at the end.
    ///
    /// # Errors
    /// Why it is not read on.
    pub(super) async fn next(&mut self) -> Result<Option<String>, ImportError> {
        let next = field(&self.opened, "next").dyn_into::<js_sys::Function>().map_err(why)?;
        let piece = awaited(next.call0(&self.opened)).await?;
        if piece.is_null() {
            return Ok(None);
        }
        self.part = number(&piece, "part");
        Ok(Some(text(&piece, "text")))
    }
}

async fn is_parquet(blob: &Blob) -> bool {
    let start = blob.slice(0, MAGIC.len() as u64);
    gloo_file::futures::read_as_bytes(&start).await.is_ok_and(|start| start == MAGIC)
}

/// The value of a promise; its reason as the sentence that it is.
async fn awaited(promise: Result<JsValue, JsValue>) -> Result<JsValue, ImportError> {
    let promise = js_sys::Promise::resolve(&promise.map_err(why)?);
    JsFuture::from(promise).await.map_err(why)
}

fn why(error: JsValue) -> ImportError {
    ImportError::new(text(&error, "message"))
}
