//! `gemmscope convert`: any file as one long CSV.

use crate::args::Args;
use crate::load::{Exit, load};
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::native_csv;
use std::io::{Read, Write};

/// Writes the rows of all files in slices.
pub(super) fn convert(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let loaded = load(args, stdin);
    loaded.report(err)?;
    if !loaded.has_rows() {
        return Ok(Exit::of(&loaded));
    }
    let all = &loaded.data;
    let mut file;
    let target: &mut dyn Write = match args.output.as_deref() {
        Some(path) if path != "-" => match std::fs::File::create(path) {
            Ok(created) => {
                file = created;
                &mut file
            }
            Err(e) => {
                writeln!(
                    err,
                    "gemmscope: {}: cannot be written: {e}",
                    path.to_string_lossy()
                )?;
                return Ok(Exit::Failed);
            }
        },
        _ => out,
    };
    // With a device: what the roof allows, which is all that a list of shapes can have.
    let metrics = loaded.metrics(RoofKind::default());
    let known = metrics.devices.iter().any(Option::is_some);
    let writer = native_csv::CsvWriter::new(all, known.then_some(&metrics));
    target.write_all(writer.header().as_bytes())?;
    for start in (0..all.len()).step_by(10_000) {
        let end = (start + 10_000).min(all.len());
        target.write_all(writer.rows(start..end).as_bytes())?;
    }
    target.flush()?;
    Ok(Exit::worked(!loaded.failed))
}
