//! The ranked list beside the picture: findings, or the GEMMs that carry a number. Both carry the
//! numbers of the picture; what is pointed at in one is marked in the other.

use super::finding::back_text;
use super::report;
use crate::app::state::{FindingsResult, Shared, Shell, Workbench};
use crate::app::ui::{icon, rove, set_value_of, value_of};
use gemmscope_analysis::findings::{Checked, Finding};
use gemmscope_analysis::pareto::{Goal, other_time_s, rows_of, usual_goal, what_if};
use gemmscope_chart::picture::first_findings;
use gemmscope_chart::roofline::LABELS_KEY;
use gemmscope_model::units::{Seconds, grouped, percent, plural};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{Frame, shape_label};
use leptos::prelude::*;
use std::sync::Arc;

/// Rows that the picture marks at most while the pointer is over an entry.
const MARKED: usize = 500;
/// The setting of the efficiency to reach, shared with the picture of lost time.
const GOAL: &str = "pareto.efficiency";

/// The list.
#[component]
pub fn Ranked() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let gemms = Memo::new(move |_| {
        bench.view.with(|v| matches!(v.param(LABELS_KEY), Some("lost" | "time")))
    });
    // The entry that is pointed at may go away with the list.
    on_cleanup(move || drop(bench.hovered.try_set(Vec::new())));
    let mode = move |label: &'static str, value: &'static str, on: bool| {
        view! {
            <button type="button" class="segment" aria-pressed=move || (gemms.get() == on).to_string()
                on:click=move |_| bench.edit("control", |v| v.set_param(LABELS_KEY, value))>
                {label}
            </button>
        }
    };
    view! {
        <section class="ranked" aria-label="Ranked list">
            <header class="ranked-head">
                <div class="segments" role="group" aria-label="Rank">
                    {mode("Findings", "", false)}
                    {mode("GEMMs", "lost", true)}
                </div>
                {report::menu(shell, bench)}
            </header>
            <div class="ranked-list" tabindex="-1">
                {filtered(bench, "The findings compare only these.")}
                {move || if gemms.get() { numbered(bench) } else { findings(bench) }}
            </div>
            {foot(bench)}
        </section>
    }
}

/// Marks rows in the pictures while an entry is pointed at or focused.
fn mark(bench: Workbench, rows: &[u32]) {
    let mut rows: Vec<u32> = rows.iter().take(MARKED).copied().collect();
    rows.sort_unstable();
    bench.hovered.set(rows);
}

/// True while one of the rows is pointed at anywhere. `rows` ascending.
fn linked(bench: Workbench, rows: Arc<Vec<u32>>) -> Memo<bool> {
    Memo::new(move |_| bench.hovered.with(|h| h.iter().any(|r| rows.binary_search(r).is_ok())))
}

/// The findings, or why there are none.
fn findings(bench: Workbench) -> AnyView {
    let all = RwSignal::new(false);
    let empty = Memo::new(move |_| bench.settled_frame.with(|f| f.rows.is_empty()));
    let body = move || {
        if let Some(result) = bench.findings.get() {
            return list(bench, &result, all);
        }
        let rows = bench.settled_frame.with(|f| f.rows.len());
        let many = rows > crate::app::state::findings_task::AT_ONCE;
        if empty.get() {
            view! { <p class="ranked-note">{match bench.data.with_untracked(|d| d.is_empty()) {
                true => "No usable rows in what is open.",
                false => "No GEMM passes the filters.",
            }}</p> }
            .into_any()
        } else if many && !bench.asked.get() {
            view! {
                <p class="ranked-note">
                    <button type="button" class="button" on:click=move |_| bench.asked.set(true)>
                        {format!("Check {} rows", grouped(rows as u64))}
                    </button>
                </p>
            }
            .into_any()
        } else {
            view! { <p class="ranked-note" role="status">"Checking…"</p> }.into_any()
        }
    };
    body.into_any()
}

