//! Keeps the focus in place: if an action of the user removes the focused element, the nearest remaining one gets the
//! focus.

use crate::app::ui;
use crate::web::{clock, dom};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Selector of focusable elements.
const FOCUSABLE: &str =
    "button:not(:disabled), select, input:not([type=hidden]), summary, [tabindex=\"0\"]";

/// Watches for the lifetime of the calling component.
pub fn keep() {
    // The element focused last, then its ancestors from the inside out.
    let last = StoredValue::new_local(Vec::<Element>::new());
    let document = dom::document();
    let seen = dom::listen(&document, "focusin", move |event: web_sys::Event| {
        let mut at = dom::target::<Element>(&event);
        let mut chain = Vec::new();
        while let Some(element) = at {
            at = element.parent_element();
            chain.push(element);
        }
        last.set_value(chain);
    });
    let look = move || {
        leptos::task::spawn_local(async move {
            // The effect of an action shows in the next frame, or a little later if a part is loaded.
            for wait in [40, 300] {
                clock::pause(Duration::from_millis(wait)).await;
                if lost() {
                    last.try_with_value(|chain| restore(chain));
                }
            }
        });
    };
    let looks = ["keydown", "click"];
    let looks = looks.map(|on| dom::listen(&document, on, move |_: web_sys::Event| look()));
    ui::keep((seen, looks));
}

/// True if nothing has the focus.
fn lost() -> bool {
    dom::focused().is_none()
}

/// Focuses the nearest element, if the focused one is gone.
fn restore(chain: &[Element]) {
    let Some(first) = chain.first() else { return };
    // It still exists: the user clicked beside it.
    if first.is_connected() && dom::shows(first) && !first.has_attribute("disabled") {
        return;
    }
    let around = chain.iter().skip(1);
    for place in around.filter(|e| e.is_connected() && dom::shows(e)) {
        // Only the place remains: its picture is more useful than its first control.
        if place.matches("#main, .app").unwrap_or(false) {
            break;
        }
        if place.matches("[tabindex=\"0\"]").unwrap_or(false) && focus(place) {
            return;
        }
        if dom::all(place, FOCUSABLE).iter().any(|e| dom::shows(e) && focus(e)) {
            return;
        }
    }
    to_picture();
}

/// Focuses the picture or the table; the place if it has neither.
pub fn to_picture() {
    const PICTURE: &str = ".has-data .main :is(.chart-stage, .data-grid)";
    dom::focus(if dom::exists(PICTURE) { PICTURE } else { "#main" });
}

/// True if the element took the focus.
fn focus(element: &Element) -> bool {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
    !lost()
}
