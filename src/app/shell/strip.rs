//! The line above every place: time of the rows, share of the roof, largest cost, and what is counted.

use crate::app::state::findings_task::latest;
use crate::app::state::{FindingsResult, Shell, Workbench};
use gemmscope_analysis::ledger::Book;
use gemmscope_analysis::names::roof_name;
use gemmscope_chart::places::SUMMARY;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent, plural, seconds_brief};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::metrics::{Totals, Typical};
use gemmscope_words::findings::Finding;
use gemmscope_words::headline::{
    HeadlineCost, cost, left_out, mean, of_roof, roofed, runs, spread,
};
use leptos::prelude::*;

/// Maximum number of sides with figures of their own; the others are counted.
const SIDES: usize = 5;

/// The summary of one side and device.
#[derive(Clone, Debug, Default, PartialEq)]
struct Line {
    /// "" if it is the only one.
    name: String,
    time_s: f64,
    /// Which runs the time covers, which part of it the share of the roof covers, and what no figure does; "" for all.
    runs: String,
    roofed: String,
    left_out: String,
    gemms: u64,
    /// Present if each GEMM counts once.
    typical: Option<Typical>,
    share: Option<f64>,
    lost_s: Option<f64>,
    cost: Option<HeadlineCost>,
}

/// The line.
#[component]
pub fn Strip() -> impl IntoView {
    let bench = Workbench::here();
    let found = latest(bench);
    let lines = Memo::new(move |_| {
        found.with(|result| match result {
            Some(FindingsResult { findings: found, trust, .. }) => {
                // No gain is claimed of doubtful figures.
                let doubtful = trust.0.doubt().is_some();
                let claimed: &[Finding] = if doubtful { &[] } else { &found.findings };
                found.ledger.books.iter().map(|b| of_book(claimed, b)).collect()
            }
            None => bench.totals.with(|t| of_totals(t)),
        })
    });
    // If the other roof changes nothing, the status line says why.
    let shell = Shell::here();
    Effect::new(move |was: Option<RoofKind>| {
        let now = bench.view.with(|v| v.roof);
        if was.is_some_and(|was| was != now) {
            let words = untrack(|| keeps_datasheet(bench));
            (!words.is_empty()).then(|| shell.say(words.trim_start().to_owned()));
        }
        now
    });
    let doubt = move || {
        let doubt = found.with(|result| result.as_ref().and_then(|result| result.trust.0.doubt()));
        doubt.map(|doubt| view! { <strong class="doubt">{doubt}</strong>" " })
    };
    let words = move || {
        let lines = lines.get();
        match &lines[..] {
            [] => ().into_any(),
            [one] => of_one(bench, one),
            several => match bench.shown.get().place == SUMMARY {
                true => of_worst(bench, several).unwrap_or_else(|| of_sides(bench, several)),
                false => of_sides(bench, several),
            },
        }
    };
    view! {
        <section class="strip" aria-label="Figures of the rows that pass the filters">
            <p class="headline">{doubt}{words}</p>
            <span class="strip-rows">{rows(bench)}{kinds(bench)}</span>
        </section>
    }
}

fn of_book(findings: &[Finding], book: &Book) -> Line {
    Line {
        runs: runs(book),
        roofed: roofed(book),
        left_out: left_out(book),
        name: book.name.clone(),
        time_s: book.time_s,
        gemms: book.groups,
        typical: book.typical,
        share: book.share_of_roof(),
        lost_s: (book.known_s > 0.0).then(|| book.lost_s()),
        cost: cost(findings, book),
    }
}

/// The parts that do not depend on findings.
fn of_totals(totals: &[(String, Totals)]) -> Vec<Line> {
    let measured = totals.iter().filter(|(_, t)| t.measured > 0);
    let line = |(name, t): &(String, Totals)| Line {
        name: name.clone(),
        time_s: t.time_s,
        gemms: t.measured,
        typical: t.typical,
        share: t.weighted_efficiency,
        lost_s: t.lost_s,
        ..Line::default()
    };
    measured.map(line).collect()
}

