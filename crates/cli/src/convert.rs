//! `gemmscope convert`: any file as one long CSV, or as JSON with the same columns.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Stop, load};
use crate::progress;
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::native_csv;
use std::io::Write;
use std::path::Path;

/// Version of the JSON; `docs/src/schema/rows-1.json` describes it.
const SCHEMA: &str = "gemmscope/rows/1";

/// Writes the rows of all files in slices.
pub(super) fn convert(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let loaded = load(args, io.stdin).with_rows(&mut io.err)?;
    let all = &loaded.data;
    let mut file;
    let target: &mut dyn Write = match args.output.as_deref().map(Path::new) {
        Some(path) if path != "-" => {
            let created = std::fs::File::create(path).or_else(|e| io.err.unwritten(path, &e))?;
            file = std::io::BufWriter::new(created);
            &mut file
        }
        _ => io.out,
    };
    // With a device: what the roof allows, which is all that a list of shapes can have.
    let metrics = loaded.metrics(RoofKind::default());
    let known = metrics.devices.iter().any(Option::is_some);
    let mut writer = native_csv::CsvWriter::new(all, known.then_some(&metrics));
    progress::step("writing the rows");
    if args.json {
        write!(target, "{{\"schema\":\"{SCHEMA}\",\"rows\":[")?;
        for (row, object) in writer.objects(0..all.len()).enumerate() {
            let before = if row == 0 { "" } else { "," };
            write!(target, "{before}\n{object}")?;
        }
        writeln!(target, "\n]}}")?;
    } else {
        target.write_all(writer.header().as_bytes())?;
        for start in (0..all.len()).step_by(10_000) {
            let end = (start + 10_000).min(all.len());
            target.write_all(writer.rows(start..end).as_bytes())?;
        }
    }
    target.flush()?;
    Ok(Exit::worked(!loaded.failed))
}
