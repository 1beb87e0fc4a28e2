//! `gemm_findings.md`: the summary in the form that trace analysts exchange.

use super::escape::markdown_text;
use super::{MAX_BOTTLENECKS, Report};
use gemmscope_table::field::Frame;

/// The summary of a frame with achievable peaks as roofs, if they are known: the percentages of
/// analysts refer to these.
pub fn gemm_findings_of(frame: &Frame) -> String {
    let frame = super::with_achievable(frame);
    gemm_findings(&Report::new(&frame, &crate::findings::check_all(&frame)))
}

/// Writes the summary of a report; see [`gemm_findings_of`].
pub fn gemm_findings(report: &Report) -> String {
    let mut out = String::from("# GEMM Analysis Summary\n\n## Overview\n");
    // Without a space before the sign: this is how the form is exchanged.
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    let average = report.efficiency.map_or("unknown".to_owned(), percent);
    out.push_str(&format!(
        "GEMMs account for {} of {}. Average efficiency: {average}.\n\n## Key Bottlenecks\n",
        percent(report.share),
        report.whole
    ));
    let maf = if report.roof.starts_with("max-achievable") {
        "peak MAF"
    } else {
        "the datasheet roof (no achievable peak is known)"
    };
    let validated: Vec<_> = report
        .bottlenecks
        .iter()
        .filter(|b| b.validated)
        .take(MAX_BOTTLENECKS)
        .collect();
    if validated.is_empty() {
        out.push_str("\nNone of the flagged operations is worth acting on.\n");
    }
    for (i, b) in validated.iter().enumerate() {
        let o = &report.operations[b.operation];
        let efficiency = o.efficiency.map_or("unknown".to_owned(), percent);
        out.push_str(&format!(
            "\n### {}. {} ({})\n- **Time:** {:.3} ms ({} of {})\n\
             - **Efficiency:** {efficiency} of {maf}\n- **Issue:** {}\n- **Path A:** {}\n\
             - **Path B:** {}\n- **Priority:** {}\n",
            i + 1,
            markdown_text(&o.name),
            markdown_text(&o.problem),
            o.time_s * 1e3,
            percent(o.share),
            report.whole.trim_end_matches(" time"),
            markdown_text(&b.issue),
            markdown_text(&b.path_a),
            markdown_text(&b.path_b),
            b.priority.label()
        ));
    }
    let list = |items: &[String], none: &str| {
        if items.is_empty() {
            none.to_owned()
        } else {
            items
                .iter()
                .map(|i| markdown_text(i).into_owned())
                .collect::<Vec<_>>()
                .join("; ")
        }
    };
    out.push_str(&format!(
        "\n## Additional Notes\n- Missing perf models: {}\n- Quantized GEMMs detected: {}\n\
         - Batching opportunities: {}\n",
        list(&report.missing_models, "none"),
        report.quantized,
        list(&report.batching, "none seen")
    ));
    if let (Some(weighted), Some(plain)) = (report.efficiency, report.plain_mean_efficiency)
        && (weighted - plain).abs() > 5e-4
    {
        out.push_str(&format!(
            "- Average efficiency is weighted by time; the plain mean of the operations' \
             percentages is {}.\n",
            percent(plain)
        ));
    }
    for a in &report.assumptions {
        out.push_str(&format!("- Assumed: {}\n", markdown_text(a)));
    }
    for b in report.bottlenecks.iter().filter(|b| !b.validated) {
        let o = &report.operations[b.operation];
        out.push_str(&format!(
            "- Flagged but not a bottleneck: {} {}, {:.3} ms ({}). {}\n",
            markdown_text(&o.name),
            markdown_text(&o.problem),
            o.time_s * 1e3,
            b.flags.join(", "),
            markdown_text(&b.context.join(" "))
        ));
    }
    out
}
