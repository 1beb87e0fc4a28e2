//! Small components shared by all panels: icons, menus, dialogs, tables.

pub mod device_menu;
pub mod menu;
pub mod roving_tabindex;
mod select;
pub mod terms;

use crate::app::state::Shell;
use crate::web::{clock, dom};
pub use device_menu::DeviceMenu;
use gemmscope_model::units::format_significant;
use gemmscope_table::result_table::ResultTable;
use leptos::html::Div;
use leptos::prelude::*;
pub use menu::Menu;
pub use select::select;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// Up to this width files and filters are a drawer, and rows of the table are cards.
pub const NARROW: &str = "(max-width: 820px)";

/// Icons as SVG paths on a 16 px grid, drawn in the text's colour.
pub mod icon {
    /// Rows and columns.
    pub const TABLE: &str = "M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10";
    /// A box to drag.
    pub const BOX: &str = "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M8 6v4M6 8h4";
    /// Options of a view.
    pub const SLIDERS: &str =
        "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M8 2.8v3.4h4V2.8zM4 9.8v3.4h4V9.8z";
    /// Add.
    pub const PLUS: &str = "M8 3v10M3 8h10";
    /// Remove.
    pub const MINUS: &str = "M3 8h10";
    /// Close, remove.
    pub const CROSS: &str = "M4 4l8 8M12 4l-8 8";
    /// Step back.
    pub const UNDO: &str = "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7";
    /// Step forward.
    pub const REDO: &str = "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9";
    /// Copy the link.
    pub const LINK: &str = "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5";
    /// Light theme.
    pub const SUN: &str = "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7";
    /// Dark theme.
    pub const MOON: &str = "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z";
    /// The system's theme.
    pub const SCREEN: &str = "M2 3h12v8H2zM6 14h4M8 11v3";
    /// Help.
    pub const HELP: &str = "M5.8 6a2.2 2.2 0 1 1 3.1 2c-.6.3-.9.8-.9 1.5M8 12h.01";
    /// Opens downwards.
    pub const DOWN: &str = "M4 6l4 4 4-4";
    /// Unfold upwards.
    pub const UP: &str = "M4 10l4-4 4 4";
    /// Download.
    pub const SAVE: &str = "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11";
    /// Filters, the drawer.
    pub const FILTER: &str = "M2 4h12M4.5 8h7M7 12h2";
    /// A device.
    pub const CHIP: &str =
        "M4 4h8v8H4zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5";
    /// Change.
    pub const EDIT: &str = "M10.5 3l2.5 2.5L6 12.5l-3 .5.5-3zM9 4.5 11.5 7";
    /// A file.
    pub const FILE: &str = "M4 1.5h5L12.5 5v9.5H4zM9 1.5V5h3.5";
    /// Warning.
    pub const WARN: &str = "M8 2 1.5 13.5h13zM8 6.5v3.5M8 12h.01";
    /// Fit the whole picture.
    pub const FIT: &str = "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4";
    /// A lock: the axes stay.
    pub const LOCK: &str = "M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2";
    /// A plan: a target.
    pub const PLAN: &str = "M8 2v2M8 12v2M2 8h2M12 8h2M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM8 8h.01";
    /// Columns.
    pub const COLUMNS: &str = "M2 3h12v10H2zM6 3v10M10 3v10";
}

/// An icon, hidden from screen readers: the control around it has a name.
pub fn icon(path: &'static str) -> AnyView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=path /></svg>
    }
    .into_any()
}

/// Whether a media query matches, for the lifetime of the calling component.
pub fn media(query: &'static str) -> RwSignal<bool> {
    let holds = RwSignal::new(dom::media(query));
    keep(dom::watch_media(query, move |_| holds.set(dom::media(query))));
    holds
}

/// Keeps a listener or a watch alive for its caller's lifetime: that of a component, or of an effect's run.
pub fn keep<T: 'static>(value: T) {
    let _ = StoredValue::new_local(value);
}

/// Calls back with an element's content size, once it exists and after every change.
pub fn watch_size(element: NodeRef<Div>, then: impl Fn(f64, f64) + Clone + 'static) {
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            keep(dom::watch_size(&element, then.clone()));
        }
    });
}

/// Calls `tell` when a text derived from signals differs from the one `told` last, once for all changes within 200 ms.
pub fn tell_changes(
    told: StoredValue<String>,
    read: impl Fn() -> String + Copy + 'static,
    tell: impl Fn(&str) + Copy + 'static,
) {
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        let text = read();
        if told.with_value(|t| *t == text) || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        leptos::task::spawn_local(async move {
            clock::pause(Duration::from_millis(200)).await;
            // Not if the page was removed meanwhile.
            if waiting.try_set_value(false).is_some() {
                return;
            }
            let text = untrack(read);
            tell(&text);
            told.set_value(text);
        });
    });
}

