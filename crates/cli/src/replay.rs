//! `gemmscope replay`: scripts that run single GEMMs, one for each bottleneck or for each GEMM.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Shown, Stop, frame};
use crate::messages::Code;
use crate::output;
use gemmscope_model::encode::one_line;
use gemmscope_model::units::plural;
use gemmscope_words::replay::bulk;

/// Writes the scripts into the folder of `-o`.
pub(super) fn replay(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let Shown { frame, failed, .. } = frame(args, io)?;
    let (wanted, without_shape) = match args.flagged {
        true => bulk::of_bottlenecks(&frame),
        false => (bulk::of_all(&frame), Vec::new()),
    };
    let made = bulk::bulk(&frame, &wanted);
    for why in without_shape.iter().chain(&made.left_out) {
        io.err.say(Code::LeftOut, &format!("left out: {why}"))?;
    }
    if made.files.is_empty() {
        let nothing = if args.flagged {
            "gemm_findings.md has no bottleneck that can be replayed"
        } else {
            "no GEMM can be replayed"
        };
        return io.err.stop(Code::Nothing, nothing);
    }
    let folder = std::path::Path::new(args.output.as_deref().unwrap_or_default());
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
