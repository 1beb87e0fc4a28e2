//! The figures of one row, each with its formula and numbers.

use super::{Figure, Reported, share_of_roof};
use crate::tile_roof::{RowTile, SplitK, TileFrom};
use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Roof;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::units::{
    Bytes, BytesPerSec, Flops, FlopsPerSec, Intensity, Seconds, format_significant, percent,
};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Field, Frame};

pub(super) fn work_figure(p: &Problem, theirs: f64) -> Figure {
    let batch = if p.batch == 1 { String::new() } else { format!("{} × ", p.batch) };
    let per = if p.op.compute.is_complex() { 8 } else { 2 };
    let bias =
        if p.op.bias { format!(" + {batch}{} × {} (bias)", p.m, p.n) } else { String::new() };
    Figure {
        label: "Work",
        value: p.work().to_string(),
        formula: format!("{batch}{per} M N K = {batch}{per} × {} × {} × {}{bias}", p.m, p.n, p.k),
        hint: "One multiply and one add for each of the M × N × K products.",
        reported: reported(theirs, p.work().0, |v| Flops(v).to_string()),
    }
}

pub(super) fn bytes_figure(p: &Problem, theirs: f64) -> Figure {
    let batch = if p.batch == 1 { String::new() } else { format!("{} × ", p.batch) };
    let size = |d: gemmscope_model::dtype::DataType| {
        format_significant(d.bytes() + d.scale_bytes_per_element(), 1)
    };
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

/// Figures from a profiler's memory counters: traffic, intensity, share of the bandwidth.
pub(super) fn measured_figures(
    figures: &mut Vec<Figure>,
    data: &gemmscope_table::dataset::Dataset,
    row: usize,
    roof: Option<Roof>,
    work: Flops,
    bytes: Bytes,
) {
    let counted = Bytes(data.number(ColumnMeaning::MeasuredBytes, row));
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

pub(super) fn roof_figures(
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
        formula: format!("peak / bandwidth = {} / {bandwidth}", peak.peak()),
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
        label: "% of roof",
        value: share_of_roof(efficiency, frame.metrics.kind_of(&frame.data, row)),
        formula: format!("roof time / time = {roof_time} / {}", Seconds(time)),
        hint: "Attained over the roof at this intensity.",
        reported: reported(
            frame.data.number(ColumnMeaning::ReportedEfficiency, row),
            efficiency,
            percent,
        ),
    });
    if efficiency < 1.0 {
        figures.push(Figure {
            label: "Lost time",
            value: Seconds(frame.numbers(&Field::Lost)(row)).to_string(),
            formula: match frame.calls(row) {
                1.0 => format!("time − roof time = {} − {roof_time}", Seconds(time)),
                n => {
                    format!("(time − roof time) × calls = ({} − {roof_time}) × {n}", Seconds(time))
                }
            },
            hint: "What a perfect kernel would save.",
            reported: None,
        });
    }
}

/// Figures of tile, waves and the tile's roof, if columns or the kernel's name tell the tile.
pub(super) fn tile_figures(frame: &Frame, row: usize, shape: &RowTile) -> Vec<Figure> {
    let plain =
        |label, value, formula, hint| Figure { label, value, formula, hint, reported: None };
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
                "min(datasheet peak × {}, roof at this intensity)",
                percent(waves.efficiency())
            ),
            "What the best kernel of this tile could attain on this shape; past it only another tile, split-K or batching helps.",
        ));
    }
    out
}

pub(super) fn reported(theirs: f64, ours: f64, write: impl Fn(f64) -> String) -> Option<Reported> {
    (theirs.is_finite() && ours.is_finite())
        .then(|| Reported { value: write(theirs), gap: theirs / ours - 1.0 })
}
