//! Figures of one row, each with its formula and numbers.

use super::{Figure, Reported, share_of_roof};
use crate::glossary::{RIDGE, TILE};
use crate::reference::others_reach;
use crate::tile_roof::{TILE_EFFICIENCY, WAVE_EFFICIENCY};
use gemmscope_analysis::figures::Figures;
use gemmscope_analysis::formula::{Formula, constant, given, given_as, letter, number};
use gemmscope_analysis::tile_roof::{RowTile, SplitK, TileFrom};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Problem, Routing};
use gemmscope_model::reference::Standing;
use gemmscope_model::roofline::Roof;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::units::{
    Bytes, BytesPerSec, Flops, FlopsPerSec, Intensity, Seconds, capitalized, format_significant,
    percent,
};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::{EFFICIENCY, Field, Frame, REFERENCE};

/// A figure with the value of its formula, without one from the file.
fn figure<Q: Copy>(
    label: &'static str,
    formula: &Formula<Q>,
    write: impl Fn(Q) -> String,
    hint: &'static str,
) -> Figure {
    let value = write(formula.value());
    Figure { label, value, formula: formula.to_string(), hint, reported: None }
}

impl Figure {
    /// A figure with the file's own value, formatted by `write`.
    fn beside(self, theirs: f64, ours: f64, write: impl Fn(f64) -> String) -> Figure {
        let known = theirs.is_finite() && ours.is_finite();
        let reported = known.then(|| Reported { value: write(theirs), gap: theirs / ours - 1.0 });
        Figure { reported, ..self }
    }
}

/// Formulas that the figures of a row share.
struct Parts {
    work: Formula<Flops>,
    bytes: Formula<Bytes>,
    time: Formula<Seconds>,
}

/// All figures of a row: shape, time, profiler counters, roof.
pub(super) fn all_figures(data: &Dataset, x: &Figures<'_>) -> Vec<Figure> {
    let theirs = |meaning| data.number(meaning, x.row);
    let parts = Parts {
        work: given("work", Flops(x.work)),
        bytes: given("bytes", Bytes(x.bytes)),
        time: given("time", Seconds(x.time_s)),
    };
    let Parts { work, bytes, time } = &parts;
    let mut out =
        vec![
            figure("Work", &work_formula(&x.problem), |v| v.to_string(), Field::Work.hint())
                .beside(theirs(ColumnMeaning::ReportedWork), x.work, |v| Flops(v).to_string()),
            figure("Bytes", &bytes_formula(&x.problem), |v| v.to_string(), Field::Bytes.hint())
                .beside(theirs(ColumnMeaning::ReportedBytes), x.bytes, |v| Bytes(v).to_string()),
            figure(
                "Arithmetic intensity",
                &(work.clone() / bytes.clone()),
                |v| v.to_string(),
                Field::Ai.hint(),
            )
            .beside(theirs(ColumnMeaning::ReportedIntensity), x.ai, |v| Intensity(v).to_string()),
        ];
    out.extend(groups_figure(&x.problem));
    if !x.time_s.is_nan() {
        out.push(
            figure(
                "Attained",
                &(work.clone() / time.clone()),
                |v| v.to_string(),
                Field::Attained.hint(),
            )
            .beside(theirs(ColumnMeaning::ReportedRate), x.rate, |v| FlopsPerSec(v).to_string()),
        );
        out.push(
            figure(
                "Bandwidth use",
                &(bytes.clone() / time.clone()),
                |v| format!("{v}{}", of_memory(x, v)),
                Field::BandwidthUse.hint(),
            )
            .beside(theirs(ColumnMeaning::ReportedBandwidth), x.bandwidth, |v| {
                BytesPerSec(v).to_string()
            }),
        );
    }
    let counted = theirs(ColumnMeaning::MeasuredBytes);
    if counted > 0.0 {
        out.extend(measured_figures(x, &parts, Bytes(counted)));
    }
    if let Some(roof) = x.roof {
        out.extend(roof_figures(x, &parts, roof, theirs(ColumnMeaning::ReportedEfficiency)));
    }
    out.extend(reference_figure(x, time));
    let count = data.count(x.row);
    if !x.time_s.is_nan() && count != 1.0 {
        let all = time.clone() * number("calls", count);
        out.push(figure("All calls", &all, |v| v.to_string(), Field::TotalTime.hint()));
    }
    out
}

