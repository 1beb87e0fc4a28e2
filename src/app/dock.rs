//! The dock: details of the selected rows, below the picture or over a part of it away from the pointer. Nothing moves
//! when it opens.

mod accounts;
mod model_row;
mod replay;
mod row;

use crate::app::state::{Shared, Shell, Workbench};
use crate::app::ui::{icon, icon_button, segment, value_of};
use crate::app::views::finding;
use crate::web::dom;
use gemmscope_analysis::names::roof_name;
use gemmscope_analysis::same_sizes::{SameSizes, same_sizes};
use gemmscope_chart::places::SUMMARY;
use gemmscope_model::units::{Seconds, and_more, percent, plural};
use gemmscope_table::field::Frame;
use gemmscope_words::explain::explain;
use leptos::prelude::*;

/// Maximum number of selected rows listed one by one.
const LISTED: usize = 200;
/// Maximum number of rows with the same sizes listed.
const SAME_SIZES: usize = 8;
/// Maximum number of findings on a row listed.
const FINDINGS: usize = 4;

/// State of the dock. Copying it copies handles.
#[derive(Clone, Copy)]
struct Details {
    shell: Shell,
    bench: Workbench,
    /// Number of selected rows.
    count: Memo<usize>,
    /// True with a selected row, or a chosen finding: one about the time outside GEMMs has no rows.
    any: Memo<bool>,
    /// The picked index, with the selection that it belongs to.
    picked: RwSignal<Option<(Vec<u32>, usize)>>,
    /// Index of the selected row shown, the row, and whether the user wants all side by side.
    shown: Memo<usize>,
    row: Memo<Option<u32>>,
    together: RwSignal<bool>,
    /// Several rows are shown side by side.
    beside: Memo<bool>,
    folded: RwSignal<bool>,
    /// The dock is taller, over the picture.
    tall: RwSignal<bool>,
}

impl Details {
    fn here() -> Details {
        let bench = Workbench::here();
        let picked = RwSignal::new(None::<(Vec<u32>, usize)>);
        let start = started(bench);
        let shown = Memo::new(move |_| {
            picked.with(|p| match p {
                Some((of, i)) if bench.selected.with(|s| s == of) => *i,
                _ => start.with(|s| s.1),
            })
        });
        let count = Memo::new(move |_| bench.selected.with(Vec::len));
        let together = RwSignal::new(false);
        Details {
            shell: Shell::here(),
            bench,
            count,
            any: Memo::new(move |_| count.get() > 0 || bench.finding.get().is_some()),
            picked,
            shown,
            row: Memo::new(move |_| bench.selected.with(|s| s.get(shown.get()).copied())),
            together,
            beside: Memo::new(move |_| together.get() && count.get() > 1),
            folded: RwSignal::new(false),
            tall: RwSignal::new(false),
        }
    }

    /// When the user goes to another place, the details fold so as not to cover it.
    fn fold_elsewhere(self) {
        let Details { bench, folded, .. } = self;
        let place = Memo::new(move |_| bench.shown.get().place);
        Effect::new(move |before: Option<_>| {
            // A filter that removes rows from a selection opens nothing.
            let opened = (bench.picks.get(), bench.finding.get());
            let now = (place.get(), opened);
            if let Some((was, opened)) = before {
                // Adding files may lead to another place and renumber the rows.
                if was != now.0 {
                    folded.set(now.0 != SUMMARY);
                } else if opened != now.1 {
                    folded.set(false);
                }
            }
            now
        });
    }

    fn pick(self, i: usize) {
        self.together.set(false);
        self.picked.set(Some((self.bench.selected.get_untracked(), i)));
    }

    fn title(self) -> String {
        match self.count.get() {
            0 => "Finding".to_owned(),
            n => plural(n as u64, "row"),
        }
    }
}

