//! The overview: the most important results in three sentences, then the ranked findings with their
//! reasons.

use crate::app::state::{FindingsResult, Shell, Workbench};
use crate::app::ui::terms::explained;
use crate::app::ui::{Menu, icon};
use crate::web::dom;
use gemmscope_analysis::findings::{Finding, RULES, Severity, band};
use gemmscope_analysis::replay::bulk;
use gemmscope_analysis::report;
use gemmscope_analysis::report::{Breakdown, CANNOT_INFER, Report};
use gemmscope_chart::picture;
use gemmscope_model::units::{Seconds, grouped};
use leptos::prelude::*;

/// How many findings show before "show all".
const FIRST: usize = 8;
/// How many operations are listed.
const OPERATIONS: usize = 20;
/// How many rows of evidence are listed.
const EVIDENCE: usize = 12;

/// The page of findings.
#[component]
pub fn Overview() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let all = RwSignal::new(false);
    let empty = Memo::new(move |_| bench.settled_frame.with(|f| f.rows.is_empty()));
    let body = move || match bench.findings.get() {
        Some(result) => page(shell, bench, &result, all),
        None => {
            let text = if empty.get() {
                "No row passes the filters."
            } else {
                "Looking for what matters…"
            };
            view! { <p class="overview-wait" role="status">{text}</p> }.into_any()
        }
    };
    view! {
        <div class="overview" tabindex="0" aria-label="Overview">
            <div class="overview-page">{filtered(bench)}{body}</div>
        </div>
    }
}

