//! One row in full: every figure with its formula and the numbers put in, what the file itself
//! says beside what was recomputed, and what may explain a point above its roof.

use crate::cells;
use crate::dataset::{ColumnData, Role};
use crate::field::{Field, Frame};
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind};
use crate::roofline::{Bound, Roof};
use crate::shape_roof::{RowShape, ShapeRoofs, SplitK, TileFrom};
use crate::tiling::kernel_name::KernelName;
use crate::units::{
    Bytes, BytesPerSec, Flops, FlopsPerSec, Intensity, Seconds, format_significant,
};

/// A figure as the file has it, next to ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The file's value with its unit.
    pub value: String,
    /// Relative difference to ours; over 1 % it is a finding.
    pub gap: f64,
}

/// One figure of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// `Attained`.
    pub label: &'static str,
    /// `466.4 TFLOP/s`; "" where it cannot be computed.
    pub value: String,
    /// `work / time = 51.58 GFLOP / 110.6 µs`.
    pub formula: String,
    /// One sentence for a newcomer.
    pub hint: &'static str,
    /// What the file says.
    pub reported: Option<Reported>,
}

/// Everything about one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Shape, types, layout.
    pub title: String,
    /// Kernel, operation or library; "" where the file has none.
    pub name: String,
    /// File and line.
    pub place: String,
    /// The device it is judged by, or why there is none.
    pub device: String,
    /// `memory`, `compute`, `near the ridge`.
    pub limit: Option<Bound>,
    /// Efficiency, where there is a roof.
    pub efficiency: Option<f64>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// What the kernel's name tells, and the roof of its tile.
    pub tile: Vec<Figure>,
    /// Attained against the tile's roof against the device's, and what follows; "" without a tile
    /// or a time.
    pub verdict: String,
    /// What would bring a point above its roof under it.
    pub above_roof: Vec<String>,
    /// The file's other columns: title and text.
    pub columns: Vec<(String, String)>,
}

/// Name of what ran, as the file has it: kernel, operation or library.
pub fn name_of(frame: &Frame, row: usize) -> String {
    [Role::Kernel, Role::OpName, Role::Library]
        .into_iter()
        .map(|role| frame.data.text(role, row))
        .find(|t| !t.is_empty())
        .unwrap_or("")
        .to_owned()
}

/// Which roof a percentage is of: `datasheet roof`.
pub fn roof_name(kind: RoofKind) -> &'static str {
    match kind {
        RoofKind::Datasheet => "datasheet roof",
        RoofKind::Achievable => "max-achievable roof",
    }
}

/// What limits a GEMM, in a word.
pub fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::NearRidge => "near the ridge",
        Bound::Compute => "compute",
    }
}

/// A share as a percentage: `63.8 %`.
pub fn percent(share: f64) -> String {
    if share.is_finite() {
        format!("{:.1} %", share * 100.0)
    } else {
        String::new()
    }
}

/// A row in a few lines: what a tooltip has room for.
pub fn brief(frame: &Frame, row: usize) -> (String, Vec<(String, String)>) {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    if row >= data.len() {
        return (String::new(), Vec::new());
    }
    let problem = data.problem(row);
    let name = name_of(frame, row);
    let shape = crate::field::shape_label(problem.m, problem.n, problem.k, problem.batch);
    let mut lines = Vec::new();
    let mut line = |label: &str, value: String| lines.push((label.to_owned(), value));
    let head = if name.is_empty() {
        shape
    } else {
        line("M × N × K", shape);
        name
    };
    line(
        "Type",
        format!("{} {}", problem.op.types(), problem.op.layout()),
    );
    let time = data.time_s[row];
    if time.is_nan() {
        line("Time", "not measured".to_owned());
    } else {
        let count = data.count(row);
        let calls = if count == 1.0 {
            String::new()
        } else {
            format!(" × {count}")
        };
        line("Time", format!("{}{calls}", Seconds(time)));
        line("Attained", FlopsPerSec(metrics.rate[row]).to_string());
        line("Bandwidth", BytesPerSec(metrics.bandwidth(row)).to_string());
    }
    line("AI", Intensity(metrics.ai[row]).to_string());
    let measured = metrics.measured_ai(data, row);
    if measured > 0.0 {
        line("AI, measured bytes", Intensity(measured).to_string());
    }
    if let Some(roof) = metrics.roof(data, row) {
        let efficiency = metrics.efficiency(data, row);
        if efficiency.is_finite() {
            line(
                "Efficiency",
                format!("{} of the {}", percent(efficiency), roof_name(metrics.kind)),
            );
        }
        line(
            "Limited by",
            bound_name(roof.bound(metrics.ai[row])).to_owned(),
        );
    }
    (head, lines)
}

