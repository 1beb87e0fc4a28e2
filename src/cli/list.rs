//! `gemmscope formats`, `devices`, `views`: what the options take.

use crate::hardware;
use crate::import::FORMATS;
use crate::picture;
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
    for (id, hint) in picture::views() {
        writeln!(out, "{id:<18} {hint}")?;
    }
    Ok(())
}
