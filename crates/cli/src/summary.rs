//! `gemmscope summary`: the figures of each file.

use crate::args::Args;
use crate::read::{name_of, read};
use gemmscope_analysis::summary::Summary;
use gemmscope_import::Imported;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::units::{FlopsPerSec, Seconds, percent};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use std::io::{Read, Write};

fn metrics_of(data: &Dataset, device: &Option<String>, custom: &[Device]) -> Metrics {
    let choice = DeviceChoice {
        default: device.clone(),
        ..DeviceChoice::default()
    };
    let devices = choice.resolve(&data.devices, custom);
    Metrics::compute(data, devices, RoofKind::default())
}

/// Prints one block a file, or one JSON object.
pub(super) fn summary(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let mut ok = true;
    let mut custom: Vec<Device> = Vec::new();
    for file in &args.files {
        match read(file, &args.options, stdin) {
            Ok(Imported::Table(data)) => {
                let metrics = metrics_of(&data, &args.device, &custom);
                for s in Summary::all(&data, &metrics) {
                    if args.json {
                        writeln!(out, "{}", serde_json::to_string(&s)?)?;
                    } else {
                        print_summary(out, &s)?;
                    }
                }
            }
            Ok(Imported::Devices(devices)) => {
                let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
                if args.json {
                    let object =
                        serde_json::json!({ "file": name_of(file), "devices_defined": names });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(out, "{}: defines {}", name_of(file), names.join(", "))?;
                }
                custom.extend(devices);
            }
            Ok(Imported::Context(_)) => {
                let what = "says what surrounds a table: it belongs to the one beside it";
                if args.json {
                    let object = serde_json::json!({ "file": name_of(file), "context": what });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(out, "{}: {what}", name_of(file))?;
                }
            }
            Err(e) => {
                ok = false;
                if args.json {
                    let object =
                        serde_json::json!({ "file": name_of(file), "error": e.to_string() });
                    writeln!(out, "{object}")?;
                } else {
                    writeln!(err, "gemmscope: {}: {e}", name_of(file))?;
                }
            }
        }
    }
    Ok(ok)
}

fn print_summary(out: &mut dyn Write, s: &Summary) -> std::io::Result<()> {
    let or = |v: Option<String>| v.unwrap_or_else(|| "not known".into());
    let share = |v: Option<f64>| or(v.map(percent));
    let file = if s.file.is_empty() {
        "standard input"
    } else {
        &s.file
    };
    writeln!(out, "{file}")?;
    writeln!(
        out,
        "  format               {} ({})",
        s.format, s.format_reason
    )?;
    writeln!(
        out,
        "  rows                 {} read, {} used, {} skipped",
        s.rows_read, s.rows_used, s.rows_set_aside
    )?;
    for (reason, count) in &s.rejected {
        writeln!(out, "    skipped            {count} x {reason}")?;
    }
    for a in &s.assumptions {
        writeln!(out, "  assumed              {}", a.text)?;
    }
    for n in &s.notes {
        writeln!(out, "  note                 {n}")?;
    }
    let devices = if s.devices.is_empty() {
        "not stated (choose one with --device)".to_owned()
    } else {
        s.devices.join(", ")
    };
    writeln!(out, "  devices              {devices}")?;
    writeln!(out, "  data types           {}", s.dtypes.join(", "))?;
    let rate = s.max_tflops.map(|v| FlopsPerSec(v * 1e12).to_string());
    writeln!(out, "  highest rate         {}", or(rate))?;
    writeln!(out, "  highest efficiency   {}", share(s.max_efficiency))?;
    let above = s.rows_above_roof.map(|v| v.to_string());
    writeln!(out, "  rows above the roof  {}", or(above))?;
    let time = s.total_time_s.map(|v| Seconds(v).to_string());
    writeln!(out, "  total time           {}", or(time))?;
    writeln!(
        out,
        "  weighted efficiency  {}",
        share(s.weighted_efficiency)
    )?;
    writeln!(
        out,
        "  memory bound         {} of the time",
        share(s.share_memory_bound)
    )?;
    if s.reported_rate.compared > 0 {
        writeln!(
            out,
            "  file's own rates     {} of {} within 1 %",
            s.reported_rate.within_1_percent, s.reported_rate.compared
        )?;
    }
    writeln!(out)
}
