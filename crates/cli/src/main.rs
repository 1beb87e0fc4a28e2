//! The native `gemmscope` command: the readers, figures and charts of the page, for scripts.
//!
//! Each subcommand is one file; `help.rs` is the table of commands and options, `args.rs` reads the
//! command line. Figures and sentences come from the crates below: a command only reads files,
//! calls them and prints.
//!
//! ```text
//! gemmscope summary results.csv --device mi300x
//! gemmscope check results.csv --device mi300x --min-efficiency 60%
//! gemmscope render results.csv --device mi300x --view roofline -o roofline.svg
//! ```

mod app;
mod args;
mod check;
mod convert;
mod dispatch;
mod files;
mod help;
mod list;
mod load;
mod messages;
mod open;
mod output;
mod page;
mod progress;
mod read;
mod render;
mod replay;
mod report;
mod serve;
mod summary;
#[cfg(test)]
mod tests;

use crate::args::Parsed;
use crate::help::Command;
use crate::load::{Exit, Stop};
use crate::messages::{Code, Messages};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

/// Where a command reads and writes.
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
    // Also of a command line that cannot be read.
    let json = args.iter().any(|a| a == "--json");
    let io = &mut Io { stdin, out, err: Messages::new(err, json) };
    let result = match args::parse(args) {
        Err(usage) => {
            let _ = io.err.usage(usage.command, &usage.message);
            return Exit::Misuse as u8;
        }
        Ok(Parsed::Say(text)) => io.out.write_all(text.as_bytes()).map(|()| Exit::Done),
        Ok(Parsed::Run(args)) => {
            let list = |done: std::io::Result<()>| Ok(done.map(|()| Exit::Done)?);
            let done = match args.command {
                Command::Help => Ok(Exit::Done),
                Command::Formats => list(list::formats(io.out)),
                Command::Devices => list(list::devices(args.json, io.out)),
                Command::Views => list(list::views(io.out)),
                Command::Rules => list(list::rules(io.out)),
                Command::Summary => summary::summary(&args, io),
                Command::Convert => convert::convert(&args, io),
                Command::Render => render::render(&args, io),
                Command::Report => report::report(&args, io),
                Command::Replay => replay::replay(&args, io),
                Command::Page => page::page(&args, io),
                Command::Open => open::open(&args, io),
                Command::Check => check::check(&args, io),
                Command::Dispatch => dispatch::dispatch(&args, io),
            };
            match done {
                Err(Stop::With(exit)) => Ok(exit),
                // The verdict could not be printed, so the exit code is not 0.
                Err(Stop::Io(e))
                    if args.command == Command::Check
                        && e.kind() == std::io::ErrorKind::BrokenPipe =>
                {
                    return Exit::Failed as u8;
                }
                Err(Stop::Io(e)) => Err(e),
                Ok(exit) => Ok(exit),
            }
        }
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