/// Explains a row.
pub fn explain(frame: &Frame, row: usize) -> Explanation {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let problem = data.problem(row);
    let time = data.time_s[row];
    let (work, bytes) = (problem.work(), problem.bytes());
    let roof = metrics.roof(data, row);
    let device = metrics.devices[data.device[row] as usize].as_ref();
    let stated = &data.devices[data.device[row] as usize];
    let source = &data.sources[data.source[row] as usize];
    let efficiency = roof.map(|r| r.time_s(work.0, bytes.0) / time);
    let measured = !time.is_nan();

    let mut figures = vec![
        work_figure(&problem, frame.data.number(Role::ReportedWork, row)),
        bytes_figure(&problem, frame.data.number(Role::ReportedBytes, row)),
        Figure {
            label: "Arithmetic intensity",
            value: (work / bytes).to_string(),
            formula: format!("work / bytes = {work} / {bytes}"),
            hint: "FLOP per byte of compulsory traffic. The real traffic is at least that much, so this is an upper bound.",
            reported: reported(
                data.number(Role::ReportedIntensity, row),
                work.0 / bytes.0,
                |v| Intensity(v).to_string(),
            ),
        },
    ];
    if measured {
        let t = Seconds(time);
        figures.push(Figure {
            label: "Attained",
            value: (work / t).to_string(),
            formula: format!("work / time = {work} / {t}"),
            hint: "Work over the measured time of one call.",
            reported: reported(data.number(Role::ReportedRate, row), work.0 / time, |v| {
                FlopsPerSec(v).to_string()
            }),
        });
        let share = roof.map_or(String::new(), |r| {
            format!(
                " ({} of the memory's)",
                percent(bytes.0 / time / r.bandwidth_bytes_per_s)
            )
        });
        figures.push(Figure {
            label: "Bandwidth used",
            value: format!("{}{share}", bytes / t),
            formula: format!("bytes / time = {bytes} / {t}"),
            hint: "Compulsory bytes over the measured time. Low is right for a compute-bound GEMM.",
            reported: reported(
                data.number(Role::ReportedBandwidth, row),
                bytes.0 / time,
                |v| BytesPerSec(v).to_string(),
            ),
        });
    }
    measured_figures(&mut figures, data, row, roof, work, bytes);
    if let Some(roof) = roof {
        roof_figures(
            &mut figures,
            frame,
            row,
            roof,
            work,
            bytes,
            efficiency.filter(|_| measured),
        );
    }

    let count = data.count(row);
    if measured && count != 1.0 {
        figures.push(Figure {
            label: "All calls",
            value: Seconds(time * count).to_string(),
            formula: format!("time × calls = {} × {count}", Seconds(time)),
            hint: "The row stands for several calls of this GEMM.",
            reported: None,
        });
    }

    let above_roof = match (roof, efficiency) {
        (Some(roof), Some(e)) if e > 1.0 => above(&problem, roof, device, e),
        _ => Vec::new(),
    };
    let shape = ShapeRoofs::of_row(data, metrics, row);
    Explanation {
        title: format!(
            "{} {}",
            crate::field::shape_label(problem.m, problem.n, problem.k, problem.batch),
            problem.op
        ),
        name: name_of(frame, row),
        place: format!("{}, line {}", source.name, data.line[row]),
        device: judged_by(stated, device, &problem, roof, metrics.kind),
        limit: roof.map(|r| r.bound(work.0 / bytes.0)),
        efficiency: efficiency.filter(|e| e.is_finite()),
        figures,
        tile: shape
            .as_ref()
            .map_or_else(Vec::new, |s| tile_figures(frame, row, s)),
        verdict: shape
            .filter(|_| measured)
            .map_or_else(String::new, |s| s.sentence()),
        above_roof,
        columns: columns(frame, row),
    }
}

