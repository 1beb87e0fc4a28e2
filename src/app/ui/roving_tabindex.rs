//! Roving tabindex for a row of controls: a single Tab stop, and arrow keys move within the row.
//!
//! On blur all controls are tabbable again, because the set may change.

use crate::web::dom;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlInputElement, KeyboardEvent, Node};

/// Focusable controls of a row, except those in an open list, which has its own keys.
const FREE: &str = ":is(button, select, input):not(:disabled, .menu *)";

fn row_of(event: &web_sys::Event) -> Option<Element> {
    event.current_target()?.dyn_into().ok()
}

/// A control got the focus: the others leave the tab order.
pub fn entered(event: &FocusEvent) {
    let Some(row) = row_of(event) else { return };
    if let (all, Some(here)) = dom::items(&row, FREE) {
        for (i, control) in all.iter().enumerate() {
            control.set_tab_index(if i == here { 0 } else { -1 });
        }
    }
}

/// The focus left the row: all controls are tabbable.
pub fn left(event: &FocusEvent) {
    let Some(row) = row_of(event) else { return };
    let to = event.related_target();
    let to = to.and_then(|t| t.dyn_into::<Node>().ok());
    if to.is_some() && row.contains(to.as_ref()) {
        return;
    }
    for control in dom::all(&row, "[tabindex]") {
        let _ = control.remove_attribute("tabindex");
    }
}

/// Moves the focus among the controls of a row by the left and right arrow keys, Home and End.
pub fn keys(event: &KeyboardEvent) {
    move_focus(event, FREE, false);
}

/// Moves the focus among the elements that match a selector, by all arrow keys, Home and End. The caller manages their
/// tabindex.
pub fn keys_among(event: &KeyboardEvent, selector: &str) {
    move_focus(event, selector, true);
}

/// A text field keeps the keys that move its cursor, a slider those that move it until it is at its end, a select those
/// that change it.
fn move_focus(event: &KeyboardEvent, selector: &str, vertical: bool) {
    if event.default_prevented() || event.shift_key() || event.ctrl_key() || event.alt_key() {
        return;
    }
    let Some(row) = row_of(event) else { return };
    // If another element of the row has the focus, its own keys apply.
    let (all, Some(here)) = dom::items(&row, selector) else { return };
    let field = all[here].dyn_ref::<HtmlInputElement>();
    let typed = |f: &&HtmlInputElement| {
        matches!(f.type_().as_str(), "text" | "search" | "number" | "range")
    };
    let vertical = vertical && !dom::within(event, "select");
    let next = match (event.key().as_str(), field.filter(typed)) {
        ("ArrowRight", field) if at_edge(field, true) => (here + 1) % all.len(),
        ("ArrowLeft", field) if at_edge(field, false) => (here + all.len() - 1) % all.len(),
        ("ArrowDown", None) if vertical => (here + 1) % all.len(),
        ("ArrowUp", None) if vertical => (here + all.len() - 1) % all.len(),
        ("Home", None) => 0,
        ("End", None) => all.len() - 1,
        _ => return,
    };
    event.prevent_default();
    let _ = all[next].focus();
}

/// True if a key that moves the cursor would leave the text. Number fields do not report their cursor.
fn at_edge(field: Option<&HtmlInputElement>, end: bool) -> bool {
    let Some(field) = field.filter(|f| f.type_() != "number") else {
        return true;
    };
    if field.type_() == "range" {
        return field.value() == if end { field.max() } else { field.min() };
    }
    let at = field.selection_start().ok().flatten();
    match end {
        true => at == Some(field.value().encode_utf16().count() as u32),
        false => at == Some(0),
    }
}
