//! `gemmscope formats`, `devices` and `views` list the values of options; `rules` describes the rules behind findings.

use crate::command_line::notes;
use gemmscope_analysis::findings::RULES;
use gemmscope_chart::charts::CHARTS;
use gemmscope_chart::places::{self, PLACES};
use gemmscope_import::FORMATS;
use gemmscope_model::hardware;
use gemmscope_words::findings::{RULE_TEXTS, need};
use std::io::Write;

/// Prints one line per format: id, name, and the tools that write it.
pub(super) fn formats(out: &mut dyn Write) -> std::io::Result<()> {
    for f in FORMATS {
        writeln!(out, "{:<18} {}; {}", f.id, f.name, f.produced_by)?;
    }
    Ok(())
}

/// Version of the devices' JSON; `docs/src/schema/devices-1.json` describes it.
const DEVICES_SCHEMA: &str = "gemmscope/devices/1";

/// The devices, for --device
#[derive(Debug, clap::Args)]
#[command(after_help = notes("", &[
    "gemmscope devices | grep -i h100",
    "gemmscope devices --json | jq '.devices[] | select(.id == \"mi300x\") | .peaks'",
]))]
pub(super) struct Devices {
    /// As JSON: all that is known of each, in base units
    #[arg(long)]
    json: bool,
}

impl Devices {
    /// Id and name of each, or JSON.
    pub(super) fn list(&self, out: &mut dyn Write) -> std::io::Result<()> {
        if self.json {
            let devices = hardware::catalog();
            let object = serde_json::json!({ "schema": DEVICES_SCHEMA, "devices": devices });
            return writeln!(out, "{object}");
        }
        for d in hardware::catalog() {
            writeln!(out, "{:<18} {}", d.id, d.name)?;
        }
        Ok(())
    }
}

/// Prints the places of the page, and the charts of each.
pub(super) fn views(out: &mut dyn Write) -> std::io::Result<()> {
    for place in &PLACES {
        writeln!(out, "{:<18} {}", place.id, place.hint)?;
        for chart in CHARTS {
            if places::of(chart.id).is_some_and(|(of, _)| of == place) {
                writeln!(out, "  {:<16} {}", chart.id, chart.hint)?;
            }
        }
    }
    Ok(())
}

/// Prints the rules in the order they are checked: id and title, then what each needs, its threshold, its evidence and
/// how to confirm it.
pub(super) fn rules(out: &mut dyn Write) -> std::io::Result<()> {
    for (rule, text) in RULES.iter().zip(RULE_TEXTS) {
        let needs: Vec<&str> = rule.needs.iter().map(need).collect();
        writeln!(out, "{:<18} {}", rule.id, text.title)?;
        writeln!(out, "  needs            {}", needs.join("; "))?;
        writeln!(out, "  reported when    {}", text.threshold)?;
        writeln!(out, "  based on         {}", rule.basis.label())?;
        if !text.profile.is_empty() {
            writeln!(out, "  to confirm       {}", text.profile)?;
        }
    }
    Ok(())
}
