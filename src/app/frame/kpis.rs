//! The row of key figures over the rows that pass the filters, and what these rows are.

use crate::app::state::Workbench;
use gemmscope_analysis::explain::roof_name;

use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::metrics::Totals;
use leptos::prelude::*;

/// Sides that have a figure of their own; the others are counted.
const SIDES: usize = 5;

/// The figures: one row for all that counts, or one figure a side.
#[component]
pub fn Kpis() -> impl IntoView {
    let bench = Workbench::here();
    let sides = Memo::new(move |_| bench.totals.with(|t| t.len() > 1));
    view! {
        <section class="kpis-frame" aria-label="Figures of the rows that pass the filters"><div class="kpis">
            {rows(bench)}
            {move || if sides.get() { of_sides(bench) } else { of_all(bench) }}
        </div></section>
    }
}

/// How many rows there are, and what they are: the reader may say otherwise.
fn rows(bench: Workbench) -> AnyView {
    let all = Memo::new(move |_| bench.data.with(|d| d.len()));
    let count = move || bench.settled_frame.with(|f| f.rows.len());
    let note = move || match all.get() {
        all if all == count() => String::new(),
        all => format!("of {}", grouped(all as u64)),
    };
    let hint = move || {
        let words = bench.settled_frame.with(|f| f.counted().words(f.kind()));
        bench
            .decision
            .with(|d| format!("Rows that pass the filters: {words}. {}", d.kind.hint()))
    };
    view! {
        <div class="figure tip" tabindex="0" data-tip=hint aria-description=hint data-figure="rows">
            <span class="figure-label">"Rows"</span>
            <strong class="figure-value">{move || grouped(count() as u64)}</strong>
            <span class="figure-note">
                {note}
                " "
                {kinds(bench)}
            </span>
        </div>
    }
    .into_any()
}

/// The choice of what the rows are; the first entry is what the data shows.
fn kinds(bench: Workbench) -> AnyView {
    let choose = move |key: String| {
        let found = bench.decision.with_untracked(|d| d.found);
        let kind = DataKind::parse(&key).filter(|k| *k != found);
        bench.edit("kind of rows", |v| v.kind = kind);
    };
    view! {
        <select class="kind" aria-label="What the rows are"
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

/// One figure a side: its efficiency, time and lost time. Sides are never added up.
fn of_sides(bench: Workbench) -> AnyView {
    let kind = bench.view.with(|v| v.roof);
    let totals = bench.totals.get();
    let more = totals.len().saturating_sub(SIDES);
    let mut figures: Vec<AnyView> = totals
        .into_iter()
        .take(SIDES)
        .map(|(side, t)| {
            let lost = t
                .lost_s
                .map_or(String::new(), |s| format!(", {} lost", Seconds(s)));
            let note = format!("{}{lost}", Seconds(t.time_s));
            let value = t.weighted_efficiency.map_or_else(missing, percent);
            let hint = format!(
                "{side}: {} GEMMs, share of the {} over all of them, time of one call of each, and \
                 what perfect kernels would save.",
                grouped(t.measured),
                roof_name(kind)
            );
            figure(
                side,
                hint,
                move || value.clone(),
                move || note.clone(),
                "side",
            )
        })
        .collect();
    if more > 0 {
        let hint = "Sides beyond the first five: see Compare.".to_owned();
        figures.push(figure(
            "More sides".to_owned(),
            hint,
            move || more.to_string(),
            String::new,
            "more-sides",
        ));
    }
    figures.into_any()
}

fn missing() -> String {
    "–".to_owned()
}

fn of_all(bench: Workbench) -> AnyView {
    let kind = Memo::new(move |_| bench.view.with(|v| v.roof));
    let totals = Memo::new(move |_| {
        bench
            .totals
            .with(|t| t.first().map_or_else(Totals::default, |t| t.1.clone()))
    });
    let share = move |v: Option<f64>| v.map_or_else(missing, percent);
    let measured = move || totals.with(|t| t.measured > 0);
    let what = move || bench.decision.with(|d| d.kind.hint().to_owned());
    view! {
            {figure(
                "Total time".to_owned(),
                what(),
                move || if measured() { totals.with(|t| Seconds(t.time_s).to_string()) } else { missing() },
                String::new,
                "time",
            )}
            {figure(
                "Attained".to_owned(),
                "All work over all time. In small: the fastest single row.".into(),
                move || if measured() { totals.with(|t| FlopsPerSec(t.attained_flops_per_s).to_string()) } else { missing() },
                move || if measured() { totals.with(|t| format!("best {}", FlopsPerSec(t.max_flops_per_s))) } else { String::new() },
                "attained",
            )}
            {move || {
                let of = roof_name(kind.get());
                figure(
                    "Efficiency".to_owned(),
                    format!("Sum of the times the {of} allows over the sum of the measured times: long rows weigh more. Never a mean of percentages."),
                    move || share(totals.with(|t| t.weighted_efficiency)),
                    move || format!("of the {of}"),
                    "efficiency",
                )
            }}
            {figure(
                "Memory-bound".to_owned(),
                "Share of the time in rows whose arithmetic intensity is under 0.75 of the ridge point: memory limits them.".into(),
                move || share(totals.with(|t| t.share_memory_bound)),
                || "of the time".to_owned(),
                "memory",
            )}
            {figure(
                "Compute-bound".to_owned(),
                "Share of the time in rows whose arithmetic intensity is over 1.25 of the ridge point: the arithmetic units limit them.".into(),
                move || share(totals.with(|t| t.share_compute_bound)),
                || "of the time".to_owned(),
                "compute",
            )}
            {figure(
                "Lost time".to_owned(),
                "Measured time minus the time the roof allows, summed: what perfect kernels would save.".into(),
                move || totals.with(|t| t.lost_s).map_or_else(missing, |s| Seconds(s).to_string()),
                move || {
                    totals.with(|t| match t.above_roof {
                        0 => String::new(),
                        n => format!("{} above the roof", grouped(n)),
                    })
                },
                "lost",
            )}
    }
    .into_any()
}

fn figure(
    label: String,
    hint: String,
    value: impl Fn() -> String + Send + 'static,
    note: impl Fn() -> String + Send + 'static,
    key: &'static str,
) -> AnyView {
    view! {
        <div class="figure tip" tabindex="0" data-tip=hint.clone() aria-description=hint data-figure=key>
            <span class="figure-label">{label}</span>
            <strong class="figure-value">{value}</strong>
            <span class="figure-note">{note}</span>
        </div>
    }
    .into_any()
}
