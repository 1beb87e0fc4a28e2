//! Details of one row: every figure with its formula and numbers, the file's figures beside the recomputed ones, and
//! possible explanations of a point above its roof.

use crate::findings::above_roof_cause;
use crate::reference::error;
use crate::tile_roof;
use gemmscope_analysis::figures::figures;
use gemmscope_analysis::findings::above_roof_causes;
use gemmscope_analysis::names::name_of;
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, MemoryLevel, RoofKind, match_name};
use gemmscope_model::roofline::{Bound, Roof};
use gemmscope_model::units::{
    Bytes, BytesPerSec, FlopsPerSec, Intensity, Seconds, capitalized, percent, seconds_brief,
};
use gemmscope_table::column_format;
use gemmscope_table::dataset::ColumnData;
use gemmscope_table::field::{Field, Frame, shape_label};
use gemmscope_table::metrics::ABOVE_ROOF;

mod each;

use each::{all_figures, tile_figures};

/// The file's value of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The file's value with its unit.
    pub value: String,
    /// Relative difference to our value; over 1 % it is a finding.
    pub gap: f64,
}

/// One figure of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// `Attained`.
    pub label: &'static str,
    /// `466.4 TFLOP/s`; "" if it cannot be computed.
    pub value: String,
    /// `work / time = 51.58 GFLOP / 110.6 µs`.
    pub formula: String,
    /// One sentence for a newcomer.
    pub hint: &'static str,
    /// The file's value.
    pub reported: Option<Reported>,
}

/// Everything about one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Shape, types, layout.
    pub title: String,
    /// Kernel, operation or library; "" if the file has none.
    pub name: String,
    /// File and line.
    pub place: String,
    /// The device whose roof applies, or why there is none.
    pub device: String,
    /// `memory`, `compute`, `near the ridge`.
    pub limit: Option<Bound>,
    /// Efficiency, if there is a roof.
    pub efficiency: Option<f64>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Figures from the kernel's name, and the roof of its tile.
    pub tile: Vec<Figure>,
    /// A sentence that compares the attained rate with the roofs of tile and device; "" without a
    /// tile or a time.
    pub verdict: String,
    /// Possible explanations of a point above its roof.
    pub above_roof: Vec<String>,
    /// The file's other columns: title and text.
    pub columns: Vec<(String, String)>,
}

/// A share of the roof, with the kind of roof: `63.8 % (datasheet)`.
pub fn share_of_roof(efficiency: f64, kind: RoofKind) -> String {
    format!("{} ({})", percent(efficiency), kind.key())
}

/// Name of a limit: `memory`.
pub fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::NearRidge => "near the ridge",
        Bound::Compute => "compute",
        Bound::Launch => "its launch",
    }
}

/// A row in a few lines, for a tooltip: heading, and rows of caption and value.
pub fn brief(frame: &Frame, row: usize) -> (String, Vec<(String, String)>) {
    let data = &*frame.data;
    if row >= data.len() {
        return (String::new(), Vec::new());
    }
    let x = figures(frame, row);
    let p = x.problem;
    let name = name_of(frame, row);
    let shape = shape_label(&p);
    let mut lines = Vec::new();
    let mut line = |label: &str, value: String| lines.push((label.to_owned(), value));
    let head = if name.is_empty() {
        shape
    } else {
        line("M × N × K", shape);
        name
    };
    let blas = if data.is_column_major(row) { " (BLAS)" } else { "" };
    line("Type", format!("{} {}{blas}", p.op.types(), p.op.layout()));
    if x.time_s.is_nan() {
        line("Time", "not measured".to_owned());
    } else {
        let count = data.count(row);
        let calls = if count == 1.0 { String::new() } else { format!(" × {count}") };
        line("Time", format!("{}{calls}", Seconds(x.time_s)));
        line("Attained", FlopsPerSec(x.rate).to_string());
        line("Bandwidth", BytesPerSec(x.bandwidth).to_string());
    }
    line("AI", Intensity(x.ai).to_string());
    let measured = frame.metrics.measured_ai(data, row, MemoryLevel::Main);
    if measured > 0.0 {
        line("AI, measured bytes", Intensity(measured).to_string());
    }
    if let Some(bound) = x.bound {
        if x.share.is_finite() {
            line("% of roof", share_of_roof(x.share, x.kind));
        }
        line("Limited by", bound_name(bound).to_owned());
    }
    if let Some(others) = x.reference {
        line("Others reach", format!("{} ± {}", Seconds(others.time_s), error(others.error)));
    }
    (head, lines)
}

