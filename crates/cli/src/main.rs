//! The `gemmscope` command: the readers, figures and charts of the page, for scripts.
//!
//! Each subcommand is one file with its options; `command_line.rs` has the list of commands and the shared options. To
//! add a command: its file, a line in `Command` and one in `Command::run`. Figures and sentences come from other
//! crates; a command only reads files, calls them and prints.
//!
//! ```text
//! gemmscope summary results.csv --device mi300x
//! gemmscope check results.csv --device mi300x --min-efficiency 60%
//! gemmscope render results.csv --device mi300x --view roofline -o roofline.svg
//! ```

mod app;
mod check;
mod command_line;
mod completions;
mod convert;
mod dispatch;
mod exit;
mod files;
mod history;
mod list;
mod load;
mod messages;
mod open;
mod output;
mod page;
mod parquet;
mod progress;
mod read;
mod reference;
mod render;
mod replay;
mod report;
mod serve;
mod summary;
#[cfg(test)]
mod tests;

use crate::command_line::Command;
use crate::exit::{Exit, Stop};
use crate::messages::{Code, Messages};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

/// Input and output of a command.
struct Io<'a> {
    stdin: &'a mut dyn Read,
    out: &'a mut dyn Write,
    err: Messages<'a>,
}

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    progress::start();
    let code = run(
        std::env::args_os().skip(1),
        &mut std::io::stdin().lock(),
        &mut progress::Over(std::io::stdout()),
        &mut progress::Over(std::io::stderr()),
    );
    progress::stop();
    ExitCode::from(code)
}

/// Runs the command and returns the exit code. The arguments have no program name.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    // Before parsing, so that a wrong command line is reported as JSON too.
    let json = args.iter().any(|a| a == "--json");
    let io = &mut Io { stdin, out, err: Messages::new(err, json, command_line::named(&args)) };
    let result = match command_line::parse(&args) {
        Err(wrong) if wrong.use_stderr() => {
            let _ = io.err.usage(&command_line::sentence(&wrong));
            return Exit::Misuse as u8;
        }
        Err(help) => write!(io.out, "{}", help.render()).map(|()| Exit::Done),
        Ok(command) => match command.run(io) {
            Err(Stop::With(exit)) => Ok(exit),
            // The verdict was not printed, so the exit code must not be 0.
            Err(Stop::Io(e))
                if matches!(command, Command::Check(_))
                    && e.kind() == std::io::ErrorKind::BrokenPipe =>
            {
                return Exit::Failed as u8;
            }
            Err(Stop::Io(e)) => Err(e),
            Ok(exit) => Ok(exit),
        },
    };
    match result.and_then(|exit| io.out.flush().map(|()| exit)) {
        Ok(exit) => exit as u8,
        // The reader of the pipe has closed it (`| head`): not an error.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(e) => {
            let _ = io.err.say(Code::CannotWrite, &format!("cannot be written: {e}"));
            Exit::Failed as u8
        }
    }
}
