//! The published times built into the command, and `gemmscope reference`, which prints them.

use crate::Io;
use crate::command_line::{device, notes, one_of};
use crate::exit::{Exit, Stop};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, RoofKind, by_id};
use gemmscope_model::reference::calibration::{Calibration, calibration, fit};
use gemmscope_model::reference::{
    Precision, ReferenceSource, ReferenceTable, listed, wanted, with_tables,
};
use gemmscope_model::units::{FlopsPerSec, Seconds, percent};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::metrics::DeviceChoice;
use gemmscope_words::reference::{NOTHING_NEAR, error};
use std::io::Write;
use std::sync::Arc;

/// Name and bytes of every table.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/references.rs"));

/// Version of the JSON; `docs/src/schema/reference-1.json` describes it.
const SCHEMA: &str = "gemmscope/reference/1";

/// A table built into the command.
///
/// # Errors
/// A sentence if it is damaged.
fn table(source: &'static ReferenceSource) -> Result<ReferenceTable, String> {
    let name = source.file();
    let found = FILES.iter().find(|(file, _)| *file == name);
    let (_, bytes) = found.ok_or_else(|| format!("{name} is not in this build"))?;
    ReferenceTable::read(source, bytes).map_err(|why| format!("{name}: {why}"))
}

/// The tables of the devices and types of these rows.
fn of_rows(data: &Dataset, choice: &DeviceChoice, own: &[Device]) -> Vec<&'static ReferenceSource> {
    wanted(choice.resolve(data, own).iter().flatten(), &data.ops)
}

/// Name and bytes of these tables, to be embedded in a page with the rows.
pub(super) fn files(
    data: &Dataset,
    choice: &DeviceChoice,
    own: &[Device],
) -> Vec<(String, Vec<u8>)> {
    let wanted = of_rows(data, choice, own);
    let names: Vec<String> = wanted.into_iter().map(ReferenceSource::file).collect();
    let carried = FILES.iter().filter(|(name, _)| names.iter().any(|n| n == name));
    carried.map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()
}

/// Devices that take precedence over the catalogue: those of the files, and devices of the rows with published times.
pub(super) fn devices(data: &Dataset, choice: &DeviceChoice, own: &[Device]) -> Vec<Device> {
    // A damaged table is as none; the tests read them all.
    let tables = of_rows(data, choice, own).into_iter().filter_map(|source| table(source).ok());
    with_tables(own, &tables.map(Arc::new).collect::<Vec<_>>())
}

/// What others reach: published times of GEMMs; without arguments the tables
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "TYPE is bf16, fp16, fp8, fp8_block, nvfp4, mxfp4, int8, int8_sq, int8_wo or int4_wo; each device\nhas some of them.\n",
    &[
        "gemmscope reference",
        "gemmscope reference h100-sxm bf16 4096x4096x4096 1x14336x4096",
        "gemmscope reference --calibration",
    ],
))]
pub(super) struct Reference {
    /// Device, as `gemmscope devices` lists it
    #[arg(value_name = "DEVICE", value_parser = device(), hide_possible_values = true)]
    device: Option<String>,
    /// Types of the GEMMs
    #[arg(value_name = "TYPE", value_parser = one_of(Precision::ALL.map(Precision::key).into_iter()), hide_possible_values = true)]
    precision: Option<String>,
    /// Sizes of GEMMs
    #[arg(value_name = "MxNxK", value_parser = shape, requires = "precision")]
    shapes: Vec<[u32; 3]>,
    /// How far expected times are from the published ones, by device
    #[arg(long, conflicts_with = "shapes")]
    calibration: bool,
    /// As JSON
    #[arg(long, conflicts_with = "calibration")]
    json: bool,
}

/// `4096x14336x4096`.
fn shape(text: &str) -> Result<[u32; 3], String> {
    let sizes: Option<Vec<u32>> = text
        .split(['x', 'X', '×'])
        .map(|size| size.trim().parse().ok().filter(|s| *s > 0))
        .collect();
    let sizes: Option<[u32; 3]> = sizes.and_then(|sizes| sizes.try_into().ok());
    sizes.ok_or_else(|| format!("expected M x N x K such as 4096x14336x4096: {text}"))
}

