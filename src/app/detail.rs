//! The selected rows in full: every figure with its formula and the numbers put in.

use super::state::App;
use super::ui::{icon, icon_button};
use crate::explain::{Explanation, Figure, bound_name, explain, percent, roof_name};
use leptos::prelude::*;

/// The panel; nothing where nothing is selected.
#[component]
pub fn Detail() -> impl IntoView {
    let app = App::here();
    let shown = RwSignal::new(0usize);
    // A new selection starts with its last row: the one that was just clicked.
    Effect::new(move |_| {
        let n = app.selected.with(Vec::len);
        shown.set(n.saturating_sub(1));
    });
    let any = Memo::new(move |_| app.selected.with(|s| !s.is_empty()));
    let row = Memo::new(move |_| {
        app.selected
            .with(|s| s.get(shown.get().min(s.len().saturating_sub(1))).copied())
    });
    let body = move || {
        let row = row.get()?;
        let frame = app.frame.get();
        ((row as usize) < frame.data.len())
            .then(|| explanation(explain(&frame, row as usize), roof_name(frame.metrics.kind)))
    };
    view! {
        <Show when=move || any.get()>
            <aside class="detail" aria-label="Selected GEMM">
                <header class="detail-head">
                    <h2>"Selected"</h2>
                    <div class="detail-tabs" role="group" aria-label="Selected rows">
                        {move || {
                            let n = app.selected.with(Vec::len);
                            (n > 1).then(|| {
                                (0..n.min(24))
                                    .map(|i| view! {
                                        <button type="button" class="number-tab" aria-pressed=move || (shown.get() == i).to_string()
                                            on:click=move |_| shown.set(i)>
                                            {i + 1}
                                        </button>
                                    })
                                    .collect_view()
                            })
                        }}
                        {move || {
                            let n = app.selected.with(Vec::len);
                            (n > 24).then(|| view! { <span class="muted">{format!("and {} more", n - 24)}</span> })
                        }}
                    </div>
                    {icon_button(icon::CROSS, "Close the details (Esc)", move || app.deselect())}
                </header>
                <div class="detail-body" tabindex="0">{body}</div>
            </aside>
        </Show>
    }
}

fn explanation(e: Explanation, roof: &'static str) -> AnyView {
    let above = !e.above_roof.is_empty();
    view! {
        <p class="detail-title">{e.title}</p>
        {(!e.name.is_empty()).then(|| view! { <p class="kernel-name">{e.name.clone()}</p> })}
        {e.efficiency.map(|share| view! {
            <div class="gauge" class:above=above>
                <div class="gauge-line">
                    <strong>{percent(share)}</strong>
                    <span class="muted">{format!("of the {roof}")}</span>
                    {e.limit.map(|l| view! { <span class="badge">{format!("limited by {}", bound_name(l))}</span> })}
                </div>
                <div class="gauge-track" aria-hidden="true">
                    <div class="gauge-fill" style:width=format!("{:.2}%", (share * 100.0).clamp(0.0, 100.0))></div>
                </div>
            </div>
        })}
        <p class="muted">{e.device}</p>
        {above.then(|| view! {
            <section class="notice warn-box">
                <p><strong>"Above its roof. "</strong>"That is a finding, not an error. What would explain it:"</p>
                <ul>{e.above_roof.into_iter().map(|t| view! { <li>{t}</li> }).collect_view()}</ul>
            </section>
        })}
        <dl class="figures">{e.figures.into_iter().map(figure).collect_view()}</dl>
        {(!e.tile.is_empty()).then(|| view! {
            <section class="detail-section">
                <h3>"From the kernel's name"</h3>
                <dl class="figures">{e.tile.into_iter().map(figure).collect_view()}</dl>
            </section>
        })}
        {(!e.columns.is_empty()).then(|| view! {
            <section class="detail-section">
                <h3>"As the file has it"</h3>
                <dl class="file-columns">
                    {e.columns.into_iter().map(|(k, v)| view! { <dt>{k}</dt><dd>{v}</dd> }).collect_view()}
                </dl>
            </section>
        })}
        <p class="muted place">{e.place}</p>
    }
    .into_any()
}

fn figure(f: Figure) -> AnyView {
    let reported = f.reported.map(|r| {
        let far = r.gap.abs() > 0.01;
        let gap = if far {
            format!("{:+.1} %", r.gap * 100.0)
        } else {
            "agrees".to_owned()
        };
        view! {
            <span class="reported" class:far=far>
                {format!("file: {} ({gap})", r.value)}
            </span>
        }
    });
    view! {
        <div class="figure-row">
            <dt title=f.hint>{f.label}</dt>
            <dd>
                <strong>{f.value}</strong>
                {reported}
                <span class="formula">{f.formula}</span>
            </dd>
        </div>
    }
    .into_any()
}
