//! The planner's page: what is attainable, before anything runs. It needs no file; measured rows
//! are drawn with it where there are some.

mod learn;
mod lists;
mod model;
mod picture;
mod tool;

use super::state::{App, LoadError, Shared};
use super::ui::icon_button;
use crate::chart::planner::TOOLS;
use crate::plan::{Plan, PlanState};
use crate::transformer::Model;
use crate::view_state::KeyProblem;
use leptos::prelude::*;

/// Key of the page in the view state.
const PAGE: &str = "plan.page";

/// Pages as key, name and sentence: the model, the tools, the reading.
fn pages() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut out = vec![(
        "",
        "Model",
        "A model's GEMMs at their roofs: best times, tokens a second, memory",
    )];
    out.extend(TOOLS.iter().map(|t| (t.id, t.name, t.hint)));
    out.push((
        "learn",
        "Learn",
        "What a GEMM is, why decode is slow: a short reading that drives the roofline",
    ));
    out
}

fn show(ready: Ready, page: usize) -> AnyView {
    match page {
        0 => model::page(ready),
        i if i <= TOOLS.len() => tool::page(ready, i - 1),
        _ => learn::page(ready),
    }
}

/// What the pages work on.
#[derive(Clone, Copy)]
pub struct Ready {
    /// The page's state.
    pub app: App,
    /// The plan of the view state.
    pub plan: Memo<Shared<Plan>>,
    /// Settings that could not be read.
    pub problems: Memo<Vec<KeyProblem>>,
}

/// The view.
#[component]
pub fn PlanView() -> impl IntoView {
    let app = App::here();
    let read = Memo::new(move |_| app.view.with(PlanState::read));
    let plan = Memo::new(move |_| {
        let state = read.with(|r| r.0.clone());
        Shared::from(app.custom.with(|own| Plan::new(state, own)))
    });
    let ready = Ready {
        app,
        plan,
        problems: Memo::new(move |_| read.with(|r| r.1.clone())),
    };
    let shown = Memo::new(move |_| {
        app.view.with(|v| {
            let id = v.param(PAGE).unwrap_or("");
            pages().iter().position(|p| p.0 == id).unwrap_or(0)
        })
    });
    let tab = move |(i, (id, title, hint)): (usize, (&'static str, &'static str, &'static str))| {
        view! {
            <button
                type="button"
                class="segment"
                aria-current=move || (shown.get() == i).then_some("page")
                aria-pressed=move || (shown.get() == i).to_string()
                title=hint
                on:click=move |_| app.edit("page", |v| v.set_param(PAGE, id))
            >
                {title}
            </button>
        }
    };
    view! {
        <div class="plan">
            <nav class="plan-tabs segments" aria-label="Pages of the plan">
                {pages().into_iter().enumerate().map(tab).collect_view()}
            </nav>
            {move || { let page = shown.get(); untrack(|| show(ready, page)) }}
        </div>
    }
}

/// Settings of a link that could not be read, each on its own line.
pub fn problems(ready: Ready) -> AnyView {
    let clear = move |key: String| ready.app.edit("plan", |v| v.set_param(&key, ""));
    view! {
        <For each=move || ready.problems.get() key=|p| (p.key.clone(), p.message.clone()) let:problem>
            {
                let key = problem.key.clone();
                view! {
                    <div class="notice bad" role="alert">
                        <p><strong>{problem.key}</strong>" "{problem.message}</p>
                        {icon_button(super::ui::icon::CROSS, "Back to the default", move || clear(key.clone()))}
                    </div>
                }
            }
        </For>
    }
    .into_any()
}

/// Plans the model of a `config.json`.
pub fn take_model(app: App, name: &str, text: &str) {
    match Model::from_config(text) {
        Ok(model) => {
            app.status.set(format!("{name}: {} is planned", model.name));
            app.edit("view", |v| {
                PlanState::put_model(v, &model);
                v.view = "plan".to_owned();
            });
        }
        Err(error) => {
            let error = LoadError {
                id: app.loader().new_id(),
                name: name.to_owned(),
                message: format!("it looks like a model's configuration, but {error}"),
                mappable: false,
            };
            app.load.update(|l| l.errors.push(error));
        }
    }
}