fn work_figure(p: &Problem, theirs: f64) -> Figure {
    let batch = if p.batch == 1 {
        String::new()
    } else {
        format!("{} × ", p.batch)
    };
    let per = if p.op.compute.is_complex() { 8 } else { 2 };
    let bias = if p.op.bias {
        format!(" + {batch}{} × {} (bias)", p.m, p.n)
    } else {
        String::new()
    };
    Figure {
        label: "Work",
        value: p.work().to_string(),
        formula: format!(
            "{batch}{per} M N K = {batch}{per} × {} × {} × {}{bias}",
            p.m, p.n, p.k
        ),
        hint: "One multiply and one add for each of the M × N × K products.",
        reported: reported(theirs, p.work().0, |v| Flops(v).to_string()),
    }
}

fn bytes_figure(p: &Problem, theirs: f64) -> Figure {
    let batch = if p.batch == 1 {
        String::new()
    } else {
        format!("{} × ", p.batch)
    };
    let size =
        |d: crate::dtype::DataType| format_significant(d.bytes() + d.scale_bytes_per_element(), 1);
    let beta = if p.op.beta { "2 × " } else { "" };
    Figure {
        label: "Bytes",
        value: p.bytes().to_string(),
        formula: format!(
            "{batch}(M K s_a + K N s_b + {beta}M N s_c) = {batch}({}×{}×{} + {}×{}×{} + {beta}{}×{}×{})",
            p.m,
            p.k,
            size(p.op.a),
            p.k,
            p.n,
            size(p.op.b),
            p.m,
            p.n,
            size(p.op.c)
        ),
        hint: "Compulsory traffic: A, B and C cross the memory bus once. A lower bound of the real traffic.",
        reported: reported(theirs, p.bytes().0, |v| Bytes(v).to_string()),
    }
}

/// What the profiler's memory counters add: traffic, its intensity, its share of the bandwidth.
fn measured_figures(
    figures: &mut Vec<Figure>,
    data: &crate::dataset::Dataset,
    row: usize,
    roof: Option<Roof>,
    work: Flops,
    bytes: Bytes,
) {
    let counted = Bytes(data.number(Role::MeasuredBytes, row));
    if counted.0.is_nan() || counted.0 <= 0.0 {
        return;
    }
    figures.push(Figure {
        label: "Measured bytes",
        value: format!(
            "{counted}, {} × the compulsory",
            format_significant(counted.0 / bytes.0, 3)
        ),
        formula: format!("measured / compulsory = {counted} / {bytes}"),
        hint: "What the profiler's memory counters saw. More than the compulsory bytes: operands were read again. Less: they lay in a cache.",
        reported: None,
    });
    figures.push(Figure {
        label: "Intensity at measured bytes",
        value: (work / counted).to_string(),
        formula: format!("work / measured bytes = {work} / {counted}"),
        hint: "Where the open mark stands in the roofline: the real intensity of this run.",
        reported: None,
    });
    let t = Seconds(data.time_s[row]);
    if t.0 > 0.0 {
        let share = roof.map_or(String::new(), |r| {
            let share = counted.0 / t.0 / r.bandwidth_bytes_per_s;
            format!(" ({} of the memory's)", percent(share))
        });
        figures.push(Figure {
            label: "Memory rate",
            value: format!("{}{share}", counted / t),
            formula: format!("measured bytes / time = {counted} / {t}"),
            hint: "How busy the memory really was. Near 100 %: memory limits this kernel, whatever its shape allows.",
            reported: None,
        });
    }
}

