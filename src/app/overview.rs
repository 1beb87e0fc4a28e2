//! What matters, first in three sentences, then as a ranked list with its reasons.

use super::state::{App, Judged};
use super::terms::explained;
use super::totals::grouped;
use super::ui::{Menu, icon};
use crate::findings::{Finding, RULES, Severity, band};
use crate::picture;
use crate::report::{self, Breakdown, CANNOT_INFER, Report};
use crate::units::Seconds;
use crate::web::dom;
use leptos::prelude::*;

/// Findings that show before "show all".
const FIRST: usize = 8;
/// Operations that are listed.
const OPERATIONS: usize = 20;
/// Evidence rows that are listed.
const EVIDENCE: usize = 12;

/// The page of findings.
#[component]
pub fn Overview() -> impl IntoView {
    let app = App::here();
    let all = RwSignal::new(false);
    let body = move || match app.found.get() {
        Some(judged) => page(app, &judged, all),
        None => {
            let text = if app.late.with(|f| f.rows.is_empty()) {
                "No row passes the filters."
            } else {
                "Looking for what matters…"
            };
            view! { <p class="overview-wait" role="status">{text}</p> }.into_any()
        }
    };
    view! {
        <div class="overview" tabindex="0" aria-label="Overview">
            <div class="overview-page">{filtered(app)}{body}</div>
        </div>
    }
}

fn page(app: App, judged: &Judged, all: RwSignal<bool>) -> AnyView {
    let mut known = Vec::new();
    let found = judged.findings.clone();
    let lead: Vec<AnyView> = judged
        .sentences
        .iter()
        .map(|s| view! { <p>{explained(app, s, &mut known)}</p> }.into_any())
        .collect();
    let assumed = (!judged.assumptions.is_empty()).then(|| {
        view! { <p class="muted assumed">"Assumed: "{judged.assumptions.join(" ")}</p> }
    });
    let counts: Vec<AnyView> = [
        Severity::Critical,
        Severity::High,
        Severity::Medium,
        Severity::Low,
    ]
    .into_iter()
    .map(|s| {
        let n = found.findings.iter().filter(|f| f.severity == s).count();
        (s, n)
    })
    .filter(|(_, n)| *n > 0)
    .map(|(s, n)| view! { <span class=badge(s)>{format!("{n} {}", s.label())}</span> }.into_any())
    .collect();
    let total = found.findings.len();
    let list = {
        let found = found.clone();
        move || {
            let chosen = app.finding.get();
            let shown = if all.get() || chosen.is_some_and(|c| c >= FIRST) {
                total
            } else {
                total.min(FIRST)
            };
            found.findings[..shown]
                .iter()
                .enumerate()
                .map(|(i, f)| card(app, i, f, found.whole_s, &found.whole))
                .collect_view()
        }
    };
    let more = move || {
        (total > FIRST && !all.get()).then(|| {
            view! {
                <button type="button" class="button" on:click=move |_| all.set(true)>
                    {format!("Show all {total} findings")}
                </button>
            }
        })
    };
    let unchecked: Vec<(String, String)> = found
        .checked
        .iter()
        .filter_map(|c| Some((c.title.clone(), c.not_checked.clone()?)))
        .collect();
    // What could not be checked first, then what was found nothing of, with when it would speak.
    let quiet = |c: &&crate::findings::Checked| c.not_checked.is_none() && c.findings == 0;
    let mut listed = unchecked.clone();
    listed.extend(
        found
            .checked
            .iter()
            .filter(quiet)
            .map(|c| (c.title.clone(), format!("nothing found: {}", c.threshold))),
    );
    let has_devices = !unchecked.iter().any(|(_, why)| why.contains("a device"));
    view! {
        <header class="overview-head">
            <div class="lead-text">{lead}{assumed}</div>
            <div class="overview-tools">
                {downloads(app)}
                <label class="check">
                    <input type="checkbox" prop:checked=move || app.terms.get()
                        on:change=move |_| app.set_terms(!app.terms.get_untracked()) />
                    <span>"Explain terms"</span>
                </label>
            </div>
        </header>
        {(!has_devices).then(|| view! {
            <p class="notice warn-box">"Some checks need a device: choose one above, or type your own peaks (D)."</p>
        })}
        <h2 class="overview-title">
            {format!("{total} finding{}", if total == 1 { "" } else { "s" })}
            <span class="badges">{counts}</span>
        </h2>
        <ol class="findings">{list}</ol>
        {more}
        {operations(app, &judged.breakdown)}
        <details class="overview-more">
            <summary>{format!("{} rules were checked, {} of them could not be", RULES.len(), unchecked.len())}</summary>
            <dl class="checked">
                {listed.into_iter().map(|(t, why)| view! { <dt>{t}</dt><dd>{why}</dd> }).collect_view()}
            </dl>
        </details>
        <details class="overview-more">
            <summary>"What times cannot tell"</summary>
            <dl class="checked">
                {CANNOT_INFER
                    .iter()
                    .map(|(what, why, instead)| view! { <dt>{*what}</dt><dd>{format!("{why}. Instead: {instead}.")}</dd> })
                    .collect_view()}
            </dl>
        </details>
    }
    .into_any()
}

