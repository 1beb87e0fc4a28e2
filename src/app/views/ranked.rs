//! The ranked list beside the picture: findings, or the numbered GEMMs. Both have the numbers of the picture, and
//! hovering one highlights the other.

use super::{report, story, trust};
use crate::app::state::findings_task::run_over;
use crate::app::state::{FIXED_KEY, FindingsResult, Shell, Workbench};
use crate::app::ui::{NARROW, icon, roving_tabindex, segment, watch_size};
use crate::web::{clock, dom};
use gemmscope_analysis::figures::figures;
use gemmscope_analysis::findings::{Category, Kind};
use gemmscope_analysis::trace_time::other_time_s;
use gemmscope_chart::picture::first_findings;
use gemmscope_chart::roofline::LABELS_KEY;
use gemmscope_model::units::{Seconds, grouped, percent, plural, rounded_percent, seconds_brief};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Frame, shape_label};
use gemmscope_table::view_state::ViewState;
use gemmscope_words::findings::{Checked, Finding};
use gemmscope_words::headline::{left_out, roofed};
use leptos::html::{Div, Ol};
use leptos::prelude::*;
use std::sync::Arc;

/// Maximum number of rows highlighted in the picture while an entry is hovered.
const MARKED: usize = 500;

/// The list.
#[component]
pub fn Ranked() -> impl IntoView {
    let shell = Shell::here();
    let bench = Workbench::here();
    let gemms = Memo::new(move |_| bench.view.with(|v| v.param(LABELS_KEY) == Some("lost")));
    let room = NodeRef::<Div>::new();
    // The hovered entry may disappear with the list.
    on_cleanup(move || drop(bench.hovered.try_set(Vec::new())));
    let mode = move |label: &'static str, value: &'static str, on: bool| {
        let choose = move || bench.edit(|v| v.set_param(LABELS_KEY, value));
        segment(label, move || gemms.get() == on, choose)
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
            <div class="ranked-list" tabindex="-1" node_ref=room>
                {filtered(bench, "Only these are counted; the runs that they are compared with may be among the others.")}
                {move || if gemms.get() { numbered(bench) } else { findings(bench, room) }}
            </div>
            {foot(bench)}
        </section>
    }
}

/// Highlights rows in the pictures while an entry is hovered or focused.
fn mark(bench: Workbench, rows: &[u32]) {
    let mut rows: Vec<u32> = rows.iter().take(MARKED).copied().collect();
    rows.sort_unstable();
    bench.hovered.set(rows);
}

/// True while one of these rows (ascending) is hovered anywhere.
fn linked(bench: Workbench, rows: Arc<Vec<u32>>) -> Memo<bool> {
    Memo::new(move |_| bench.hovered.with(|h| h.iter().any(|r| rows.binary_search(r).is_ok())))
}

/// The findings, or why there are none.
fn findings(bench: Workbench, room: NodeRef<Div>) -> AnyView {
    let all = RwSignal::new(false);
    let empty = Memo::new(move |_| bench.settled_frame.with(|f| f.rows.is_empty()));
    let body = move || {
        if let Some(result) = bench.findings.get() {
            return list(bench, &result, all, room);
        }
        let rows = bench.settled_frame.with(|f| f.rows.len());
        if empty.get() {
            view! { <p class="ranked-note">{match bench.data.with_untracked(|d| (d.is_blank(), d.is_empty())) {
                (true, _) => "No usable rows in what is open.",
                (_, true) => "The points have no sizes and no time, so nothing can be said beyond their share of the roof.",
                _ => "No row passes the filters.",
            }}</p> }
            .into_any()
        } else if !run_over(bench, rows) {
            view! {
                <p class="ranked-note">
                    <button type="button" class="button" on:click=move |_| bench.asked.set(true)>
                        {format!("Check {}", plural(rows as u64, "row"))}
                    </button>
                </p>
            }
            .into_any()
        } else {
            let words = move || match (bench.checking.get(), rows) {
                ("", _) | (_, ..20_000) => "Checking…".to_owned(),
                (now, _) => format!("Checking {}: {now}…", plural(rows as u64, "row")),
            };
            view! { <p class="ranked-note" role="status">{words}</p> }.into_any()
        }
    };
    body.into_any()
}

