//! State shared by all pages of the planner.

use crate::app::state::{Shared, Shell, Workbench};
use crate::app::ui::{icon, icon_button};
use gemmscope_analysis::planner::Plan;
use gemmscope_table::view_state::KeyProblem;
use leptos::prelude::*;

/// Key of the current page in the view state.
pub(super) const PAGE: &str = "plan.page";

/// State shared by all pages of the planner.
#[derive(Clone, Copy)]
pub(super) struct Ready {
    /// The page's state.
    pub shell: Shell,
    pub bench: Workbench,
    /// The plan in the view state.
    pub plan: Memo<Shared<Plan>>,
    /// Settings that could not be read.
    pub problems: Memo<Vec<KeyProblem>>,
}

/// Settings of a link that could not be read, one per line.
pub(super) fn problems(ready: Ready) -> AnyView {
    let clear = move |key: String| ready.bench.edit(|v| v.set_param(&key, ""));
    let line = move |problem: KeyProblem| {
        let key = problem.key.clone();
        view! {
            <div class="notice bad" role="alert">
                <p><strong>{problem.key}</strong>" "{problem.message}</p>
                {icon_button(icon::CROSS, "Back to the default", move || clear(key.clone()))}
            </div>
        }
        .into_any()
    };
    (move || ready.problems.get().into_iter().map(line).collect_view()).into_any()
}
