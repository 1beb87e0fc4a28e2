//! `gemm_findings.md`: the summary in the form that trace analysts exchange.

use super::{Bottleneck, MAX_BOTTLENECKS, Report, ReportOperation, ReportPart};
use crate::compare::tally_sentences;
use crate::doc::escape::{markdown_line as line, markdown_text as md, short};
use crate::headline;
use crate::trace_time;
use crate::trust::Trust;
use gemmscope_analysis::ledger::{Book, Ledger};
use gemmscope_analysis::names::roof_name;
use gemmscope_model::units::{fixed, plural};
use gemmscope_table::field::Frame;
use std::fmt::Write;

/// The summary of a frame under achievable peaks, if these are known, which the percentages of analysts refer to.
pub fn gemm_findings_of(frame: &Frame) -> String {
    let own = super::with_achievable(frame);
    let text = gemm_findings(&of_achievable(&own));
    let ledger = Ledger::new(frame);
    if own.metrics.kind == frame.metrics.kind || ledger.books.is_empty() {
        return text;
    }
    // States the page's own figures beside those of this form, so that they are not confused.
    let mut words = format!(
        "Percentages here are of the max-achievable rate (MAF), as is usual in this form. Of the {}:\n",
        roof_name(frame.metrics.kind),
    );
    time_goes_to(&ledger, &Trust::beside(frame, &ledger), &mut words);
    text.replacen("\n## Key Bottlenecks\n", &format!("{words}\n## Key Bottlenecks\n"), 1)
}

/// The report whose bottlenecks [`gemm_findings_of`] lists.
pub(crate) fn of_achievable(frame: &Frame) -> Report {
    let own = super::with_achievable(frame);
    Report::new(&own, &crate::findings::check_all(&own))
}

/// A line for each side and device.
fn time_goes_to(ledger: &Ledger, trust: &Trust, out: &mut String) {
    for line in headline::lines(ledger, trust) {
        let _ = writeln!(out, "- Time goes to: {}", md(&line));
    }
}

/// A percentage without a space before the sign, as usual in this form.
fn percent(share: f64) -> String {
    match share > 0.0 && share < 5e-4 {
        true => "under 0.1%".to_owned(),
        false => format!("{}%", fixed(share * 100.0, 1)),
    }
}

fn known(share: Option<f64>) -> String {
    share.map_or_else(|| "unknown".to_owned(), percent)
}

/// `compute`, `kernel` or `measured` time: what a percentage refers to.
fn whole(part: &ReportPart) -> &str {
    part.whole.trim_end_matches(" time")
}

/// Writes the summary of a report; see [`gemm_findings_of`].
pub fn gemm_findings(report: &Report) -> String {
    let mut out = String::from("# GEMM Analysis Summary\n\n## Overview\n");
    if let Some(doubt) = report.trust.doubt() {
        let _ = writeln!(out, "{}", line(&doubt));
    }
    if report.only_shapes() {
        let _ = writeln!(
            out,
            "{}",
            line(&report.sentences.iter().take(2).cloned().collect::<Vec<_>>().join(" "))
        );
    } else {
        for (i, part) in report.parts.iter().enumerate() {
            overview(part, &efficiency(&report.ledger, i), &mut out);
        }
    }
    for time in &report.times {
        let _ = writeln!(out, "{}", line(&trace_time::sentence(time)));
    }
    let first = report.findings.first().map(|line| &line.finding);
    if let Some(f) = first.filter(|f| f.is_outside_gemms()) {
        let _ = writeln!(out, "Look at this first: {}. {}", md(&f.title), md(&f.path_a));
    }
    if let Some(standing) = &report.standing {
        let _ = writeln!(out, "{}", line(&tally_sentences(standing).join(" ")));
    }
    if let Some(sentence) = report.best_of_all.iter().find_map(|best| best.sentence.as_ref()) {
        let _ = writeln!(out, "{}", line(sentence));
    }
    time_goes_to(&report.ledger, &report.trust, &mut out);
    let _ = writeln!(out, "- Trust: {}", md(&report.trust.words()));
    // A side has a name only if sides are compared, and then each bottleneck belongs to one of them.
    out.push_str("\n## Key Bottlenecks\n");
    let validated: Vec<&Bottleneck> = report.key_bottlenecks().collect();
    if report.only_shapes() {
        out.push_str("\nNone: no operation has a time.\n");
    } else if validated.is_empty() {
        out.push_str("\nNone of the flagged operations is worth acting on.\n");
    }
    for (i, b) in validated.iter().enumerate() {
        bottleneck(report, i + 1, b, &mut out);
    }
    notes(report, &mut out);
    flagged(report, &mut out);
    for [what, why, instead] in &report.cannot_infer {
        let _ =
            writeln!(out, "- Cannot be inferred: {what} ({why}). Instead say: {}.", md(instead));
    }
    out
}

