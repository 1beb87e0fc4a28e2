//! The sentence over every place: what the rows are, their efficiency, what is lost.

use crate::app::state::Workbench;
use crate::app::ui::{icon, rove};
use gemmscope_analysis::explain::roof_name;
use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent, plural};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::metrics::Totals;
use leptos::prelude::*;

/// Sides that have a figure of their own; the others are counted.
const SIDES: usize = 5;

/// The figures: one sentence for all that counts, or one figure a side. Where there is no room for
/// all, a button unfolds the others.
#[component]
pub fn Strip() -> impl IntoView {
    let bench = Workbench::here();
    let sides = Memo::new(move |_| bench.totals.with(|t| t.len() > 1));
    let open = RwSignal::new(false);
    let more = move || match open.get() {
        true => "Fewer figures",
        false => "More figures",
    };
    view! {
        <section class="strip" class:open=move || open.get() aria-label="Figures of the rows that pass the filters"
            on:keydown=|e| rove(&e, ".figure, select, button")>
            {rows(bench)}
            {kinds(bench)}
            <button type="button" class="icon-button strip-more" tabindex="-1" aria-label=more title=more
                aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|o| *o = !*o)>
                {move || icon(if open.get() { icon::UP } else { icon::DOWN })}
            </button>
            {move || match sides.get() {
                // A closure of its own, which alone follows the totals.
                true => (move || of_sides(bench)).into_any(),
                false => of_all(bench),
            }}
        </section>
    }
}

/// What the rows are: `75 variants of 3 GEMMs`.
fn rows(bench: Workbench) -> AnyView {
    let all = Memo::new(move |_| bench.data.with(|d| d.len()));
    let count = move || bench.settled_frame.with(|f| f.rows.len());
    let words = move || {
        let (n, words) = bench.settled_frame.with(|f| (f.rows.len(), f.counted().words(f.kind())));
        // The count stands before, the sides behind.
        let rest = words.strip_prefix(&grouped(n as u64)).map(|w| w.trim_start().to_owned());
        let words = rest.unwrap_or_else(|| "rows".to_owned());
        match all.get() {
            all if all == n => words,
            all => format!("of {} {words}", grouped(all as u64)),
        }
    };
    let hint = move || {
        let kind = bench.decision.with(|d| d.kind.hint());
        format!("Rows that pass the filters. {kind}")
    };
    view! {
        <span class="figure tip" tabindex="0" data-tip=hint aria-description=hint data-figure="rows">
            <strong class="figure-value">{move || grouped(count() as u64)}</strong>
            " "
            <span class="figure-label">{words}</span>
        </span>
    }
    .into_any()
}

/// The choice of what the rows are; the first entry is what the data shows.
fn kinds(bench: Workbench) -> AnyView {
    let choose = move |key: String| {
        let found = bench.decision.with_untracked(|d| d.found);
        let kind = DataKind::parse(&key).filter(|k| *k != found);
        let shown = bench.shown.get_untracked();
        bench.edit("kind of rows", |v| {
            v.kind = kind;
            // The choice changes what is counted, not the place.
            shown.id().clone_into(&mut v.view);
        });
    };
    view! {
        <select class="kind" tabindex="-1" aria-label="What the rows are"
            prop:value=move || bench.decision.with(|d| d.kind.key())
            on:change=move |e| choose(event_target_value(&e))>
            {DataKind::ALL.map(|kind| view! {
                <option value=kind.key() selected=move || bench.decision.with(|d| d.kind == kind)>
                    {kind.label()}
                </option>
            })}
        </select>
    }
    .into_any()
}

/// One figure a side: its efficiency and lost time. Sides are never added up.
fn of_sides(bench: Workbench) -> AnyView {
    let kind = bench.view.with(|v| v.roof);
    let totals = bench.totals.get();
    let more = totals.len().saturating_sub(SIDES);
    let judged = totals.iter().any(|t| t.1.weighted_efficiency.is_some());
    let what = judged.then(|| view! { <span class="figure-label">"Of roof:"</span> }.into_any());
    let mut figures: Vec<AnyView> = totals
        .into_iter()
        .take(SIDES)
        .map(|(side, t)| {
            // Without a roof the time says what there is to say.
            let (value, rest) = match (t.weighted_efficiency, t.lost_s) {
                (Some(e), Some(lost)) => {
                    let above = match t.above_roof {
                        0 => String::new(),
                        n => format!(", {} above the roof", grouped(n)),
                    };
                    (percent(e), format!(", {} lost{above}", Seconds(lost)))
                }
                _ => {
                    let gemms = plural(t.measured, "GEMM");
                    (Seconds(t.time_s).to_string(), format!(", {gemms}"))
                }
            };
            let mut hint = format!(
                "{side}: {}, {} in all. Share of the {}, and what perfect kernels would save.",
                plural(t.measured, "GEMM"),
                Seconds(t.time_s),
                roof_name(kind)
            );
            if t.above_roof > 0 {
                hint = format!("{hint} {ABOVE}");
            }
            let label = view! { {side} <span class="figure-rest">{rest}</span> };
            figure(hint, move || value.clone(), label, "side")
        })
        .collect();
    if more > 0 {
        let hint = "Compare shows every side.".to_owned();
        figures.push(figure(hint, move || more.to_string(), "more sides", "more-sides"));
    }
    (what, figures).into_any()
}

