//! The summary: what a trace's time goes to, a picture, and the ranked list beside it. The dock opens
//! over the lower part of the picture.

use super::chart::{ChartPane, settings};
use super::ranked::Ranked;
use super::time_bar::TimeBar;
use crate::app::state::Shell;
use gemmscope_chart::charts::ChartKind;
use leptos::prelude::*;

/// The place.
#[component]
pub fn Summary(kind: &'static ChartKind) -> impl IntoView {
    let shell = Shell::here();
    view! {
        <div class="summary" on:scroll=move |e| shell.scrolled(&e)>
            <div class="summary-picture"><TimeBar /><ChartPane kind=kind bar=settings /></div>
            <Ranked />
        </div>
    }
}