/// Share of the roof of a side, for each of its devices.
fn efficiency(ledger: &Ledger, side: usize) -> String {
    let several = ledger.of_side(side).count() > 1;
    let one = |b: &Book| match several {
        true => format!("{} ({})", known(b.share_of_roof()), md(&b.device)),
        false => known(b.share_of_roof()),
    };
    match ledger.of_side(side).map(one).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => known(None),
        each => each,
    }
}

fn overview(part: &ReportPart, efficiency: &str, out: &mut String) {
    let side = match part.side.as_str() {
        "" => String::new(),
        side => format!("{}: ", line(side)),
    };
    let _ = writeln!(
        out,
        "{side}GEMMs account for {} of {}{}. Average efficiency (weighted by time): {efficiency}.",
        percent(part.share),
        part.whole,
        part.reported_share
            .map_or_else(String::new, |s| format!(" ({} by the report's metadata)", percent(s)))
    );
    let significance = if part.whole == "measured time" {
        "the file lists GEMMs only, so their share of a program is not known".to_owned()
    } else if part.significant {
        "above 10% of compute: worth optimizing".to_owned()
    } else {
        "below 10% of compute: look elsewhere first".to_owned()
    };
    let _ = writeln!(out, "Category significance: {significance}.");
    if part.without_model_s > 0.0 && part.gemm_s == 0.0 {
        let ms = fixed(part.without_model_s * 1e3, 3);
        let _ = writeln!(out, "None of the {ms} ms of GEMM time has a performance model.");
    } else if part.without_model_s > 0.0 {
        let _ = writeln!(
            out,
            "The efficiency is over the {} ms that have a performance model; {} ms ({} of \
             the GEMM time) have none.",
            fixed(part.gemm_s * 1e3, 3),
            fixed(part.without_model_s * 1e3, 3),
            percent(part.without_model_s / (part.without_model_s + part.gemm_s))
        );
    }
}

/// The part for the side of an operation.
fn part_of<'a>(report: &'a Report, o: &ReportOperation) -> Option<&'a ReportPart> {
    report.parts.iter().find(|p| p.side == o.side)
}

