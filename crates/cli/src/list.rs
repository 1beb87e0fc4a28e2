//! `gemmscope formats`, `devices`, `views`: the values of the options.

use gemmscope_chart::charts::CHARTS;
use gemmscope_import::FORMATS;
use gemmscope_model::hardware;
use std::io::Write;

/// Formats: id, name, what produces it.
pub(super) fn formats(out: &mut dyn Write) -> std::io::Result<()> {
    for f in FORMATS {
        writeln!(out, "{:<18} {}; {}", f.id, f.name, f.produced_by)?;
    }
    Ok(())
}

/// Devices: id, name.
pub(super) fn devices(out: &mut dyn Write) -> std::io::Result<()> {
    for d in hardware::catalog() {
        writeln!(out, "{:<18} {}", d.id, d.name)?;
    }
    Ok(())
}

/// Views: key, what it shows.
pub(super) fn views(out: &mut dyn Write) -> std::io::Result<()> {
    for chart in CHARTS {
        writeln!(out, "{:<18} {}", chart.id, chart.hint)?;
    }
    Ok(())
}