fn list(bench: Workbench, result: &FindingsResult, all: RwSignal<bool>) -> AnyView {
    let found = result.findings.clone();
    let total = found.findings.len();
    if total == 0 {
        return nothing_found(&found.checked);
    }
    let first = first_findings(&found);
    let entries = {
        let found = found.clone();
        move || {
            let chosen = bench.finding.get();
            let whole = all.get() || chosen.is_some_and(|c| c >= first);
            let shown = if whole { total } else { first };
            found.findings[..shown]
                .iter()
                .enumerate()
                .map(|(i, f)| finding(bench, i, f))
                .collect_view()
        }
    };
    let more = move || {
        (total > first && !all.get()).then(|| {
            view! {
                <button type="button" class="button small" on:click=move |_| all.set(true)>
                    {format!("Show all {total} findings")}
                </button>
            }
        })
    };
    let of = found.parts.first().map_or("time", |p| p.whole.label());
    let order = match found.parts.len() {
        0 | 1 => format!("possible saving (% of the {of})"),
        _ => format!("possible saving, of all sides (% of the side's {of})"),
    };
    let order = match found.findings[0].gives_back_s {
        None => format!("First what concerns the whole file, then by {order}"),
        Some(_) => format!("By {order}"),
    };
    view! {
        <p class="ranked-note order">{order}</p>
        <ol class="findings" on:keydown=move |e| rove(&e, ".finding-head")>{entries}</ol>
        {more}
    }
    .into_any()
}

/// That nothing was found, and how much of what can be checked that covers.
fn nothing_found(checked: &[Checked]) -> AnyView {
    let waiting: Vec<&str> = checked.iter().filter_map(|c| c.not_checked.as_deref()).collect();
    let ran = checked.len() - waiting.len();
    let words = match waiting.len() {
        0 => format!("No problems found by {}.", plural(ran as u64, "check")),
        n if ran == 0 => format!("No check could run: all {n} lack data."),
        n => {
            format!("Nothing found in {ran} of {} checks. The other {n} lack data.", checked.len())
        }
    };
    let device = waiting.iter().any(|w| w.contains("a device"));
    view! {
        <p class="ranked-note">{words}</p>
        {device.then(|| view! {
            <p class="ranked-note">"Choose a device to check efficiency, memory bandwidth, tiles and waves."</p>
        })}
    }
    .into_any()
}

/// An entry of the list: its number and words. It marks its rows while it is pointed at or focused,
/// and is marked while one of them is pointed at elsewhere. `rows` ascending.
fn entry(
    bench: Workbench,
    index: usize,
    rows: Vec<u32>,
    rule: Option<String>,
    chosen: Memo<bool>,
    choose: impl Fn() + 'static,
    words: AnyView,
) -> AnyView {
    let rows = Arc::new(rows);
    let linked = linked(bench, rows.clone());
    let focused = rows.clone();
    view! {
        <li class="finding" class:open=move || chosen.get() class:linked=move || linked.get() data-rule=rule>
            <button type="button" class="finding-head" aria-pressed=move || chosen.get().to_string()
                on:pointerenter=move |_| mark(bench, &rows)
                on:pointerleave=move |_| bench.hovered.set(Vec::new())
                on:focus=move |_| mark(bench, &focused)
                on:blur=move |_| bench.hovered.set(Vec::new())
                on:click=move |_| choose()>
                <span class="finding-rank">{index + 1}</span>
                <span class="finding-words">{words}</span>
            </button>
        </li>
    }
    .into_any()
}

