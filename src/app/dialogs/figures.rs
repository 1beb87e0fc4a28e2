//! The figures of a picture as a table.

use crate::app::state::Shared;
use crate::app::ui::{Modal, table_view};
use gemmscope_model::units::and_more;
use gemmscope_table::result_table::ResultTable;
use leptos::prelude::*;

/// Number of rows listed; a saved CSV has all.
pub const MOST: usize = 500;

/// The dialog. `of` is the table, and the number of rows left out.
#[component]
pub fn Figures(of: Shared<(ResultTable, u64)>) -> impl IntoView {
    let (table, left_out) = (*of.0).clone();
    view! {
        <Modal title="What is drawn" wide=true>
            <div class="data-table" tabindex="0" role="region" aria-label="What is drawn, as a table">{table_view(table)}</div>
            {(left_out > 0).then(|| view! { <p class="muted">{and_more(left_out as usize) + ": save the CSV for all"}</p> })}
        </Modal>
    }
}
