//! A plan in sentences and tables: what is planned, the time of a step, and what was measured.

use gemmscope_analysis::planner::matching::Match;
use gemmscope_analysis::planner::measured::{DECODE_TOKENS, MeasuredShape, MeasuredStep};
use gemmscope_analysis::planner::spread::Spread;
use gemmscope_analysis::planner::{Plan, PlanRow, PlanState};
use gemmscope_model::hardware::short_name;
use gemmscope_model::transformer::{Experts, Pass, Phase, Workload};
use gemmscope_model::units::{
    FlopsPerSec, Seconds, format_significant, percent, plural, seconds_brief,
};
use gemmscope_table::result_table::ResultTable;

/// One sentence without a full stop: model, phase, sizes, formats.
pub fn headline(plan: &Plan) -> String {
    let PlanState { model, workload: w, .. } = &plan.state;
    let edited = if plan.state.edited { ", changed" } else { "" };
    let many = |noun: &str| plural(w.batch.into(), noun);
    let (sequences, prompts, length) = (many("sequence"), many("prompt"), w.length);
    let what = match (w.backward, w.phase) {
        (true, _) => format!("forward and backward of {sequences} of {length} tokens"),
        (false, Phase::Prefill) => format!("prefill of {prompts} of {length} tokens"),
        (false, Phase::Decode) => decode_of(&sequences, length),
    };
    let t = w.types;
    let types = if t.activation == t.weight {
        t.weight.to_string()
    } else {
        format!("{} weights, {} activations", t.weight, t.activation)
    };
    let shards = match w.tensor_parallel {
        1 => String::new(),
        n => format!(", over {n} devices"),
    };
    format!("{}{edited}: {what}, {types}{shards}", model.name)
}

/// A decode step with so many sequences.
fn decode_of(sequences: &str, length: u32) -> String {
    format!("decode of {sequences}, context {length}")
}

/// Time of a step on the first device: `6.50 ms a step expected, 4.82 ms at best, on H100 PCIe`; that of an example says
/// so. "" without a step.
pub fn step(plan: &Plan) -> String {
    let Some((step, on)) = plan.first().zip(plan.steps.first()) else {
        return String::new();
    };
    let [expected, best] = [step.totals.expected, step.totals.time].map(|t| seconds_brief(t.0));
    let example = if plan.example { " (an example: choose your device)" } else { "" };
    let device = short_name(&on.device.name);
    format!("{expected} a step expected, {best} at best, on {device}{example}")
}

/// The batch at which a GEMM crosses the ridge point, without a full stop.
pub fn crossing(row: &PlanRow, workload: &Workload) -> String {
    let name = &row.name;
    match (row.ridge_batch, workload.phase) {
        _ if row.best.gemm.part.is_attention() => {
            format!("{name}: same intensity at every batch, as each sequence has its own keys")
        }
        (Some(1), _) => format!("{name}: past the ridge from batch 1"),
        (Some(batch), Phase::Decode) => {
            format!("{name}: ridge at batch {batch}")
        }
        (Some(batch), Phase::Prefill) => {
            let tokens = row.ridge_tokens.unwrap_or(batch);
            format!("{name}: ridge at {tokens} tokens (batch {batch})")
        }
        (None, _) => format!("{name}: memory-bound at every batch"),
    }
}

/// How unevenly tokens are spread over the experts.
pub fn spread(spread: &Spread, experts: &Experts) -> String {
    let n = format_significant;
    let idle = if spread.idle >= 0.5 {
        format!("; {} of {} experts get none", spread.idle.round(), experts.count)
    } else {
        String::new()
    };
    format!(
        "Tokens per routed expert: {} on average, {} to {} for 9 of 10 experts{idle} \
         (uniform random routing; real routers spread wider).",
        n(spread.mean, 3),
        n(spread.low.floor(), 3),
        n(spread.high.ceil(), 3),
    )
}

/// `gate projection or up projection of Llama 3 8B, 8 tokens`.
pub fn part_of_model(found: &Match, model: &str) -> String {
    let words: Vec<String> = found.parts.iter().map(|part| part.words()).collect();
    let pass = match found.pass {
        Pass::Forward => "",
        Pass::InputGradient => "input gradient of the ",
        Pass::WeightGradient => "weight gradient of the ",
    };
    let mut text = format!("{pass}{} of {model}", words.join(" or "));
    if !found.parts.iter().all(|p| p.is_attention()) {
        text.push_str(&format!(", {}", plural(found.tokens, "token")));
    }
    if found.tensor_parallel > 1 {
        text.push_str(&format!(", shared by {} devices", found.tensor_parallel));
    }
    if found.transposed {
        text.push_str(", M and N swapped");
    }
    text
}

/// The measured step, and what is assumed about it.
pub fn measured_step(step: &MeasuredStep) -> String {
    let n = plural(step.batch.into(), "sequence");
    let what = match (step.phase, step.length) {
        (Phase::Prefill, Some(l)) => format!("{n} of {l} tokens"),
        (_, Some(l)) => decode_of(&n, l),
        (_, None) => format!("decode of {n}"),
    };
    let pass = if step.backward { ", forward and backward" } else { "" };
    let why = match (step.told, step.phase) {
        (true, _) => String::new(),
        (false, Phase::Decode) => format!(" (M up to {DECODE_TOKENS} counts as decode)"),
        (false, Phase::Prefill) => {
            " (as one sequence: linear layers don't show the count)".to_owned()
        }
    };
    format!("{} per layer: {what}{pass}{why}.", plural(step.tokens.into(), "token"))
}

/// Table of the measured shapes that belong to a model.
pub fn measured_table(shapes: &[MeasuredShape]) -> ResultTable {
    let row = |s: &MeasuredShape| {
        let (found, p) = (&s.found, &s.problem);
        let or_dash = |known: bool, text: String| if known { text } else { "–".to_owned() };
        let shards = match found.tensor_parallel {
            1 => String::new(),
            n => format!(", 1 of {n} devices"),
        };
        let swapped = if found.transposed { ", M and N swapped" } else { "" };
        vec![
            format!("{}{shards}{swapped}", found.name()),
            p.m.to_string(),
            p.n.to_string(),
            p.k.to_string(),
            p.batch.to_string(),
            found.tokens.to_string(),
            s.rows.to_string(),
            or_dash(s.time_s > 0.0, Seconds(s.time_s).to_string()),
            or_dash(s.rate.is_finite(), FlopsPerSec(s.rate).to_string()),
            or_dash(s.efficiency.is_finite(), percent(s.efficiency)),
        ]
    };
    let header = [
        "GEMM",
        "M",
        "N",
        "K",
        "batch",
        "tokens",
        "rows",
        "total time",
        "best rate",
        "of the roof",
    ];
    ResultTable::of(&header, shapes.iter().map(row).collect())
}

#[cfg(test)]
mod tests;
