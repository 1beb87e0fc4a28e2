//! The row of key figures over the rows that pass the filters.

use crate::app::state::Workbench;
use gemmscope_analysis::explain::roof_name;

use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent};
use leptos::prelude::*;

/// The figures.
#[component]
pub fn Kpis() -> impl IntoView {
    let bench = Workbench::here();
    let all = Memo::new(move |_| bench.data.with(|d| d.len()));
    let kind = Memo::new(move |_| bench.view.with(|v| v.roof));
    let missing = || "–".to_owned();
    let share = move |v: Option<f64>| v.map_or_else(missing, percent);
    let rows = move || {
        let t = bench.totals.get();
        let all = all.get();
        (
            grouped(t.rows),
            if t.rows as usize == all {
                String::new()
            } else {
                format!("of {}", grouped(all as u64))
            },
        )
    };
    let measured = move || bench.totals.with(|t| t.measured > 0);
    view! {
        <section class="kpis-frame" aria-label="Figures of the rows that pass the filters"><div class="kpis">
            {figure("Rows", "GEMMs that pass the filters.".into(), move || rows().0, move || rows().1, "rows")}
            {figure(
                "Total time",
                "Measured time of all calls of these rows.".into(),
                move || if measured() { bench.totals.with(|t| Seconds(t.time_s).to_string()) } else { missing() },
                String::new,
                "time",
            )}
            {figure(
                "Attained",
                "All work over all time. In small: the fastest single row.".into(),
                move || if measured() { bench.totals.with(|t| FlopsPerSec(t.attained_flops_per_s).to_string()) } else { missing() },
                move || if measured() { bench.totals.with(|t| format!("best {}", FlopsPerSec(t.max_flops_per_s))) } else { String::new() },
                "attained",
            )}
            {move || {
                let of = roof_name(kind.get());
                figure(
                    "Efficiency",
                    format!("Sum of the times the {of} allows over the sum of the measured times: long rows weigh more. Never a mean of percentages."),
                    move || share(bench.totals.with(|t| t.weighted_efficiency)),
                    move || format!("of the {of}"),
                    "efficiency",
                )
            }}
            {figure(
                "Memory-bound",
                "Share of the time in rows whose arithmetic intensity is under 0.75 of the ridge point: memory limits them.".into(),
                move || share(bench.totals.with(|t| t.share_memory_bound)),
                || "of the time".to_owned(),
                "memory",
            )}
            {figure(
                "Compute-bound",
                "Share of the time in rows whose arithmetic intensity is over 1.25 of the ridge point: the arithmetic units limit them.".into(),
                move || share(bench.totals.with(|t| t.share_compute_bound)),
                || "of the time".to_owned(),
                "compute",
            )}
            {figure(
                "Lost time",
                "Measured time minus the time the roof allows, summed: what perfect kernels would give back.".into(),
                move || bench.totals.with(|t| t.lost_s).map_or_else(missing, |s| Seconds(s).to_string()),
                move || {
                    bench.totals.with(|t| match t.above_roof {
                        0 => String::new(),
                        n => format!("{} above the roof", grouped(n)),
                    })
                },
                "lost",
            )}
        </div></section>
    }
}

fn figure(
    label: &'static str,
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
