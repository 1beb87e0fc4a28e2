//! The figures of one row, each with its formula and numbers.

use super::{Figure, Reported, share_of_roof};
use crate::figures::Figures;
use crate::glossary::{RIDGE, TILE};
use crate::tile_roof::{RowTile, SplitK, TILE_EFFICIENCY, TileFrom, WAVE_EFFICIENCY};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Roof;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::units::{
    Bytes, BytesPerSec, Flops, FlopsPerSec, Intensity, Seconds, format_significant, percent,
};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::{EFFICIENCY, Field, Frame};

/// A figure without one of the file beside it.
fn plain(label: &'static str, value: String, formula: String, hint: &'static str) -> Figure {
    Figure { label, value, formula, hint, reported: None }
}

impl Figure {
    /// The same beside the file's own figure, as `write` writes it.
    fn beside(self, theirs: f64, ours: f64, write: impl Fn(f64) -> String) -> Figure {
        let known = theirs.is_finite() && ours.is_finite();
        let reported = known.then(|| Reported { value: write(theirs), gap: theirs / ours - 1.0 });
        Figure { reported, ..self }
    }
}

/// All figures of a row: of its shape, its time, counters of a profiler, its roof.
pub(super) fn all_figures(data: &Dataset, x: &Figures<'_>) -> Vec<Figure> {
    let theirs = |meaning| data.number(meaning, x.row);
    let (work, bytes, t) = (Flops(x.work), Bytes(x.bytes), Seconds(x.time_s));
    let mut out = vec![
        work_figure(&x.problem)
            .beside(theirs(ColumnMeaning::ReportedWork), x.work, |v| Flops(v).to_string()),
        bytes_figure(&x.problem)
            .beside(theirs(ColumnMeaning::ReportedBytes), x.bytes, |v| Bytes(v).to_string()),
        plain(
            "Arithmetic intensity",
            Intensity(x.ai).to_string(),
            format!("work / bytes = {work} / {bytes}"),
            Field::Ai.hint(),
        )
        .beside(theirs(ColumnMeaning::ReportedIntensity), x.ai, |v| Intensity(v).to_string()),
    ];
    if !x.time_s.is_nan() {
        let share = of_memory(x, x.bandwidth);
        out.push(
            plain(
                "Attained",
                FlopsPerSec(x.rate).to_string(),
                format!("work / time = {work} / {t}"),
                Field::Attained.hint(),
            )
            .beside(theirs(ColumnMeaning::ReportedRate), x.rate, |v| FlopsPerSec(v).to_string()),
        );
        out.push(
            plain(
                "Bandwidth use",
                format!("{}{share}", BytesPerSec(x.bandwidth)),
                format!("bytes / time = {bytes} / {t}"),
                Field::BandwidthUse.hint(),
            )
            .beside(theirs(ColumnMeaning::ReportedBandwidth), x.bandwidth, |v| {
                BytesPerSec(v).to_string()
            }),
        );
    }
    let counted = theirs(ColumnMeaning::MeasuredBytes);
    if counted > 0.0 {
        out.extend(measured_figures(x, Bytes(counted)));
    }
    if let Some(roof) = x.roof {
        out.extend(roof_figures(x, roof, theirs(ColumnMeaning::ReportedEfficiency)));
    }
    let count = data.count(x.row);
    if !x.time_s.is_nan() && count != 1.0 {
        out.push(plain(
            "All calls",
            Seconds(x.time_s * count).to_string(),
            format!("time × calls = {t} × {count}"),
            Field::TotalTime.hint(),
        ));
    }
    out
}

/// ` (40.1 % of the memory's)`; "" without a roof.
fn of_memory(x: &Figures<'_>, bytes_per_s: f64) -> String {
    let share = |r: Roof| percent(bytes_per_s / r.bandwidth_bytes_per_s);
    x.roof.map_or(String::new(), |r| format!(" ({} of the memory's)", share(r)))
}

fn work_figure(p: &Problem) -> Figure {
    let batch = if p.batch == 1 { String::new() } else { format!("{} × ", p.batch) };
    let per = if p.op.compute.is_complex() { 8 } else { 2 };
    let bias =
        if p.op.bias { format!(" + {batch}{} × {} (bias)", p.m, p.n) } else { String::new() };
    plain(
        "Work",
        p.work().to_string(),
        format!("{batch}{per} M N K = {batch}{per} × {} × {} × {}{bias}", p.m, p.n, p.k),
        Field::Work.hint(),
    )
}

fn bytes_figure(p: &Problem) -> Figure {
    let batch = if p.batch == 1 { String::new() } else { format!("{} × ", p.batch) };
    let size = |d: DataType| format_significant(d.bytes() + d.scale_bytes_per_element(), 1);
    let beta = if p.op.beta { "2 × " } else { "" };
    let (m, n, k) = (p.m, p.n, p.k);
    let [a, b, c] = [p.op.a, p.op.b, p.op.c].map(size);
    plain(
        "Bytes",
        p.bytes().to_string(),
        format!(
            "{batch}(M K s_a + K N s_b + {beta}M N s_c) = {batch}({m}×{k}×{a} + {k}×{n}×{b} + {beta}{m}×{n}×{c})"
        ),
        Field::Bytes.hint(),
    )
}

