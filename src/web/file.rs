//! Files as the browser provides them: chosen, dropped, pasted, or made from bytes.

use super::js::{promised, text};
use gloo_file::Blob;
use wasm_bindgen::prelude::*;
use web_sys::{FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

/// Maximum number of files read from a folder; a larger folder was probably chosen by mistake.
pub const MAX_FOLDER_FILES: usize = 500;

/// A file to import: its name, and bytes read on demand.
#[derive(Clone, Debug)]
pub struct Input {
    /// File name, with its path if a folder was chosen; or a made-up name.
    pub name: String,
    /// The bytes. The blob of a file on disk is not a copy.
    pub blob: Blob,
}

impl PartialEq for Input {
    /// Equal for the same blob under the same name, not for equal content.
    fn eq(&self, other: &Self) -> bool {
        let (a, b): (&JsValue, &JsValue) = (self.raw().as_ref(), other.raw().as_ref());
        self.name == other.name && a == b
    }
}

impl Input {
    /// A file of bytes in memory: a paste, a sample.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        Input { name: name.to_owned(), blob: Blob::new(bytes) }
    }

    /// The bytes as the browser holds them.
    pub fn raw(&self) -> &web_sys::Blob {
        self.blob.as_ref()
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.blob.size()
    }
}

impl From<web_sys::File> for Input {
    fn from(file: web_sys::File) -> Self {
        // Files of a chosen folder have a path; for others it is empty.
        let path = text(&file, "webkitRelativePath");
        let name = if path.is_empty() { file.name() } else { path };
        Input { name, blob: Blob::from(web_sys::Blob::from(file)) }
    }
}

/// A folder whose files are listed later.
pub enum Folder {
    /// Its files, as the browser's chooser gives them.
    Chosen(Vec<Input>),
    /// Dropped entries.
    Entries(Vec<FileSystemEntry>),
}

impl Folder {
    /// All files, with their path in the folder, for a drop at most one more than [`MAX_FOLDER_FILES`]; and the paths
    /// of what the browser could not open.
    pub async fn inputs(self) -> (Vec<Input>, Vec<String>) {
        let mut waiting = match self {
            Folder::Chosen(files) => return (files, Vec::new()),
            Folder::Entries(entries) => entries,
        };
        let mut out: Vec<Input> = Vec::new();
        let mut closed = Vec::new();
        waiting.reverse();
        while let Some(entry) = waiting.pop() {
            if out.len() > MAX_FOLDER_FILES {
                break;
            }
            if entry.is_directory() {
                let path = entry.full_path();
                let (mut inside, whole) = read_folder(entry.unchecked_into()).await;
                if !whole {
                    closed.push(path.trim_start_matches('/').to_owned());
                }
                inside.sort_by_key(|e| std::cmp::Reverse(e.full_path()));
                waiting.extend(inside);
            } else {
                let path = entry.full_path();
                let entry: FileSystemFileEntry = entry.unchecked_into();
                let opened = promised(|resolve, reject| {
                    entry.file_with_callback_and_callback(&resolve, &reject);
                });
                let name = path.trim_start_matches('/').to_owned();
                match opened.await {
                    Ok(file) => out.push(Input {
                        name,
                        blob: Blob::from(file.unchecked_into::<web_sys::Blob>()),
                    }),
                    Err(_) => closed.push(name),
                }
            }
        }
        (out, closed)
    }
}

/// Entries of a folder, and whether these are all. The browser returns them in batches, the last one being empty.
async fn read_folder(folder: FileSystemDirectoryEntry) -> (Vec<FileSystemEntry>, bool) {
    let reader = folder.create_reader();
    let mut out = Vec::new();
    loop {
        let portion = promised(|resolve, reject| {
            if reader.read_entries_with_callback_and_callback(&resolve, &reject).is_err() {
                let _ = reject.call0(&JsValue::NULL);
            }
        });
        let Ok(portion) = portion.await else {
            return (out, false);
        };
        let portion: js_sys::Array = portion.unchecked_into();
        if portion.length() == 0 {
            return (out, true);
        }
        out.extend(portion.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}
