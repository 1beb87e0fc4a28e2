//! Tables of devices: one row per device with a column per data type, or one row per device and type.

mod columns;

use super::peak;
use crate::head::header_has;
use crate::{
    Claim, Col, Delimited, ErrorKind, Format, Head, Header, ImportError, ImportOptions, Imported,
    Opened, ReadBy, Record, RowReader,
};
use columns::{Layout, Rate, layout};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{Device, Peak, by_id, match_name};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::cell_text::is_missing;

pub(crate) const FORMAT: Format = Format {
    id: "device-table",
    name: "Table of devices and their peaks",
    produced_by: "any script or spreadsheet: a name, a dense peak per data type, a memory \
                  bandwidth, units in the header",
    example: "device,fp16_tflops,fp8_tflops,bandwidth_gb_s,memory_gb\nMy card,312,624,1939,80\n",
    read: ReadBy::Code { claim, open },
};

fn no_roofline(name: &str, lacks: &str) -> String {
    format!("{name} has no {lacks}, so it has no roofline")
}

/// Lines searched for the header.
const PREAMBLE: usize = 10;

fn find(head: &Head) -> Option<Layout> {
    head.lines.iter().take(PREAMBLE).find_map(|line| layout(&Header::of_line(line)))
}

fn claim(head: &Head) -> Option<Claim> {
    let layout = find(head)?;
    // Without a bandwidth, a title or file name must mention peaks.
    let named = layout.bandwidth.as_ref().map(|(c, _)| c.name.as_str());
    if named.is_none() && !layout.peaks && !head.name.to_ascii_lowercase().contains("peak") {
        return None;
    }
    let names: Vec<&str> = [layout.name.name.as_str()]
        .into_iter()
        .chain(layout.rates.iter().map(|r| r.col.name.as_str()))
        .chain(named)
        .collect();
    Some(Claim::Columns(header_has(&names)))
}

fn open(head: &Head, _: &ImportOptions) -> Opened {
    let Some(layout) = find(head) else {
        return Err(ImportError::new(
            "expected a header with the name of a device, a rate that names its data type \
             (fp16_tflops) and a memory bandwidth (bandwidth_gb_s)",
        ));
    };
    if layout.bandwidth.is_none() {
        return Err(ImportError::new(
            "this table of device peaks has no memory bandwidth, so it gives no roofline: add \
             a column such as bandwidth_gb_s, or choose a device under Devices",
        )
        .kind(ErrorKind::Foreign));
    }
    let rows = Table {
        source: format!("table of devices {}", head.name).trim().to_owned(),
        layout: None,
        found: Vec::new(),
    };
    Ok(Delimited::open(rows, TableBuilder::default()))
}

struct Table {
    source: String,
    /// Set once the header is found.
    layout: Option<Layout>,
    found: Vec<Found>,
}

/// A device read so far; its bandwidth is NaN until a row states it.
struct Found {
    line: u32,
    device: Device,
}

fn wrong(record: &Record<'_>, col: &Col, message: impl Into<String>) -> ImportError {
    ImportError::new(message).at(record.line(), col.index as u32 + 1)
}

/// A positive number times `scale`; `None` if the cell is empty.
fn value(
    record: &Record<'_>,
    col: &Col,
    what: &str,
    scale: f64,
) -> Result<Option<f64>, ImportError> {
    if is_missing(col.cell(record)) {
        return Ok(None);
    }
    col.positive(record, what, scale)
        .map(Some)
        .map_err(|RowError { reason, text, .. }| wrong(record, col, format!("{reason}: {text}")))
}

/// The same in `unit`. If the header states none, `usual` is assumed, `(name, scale, lowest, highest)`; a number
/// outside that range is an error.
fn with_unit(
    record: &Record<'_>,
    col: &Col,
    what: &str,
    unit: Option<f64>,
    usual: (&str, f64, f64, f64),
) -> Result<Option<f64>, ImportError> {
    if let Some(scale) = unit {
        return value(record, col, what, scale);
    }
    let (name, scale, lowest, highest) = usual;
    let Some(plain) = value(record, col, what, 1.0)? else {
        return Ok(None);
    };
    if !(lowest..=highest).contains(&plain) {
        return Err(wrong(
            record,
            col,
            format!(
                "{plain} is not a plausible {what} in {name}: put the unit in the header, as \
                 in “{} ({name})”",
                col.name
            ),
        ));
    }
    Ok(Some(plain * scale))
}

/// Units assumed if the header states none, with plausible ranges.
const TERAFLOPS: (&str, f64, f64, f64) = ("TFLOP/s", 1e12, 1e-3, 1e5);
const GIGABYTES: (&str, f64, f64, f64) = ("GB/s", 1e9, 15.0, 1e5);

impl Table {
    /// Index of the device with this name; adds it if it is new.
    fn at(&mut self, name: &str, line: u32) -> usize {
        if let Some(i) = self.found.iter().position(|f| f.device.name == name) {
            return i;
        }
        let known = match_name(name).device();
        let mut device = known.cloned().unwrap_or_else(|| Device::unknown(name));
        device.id = self.free_id(Device::unknown(name).id);
        name.clone_into(&mut device.name);
        device.aliases.clear();
        device.peaks.clear();
        device.bandwidth_bytes_per_s = f64::NAN;
        device.fp16_flops_per_clock_per_unit = None;
        device.confidence = 'C';
        device.source.clone_from(&self.source);
        device.notes.clear();
        if let Some(known) = known {
            device.notes = format!("Everything else from {}.", known.name);
        }
        self.found.push(Found { line, device });
        self.found.len() - 1
    }

