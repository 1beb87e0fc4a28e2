//! `gemmscope replay`: scripts that run single GEMMs, one for each finding or for each GEMM.

use crate::args::Args;
use crate::load::{Exit, Shown, frame};
use crate::messages::{Code, Messages};
use gemmscope_analysis::findings;
use gemmscope_analysis::replay::bulk;
use gemmscope_model::units::plural;
use std::io::{Read, Write};

/// Writes the scripts into the folder of `-o`.
pub(super) fn replay(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut Messages<'_>,
) -> std::io::Result<Exit> {
    let Shown { frame, failed, .. } = match frame(args, stdin, err)? {
        Ok(shown) => shown,
        Err(exit) => return Ok(exit),
    };
    let wanted = if args.flagged {
        bulk::of_findings(&frame, &findings::check_all(&frame))
    } else {
        bulk::of_all(&frame)
    };
    let made = bulk::bulk(&frame, &wanted);
    for why in &made.left_out {
        err.say(Code::LeftOut, &format!("left out: {why}"))?;
    }
    if made.files.is_empty() {
        let nothing = if args.flagged {
            "no finding is about a GEMM that can be replayed"
        } else {
            "no GEMM can be replayed"
        };
        err.say(Code::Nothing, nothing)?;
        return Ok(Exit::Failed);
    }
    let folder = std::path::Path::new(args.output.as_deref().unwrap_or_default());
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), text))
    };
    for file in &made.files {
        if let Err(e) = write(&file.file, &file.text) {
            let path = folder.join(&file.file);
            let path = path.to_string_lossy();
            err.of_file(Code::CannotWrite, &path, &format!("cannot be written: {e}"))?;
            return Ok(Exit::Failed);
        }
    }
    writeln!(
        out,
        "{} of {} in {}; sh {} checks and times them",
        plural(made.files.len() as u64, "file"),
        plural(wanted.len() as u64, "GEMM"),
        folder.display(),
        folder.join("run_all.sh").display()
    )?;
    Ok(Exit::worked(!failed))
}