/// Where the time goes: the dearest operations, which are flagged, and what to consider first.
fn operations(app: App, breakdown: &Breakdown) -> Option<AnyView> {
    if breakdown.operations.is_empty() {
        return None;
    }
    let shown = breakdown.operations.len().min(OPERATIONS);
    let lines: Vec<AnyView> = breakdown.operations[..shown]
        .iter()
        .enumerate()
        .map(|(i, o)| {
            let flag = breakdown.flag(i);
            let rows = o.rows.clone();
            let cells = [
                crate::explain::percent(o.share_of_category),
                Seconds(o.time_s).to_string(),
                format!("{:.0}", o.calls),
                o.efficiency.map_or("unknown".to_owned(), |e| {
                    format!("{}, {}", crate::explain::percent(e), band(e))
                }),
                o.bound.clone().unwrap_or_else(|| "unknown".to_owned()),
            ];
            let verdict = flag.map(|b| {
                let why = format!("{}. {}", b.flags.join(", "), b.context.join(" "));
                let (class, text) = if b.validated {
                    (badge(b.priority), b.priority.label())
                } else {
                    ("badge low", b.dismissed)
                };
                view! { <span class=class title=why>{text}</span> }
            });
            view! {
                <tr>
                    <td class="operation">
                        <button type="button" class="link" title="Select its rows" on:click=move |_| app.select(&rows, false)>{o.problem.clone()}</button>
                        <span class="muted">{o.name.clone()}</span>
                    </td>
                    {cells.map(|c| view! { <td>{c}</td> })}
                    <td>{verdict}</td>
                </tr>
            }
            .into_any()
        })
        .collect();
    let more = breakdown.total - shown;
    Some(view! {
        <details class="overview-more operations">
            <summary>{format!("Where the time goes: {} operation{}", breakdown.total, if breakdown.total == 1 { "" } else { "s" })}</summary>
            <div class="wide">
                <table class="plain-table">
                    <thead><tr>
                        {["GEMM", "Share", "Time", "Calls", "Efficiency", "Limited by", "Flagged"]
                            .map(|h| view! { <th scope="col">{h}</th> })}
                    </tr></thead>
                    <tbody>{lines}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="muted">{format!("{more} more take less time each.")}</p> })}
            <p class="muted">"Flagged: over 50 ms, over 5 % of the GEMM time, or under 40 % of the roof. Priority: Critical over 15 % of the time and under 30 %; High over 10 % or under 40 %; Medium over 5 %."</p>
        </details>
    }
    .into_any())
}

fn badge(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "badge critical",
        Severity::High => "badge high",
        Severity::Medium => "badge medium",
        Severity::Low => "badge low",
    }
}

/// `10.2 ms to 10.5 ms (30.8 to 31.7 %)`.
fn back_text(f: &Finding, whole_s: f64) -> String {
    let Some((low, high)) = f.gives_back_s else {
        return "cannot be told from times".to_owned();
    };
    format!(
        "{} ({:.1} %)",
        report::range_text((low, high)),
        high / whole_s * 100.0
    )
}

/// A finding: its head always, its reasons where it is chosen.
fn card(app: App, index: usize, f: &Finding, whole_s: f64, whole: &str) -> AnyView {
    let open = app.finding.get() == Some(index);
    let share = f.gives_back_s.map_or(0.0, |b| b.1) / whole_s;
    let head = view! {
        <button type="button" class="finding-head" aria-expanded=open.to_string()
            on:click=move |_| app.choose_finding(index)>
            <span class="finding-rank">{index + 1}</span>
            <span class="finding-words">
                <span class="finding-title">{f.title.clone()}</span>
                <span class="finding-facts">
                    <span class=badge(f.severity)>{f.severity.label()}</span>
                    <span>{f.category.label()}</span>
                    {(f.time_s > 0.0).then(|| view! {
                        <span>{format!("holds {} ({:.1} % of the {whole})", Seconds(f.time_s), f.share * 100.0)}</span>
                    })}
                </span>
            </span>
            <span class="finding-back">
                <span class="finding-back-label">"could give back"</span>
                <strong>{back_text(f, whole_s)}</strong>
                <span class="finding-bar" aria-hidden="true">
                    <span style:width=format!("{:.2}%", (share * 100.0).clamp(0.0, 100.0))></span>
                </span>
            </span>
        </button>
    }
    .into_any();
    view! {
        <li class="finding" class:open=open data-rule=f.rule.clone()>
            {head}
            {open.then(|| reasons(app, f, Some(index)))}
        </li>
    }
    .into_any()
}