fn list(
    bench: Workbench,
    result: &FindingsResult,
    all: RwSignal<bool>,
    room: NodeRef<Div>,
) -> AnyView {
    let found = result.findings.clone();
    let total = found.findings.len();
    if total == 0 {
        return view! { {nothing_found(&found.checked)}{trust::card(&result.trust.0)}{story::more(bench, result)} }.into_any();
    }
    let list = NodeRef::<Ol>::new();
    let fit = fitting(room, list, (first_findings(&found), total));
    let chosen = Memo::new(move |_| bench.finding.get());
    // A chosen finding stays in the list when it closes.
    let whole =
        move || total <= fit.get() || all.get() || chosen.get().is_some_and(|c| c >= fit.get());
    let largest_s = found.findings.iter().filter_map(alone_s).fold(0.0, f64::max);
    let entries = move || {
        let shown = &found.findings[..if whole() { total } else { fit.get() }];
        let section = |i: usize| shown[i].section();
        let several = section(0) != section(shown.len() - 1);
        let one = |(i, f): (usize, &Finding)| {
            let begins = several && (i == 0 || section(i - 1) != section(i));
            let head =
                begins.then(|| view! { <li class="finding-section">{section(i).label()}</li> });
            view! { {head}{finding(bench, (i, f), largest_s, found.id_of(i))} }
        };
        shown.iter().enumerate().map(one).collect_view()
    };
    let toggle = move || {
        (total > fit.get()).then(|| {
            let words = match all.get() {
                false => format!("All {total} findings"),
                true => format!("Only the first {}", fit.get()),
            };
            view! {
                <button type="button" class="link" aria-expanded=move || all.get().to_string()
                    on:click=move |_| all.update(|a| *a = !*a)>{words}</button>
            }
        })
    };
    let lost: Vec<String> = lost_words(result);
    let lost = lost.join("; ");
    let behind = result.clone();
    let more = move || whole().then(|| story::more(bench, &behind));
    view! {
        <ol class="findings" node_ref=list on:keydown=move |e| roving_tabindex::keys_among(&e, ".finding-head")>{entries}</ol>
        <p class="ranked-sum">{toggle}<span class="muted" data-figure="lost">{lost}</span></p>
        {trust::card(&result.trust.0)}
        {more}
    }
    .into_any()
}

/// Number of findings that the room of the list holds beside what stands below them: at least `first`, at most `total`.
/// On a phone, whose whole page scrolls, `first`.
fn fitting(
    room: NodeRef<Div>,
    list: NodeRef<Ol>,
    (first, total): (usize, usize),
) -> RwSignal<usize> {
    let fit = RwSignal::new(first);
    let height = RwSignal::new(0.0);
    watch_size(room, move |_, h| height.set(h));
    // Entries that one more would hold, or fewer than 0 that are too many.
    let more = move |shown: usize| {
        let (room, list) = (room.try_get_untracked()??, list.try_get_untracked()??);
        let top = room.get_bounding_client_rect().top() - f64::from(room.scroll_top());
        let content = room.last_element_child()?.get_bounding_client_rect().bottom() - top;
        let each = f64::from(list.offset_height()) / shown as f64;
        Some(((f64::from(room.client_height()) - content) / each).floor())
    };
    Effect::new(move |_| {
        if height.get() < 1.0 || dom::media(NARROW) {
            return;
        }
        leptos::task::spawn_local(async move {
            // As many as would fit if all were alike, then one fewer while they do not.
            for step in 0..total {
                clock::after_paint().await;
                let shown = fit.try_get_untracked().unwrap_or(first);
                let Some(more) = more(shown).filter(|more| step == 0 || *more < 0.0) else {
                    return;
                };
                let more = if step == 0 { more } else { -1.0 };
                fit.try_set((shown as f64 + more).clamp(first as f64, total as f64) as usize);
            }
        });
    });
    fit
}

/// Sum of the findings of every side: `23.8 ms lost in all`; "at least" if a part has no roof.
fn lost_words(result: &FindingsResult) -> Vec<String> {
    let ledger = &result.findings.ledger;
    let lost = ledger.books.iter().filter(|b| b.lost_s() > 0.0);
    lost.map(|b| {
        let known = (roofed(b) + &left_out(b)).is_empty() || !b.scatter.is_empty();
        let least = if known { "" } else { "at least " };
        let words = format!("{least}{} lost", seconds_brief(b.lost_s()));
        match b.name.as_str() {
            "" => words + " in all",
            _ => b.named(&words),
        }
    })
    .collect()
}