/// What others reach, and the row's share of it; `None` if nothing is published.
fn reference_figure(x: &Figures<'_>, time: &Formula<Seconds>) -> Option<Figure> {
    let others = x.reference?;
    let said = |share: String| {
        let reach = capitalized(&others_reach(&others, x.work));
        let beaten = match others.standing(x.time_s) {
            Standing::Faster => "; faster than published: check the units, or tell the world",
            Standing::Near | Standing::Slower => "",
        };
        format!("{reach}{share}{beaten}")
    };
    let published = given("published time", Seconds(others.time_s));
    Some(match x.time_s.is_nan() {
        true => figure("Others reach", &published, |_| said(String::new()), REFERENCE),
        false => figure(
            "Others reach",
            &(published / time.clone()),
            |share: f64| said(format!("; this is {} of it", percent(share))),
            REFERENCE,
        ),
    })
}

/// ` (40.1 % of the memory's)`; "" without a roof.
fn of_memory(x: &Figures<'_>, rate: BytesPerSec) -> String {
    let share = |r: Roof| percent(rate.0 / r.bandwidth_bytes_per_s);
    x.roof.map_or(String::new(), |r| format!(" ({} of the memory's)", share(r)))
}

/// `batch × formula`; the formula alone without a batch.
fn batched(p: &Problem, one: Formula<f64>) -> Formula<f64> {
    match p.batch {
        1 => one,
        batch => number("batch", f64::from(batch)) * one,
    }
}

/// M, N and K of a problem.
fn sizes(p: &Problem) -> [Formula<f64>; 3] {
    [("M", p.m), ("N", p.n), ("K", p.k)].map(|(name, v)| letter(name, f64::from(v)))
}

fn work_formula(p: &Problem) -> Formula<Flops> {
    let [m, n, k] = sizes(p);
    let per = if p.op.compute.is_complex() { 8.0 } else { 2.0 };
    let bias = m.clone() * n.clone();
    let product = constant(per) * m.clone() * n * k.clone();
    let all = if p.op.bias { product + bias } else { product };
    let all = match inner(p) {
        Some(inner) => all + constant(per) * m * k * inner,
        None => all,
    };
    batched(p, all).into_unit(Flops)
}

fn bytes_formula(p: &Problem) -> Formula<Bytes> {
    let [m, n, k] = sizes(p);
    let size = |name, of: DataType| letter(name, of.bytes() + of.scale_bytes_per_element());
    let (a, b, c) = (size("s_a", p.op.a), size("s_b", p.op.b), size("s_c", p.op.c));
    let result = m.clone() * n.clone() * c.clone();
    let result = if p.op.beta { constant(2.0) * result } else { result };
    let (Some(groups), Some(active)) = (p.op.groups, p.active()) else {
        return batched(p, m * k.clone() * a + k * n * b + result).into_unit(Bytes);
    };
    if groups.along_k {
        let results = letter("E", f64::from(groups.count)) * result;
        return (m * k.clone() * a + k * n * b + results).into_unit(Bytes);
    }
    let active = letter("E_a", active);
    let up =
        m.clone() * k.clone() * a.clone() + active.clone() * k.clone() * n * b.clone() + result;
    let all = match inner(p) {
        Some(inner) => {
            up + m.clone() * inner.clone() * a + active * inner * k.clone() * b + m * k * c
        }
        None => up,
    };
    all.into_unit(Bytes)
}

/// Inner size of the second product of a call.
fn inner(p: &Problem) -> Option<Formula<f64>> {
    let inner = p.op.groups.map_or(0, |groups| groups.down);
    (inner > 0).then(|| letter("I", f64::from(inner)))
}

/// Which groups of a grouped GEMM have rows.
fn groups_figure(p: &Problem) -> Option<Figure> {
    let (groups, active) = (p.op.groups?, p.active()?);
    let rows = match groups.along_k {
        true => letter("K", f64::from(p.k)),
        false => letter("M", f64::from(p.m)),
    };
    let how = match groups.routing {
        Routing::Known(_) => String::new(),
        Routing::Uniform(1) => " to expect, if every row is as likely in each".to_owned(),
        Routing::Uniform(k) => format!(" to expect, if each token goes to {k} of them at random"),
    };
    Some(figure(
        "Rows a group",
        &(rows / letter("E_a", active)),
        |each: f64| {
            format!(
                "{} on average; {} of {} groups have rows{how}",
                format_significant(each, 3),
                format_significant(active, 3),
                groups.count
            )
        },
        Field::ActiveGroups.hint(),
    ))
}