/// Why, how sure, what to do: the body of a finding.
///
/// `index` is the finding's number where its rows are to be listed too.
pub fn reasons(app: App, f: &Finding, index: Option<usize>) -> AnyView {
    let mut known = Vec::new();
    let mut part = |title: &'static str, text: &str, class: &'static str| {
        (!text.is_empty()).then(|| {
            view! { <div class=class><dt>{title}</dt><dd>{explained(app, text, &mut known)}</dd></div> }
                .into_any()
        })
    };
    let text = part("What", &f.text, "reason");
    let how = (!f.evidence.formula.is_empty()).then(|| {
        view! { <div class="reason"><dt>"How"</dt><dd><code>{f.evidence.formula.clone()}</code></dd></div> }
    });
    let sure = part("How sure", f.confidence.label(), "reason");
    let a = part(
        "Path A: the model or the algorithm",
        &f.path_a,
        "reason path",
    );
    let b = part("Path B: the kernel", &f.path_b, "reason path");
    let when = part(
        "Flagged because",
        crate::findings::rule(&f.rule).map_or("", |r| r.threshold),
        "reason",
    );
    let profile = part("What a profile would have to show", &f.profile, "reason");
    view! {
        <dl class="reasons">
            {text}{how}
            <div class="paths">{a}{b}</div>
            {when}{sure}{profile}
        </dl>
        {callers(app, f)}
        {index.map(|i| evidence(app, i, f))}
    }
    .into_any()
}

/// Who calls the finding's first row.
fn callers(app: App, f: &Finding) -> Option<AnyView> {
    let row = *f.evidence.rows.first()?;
    let stack = app
        .data
        .with_untracked(|d| crate::trace::call_stack(d, row as usize))?;
    call_stack(stack)
}

