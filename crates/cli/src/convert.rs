//! `gemmscope convert`: any file as one long CSV, or as JSON with the same columns.

use crate::Io;
use crate::command_line::{Input, file, notes};
use crate::exit::{Exit, Stop};
use crate::load::{Request, load};
use crate::{output, progress};
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::native_csv::CsvWriter;
use std::io::{Result as Written, Write};
use std::path::PathBuf;

/// Version of the JSON; `docs/src/schema/rows-1.json` describes it.
const SCHEMA: &str = "gemmscope/rows/1";

/// One long CSV with units in its header, which gemmscope reads back
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "--json writes the same columns as one JSON object.\n",
    &["gemmscope convert log.txt -o long.csv"],
))]
pub(super) struct Convert {
    /// Output file (- is standard output)
    #[arg(short, long, value_name = "OUT.csv", value_parser = file(&["csv", "txt", "json"], "a CSV"))]
    pub output: PathBuf,
    #[command(flatten)]
    pub input: Input,
}

impl Convert {
    /// Writes the rows of all files.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let request = Request { output: Some(&self.output), ..self.input.request() };
        let loaded = load(&request, io.stdin).with_rows(&mut io.err)?;
        let all = &loaded.data;
        // With a device the CSV includes the roof, the only figure of shapes without a time.
        let metrics = loaded.metrics(RoofKind::default());
        let known = metrics.devices.iter().any(Option::is_some);
        let mut writer = CsvWriter::new(all, known.then_some(&metrics));
        progress::step("writing the rows");
        output::write(Some(&self.output), io, |to| match self.input.source.json {
            true => write_json(&mut writer, all.len(), to),
            false => write_csv(&mut writer, all.len(), to),
        })?;
        Ok(Exit::worked(!loaded.failed))
    }
}

fn write_json(writer: &mut CsvWriter<'_>, rows: usize, to: &mut dyn Write) -> Written<()> {
    write!(to, "{{\"schema\":\"{SCHEMA}\",\"rows\":[")?;
    for (row, object) in writer.objects(0..rows).enumerate() {
        let before = if row == 0 { "" } else { "," };
        write!(to, "{before}\n{object}")?;
    }
    writeln!(to, "\n]}}")
}

fn write_csv(writer: &mut CsvWriter<'_>, rows: usize, to: &mut dyn Write) -> Written<()> {
    to.write_all(writer.header().as_bytes())?;
    for start in (0..rows).step_by(10_000) {
        let end = (start + 10_000).min(rows);
        to.write_all(writer.rows(start..end).as_bytes())?;
    }
    Ok(())
}