fn roof_figures(
    figures: &mut Vec<Figure>,
    frame: &Frame,
    row: usize,
    roof: Roof,
    work: Flops,
    bytes: Bytes,
    efficiency: Option<f64>,
) {
    let ai = work / bytes;
    let peak = FlopsPerSec(roof.peak_flops_per_s);
    let bandwidth = BytesPerSec(roof.bandwidth_bytes_per_s);
    figures.push(Figure {
        label: "Roof at this intensity",
        value: FlopsPerSec(roof.at(ai.0)).to_string(),
        formula: format!(
            "min(peak, AI × bandwidth) = min({peak}, {})",
            FlopsPerSec(ai.0 * roof.bandwidth_bytes_per_s)
        ),
        hint: "The most this shape can attain on the device if every operand is read once.",
        reported: None,
    });
    figures.push(Figure {
        label: "Ridge point",
        value: Intensity(roof.ridge()).to_string(),
        formula: format!("peak / bandwidth = {peak} / {bandwidth}"),
        hint: "The intensity where memory and compute take equally long. Below it memory limits, above it compute does.",
        reported: None,
    });
    let Some(efficiency) = efficiency else { return };
    let time = frame.data.time_s[row];
    let roof_time = Seconds(roof.time_s(work.0, bytes.0));
    figures.push(Figure {
        label: "Roof time",
        value: roof_time.to_string(),
        formula: format!(
            "max(work / peak, bytes / bandwidth) = max({}, {})",
            Seconds(work.0 / roof.peak_flops_per_s),
            Seconds(bytes.0 / roof.bandwidth_bytes_per_s)
        ),
        hint: "The shortest time the roof allows.",
        reported: None,
    });
    figures.push(Figure {
        label: "Efficiency",
        value: format!(
            "{} of the {}",
            percent(efficiency),
            roof_name(frame.metrics.kind)
        ),
        formula: format!("roof time / time = {roof_time} / {}", Seconds(time)),
        hint: "Attained over the roof at this intensity.",
        reported: reported(
            frame.data.number(Role::ReportedEfficiency, row),
            efficiency,
            percent,
        ),
    });
    if efficiency < 1.0 {
        figures.push(Figure {
            label: "Lost time",
            value: Seconds(frame.metrics.lost_s(&frame.data, row)).to_string(),
            formula: match frame.data.count(row) {
                1.0 => format!("time − roof time = {} − {roof_time}", Seconds(time)),
                n => format!(
                    "(time − roof time) × calls = ({} − {roof_time}) × {n}",
                    Seconds(time)
                ),
            },
            hint: "What a perfect kernel would give back.",
            reported: None,
        });
    }
}

/// Tile, waves and the shape's own roof, as far as the file's columns and the kernel's name tell.
fn tile_figures(frame: &Frame, row: usize, shape: &RowShape) -> Vec<Figure> {
    let plain = |label, value, formula, hint| Figure {
        label,
        value,
        formula,
        hint,
        reported: None,
    };
    let [m, n, ..] = shape.sizes;
    let (tile, tiling) = (shape.tile, shape.tiling);
    let from = match shape.from {
        TileFrom::Columns => "from the file's columns".to_owned(),
        TileFrom::KernelName => format!(
            "from the {} kernel's name",
            KernelName::parse(frame.data.text(Role::Kernel, row))
                .library
                .label()
        ),
    };
    let split = match shape.split_k {
        SplitK::Stated(1) | SplitK::None => String::new(),
        SplitK::Stated(s) => format!(", split-K {s}"),
        SplitK::Launched(s) => format!(", split-K {s} as launched"),
        SplitK::AtRunTime => ", split-K chosen at run time".to_owned(),
    };
    let mut out = vec![
        plain(
            "Tile",
            format!("{tile}{split}"),
            from,
            "The part of C that one workgroup computes: BM × BN, BK deep at a time.",
        ),
        plain(
            "Tile efficiency",
            percent(tiling.tile_efficiency),
            format!(
                "M N / covered = {m} × {n} / ({} × {} × {} × {})",
                tiling.tiles_m, tile.m, tiling.tiles_n, tile.n
            ),
            "Share of the covered area that is part of C: tiles that stick out compute nothing useful.",
        ),
    ];
    let (Some(waves), Some((units, unit))) = (shape.waves, &shape.units) else {
        return out;
    };
    out.push(plain(
        "Wave efficiency",
        percent(waves.wave_efficiency),
        format!(
            "workgroups / (waves × {unit}s) = {} / ({} × {units})",
            waves.workgroups, waves.waves
        ),
        "Share of the device that has work, averaged over the waves: the last one is rarely full.",
    ));
    if let Some(roof) = shape.roof {
        let reached = match shape.efficiency().filter(|e| e.is_finite()) {
            Some(e) => format!(" ({} of it attained)", percent(e)),
            None => String::new(),
        };
        out.push(plain(
            "Roof of this tile",
            format!("{}{reached}", FlopsPerSec(roof.flops_per_s)),
            format!(
                "min(datasheet peak × {}, AI × bandwidth)",
                percent(waves.efficiency())
            ),
            "What the best kernel of this tile could attain on this shape; past it only another tile, split-K or batching helps.",
        ));
    }
    out
}