/// The dock; empty if nothing is selected.
#[component]
pub fn Dock() -> impl IntoView {
    let details = Details::here();
    details.fold_elsewhere();
    let Details { shell, bench, any, beside, folded, tall, .. } = details;
    let read = model_row::read(bench);
    // Opening is announced, as the focus stays where it is.
    let opened = move || {
        any.get().then(|| format!("Details are open: {}. The key I goes there.", details.title()))
    };
    view! {
        <p class="visually-hidden" aria-live="polite">{opened}</p>
        <Show when=move || any.get()>
            <aside class="dock" class:folded=move || folded.get() class:tall=move || tall.get() data-side=move || shell.dock_side.get()
                style:--dock-top=move || format!("{}px", shell.dock_top.get()) aria-label=move || details.title()>
                {head(details)}
                <Show when=move || !folded.get()>
                <Show
                    when=move || beside.get()
                    fallback=move || view! {
                        <div class="dock-body" tabindex="0" role="region" aria-label="Details">
                            {move || chosen(bench)}
                            <div class="dock-columns">{move || explained(details, read)}</div>
                        </div>
                    }
                >
                    {move || accounts::together(bench)}
                </Show>
                </Show>
            </aside>
        </Show>
    }
}

/// Title of the selection, and the buttons of the dock.
fn head(details: Details) -> AnyView {
    let Details { shell, bench, count, folded, tall, .. } = details;
    let filter = move || {
        (count.get() > 0).then(|| {
            icon_button(icon::FILTER, "Filter to what is selected", move || only_selected(bench))
        })
    };
    let heighten = move |_| {
        tall.update(|t| *t = !*t);
        // Below the header lines, however many sides they have.
        if let Some(top) = dom::top_within(".panes", "#main") {
            shell.dock_top.set(top);
        }
    };
    view! {
        <header class="dock-head">
            <h2>{move || details.title()}</h2>
            <div class="detail-tabs" role="group" aria-label="Selected rows">{move || tabs(details)}</div>
            {filter}
            // Of these two one is shown, at the same place.
            <button type="button" class="icon-button unfold" aria-label="Show the details" title="Show the details"
                hidden=move || !folded.get() on:click=move |_| folded.set(false)>{icon(icon::UP)}</button>
            <button type="button" class="icon-button heighten" aria-label="More room for the details" title="More room for the details"
                aria-pressed=move || tall.get().to_string() hidden=move || folded.get() on:click=heighten>
                {move || icon(if tall.get() { icon::DOWN } else { icon::UP })}
            </button>
            {icon_button(icon::CROSS, "Close the details (Esc)", move || close(bench))}
        </header>
    }
    .into_any()
}

/// With several rows: tabs that choose one, or all side by side.
fn tabs(details: Details) -> Option<AnyView> {
    let Details { bench, shown, together, beside, .. } = details;
    let n = details.count.get();
    (n > 1).then(|| {
        let frame = bench.frame.get();
        let rows = bench.selected.get().into_iter().map(|row| row as usize);
        let known = rows.filter(|row| *row < frame.data.len());
        let names = known.take(LISTED).map(|row| frame.data.problem(row).to_string());
        let option = |(i, name)| {
            let words = format!("{} of {n}: {name}", i + 1);
            view! { <option value=i selected=move || shown.get() == i>{words}</option> }
        };
        view! {
            {segment("Side by side", move || beside.get(), move || together.update(|t| *t = !*t))}
            <select class="number-tab" aria-label="Row to show" disabled=move || beside.get()
                on:change=move |e| details.pick(value_of(&e).parse().unwrap_or_default())>
                {names.enumerate().map(option).collect_view()}
            </select>
            {(n > LISTED).then(|| view! { <span class="muted">{and_more(n - LISTED)}</span> })}
        }
        .into_any()
    })
}

/// The chosen finding.
fn chosen(bench: Workbench) -> Option<AnyView> {
    // Read before `bench.finding`, which depends on it.
    let found = bench.findings.get()?.findings;
    let i = bench.finding.get()?;
    if bench.view.with(|v| !v.selection.is_empty()) {
        return None;
    }
    let f = found.findings.get(i)?;
    Some(
        view! {
            <section class="dock-finding">
                <h3><span class="finding-rank">{i + 1}</span>" "{f.heading()}" "<span class="finding-kind">{f.category.label()}</span></h3>
                {finding::reasons(bench, f, Some(i))}
            </section>
        }
        .into_any(),
    )
}

