//! `gemmscope report`: writes the findings as a document, without a browser.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Shown, Stop, frame};
use crate::output;
use gemmscope_chart::picture;
use gemmscope_words::findings;
use gemmscope_words::report;

/// Formats of `report`.
pub(super) const FORMS: [&str; 4] = ["markdown", "html", "json", "summary"];

/// Writes the findings as a document.
pub(super) fn report(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let Shown { frame, state, failed } = frame(args, io)?;
    let found = findings::check_all(&frame);
    let report = report::Report::new(&frame, &found);
    let text = match args.form.as_deref().unwrap_or_else(|| by_name(args)) {
        "json" => report::json(&report) + "\n",
        "summary" => report::gemm_findings_of(&frame),
        "html" => report::html(&report, &picture::for_report(&frame, &state)),
        _ => report::markdown(&report),
    };
    output::write_text(args, &text, io)?;
    Ok(Exit::worked(!failed))
}

/// The format that the output's name implies.
fn by_name(args: &Args) -> &'static str {
    let path = args.output.as_deref().map(std::path::Path::new);
    // The name under which trace analysts exchange the short form.
    if path.is_some_and(|p| p.file_name().is_some_and(|n| n == "gemm_findings.md")) {
        return "summary";
    }
    match path.and_then(|p| p.extension()).and_then(|e| e.to_str()) {
        Some("html" | "htm") => "html",
        Some("json") => "json",
        _ => "markdown",
    }
}
