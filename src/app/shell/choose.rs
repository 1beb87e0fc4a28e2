//! A button that opens the browser's file chooser.

use crate::app::ui::icon;
use crate::web::dom;
use leptos::prelude::*;

/// Selector of the start page's button that opens the chooser; it exists even while the start page is hidden.
pub const CHOOSE_FILES: &str = "#choose-files";

/// A button that acts like the one of the start page.
#[component]
pub fn ChooseFiles(class: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class=class on:click=|_| dom::click(CHOOSE_FILES) title=format!("{label} (O)")>
            {icon(icon::PLUS)}
            <span>{label}</span>
        </button>
    }
}