/// The largest cost, with its side if there are several.
fn claim(bench: Workbench, cost: &HeadlineCost, of: &str) -> AnyView {
    let of = if of.is_empty() { String::new() } else { format!(" ({of})") };
    let finding = cost.finding;
    view! {
        // Not a button element, so that the words wrap within the sentence.
        <strong class="cost" role="button" tabindex="-1" data-account=cost.key.clone() title="Show this finding"
            on:click=move |_| bench.choose_finding(finding)
            on:keydown=move |e| if matches!(e.key().as_str(), "Enter" | " ") {
                e.prevent_default();
                bench.choose_finding(finding);
            }>{cost.claim.clone()}</strong>
        {format!("{of}: {}.", cost.why)}
    }
    .into_any()
}

/// The sentence of the only side.
fn of_one(bench: Workbench, line: &Line) -> AnyView {
    let attained = bench.totals.with(|t| match &t[..] {
        [(_, t)] if t.measured > 0 => format!(
            " {} attained, all work over all time; the fastest row {}.",
            FlopsPerSec(t.attained_flops_per_s),
            FlopsPerSec(t.max_flops_per_s)
        ),
        _ => String::new(),
    });
    let hint = format!("{}{attained}", bench.decision.with(|d| d.kind.hint()));
    let time = figure(&hint, seconds_brief(line.time_s), line.runs.trim_start(), "time");
    let by_time = line.share.map(|share| {
        let roof = roof_name(bench.view.with(|v| v.roof));
        let lost = line.lost_s.map_or_else(String::new, |s| format!(": {} lost", Seconds(s)));
        let keeps = keeps_datasheet(bench);
        (share, format!("Roof time / time under the {roof}{lost}.{keeps}"))
    });
    // If each GEMM counts once, the total time is not that of a program.
    let once = line.typical.map(|typical| {
        let all = by_time.as_ref().map_or_else(String::new, |(share, how)| {
            format!(" By time {}: {how}", percent(*share))
        });
        let hint = format!(
            "Geometric mean over {}, each once; p10 and p90: one in ten is under the first, one over the second.{all}",
            plural(typical.gemms, "GEMM")
        );
        let share = typical.geometric_mean;
        let label = of_roof(share, &line.roofed);
        view! { {figure(&hint, percent(share), &label, "efficiency")}{spread(&typical)}", " }
    });
    let share = by_time.filter(|_| once.is_none()).map(|(share, hint)| {
        let label = of_roof(share, &line.roofed);
        view! { ", "{figure(&hint, percent(share), &label, "efficiency")} }
    });
    let cost = line.cost.as_ref().map(|c| view! { " "{claim(bench, c, "")} });
    // A time alone at least says how many GEMMs it covers.
    let bare = line.share.is_none() && line.cost.is_none() && line.runs.is_empty();
    let of = bare.then(|| format!(" on {}", plural(line.gemms, "GEMM")));
    // The other time of a program has a bar of its own.
    let whole = bench.data.with(|d| d.sources.iter().any(|s| s.trace.is_some()));
    let lead = whole.then_some("GEMMs take ");
    view! { {once}{lead}{time}{share}{of}{line.left_out.clone()}"."{cost} }.into_any()
}

/// In the summary, whose bars name every side: the side that loses most, once known.
fn of_worst(bench: Workbench, lines: &[Line]) -> Option<AnyView> {
    let lost = |l: &Line| {
        let cost_s = l.cost.as_ref().map_or(0.0, |c| c.seconds);
        l.lost_s.map_or(cost_s, |lost_s| lost_s.max(cost_s))
    };
    let worst = lines.iter().max_by(|a, b| lost(a).total_cmp(&lost(b)));
    let (line, cost) = worst.and_then(|l| Some((l, l.cost.as_ref()?)))?;
    Some(claim(bench, cost, &line.name))
}