/// Figures from a profiler's memory counters: traffic, intensity, share of the bandwidth.
fn measured_figures(x: &Figures<'_>, counted: Bytes) -> Vec<Figure> {
    let (work, bytes, t) = (Flops(x.work), Bytes(x.bytes), Seconds(x.time_s));
    let mut out = vec![
        plain(
            "Measured bytes",
            format!("{counted}, {} × the compulsory", format_significant(counted.0 / bytes.0, 3)),
            format!("measured / compulsory = {counted} / {bytes}"),
            "What the profiler's memory counters saw. More than the compulsory bytes: operands were read again. Less: they lay in a cache.",
        ),
        plain(
            "Intensity at measured bytes",
            (work / counted).to_string(),
            format!("work / measured bytes = {work} / {counted}"),
            "Where the open mark stands in the roofline: the real intensity of this run.",
        ),
    ];
    if t.0 > 0.0 {
        out.push(plain(
            "Memory rate",
            format!("{}{}", counted / t, of_memory(x, counted.0 / t.0)),
            format!("measured bytes / time = {counted} / {t}"),
            "How busy the memory really was. Near 100 %: memory limits this kernel, whatever its shape allows.",
        ));
    }
    out
}

/// The roof at the row's intensity, and where it has a time how near it that is; `theirs` is the file's
/// percentage as a share.
fn roof_figures(x: &Figures<'_>, roof: Roof, theirs: f64) -> Vec<Figure> {
    let peak = FlopsPerSec(roof.peak_flops_per_s);
    let bandwidth = BytesPerSec(roof.bandwidth_bytes_per_s);
    let mut out = vec![
        plain(
            "Roof at this intensity",
            FlopsPerSec(roof.at(x.ai)).to_string(),
            format!(
                "min(peak, AI × bandwidth) = min({peak}, {})",
                FlopsPerSec(x.ai * roof.bandwidth_bytes_per_s)
            ),
            "The most this shape can attain on the device if every operand is read once.",
        ),
        plain(
            "Ridge point",
            Intensity(roof.ridge()).to_string(),
            format!("peak / bandwidth = {} / {bandwidth}", peak.peak()),
            RIDGE,
        ),
    ];
    if x.time_s.is_nan() {
        return out;
    }
    let (time, roof_time) = (Seconds(x.time_s), Seconds(x.roof_s));
    out.push(plain(
        "Roof time",
        roof_time.to_string(),
        format!(
            "max(work / peak, bytes / bandwidth) = max({}, {})",
            Seconds(x.work / roof.peak_flops_per_s),
            Seconds(x.bytes / roof.bandwidth_bytes_per_s)
        ),
        "The shortest time the roof allows.",
    ));
    out.push(
        plain(
            "% of roof",
            share_of_roof(x.share, x.kind),
            format!("roof time / time = {roof_time} / {time}"),
            EFFICIENCY,
        )
        .beside(theirs, x.share, percent),
    );
    if x.share < 1.0 {
        out.push(plain(
            "Lost time",
            Seconds(x.lost_s).to_string(),
            match x.calls {
                1.0 => format!("time − roof time = {time} − {roof_time}"),
                n => format!("(time − roof time) × calls = ({time} − {roof_time}) × {n}"),
            },
            Field::Lost.hint(),
        ));
    }
    out
}

/// Figures of tile, waves and the tile's roof, if columns or the kernel's name tell the tile.
pub(super) fn tile_figures(frame: &Frame, row: usize, shape: &RowTile) -> Vec<Figure> {
    let [m, n, ..] = shape.sizes;
    let (tile, tiling) = (shape.tile, shape.tiling);
    let from = match shape.from {
        TileFrom::Columns => "from the file's columns".to_owned(),
        TileFrom::KernelName => format!(
            "from the {} kernel's name",
            KernelName::parse(frame.data.text(ColumnMeaning::Kernel, row)).library.label()
        ),
    };
    let split = match shape.split_k {
        SplitK::Stated(1) | SplitK::None => String::new(),
        SplitK::Stated(s) => format!(", split-K {s}"),
        SplitK::Launched(s) => format!(", split-K {s} as launched"),
        SplitK::AtRunTime => ", split-K chosen at run time".to_owned(),
    };
    let mut out = vec![
        plain("Tile", format!("{tile}{split}"), from, TILE),
        plain(
            "Tile efficiency",
            percent(tiling.tile_efficiency),
            format!(
                "M N / covered = {m} × {n} / ({} × {} × {} × {})",
                tiling.tiles_m, tile.m, tiling.tiles_n, tile.n
            ),
            TILE_EFFICIENCY,
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
        WAVE_EFFICIENCY,
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
                "min(datasheet peak × {}, roof at this intensity)",
                percent(waves.efficiency())
            ),
            "What the best kernel of this tile could attain on this shape; past it only another tile, split-K or batching helps.",
        ));
    }
    out
}