fn reported(theirs: f64, ours: f64, write: impl Fn(f64) -> String) -> Option<Reported> {
    (theirs.is_finite() && ours.is_finite()).then(|| Reported {
        value: write(theirs),
        gap: theirs / ours - 1.0,
    })
}

fn judged_by(
    stated: &str,
    device: Option<&Device>,
    p: &Problem,
    roof: Option<Roof>,
    kind: RoofKind,
) -> String {
    match (device, roof) {
        (Some(d), Some(_)) => {
            let how = match stated {
                "" => " (chosen on this page, the file names none)".to_owned(),
                name if name == d.name => String::new(),
                name => format!(" (the file says “{name}”)"),
            };
            format!("{}{how}", d.explain_peak(p.op.compute))
        }
        (Some(d), None) if kind == RoofKind::Achievable && d.peak_for(p.op.compute).is_some() => {
            format!(
                "{}: nobody's measured maximum for {} is known",
                d.name, p.op.compute
            )
        }
        (Some(d), None) => d.explain_peak(p.op.compute),
        (None, _) if stated.is_empty() => {
            "The file names no device: choose one to see a roof".to_owned()
        }
        (None, _) => format!("“{stated}” is in no list of devices: choose one to see a roof"),
    }
}

/// Explanations that would bring a point under its roof; those that would not are left out.
fn above(p: &Problem, roof: Roof, device: Option<&Device>, efficiency: f64) -> Vec<String> {
    let mut out = Vec::new();
    let memory_side =
        roof.bound(p.intensity().0) == Bound::Memory || p.intensity().0 < roof.ridge();
    if let Some(cache) = device.and_then(Device::cache_bytes)
        && p.bytes().0 <= cache
        && memory_side
    {
        out.push(format!(
            "Operands in cache: all of them are {}, the largest cache holds {}. A benchmark that repeats one call reads them from there, not from memory.",
            p.bytes(), Bytes(cache)
        ));
    }
    if let Some(cache) = device.and_then(Device::cache_bytes)
        && (cache..=2.0 * cache).contains(&p.bytes().0)
        && p.bytes().0 > cache
        && memory_side
    {
        out.push(format!(
            "Operands partly in cache: all of them are {}, the largest cache holds {}, so a repeated call finds a part of them there.",
            p.bytes(), Bytes(cache)
        ));
    }
    if efficiency <= 1.01 {
        out.push("Rounding: a datasheet's figure is rounded and so is a timer's; one percent is within both.".to_owned());
    }
    if efficiency <= 2.0 && !memory_side {
        out.push("Structured sparsity: peaks here are dense ones; 2:4 sparse rates are up to twice as high.".to_owned());
    }
    if efficiency <= 1.15 && !memory_side {
        out.push("Clock: the datasheet's peak is at its stated clock; a chip that boosts over it attains more.".to_owned());
    }
    out.push("Another device: the file may come from a faster one than chosen here.".to_owned());
    if efficiency > 2.0 {
        out.push("Unit of the time: nanoseconds read as microseconds make every rate 1000 times what it was; the file's card has a choice.".to_owned());
    }
    out.push("Another shape or type: rows of a sweep that print the same size for every run, or a narrower type than stated.".to_owned());
    out
}