/// A button with only an icon; `label` is its name and tooltip.
pub fn icon_button(
    path: &'static str,
    label: impl Into<String>,
    on_click: impl Fn() + 'static,
) -> AnyView {
    let label = label.into();
    view! {
        <button type="button" class="icon-button" aria-label=label.clone() title=label on:click=move |_| on_click()>
            {icon(path)}
        </button>
    }
    .into_any()
}

/// A modal dialog. The browser keeps the focus inside and closes it on Escape.
#[component]
pub fn Modal(
    /// Its title.
    #[prop(into)]
    title: String,
    /// Wide dialogs hold tables.
    #[prop(default = false)]
    wide: bool,
    children: Children,
) -> impl IntoView {
    let (shell, name) = (Shell::here(), title.clone());
    let dialog = NodeRef::<leptos::html::Dialog>::new();
    let opener = StoredValue::new_local(None::<web_sys::HtmlElement>);
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get()
            && !dialog.open()
        {
            opener.set_value(dom::focused().map(lasting));
            let _ = dialog.show_modal();
        }
    });
    // The browser restores the focus if it closes the dialog itself. A button that closes the dialog removes it from
    // the page.
    on_cleanup(move || {
        let opener = opener.try_get_value().flatten();
        request_animation_frame(move || {
            if dom::focused().is_none() {
                match opener.filter(|o| o.is_connected()) {
                    Some(opener) => drop(opener.focus()),
                    None => dom::focus("#main"),
                }
            }
        });
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let on_backdrop = move |event: web_sys::MouseEvent| {
        // A click beside the dialog has the dialog itself as its target.
        let at = dom::target::<web_sys::Node>(&event);
        if dialog.get_untracked().is_some_and(|d| d.is_same_node(at.as_ref())) {
            close();
        }
    };
    view! {
        <dialog
            class="dialog"
            class:wide=wide
            node_ref=dialog
            aria-label=name
            on:close=move |_| shell.close()
            on:click=on_backdrop
        >
            <div class="dialog-frame">
                <header class="dialog-head">
                    <h2>{title}</h2>
                    {icon_button(icon::CROSS, "Close", close)}
                </header>
                <div class="dialog-body">{children()}</div>
            </div>
        </dialog>
    }
}

/// The element itself, or for a menu entry the button of its menu, as the entry disappears with the menu.
fn lasting(element: web_sys::HtmlElement) -> web_sys::HtmlElement {
    let root = element.closest(".menu-root").ok().flatten();
    let button = root.and_then(|r| r.query_selector("button").ok().flatten());
    button.and_then(|b| b.dyn_into().ok()).unwrap_or(element)
}

/// A group of mutually exclusive choices.
pub fn segment(
    label: impl Into<String>,
    holds: impl Fn() -> bool + Send + 'static,
    choose: impl Fn() + 'static,
) -> AnyView {
    view! {
        <button type="button" class="segment" aria-pressed=move || holds().to_string() on:click=move |_| choose()>
            {label.into()}
        </button>
    }
    .into_any()
}

/// A result table as HTML.
pub fn table_view(table: ResultTable) -> AnyView {
    /// Numbers up to this many characters are shown unrounded.
    const SHORT: usize = 8;
    // Numbers are right-aligned, so that their digits line up.
    let numeric: Vec<bool> = (0..table.header.len()).map(|i| table.is_numeric(i)).collect();
    let class = |i: usize| numeric.get(i).is_some_and(|n| *n).then_some("number");
    let head = |(i, h): (usize, String)| view! { <th scope="col" class=class(i)>{h}</th> };
    let row = |cells: Vec<String>| {
        let cell = |(i, c): (usize, String)| {
            let whole =
                (c.len() > SHORT && c.contains('.')).then(|| c.parse::<f64>().ok()).flatten();
            // A saved CSV has all digits.
            let shown = whole.map_or_else(|| c.clone(), |v| format_significant(v, 4));
            view! { <td class=class(i) title=whole.map(|_| c)>{shown}</td> }
        };
        view! { <tr>{cells.into_iter().enumerate().map(cell).collect_view()}</tr> }
    };
    view! {
        <table>
            <thead>
                <tr>{table.header.into_iter().enumerate().map(head).collect_view()}</tr>
            </thead>
            <tbody>{table.rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// Text of the form field that caused an event.
pub fn value_of(event: &web_sys::Event) -> String {
    event_target_value(event)
}