/// Says that nothing was found, and how many rules could run.
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

#[allow(clippy::too_many_arguments, reason = "two callers; a struct would only rename them")]
/// An entry of the list: number and words. It highlights its rows (ascending) while hovered or focused, and is
/// highlighted while one of them is hovered elsewhere.
fn entry(
    bench: Workbench,
    index: usize,
    rows: Vec<u32>,
    rule: Option<String>,
    chosen: Memo<bool>,
    choose: impl Fn() + 'static,
    (words, value): (AnyView, AnyView),
    tick: AnyView,
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
                {value}
            </button>
            {tick}
        </li>
    }
    .into_any()
}

/// The lost time that a finding saves alone, seconds.
fn alone_s(f: &Finding) -> Option<f64> {
    f.alone_s.filter(|_| f.kind == Kind::Lost)
}

/// A finding's share in the ledger, if it differs from its saving alone.
fn split_words(f: &Finding) -> String {
    match (f.split_s, f.alone_s) {
        (Some(split), Some(alone)) if split < alone * (1.0 - SAME) => {
            format!(" · split {}", seconds_brief(split))
        }
        _ => String::new(),
    }
}

/// Relative difference below which two figures count as equal.
const SAME: f64 = 1e-3;

/// True if a finding is ticked as fixed.
fn is_fixed(view: &ViewState, id: &str) -> bool {
    view.param(FIXED_KEY).is_some_and(|ids| ids.split(',').any(|one| one == id))
}

/// One finding: its title, its saving alone, and a bar of that, relative to `largest_s`.
fn finding(bench: Workbench, (index, f): (usize, &Finding), largest_s: f64, id: String) -> AnyView {
    let chosen = Memo::new(move |_| bench.finding.get() == Some(index));
    let share = alone_s(f).map_or(0.0, |s| s / f.whole_s);
    let length = alone_s(f).map_or(0.0, |s| s / largest_s);
    let mut rows = f.evidence.rows.clone();
    rows.sort_unstable();
    let save = f.alone_s.map(seconds_brief);
    // Time outside GEMMs has no rows.
    let takes = rows.is_empty() && save.is_none() && f.time_s > 0.0;
    let takes = takes.then(|| seconds_brief(f.time_s));
    let of = format!("{} of {}", rounded_percent(share), seconds_brief(f.whole_s));
    let hint = f.saves().map_or_else(|| of.clone(), |saves| format!("{saves}: {of}"));
    let alone = (f.kind == Kind::Lost).then(|| view! { <span class="muted">" alone"</span> });
    // The count is below the title.
    let heading = f.heading();
    let counted = f.title.rsplit_once(": ").filter(|_| f.kind == Kind::Lost);
    let gemms = counted.map_or_else(|| plural(f.groups, "GEMM"), |(_, gemms)| gemms.to_owned());
    let title = heading.strip_suffix(&format!(": {gemms}")).unwrap_or(&heading).to_owned();
    let basis = match f.kind {
        Kind::Lost => format!("{gemms} · {}{}", f.basis.label(), split_words(f)),
        Kind::Idea => format!("{gemms} · an idea: it changes the roof"),
        Kind::Question => {
            let about = if f.category == Category::Timeline { "program" } else { "data" };
            let of = if about == "data" && f.groups > 0 {
                gemms.clone() + " · "
            } else {
                String::new()
            };
            format!("{of}about the {about}")
        }
    };
    let words = view! {
        <span class="finding-title">{title}</span>
        <span class="finding-facts">{basis}</span>
        <span class="finding-try">{first_sentence(f.path())}</span>
    }
    .into_any();
    let value = view! {
        <span class="finding-value" title=hint>
            {save.or(takes).map(|s| view! { <span class="finding-back"><strong>{s}</strong>{alone}</span> })}
            {(share > 0.0).then(|| view! {
                <span class="finding-bar" data-account=f.rule.clone() aria-hidden="true">
                    <span style:width=format!("{:.2}%", 100.0 * length)></span>
                </span>
            })}
        </span>
    }
    .into_any();
    let choose = move || bench.choose_finding(index);
    let tick = (f.kind == Kind::Lost).then(|| {
        let ticked = id.clone();
        let on = move |_| {
            bench.edit(|v| {
                let others = v.param(FIXED_KEY).unwrap_or_default().split(',');
                let mut ids: Vec<&str> = others.filter(|one| *one != id && !one.is_empty()).collect();
                if !is_fixed(v, &id) {
                    ids.push(&id);
                }
                v.set_param(FIXED_KEY, ids.join(","));
            });
        };
        let checked = move || bench.view.with(|v| is_fixed(v, &ticked));
        view! {
            <label class="finding-fix" title="Tick what you would fix: what is left is in the bar, and below the list">
                "if fixed"
                <input type="checkbox" aria-label=format!("If finding {} were fixed", index + 1) prop:checked=checked on:change=on />
            </label>
        }
    });
    entry(bench, index, rows, Some(f.rule.clone()), chosen, choose, (words, value), tick.into_any())
}

