//! Ideas that would change the roof or match what another type or device reaches: batching, a faster type, a better
//! kernel.

use super::story::{self, Story};
use gemmscope_analysis::findings::{Group, Scan};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::short_name;
use gemmscope_model::units::{fixed, percent, plural};

/// Many calls of one GEMM that could be batched.
pub(super) fn repeats(scan: &Scan<'_>, most: &Group, groups: u64) -> Story {
    let one = Story {
        title: format!("{} of one GEMM: {}", story::calls(most.calls), scan.title(most)),
        text: format!(
            "{}. Each call reaches {} of the roof; together they could fill the device, if \
             they are independent of each other.",
            story::opening(scan, most),
            percent(most.efficiency())
        ),
        formula: {
            let least = story::brief("one call", most.call_s())
                .max(story::brief("roof of all", most.roof_s));
            let saved = story::brief("all calls", most.time_s) - least;
            saved.result(|s| story::time(s.0.max(0.0)))
        },
        ..Story::default()
    };
    one.of_several(scan, groups, most, |n| format!("{n} GEMMs that repeat and could batch"))
}

/// A type with a higher peak on the device. `roof_s` are the roof times of a call of the GEMM with most time, in its
/// own type and in the faster one.
pub(super) fn faster_type(
    scan: &Scan<'_>,
    (most, groups): (&Group, u64),
    to: DataType,
    [now, then]: [f64; 2],
) -> Story {
    let (from, ratio) = (scan.problem(most).op.compute, now / then);
    let count = plural(groups, "GEMM");
    Story {
        title: format!("{to} would raise the roof of {from} {ratio:.1}x: {count}"),
        text: format!(
            "The device multiplies {to} faster than {from}. The one that takes most time, {}: \
             {}.",
            scan.title(most),
            story::opening(scan, most),
        ),
        formula: (story::brief(&format!("roof time in {from}"), now)
            / story::brief(&format!("in {to}"), then))
        .result(|ratio| format!("{ratio:.1}")),
        path_a: Some(path_a(to)),
        ..Story::default()
    }
}

/// How to use the faster type.
fn path_a(to: DataType) -> String {
    match to {
        DataType::Tf32 => "Use tf32 (torch.set_float32_matmul_precision('high')) if the results \
                           allow it; validate the numbers."
            .to_owned(),
        DataType::Bf16 => "Use bf16 with fp32 accumulation if the results allow it; validate the \
                           numbers."
            .to_owned(),
        other => format!("Use {other} if the results allow it; validate the numbers."),
    }
}

/// A narrow type that is slower than a wide one.
pub(super) fn slower_type(scan: &Scan<'_>, pair: [&Group; 2], groups: u64) -> Story {
    let [narrow, wide] = pair.map(|g| scan.problem(g).op.compute.name());
    let by = format!("{} longer", percent(pair[0].call_s() / pair[1].call_s() - 1.0));
    let title = format!("{narrow} is slower than {wide}: {}", plural(groups, "GEMM"));
    slower(scan, pair, title, (&by, wide))
}

/// A GEMM that is much slower than on another device.
pub(super) fn slower_device(scan: &Scan<'_>, pair: [&Group; 2], groups: u64) -> Story {
    let other = scan.device(pair[1]);
    let other = other.map_or("another device".to_owned(), |d| short_name(&d.name));
    let by = format!("{} times as long", fixed(pair[0].call_s() / pair[1].call_s(), 1));
    let title = format!("Over 5 times as slow as on {other}: {}", plural(groups, "GEMM"));
    slower(scan, pair, title, (&by, &other))
}

fn slower(
    scan: &Scan<'_>,
    [slow, fast]: [&Group; 2],
    title: String,
    (by, other): (&str, &str),
) -> Story {
    let times = [slow, fast].map(|g| story::time(g.call_s()));
    Story {
        title,
        text: format!(
            "Most in {}: {} a call, {by} than the {} of {other}.",
            scan.problem(slow),
            times[0],
            times[1]
        ),
        formula: (story::brief("time of a call", slow.call_s())
            / story::brief("of the faster one", fast.call_s()))
        .result(|ratio| fixed(ratio, 2)),
        ..Story::default()
    }
}