/// One finding: what it is, how many rows it concerns, what a fix could save.
fn finding(bench: Workbench, index: usize, f: &Finding) -> AnyView {
    let chosen = Memo::new(move |_| bench.finding.get() == Some(index));
    let share = f.gives_back_s.map_or(0.0, |b| b.1) / f.whole_s;
    let mut rows = f.evidence.rows.clone();
    rows.sort_unstable();
    // A title that counts GEMMs says it already.
    let several = rows.len() > 1 && !f.title.contains("GEMM");
    let count = several.then(|| plural(rows.len() as u64, "GEMM"));
    let save = f.gives_back_s.is_some();
    // What is outside GEMMs has a time and no rows.
    let takes = rows.is_empty() && !save && f.time_s > 0.0;
    let takes = takes.then(|| Seconds(f.time_s).to_string());
    let of = format!("The percentage is of {}", Seconds(f.whole_s));
    let words = view! {
        <span class="finding-title">{f.heading()}</span>
        <span class="finding-facts">
            {save.then(|| view! { <span class="finding-back" title=of>"could save "<strong>{back_text(f)}</strong></span> })}
            {takes.map(|t| view! { <span class="finding-back">"takes "<strong>{t}</strong></span> })}
            {count.map(|c| view! { <span>{c}</span> })}
        </span>
        <span class="finding-bar" aria-hidden="true">
            <span style:width=format!("{:.2}%", (share * 100.0).clamp(0.0, 100.0))></span>
        </span>
    }
    .into_any();
    let choose = move || bench.choose_finding(index);
    entry(bench, index, rows, Some(f.rule.clone()), chosen, choose, words)
}

/// The GEMMs that carry a number, with what they lose.
fn numbered(bench: Workbench) -> AnyView {
    let entries = move || {
        // Before the numbered rows, which follow from it.
        let frame = bench.settled_frame.get();
        let rows = bench.numbered.get();
        let known = rows.into_iter().filter(|r| (*r as usize) < frame.data.len());
        known.enumerate().map(|(i, row)| gemm(bench, &frame, i, row)).collect_view()
    };
    view! { <ol class="findings" on:keydown=move |e| rove(&e, ".finding-head")>{entries}</ol> }
        .into_any()
}

/// One GEMM: its sizes, type and layout, efficiency, what it loses.
fn gemm(bench: Workbench, frame: &Frame, index: usize, row: u32) -> AnyView {
    let (data, r) = (&frame.data, row as usize);
    let p = data.problem(r);
    let chosen = Memo::new(move |_| bench.selected.with(|s| s.contains(&row)));
    let time = data.time_s[r] * frame.calls(r);
    let lost = time - frame.metrics.roof_s[r] * frame.calls(r);
    let efficiency = frame.metrics.efficiency(data, r);
    let facts = [
        format!("{} {}", p.op.types(), p.op.layout()),
        match efficiency.is_finite() {
            true => format!("{} of the roof", percent(efficiency)),
            false => Seconds(time).to_string(),
        },
    ];
    let lost = (lost > 0.0).then(|| format!("{} lost", Seconds(lost)));
    let words = view! {
        <span class="finding-title">{shape_label(p.m, p.n, p.k, p.batch)}</span>
        <span class="finding-facts">
            {facts.map(|f| view! { <span>{f}</span> })}
            {lost.map(|l| view! { <span class="finding-back"><strong>{l}</strong></span> })}
        </span>
    }
    .into_any();
    let choose = move || bench.select(&[row], false);
    entry(bench, index, vec![row], None, chosen, choose, words)
}

