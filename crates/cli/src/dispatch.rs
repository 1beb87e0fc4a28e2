//! `gemmscope dispatch`: best of all sides, as a table of which side to use for each GEMM.

use crate::Io;
use crate::command_line::{Selection, Source, file, notes};
use crate::exit::{Exit, Stop};
use crate::load::{Request, Shown, frame};
use crate::messages::Code;
use crate::output::write_text;
use clap::ValueEnum;
use gemmscope_analysis::compare;
use gemmscope_words::compare::{BestOfAll, dispatch_table, no_tunableop};
use std::path::PathBuf;

/// Best of all sides: what to use for each GEMM, and what that saves
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "A lead of up to 1.02 is a tie. --format tunableop writes what PyTorch's\n\
     TunableOp loads, from files that it wrote: their Validator lines can't be made up.\n",
    &[
        "gemmscope dispatch hipblaslt.csv rocblas.csv --device mi300x -o dispatch.csv",
        "gemmscope dispatch a/tunableop_results0.csv b/tunableop_results0.csv --format tunableop",
    ],
))]
pub(super) struct Dispatch {
    /// What is written
    #[arg(long, value_name = "F", default_value = "csv")]
    format: Form,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "OUT.csv", value_parser = file(&["csv", "txt", "json"], "a CSV"))]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    pub source: Source,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Csv,
    Tunableop,
}

/// Version of the JSON; `docs/src/schema/dispatch-1.json` describes it.
const SCHEMA: &str = "gemmscope/dispatch/1";

impl Dispatch {
    /// Writes the table.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let output = self.output.as_deref();
        let request = Request { output, ..self.source.request() };
        let Shown { frame, failed, .. } = frame(&request, &self.selection, None, io)?;
        if matches!(self.format, Form::Tunableop) {
            let text = compare::tunableop(&frame)
                .or_else(|why| io.err.stop(Code::Nothing, &no_tunableop(&why)))?;
            write_text(output, &text, io)?;
            return Ok(Exit::worked(!failed));
        }
        let Some((comparison, best)) = compare::Dispatch::of(&frame) else {
            return io.err.stop(
                Code::Nothing,
                "nothing to choose between: no GEMM was measured on two sides (files, libraries, kernels) of one device",
            );
        };
        let text = match self.source.json {
            true => {
                let mut object = serde_json::to_value(BestOfAll::of(&frame, &comparison, &best))
                    .map_err(std::io::Error::from)?;
                object["schema"] = SCHEMA.into();
                object.to_string() + "\n"
            }
            false => dispatch_table(&best.lines(&frame, &comparison)).csv(),
        };
        write_text(output, &text, io)?;
        Ok(Exit::worked(!failed))
    }
}
