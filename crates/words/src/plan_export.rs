//! Shape lists for benchmark tools, and the plan as a table.
//!
//! Each distinct shape is listed once. A shape that a tool cannot run, for instance one of an unknown type, is left out
//! and counted in a comment.

use crate::doc::{self, Block, heading, text};
use crate::replay::blas::{cutlass_call, hipblaslt_call};
use gemmscope_analysis::planner::{Plan, PlanRow, Step};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::Device;
use gemmscope_model::reference::ReferenceTime;
use gemmscope_model::roofline::Roof;
use gemmscope_model::transformer::GemmBest;
use gemmscope_model::units::{Bytes, FlopsPerSec, Seconds, format_significant, percent, plural};
use gemmscope_table::field::shape_label;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::native_csv::CsvWriter;
use gemmscope_table::result_table::ResultTable;
use std::fmt::Write;

/// A file that can be saved.
#[derive(Clone, Copy)]
pub struct Export {
    /// Key.
    pub id: &'static str,
    /// Name.
    pub name: &'static str,
    /// File name.
    pub file: &'static str,
    /// Purpose of the file.
    pub hint: &'static str,
    /// Writes it.
    pub write: fn(&Plan) -> String,
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("id", &self.id).finish()
    }
}

const fn export(
    id: &'static str,
    name: &'static str,
    file: &'static str,
    hint: &'static str,
    write: fn(&Plan) -> String,
) -> Export {
    Export { id, name, file, hint, write }
}

/// The files that a plan can be saved as.
#[rustfmt::skip]
pub const EXPORTS: &[Export] = &[
    export("csv", "CSV with predictions", "gemmscope-plan.csv",
        "Every GEMM with work, bytes, intensity and roof time; this page reads it back.", csv),
    export("markdown", "Markdown table", "gemmscope-plan.md",
        "The table and the totals, for a document or an issue.", markdown),
    export("hipblaslt", "hipblaslt-bench commands", "hipblaslt-bench.sh",
        "One command per shape, column-major: M and N swap, Y = X W^T is T N.", hipblaslt),
    export("cutlass", "cutlass_profiler commands", "cutlass-profiler.sh",
        "One command per shape, operands with their layout.", cutlass),
    export("tritonbench", "TritonBench shapes", "tritonbench-shapes.csv",
        "M,K,N,Bias: K comes before N.", tritonbench),
];

/// Distinct shapes on the first device, each with its names.
fn shapes(plan: &Plan) -> Vec<(Problem, Vec<&str>)> {
    let mut out: Vec<(Problem, Vec<&str>)> = Vec::new();
    for row in plan.first().map_or(&[][..], |s| &s.rows) {
        match out.iter_mut().find(|(p, _)| p == row.problem()) {
            Some((_, names)) => names.push(&row.name),
            None => out.push((*row.problem(), vec![&row.name])),
        }
    }
    out
}

/// The plan's rows in this project's own format, with roof time and share.
pub fn csv(plan: &Plan) -> String {
    let data = plan.dataset();
    let own: Vec<_> = plan.steps.iter().map(|s| s.device.clone()).collect();
    let devices = DeviceChoice::default().resolve(&data, &own);
    let metrics = Metrics::compute(&data, devices, plan.state.roof);
    let mut writer = CsvWriter::new(&data, Some(&metrics));
    writer.header() + &writer.rows(0..data.len())
}

/// Column titles of the table of GEMMs: times first, then their reasons.
const HEADER: [&str; 12] = [
    "GEMM",
    "Shape",
    "Count",
    "At best",
    "Expected",
    "In a step",
    "Share",
    "Bound",
    "AI",
    "Ridge at batch",
    "Work",
    "Bytes",
];

fn cells(row: &PlanRow) -> Vec<String> {
    let p = row.problem();
    vec![
        row.name.clone(),
        shape_label(p),
        row.best.gemm.count.to_string(),
        row.best.time.to_string(),
        row.best.expected.to_string(),
        row.best.total_time.to_string(),
        percent(row.share),
        row.best.bound.label().to_owned(),
        format_significant(row.intensity(), 4),
        match row.ridge_batch {
            Some(batch) => batch.to_string(),
            None => "never".to_owned(),
        },
        p.work().to_string(),
        p.bytes().to_string(),
    ]
}