fn columns(frame: &Frame, row: usize) -> Vec<(String, String)> {
    frame
        .data
        .columns
        .iter()
        .filter_map(|c| {
            let info = frame.info(&Field::Column(c.key.clone()))?;
            let text = match &c.data {
                ColumnData::Text { codes, values } => values[codes[row] as usize].clone(),
                ColumnData::Number(v) => cells::number(&info, v[row]),
            };
            (!text.is_empty()).then(|| (cells::title(&info), text))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Column, Dataset, Source};
    use crate::dtype::DataType;
    use crate::gemm::Operation;
    use crate::hardware;
    use crate::metrics::Metrics;
    use std::sync::Arc;

    fn frame(device: &str, m: u32, n: u32, k: u32, time: f64, rate: f64) -> Frame {
        let mut d = Dataset::new();
        d.sources.push(Source {
            name: "a.csv".into(),
            ..Source::default()
        });
        d.ops.push(Operation::uniform(DataType::Bf16));
        d.m.push(m);
        d.n.push(n);
        d.k.push(k);
        d.batch.push(1);
        d.op.push(0);
        d.device.push(0);
        d.time_s.push(time);
        d.source.push(0);
        d.line.push(7);
        d.columns.push(Column {
            key: "reported_rate".into(),
            label: "tflops".into(),
            role: Role::ReportedRate,
            unit: "FLOP/s".into(),
            data: ColumnData::Number(vec![rate]),
        });
        let devices = vec![hardware::by_id(device).cloned()];
        let metrics = Metrics::compute(&d, devices, RoofKind::Datasheet);
        Frame::all(Arc::new(d), Arc::new(metrics))
    }

    fn value(e: &Explanation, label: &str) -> String {
        e.figures
            .iter()
            .find(|f| f.label == label)
            .map(|f| f.value.clone())
            .unwrap_or_default()
    }

    #[test]
    fn numbers_are_put_into_the_formulas() {
        let e = explain(&frame("mi300x", 8944, 2816, 1024, 110.589e-6, 466.4e12), 0);
        assert_eq!(value(&e, "Work"), "51.58 GFLOP");
        assert_eq!(value(&e, "Bytes"), "74.5 MB");
        assert_eq!(value(&e, "Attained"), "466.4 TFLOP/s");
        assert_eq!(value(&e, "Ridge point"), "246.7 FLOP/B");
        assert_eq!(e.limit, Some(Bound::Compute));
        assert_eq!(e.place, "a.csv, line 7");
        let attained = e.figures.iter().find(|f| f.label == "Attained").unwrap();
        assert_eq!(attained.formula, "work / time = 51.58 GFLOP / 110.6 µs");
        assert!(attained.reported.as_ref().unwrap().gap.abs() < 0.01);
        assert!(e.above_roof.is_empty());
    }

    #[test]
    fn only_what_could_explain_it_is_offered_above_the_roof() {
        // 2 x 2 x 256 kB of operands at twice the memory's speed: the cache holds them.
        let e = explain(&frame("mi300x", 16, 4096, 4096, 1e-6, f64::NAN), 0);
        assert!(e.efficiency.is_some_and(|e| e > 1.0));
        assert!(
            e.above_roof[0].starts_with("Operands in cache"),
            "{:?}",
            e.above_roof
        );
        // Over the compute roof by half: no cache does that.
        let e = explain(&frame("mi300x", 8192, 8192, 8192, 560e-6, f64::NAN), 0);
        assert!(
            e.above_roof[0].starts_with("Structured sparsity"),
            "{:?}",
            e.above_roof
        );
    }

    #[test]
    fn counted_bytes_stand_beside_the_compulsory_ones() {
        let mut f = frame("a100-80-sxm", 8192, 8192, 8192, 6.9e-3, f64::NAN);
        let data = Arc::make_mut(&mut f.data);
        data.columns.push(Column {
            key: "measured_bytes".into(),
            label: "measured bytes".into(),
            role: Role::MeasuredBytes,
            unit: "B".into(),
            data: ColumnData::Number(vec![1.74e9]),
        });
        let e = explain(&f, 0);
        // 402.65 MB if each operand is read once.
        assert_eq!(
            value(&e, "Measured bytes"),
            "1.74 GB, 4.32 × the compulsory"
        );
        assert_eq!(value(&e, "Intensity at measured bytes"), "631.9 FLOP/B");
        assert_eq!(
            value(&e, "Memory rate"),
            "252 GB/s (12.4 % of the memory's)"
        );
        let (_, lines) = brief(&f, 0);
        assert!(lines.contains(&("AI, measured bytes".to_owned(), "631.9 FLOP/B".to_owned())));
    }

    #[test]
    fn a_row_without_a_device_says_what_to_do() {
        let e = explain(&frame("", 16, 16, 16, 1e-6, f64::NAN), 0);
        assert_eq!(e.efficiency, None);
        assert!(e.device.contains("choose one"));
    }
}
