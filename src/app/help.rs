//! Shortcuts and terms.

use super::shortcuts::{CHART_KEYS, SHORTCUTS};
use super::state::{App, Dialog};
use super::ui::Modal;
use leptos::prelude::*;

const TERMS: &[(&str, &str)] = &[
    (
        "GEMM",
        "General matrix multiply: C = A B, with A of M × K, B of K × N and C of M × N.",
    ),
    (
        "Arithmetic intensity (AI)",
        "Work over bytes moved. Here the bytes are compulsory ones: every operand once. An upper bound of the real intensity.",
    ),
    (
        "Roof",
        "What the device allows at an intensity: the lower of its peak rate and intensity × memory bandwidth.",
    ),
    (
        "Ridge point",
        "The intensity where the two meet. Left of it memory limits, right of it the arithmetic units do.",
    ),
    (
        "Datasheet or achievable",
        "The vendor's dense peak, or the best rate that anyone measured with large GEMMs.",
    ),
    (
        "Efficiency",
        "Attained rate over the roof at the same intensity; the same as roof time over measured time.",
    ),
    (
        "Lost time",
        "Measured time minus roof time, over all calls: what a perfect kernel would give back.",
    ),
    (
        "Set aside",
        "Rows that are no points: kept, counted, with line and reason on the file's card.",
    ),
];

/// The dialog.
#[component]
pub fn Help() -> impl IntoView {
    let app = App::here();
    view! {
        <Modal title=Signal::derive(|| "Shortcuts and terms".to_owned()) wide=true on_close=move || app.dialog.set(None)>
            <div class="help-columns">
                <section>
                    <h3>"Anywhere"</h3>
                    <dl class="keys">
                        {SHORTCUTS.iter().map(|s| view! { <dt><kbd>{s.keys}</kbd></dt><dd>{s.label}</dd> }).collect_view()}
                    </dl>
                    <h3>"In the chart"</h3>
                    <dl class="keys">
                        {CHART_KEYS.iter().map(|(k, l)| view! { <dt><kbd>{*k}</kbd></dt><dd>{*l}</dd> }).collect_view()}
                    </dl>
                    <p class="muted">"Pointer: drag moves, the wheel zooms, Shift and a drag select a box, a double click shows all."</p>
                </section>
                <section>
                    <h3>"Files"</h3>
                    <button type="button" class="button" data-open="formats" on:click=move |_| app.open(Dialog::Formats)>
                        "What is read, and how to produce it"
                    </button>
                    <h3>"Terms"</h3>
                    <dl class="terms">
                        {TERMS.iter().map(|(t, d)| view! { <dt>{*t}</dt><dd>{*d}</dd> }).collect_view()}
                    </dl>
                    <p class="muted">
                        {format!("gemmscope {}. Files are read by this page and go nowhere else; links hold filters and device, never data.", env!("CARGO_PKG_VERSION"))}
                    </p>
                </section>
            </div>
        </Modal>
    }
}
