//! `localStorage`, if the browser allows it. In a sandboxed frame or under a strict setting nothing is stored, without
//! an error. An embed stores nothing.

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

/// Stores a text, or removes the key with `None`. True if that worked.
pub fn set(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = storage() else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(key, value).is_ok(),
        None => storage.remove_item(key).is_ok(),
    }
}
