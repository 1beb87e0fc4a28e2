//! `localStorage`, where the browser allows it. A sandboxed frame or a strict setting refuses it:
//! then nothing is stored, and nothing fails. An embedded page stores nothing.

fn storage() -> Option<web_sys::Storage> {
    if super::dom::embedded() {
        return None;
    }
    web_sys::window()?.local_storage().ok()?
}

/// The text stored under a key.
pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Stores a text, or removes the key with `None`. True where that worked.
pub fn set(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = storage() else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(key, value).is_ok(),
        None => storage.remove_item(key).is_ok(),
    }
}
