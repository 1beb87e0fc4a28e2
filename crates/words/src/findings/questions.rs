//! Questions about the data: device, roof, clock, the file's own figures.

use super::rules;
use super::story::{self, Story};
use gemmscope_analysis::findings::{Difference, FindingFacts, Group, Scan};
use gemmscope_analysis::formula::given_as;
use gemmscope_analysis::names::short;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::short_name;
use gemmscope_model::roofline::{AboveRoofCause, CacheLevel};
use gemmscope_model::units::{Bytes, and_more, capitalized, either, percent, plural, some_are};
use gemmscope_table::dataset::{ColumnMeaning, RowsAndTime, Source};
use gemmscope_table::field::Frame;
use gemmscope_table::kernel_target::devices_for;
use std::collections::BTreeMap;

/// Why being slightly above the roof means nothing.
pub(crate) const NOISE: &str = "clocks, timers and the peak itself vary by as much";

/// Kernels that were built for another device.
pub(super) fn kernels_of_another(scan: &Scan<'_>, device: u16, target: &str) -> Story {
    let Some(chosen) = &scan.metrics().devices[usize::from(device)] else {
        return Story::default();
    };
    let fits = match built_for(target) {
        words if words.is_empty() => String::new(),
        words => format!(" Kernels for {target} run on {words}."),
    };
    Story {
        title: built_for_another(scan.frame, device, target).unwrap_or_default(),
        text: format!(
            "Their names say {target}; the {} is {}.{fits} Until the device is right no finding about \
             efficiency means much.",
            chosen.name, chosen.arch_token
        ),
        ..Story::default()
    }
}

/// Devices of the catalogue that kernels of a target run on, in words; "" if there are none.
pub(crate) fn built_for(target: &str) -> String {
    let fits = devices_for(target);
    let names: Vec<String> = fits.iter().map(|d| short_name(&d.name)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("the {}", either(&names)),
    }
}

/// So many GEMMs above their roof that it must be another device's.
pub(super) fn many_above_roof(
    scan: &Scan<'_>,
    (above, all): (u64, u64),
    devices: &[String],
    causes: &[AboveRoofCause],
    most: Option<&Group>,
) -> Story {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for cause in causes {
        *reasons.entry(above_roof_cause(cause)).or_default() += 1;
    }
    let name = match devices {
        [one] => format!("the {one}"),
        _ => "the right device".to_owned(),
    };
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let would = reasons
        .first()
        .map_or(String::new(), |(why, n)| format!(" For {n} of them this would explain it: {why}"));
    let are = some_are(above, all, "GEMM");
    let share = percent(above as f64 / all as f64);
    let highest = percent(most.map_or(f64::NAN, Group::efficiency));
    Story {
        title: format!("Is this really {name}? {are} above its roof"),
        text: format!(
            "{share} of the GEMMs run faster than the {} allows, one of them at {highest} of it. Until \
             that is settled no other finding about efficiency means much.{would}",
            scan.roof_name(),
        ),
        formula: most.map_or(String::new(), |g| story::roof_formula(scan, g)),
        ..Story::default()
    }
}

/// No GEMM of a device and type that comes near its roof.
pub(super) fn far_below(scan: &Scan<'_>, gemms: u64, dtype: &str, best: &Group) -> Story {
    let share = percent(best.efficiency());
    let fastest = match gemms {
        1 => "It".to_owned(),
        n => format!("The fastest of {}", plural(n, "GEMM")),
    };
    let device = scan.device(best).map_or("", |device| device.name.as_str());
    Story {
        title: far_below_question(gemms, dtype, best.efficiency(), device),
        text: format!(
            "{fastest} is {}, at {share}. {} Another device, another type or another unit of the time \
             would explain it, and so would kernels that leave the matrix units idle.",
            scan.title(best),
            rules::rule_text("far_below").map_or("", |rule| rule.why),
        ),
        formula: story::roof_formula(scan, best),
        ..Story::default()
    }
}

