//! Trust in the figures: one word, its reasons, and assumptions.

use crate::app::state::Shell;
use gemmscope_analysis::trust::{About, Verdict};
use gemmscope_model::units::{capitalized, plural};
use gemmscope_table::dataset::Assumption;
use gemmscope_words::trust::{Reason, Trust};
use leptos::prelude::*;

/// Number of reasons shown before the card is expanded.
const FIRST: usize = 2;
/// Maximum number shown then: each of thousands of devices has some of its own.
const MOST: usize = 40;

/// The card.
pub fn card(trust: &Trust) -> AnyView {
    // Reasons in favour are folded if there are others.
    let heaviest = trust.reasons.iter().take_while(|r| r.weight == trust.verdict).count();
    let (first, more) = trust.reasons.split_at(heaviest.min(FIRST));
    let measuring = trust.measuring();
    let behind = more.len() + trust.assumed.len() + usize::from(!measuring.is_empty());
    let (more, further) = more.split_at(more.len().min(MOST));
    let words = match trust.verdict {
        Verdict::Sound if first.is_empty() => "Nothing speaks against these figures.",
        _ => "",
    };
    view! {
        <section class="trust" data-verdict=trust.verdict.label() aria-label="How far can these figures be trusted?">
            <p>
                <strong>{format!("{}. ", capitalized(trust.verdict.label()))}</strong>
                {words}{first.iter().map(reason).collect_view()}
            </p>
            {(behind > 0).then(|| view! {
                <details class="overview-more">
                    <summary>"How far can these figures be trusted?"</summary>
                    {more.iter().map(|r| view! { <p>{reason(r)}</p> }).collect_view()}
                    {(!further.is_empty()).then(|| view! {
                        <p>{format!("And {} alike. The report has all.", plural(further.len() as u64, "reason"))}</p>
                    })}
                    {(!measuring.is_empty()).then(|| view! { <p>{measuring}</p> })}
                    {assumed(trust)}
                </details>
            })}
        </section>
    }
    .into_any()
}

fn reason(r: &Reason) -> AnyView {
    let shell = Shell::here();
    let rows = (r.about == About::Skipped).then(|| {
        view! { <button type="button" class="link" on:click=move |_| shell.show_skipped()>"Show them"</button>" " }
    });
    view! { {r.text.clone()}" "{rows} }.into_any()
}

/// An assumption with its value, which its sentence often ends with.
fn said(a: &Assumption) -> String {
    let text = a.text.trim_end_matches('.');
    match a.value.is_empty() || text.contains(&a.value) {
        true => format!("{text}."),
        false => format!("{text}: {}.", a.value),
    }
}

/// Assumptions that no file states. The choices are on the cards of the files.
fn assumed(trust: &Trust) -> Option<AnyView> {
    let shell = Shell::here();
    let all = &trust.assumed;
    (!all.is_empty()).then(|| {
        let lines = all.iter().map(|a| view! { <li>{said(a)}</li> });
        let words = format!("Change {}", plural(all.len() as u64, "assumption"));
        view! {
            <ul>{lines.collect_view()}</ul>
            <button type="button" class="link" on:click=move |_| shell.show_panel(true)>{words}</button>
        }
        .into_any()
    })
}
