//! Files as the browser hands them over: chosen, dropped, pasted, or made from bytes.

use gloo_file::Blob;
use wasm_bindgen::prelude::*;

/// Something to import: a name and bytes that are read when needed.
#[derive(Clone, Debug)]
pub struct Input {
    /// File name, or a made-up one.
    pub name: String,
    /// The bytes; a blob of a file refers to it and holds no copy.
    pub blob: Blob,
}

impl Input {
    /// Bytes that are here already: a paste, a sample.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        Input {
            name: name.to_owned(),
            blob: Blob::new(bytes),
        }
    }

    /// Bytes in the file.
    pub fn size(&self) -> u64 {
        self.blob.size()
    }
}

impl From<web_sys::File> for Input {
    fn from(file: web_sys::File) -> Self {
        let name = file.name();
        Input {
            name,
            blob: Blob::from(web_sys::Blob::from(file)),
        }
    }
}

/// The files of an `<input type=file>` or a drop.
pub fn from_list(list: Option<web_sys::FileList>) -> Vec<Input> {
    list.map_or_else(Vec::new, |list| {
        (0..list.length())
            .filter_map(|i| list.get(i))
            .map(Input::from)
            .collect()
    })
}

/// Takes the chosen files and empties the control, so that the same file can be chosen again.
pub fn take_chosen(input: &web_sys::HtmlInputElement) -> Vec<Input> {
    let files = from_list(input.files());
    input.set_value("");
    files
}

/// True where a drag carries files (and not text or a link of the page itself).
pub fn carries_files(transfer: Option<&web_sys::DataTransfer>) -> bool {
    transfer.is_some_and(|t| t.types().iter().any(|t| t == JsValue::from_str("Files")))
}