/// A text up to its first full stop.
fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or_else(|| text.to_owned(), |(first, _)| format!("{first}."))
}

/// The numbered GEMMs, with their losses.
fn numbered(bench: Workbench) -> AnyView {
    let entries = move || {
        // Read before the numbered rows, which depend on it.
        let frame = bench.settled_frame.get();
        let rows = bench.numbered.get();
        let known = rows.into_iter().filter(|r| (*r as usize) < frame.data.len());
        known.enumerate().map(|(i, row)| gemm(bench, &frame, i, row)).collect_view()
    };
    let heading = move || {
        let (shown, all) =
            (bench.numbered.with(Vec::len), bench.settled_frame.with(|f| f.rows.len()));
        let of = match shown < all {
            true => format!("{} of {}", grouped(shown as u64), grouped(all as u64)),
            false => grouped(all as u64),
        };
        format!("Lost time of the {of} rows that lose most. The table has all.")
    };
    view! {
        <p class="ranked-note muted">{heading}</p>
        <ol class="findings" on:keydown=move |e| roving_tabindex::keys_among(&e, ".finding-head")>{entries}</ol>
    }
    .into_any()
}

/// One row: sizes, who made it, type and layout, efficiency, loss.
fn gemm(bench: Workbench, frame: &Frame, index: usize, row: u32) -> AnyView {
    let x = figures(frame, row as usize);
    let p = x.problem;
    let chosen = Memo::new(move |_| bench.selected.with(|s| s.contains(&row)));
    let facts = [
        format!("{} {}", p.op.types(), p.op.layout()),
        match x.share.is_finite() {
            true => format!("{} of roof", percent(x.share)),
            false => Seconds(x.time_s * x.calls).to_string(),
        },
    ];
    let stated = !frame.data.text(ColumnMeaning::Library, row as usize).is_empty();
    let maker = (stated || frame.data.sources.len() > 1).then(|| frame.maker(row as usize));
    let maker = maker.map(|maker| view! { <span>{maker}</span> });
    let words = view! {
        <span class="finding-title">{shape_label(&p)}</span>
        <span class="finding-facts">
            {maker}
            {facts.map(|f| view! { <span>{f}</span> })}
        </span>
    }
    .into_any();
    let value = (x.lost_s > 0.0).then(|| {
        view! { <span class="finding-value" title="Lost"><span class="finding-back"><strong>{seconds_brief(x.lost_s)}</strong></span></span> }
    });
    let choose = move || bench.select(&[row], false);
    entry(bench, index, vec![row], None, chosen, choose, (words, value.into_any()), ().into_any())
}

/// Notice that filters are active, so the list covers only the filtered rows; `what` words the consequence.
pub(crate) fn filtered(bench: Workbench, what: &'static str) -> impl IntoView {
    let words = Memo::new(move |old: Option<&Option<String>>| {
        // The rows follow the filters one paint later; until then the notice stays.
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

/// The footer: the total once the ticked findings are fixed together; without any, a note that figures overlap.
fn foot(bench: Workbench) -> AnyView {
    let words = move || {
        let found = bench.findings.get()?.findings;
        let Some(ticked) = bench.ticked.get() else {
            let several = found.findings.iter().filter(|f| f.kind == Kind::Lost).count() > 1;
            return several.then(|| OVERLAP.to_owned());
        };
        let other_s = bench.settled_frame.with(|f| match f.kind() {
            DataKind::Workload => other_time_s(f),
            _ => 0.0,
        });
        found.fixed(&ticked.indices, &ticked.left, other_s)
    };
    view! { <p class="ranked-foot" role="status">{words}</p> }.into_any()
}

/// Note that the figures do not add up.
const OVERLAP: &str =
    "What each saves alone overlaps: tick several to see what they save together.";