/// GEMMs of a file whose shape is unknown; all GEMMs take `all_s` seconds.
pub(super) fn without_shape(scan: &Scan<'_>, source: u16, all_s: f64) -> Story {
    let source = &scan.data().sources[usize::from(source)];
    let without = source.without_model;
    let names = named(&source.without_model_names);
    Story {
        title: format!("{} of the GEMM time is left out{names}", percent(without.time_s / all_s)),
        text: format!(
            "{} of {} with {} left out. They are in the share of GEMMs, not in the \
             efficiency.",
            plural(without.rows, "call"),
            source.name,
            story::time(without.time_s)
        ),
        formula: story::share_formula(("without a model", without.time_s), ("all GEMMs", all_s)),
        path_a: record_shapes(source),
        ..Story::default()
    }
}

/// How to record shapes with this kind of file; `None` if unknown.
fn record_shapes(source: &Source) -> Option<String> {
    let what = match (source.remedy.as_str(), source.format.as_str()) {
        _ if source.lacks_no_shape() => {
            "nothing to record: a product that reads one value again and again, as the gradient of .sum() \
             does, moves other bytes and runs faster than a GEMM of its sizes"
        }
        ("", "kineto") => {
            "custom operators and graphs launch kernels without a shape: give these operators one \
             (torch.library, record_function), or open the trace of the graph's capture too"
        }
        ("", _) => return None,
        (remedy, _) => remedy,
    };
    Some(format!("{}.", capitalized(what)))
}

/// `: vllm::fused_moe and 2 more`, by time; "" without names.
fn named(names: &[(String, RowsAndTime)]) -> String {
    match names {
        [] => String::new(),
        [(one, _)] => format!(": {}", short(one)),
        [(a, _), (b, _)] => format!(": {} and {}", short(a), short(b)),
        [(a, _), (b, _), rest @ ..] => {
            format!(": {}, {} {}", short(a), short(b), and_more(rest.len()))
        }
    }
}

/// Measured rows without a roof, which take `time_s` of `whole_s` seconds.
pub(super) fn without_roof(scan: &Scan<'_>, [time_s, whole_s]: [f64; 2]) -> Story {
    Story {
        title: format!("{} of the time has no roof", percent(time_s / whole_s)),
        text: format!(
            "{} of GEMM time is measured on a device, or in a data type, without a known peak \
             ({}).",
            story::time(time_s),
            scan.roof_name()
        ),
        formula: story::share_formula(("time without a roof", time_s), ("measured time", whole_s)),
        path_a: Some("Choose the device, or enter its peak for this data type.".to_owned()),
        path_b: Some("Nothing to tune yet: without a roof no row can be judged.".to_owned()),
    }
}

/// Wrappers recorded together with the calls inside them, in a file whose GEMMs take `once_s` seconds.
pub(super) fn wrappers(scan: &Scan<'_>, source: u16, once_s: f64) -> Story {
    let source = &scan.data().sources[usize::from(source)];
    let twice = source.counted_twice;
    let sheet_s = once_s + twice.time_s;
    Story {
        title: format!("{} wrapper rows of {} are skipped", twice.rows, source.name),
        text: format!(
            "Wrappers and the operations they call are both listed. Counted once the GEMM \
             time is {}; the sheet adds up to {}.",
            story::time(once_s),
            story::time(sheet_s)
        ),
        formula: (story::brief("sheet", sheet_s) / story::brief("counted once", once_s))
            .result(|ratio| format!("{ratio:.2}")),
        ..Story::default()
    }
}

/// The same rows in two files.
pub(super) fn in_two_files(scan: &Scan<'_>, sources: [u16; 2], found: &FindingFacts) -> Story {
    let [a, b] = sources.map(|source| &scan.data().sources[usize::from(source)].name);
    Story {
        title: format!("{} in two files", plural(found.evidence.rows.len() as u64, "row")),
        text: format!(
            "{a} and {b} hold the same GEMMs with the same times to the last digit: {} is \
             counted twice in every total.",
            story::time(found.time_s)
        ),
        path_a: Some("Remove one of the two files, or filter by file.".to_owned()),
        path_b: Some(String::new()),
        ..Story::default()
    }
}

