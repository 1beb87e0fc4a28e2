//! The panel of the selected rows: every figure with its formula and the numbers in it.

mod model_row;

use crate::app::state::{Shell, Workbench};
use crate::app::ui::{icon, icon_button};
use crate::app::views::overview;
use crate::web::dom;
use gemmscope_analysis::explain::{Explanation, Figure, bound_name, explain, roof_name};
use gemmscope_analysis::replay::{Case, Tool, replay};
use gemmscope_model::units::percent;
use gemmscope_table::field::Frame;
use leptos::prelude::*;

/// The panel; empty where nothing is selected.
#[component]
pub fn Detail() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    // The picked index and the selection it belongs to. A new selection starts with its last row,
    // which is the one that was just clicked.
    let picked = RwSignal::new(None::<(Vec<u32>, usize)>);
    let shown = Memo::new(move |_| {
        let last = bench.selected.with(|s| s.len().saturating_sub(1));
        picked.with(|p| match p {
            Some((of, i)) if bench.selected.with(|s| s == of) => *i,
            _ => last,
        })
    });
    let pick = move |i: usize| picked.set(Some((bench.selected.get_untracked(), i)));
    // The overview itself lists the reasons and rows of a finding, so there only a selected row
    // opens this panel.
    let listed = Memo::new(move |_| {
        bench
            .view
            .with(|v| v.view == "overview" && v.selection.is_empty())
    });
    let any = Memo::new(move |_| bench.selected.with(|s| !s.is_empty()) && !listed.get());
    let row = Memo::new(move |_| bench.selected.with(|s| s.get(shown.get()).copied()));
    let read = model_row::read(bench);
    let body = move || {
        let row = row.get()?;
        let frame = bench.frame.get();
        ((row as usize) < frame.data.len()).then(|| {
            let tools = replay_panel(shell, &frame, row as usize);
            let stack = gemmscope_table::trace::call_stack(&frame.data, row as usize)
                .and_then(overview::call_stack);
            explanation(
                explain(&frame, row as usize),
                roof_name(frame.metrics.kind),
                (
                    model_row::section(bench, read, &frame, row as usize),
                    stack,
                    tools,
                ),
            )
        })
    };
    // The overview shows the reasons itself.
    let finding = move || {
        // Before the chosen one, which follows from it.
        let found = bench.findings.get()?.findings;
        let i = bench.finding.get()?;
        if bench
            .view
            .with(|v| v.view == "overview" || !v.selection.is_empty())
        {
            return None;
        }
        let f = found.findings.get(i)?;
        Some(view! {
            <details class="detail-finding" open=true>
                <summary>{f.heading()}</summary>
                {overview::reasons(shell, bench, f, None)}
            </details>
        })
    };
    view! {
        <Show when=move || any.get()>
            <aside class="detail" class:on-cards=move || bench.view.with(|v| v.view == "card") aria-label="Selected GEMM">
                <header class="detail-head">
                    <h2>"Selected"</h2>
                    <div class="detail-tabs" role="group" aria-label="Selected rows">
                        {move || {
                            let n = bench.selected.with(Vec::len);
                            (n > 1).then(|| {
                                (0..n.min(24))
                                    .map(|i| view! {
                                        <button type="button" class="number-tab" aria-pressed=move || (shown.get() == i).to_string()
                                            on:click=move |_| pick(i)>
                                            {i + 1}
                                        </button>
                                    })
                                    .collect_view()
                            })
                        }}
                        {move || {
                            let n = bench.selected.with(Vec::len);
                            (n > 24).then(|| view! { <span class="muted">{format!("and {} more", n - 24)}</span> })
                        }}
                    </div>
                    {icon_button(icon::FILTER, "Filter to what is selected", move || only_selected(bench))}
                    {icon_button(icon::CROSS, "Close the details (Esc)", move || bench.deselect())}
                </header>
                <div class="detail-body" tabindex="0">{finding}{body}</div>
            </aside>
        </Show>
    }
}

/// Filters to the selected rows, or to the rows of the chosen finding.
fn only_selected(bench: Workbench) {
    let rule = bench.finding.get_untracked().and_then(|i| {
        let picked = bench.view.with_untracked(|v| !v.selection.is_empty());
        let found = bench.findings.get_untracked().filter(|_| !picked)?;
        Some(found.findings.findings.get(i)?.rule.clone())
    });
    bench.filter_to(&rule.unwrap_or_default(), &bench.selected.get_untracked());
}

/// Commands and scripts that run only this GEMM.
fn replay_panel(shell: Shell, frame: &Frame, row: usize) -> AnyView {
    let tile = gemmscope_analysis::tile_roof::TileRoofs::of_row(&frame.data, &frame.metrics, row);
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
                        <button type="button" class="button small" on:click=move |_| copy(shell, copied.clone())>"Copy"</button>
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

fn copy(shell: Shell, text: String) {
    leptos::task::spawn_local(async move {
        shell.say(if dom::copy(text).await {
            "Copied."
        } else {
            "The browser refuses the clipboard here: select the text, or save it."
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