fn bottleneck(report: &Report, number: usize, b: &Bottleneck, out: &mut String) {
    let o = &report.operations[b.operation];
    let part = part_of(report, o);
    let _ = writeln!(
        out,
        "\n### {number}. {} ({})\n- **Time:** {} ms ({} of {}), {}",
        md(&o.heading()),
        md(&o.problem),
        fixed(o.time_s * 1e3, 3),
        percent(o.share),
        part.map_or("compute", whole),
        plural(o.calls.round() as u64, "call"),
    );
    let efficiency = match (o.efficiency, &o.of_peak) {
        (Some(e), Some(peak)) => format!("{} of {}", percent(e), md(peak)),
        _ if o.has_no_model() => "unknown (no performance model)".to_owned(),
        _ => "unknown (no peak is known)".to_owned(),
    };
    let _ = writeln!(out, "- **Efficiency:** {efficiency}");
    if !o.kernel.is_empty() {
        let _ = writeln!(out, "- **Kernel:** {}", md(&short(&o.kernel, 160)));
    }
    if !o.callers.is_empty() {
        let _ = writeln!(out, "- **Called from:** {}", md(&o.callers.join(" > ")));
    }
    if !o.modules.is_empty() {
        let _ = writeln!(out, "- **Module:** {}", md(&o.modules.join(" > ")));
    }
    let _ = writeln!(
        out,
        "- **Issue:** {}\n- **Path A:** {}\n- **Path B:** {}\n- **Priority:** {}",
        md(&b.issue),
        md(&b.path_a),
        md(&b.path_b),
        b.priority.label()
    );
    if !b.context.is_empty() {
        let _ = writeln!(out, "- **Context:** {}", md(&b.context.join(" ")));
    }
}

fn notes(report: &Report, out: &mut String) {
    let list = |items: &[String], none: &str| {
        if items.is_empty() {
            none.to_owned()
        } else {
            let items: Vec<_> = items.iter().map(|i| md(i)).collect();
            items.join("; ")
        }
    };
    let quantized: usize = report.parts.iter().map(|p| p.quantized).sum();
    let _ = writeln!(
        out,
        "\n## Additional Notes\n- Missing perf models: {}\n- Quantized GEMMs detected: {quantized}\n\
         - Batching opportunities: {}",
        list(&report.missing_models, "none"),
        list(&report.batching, "none seen")
    );
    let anomalies: Vec<String> = report
        .operations
        .iter()
        .filter(|o| o.is_anomaly())
        .map(|o| format!("{} {} ({})", o.name, o.problem, known(o.efficiency)))
        .collect();
    let _ = writeln!(
        out,
        "- Anomalies (over 110% of the peak, left out of the ranking): {}",
        list(&anomalies, "none")
    );
    for part in &report.parts {
        if let (Some(weighted), Some(plain)) = (part.efficiency, part.plain_mean_efficiency)
            && (weighted - plain).abs() > 5e-4
        {
            let side = match part.side.as_str() {
                "" => String::new(),
                side => format!(" of {}", md(side)),
            };
            let _ = writeln!(
                out,
                "- Average efficiency{side} is weighted by time; the plain mean of the operations' \
                 percentages is {}.",
                percent(plain)
            );
        }
    }
    for (what, texts) in report.given() {
        for text in texts {
            let _ = writeln!(out, "- {what}: {}", md(text));
        }
    }
}

/// Every flagged operation that is not a bottleneck, with the reason.
fn flagged(report: &Report, out: &mut String) {
    let others: Vec<&Bottleneck> = report
        .bottlenecks
        .iter()
        .filter(|b| b.validated)
        .skip(MAX_BOTTLENECKS)
        .chain(report.bottlenecks.iter().filter(|b| !b.validated))
        .collect();
    for b in others {
        let o = &report.operations[b.operation];
        let why = match b.dismissed {
            "" => "after the first five".to_owned(),
            why => why.to_owned(),
        };
        let kernel = match o.kernel.as_str() {
            "" => String::new(),
            kernel => format!(" Kernel: {}.", md(&short(kernel, 100))),
        };
        let from = match o.callers.last() {
            Some(caller) => format!(" Called from: {}.", md(caller)),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "- Flagged but not a bottleneck: {} {}, {} ms, {}, efficiency {} ({}): {why}.{kernel}{from} \
             Path A: {} Path B: {}",
            md(&o.heading()),
            md(&o.problem),
            fixed(o.time_s * 1e3, 3),
            plural(o.calls.round() as u64, "call"),
            known(o.efficiency),
            b.flags.join(", "),
            md(&b.path_a),
            md(&b.path_b),
        );
    }
}