/// Table of the GEMMs of one step, with the batch at which each crosses the ridge point, and their types if these
/// differ.
pub fn table(step: &Step) -> ResultTable {
    let mut header = HEADER.to_vec();
    let mut rows: Vec<Vec<String>> = step.rows.iter().map(cells).collect();
    if step.rows.iter().any(|r| r.best.reference.is_some()) {
        let after = 5;
        header.insert(after, "Others reach");
        for (row, of) in rows.iter_mut().zip(&step.rows) {
            let time = |t: ReferenceTime| Seconds(t.time_s).to_string();
            row.insert(after, of.best.reference.map_or_else(String::new, time));
        }
    }
    let types: Vec<String> = step.rows.iter().map(|r| r.problem().op.types()).collect();
    if types.windows(2).any(|two| two[0] != two[1]) {
        header.push("Types");
        for (row, types) in rows.iter_mut().zip(types) {
            row.push(types);
        }
    }
    ResultTable::of(&header, rows)
}

/// Devices by best time of the step, those without a roof last, with the reason.
pub fn device_table(plan: &Plan) -> ResultTable {
    let header = [
        "Device",
        "Step, at best",
        "Step, expected",
        "Layer",
        "Tokens/s",
        "Time per token",
        "Weights",
        "KV cache",
        "Device memory",
        "Fits",
        "Vs fastest",
    ];
    let mut done: Vec<_> =
        plan.steps.iter().filter_map(|s| Some((&s.device, s.result.as_ref().ok()?))).collect();
    done.sort_by(|a, b| a.1.totals.time.0.total_cmp(&b.1.totals.time.0));
    // Training needs memory for more than weights, so whether it fits is unknown.
    let training = plan.state.workload.backward;
    let fastest = done.first().map_or(f64::NAN, |d| d.1.totals.time.0);
    let mut rows: Vec<Vec<String>> = done
        .iter()
        .map(|(device, step)| {
            let t = &step.totals;
            vec![
                device.name.clone(),
                t.time.to_string(),
                t.expected.to_string(),
                step.layer_time.to_string(),
                format_significant(t.tokens_per_s, 4),
                step.token_time.to_string(),
                t.weight_bytes.to_string(),
                if training { String::new() } else { t.kv_cache_bytes.to_string() },
                device.memory_bytes.map_or("unknown".to_owned(), |b| Bytes(b).to_string()),
                match t.fits.filter(|_| !training) {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "unknown",
                }
                .to_owned(),
                format!("{} ×", format_significant(t.time.0 / fastest, 3)),
            ]
        })
        .collect();
    for step in &plan.steps {
        if let Err(e) = &step.result {
            let mut row = vec![step.device.name.clone(), e.to_string()];
            row.resize(header.len(), String::new());
            rows.push(row);
        }
    }
    ResultTable::of(&header, rows)
}

/// Heading, totals and table.
pub fn markdown(plan: &Plan) -> String {
    let gemms = plan.first().zip(plan.steps.first()).map(|(step, on)| (table(step), &on.device));
    let devices = device_table(plan);
    let mut blocks = vec![
        heading(crate::plan::headline(plan)),
        text(
            "At best: each GEMM at its roof, compulsory bytes only. Expected: at the achievable rates, with a \
             launch floor a call; measured GEMMs are off by a factor of 1.2 to 1.3. Neither counts \
             communication, norms or sampling.",
        ),
    ];
    if let Some((gemms, device)) = &gemms {
        blocks.push(text(format!("On {}:", device.name)));
        blocks.push(Block::Table(doc::DocTable::of(gemms)));
    }
    blocks.push(Block::Table(doc::DocTable::of(&devices)));
    blocks.push(text(format!("Model: {}.", plan.state.model.source)));
    doc::markdown(&blocks).trim_start().to_owned()
}

/// A line for every shape that `line` supports, then the number of the other shapes.
fn lines(plan: &Plan, line: impl Fn(&Problem) -> Option<String>) -> String {
    let mut out = format!("#!/bin/sh\n# {}\n", crate::plan::headline(plan));
    let mut left_out = Vec::new();
    for (problem, names) in shapes(plan) {
        let mut names = names.join(", ");
        if problem.op.groups.is_some() {
            names.push_str(", its active groups as a batch of equal ones");
        }
        match line(&problem.as_batch()) {
            Some(text) => {
                let _ = writeln!(out, "# {names}\n{text}");
            }
            None => left_out.push(format!("{names} ({})", problem.op.types())),
        }
    }
    if !left_out.is_empty() {
        let _ = writeln!(
            out,
            "# Left out, number format not supported by the tool: {}",
            left_out.join("; ")
        );
    }
    out
}

/// A shell command joined into one line.
fn on_a_line(command: Result<String, String>) -> Option<String> {
    Some(command.ok()?.replace(" \\\n ", ""))
}

/// `hipblaslt-bench` commands.
fn hipblaslt(plan: &Plan) -> String {
    lines(plan, |p| on_a_line(hipblaslt_call(&p.other_storage_order())))
}

/// `cutlass_profiler` commands.
fn cutlass(plan: &Plan) -> String {
    lines(plan, |p| on_a_line(cutlass_call(p, false)))
}

