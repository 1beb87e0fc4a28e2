//! Breakdown of a trace's time: a bar with its key for each trace, on a line, and notes below the picture.

use crate::app::state::Workbench;
use gemmscope_analysis::trace_time::{TimeKind, TimePart, TraceTime};
use gemmscope_model::units::{Seconds, percent};
use gemmscope_words::trace_time::{asides, kernels, sentence};
use leptos::prelude::*;

/// From this share on, the largest kernels of a part are named.
const NAMED: f64 = 0.05;

/// The times of the traces; empty if the time outside the GEMMs is unknown.
fn times(bench: Workbench) -> Memo<Vec<TraceTime>> {
    // Shown together with the picture, which would otherwise shrink later.
    let soon = Memo::new(move |_| bench.frame.with(TraceTime::at_once));
    Memo::new(move |_| match soon.get() {
        none if none.is_empty() => {
            bench.findings.get().map_or_else(Vec::new, |f| f.breakdown.times.clone())
        }
        soon => soon,
    })
}

/// The bars.
#[component]
pub fn TimeBar() -> impl IntoView {
    let times = times(Workbench::here());
    move || times.get().iter().map(bar).collect_view()
}

/// The largest other kernels, also for input without a pointer, and what is to be said of the times.
#[component]
pub fn TimeNotes() -> impl IntoView {
    let times = times(Workbench::here());
    move || {
        let all: Vec<String> = times.get().iter().flat_map(notes).collect();
        (!all.is_empty()).then(|| {
            view! { <ul class="notes">{all.into_iter().map(|n| view! { <li>{n}</li> }).collect_view()}</ul> }
        })
    }
}

fn notes(time: &TraceTime) -> Vec<String> {
    let others = time.parts.iter().filter(|p| p.kind != TimeKind::Gemm);
    let largest = others
        .filter(|p| time.share(p) > NAMED && !p.largest.is_empty())
        .max_by(|a, b| a.time_s.total_cmp(&b.time_s))
        .map(|p| format!("Largest of {}: {}", p.kind.label(), kernels(p)));
    largest.into_iter().chain(asides(time)).collect()
}

fn bar(time: &TraceTime) -> AnyView {
    let segment = |p: &TimePart| {
        let width = format!("{:.3}%", time.share(p) * 100.0);
        view! { <span class=class(p.kind) style:width=width title=words(time, p)></span> }
    };
    let entry = |p: &TimePart| {
        view! {
            <li title=words(time, p)>
                <span class=class(p.kind) aria-hidden="true"></span>
                {p.kind.label()} " " <strong>{percent(time.share(p))}</strong>
            </li>
        }
    };
    view! {
        <section class="time-bar" aria-label=sentence(time)>
            <p>{time.side.clone()} " " <strong>{Seconds(time.whole_s).to_string()}</strong> " " {time.whole}</p>
            <ul>{time.parts.iter().map(entry).collect_view()}</ul>
            <div class="time-parts" aria-hidden="true">{time.parts.iter().map(segment).collect_view()}</div>
        </section>
    }
    .into_any()
}

/// Full text of a part: time, share and largest kernels.
fn words(time: &TraceTime, part: &TimePart) -> String {
    let (label, share) = (part.kind.label(), percent(time.share(part)));
    let mut out = format!("{label}: {}, {share} of the time", Seconds(part.time_s));
    let kernels = kernels(part);
    if !kernels.is_empty() {
        out.push_str(&format!(". Largest: {kernels}"));
    }
    out
}

fn class(kind: TimeKind) -> String {
    let kind = match kind {
        TimeKind::Idle => "idle",
        TimeKind::Communication | TimeKind::Copies => "moving",
        TimeKind::Gemm => "gemm",
        TimeKind::UnknownGemm => "unknown",
        TimeKind::Other | TimeKind::OtherAndFiltered => "other",
    };
    format!("time-part {kind}")
}