/// One GEMM whose share of its roof is an outlier; all GEMMs take `all_s` seconds, and nine of ten of the others reach
/// the `usual` share.
pub(super) fn outlier(
    scan: &Scan<'_>,
    one: &Group,
    gemms: u64,
    (all_s, usual): (f64, f64),
) -> Story {
    Story {
        title: format!(
            "Is this row right? {} takes {} of the time of {}",
            scan.title(one),
            percent(one.time_s / all_s),
            plural(gemms, "GEMM")
        ),
        text: format!(
            "It reaches {} of the roof, and nine of ten others {} or more. {}",
            percent(one.efficiency()),
            percent(usual),
            rules::rule_text("outlier").map_or("", |rule| rule.why)
        ),
        formula: story::share_formula(("its time", one.time_s), ("that of all", all_s)),
        ..Story::default()
    }
}

/// Sentence on what would bring a row that is above its roof below it.
pub(crate) fn above_roof_cause(cause: &AboveRoofCause) -> String {
    match cause {
        AboveRoofCause::Noise { .. } => format!("{NOISE}."),
        AboveRoofCause::CacheResidency { level, cache_bytes, excess_bytes, .. } => format!(
            "{} more than memory could deliver in this time may have come from the {} of {}.",
            Bytes(*excess_bytes).to_iec(),
            match level {
                CacheLevel::L2 => "L2 cache",
                CacheLevel::LastLevel => "last-level cache",
            },
            Bytes(*cache_bytes).to_iec()
        ),
        AboveRoofCause::StructuredSparsity { efficiency } => {
            format!("with 2:4 sparsity the peak is twice as high: {} of it.", percent(*efficiency))
        }
        AboveRoofCause::OtherDevice { devices } => format!(
            "another device: it would be under the roof of {}.",
            devices.iter().take(3).map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")
        ),
        AboveRoofCause::TimeUnit { factor, efficiency } => format!(
            "a unit: with {factor:.0} times the time it is {} of the roof.",
            percent(*efficiency)
        ),
        AboveRoofCause::BinaryUnits { efficiency } => format!(
            "binary units read as decimal ones: {} of the roof after a factor of 1.074.",
            percent(*efficiency)
        ),
        _ => "sizes, batch or type are not what was run.".to_owned(),
    }
}

/// GEMMs above their roof.
pub(super) fn above_roof(
    scan: &Scan<'_>,
    most: &Group,
    causes: &[AboveRoofCause],
    found: &FindingFacts,
) -> Story {
    let words: Vec<String> = causes.iter().map(above_roof_cause).collect();
    let would = match words.join(" ") {
        words if words.is_empty() => String::new(),
        words => format!(" What would bring it under: {words}"),
    };
    let (share, roof) = (percent(most.efficiency()), scan.roof_name());
    let one = Story {
        title: format!("{share} of the {roof}: {}", scan.title(most)),
        text: format!("{}.{would}", story::opening(scan, most)),
        formula: story::roof_formula(scan, most),
        ..Story::default()
    };
    let several =
        one.of_several(scan, found.groups, most, |n| format!("{n} GEMMs above their roof"));
    match found.evidence.rows.len() {
        0 | 1 => several,
        rows => Story { title: format!("{rows} rows above the {roof}"), ..several },
    }
}

/// GEMMs measured at a low clock.
pub(super) fn low_clock(
    scan: &Scan<'_>,
    most: &Group,
    (clock_hz, ratio, at_full_clock): (f64, f64, f64),
    groups: u64,
) -> Story {
    let (then, full) = (percent(most.efficiency()), percent(at_full_clock));
    let one = Story {
        title: format!("{then} at its own clock, not {full}: {}", scan.title(most)),
        text: format!(
            "{}. Measured at {:.0} MHz, {} of the clock that the peak is of.",
            story::opening(scan, most),
            clock_hz / 1e6,
            percent(ratio)
        ),
        formula: story::roof_formula(scan, most),
        ..Story::default()
    };
    one.of_several(scan, groups, most, |n| format!("{n} GEMMs measured at a lower clock"))
}

