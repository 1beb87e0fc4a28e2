//! Advice by the device and the type of a GEMM.

use super::rules;
use gemmscope_analysis::findings::{Group, ROW_BYTES, Scan, is_quantized, unaligned};
use gemmscope_model::dtype::{DataType, Family};
use gemmscope_model::gemm::{Problem, Routing};
use gemmscope_model::hardware::Device;
use gemmscope_model::roofline::is_launch_bound;
use gemmscope_model::units::{either, format_significant, grouped, percent, seconds_brief};

/// A type must raise the peak at least this many times to be recommended.
const FASTER: f64 = 1.5;

/// Types that can replace another one, widest first. None for integers and for 8 bits and less: anything narrower needs
/// another model, not just a flag.
fn narrower(of: DataType) -> &'static [DataType] {
    match of.family() {
        Some(Family::Fp64) => &[DataType::Fp32],
        Some(Family::Fp32) => &[DataType::Tf32, DataType::Bf16, DataType::Fp16],
        Some(Family::Tf32) => &[DataType::Bf16, DataType::Fp16],
        Some(Family::Fp16 | Family::Bf16) => &[DataType::Fp8E4m3, DataType::Int8],
        _ => &[],
    }
}

/// The types with at least [`FASTER`] times the peak on this device.
fn faster_types(device: &Device, of: DataType) -> Vec<DataType> {
    let peak = |t: DataType| device.peak_for(t).map(|p| p.flops_per_s);
    let Some(now) = peak(of) else {
        return Vec::new();
    };
    narrower(of).iter().copied().filter(|t| peak(*t).is_some_and(|p| p >= FASTER * now)).collect()
}

/// `tf32 or bf16`: the types that are faster on a group's device; "" if there are none.
fn types(scan: &Scan<'_>, group: &Group) -> String {
    let of = scan.problem(group).op.compute;
    let found = scan.device(group).map_or_else(Vec::new, |d| faster_types(d, of));
    either(&found.iter().map(|t| t.name()).collect::<Vec<_>>())
}

/// Advice on the algorithm or model for a compute-bound GEMM below its roof.
pub(super) fn compute_path(scan: &Scan<'_>, group: &Group) -> String {
    if is_quantized(&scan.problem(group).op) {
        return "Validate the quantisation scheme and its calibration: scaling and conversion take \
                time that the roof does not know. A larger batch spreads them."
            .to_owned();
    }
    let types = types(scan, group);
    let narrower = if types.is_empty() {
        String::new()
    } else {
        format!(", a narrower type ({types}) if the numbers allow it")
    };
    format!(
        "Change the roof: a larger batch, fusion with a neighbour{narrower}, or structured \
         sparsity."
    )
}

/// Advice on the program for launch-bound calls; a benchmark cannot launch less.
pub(super) fn launch_path(is_program: bool) -> String {
    match is_program {
        true => rules::LAUNCH.path_a.to_owned(),
        false => "Nothing: each GEMM was measured on its own.".to_owned(),
    }
}

/// Advice on the program for what a short call takes beyond its launch.
pub(super) fn short_path(is_program: bool) -> String {
    match is_program {
        true => "Make the GEMMs larger: a larger batch, or several merged into one, leaves less of the device idle \
                 in each call."
            .to_owned(),
        false => "Nothing: each GEMM was measured on its own.".to_owned(),
    }
}

/// True if the device is a CPU, whose units are cores and which has no split-K.
fn is_cpu(scan: &Scan<'_>, group: &Group) -> bool {
    scan.device(group).is_some_and(|d| d.unit_kind == "core")
}

/// Advice on the kernel of a compute-bound GEMM below its roof.
pub(super) fn compute_kernel(scan: &Scan<'_>, group: &Group) -> String {
    let settings = match is_cpu(scan, group) {
        true => "blocking and threads",
        false => "tile, split-K and stages",
    };
    format!(
        "Tune {settings} for each shape, and try other libraries. Send the kernel team reproducers."
    )
}

/// Advice on the algorithm or model for a memory-bound GEMM below the bandwidth: fewer bytes of the operand that
/// dominates the traffic.
pub(super) fn memory_path(scan: &Scan<'_>, group: &Group) -> String {
    let p = scan.problem(group);
    if let Some(path) = weights_path(scan, group, &p) {
        return path;
    }
    let (m, n, k) = (f64::from(p.m), f64::from(p.n), f64::from(p.k));
    let [a, b, c] = [m * k * p.op.a.bytes(), k * n * p.op.b.bytes(), m * n * p.op.c.bytes()];
    let all = a + b + c;
    let (name, most) =
        [("A", a), ("B", b)].into_iter().max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or(("A", a));
    let share = |bytes: f64| percent(bytes / all);
    // Many rows of activations, or a large result: no weight dominates.
    if most < HALF * all || c >= most {
        return format!(
            "A, B and C are {}, {} and {} of the bytes: fuse with the operations before and \
             after, so that operands and results stay on chip.",
            share(a),
            share(b),
            share(c)
        );
    }
    let quantise = if is_quantized(&p.op) {
        "check that it is stored packed"
    } else {
        "quantise it (8 or 4 bit) if it holds weights"
    };
    format!(
        "{name} is {} of the bytes: {quantise}, or batch requests so that one read of it serves \
         more of the other operand.",
        share(most)
    )
}

