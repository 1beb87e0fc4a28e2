//! `localStorage` and `sessionStorage`, if the browser allows them. In a sandboxed frame or under a strict setting
//! nothing is stored, without an error. An embed stores nothing.

fn browser() -> Option<web_sys::Storage> {
    if super::dom::embedded() {
        return None;
    }
    web_sys::window()?.local_storage().ok()?
}

fn tab() -> Option<web_sys::Storage> {
    if super::dom::embedded() {
        return None;
    }
    web_sys::window()?.session_storage().ok()?
}

/// The text stored under a key.
pub fn get(key: &str) -> Option<String> {
    browser()?.get_item(key).ok()?
}

/// The text stored under a key for this tab alone; it outlasts a reload.
pub fn get_of_tab(key: &str) -> Option<String> {
    tab()?.get_item(key).ok()?
}

/// Stores a text, or removes the key with `None`. True if that worked.
pub fn set(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = browser() else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(key, value).is_ok(),
        None => storage.remove_item(key).is_ok(),
    }
}

/// Stores a text for this tab alone. True if that worked.
pub fn set_of_tab(key: &str, value: &str) -> bool {
    tab().is_some_and(|storage| storage.set_item(key, value).is_ok())
}
