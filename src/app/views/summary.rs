//! The summary: a picture and the ranked list side by side, and below both the whole story, over
//! which the dock opens.

use super::chart::{ChartPane, settings};
use super::ranked::Ranked;
use super::story::Story;
use gemmscope_chart::charts::ChartKind;
use leptos::prelude::*;

/// The place.
#[component]
pub fn Summary(kind: &'static ChartKind) -> impl IntoView {
    view! {
        <div class="summary">
            <div class="summary-picture"><ChartPane kind=kind bar=settings /></div>
            <Ranked />
            <Story />
        </div>
    }
}
