//! `gemmscope report`: writes the findings as a document, without a browser.

use crate::Io;
use crate::command_line::{Input, Selection, file, notes};
use crate::exit::{Exit, Stop};
use crate::load::{Request, Shown, load};
use crate::output;
use clap::ValueEnum;
use gemmscope_chart::picture;
use gemmscope_words::findings;
use gemmscope_words::report;
use std::path::PathBuf;

/// The findings as a document
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "-o gemm_findings.md writes the short form used in trace analysis; a TraceLens output folder\n\
     adds call stacks, modules and peaks to it.\n",
    &[
        "gemmscope report bench.csv --device mi300x -o report.html",
        "gemmscope report bench.csv --device mi300x --form json | jq '.findings[].title'",
        "gemmscope report trace_report/ -o gemm_findings.md",
    ],
))]
pub(super) struct Report {
    /// Form, else by the output's name
    #[arg(long, value_name = "F")]
    form: Option<Form>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "OUT.md", value_parser = file(
        &["md", "markdown", "txt", "html", "htm", "json"],
        "a document: .md, .html or .json",
    ))]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Markdown,
    Html,
    Json,
    Summary,
}

impl Report {
    /// Writes the findings as a document.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let request = Request { output: self.output.as_deref(), ..self.input.request() };
        let loaded = load(&request, io.stdin);
        loaded.report(&mut io.err)?;
        // GEMM time without a shape is enough for a report.
        if loaded.misuse.is_some() || !loaded.has_gemm_time() {
            loaded.expect_rows()?;
        }
        let Shown { frame, state, failed } = loaded.show(&self.selection, None, &mut io.err)?;
        let found = findings::check_all(&frame);
        let report = report::Report::new(&frame, &found);
        let text = match self.form() {
            Form::Json => report::json(&report) + "\n",
            Form::Summary => report::gemm_findings_of(&frame),
            Form::Html => report::html(&report, &picture::for_report(&frame, &state)),
            Form::Markdown => report::markdown(&report),
        };
        output::write_text(self.output.as_deref(), &text, io)?;
        Ok(Exit::worked(!failed))
    }

    /// The form by `--form`, `--json` or the name of the output.
    fn form(&self) -> Form {
        let path = self.output.as_deref();
        let extension = path.and_then(|p| p.extension()).and_then(|e| e.to_str());
        match (self.form, extension) {
            (Some(form), _) => form,
            _ if self.input.source.json => Form::Json,
            // The name under which trace analysts exchange the short form.
            _ if path.is_some_and(|p| p.file_name().is_some_and(|n| n == "gemm_findings.md")) => {
                Form::Summary
            }
            (_, Some("html" | "htm")) => Form::Html,
            (_, Some("json")) => Form::Json,
            _ => Form::Markdown,
        }
    }
}
