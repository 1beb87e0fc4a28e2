//! The full report as markdown.

use super::escape::{markdown_text as md, short};
use super::operations::ExtraColumn;
use super::{FindingLine, Report, TuningPart};
use crate::findings::{Finding, Kind};
use crate::untimed::UntimedList;
use gemmscope_model::units::{Seconds, capitalized, fixed, plural};

/// Writes the report.
pub fn markdown(report: &Report) -> String {
    let mut out = String::from("# GEMM report\n\n");
    for (name, format) in &report.files {
        out.push_str(&format!("- {} ({})\n", md(name), md(format)));
    }
    for device in &report.devices {
        out.push_str(&format!("- Device: {}, {}\n", md(device), report.roof));
    }
    overview(report, &mut out);
    if !report.only_shapes() {
        judged(report, &mut out);
    }
    shapes(&report.shapes, &mut out);
    for part in &report.tuning {
        tuning(part, &mut out);
    }
    if !report.only_shapes() {
        checks(report, &mut out);
        out.push_str(
            "\n## What timings can't show\n\n| not seen | why | what timings do show |\n|---|---|---|\n",
        );
        for [what, why, instead] in &report.cannot_infer {
            out.push_str(&format!("| {what} | {why} | {} |\n", md(instead)));
        }
    }
    if !report.notes.is_empty() {
        out.push_str("\n## Notes on the data\n\n");
        for note in &report.notes {
            out.push_str(&format!("- {}\n", md(note)));
        }
    }
    out
}

/// What needs times: findings, operations, flagged ones.
fn judged(report: &Report, out: &mut String) {
    out.push_str("\n## Findings\n");
    for line in report.ledger.lines() {
        out.push_str(&format!("\n{}.\n", md(&line)));
    }
    if report.findings.is_empty() {
        out.push_str("\nNone.\n");
    }
    for (i, f) in report.findings.iter().enumerate() {
        finding(i + 1, f, out);
    }
    operations(report, out);
    bottlenecks(report, out);
}

fn shapes(list: &UntimedList, out: &mut String) {
    if list.total == 0 {
        return;
    }
    out.push_str(&format!(
        "\n## Shapes without a time\n\n{}\n\n| Shape | Types | Roof time of a call | Bound | Calls |\n\
         |---|---|---|---|---|\n",
        list.words()
    ));
    for s in &list.longest {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            s.shape(),
            md(&s.types),
            Seconds(s.roof_time_s),
            s.bound.label(),
            fixed(s.calls, 0)
        ));
    }
    if list.more() > 0 {
        out.push_str(&format!("\nand {} more.\n", list.more()));
    }
}

fn tuning(part: &TuningPart, out: &mut String) {
    out.push_str(&format!("\n## Tuning: {}\n\n{}\n", md(&part.problem), md(&part.words())));
    if !part.settings.is_empty() {
        out.push_str("\n| Setting | Failed or slow | Of all with it |\n|---|---|---|\n");
    }
    for s in &part.settings {
        out.push_str(&format!("| {} = {} | {} | {} |\n", md(&s.name), md(&s.value), s.bad, s.all));
    }
    out.push_str(&format!(
        "\n| Variant | {} | Outcome | Time | Settings |\n|---|---|---|---|---|\n",
        md(&capitalized(&part.order))
    ));
    for v in &part.bad {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            md(&short(&v.name, 60)),
            v.order,
            md(&v.outcome),
            time(v.time_s),
            md(&v.settings)
        ));
    }
    if part.more() > 0 {
        out.push_str(&format!("\nand {} more.\n", part.more()));
    }
}

/// A time, or that none is stated.
pub(super) fn time(time_s: f64) -> String {
    if time_s.is_finite() { Seconds(time_s).to_string() } else { "not stated".to_owned() }
}

fn overview(report: &Report, out: &mut String) {
    out.push_str(&format!("\n## Overview\n\n{}\n", md(&report.sentences.join(" "))));
    if let Some(time) = &report.time {
        out.push_str(&format!("\n{}\n", md(&time.words())));
    }
    out.push_str(&format!("\nTrust: {}.\n", md(&report.trust.words())));
    for (what, texts) in [("Chosen", &report.chosen), ("Assumed", &report.assumptions)] {
        if texts.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{what}:\n\n"));
        for text in texts {
            out.push_str(&format!("- {}\n", md(text)));
        }
    }
}

