//! Shortcuts, terms, and a link to the primer.

use super::source::TrustedHosts;
use crate::app::shell::shortcuts::{CHART_KEYS, SHORTCUTS};
use crate::app::state::{Dialog, Shell};
use crate::app::ui::Modal;
use crate::web::dom;
use gemmscope_words::glossary::TERMS;
use leptos::prelude::*;

/// Address of the primer, where the build names the documentation (scripts/header.mjs).
fn primer() -> Option<String> {
    let docs = dom::first(".header-links [rel=help]")?.get_attribute("href")?;
    Some(format!("{}/learn.html", docs.trim_end_matches('/')))
}

/// The dialog.
#[component]
pub fn Help() -> impl IntoView {
    let shell = Shell::here();
    view! {
        <Modal title="Help and shortcuts" wide=true>
            <div class="help-columns">
                <section>
                    <h3>"Anywhere"</h3>
                    <dl class="keys">
                        {SHORTCUTS.iter().map(|(keys, label, _)| view! { <dt><kbd>{*keys}</kbd></dt><dd>{*label}</dd> }).collect_view()}
                        <dt><kbd>"← →"</kbd></dt><dd>"Next button or choice of a row"</dd>
                    </dl>
                    <h3>"In the chart"</h3>
                    <dl class="keys">
                        {CHART_KEYS.iter().map(|(k, l)| view! { <dt><kbd>{*k}</kbd></dt><dd>{*l}</dd> }).collect_view()}
                    </dl>
                    <p class="muted">{if dom::media("(pointer: coarse)") {
                        "A tap shows the details of a mark; two fingers zoom."
                    } else {
                        "Pointer: drag moves, the wheel zooms, Shift and a drag keep what is inside the box, a double click shows all."
                    }}</p>
                </section>
                <section>
                    {primer().map(|href| view! {
                        <h3>"Learn"</h3>
                        <p><a href=href target="_blank" rel="noopener">"A GEMM in eight steps"</a>": what bounds it, and why"</p>
                    })}
                    <h3>"Files"</h3>
                    <button type="button" class="button" data-open="formats" on:click=move |_| shell.open(Dialog::Formats)>
                        "What is read, and how to produce it"
                    </button>
                    <TrustedHosts />
                    <h3>"Terms"</h3>
                    <dl class="terms">
                        {TERMS.iter().map(|t| view! { <dt>{t.name}</dt><dd>{t.text}</dd> }).collect_view()}
                    </dl>
                    <p class="muted">
                        {format!("gemmscope {}. Files are read by this page and go nowhere else. A link holds the view; the data only where you put it in under Share.", env!("CARGO_PKG_VERSION"))}
                    </p>
                </section>
            </div>
        </Modal>
    }
}
