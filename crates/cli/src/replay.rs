//! `gemmscope replay`: scripts that run single GEMMs, one for each bottleneck or for each GEMM.

use crate::Io;
use crate::command_line::{Input, Selection, notes};
use crate::exit::{Exit, Stop};
use crate::load::{Request, Shown, frame};
use crate::messages::Code;
use crate::output;
use gemmscope_model::encode::one_line;
use gemmscope_model::units::plural;
use gemmscope_words::replay::bulk;
use std::path::PathBuf;

/// A script per finding or per GEMM that checks the result and times it
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "A PyTorch script for each GEMM, plus the benchmark of the library that ran it, or Triton for a\n\
     Triton kernel. Scripts compare with double precision, exit with 1 on a mismatch and print a\n\
     line of CSV; run_all.sh collects the lines in results.csv, which gemmscope reads.\n",
    &["gemmscope replay trace_report/ --flagged -o replays"],
))]
pub(super) struct Replay {
    /// Only the bottlenecks of gemm_findings.md
    #[arg(long)]
    flagged: bool,
    /// Folder for the scripts
    #[arg(short, long, value_name = "FOLDER", value_parser = folder)]
    output: PathBuf,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

fn folder(text: &str) -> Result<PathBuf, String> {
    if text == "-" { Err("name a folder".into()) } else { Ok(text.into()) }
}

impl Replay {
    /// Writes the scripts into the folder of `-o`.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let request = Request { output: Some(&self.output), ..self.input.request() };
        let Shown { frame, failed, .. } = frame(&request, &self.selection, None, io)?;
        let (wanted, without_shape) = match self.flagged {
            true => bulk::of_bottlenecks(&frame),
            false => (bulk::of_all(&frame), Vec::new()),
        };
        let made = bulk::bulk(&frame, &wanted);
        for why in without_shape.iter().chain(&made.left_out) {
            io.err.say(Code::LeftOut, &format!("left out: {why}"))?;
        }
        if made.files.is_empty() {
            let nothing = if self.flagged {
                "gemm_findings.md has no bottleneck that can be replayed"
            } else {
                "no GEMM can be replayed"
            };
            return io.err.stop(Code::Nothing, nothing);
        }
        let folder = &*self.output;
        let files: Vec<_> = made.files.iter().map(|f| (&*f.file, &*f.text)).collect();
        output::write_folder(folder, &files).or_else(|(path, e)| io.err.unwritten(&path, &e))?;
        writeln!(
            io.out,
            "{} of {} in {}; sh {} checks and times them",
            plural(made.files.len() as u64, "file"),
            plural(wanted.len() as u64, "GEMM"),
            one_line(&folder.to_string_lossy()),
            one_line(&folder.join("run_all.sh").to_string_lossy())
        )?;
        Ok(Exit::worked(!failed))
    }
}
