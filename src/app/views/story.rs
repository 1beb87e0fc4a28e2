//! Background of the findings: breakdown of the time, and what was checked.

use crate::app::state::{FindingsResult, Workbench};
use gemmscope_analysis::findings::{RULES, Severity, band};
use gemmscope_model::units::{Seconds, capitalized, percent, plural};
use gemmscope_words::findings::Checked;
use gemmscope_words::report::{Bottleneck, Breakdown, ReportOperation};
use gemmscope_words::trace_time::kernels;
use leptos::prelude::*;

/// Number of operations listed.
const OPERATIONS: usize = 20;

/// Background of the findings.
pub fn more(bench: Workbench, result: &FindingsResult) -> AnyView {
    view! {
        <div class="story-more">
            {operations(bench, &result.breakdown)}
            {checks(&result.findings.checked)}
        </div>
    }
    .into_any()
}

/// What was checked: first the rules that lacked data, then those that found nothing.
fn checks(checked: &[Checked]) -> AnyView {
    let mut listed: Vec<(String, String)> =
        checked.iter().filter_map(|c| Some((c.title.clone(), c.not_checked.clone()?))).collect();
    let ran = RULES.len() - listed.len();
    let quiet = |c: &&Checked| c.not_checked.is_none() && c.findings == 0;
    let nothing =
        |c: &Checked| (c.title.clone(), format!("{}. It looks for: {}", c.outcome(), c.threshold));
    listed.extend(checked.iter().filter(quiet).map(nothing));
    view! {
        <details class="overview-more">
            <summary>{format!("{ran} of {} ran", plural(RULES.len() as u64, "check"))}</summary>
            <dl class="checked">
                {listed.into_iter().map(|(t, why)| view! { <dt>{t}</dt><dd>{why}</dd> }).collect_view()}
            </dl>
        </details>
    }
    .into_any()
}

/// The operations that take most time, which are flagged, and which to look at first.
fn operations(bench: Workbench, breakdown: &Breakdown) -> Option<AnyView> {
    if breakdown.operations.is_empty() {
        return None;
    }
    let shown = breakdown.operations.len().min(OPERATIONS);
    let listed = &breakdown.operations[..shown];
    // If each GEMM ran once, the column is useless.
    let calls = listed.iter().any(|o| o.calls != 1.0);
    let heads = ["GEMM", "Share", "Time", "Calls", "% of roof", "Limited by", "Flagged"];
    let heads = heads.into_iter().filter(|h| calls || *h != "Calls");
    let mut sides: Vec<&str> = Vec::new();
    for o in listed {
        if !sides.contains(&o.side.as_str()) {
            sides.push(&o.side);
        }
    }
    // Each side separately: shares are relative to its own time.
    let bodies = sides.iter().map(|side| {
        let heading = (!side.is_empty()).then(|| {
            view! { <tr><th scope="rowgroup" colspan="7">{format!("{side}: shares of its GEMM time")}</th></tr> }
        });
        let of_side = listed.iter().enumerate().filter(|(_, o)| o.side == **side);
        let lines = of_side.map(|(i, o)| line(bench, o, breakdown.flag(i), calls));
        view! { <tbody>{heading}{lines.collect_view()}</tbody> }
    });
    let (heads, bodies) =
        (heads.map(|h| view! { <th scope="col">{h}</th> }).collect_view(), bodies.collect_view());
    let more = breakdown.total - shown;
    // Kernels that are not in the table: shape unknown, or not a GEMM.
    let besides = breakdown.times.iter().flat_map(|t| &t.parts).filter_map(|p| {
        let kernels = Some(kernels(p)).filter(|k| !k.is_empty())?;
        let words =
            format!("{}: {}; largest: {kernels}.", capitalized(p.kind.label()), Seconds(p.time_s));
        Some(view! { <p>{words}</p> })
    });
    let besides = besides.collect_view();
    Some(view! {
        <details class="overview-more operations">
            <summary>"Where the time goes"</summary>
            <div class="scroll-x">
                <table class="plain-table">
                    <thead><tr>{heads}</tr></thead>
                    {bodies}
                </table>
            </div>
            {besides}
            {(more > 0).then(|| view! { <p class="muted">{format!("{more} more take less time each.")}</p> })}
            <p class="muted">"Flagged: over 50 ms, over 5 % of the GEMM time, or under 40 % of the roof. Priority: Critical over 15 % of the time and under 30 %; High over 10 % or under 40 %; Medium over 5 %."</p>
        </details>
    }
    .into_any())
}

/// One operation; `calls` if the table has that column.
fn line(bench: Workbench, o: &ReportOperation, flag: Option<&Bottleneck>, calls: bool) -> AnyView {
    let rows = o.rows.clone();
    let cells = [
        Some(percent(o.share_of_category)),
        Some(Seconds(o.time_s).to_string()),
        calls.then(|| format!("{:.0}", o.calls)),
        Some(match (o.efficiency, flag) {
            (None, _) => "unknown".to_owned(),
            // A share that is normal for the size is no reason to investigate.
            (Some(e), Some(b)) if !b.validated => percent(e),
            (Some(e), _) => format!("{}, {}", percent(e), band(e)),
        }),
        Some(o.bound.clone().unwrap_or_else(|| "unknown".to_owned())),
    ];
    let verdict = flag.map(|b| {
        let why = format!("{}. {}", b.flags.join(", "), b.context.join(" "));
        let priority = if b.validated { b.priority } else { Severity::Low };
        let text = if b.validated { priority.label() } else { b.dismissed };
        let class = format!("severity {}", priority.label().to_lowercase());
        view! { <span class=class title=why>{text}</span> }
    });
    view! {
        <tr>
            <td class="operation">
                <button type="button" class="link" title="Select its rows" on:click=move |_| bench.select(&rows, false)>{o.problem.clone()}</button>
                <span class="muted">{o.name.clone()}</span>
            </td>
            {cells.into_iter().flatten().map(|c| view! { <td>{c}</td> }).collect_view()}
            <td>{verdict}</td>
        </tr>
    }
    .into_any()
}
