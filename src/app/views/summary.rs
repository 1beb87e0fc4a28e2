//! The summary: breakdown of a trace's time, a picture, and the ranked list beside it. The dock opens over the lower
//! part of the picture.

use super::chart::{ChartPane, settings};
use super::ranked::Ranked;
use super::time_bar::{TimeBar, TimeNotes};
use gemmscope_chart::charts::ChartKind;
use leptos::prelude::*;

/// The place.
#[component]
pub fn Summary(kind: &'static ChartKind) -> impl IntoView {
    view! {
        <div class="summary">
            <div class="summary-picture"><TimeBar /><ChartPane kind=kind bar=settings /><TimeNotes /></div>
            <Ranked />
        </div>
    }
}