/// Details of the row shown.
fn explained(details: Details, read: Memo<Shared<Option<model_row::Read>>>) -> Option<AnyView> {
    let Details { shell, bench, .. } = details;
    let row = details.row.get()?;
    let frame = bench.frame.get();
    ((row as usize) < frame.data.len()).then(|| {
        let stack = gemmscope_table::trace::call_stack(&frame.data, row as usize)
            .and_then(finding::call_stack);
        row::explanation(
            explain(&frame, row as usize),
            roof_name(frame.metrics.kind_of(&frame.data, row as usize)),
            row::Beside {
                accounts: accounts::bar(bench, &frame, row),
                same_sizes: same_sizes_section(bench, &frame, row),
                model: model_row::section(bench, read, &frame, row as usize),
                findings: findings_on(bench, row),
                stack,
                tools: replay::section(shell, &frame, row as usize),
            },
        )
    })
}

/// The initial row of a selection: the one added last, else the first.
fn started(bench: Workbench) -> Memo<(Vec<u32>, usize)> {
    Memo::new(move |before: Option<&(Vec<u32>, usize)>| {
        let now = bench.selected.get();
        let start = match before {
            Some((was, i)) if *was == now => *i,
            Some((was, _))
                if !was.is_empty() && was.len() + 1 == now.len() && now.starts_with(was) =>
            {
                was.len()
            }
            _ => 0,
        };
        (now, start)
    })
}

/// Closes the dock and moves the focus to the picture.
fn close(bench: Workbench) {
    bench.deselect();
    dom::focus(".chart-stage");
}

/// Rows of the same sizes in other layouts, types, libraries and files.
fn same_sizes_section(bench: Workbench, frame: &Frame, row: u32) -> Option<AnyView> {
    let SameSizes { rows, total } = same_sizes(frame, row as usize, SAME_SIZES);
    if rows.is_empty() {
        return None;
    }
    let more = total - rows.len();
    let lines: Vec<AnyView> = rows
        .into_iter()
        .map(|r| {
            let name = |part: &String| part.rsplit('/').next().unwrap_or_default().to_owned();
            let differs: Vec<String> = r.differs.iter().map(name).collect();
            let ratio = match r.ratio {
                None => String::new(),
                Some(x) if x < 0.995 => format!("{:.2}x faster", 1.0 / x),
                Some(x) if x > 1.005 => format!("{x:.2}x slower"),
                Some(_) => "the same".to_owned(),
            };
            let other = r.row;
            let differs = differs.join(", ");
            let hint = format!("Select it too: {differs}");
            view! {
                <tr class:good=r.ratio.is_some_and(|x| x < 0.995)>
                    <td class="differs"><button type="button" class="link" title=hint on:click=move |_| bench.select(&[other], true)>{differs}</button></td>
                    <td>{Seconds(r.time_s).to_string()}</td>
                    <td>{r.efficiency.map(percent)}</td>
                    <td>{ratio}</td>
                </tr>
            }
            .into_any()
        })
        .collect();
    Some(
        view! {
            <section class="detail-section" data-section="same-sizes">
                <h3>"Same sizes elsewhere"</h3>
                <table class="plain-table"><tbody>{lines}</tbody></table>
                {(more > 0).then(|| view! { <p class="muted">{and_more(more)}</p> })}
            </section>
        }
        .into_any(),
    )
}

/// The findings that a row belongs to.
fn findings_on(bench: Workbench, row: u32) -> Option<AnyView> {
    let found = bench.findings.get()?.findings;
    let chosen = bench.finding.get_untracked();
    let lines: Vec<AnyView> = found
        .findings
        .iter()
        .enumerate()
        .filter(|(i, f)| chosen != Some(*i) && f.evidence.rows.contains(&row))
        .take(FINDINGS)
        .map(|(i, f)| {
            view! {
                <li>
                    <button type="button" class="link" on:click=move |_| bench.choose_finding(i)>
                        <span class="finding-rank">{i + 1}</span>" "{f.heading()}
                    </button>
                </li>
            }
            .into_any()
        })
        .collect();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="detail-section" data-section="findings">
                <h3>"Findings"</h3>
                <ul class="dock-findings">{lines}</ul>
            </section>
        }
        .into_any()
    })
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
