//! `gemmscope completions`: shell scripts that complete commands, options and their values.

use crate::command_line::{CommandLine, notes};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// A script that completes commands, options, devices, formats and views
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "",
    &["gemmscope completions bash > ~/.local/share/bash-completion/completions/gemmscope"],
))]
pub(super) struct Completions {
    /// Shell that reads it
    shell: Shell,
}

impl Completions {
    /// Writes the script.
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        // Into memory first, because the generator panics if it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "gemmscope", &mut script);
        out.write_all(&script)
    }
}