fn operations(report: &Report, out: &mut String) {
    let extra = ExtraColumn::of(report);
    let mut heads = vec![
        "Operation",
        "Shape",
        "Count",
        "Time (ms)",
        "% of Category",
        "% of roof",
        "Attained",
        "Bandwidth",
        "FLOP/B",
        "Limited by",
        "Type",
    ];
    heads.extend(extra.iter().map(|c| c.title()));
    out.push_str(&format!(
        "\n## Operations\n\n| {} |\n|{}\n",
        heads.join(" | "),
        "---|".repeat(heads.len())
    ));
    for o in report.listed() {
        let [efficiency, rate, bandwidth, intensity] = o.figures();
        out.push_str(&format!(
            "| {} | {} | {} | {} | {:.1} | {efficiency} | {rate} | {bandwidth} | {intensity} | {} | {} |",
            md(&short(&o.name, 60)),
            md(&o.problem),
            fixed(o.calls, 0),
            fixed(o.time_s * 1e3, 3),
            o.share_of_category * 100.0,
            o.bound.as_deref().unwrap_or("unknown"),
            if o.quantized { "quantized" } else { "regular" }
        ));
        for column in &extra {
            out.push_str(&format!(" {} |", md(&column.cell(o))));
        }
        out.push('\n');
    }
    let more = report.operations_total - report.listed().len();
    if more > 0 {
        out.push_str(&format!("\n{more} more operations take less time each.\n"));
    }
    let differ: Vec<String> = report
        .operations
        .iter()
        .filter(|o| {
            let ours = o.bound.as_deref().unwrap_or("");
            !ours.is_empty() && !ours.starts_with(&o.rule_of_thumb)
        })
        .map(|o| format!("{} ({}: {})", md(&o.problem), md(&o.name), o.rule_of_thumb))
        .collect();
    if !differ.is_empty() {
        let shown = differ.len().min(5);
        let more = match differ.len() - shown {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        out.push_str(&format!(
            "\nBound is by the ridge point of the device. The rule of thumb (AI over 200 is \
             compute-bound, under 100 memory-bound) differs for {}{more}.\n",
            differ[..shown].join("; ")
        ));
    }
}

fn bottlenecks(report: &Report, out: &mut String) {
    out.push_str(
        "\n## Flagged operations\n\n| Operation | Shape | Priority | Flags | Context |\n\
         |---|---|---|---|---|\n",
    );
    for b in report.worth_acting_on() {
        let o = &report.operations[b.operation];
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            md(&short(&o.heading(), 90)),
            md(&o.problem),
            b.priority.label(),
            b.flags.join(", "),
            md(&b.context.join(" "))
        ));
    }
    if let Some(words) = report.not_worth() {
        out.push_str(&format!("\n{words}\n"));
    }
}

/// Seconds, what they rest on, and GEMMs of a finding in one line.
pub(super) fn facts(f: &FindingLine) -> String {
    let x = &f.finding;
    let mut parts = Vec::new();
    match (x.kind, x.saves_s) {
        (Kind::Lost, Some(s)) => parts.push(format!("{} lost, {}", Seconds(s), x.basis.label())),
        (Kind::Idea, Some(s)) => parts.push(format!("at the roof {} less", Seconds(s))),
        _ if f.rows_total == 0 && x.time_s > 0.0 => parts.push(Seconds(x.time_s).to_string()),
        _ => {}
    }
    if f.rows_total > 0 {
        parts.push(format!("{} taking {}", plural(x.groups, "GEMM"), Seconds(x.time_s)));
    }
    parts.join("; ")
}

/// The signs of a finding's GEMMs: `unaligned sizes (12), launch-bound (3)`.
pub(super) fn signs(x: &Finding) -> String {
    let each: Vec<String> = x.signs.iter().map(|s| format!("{} ({})", s.title, s.groups)).collect();
    each.join(", ")
}

/// The first places of a finding, `file:line`.
pub(super) fn places(f: &FindingLine) -> String {
    let shown: Vec<String> =
        f.places.iter().take(5).map(|p| format!("{}:{}", p.file, p.line)).collect();
    let more = f.rows_total.saturating_sub(shown.len());
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn finding(number: usize, f: &FindingLine, out: &mut String) {
    let x = &f.finding;
    out.push_str(&format!(
        "\n### {number}. {} ({}, {})\n\n{}\n\n",
        md(&x.heading()),
        x.severity.label(),
        x.category.label(),
        md(&x.text)
    ));
    if !x.evidence.formula.is_empty() {
        out.push_str(&format!("- **How:** {}\n", md(&x.evidence.formula)));
    }
    out.push_str(&format!("- **Weight:** {}\n", facts(f)));
    if f.rows_total > 0 {
        out.push_str(&format!("- **Rows:** {}\n", md(&places(f))));
    }
    if !x.signs.is_empty() {
        out.push_str(&format!("- **Signs:** {}\n", md(&signs(x))));
    }
    out.push_str(&format!(
        "- **Try in the model:** {}\n- **Try in the kernel or library:** {}\n- **To confirm:** {}\n",
        md(&x.path_a),
        md(&x.path_b),
        md(&x.profile)
    ));
}

fn checks(report: &Report, out: &mut String) {
    out.push_str("\n## Checks\n\n| rule | speaks when | outcome |\n|---|---|---|\n");
    for c in &report.checked {
        let outcome = c.outcome();
        out.push_str(&format!("| {} | {} | {outcome} |\n", c.title, c.threshold));
    }
}
