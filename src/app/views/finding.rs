//! A finding in words: its reasons, its rows, who called them.

use crate::app::state::Workbench;
use crate::app::ui::icon;
use crate::app::ui::terms::explained;
use crate::web::dom;
use gemmscope_analysis::figures::figures;
use gemmscope_model::units::{Seconds, and_more, percent, plural};
use gemmscope_words::findings::Finding;
use leptos::prelude::*;

/// Maximum number of rows listed as evidence.
const EVIDENCE: usize = 12;

/// The body of a finding: reasons, certainty, advice.
///
/// `index` is the number of the finding, if its rows are to be listed.
pub fn reasons(bench: Workbench, f: &Finding, index: Option<usize>) -> AnyView {
    let mut known = Vec::new();
    let mut part = |title: &'static str, text: &str, class: &'static str| {
        (!text.is_empty()).then(|| {
            view! { <div class=class><dt>{title}</dt><dd>{explained(text, &mut known)}</dd></div> }
                .into_any()
        })
    };
    let text = part("What", &f.text, "reason");
    let a = part("Try in the model", &f.path_a, "reason path");
    let b = part("Try in the kernel or library", &f.path_b, "reason path");
    let how = (!f.formula.is_empty()).then(|| {
        view! { <div class="reason"><dt>"Formula"</dt><dd><code>{f.formula.clone()}</code></dd></div> }
    });
    let signs: Vec<AnyView> = f
        .signs
        .iter()
        .map(|s| {
            let (rows, words) = (s.rows.clone(), format!("{} ({})", s.title, s.groups));
            let filter = move |_| bench.filter_to("sign", &rows);
            view! { <button type="button" class="link" title="Filter to these rows" on:click=filter>{words}</button>" " }
                .into_any()
        })
        .collect();
    let signs = (!signs.is_empty()).then(|| {
        view! { <div class="reason"><dt>"Signs"</dt><dd>{signs}</dd></div> }
    });
    let when = part(
        "Flagged because",
        gemmscope_words::findings::rule_text(&f.rule).map_or("", |r| r.threshold),
        "reason",
    );
    let worth = part("Gain", &f.worth().unwrap_or_default(), "reason");
    let profile = part("To confirm", &f.profile, "reason");
    view! {
        <dl class="reasons">
            {text}
            {a}{b}
            {how}{signs}
            {worth}{when}{profile}
        </dl>
        {index.map(|i| evidence(bench, i, f))}
    }
    .into_any()
}

/// A call stack as indented lines: callers, the operation, and what runs below it.
pub fn call_stack(stack: gemmscope_table::dataset::CallStack) -> Option<AnyView> {
    if stack.parents.is_empty() && stack.subtree.is_empty() {
        return (!stack.notes.is_empty())
            .then(|| view! { <p class="muted">{stack.notes}</p> }.into_any());
    }
    let line = |depth: usize, text: String, own: bool| {
        view! { <li class:own=own style:padding-left=format!("{}px", depth.min(12) * 12)>{text}</li> }
            .into_any()
    };
    let depth = stack.parents.len();
    let mut lines: Vec<AnyView> =
        stack.parents.into_iter().enumerate().map(|(i, p)| line(i, p, false)).collect();
    lines.push(line(depth, stack.operation, true));
    lines.extend(stack.subtree.into_iter().map(|s| line(depth + 1, s, false)));
    let fusion =
        stack.fusion_opportunity.then_some("The report marks it as a candidate for fusion.");
    Some(
        view! {
            <section class="call-stack" aria-label="Call stack">
                <h3>"Called from"</h3>
                <ol>{lines}</ol>
                {fusion.map(|t| view! { <p class="muted">{t}</p> })}
            </section>
        }
        .into_any(),
    )
}

/// Shows only the rows of a finding.
fn filter_to(bench: Workbench, index: usize) {
    let found = bench.findings.get_untracked();
    if let Some(f) = found.and_then(|r| r.findings.findings.get(index).cloned()) {
        bench.filter_to(&f.rule, &f.evidence.rows);
        // The focused button disappeared together with its finding.
        dom::focus(".chart-stage");
    }
}

/// The rows behind a finding.
fn evidence(bench: Workbench, index: usize, f: &Finding) -> Option<AnyView> {
    let rows = &bench.settled_frame.with_untracked(|frame| f.rows_by_time(frame));
    if rows.is_empty() {
        return None;
    }
    let one = rows.len() == 1;
    let lines: Vec<AnyView> = bench.settled_frame.with_untracked(|frame| {
        rows.iter()
            .take(EVIDENCE)
            .filter(|r| (**r as usize) < frame.data.len())
            .map(|&row| {
                let r = row as usize;
                let data = &frame.data;
                let x = figures(frame, r);
                let file = data
                    .sources
                    .get(usize::from(data.source[r]))
                    .map_or("", |s| s.name.rsplit('/').next().unwrap_or_default());
                let cells = [
                    format!("{file}:{}", data.line[r]),
                    x.problem.to_string(),
                    Seconds(x.time_s).to_string(),
                    x.calls.to_string(),
                    percent(x.share),
                ];
                view! {
                    <tr>
                        <td><button type="button" class="link" on:click=move |_| bench.select(&[row], false)>{cells[0].clone()}</button></td>
                        {cells[1..].iter().map(|c| view! { <td>{c.clone()}</td> }).collect_view()}
                    </tr>
                }
                .into_any()
            })
            .collect()
    });
    let more = rows.len().saturating_sub(EVIDENCE);
    Some(
        view! {
            <section class="evidence" aria-label="Evidence">
                <div class="evidence-head">
                    <h3>{plural(rows.len() as u64, "row")}</h3>
                    <button type="button" class="button small" title="Every view shows only these, until you show all again or undo"
                        on:click=move |_| filter_to(bench, index)>
                        {icon(icon::FILTER)}<span>{if one { "Filter to this row" } else { "Filter to these rows" }}</span>
                    </button>
                    <button type="button" class="button small" on:click=move |_| bench.show("table")>
                        "Show in the table"
                    </button>
                </div>
                <div class="scroll-x">
                    <table class="plain-table">
                        <thead><tr>{["Place", "GEMM", "Time", "Calls", "% of roof"].map(|h| view! { <th scope="col">{h}</th> })}</tr></thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
                {(more > 0).then(|| view! { <p class="muted">{and_more(more)}</p> })}
            </section>
        }
        .into_any(),
    )
}
