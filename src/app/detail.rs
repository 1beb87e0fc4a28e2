//! The selected rows in full: every figure with its formula and the numbers put in.

use super::state::App;
use super::ui::{icon, icon_button};
use crate::explain::{Explanation, Figure, bound_name, explain, percent, roof_name};
use crate::replay::{Case, Tool, replay};
use crate::web::dom;
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
    // The overview lists a finding's reasons and rows itself: only a row chosen there opens this.
    let listed = Memo::new(move |_| {
        app.view
            .with(|v| v.view == "overview" && v.selection.is_empty())
    });
    let any = Memo::new(move |_| app.selected.with(|s| !s.is_empty()) && !listed.get());
    let row = Memo::new(move |_| {
        app.selected
            .with(|s| s.get(shown.get().min(s.len().saturating_sub(1))).copied())
    });
    let read = super::model_row::read(app);
    let body = move || {
        let row = row.get()?;
        let frame = app.frame.get();
        ((row as usize) < frame.data.len()).then(|| {
            let tools = replay_panel(app, &frame, row as usize);
            let stack = crate::trace::call_stack(&frame.data, row as usize)
                .and_then(super::overview::call_stack);
            explanation(
                explain(&frame, row as usize),
                roof_name(frame.metrics.kind),
                (
                    super::model_row::section(app, read, &frame, row as usize),
                    stack,
                    tools,
                ),
            )
        })
    };
    // On the overview its reasons stand in the list already.
    let finding = move || {
        let i = app.finding.get()?;
        if app
            .view
            .with(|v| v.view == "overview" || !v.selection.is_empty())
        {
            return None;
        }
        app.found.with(|j| {
            let f = j.as_ref()?.findings.findings.get(i)?;
            Some(view! {
                <details class="detail-finding" open=true>
                    <summary>{f.title.clone()}</summary>
                    {super::overview::reasons(app, f, None)}
                </details>
            })
        })
    };
    view! {
        <Show when=move || any.get()>
            <aside class="detail" class:on-cards=move || app.view.with(|v| v.view == "card") aria-label="Selected GEMM">
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
                    {icon_button(icon::FILTER, "Filter to what is selected", move || only_selected(app))}
                    {icon_button(icon::CROSS, "Close the details (Esc)", move || app.deselect())}
                </header>
                <div class="detail-body" tabindex="0">{finding}{body}</div>
            </aside>
        </Show>
    }
}

/// Every view shows only what is selected: the rows of the chosen finding, or those picked.
fn only_selected(app: App) {
    let rule = app.finding.get_untracked().and_then(|i| {
        let picked = app.view.with_untracked(|v| !v.selection.is_empty());
        let found = app.found.get_untracked().filter(|_| !picked)?;
        Some(found.findings.findings.get(i)?.rule.clone())
    });
    app.filter_to(&rule.unwrap_or_default(), &app.selected.get_untracked());
}

/// Commands and scripts that run just this GEMM.
fn replay_panel(app: App, frame: &crate::field::Frame, row: usize) -> AnyView {
    let tile = crate::shape_roof::ShapeRoofs::of_row(&frame.data, &frame.metrics, row);
    let case = Case::of(&frame.data, row, tile.map(|t| t.tile));
    let tool = RwSignal::new(None::<Tool>);
    let choose = Tool::ALL.map(|t| {
        view! {
            <button type="button" class="segment" aria-pressed=move || (tool.get() == Some(t)).to_string()
                on:click=move |_| tool.update(|now| *now = if *now == Some(t) { None } else { Some(t) })>
                {t.label()}
            </button>
        }
        .into_any()
    });
    let made = move || {
        let made = replay(&case, tool.get()?);
        Some(match made {
            Err(why) => view! { <p class="muted">{why}"."</p> }.into_any(),
            Ok(r) => {
                let (copied, saved) = (r.text.clone(), r.clone());
                view! {
                    <pre class="replay-text" tabindex="0">{r.text}</pre>
                    <div class="replay-actions">
                        <button type="button" class="button small" on:click=move |_| copy(app, copied.clone())>"Copy"</button>
                        <button type="button" class="button small"
                            on:click=move |_| dom::download(&saved.file, "text/plain", saved.text.as_bytes())>
                            {format!("Save {}", r.file)}
                        </button>
                    </div>
                }
                .into_any()
            }
        })
    };
    view! {
        <section class="detail-section replay">
            <h3 title="Runs just this shape, layout and type: for a profiler, or for whoever tunes kernels.">"Replay this GEMM"</h3>
            <div class="segments wrap" role="group" aria-label="Replay with">{choose}</div>
            {made}
        </section>
    }
    .into_any()
}

fn copy(app: App, text: String) {
    leptos::task::spawn_local(async move {
        app.status.set(if dom::copy(text).await {
            "Copied.".into()
        } else {
            "The browser refuses the clipboard here: select the text, or save it.".into()
        });
    });
}

fn explanation(
    e: Explanation,
    roof: &'static str,
    (model, stack, tools): (AnyView, Option<AnyView>, AnyView),
) -> AnyView {
    let above = !e.above_roof.is_empty();
    view! {
        <p class="detail-title">{e.title}</p>
        {(!e.name.is_empty()).then(|| view! { <p class="kernel-name" title=e.name.clone()>{e.name.clone()}</p> })}
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
        {(!e.verdict.is_empty()).then(|| view! { <p class="verdict">{e.verdict}</p> })}
        <p class="muted">{e.device}</p>
        {above.then(|| view! {
            <section class="notice warn-box">
                <p><strong>"Above its roof. "</strong>"That is a finding, not an error. What would explain it:"</p>
                <ul>{e.above_roof.into_iter().map(|t| view! { <li>{t}</li> }).collect_view()}</ul>
            </section>
        })}
        {model}
        <dl class="figures">{e.figures.into_iter().map(figure).collect_view()}</dl>
        {(!e.tile.is_empty()).then(|| view! {
            <section class="detail-section">
                <h3>"Tile and waves"</h3>
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
        {stack}
        {tools}
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