/// Figures of a file that differ from the recomputed ones in `count` rows.
pub(super) fn reported(scan: &Scan<'_>, found: &Difference, count: usize) -> Story {
    let data = scan.data();
    let (r, ratio) = (found.row as usize, found.theirs / found.ours);
    let op = data.ops[usize::from(data.op[r])];
    let what = match found.meaning {
        ColumnMeaning::ReportedRate => "rate",
        ColumnMeaning::ReportedBandwidth => "bandwidth",
        ColumnMeaning::ReportedIntensity => "arithmetic intensity",
        ColumnMeaning::ReportedWork => "work",
        _ => "bytes",
    };
    let file = &data.sources[usize::from(found.source)].name;
    let (rows, most) = (plural(found.compared, "row"), percent((ratio - 1.0).abs()));
    let formula = {
        let exact = |name: &str, v: f64| given_as(name, v, format!("{v:.6e}"));
        let ratio = exact("reported", found.theirs) / exact("ours", found.ours);
        ratio.result(|ratio| format!("{ratio:.4}"))
    };
    let usual = usual_ratio(ratio);
    if found.scales && !(found.constant && usual.is_some()) {
        return Story {
            title: format!(
                "The file's {what} probably counts scales too, in {count} of {rows} ({file})"
            ),
            text: format!(
                "Up to {most} more, in line {}. Operands of 8 bits or less come with scales, whose bytes \
                 gemmscope leaves out where the type does not say how many there are; the file probably \
                 counts them, and both figures are right.",
                data.line[r]
            ),
            formula,
            path_a: Some(
                "Nothing to correct: compare it with figures that count scales too.".to_owned(),
            ),
            path_b: Some("Ask the producer whether it counts the scales, to be sure.".to_owned()),
        };
    }
    let guess = match leaves_out_scales(op, ratio, found.meaning) {
        true => " The file may leave out the scales of the blocks, which are bytes too.".to_owned(),
        false => guess(ratio, found.constant, found.meaning),
    };
    Story {
        title: format!("The file's {what} disagrees in {count} of {rows} ({file})"),
        text: format!("Up to {most} off, in line {}.{guess}", data.line[r]),
        formula,
        ..Story::default()
    }
}

const GIB: f64 = 1.073_741_824;

/// True if a figure of bytes is short by the scales of blocks, which many producers leave out.
fn leaves_out_scales(op: Operation, ratio: f64, meaning: ColumnMeaning) -> bool {
    let bytes = [ColumnMeaning::ReportedBandwidth, ColumnMeaning::ReportedBytes];
    let scaled = [op.a, op.b].iter().any(|t| t.scale_bytes_per_element() > 0.0);
    scaled && bytes.contains(&meaning) && (0.8..1.0).contains(&ratio)
}

/// A ratio that has one usual reason, in words.
fn usual_ratio(ratio: f64) -> Option<&'static str> {
    let near = |value: f64| (ratio / value - 1.0).abs() < 5e-3;
    let known = [
        (0.5, "half: the file counts a multiply-add as one operation"),
        (2.0, "twice: the file counts more operations, or this page's batch is too small"),
        (1.0 / GIB, "1/1.074: the file's figure is in binary units (GiB)"),
        (GIB, "1.074: the file's figure is decimal where binary was read"),
        (1e3, "a thousand: a unit of the rate or the time"),
        (1e-3, "a thousandth: a unit of the rate or the time"),
    ];
    known.iter().find(|(v, _)| near(*v)).map(|(_, words)| *words)
}

/// Usual reason for a ratio.
fn guess(ratio: f64, everywhere: bool, meaning: ColumnMeaning) -> String {
    if let Some(words) = usual_ratio(ratio) {
        return format!(" The ratio is {words}.");
    }
    if everywhere {
        return format!(" The ratio is {ratio:.4} in every such row: a constant of the producer.");
    }
    match meaning {
        ColumnMeaning::ReportedRate | ColumnMeaning::ReportedBandwidth => {
            " A mean of the calls' rates is not the rate of their mean time.".to_owned()
        }
        _ => String::new(),
    }
}

/// `The kernels were built for gfx942, which the NVIDIA H100 is not`.
pub(crate) fn built_for_another(frame: &Frame, code: u16, target: &str) -> Option<String> {
    let device = frame.metrics.devices.get(usize::from(code))?.as_ref()?;
    Some(format!("The kernels were built for {target}, which the {} is not", device.name))
}

/// `Are device, type and unit right? The only fp16 GEMM reaches 1.2 % of the roof of the H100`.
pub(crate) fn far_below_question(gemms: u64, dtype: &str, reach: f64, device: &str) -> String {
    let which = if gemms == 1 { "The only" } else { "Even the fastest" };
    format!(
        "Are device, type and unit right? {which} {dtype} GEMM reaches {} of the roof of the {}",
        percent(reach),
        short_name(device)
    )
}