fn page(shell: Shell, bench: Workbench, result: &FindingsResult, all: RwSignal<bool>) -> AnyView {
    let mut known = Vec::new();
    let found = result.findings.clone();
    let lead: Vec<AnyView> = result
        .sentences
        .iter()
        .map(|s| view! { <p>{explained(shell.terms, s, &mut known)}</p> }.into_any())
        .collect();
    let assumed = (!result.assumptions.is_empty()).then(|| {
        view! { <p class="muted assumed">"Assumed: "{result.assumptions.join(" ")}</p> }
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
            let chosen = bench.finding.get();
            let shown = if all.get() || chosen.is_some_and(|c| c >= FIRST) {
                total
            } else {
                total.min(FIRST)
            };
            found.findings[..shown]
                .iter()
                .enumerate()
                .map(|(i, f)| card(shell, bench, i, f))
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
    // First the rules that could not be checked, then those that found nothing, with their
    // threshold.
    let quiet =
        |c: &&gemmscope_analysis::findings::Checked| c.not_checked.is_none() && c.findings == 0;
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
                {downloads(shell, bench)}
                <label class="check">
                    <input type="checkbox" prop:checked=move || shell.terms.get()
                        on:change=move |_| shell.set_terms(!shell.terms.get_untracked()) />
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
        {operations(bench, &result.breakdown)}
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

/// The operations that take the most time: which are flagged, and which to look at first.
fn operations(bench: Workbench, breakdown: &Breakdown) -> Option<AnyView> {
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
                gemmscope_model::units::percent(o.share_of_category),
                Seconds(o.time_s).to_string(),
                format!("{:.0}", o.calls),
                o.efficiency.map_or("unknown".to_owned(), |e| {
                    format!("{}, {}", gemmscope_model::units::percent(e), band(e))
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
                        <button type="button" class="link" title="Select its rows" on:click=move |_| bench.select(&rows, false)>{o.problem.clone()}</button>
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

/// The time that a fix could save: `10.2 ms to 10.5 ms (30.8 to 31.7 %)`.
fn back_text(f: &Finding) -> String {
    let Some((low, high)) = f.gives_back_s else {
        return "cannot be told from times".to_owned();
    };
    format!(
        "{} ({:.1} %)",
        report::range_text((low, high)),
        high / f.whole_s * 100.0
    )
}

/// A finding: always its head, and its reasons where it is chosen.
fn card(shell: Shell, bench: Workbench, index: usize, f: &Finding) -> AnyView {
    let open = bench.finding.get() == Some(index);
    let share = f.gives_back_s.map_or(0.0, |b| b.1) / f.whole_s;
    let head = view! {
        <button type="button" class="finding-head" aria-expanded=open.to_string()
            on:click=move |_| bench.choose_finding(index)>
            <span class="finding-rank">{index + 1}</span>
            <span class="finding-words">
                <span class="finding-title">{f.heading()}</span>
                <span class="finding-facts">
                    <span class=badge(f.severity)>{f.severity.label()}</span>
                    <span>{f.category.label()}</span>
                    {(f.time_s > 0.0).then(|| view! {
                        <span>{format!("takes {} ({:.1} %)", Seconds(f.time_s), f.share * 100.0)}</span>
                    })}
                </span>
            </span>
            <span class="finding-back">
                <span class="finding-back-label">"could save"</span>
                <strong>{back_text(f)}</strong>
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
            {open.then(|| reasons(shell, bench, f, Some(index)))}
        </li>
    }
    .into_any()
}

/// The body of a finding: why, how sure, what to do.
///
/// `index` is the number of the finding where its rows are listed as well.
pub fn reasons(shell: Shell, bench: Workbench, f: &Finding, index: Option<usize>) -> AnyView {
    let mut known = Vec::new();
    let mut part = |title: &'static str, text: &str, class: &'static str| {
        (!text.is_empty()).then(|| {
            view! { <div class=class><dt>{title}</dt><dd>{explained(shell.terms, text, &mut known)}</dd></div> }
                .into_any()
        })
    };
    let text = part("What", &f.text, "reason");
    let how = (!f.evidence.formula.is_empty()).then(|| {
        view! { <div class="reason"><dt>"How"</dt><dd><code>{f.evidence.formula.clone()}</code></dd></div> }
    });
    let also: Vec<AnyView> = f
        .also
        .iter()
        .map(|a| {
            let (title, formula) = (a.title.clone(), a.formula.clone());
            view! {
                <div class="reason"><dt>"Also seen here"</dt><dd>{title}" "<code>{formula}</code></dd></div>
            }
            .into_any()
        })
        .collect();
    let sure = part("How sure", f.confidence.label(), "reason");
    let a = part(
        "Path A: the model or the algorithm",
        &f.path_a,
        "reason path",
    );
    let b = part("Path B: the kernel", &f.path_b, "reason path");
    let when = part(
        "Flagged because",
        gemmscope_analysis::findings::rule(&f.rule).map_or("", |r| r.threshold),
        "reason",
    );
    let profile = part("What a profile would have to show", &f.profile, "reason");
    view! {
        <dl class="reasons">
            {text}{how}{also}
            <div class="paths">{a}{b}</div>
            {when}{sure}{profile}
        </dl>
        {callers(bench, f)}
        {index.map(|i| evidence(bench, i, f))}
    }
    .into_any()
}

/// The call stack of the finding's first row.
fn callers(bench: Workbench, f: &Finding) -> Option<AnyView> {
    let row = *f.evidence.rows.first()?;
    let stack = bench
        .data
        .with_untracked(|d| gemmscope_table::trace::call_stack(d, row as usize))?;
    call_stack(stack)
}

/// A call stack as indented lines: callers, the operation, what runs under it.
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

/// Shows only the rows of a finding.
fn filter_to(bench: Workbench, index: usize) {
    let found = bench.findings.get_untracked();
    if let Some(f) = found.and_then(|r| r.findings.findings.get(index).cloned()) {
        bench.filter_to(&f.rule, &f.evidence.rows);
        // The button that had the focus is gone together with its finding.
        dom::focus(".overview");
    }
}

/// Says that filters are active, because all sentences hold for the filtered rows only.
fn filtered(bench: Workbench) -> impl IntoView {
    let words = Memo::new(move |_| {
        let filters = bench.view.with(|v| v.filters.clone());
        (!filters.is_empty()).then(|| {
            let (rows, all) = (
                bench.settled_frame.with(|f| f.rows.len()),
                bench.data.with(|d| d.len()),
            );
            let only = filters
                .only
                .as_ref()
                .map(crate::app::sidebar::filters::only_of);
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
                        bench.clear_filters();
                        dom::focus(".overview");
                    }>"Show all rows"</button>
                </p>
            }
        })
    }
}

/// The rows behind a finding.
fn evidence(bench: Workbench, index: usize, f: &Finding) -> Option<AnyView> {
    let rows = &f.evidence.rows;
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
                let e = frame.metrics.efficiency(data, r);
                let file = data
                    .sources
                    .get(usize::from(data.source[r]))
                    .map_or("", |s| s.name.rsplit('/').next().unwrap_or_default());
                let cells = [
                    format!("{file}:{}", data.line[r]),
                    data.problem(r).to_string(),
                    Seconds(data.time_s[r]).to_string(),
                    format!("{}", frame.calls(r)),
                    gemmscope_model::units::percent(e),
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
                    <h3>{format!("Evidence: {} row{}", rows.len(), if rows.len() == 1 { "" } else { "s" })}</h3>
                    <button type="button" class="button small" title="Every view shows only these rows, until you show all again or undo"
                        on:click=move |_| filter_to(bench, index)>
                        {icon(icon::FILTER)}<span>{if one { "Filter to this row" } else { "Filter to these rows" }}</span>
                    </button>
                    <button type="button" class="button small" on:click=move |_| bench.edit("view", |v| v.view = String::new())>
                        "Show in the roofline"
                    </button>
                    <button type="button" class="button small" on:click=move |_| bench.edit("view", |v| v.view = "table".to_owned())>
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

/// The menu that saves the report.
fn downloads(shell: Shell, bench: Workbench) -> AnyView {
    let item = move |name: &'static str, mime: &'static str, hint: &'static str| {
        let save = move |_| {
            if let Some(text) = document(bench, name) {
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
            <button type="button" class="menu-item" on:click=move |_| replays(shell, bench)>
                "replays.tar"<span class="menu-side">"scripts that check and time each finding"</span>
            </button>
        </Menu>
    }
    .into_any()
}

/// Downloads a script for each finding.
fn replays(shell: Shell, bench: Workbench) {
    let Some(result) = bench.findings.get_untracked() else {
        return;
    };
    let wanted = bulk::of_findings(&result.frame, &result.findings);
    let made = bulk::bulk(&result.frame, &wanted);
    if made.files.is_empty() {
        shell.say("No finding is about a GEMM that can be replayed");
        return;
    }
    dom::download(
        "replays.tar",
        "application/x-tar",
        &bulk::archive(&made.files),
    );
}

fn document(bench: Workbench, name: &str) -> Option<String> {
    let result = bench.findings.get_untracked()?;
    let frame = &result.frame;
    if name == "gemm_findings.md" {
        return Some(report::gemm_findings_of(frame));
    }
    let full = Report::new(frame, &result.findings);
    Some(match name {
        "report.html" => {
            let state = bench.view.get_untracked();
            report::html(&full, &picture::for_report(frame, &state))
        }
        "report.md" => report::markdown(&full),
        _ => report::json(&full),
    })
}

/// One line over the roofline: the first finding, and a button to all of them.
#[component]
pub fn Insight() -> impl IntoView {
    let bench = Workbench::here();
    let line = move || {
        let result = bench.findings.get()?;
        let first = result.findings.findings.first()?;
        let n = result.findings.findings.len();
        let on = bench.finding.get() == Some(0);
        let back = first
            .gives_back_s
            .map(|b| format!("could save {}", report::range_text(b)));
        Some(view! {
            <span class=badge(first.severity)>{first.severity.label()}</span>
            <button type="button" class="insight-text link" aria-pressed=on.to_string()
                title="Select its points" on:click=move |_| bench.choose_finding(0)>
                {first.title.clone()}
            </button>
            {back.map(|b| view! { <span class="muted insight-back">{b}</span> })}
            <button type="button" class="button small" on:click=move |_| bench.edit("view", |v| v.view = "overview".to_owned())>
                {match n { 1 => "Why".to_owned(), n => format!("All {n} findings") }}
            </button>
        })
    };
    // The empty line keeps its height, so that the chart below does not move when it fills.
    view! { <div class="insight">{line}</div> }
}
