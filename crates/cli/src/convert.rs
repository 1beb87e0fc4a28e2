//! `gemmscope convert`: any file as one long CSV.

use crate::args::Args;
use crate::read::{name_of, read};
use gemmscope_import::Imported;
use gemmscope_model::units::plural;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::native_csv;
use std::io::{Read, Write};

/// Writes the rows of all files in slices.
pub(super) fn convert(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let mut all = Dataset::new();
    let mut ok = true;
    for file in &args.files {
        match read(file, &args.options, stdin) {
            Ok(Imported::Table(data)) => {
                let rejected: u64 = data.sources.iter().map(|s| s.rejected.total()).sum();
                if rejected > 0 {
                    writeln!(
                        err,
                        "gemmscope: {}: {} skipped (see `gemmscope summary`)",
                        name_of(file),
                        plural(rejected, "row")
                    )?;
                }
                all.append(*data);
            }
            Ok(_) => {
                ok = false;
                writeln!(err, "gemmscope: {}: has no rows to convert", name_of(file))?;
            }
            Err(e) => {
                ok = false;
                writeln!(err, "gemmscope: {}: {e}", name_of(file))?;
            }
        }
    }
    if all.is_empty() {
        return Ok(false);
    }
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
                return Ok(false);
            }
        },
        _ => out,
    };
    let writer = native_csv::CsvWriter::new(&all, None);
    target.write_all(writer.header().as_bytes())?;
    for start in (0..all.len()).step_by(10_000) {
        let end = (start + 10_000).min(all.len());
        target.write_all(writer.rows(start..end).as_bytes())?;
    }
    target.flush()?;
    Ok(ok)
}