/// A call stack as nested lines: callers, the operation, what runs under it.
pub fn call_stack(stack: crate::trace::CallStack) -> Option<AnyView> {
    if stack.parents.is_empty() && stack.subtree.is_empty() {
        return (!stack.notes.is_empty())
            .then(|| view! { <p class="muted">{stack.notes}</p> }.into_any());
    }
    let line = |depth: usize, text: String, own: bool| {
        view! { <li class:own=own style:padding-left=format!("{}px", depth.min(12) * 12)>{text}</li> }
            .into_any()
    };
    let depth = stack.parents.len();
    let mut lines: Vec<AnyView> = stack
        .parents
        .into_iter()
        .enumerate()
        .map(|(i, p)| line(i, p, false))
        .collect();
    lines.push(line(depth, stack.operation, true));
    lines.extend(stack.subtree.into_iter().map(|s| line(depth + 1, s, false)));
    let fusion = stack
        .fusion_opportunity
        .then_some("The report marks it as a candidate for fusion.");
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

/// Filters to the rows of a finding.
fn filter_to(app: App, index: usize) {
    let found = app.found.get_untracked();
    if let Some(f) = found.and_then(|j| j.findings.findings.get(index).cloned()) {
        app.filter_to(&f.rule, &f.evidence.rows);
        // The button is gone with its card.
        dom::focus(".overview");
    }
}

/// What is filtered, over the sentences that hold for it alone.
fn filtered(app: App) -> impl IntoView {
    let words = Memo::new(move |_| {
        let filters = app.view.with(|v| v.filters.clone());
        (!filters.is_empty()).then(|| {
            let (rows, all) = (app.late.with(|f| f.rows.len()), app.data.with(|d| d.len()));
            let only = filters.only.as_ref().map(super::filters::only_of);
            format!(
                "Filtered: {} of {} rows{}",
                grouped(rows as u64),
                grouped(all as u64),
                only.map_or(String::new(), |w| format!(" ({w})"))
            )
        })
    });
    move || {
        words.get().map(|words| {
            view! {
                <p class="notice filtered" role="status">
                    {icon(icon::FILTER)}
                    <span>{words}</span>
                    <button type="button" class="button small" on:click=move |_| {
                        app.clear_filters();
                        dom::focus(".overview");
                    }>"Show all rows"</button>
                </p>
            }
        })
    }
}

/// The rows that a finding rests on.
fn evidence(app: App, index: usize, f: &Finding) -> Option<AnyView> {
    let rows = &f.evidence.rows;
    if rows.is_empty() {
        return None;
    }
    let one = rows.len() == 1;
    let lines: Vec<AnyView> = app.late.with_untracked(|frame| {
        rows.iter()
            .take(EVIDENCE)
            .filter(|r| (**r as usize) < frame.data.len())
            .map(|&row| {
                let r = row as usize;
                let data = &frame.data;
                let e = frame.metrics.efficiency(data, r);
                let file = data
                    .sources
                    .get(usize::from(data.source[r]))
                    .map_or("", |s| s.name.rsplit('/').next().unwrap_or_default());
                let cells = [
                    format!("{file}:{}", data.line[r]),
                    data.problem(r).to_string(),
                    Seconds(data.time_s[r]).to_string(),
                    format!("{}", data.count(r)),
                    crate::explain::percent(e),
                ];
                view! {
                    <tr>
                        <td><button type="button" class="link" on:click=move |_| app.select(&[row], false)>{cells[0].clone()}</button></td>
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
                    <h3>{format!("Evidence: {} row{}", rows.len(), if rows.len() == 1 { "" } else { "s" })}</h3>
                    <button type="button" class="button small" title="Every view shows only these rows, until you show all again or undo"
                        on:click=move |_| filter_to(app, index)>
                        {icon(icon::FILTER)}<span>{if one { "Filter to this row" } else { "Filter to these rows" }}</span>
                    </button>
                    <button type="button" class="button small" on:click=move |_| app.edit("view", |v| v.view = String::new())>
                        "Show in the roofline"
                    </button>
                    <button type="button" class="button small" on:click=move |_| app.edit("view", |v| v.view = "table".to_owned())>
                        "Show in the table"
                    </button>
                </div>
                <div class="wide">
                    <table class="plain-table">
                        <thead><tr>{["Place", "GEMM", "Time", "Calls", "Efficiency"].map(|h| view! { <th scope="col">{h}</th> })}</tr></thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
                {(more > 0).then(|| view! { <p class="muted">{format!("and {more} more")}</p> })}
            </section>
        }
        .into_any(),
    )
}

/// Documents of what shows now.
fn downloads(app: App) -> AnyView {
    let item = move |name: &'static str, mime: &'static str, hint: &'static str| {
        let save = move |_| {
            if let Some(text) = document(app, name) {
                dom::download(name, mime, text.as_bytes());
            }
        };
        view! { <button type="button" class="menu-item" on:click=save>{name}<span class="menu-side">{hint}</span></button> }
            .into_any()
    };
    view! {
        <Menu
            class="button"
            right=true
            name=Signal::derive(|| "Download the report".to_owned())
            label=|| view! { {icon(icon::SAVE)}<span>"Report"</span>{icon(icon::DOWN)} }
        >
            {item("report.html", "text/html", "with pictures, one file")}
            {item("report.md", "text/markdown", "everything")}
            {item("gemm_findings.md", "text/markdown", "the short form")}
            {item("findings.json", "application/json", "for machines")}
        </Menu>
    }
    .into_any()
}

fn document(app: App, name: &str) -> Option<String> {
    let judged = app.found.get_untracked()?;
    let frame = &judged.frame.0;
    if name == "gemm_findings.md" {
        return Some(report::gemm_findings_of(frame));
    }
    let full = Report::new(frame, &judged.findings);
    Some(match name {
        "report.html" => {
            let state = app.view.get_untracked();
            report::html(&full, &picture::for_report(frame, &state))
        }
        "report.md" => report::markdown(&full),
        _ => report::json(&full),
    })
}

/// One line over the roofline: what matters most, and the way to the rest.
#[component]
pub fn Insight() -> impl IntoView {
    let app = App::here();
    let line = move || {
        let judged = app.found.get()?;
        let first = judged.findings.findings.first()?;
        let n = judged.findings.findings.len();
        let on = app.finding.get() == Some(0);
        let back = first
            .gives_back_s
            .map(|b| format!("could give back {}", report::range_text(b)));
        Some(view! {
            <span class=badge(first.severity)>{first.severity.label()}</span>
            <button type="button" class="insight-text link" aria-pressed=on.to_string()
                title="Select its points" on:click=move |_| app.choose_finding(0)>
                {first.title.clone()}
            </button>
            {back.map(|b| view! { <span class="muted insight-back">{b}</span> })}
            <button type="button" class="button small" on:click=move |_| app.edit("view", |v| v.view = "overview".to_owned())>
                {match n { 1 => "Why".to_owned(), n => format!("All {n} findings") }}
            </button>
        })
    };
    // The line has its place before it is known: the chart under it must not move.
    view! { <div class="insight">{line}</div> }
}