fn missing() -> String {
    "–".to_owned()
}

fn of_all(bench: Workbench) -> AnyView {
    let kind = Memo::new(move |_| bench.view.with(|v| v.roof));
    let totals = Memo::new(move |_| {
        bench.totals.with(|t| t.first().map_or_else(Totals::default, |t| t.1.clone()))
    });
    let share = move |v: Option<f64>| v.map_or_else(missing, percent);
    let measured = move || totals.with(|t| t.measured > 0);
    let time = move || match measured() {
        true => totals.with(|t| Seconds(t.time_s).to_string()),
        false => missing(),
    };
    let rate = move || match measured() {
        true => totals.with(|t| FlopsPerSec(t.attained_flops_per_s).to_string()),
        false => missing(),
    };
    let lost = move || totals.with(|t| t.lost_s).map_or_else(missing, |s| Seconds(s).to_string());
    let of = move || roof_name(kind.get());
    let above = move || match totals.with(|t| t.above_roof) {
        0 => missing(),
        n => grouped(n),
    };
    view! {
        {move || figure(
            format!("1 − lost time / time of the rows under the {}: long rows weigh more. Never a mean of percentages.{}", of(), keeps_datasheet(bench)),
            move || share(totals.with(|t| t.weighted_efficiency)),
            move || match totals.with(|t| t.without_roof.1 / t.time_s) {
                // The share of the time that has no roof is not in the figure.
                without if without > 0.005 => format!("of the {}, for {} of the time", of(), percent(1.0 - without)),
                _ => format!("of the {}", of()),
            },
            "efficiency",
        )}
        {figure(
            "Measured time minus the time that the roof allows, summed over the rows below it: what perfect kernels would save. Rows above the roof lose nothing, and win nothing back.".to_owned(),
            lost,
            "lost",
            "lost",
        )}
        {figure(ABOVE.to_owned(), above, "above the roof", "above")}
        {figure(bench.decision.with(|d| d.kind.hint().to_owned()), time, move || all_words(bench), "time")}
        {move || {
            let compute = share(totals.with(|t| t.share_compute_bound));
            figure(
                format!("Share of the time in rows with an arithmetic intensity under 0.75 of the ridge point: memory limits them at best. Over 1.25 of it lie {compute} of the time; the rest lies near it, or is mostly launches."),
                // None of it is no figure.
                move || share(totals.with(|t| t.share_memory_bound).filter(|s| *s > 0.0)),
                "of it memory-bound",
                "memory",
            )
        }}
        {move || figure(
            totals.with(|t| format!("All work over all time. The fastest row: {}.", FlopsPerSec(t.max_flops_per_s))),
            rate,
            "attained",
            "attained",
        )}
    }
    .into_any()
}

/// What the total time is of.
fn all_words(bench: Workbench) -> String {
    match bench.decision.with(|d| d.kind) {
        DataKind::Sweep => "for the fastest of each",
        _ => "in all",
    }
    .to_owned()
}

/// What rows above the roof mean.
const ABOVE: &str = "Rows faster than the datasheet allows: check device, type, sizes and unit. A few percent can be the clock or a cache.";

/// Which types keep the datasheet's roof while percentages are of the achievable one.
fn keeps_datasheet(bench: Workbench) -> String {
    let types = bench.frame.with(|f| f.metrics.keep_datasheet(&f.data));
    match types.is_empty() {
        true => String::new(),
        false => format!(
            " No achievable rate is known for {}: judged by the datasheet's.",
            types.join(", ")
        ),
    }
}

fn figure(
    hint: String,
    value: impl Fn() -> String + Send + Sync + 'static,
    label: impl IntoView + 'static,
    key: &'static str,
) -> AnyView {
    // A dash says nothing: a figure that the rows do not have takes no room.
    let shown = Memo::new(move |_| value());
    view! {
        <span class="figure tip" tabindex="-1" data-tip=hint.clone() aria-description=hint data-figure=key
            hidden=move || shown.get() == missing()>
            <strong class="figure-value">{move || shown.get()}</strong>
            " "
            <span class="figure-label">{label}</span>
        </span>
    }
    .into_any()
}
