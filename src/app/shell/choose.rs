//! A button that opens the browser's file chooser.

use crate::app::ui::icon;
use crate::web::dom;
use leptos::prelude::*;

/// The button of the start page that opens the chooser; the start page is there when it is hidden too.
pub const CHOOSE_FILES: &str = "#choose-files";

/// A button that does what the one of the start page does.
#[component]
pub fn ChooseFiles(class: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class=class on:click=|_| dom::click(CHOOSE_FILES) title=format!("{label} (O)")>
            {icon(icon::PLUS)}
            <span>{label}</span>
        </button>
    }
}
