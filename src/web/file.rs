//! Files as the browser hands them over: chosen, dropped, pasted, or made from bytes.

use gloo_file::Blob;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

/// Files of a folder that are taken; a folder with more was hardly meant.
pub const MAX_FOLDER_FILES: usize = 500;

/// Something to import: a name and bytes that are read when needed.
#[derive(Clone, Debug)]
pub struct Input {
    /// File name (with its path where a folder was given), or a made-up one.
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
        // Files of a chosen folder carry their path, all others an empty one.
        let path = js_sys::Reflect::get(&file, &"webkitRelativePath".into())
            .ok()
            .and_then(|p| p.as_string())
            .filter(|p| !p.is_empty());
        let name = path.unwrap_or_else(|| file.name());
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

/// What a drop holds. Folders have to be asked for while the event lasts; their files come later.
pub struct Dropped {
    files: Vec<Input>,
    folders: Vec<FileSystemEntry>,
}

/// Looks at a drop; call it inside the event.
pub fn dropped(transfer: &web_sys::DataTransfer) -> Dropped {
    let items = transfer.items();
    let entries: Vec<FileSystemEntry> = (0..items.length())
        .filter_map(|i| items.get(i)?.webkit_get_as_entry().ok().flatten())
        .collect();
    if entries.iter().any(FileSystemEntry::is_directory) {
        Dropped {
            files: Vec::new(),
            folders: entries,
        }
    } else {
        Dropped {
            files: from_list(transfer.files()),
            folders: Vec::new(),
        }
    }
}

impl Dropped {
    /// True where a folder is among it.
    pub fn has_folder(&self) -> bool {
        !self.folders.is_empty()
    }

    /// All files, those of folders with their path; at most [`MAX_FOLDER_FILES`] of folders.
    pub async fn inputs(self) -> Vec<Input> {
        let mut out = self.files;
        let mut waiting = self.folders;
        waiting.reverse();
        while let Some(entry) = waiting.pop() {
            if out.len() > MAX_FOLDER_FILES {
                break;
            }
            if entry.is_directory() {
                let mut inside = read_folder(entry.unchecked_into()).await;
                inside.sort_by_key(|e| std::cmp::Reverse(e.full_path()));
                waiting.extend(inside);
            } else {
                let path = entry.full_path();
                let entry: FileSystemFileEntry = entry.unchecked_into();
                let promise = js_sys::Promise::new(&mut |resolve, reject| {
                    entry.file_with_callback_and_callback(&resolve, &reject);
                });
                if let Ok(file) = JsFuture::from(promise).await {
                    out.push(Input {
                        name: path.trim_start_matches('/').to_owned(),
                        blob: Blob::from(file.unchecked_into::<web_sys::Blob>()),
                    });
                }
            }
        }
        out
    }
}

/// A folder's entries; the browser hands them out in portions until one is empty.
async fn read_folder(folder: FileSystemDirectoryEntry) -> Vec<FileSystemEntry> {
    let reader = folder.create_reader();
    let mut out = Vec::new();
    loop {
        let promise = js_sys::Promise::new(&mut |resolve, reject| {
            if reader
                .read_entries_with_callback_and_callback(&resolve, &reject)
                .is_err()
            {
                let _ = reject.call0(&JsValue::NULL);
            }
        });
        let Ok(portion) = JsFuture::from(promise).await else {
            break;
        };
        let portion: js_sys::Array = portion.unchecked_into();
        if portion.length() == 0 {
            break;
        }
        out.extend(
            portion
                .iter()
                .map(JsCast::unchecked_into::<FileSystemEntry>),
        );
    }
    out
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