    /// Makes an id unique among the catalogue and the rows.
    fn free_id(&self, id: String) -> String {
        let free =
            |id: &String| by_id(id).is_none() && self.found.iter().all(|f| f.device.id != *id);
        let numbered = (2..).map(|i| format!("{id}-imported-{i}"));
        [id.clone(), format!("{id}-imported")].into_iter().chain(numbered).find(free).unwrap_or(id)
    }

    fn row(&mut self, layout: &Layout, record: &Record<'_>) -> Result<(), ImportError> {
        if let Some(problem) = record.problem() {
            return Err(ImportError::new(problem).at(record.line(), 0));
        }
        let text = |col: &Option<Col>| {
            let text = col.as_ref().map(|c| record.text(c.index));
            text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty())
        };
        let line = record.line();
        let Some(name) = text(&Some(layout.name.clone())) else {
            return Err(wrong(record, &layout.name, "expected the name of a device"));
        };
        let i = self.at(&name, line);
        let found = &mut self.found[i];
        let Found { line: first, device } = found;
        if *first != line && layout.dtype.is_none() {
            let message = format!("{name} is already in line {first}");
            return Err(wrong(record, &layout.name, message));
        }
        if let Some((col, unit)) = &layout.bandwidth
            && let Some(v) = with_unit(record, col, "bandwidth", *unit, GIGABYTES)?
        {
            let before = std::mem::replace(&mut device.bandwidth_bytes_per_s, v);
            if before.is_finite() && before != v {
                let message = format!("{name} has a different bandwidth in line {first}");
                return Err(wrong(record, col, message));
            }
        }
        if let Some(col) = &layout.units
            && let Some(value) = value(record, col, "number of units", 1.0)?
        {
            if value.fract() != 0.0 || value > f64::from(u32::MAX) {
                return Err(wrong(record, col, format!("expected a whole number, found {value}")));
            }
            device.units = Some(value as u32);
        }
        for (column, what, field) in [
            (&layout.clock, "clock", &mut device.clock_hz),
            (&layout.memory, "memory", &mut device.memory_bytes),
        ] {
            if let Some((col, scale)) = column {
                *field = value(record, col, what, *scale)?.or(*field);
            }
        }
        device.vendor = text(&layout.vendor).unwrap_or_else(|| std::mem::take(&mut device.vendor));
        let source = text(&layout.source).unwrap_or_else(|| self.source.clone());
        device.source.clone_from(&source);
        if let Some(note) = text(&layout.notes)
            && !device.notes.contains(&note)
        {
            let end = if note.ends_with(['.', '!', '?']) { "" } else { "." };
            device.notes = format!("{note}{end} {}", device.notes).trim().to_owned();
        }
        let of_row = match &layout.dtype {
            None => None,
            Some(col) => {
                let word = record.text(col.index);
                let known = DataType::parse(&word).filter(|d| d.family().is_some());
                let message = || format!("not a GEMM data type: {word}");
                Some(known.ok_or_else(|| wrong(record, col, message()))?)
            }
        };
        for rate in &layout.rates {
            let (Some(dtype), Some(v)) = (
                rate.dtype.or(of_row),
                with_unit(record, &rate.col, "peak", rate.scale, TERAFLOPS)?,
            ) else {
                continue;
            };
            add_peak(device, rate, dtype, v, &source)
                .map_err(|message| wrong(record, &rate.col, message))?;
        }
        Ok(())
    }
}

/// Stores a rate as datasheet peak or as achievable peak.
fn add_peak(
    device: &mut Device,
    rate: &Rate,
    dtype: DataType,
    flops_per_s: f64,
    source: &str,
) -> Result<(), String> {
    let of = |p: &&mut Peak| p.engine == rate.engine && p.dtype == dtype;
    match device.peaks.iter_mut().find(of) {
        Some(peak) if rate.achievable && peak.achievable_flops_per_s.is_none() => {
            peak.achievable_flops_per_s = Some(flops_per_s);
            peak.achievable_source = Some(source.to_owned());
        }
        Some(_) => return Err(format!("{} has two peaks for {dtype}", device.name)),
        None => {
            device.peaks.push(peak(rate.engine, dtype, flops_per_s, rate.achievable, source));
        }
    }
    Ok(())
}

impl RowReader for Table {
    fn record(&mut self, record: &Record<'_>, _: &mut TableBuilder) -> Result<(), ImportError> {
        if record.raw().starts_with(b"#") {
            return Ok(());
        }
        let Some(layout) = self.layout.take() else {
            self.layout = layout(&Header::new(record));
            return Ok(());
        };
        let result = self.row(&layout, record);
        self.layout = Some(layout);
        result
    }

    fn end(self: Box<Self>, _: TableBuilder) -> Result<Imported, ImportError> {
        let Some(layout) = self.layout.filter(|_| !self.found.is_empty()) else {
            return Err(ImportError::new(
                "no rows: the header has device peaks, but no device follows",
            )
            .kind(ErrorKind::Empty));
        };
        let said = layout.remarks();
        let mut devices = Vec::with_capacity(self.found.len());
        for Found { line, mut device } in self.found {
            let name = &device.name;
            if device.bandwidth_bytes_per_s.is_nan() {
                let message = no_roofline(name, "memory bandwidth");
                return Err(ImportError::new(message).at(line, 0));
            }
            if device.peaks.is_empty() {
                let message = no_roofline(name, "peak rate");
                return Err(ImportError::new(message).at(line, 0));
            }
            device.notes = format!("{} {said}", device.notes).trim().to_owned();
            device.validate().map_err(|e| ImportError::new(e.to_string()).at(line, 0))?;
            devices.push(device);
        }
        Ok(Imported::Devices(devices))
    }
}

#[cfg(test)]
mod tests;
