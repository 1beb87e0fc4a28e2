//! Keyboard shortcuts. One table defines what works and what the help shows.

use super::choose::CHOOSE_FILES;
use super::focus;
use crate::app::state::{Dialog, Shell, Workbench};
use crate::app::ui::keep;
use crate::web::dom;
use gemmscope_chart::places::{PLACES, PLAN, SUMMARY};
use gemmscope_model::hardware::RoofKind;
use leptos::prelude::*;

/// Keys as in the help, description, and action.
pub type Shortcut = (&'static str, &'static str, fn(Shell, Workbench));

/// All shortcuts outside of form fields.
pub const SHORTCUTS: &[Shortcut] = &[
    ("?", "This help", |shell, _| shell.open(Dialog::Help)),
    ("O", "Choose files", |_, _| dom::click(CHOOSE_FILES)),
    ("/", "Search kernels and sizes", |_, _| {
        // The table has a search of its own; elsewhere it is in the list of filters.
        if !dom::exists("#table-search, #search") {
            dom::click(".all-filters");
        }
        request_animation_frame(|| dom::focus("#table-search, #search"));
    }),
    ("1 … 6", "Go to a place", |_, _| {}),
    ("D", "Devices and their peaks", |shell, _| shell.open(Dialog::Devices(None))),
    ("R", "Datasheet or achievable roof", |_, bench| {
        bench.set_roof(match bench.view.with_untracked(|v| v.roof) {
            RoofKind::Datasheet => RoofKind::Achievable,
            RoofKind::Achievable => RoofKind::Datasheet,
        });
    }),
    ("X", "Clear all filters", |_, bench| bench.clear_filters()),
    ("C", "Focus the chart", |_, _| dom::focus(".chart-stage")),
    ("F", "Go to the findings", |_, bench| to_findings(bench)),
    ("Esc", "Close the details", |_, bench| {
        // Back to the element that opened them.
        if dom::exists(".dock :focus") {
            let finding = ".finding-head[aria-pressed=true]";
            dom::focus(if dom::exists(finding) { finding } else { ".chart-stage" });
        }
        bench.deselect();
    }),
    ("I", "Go to the details", |_, _| dom::focus(".dock-body")),
    ("Ctrl Z", "Undo", |_, bench| bench.undo()),
    ("Ctrl Y", "Redo", |_, bench| bench.redo()),
];

/// Keys of a focused chart.
pub const CHART_KEYS: &[(&str, &str)] = &[
    ("← ↑ → ↓", "Next point in that direction"),
    ("Enter", "Select the point, Shift adds it"),
    ("+ −", "Zoom in, out"),
    ("Shift ← ↑ → ↓", "Move the picture"),
    ("0", "Whole picture"),
];

/// Focuses the first entry of the ranked list in the summary.
fn to_findings(bench: Workbench) {
    if bench.shown.get_untracked().place != SUMMARY {
        bench.show(SUMMARY.id);
    }
    request_animation_frame(|| {
        let first = ".ranked .finding-head";
        dom::focus(if dom::exists(first) { first } else { ".ranked-list" });
    });
}

/// Listens for the lifetime of the calling component.
pub fn listen(shell: Shell, bench: Workbench) {
    keep(dom::listen(&dom::window(), "keydown", move |event: web_sys::KeyboardEvent| {
        const TYPING: &str =
            "input:not([type=checkbox], [type=radio], [type=range]), textarea, select";
        if event.default_prevented()
            || dom::exists("dialog[open]")
            || event.alt_key()
            || dom::within(&event, TYPING)
        {
            return;
        }
        let ctrl = event.ctrl_key() || event.meta_key();
        let key = event.key();
        let again = ctrl && event.shift_key() && key.eq_ignore_ascii_case("z");
        if let (false, Ok(digit @ 1..)) = (ctrl, key.parse::<usize>()) {
            if let Some(place) = PLACES.get(digit - 1)
                && (bench.has_data.get_untracked() || place == PLAN)
            {
                bench.show(place.id);
                request_animation_frame(focus::to_picture);
            }
            return;
        }
        let pressed = match key.as_str() {
            _ if again => "Ctrl Y".to_owned(),
            "Escape" if !ctrl => "Esc".to_owned(),
            key if ctrl => format!("Ctrl {key}"),
            key => key.to_owned(),
        };
        if let Some((.., act)) = SHORTCUTS.iter().find(|s| s.0.eq_ignore_ascii_case(&pressed)) {
            event.prevent_default();
            act(shell, bench);
        }
    }));
}
