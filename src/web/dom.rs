//! Window, document, address bar, clipboard, downloads, listeners.

use super::js::field;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// An event listener that is removed when dropped.
pub struct Listener {
    target: web_sys::EventTarget,
    event: &'static str,
    closure: JsValue,
    // Dropping the closure frees it, so it must live as long as the listener.
    _keep: Box<dyn std::any::Any>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self
            .target
            .remove_event_listener_with_callback(self.event, self.closure.unchecked_ref());
    }
}

/// Listens until the returned value is dropped.
pub fn listen<E: FromWasmAbi + 'static>(
    target: &web_sys::EventTarget,
    event: &'static str,
    handler: impl FnMut(E) + 'static,
) -> Listener {
    let keep = Closure::<dyn FnMut(E)>::new(handler);
    let closure = keep.as_ref().clone();
    let _ = target.add_event_listener_with_callback(event, closure.unchecked_ref());
    Listener { target: target.clone(), event, closure, _keep: Box::new(keep) }
}

/// The target of an event.
pub fn target<E: JsCast>(event: &web_sys::Event) -> Option<E> {
    event.target()?.dyn_into().ok()
}

/// True if an event's target is inside an element that matches a selector, or is one.
pub fn within(event: &web_sys::Event, selector: &str) -> bool {
    let found = target::<web_sys::Element>(event).and_then(|e| e.closest(selector).ok()?);
    found.is_some()
}

/// The page's window. The page's code does not run without one.
pub fn window() -> web_sys::Window {
    web_sys::window().expect("the page has a window")
}

/// The page's document.
pub fn document() -> web_sys::Document {
    window().document().expect("a window has a document")
}

/// Descendants of an element that match a selector.
pub fn all(root: &web_sys::Element, selector: &str) -> Vec<web_sys::HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into().ok()).collect()
}

/// Elements of the page that match a selector.
pub fn found(selector: &str) -> Vec<web_sys::HtmlElement> {
    document().document_element().map_or_else(Vec::new, |root| all(&root, selector))
}

/// First element of the page that matches a selector.
pub fn first(selector: &str) -> Option<web_sys::HtmlElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}

/// Focuses the first element that matches a selector.
pub fn focus(selector: &str) {
    let _ = first(selector).map(|element| element.focus());
}

/// Clicks the first element that matches a selector.
pub fn click(selector: &str) {
    if let Some(element) = first(selector) {
        element.click();
    }
}

/// Scrolls the list around an element, if needed, so that the element is in its middle.
pub fn scroll_into_list(id: &str) {
    let element = document().get_element_by_id(id);
    let Some((element, list)) = element.and_then(|e| Some((e.clone(), e.parent_element()?))) else {
        return;
    };
    let (own, room) = (element.get_bounding_client_rect(), list.get_bounding_client_rect());
    if own.top() < room.top() || own.bottom() > room.bottom() {
        let middle = |r: &web_sys::DomRect| (r.top() + r.bottom()) / 2.0;
        list.set_scroll_top(list.scroll_top() + (middle(&own) - middle(&room)) as i32);
    }
}

/// Hides or shows the first element that matches a selector.
pub fn set_hidden(selector: &str, hidden: bool) {
    let _ = first(selector).map(|element| element.set_hidden(hidden));
}

/// Removes the content of the first element that matches a selector.
pub fn empty(selector: &str) {
    let _ = first(selector).map(|element| element.set_text_content(None));
}

/// True if an element matches a selector.
pub fn exists(selector: &str) -> bool {
    first(selector).is_some()
}

/// True if the element takes up room on the page.
pub fn shows(element: &web_sys::Element) -> bool {
    let rect = element.get_bounding_client_rect();
    rect.width() > 0.0 && rect.height() > 0.0
}

/// The visible elements of a row, and the index of the focused one.
pub fn items(row: &web_sys::Element, selector: &str) -> (Vec<web_sys::HtmlElement>, Option<usize>) {
    let mut all = all(row, selector);
    all.retain(|e| shows(e));
    let active = document().active_element();
    let here = |e: &web_sys::HtmlElement| active.as_ref().is_some_and(|a| e.is_same_node(Some(a)));
    let at = all.iter().position(here);
    (all, at)
}

/// The focused element; `None` if it is the page itself.
pub fn focused() -> Option<web_sys::HtmlElement> {
    let document = document();
    let focused = document.active_element()?;
    let on_page = document.body().is_some_and(|body| body.is_same_node(Some(&focused)));
    focused.dyn_into().ok().filter(|_| !on_page)
}

/// Index of the focused element among those that match a selector; 0 if none is focused.
pub fn focused_index(selector: &str) -> usize {
    let focused = document().active_element();
    found(selector).iter().position(|e| e.contains(focused.as_deref())).unwrap_or(0)
}