/// One figure per side. Sides are never added up.
fn of_sides(bench: Workbench, lines: &[Line]) -> AnyView {
    let roof = roof_name(bench.view.with(|v| v.roof));
    let more = lines.len().saturating_sub(SIDES);
    let judged = lines.iter().any(|l| l.share.is_some());
    let figures = lines.iter().take(SIDES).map(|l| {
        let time = seconds_brief(l.time_s);
        let typical = l.typical.as_ref().map(|t| (t.geometric_mean, mean(t)));
        let (value, rest) = match typical.or(l.share.map(|share| (share, ""))) {
            Some((share, mean)) => {
                let of_roof = of_roof(share, &format!("{mean}{}", l.roofed));
                let sep = if of_roof.contains(':') { ";" } else { ":" };
                (
                    percent(share),
                    format!("{of_roof}{sep} {}, {time}{}{}", l.name, l.runs, l.left_out),
                )
            }
            None => (time, format!("{}{}", l.name, l.runs)),
        };
        let lost = l.lost_s.map_or_else(String::new, |s| format!(", {} lost", Seconds(s)));
        let once = l.typical.filter(|_| l.gemms > 1).map_or_else(String::new, |t| {
            let by_time = l.share.map_or_else(String::new, |s| format!("; {} by time", percent(s)));
            format!(". Each counts once{}{by_time}", spread(&t))
        });
        let (gemms, time) = (plural(l.gemms, "GEMM"), Seconds(l.time_s));
        let hint = format!("{gemms}, {time}{lost}, under the {roof}{once}");
        figure(if judged { &hint } else { "" }, value, &rest, "side")
    });
    let figures: Vec<AnyView> = figures.collect();
    let more = (more > 0)
        .then(|| figure("Compare shows every side.", more.to_string(), "more sides", "more-sides"));
    view! { <span class="strip-sides">{figures}{more}</span> }.into_any()
}

/// Number and kind of rows: `75 variants of 3 GEMMs`.
fn rows(bench: Workbench) -> AnyView {
    let all = Memo::new(move |_| bench.data.with(|d| d.len()));
    // For a file without sizes, its points.
    let points =
        Memo::new(move |_| bench.data.with(|d| if d.is_empty() { d.points().count() } else { 0 }));
    let count = move || bench.settled_frame.with(|f| f.rows.len()) + points.get();
    let words = move || {
        let (n, words) = bench.settled_frame.with(|f| (f.rows.len(), f.counted().words(f.kind())));
        // The number is shown before the words, and sides elsewhere.
        let rest = words.strip_prefix(&grouped(n as u64)).map(|w| w.trim_start().to_owned());
        let words = rest.unwrap_or_else(|| "rows".to_owned());
        // The words describe the passing rows; what all rows would be was not counted.
        let of_all = if ["GEMMs", "GEMM", "row"].contains(&&*words) { "rows" } else { &words };
        match all.get() {
            _ if points.get() > 0 => "points without sizes".to_owned(),
            all if all == n => words,
            all => format!("of {} {of_all}", grouped(all as u64)),
        }
    };
    let hint = move || {
        let kind = bench.decision.with(|d| d.kind.hint());
        format!("Rows that pass the filters. {kind}")
    };
    view! {
        <span class="figure tip" tabindex="-1" data-tip=hint aria-description=hint data-figure="rows">
            <strong class="figure-value">{move || grouped(count() as u64)}</strong>
            " "
            <span class="figure-label">{words}</span>
        </span>
    }
    .into_any()
}

/// What totals count.
fn kinds(bench: Workbench) -> AnyView {
    let choose = move |key: String| {
        let found = bench.decision.with_untracked(|d| d.found);
        let kind = DataKind::parse(&key).filter(|k| *k != found);
        let shown = bench.shown.get_untracked();
        bench.edit(|v| {
            v.kind = kind;
            // This changes what is counted, not the place.
            shown.id().clone_into(&mut v.view);
        });
    };
    view! {
        <label class="kind-of-rows">
            "Count: "
            <select class="kind"
                prop:value=move || bench.decision.with(|d| d.kind.key())
                on:change=move |e| choose(event_target_value(&e))>
                {DataKind::ALL.map(|kind| view! {
                    <option value=kind.key() selected=move || bench.decision.with(|d| d.kind == kind)>{kind.label()}</option>
                })}
            </select>
        </label>
    }
    .into_any()
}

/// Types that keep the datasheet roof while percentages refer to the achievable one.
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

fn figure(hint: &str, value: String, label: &str, key: &'static str) -> AnyView {
    // The first figure is the Tab stop.
    let stop = if matches!(key, "time" | "side") { "0" } else { "-1" };
    view! {
        <span class="figure tip" tabindex=stop data-tip=hint.to_owned() aria-description=hint.to_owned() data-figure=key>
            <strong class="figure-value">{value}</strong>
            {(!label.is_empty()).then(|| view! { " "<span class="figure-label">{label.to_owned()}</span> })}
        </span>
    }
    .into_any()
}
