//! Accounts of one call: the row's own bar, like those of the Summary, and the selected rows side by side.

use crate::app::state::Workbench;
use crate::app::state::findings_task::IN_ONE_TASK;
use crate::app::ui::table_view;
use crate::web::dom;
use gemmscope_analysis::ledger::{Account, Splitter};
use gemmscope_model::units::{percent, seconds_brief};
use gemmscope_table::field::Frame;
use gemmscope_words::analysis_card::{MOST, side_by_side};
use leptos::prelude::*;

/// The bar of a row; `None` if it has no time, or if very many rows would have to be searched first.
pub(super) fn bar(bench: Workbench, frame: &Frame, row: u32) -> Option<AnyView> {
    let cache = bench.row_cache.get_value();
    let known = cache.known_partners(frame);
    let partners =
        known.or_else(|| (frame.data.len() <= IN_ONE_TASK).then(|| cache.partners(frame)))?;
    let call = Splitter::new(frame, partners).of(row)?.call;
    let total_s = call.total_s();
    let part = |(account, s): (Account, f64)| {
        let seconds = seconds_brief(s);
        let label = account.label();
        let hint = format!("{label}: {seconds}, {}. {}", percent(s / total_s), account.hint());
        view! {
            <span class="account" data-account=account.key() style:flex-grow=format!("{:.5}", s / total_s) title=hint>
                <span>{label}" "<strong>{seconds}</strong></span>
            </span>
        }
    };
    let words: Vec<String> =
        call.each().map(|(a, s)| format!("{} {}", a.label(), seconds_brief(s))).collect();
    let parts = call.each().map(part).collect_view();
    Some(
        view! {
            <div class="ledger-bar" role="img" aria-label=format!("Of one call: {}", words.join(", "))>{parts}</div>
        }
        .into_any(),
    )
}

/// The selected rows as columns of a table that can be copied.
pub(super) fn together(bench: Workbench) -> AnyView {
    let frame = bench.frame.get();
    let rows = bench.selected.get();
    let table = side_by_side(&frame, &rows);
    let text = table.tabbed();
    let more = rows.len().saturating_sub(MOST);
    let copied = RwSignal::new(String::new());
    let copy = move |_| {
        let text = text.clone();
        leptos::task::spawn_local(async move {
            copied.try_set(dom::copy(text).await);
        });
    };
    view! {
        <div class="dock-body side-by-side" tabindex="0" role="region" aria-label="Side by side">
            {table_view(table)}
            <p>
                <button type="button" class="button small" on:click=copy>"Copy table"</button>
                " "<span class="muted" role="status">{copied}</span>
                {(more > 0).then(|| view! { <span class="muted">{format!("{more} more are selected; the table of rows compares many.")}</span> })}
            </p>
        </div>
    }
    .into_any()
}
