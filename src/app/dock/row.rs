//! Details of one row: first its time, then the reasons, then every figure with its formula.

use gemmscope_model::roofline::Bound;
use gemmscope_model::units::percent;
use gemmscope_words::explain::{Explanation, Figure, bound_name};
use leptos::prelude::*;

/// Sections besides the figures.
pub(super) struct Beside {
    /// Accounts of its time.
    pub accounts: Option<AnyView>,
    /// The same sizes in another layout, type, library or file.
    pub same_sizes: Option<AnyView>,
    /// The row's GEMM in the model.
    pub model: AnyView,
    /// The findings on this row.
    pub findings: Option<AnyView>,
    /// The call stack.
    pub stack: Option<AnyView>,
    /// Reproducers.
    pub tools: AnyView,
}

/// The row in columns.
pub(super) fn explanation(mut e: Explanation, roof: &'static str, beside: Beside) -> AnyView {
    let above = !e.above_roof.is_empty();
    let time = e.figures.iter().position(|f| f.label == "Time").map(|i| e.figures.remove(i));
    view! {
        <div class="dock-part">
            <p class="detail-title">{e.title}</p>
            {(!e.name.is_empty()).then(|| view! { <p class="kernel-name" title=e.name.clone()>{e.name.clone()}</p> })}
            {time.map(|t| view! {
                <p class="detail-time" title=t.hint><strong>{t.value}</strong>" measured"
                    {t.reported.map(|r| view! { <span class="muted">{format!(" (file: {})", r.value)}</span> })}
                </p>
            })}
            {e.efficiency.map(|share| view! {
                <div class="gauge" class:above=above>
                    <div class="gauge-line">
                        <strong>{percent(share)}</strong>
                        <span class="muted">{format!("of the {roof}")}</span>
                        {e.limit.map(|l| view! { <span class="badge">{match l { Bound::NearRidge => bound_name(l).to_owned(), _ => format!("limited by {}", bound_name(l)) }}</span> })}
                    </div>
                </div>
            })}
            {beside.accounts}
            {(!e.verdict.is_empty()).then(|| view! { <p class="verdict">{e.verdict}</p> })}
            <p class="muted">{e.device}</p>
            {above.then(|| view! {
                <section class="notice warn-box">
                    <p><strong>"Above its roof. "</strong>"What would explain it:"</p>
                    <ul>{e.above_roof.into_iter().map(|t| view! { <li>{t}</li> }).collect_view()}</ul>
                </section>
            })}
            <p class="muted place">{e.place}</p>
        </div>
        {beside.same_sizes}
        {beside.findings}
        <dl class="figures">{e.figures.into_iter().map(figure).collect_view()}</dl>
        {(!e.tile.is_empty()).then(|| view! {
            <section class="detail-section">
                <h3>"Tile and waves"</h3>
                <dl class="figures">{e.tile.into_iter().map(figure).collect_view()}</dl>
            </section>
        })}
        {beside.tools}
        {beside.model}
        {beside.stack}
        {(!e.columns.is_empty()).then(|| view! {
            <section class="detail-section">
                <h3>"In the file"</h3>
                <dl class="file-columns">
                    {e.columns.into_iter().map(|(k, v)| view! { <dt title=k.clone()>{k.clone()}</dt><dd>{v}</dd> }).collect_view()}
                </dl>
            </section>
        })}
    }
    .into_any()
}

fn figure(f: Figure) -> AnyView {
    let reported = f.reported.map(|r| {
        let far = r.gap.abs() > 0.01;
        let gap = if far { format!("{:+.1} %", r.gap * 100.0) } else { "agrees".to_owned() };
        view! {
            <span class="reported" class:far=far>
                {format!("file: {} ({gap})", r.value)}
            </span>
        }
    });
    view! {
        <div class="figure-row">
            <dt title=f.hint>{f.label}</dt>
            <dd>
                <strong>{f.value}</strong>
                {reported}
                <span class="formula">{f.formula}</span>
            </dd>
        </div>
    }
    .into_any()
}