/// Prints, one line per device, how far its expected times are from the published ones, and the best-fitting shares.
fn calibrations(out: &mut dyn Write, found: &[&'static ReferenceSource]) -> std::io::Result<()> {
    for table in found.iter().filter_map(|source| table(source).ok()) {
        let Some(Calibration { device, shapes, error, p90_flops_per_s }) = calibration(&table)
        else {
            continue;
        };
        let share =
            |share: Option<f64>| share.map_or_else(|| "unknown".to_owned(), |s| format!("{s:.2}"));
        let (peak, bandwidth) = (share(device.reached_peak), share(device.reached_bandwidth));
        let floor = Seconds(device.launch_floor().0);
        let best = fit(&table).map_or_else(String::new, |(peak, bandwidth, floor_s)| {
            format!("; fitted: {peak:.2}, {bandwidth:.2}, {}", Seconds(floor_s))
        });
        let rate = FlopsPerSec(p90_flops_per_s);
        writeln!(
            out,
            "{:<20} off by {error:.3} on {shapes} shapes: {peak} of peak, {bandwidth} of bandwidth, {floor}{best}; \
             large GEMMs reach {rate} (p90)",
            device.id
        )?;
    }
    Ok(())
}

impl Reference {
    /// Prints the tables, or the content of one.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let asked = |source: &&ReferenceSource| {
            let precision = self.precision.as_ref().is_none_or(|p| p == source.precision.key());
            precision && self.device.as_ref().is_none_or(|id| *id == source.device)
        };
        let found: Vec<&'static ReferenceSource> = listed().iter().filter(asked).collect();
        if found.is_empty() {
            io.err.usage(
                "nothing is published of this device and type; `gemmscope reference` lists what is",
            )?;
            return Ok(Exit::Misuse);
        }
        match found.as_slice() {
            _ if self.calibration => calibrations(io.out, &found)?,
            [source] if !self.shapes.is_empty() => match table(source) {
                Ok(table) => self.times(io, &table)?,
                Err(why) => {
                    io.err.usage(&why)?;
                    return Ok(Exit::Failed);
                }
            },
            _ => self.list(io.out, &found)?,
        }
        Ok(Exit::Done)
    }

    fn list(&self, out: &mut dyn Write, found: &[&ReferenceSource]) -> std::io::Result<()> {
        if self.json {
            let object = serde_json::json!({ "schema": SCHEMA, "tables": found });
            return writeln!(out, "{object}");
        }
        for s in found {
            writeln!(
                out,
                "{:<20} {:<10} {:>6} shapes, ± {}, {}: {}; {}, {}, {}",
                s.device,
                s.precision.key(),
                s.rows,
                error(s.error),
                s.kind.key(),
                s.by.join(", "),
                s.source,
                s.date,
                s.licence
            )?;
        }
        Ok(())
    }

    fn times(&self, io: &mut Io<'_>, table: &ReferenceTable) -> std::io::Result<()> {
        let source = table.source();
        let op = source.precision.operation();
        let problems =
            self.shapes.iter().map(|[m, n, k]| Problem { m: *m, n: *n, k: *k, batch: 1, op });
        let answers: Vec<_> = problems.map(|problem| (problem, table.time(&problem))).collect();
        if self.json {
            let times = answers.iter().map(|(p, time)| {
                serde_json::json!({
                    "m": p.m, "n": p.n, "k": p.k,
                    "time_s": time.map(|t| t.time_s), "by": time.map(|t| t.by()),
                })
            });
            let object = serde_json::json!({
                "schema": SCHEMA, "table": source, "times": times.collect::<Vec<_>>(),
            });
            return writeln!(io.out, "{object}");
        }
        let device = by_id(&source.device);
        let roof = device.and_then(|d| d.roof(op.compute, RoofKind::Datasheet));
        let name = device.map_or(source.device.as_str(), |d| &d.name);
        writeln!(io.out, "{name}, {}: {}", source.precision.label(), source.kind.meaning())?;
        for (p, time) in answers {
            let shape = format!("{} x {} x {}", p.m, p.n, p.k);
            let Some(t) = time else {
                writeln!(io.out, "  {shape:<24} {NOTHING_NEAR}")?;
                continue;
            };
            let share = roof.map_or(String::new(), |roof| {
                format!(", {} of the roof", percent(roof.problem_time_s(&p) / t.time_s))
            });
            let rate = FlopsPerSec(p.work().0 / t.time_s);
            let (time, off) = (Seconds(t.time_s), error(t.error));
            writeln!(io.out, "  {shape:<24} {time} ± {off}, {rate}{share}, {}", t.by())?;
        }
        let ReferenceSource { source, date, licence, rows, .. } = source;
        writeln!(io.out, "From {rows} shapes of {source} ({licence}), copy of {date}")
    }
}