/// Focuses the element at this index among those that match a selector, or the last one; false if there is none.
pub fn focus_nth(selector: &str, index: usize) -> bool {
    let all = found(selector);
    all.get(index).or(all.last()).is_some_and(|e| e.focus().is_ok())
}

/// Sets or removes a `data-*` attribute on `<html>`.
pub fn set_root_data(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        let name = format!("data-{name}");
        let _ = match value {
            Some(value) => root.set_attribute(&name, value),
            None => root.remove_attribute(&name),
        };
    }
}

/// A `data-*` attribute of `<html>`.
pub fn root_data(name: &str) -> Option<String> {
    document().document_element()?.get_attribute(&format!("data-{name}"))
}

/// True if a media query matches.
pub fn media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|q| q.matches())
}

/// Scrolls every element that matches a selector to its top.
pub fn scroll_to_top(selector: &str) {
    found(selector).iter().for_each(|element| element.set_scroll_top(0));
}

/// Calls back whenever a media query starts or stops matching.
pub fn watch_media(query: &str, handler: impl FnMut(web_sys::Event) + 'static) -> Option<Listener> {
    let query = window().match_media(query).ok().flatten()?;
    Some(listen(&query, "change", handler))
}

/// Device pixels per CSS pixel.
pub fn pixel_ratio() -> f64 {
    window().device_pixel_ratio().max(0.5)
}

/// Calls back with an element's content size, now and after every change.
pub struct SizeWatch {
    observer: web_sys::ResizeObserver,
    _closure: Closure<dyn FnMut()>,
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Observes an element's size until dropped.
pub fn watch_size(
    element: &web_sys::Element,
    handler: impl Fn(f64, f64) + 'static,
) -> Option<SizeWatch> {
    let watched = element.clone();
    let closure = Closure::<dyn FnMut()>::new(move || {
        let (width, height) = size_of(&watched);
        handler(width, height);
    });
    let observer = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(element);
    Some(SizeWatch { observer, _closure: closure })
}

/// Inner width and height of an element, CSS pixels.
pub fn size_of(element: &web_sys::Element) -> (f64, f64) {
    (f64::from(element.client_width()), f64::from(element.client_height()))
}

/// True if this page is an embed (`?embed=1`).
pub fn embedded() -> bool {
    asks("embed=1")
}

/// True if the query of the address contains this pair.
pub fn asks(pair: &str) -> bool {
    let search = window().location().search().unwrap_or_default();
    search.trim_start_matches('?').split('&').any(|p| p == pair)
}

/// The text after `#`.
pub fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// Replaces the text after `#` without a new history entry.
pub fn replace_hash(text: &str) {
    let url = if text.is_empty() {
        // An empty fragment would leave a lone "#"; the bare path does not.
        let location = window().location();
        location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
    } else {
        format!("#{text}")
    };
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Adds a history entry with the current address.
pub fn push_address() {
    if let Ok(history) = window().history() {
        let _ = history.push_state(&JsValue::NULL, "");
    }
}

/// Distance from the top of `other` to the first element that matches a selector, px.
pub fn top_within(selector: &str, other: &str) -> Option<f64> {
    let top = |selector| Some(first(selector)?.get_bounding_client_rect().top());
    Some(top(selector)? - top(other)?)
}

/// The full address of this page.
pub fn address() -> String {
    window().location().href().unwrap_or_default()
}

/// Copies text to the clipboard; returns a message for the user, also if the browser refuses.
pub async fn copy(text: String) -> String {
    // `navigator.clipboard` is undefined outside secure contexts.
    let clipboard = field(&window().navigator(), "clipboard");
    let copied = clipboard.is_object() && {
        let clipboard: web_sys::Clipboard = clipboard.unchecked_into();
        JsFuture::from(clipboard.write_text(&text)).await.is_ok()
    };
    match copied {
        true => "Copied.".to_owned(),
        false => "The browser refuses the clipboard here: select the text and copy it.".to_owned(),
    }
}

/// Downloads bytes as a file.
pub fn download(name: &str, mime: &str, bytes: &[u8]) {
    let blob = gloo_file::Blob::new_with_options(bytes, Some(mime));
    download_blob(name, blob.as_ref());
}

/// Downloads a blob as a file.
pub fn download_blob(name: &str, blob: &web_sys::Blob) {
    let Ok(url) = web_sys::Url::create_object_url_with_blob(blob) else {
        return;
    };
    let document = document();
    if let Ok(link) = document.create_element("a") {
        let link: web_sys::HtmlAnchorElement = link.unchecked_into();
        link.set_href(&url);
        link.set_download(name);
        if let Some(body) = document.body() {
            let _ = body.append_child(&link);
            link.click();
            link.remove();
        }
    }
    // The browser reads the URL after the click; a minute is enough.
    wasm_bindgen_futures::spawn_local(async move {
        super::clock::pause(std::time::Duration::from_secs(60)).await;
        let _ = web_sys::Url::revoke_object_url(&url);
    });
}