/// Says that filters are active, because the list holds for the filtered rows only.
/// `what` says what that means where it stands.
pub(crate) fn filtered(bench: Workbench, what: &'static str) -> impl IntoView {
    let words = Memo::new(move |old: Option<&Option<String>>| {
        // The rows follow the filters one paint later: until then the words stay.
        if bench.settled_frame.with(|f| bench.frame.with(|now| f != now)) {
            return old.cloned().flatten();
        }
        let filters = bench.view.with(|v| v.filters.clone());
        (!filters.is_empty()).then(|| {
            let (rows, all) =
                (bench.settled_frame.with(|f| f.rows.len()), bench.data.with(|d| d.len()));
            let only = filters.only.as_ref().map(crate::app::sidebar::filters::only_of);
            format!(
                "Filtered: {} of {} rows{}. {what}",
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
                    <button type="button" class="button small" on:click=move |_| bench.clear_filters()>"Show all rows"</button>
                </p>
            }
        })
    }
}

/// What reaching a goal would change.
#[derive(Clone, PartialEq)]
struct Goals {
    what: String,
    /// The goal, percent of the roof.
    percent: f64,
    result: String,
}

/// The foot: what it would give if the chosen finding's GEMMs, or all, reached an efficiency.
fn foot(bench: Workbench) -> AnyView {
    let wanted = Memo::new(move |_| {
        let typed = bench.view.with(|v| v.param(GOAL).and_then(|t| t.parse::<f64>().ok()));
        typed.filter(|p| *p > 0.0 && *p <= 100.0)
    });
    let goals = Memo::new(move |_| {
        let frame = bench.settled_frame.get();
        let found = bench.findings.get()?.findings;
        let chosen = bench.finding.get();
        goals_of(&frame, chosen.and_then(|i| Some((i, found.findings.get(i)?))), wanted.get())
    });
    let goals = Memo::new(move |_| goals.get().map(Shared::from));
    let typed = move |e: web_sys::Event| {
        if let Some(p) = value_of(&e).parse::<f64>().ok().filter(|p| *p > 0.0 && *p <= 100.0) {
            bench.edit("control", |v| v.set_param(GOAL, p.to_string()));
        } else {
            // No GEMM reaches this: the field says again what the sentence is about.
            let now = goals.with_untracked(|g| g.as_ref().map(|g| g.percent.to_string()));
            set_value_of(&e, &now.unwrap_or_default());
        }
    };
    let shown = Memo::new(move |_| goals.with(Option::is_some));
    view! {
        <Show when=move || shown.get()>
            <p class="ranked-foot" title="Each call keeps 2 µs for its launch. GEMMs that are better stay as they are.">
                <span>"If " {move || goals.get().map(|g| g.what.clone())} " reached "</span>
                <input type="number" min="1" max="100" aria-label="% of roof to reach"
                    prop:value=move || goals.get().map(|g| g.percent.to_string()) on:change=typed />
                <span>" % of the roof: "</span>
                <strong>{move || goals.get().map(|g| g.result.clone())}</strong>
            </p>
        </Show>
    }
    .into_any()
}

fn goals_of(
    frame: &Frame,
    chosen: Option<(usize, &Finding)>,
    wanted: Option<f64>,
) -> Option<Goals> {
    let counted = frame.counted();
    let side = match chosen {
        Some((_, f)) => counted.sides.iter().position(|s| s.label == f.side),
        None => (!counted.compares()).then_some(0),
    }?;
    let rows = match chosen {
        Some((_, f)) => f.evidence.rows.clone(),
        None => rows_of(frame, side).to_vec(),
    };
    let percent = wanted.unwrap_or_else(|| (100.0 * usual_goal(frame, side)).round());
    let goal = Goal::Efficiency(percent / 100.0);
    let effect = what_if(frame, side, &rows, &goal, other_time_s(frame));
    if effect.group_before_s <= 0.0 || effect.unknown_rows as usize == rows.len() {
        return None;
    }
    let limit = match effect.limit() {
        // Only what runs as one program gets faster as a whole.
        l if frame.kind() == DataKind::Workload && l.is_finite() && l < 1e6 => {
            format!(" (limit {l:.2}x)")
        }
        _ => String::new(),
    };
    let skipped = frame.data.sources.iter().any(|s| s.without_model.rows > 0);
    let without_roof = effect.unknown_rows > 0 || skipped;
    Some(Goals {
        percent,
        what: match chosen {
            Some((i, _)) => format!("the GEMMs of finding {}", i + 1),
            None if without_roof => "all GEMMs with a known roof".to_owned(),
            None => "all GEMMs".to_owned(),
        },
        result: match effect.speedup() {
            x if x < 1.005 => format!("{}, as now", Seconds(effect.before_s())),
            x => format!(
                "{} instead of {}, {x:.2}x faster{limit}",
                Seconds(effect.after_s()),
                Seconds(effect.before_s()),
            ),
        },
    })
}