/// Explains a row.
pub fn explain(frame: &Frame, row: usize) -> Explanation {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let x = figures(frame, row);
    let p = x.problem;
    let code = usize::from(data.device[row]);
    // Only evaluated if the device is not the one stated.
    let guessed = || data.implied_devices().get(code) == Some(&true);
    let source = &data.sources[data.source[row] as usize];
    let measured = !x.time_s.is_nan();
    let above_roof = match x.share > ABOVE_ROOF {
        true => above_roof_causes(frame, row)
            .iter()
            .map(|cause| capitalized(&above_roof_cause(cause)))
            .collect(),
        false => Vec::new(),
    };
    let shape = TileRoofs::new(data, metrics).of(row);
    Explanation {
        title: format!("{} {}", shape_label(&p), p.op),
        name: name_of(frame, row),
        place: format!("{}, line {}", source.name, data.line[row]),
        device: judged_by(&data.devices[code], &guessed, x.device, &p, x.roof),
        limit: x.bound,
        efficiency: Some(x.share).filter(|e| e.is_finite()),
        figures: all_figures(data, &x),
        tile: shape.as_ref().map_or_else(Vec::new, |s| tile_figures(frame, row, s)),
        verdict: match shape.filter(|_| measured) {
            _ if x.bound == Some(Bound::Launch) => {
                format!(
                    "Short enough for its launch to count: starting a kernel takes about {} of the {}; the roof \
                     explains {}.",
                    seconds_brief(metrics.launch_s(data, row)),
                    seconds_brief(x.time_s),
                    seconds_brief(x.roof_s),
                )
            }
            shape => {
                // DRAM alone hardly ever reaches such a share of a datasheet's bandwidth.
                let near = (NEAR..=1.0).contains(&x.share) && x.kind == RoofKind::Datasheet;
                let doubt = x.roof.filter(|_| near).and_then(|r| cached(&p, r, x.device));
                let said = shape.map(|s| tile_roof::sentence(&s));
                said.into_iter().chain(doubt).collect::<Vec<_>>().join(" ")
            }
        },
        above_roof,
        columns: columns(frame, row),
    }
}

fn judged_by(
    stated: &str,
    guessed: &dyn Fn() -> bool,
    device: Option<&Device>,
    p: &Problem,
    roof: Option<Roof>,
) -> String {
    match (device, roof) {
        (Some(d), Some(_)) => {
            let how = match stated {
                "" => " (chosen on this page, the file names none)".to_owned(),
                name if name == d.name => String::new(),
                name if guessed() => {
                    format!(" (chosen on this page; “{name}” was a guess, the file names none)")
                }
                name => format!(" (the file says “{name}”)"),
            };
            format!("{}{how}", d.explain_peak(p.op.compute))
        }
        (Some(d), None) => d.explain_peak(p.op.compute),
        (None, _) if stated.is_empty() => {
            "The file names no device: choose one to see a roof".to_owned()
        }
        (None, _) => unknown_device(stated),
    }
}

/// Why there is no roof for a stated device name.
fn unknown_device(stated: &str) -> String {
    match match_name(stated).candidates().as_slice() {
        [] if stated.starts_with("gfx") || stated.starts_with("sm_") => format!(
            "“{stated}” is a compiler target without known peaks: choose a device, or open a \
             JSON file that describes it"
        ),
        [] => format!("“{stated}” is not in the catalogue: choose a device to see a roof"),
        devices => {
            let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
            format!("“{stated}” may be {}: choose one", names.join(" or "))
        }
    }
}

fn on_memory_side(p: &Problem, roof: Roof) -> bool {
    roof.bound(p.intensity().0) == Bound::Memory || p.intensity().0 < roof.ridge()
}

/// Warns if the operands fit in the last-level cache although the roof assumes DRAM traffic.
fn cached(p: &Problem, roof: Roof, device: Option<&Device>) -> Option<String> {
    let cache = device.and_then(Device::cache_bytes)?;
    (p.bytes().0 <= cache && on_memory_side(p, roof)).then(|| {
        format!(
            "Operands in cache: all of them are {}, the largest cache holds {}. A benchmark that repeats one call reads them from there, not from memory.",
            p.bytes(), Bytes(cache)
        )
    })
}

/// At or above this share of the datasheet bandwidth a cache has probably helped.
const NEAR: f64 = 0.9;

fn columns(frame: &Frame, row: usize) -> Vec<(String, String)> {
    frame
        .data
        .columns
        .iter()
        .filter_map(|c| {
            let info = frame.info(&Field::Column(c.key.clone()))?;
            let text = match &c.data {
                ColumnData::Text { codes, values } => values[codes[row] as usize].clone(),
                ColumnData::Number(v) => column_format::value(&info, v[row]),
            };
            (!text.is_empty()).then(|| (column_format::heading(&info), text))
        })
        .collect()
}

#[cfg(test)]
mod tests;