/// Figures from a profiler's memory counters: traffic, intensity, share of the bandwidth.
fn measured_figures(x: &Figures<'_>, parts: &Parts, counted: Bytes) -> Vec<Figure> {
    let Parts { work, bytes, time } = parts;
    let measured = || given("measured bytes", counted);
    let mut out = vec![
        figure(
            "Measured bytes",
            &(measured() / bytes.clone().named("compulsory bytes")),
            |ratio| format!("{counted}, {} × the compulsory", format_significant(ratio, 3)),
            "What the profiler's memory counters saw. More than the compulsory bytes: operands were read again. Less: they lay in a cache.",
        ),
        figure(
            "Intensity at measured bytes",
            &(work.clone() / measured()),
            |v| v.to_string(),
            "Where the open mark stands in the roofline: the real intensity of this run.",
        ),
    ];
    if x.time_s > 0.0 {
        out.push(figure(
            "Memory rate",
            &(measured() / time.clone()),
            |v| format!("{v}{}", of_memory(x, v)),
            "How busy the memory really was. Near 100 %: memory limits this kernel, whatever its shape allows.",
        ));
    }
    out
}

/// Peak and bandwidth of a roof, with their names.
fn rates(roof: Roof) -> (Formula<FlopsPerSec>, Formula<BytesPerSec>) {
    let peak = FlopsPerSec(roof.peak_flops_per_s);
    (
        given_as("peak", peak, peak.peak()),
        given("bandwidth", BytesPerSec(roof.bandwidth_bytes_per_s)),
    )
}

/// The roof at the row's intensity, and the share of it if the row has a time; `theirs` is the file's percentage as a
/// share.
fn roof_figures(x: &Figures<'_>, parts: &Parts, roof: Roof, theirs: f64) -> Vec<Figure> {
    let (peak, bandwidth) = rates(roof);
    let of_memory = given("AI", Intensity(x.ai)) * bandwidth.clone();
    let mut out = vec![
        figure(
            "Roof at this intensity",
            &peak.clone().min(of_memory),
            |v| v.to_string(),
            "The most this shape can attain on the device if every operand is read once.",
        ),
        figure("Ridge point", &(peak.clone() / bandwidth.clone()), |v| v.to_string(), RIDGE),
    ];
    if x.time_s.is_nan() {
        return out;
    }
    let roof_time = parts.work.clone() / peak;
    let roof_time = roof_time.max(parts.bytes.clone() / bandwidth);
    out.push(figure(
        "Roof time",
        &roof_time,
        |v| v.to_string(),
        "The shortest time the roof allows.",
    ));
    let roof_time = given("roof time", Seconds(x.roof_s));
    out.push(
        figure(
            "% of roof",
            &(roof_time.clone() / parts.time.clone()),
            |share| share_of_roof(share, x.kind),
            EFFICIENCY,
        )
        .beside(theirs, x.share, percent),
    );
    if x.share < 1.0 {
        let lost = parts.time.clone() - roof_time;
        let lost = if x.calls == 1.0 { lost } else { lost * number("calls", x.calls) };
        out.push(figure("Lost time", &lost, |v| v.to_string(), Field::Lost.hint()));
    }
    out
}

/// Figures of tile, waves and the tile's roof, if columns or the kernel's name state the tile.
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
    let count = |name: &str, v: f64| number(name, v);
    let covered = count("tiles", tiling.tiles_m as f64)
        * count("", f64::from(tile.m))
        * count("tiles", tiling.tiles_n as f64)
        * count("", f64::from(tile.n));
    let wanted = letter("M", f64::from(m)) * letter("N", f64::from(n));
    let mut out = vec![
        Figure {
            label: "Tile",
            value: format!("{tile}{split}"),
            formula: from,
            hint: TILE,
            reported: None,
        },
        figure("Tile efficiency", &(wanted / covered.named("covered")), percent, TILE_EFFICIENCY),
    ];
    let (Some(waves), Some((units, unit))) = (shape.waves, &shape.units) else {
        return out;
    };
    let slots = count("waves", waves.waves as f64) * count(&format!("{unit}s"), f64::from(*units));
    let share = count("workgroups", waves.workgroups as f64) / slots;
    out.push(figure("Wave efficiency", &share, percent, WAVE_EFFICIENCY));
    if let Some(roof) = shape.roof_formula() {
        let reached = match shape.efficiency().filter(|e| e.is_finite()) {
            Some(e) => format!(" ({} of it attained)", percent(e)),
            None => String::new(),
        };
        out.push(figure(
            "Roof of this tile",
            &roof,
            |v| format!("{v}{reached}"),
            "What the best kernel of this tile could attain on this shape; past it only another tile, split-K or batching helps.",
        ));
    }
    out
}
