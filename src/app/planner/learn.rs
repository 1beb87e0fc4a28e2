//! The guided reading: text beside the roofline of the plan.

use super::ready::{PAGE, Ready};
use super::{lists, model, picture};
use crate::app::state::Shell;
use gemmscope_analysis::planner::learn::{STEPS, enter, shown};
use leptos::prelude::*;

/// The page.
pub(super) fn page(ready: Ready) -> AnyView {
    let bench = ready.bench;
    let step = Memo::new(move |_| bench.view.with(shown));
    let go = move |i: usize| bench.edit("learn", |v| enter(v, i));
    // The plan shows what the step describes; a plan of the user's own comes back with undo.
    let (own, read) = bench.view.with_untracked(|v| {
        let own = v.params.keys().any(|k| k.starts_with("plan.") && k != PAGE);
        (own, v.param("learn.step").is_some())
    });
    if !read {
        go(step.get_untracked());
        if own {
            Shell::here().say_with_undo("The plan shows the example of this step now.");
        }
    }
    let text = move || {
        let s = &STEPS[step.get()];
        view! {
            <h2>{s.title}</h2>
            {s.text.iter().map(|p| view! { <p>{*p}</p> }).collect_view()}
            <p class="task">{s.task}</p>
        }
    };
    let entry = move |(i, s): (usize, &'static gemmscope_analysis::planner::learn::Step)| {
        view! {
            <li>
                <button type="button" class="menu-item" aria-pressed=move || (step.get() == i).to_string() on:click=move |_| go(i)>
                    {format!("{}. {}", i + 1, s.title)}
                </button>
            </li>
        }
    };
    view! {
        <div class="plan-columns learn">
            <section class="plan-form" aria-label="Reading">
                <div class="reading" aria-live="polite">{text}</div>
                <div class="learn-buttons">
                    <button type="button" class="button" disabled=move || { step.get() == 0 } on:click=move |_| go(step.get_untracked().saturating_sub(1))>"Back"</button>
                    <span class="muted">{move || format!("{} of {}", step.get() + 1, STEPS.len())}</span>
                    <button type="button" class="button primary" disabled=move || { step.get() + 1 >= STEPS.len() } on:click=move |_| go(step.get_untracked() + 1)>"Next"</button>
                </div>
                <p class="muted">"Each step sets the plan to its example. Undo brings your own back."</p>
                <details class="plan-group">
                    <summary>"All steps"</summary>
                    <ul>{STEPS.iter().enumerate().map(entry).collect_view()}</ul>
                </details>
            </section>
            <section class="plan-body" aria-label="The plan">
                <p class="plan-head">{move || ready.plan.with(|p| p.headline())}</p>
                {model::sliders(ready)}
                {picture::view(ready)}
                {lists::view(ready)}
            </section>
        </div>
    }
    .into_any()
}
