//! Keyboard shortcuts. One table holds what works and what the help shows.

use super::focus;
use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::views;
use crate::web::dom;
use gemmscope_chart::places::{PLACES, PLAN, SUMMARY};
use gemmscope_model::hardware::RoofKind;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A shortcut.
pub struct Shortcut {
    /// The keys, as the help shows them.
    pub keys: &'static str,
    /// What it does.
    pub label: &'static str,
    key: &'static str,
    ctrl: bool,
    action: fn(Shell, Workbench),
}

/// All shortcuts outside of form fields.
pub const SHORTCUTS: &[Shortcut] = &[
    Shortcut {
        keys: "?",
        label: "This help",
        key: "?",
        ctrl: false,
        action: |shell, _| shell.open(Dialog::Help),
    },
    Shortcut {
        keys: "O",
        label: "Choose files",
        key: "o",
        ctrl: false,
        action: |_, _| click("#choose-files"),
    },
    Shortcut {
        keys: "/",
        label: "Search kernels and sizes",
        key: "/",
        ctrl: false,
        action: |shell, _| {
            shell.show_panel(true);
            // It can be focused once it shows.
            request_animation_frame(|| dom::focus("#search"));
        },
    },
    Shortcut { keys: "1 … 6", label: "Go to a place", key: "", ctrl: false, action: |_, _| {} },
    Shortcut {
        keys: "D",
        label: "Devices and their peaks",
        key: "d",
        ctrl: false,
        action: |shell, _| shell.open(Dialog::Devices(None)),
    },
    Shortcut {
        keys: "R",
        label: "Datasheet or achievable roof",
        key: "r",
        ctrl: false,
        action: |_, bench| {
            bench.set_roof(match bench.view.with_untracked(|v| v.roof) {
                RoofKind::Datasheet => RoofKind::Achievable,
                RoofKind::Achievable => RoofKind::Datasheet,
            });
        },
    },
    Shortcut {
        keys: "X",
        label: "Clear all filters",
        key: "x",
        ctrl: false,
        action: |_, bench| bench.clear_filters(),
    },
    Shortcut {
        keys: "C",
        label: "Focus the chart",
        key: "c",
        ctrl: false,
        action: |_, _| dom::focus(".chart-stage"),
    },
    Shortcut {
        keys: "F",
        label: "Go to the findings",
        key: "f",
        ctrl: false,
        action: |_, bench| to_findings(bench),
    },
    Shortcut {
        keys: "Esc",
        label: "Close the details",
        key: "Escape",
        ctrl: false,
        action: |_, bench| {
            // Back to what opened them.
            if dom::exists(".dock :focus") {
                let finding = ".finding-head[aria-pressed=true]";
                dom::focus(if dom::exists(finding) { finding } else { ".chart-stage" });
            }
            bench.deselect();
        },
    },
    Shortcut {
        keys: "I",
        label: "Go to the details",
        key: "i",
        ctrl: false,
        action: |_, _| dom::focus(".dock-body"),
    },
    Shortcut {
        keys: "Ctrl Z",
        label: "Undo",
        key: "z",
        ctrl: true,
        action: |_, bench| bench.undo(),
    },
    Shortcut {
        keys: "Ctrl Y",
        label: "Redo",
        key: "y",
        ctrl: true,
        action: |_, bench| bench.redo(),
    },
];

/// The keys of a chart that has the focus.
pub const CHART_KEYS: &[(&str, &str)] = &[
    ("← ↑ → ↓", "Next point in that direction"),
    ("Enter", "Select the point, Shift adds it"),
    ("+ −", "Zoom in, out"),
    ("Shift ← ↑ → ↓", "Move the picture"),
    ("0", "Whole picture"),
];

/// Focuses the first entry of the ranked list, which the summary has.
fn to_findings(bench: Workbench) {
    if bench.shown.get_untracked().place != SUMMARY {
        views::choose(bench, SUMMARY.id);
    }
    request_animation_frame(|| {
        let first = ".ranked .finding-head";
        dom::focus(if dom::exists(first) { first } else { ".ranked-list" });
    });
}

fn click(selector: &str) {
    if let Ok(Some(element)) = dom::document().query_selector(selector)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        element.click();
    }
}

/// Listens for as long as the calling component lives.
pub fn listen(shell: Shell, bench: Workbench) {
    let listener = dom::listen(&dom::window(), "keydown", move |event: web_sys::KeyboardEvent| {
        if event.default_prevented() || shell.dialog.with_untracked(Option::is_some) {
            return;
        }
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let typing = target.is_some_and(|e| {
            e.closest(
                "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select",
            )
            .ok()
            .flatten()
            .is_some()
        });
        if typing || event.alt_key() {
            return;
        }
        let ctrl = event.ctrl_key() || event.meta_key();
        let key = event.key();
        if ctrl && event.shift_key() && key.eq_ignore_ascii_case("z") {
            event.prevent_default();
            bench.redo();
            return;
        }
        if let (false, Ok(digit @ 1..)) = (ctrl, key.parse::<usize>()) {
            if let Some(place) = PLACES.get(digit - 1)
                && (bench.has_data.get_untracked() || place == PLAN)
            {
                views::choose(bench, place.id);
                request_animation_frame(focus::to_picture);
            }
            return;
        }
        let pressed = |s: &&Shortcut| {
            s.ctrl == ctrl
                && !s.key.is_empty()
                && (s.key == key || s.key.len() == 1 && key.eq_ignore_ascii_case(s.key))
        };
        if let Some(shortcut) = SHORTCUTS.iter().find(pressed) {
            event.prevent_default();
            (shortcut.action)(shell, bench);
        }
    });
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}