/// Shapes for TritonBench's gemm: `M,K,N,Bias`, K before N, no batched products.
pub fn tritonbench(plan: &Plan) -> String {
    let mut out = String::from("M,K,N,Bias\n");
    let mut seen = Vec::new();
    for (p, _) in shapes(plan) {
        let p = p.as_batch();
        let shape = (p.m, p.k, p.n, p.op.bias);
        if p.batch == 1 && !seen.contains(&shape) {
            seen.push(shape);
            let _ = writeln!(
                out,
                "{},{},{},{}",
                p.m,
                p.k,
                p.n,
                if p.op.bias { "True" } else { "False" }
            );
        }
    }
    out
}

/// A total: caption, value, and its basis or the whole that it is a part of; "" for none.
pub type Total = (&'static str, String, String);

/// Time of others for the GEMMs of a step that have published times; "" if none have.
fn others_reach(step: &Step) -> Total {
    let published = || step.rows.iter().filter_map(|r| Some((&r.best, r.best.reference?)));
    let sum = |of: &dyn Fn(&GemmBest, ReferenceTime) -> f64| -> f64 {
        published().map(|(best, others)| of(best, others) * best.gemm.count as f64).sum()
    };
    let (time, basis) = match published().count() {
        0 => (String::new(), String::new()),
        n => (
            Seconds(sum(&|_, others| others.time_s)).to_string(),
            format!(
                "{n} of {}, of which {} are expected",
                plural(step.rows.len() as u64, "GEMM"),
                Seconds(sum(&|best, _| best.expected.0))
            ),
        ),
    };
    ("Others reach", time, basis)
}

/// Basis of a device's expected time.
fn basis(device: &Device) -> String {
    let (floor_s, source) = device.launch_floor();
    let launch = format!("{} a launch ({source})", Seconds(floor_s));
    let share = |share: f64| format!("{:.0}\u{a0}%", 100.0 * share);
    let bandwidth = share(device.reached_bandwidth.unwrap_or(Roof::REACHED_BANDWIDTH));
    match device.reached_peak {
        Some(peak) => {
            format!("{} of the 16-bit peak, {bandwidth} of the bandwidth, {launch}", share(peak))
        }
        None => format!("achievable rates, {bandwidth} of the bandwidth, {launch}"),
    }
}

/// The first device's totals.
pub fn figures(plan: &Plan) -> Vec<Total> {
    let (Some(step), Some(device)) = (plan.first(), plan.steps.first()) else {
        return Vec::new();
    };
    let t = &step.totals;
    let memory = t.weight_bytes.0 + t.kv_cache_bytes.0;
    let of = device.device.memory_bytes.map_or(String::new(), |b| {
        let fits = if t.fits == Some(false) { ", does not fit" } else { "" };
        format!("{:.0}\u{a0}% of {}{fits}", 100.0 * memory / b, Bytes(b))
    });
    let model = &plan.state.model;
    // Training needs memory for gradients, optimizer states and activations, but no cache.
    let training = plan.state.workload.backward;
    let alone = |label, value: String| (label, value, String::new());
    let all = vec![
        alone("Step, at best", t.time.to_string()),
        ("Step, expected", t.expected.to_string(), basis(&device.device)),
        others_reach(step),
        alone("Layer, at best", step.layer_time.to_string()),
        (
            "Tokens, at best",
            format!("{} tokens/s", format_significant(t.tokens_per_s, 4)),
            "all sequences together".to_owned(),
        ),
        alone("Work", t.work.to_string()),
        alone("Compulsory bytes", t.bytes.to_string()),
        alone("Mean rate", FlopsPerSec(t.work.0 / t.time.0).to_string()),
        alone("Weights", t.weight_bytes.to_string()),
        alone("KV cache", t.kv_cache_bytes.to_string()),
        ("Memory", Bytes(memory).to_string(), of),
        alone("Parameters", format!("{} billion", format_significant(model.parameters() / 1e9, 4))),
        alone("Time per token", Seconds(step.token_time.0).to_string()),
        (
            "Bias gradients",
            step.bias_gradients().to_string(),
            "read for the sums of dY over its rows, no GEMMs".to_owned(),
        ),
    ];
    // A decode step yields a token per sequence.
    let per_token = t.time.0 != step.token_time.0;
    let shown = |f: &Total| match f.0 {
        "KV cache" | "Memory" => !training,
        "Others reach" => !f.1.is_empty(),
        "Time per token" => per_token,
        "Bias gradients" => training && step.bias_gradients().0 > 0.0,
        _ => true,
    };
    all.into_iter().filter(shown).collect()
}

#[cfg(test)]
mod tests;