/// The same for a grouped GEMM most of whose bytes are weights: how many more tokens cost next to nothing.
fn weights_path(scan: &Scan<'_>, group: &Group, p: &Problem) -> Option<String> {
    let (groups, active) = (p.op.groups.filter(|groups| !groups.along_k)?, p.active()?);
    let columns = f64::from(p.n) + f64::from(groups.down);
    let weights = active * columns * f64::from(p.k) * p.op.cost().bytes_b;
    let share = weights / p.bytes().0;
    if share < HALF {
        return None;
    }
    let rows =
        scan.metrics().roof(scan.data(), group.row as usize)?.ridge_size(|m| Problem { m, ..*p });
    let (what, a_token) = match groups.routing {
        Routing::Uniform(k) if k > 1 => ("tokens a step", k),
        _ => ("rows a call", 1),
    };
    let most = match rows {
        None => "at any number".to_owned(),
        Some(rows) => format!("up to {}", grouped((rows / a_token).into())),
    };
    Some(format!(
        "The weights of {} of {} groups are {} of the bytes: more {what} cost next to nothing {most}.",
        format_significant(active, 3),
        groups.count,
        percent(share)
    ))
}

/// The sentence of [`padding`], before other advice.
pub(super) fn padded_then(scan: &Scan<'_>, group: &Group, then: &str) -> String {
    match padding(scan, group) {
        first if first.is_empty() => then.to_owned(),
        first => format!("{first} {then}"),
    }
}

/// An operand with at least this share of the bytes is the one to shrink.
const HALF: f64 = 0.5;

/// The largest other dimension for which a matrix-vector kernel fits.
const VECTOR: u32 = 16;

/// True for a kernel too small for its roof to matter, with times that exclude the launch: it mostly starts, fills and
/// drains.
pub(super) fn is_tiny(scan: &Scan<'_>, group: &Group) -> bool {
    is_launch_bound(group.call_s(), group.roof_s / group.calls, floor_s(scan, group))
}

/// Launch floor of a group's device, seconds, whether or not its times include launches; NaN for an unknown device.
fn floor_s(scan: &Scan<'_>, group: &Group) -> f64 {
    scan.metrics().launch_floor_s(scan.frame.data.device[group.row as usize])
}

/// Advice on the kernel of a [tiny](is_tiny) GEMM.
pub(super) fn tiny_kernel(scan: &Scan<'_>, group: &Group) -> String {
    format!(
        "The roof time of {} is {}, less than a kernel takes to start and finish (about {}): spread it over more \
         units with a smaller tile or split-K, and do not expect the % of roof of a large one.",
        scan.problem(group),
        seconds_brief(group.roof_s / group.calls),
        seconds_brief(floor_s(scan, group))
    )
}

/// Advice on the kernel of a memory-bound GEMM below the bandwidth.
pub(super) fn memory_kernel(scan: &Scan<'_>, group: &Group) -> String {
    let p = scan.problem(group);
    let kind = match (p.m.min(p.n) <= VECTOR, is_cpu(scan, group)) {
        (true, true) => "Try a matrix-vector kernel, and tune its threads",
        (true, false) => "Try a matrix-vector or split-K kernel, and tune it",
        (false, true) => "Try other blocking and threads, tuned",
        (false, false) => "Try a smaller tile on the short side and wider loads, tuned",
    };
    format!("{kind} for this shape.")
}

/// Sentence on the sizes to pad so that every row starts at a multiple of 16 bytes; "" if all do.
fn padding(scan: &Scan<'_>, group: &Group) -> String {
    let p = scan.problem(group);
    let odd = unaligned(&p);
    let mut sizes: Vec<String> = Vec::new();
    for (what, size, bytes) in odd {
        let step = ROW_BYTES / (bytes / f64::from(size));
        let padded = (f64::from(size) / step).ceil() * step;
        let name = what.split(' ').next().unwrap_or(what);
        let text = format!("{name} {size} to {padded:.0}");
        if !sizes.contains(&text) {
            sizes.push(text);
        }
    }
    if sizes.is_empty() {
        return String::new();
    }
    format!("Pad first, so that rows start at 16 bytes ({}).", sizes.join(", "))
}
