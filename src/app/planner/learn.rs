//! The guided reading: text beside the roofline of the plan.

use super::ready::Ready;
use super::{lists, model, picture};
use gemmscope_analysis::planner::learn::{STEPS, enter, is_open, open, shown};
use leptos::prelude::*;

/// The page.
pub(super) fn page(ready: Ready) -> AnyView {
    let bench = ready.bench;
    let step = Memo::new(move |_| bench.view.with(shown));
    let go = move |i: usize| bench.edit("learn", |v| enter(v, i));
    // A button of the page may have opened it already.
    if !bench.view.with_untracked(is_open) {
        bench.edit_without_undo(open);
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
                <p class="muted">"Each step shows an example. Your own plan comes back when you leave this page."</p>
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
