//! Devices and their roofs in the summary.

use crate::findings::built_for;
use gemmscope_analysis::findings::Scan;
use gemmscope_analysis::names::distinct;
use gemmscope_model::hardware::match_name;
use gemmscope_model::units::{either, percent};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::kernel_target::kernel_targets;

/// ` on 3 devices`, if rows of several are pooled; else "".
pub(super) fn on_devices(scan: &Scan<'_>) -> String {
    let mut used: Vec<u16> =
        scan.checked().map(|(_, g)| scan.data().device[g.row as usize]).collect();
    used.sort_unstable();
    used.dedup();
    match used.len() {
        0 | 1 => String::new(),
        n => format!(" on {n} devices"),
    }
}

/// ` of the AMD Instinct MI300X`, or the number of devices.
pub(super) fn of_devices(scan: &Scan<'_>) -> String {
    let roofed = scan.checked().filter(|(_, g)| !g.roof_s.is_nan());
    let names = distinct(roofed.filter_map(|(_, g)| Some(scan.device(g)?.name.as_str())));
    match names.as_slice() {
        [] => String::new(),
        [one] => format!(" of the {one}"),
        [a, b] => format!(" of the {a} and the {b}"),
        many => format!(" of their {} devices", many.len()),
    }
}

/// Why some of the time has no roof, and what to do.
pub(super) fn no_roof(scan: &Scan<'_>) -> String {
    let data = scan.data();
    let dearest = scan
        .checked()
        .filter(|(_, g)| g.roof_s.is_nan())
        .max_by(|(_, a), (_, b)| a.time_s.total_cmp(&b.time_s));
    let Some((_, g)) = dearest else {
        return String::new();
    };
    let unknown = unknown(scan);
    if let [(first, of_first), (second, of_second), rest @ ..] = unknown.as_slice() {
        let others = match rest.len() {
            0 => "and".to_owned(),
            n => format!("and, beside {n} more devices,"),
        };
        return format!(
            "the files say {} ({}) {others} {} ({}): choose the devices to see efficiency",
            meant(first),
            percent(of_first / scan.time_s),
            meant(second),
            percent(of_second / scan.time_s)
        );
    }
    if let Some(device) = scan.device(g) {
        return format!(
            "the {} of the {} is not known for {}: enter it to see efficiency",
            "peak",
            device.name,
            scan.problem(g).op.compute
        );
    }
    let stated =
        data.devices.get(usize::from(data.device[g.row as usize])).map_or("", String::as_str);
    if stated.is_empty() {
        let target = kernel_targets(data).swap_remove(0);
        let fits = target.as_deref().map(built_for).unwrap_or_default();
        return match target.filter(|_| !fits.is_empty()) {
            Some(target) => format!(
                "the kernels were built for {target}, so they ran on {fits}: choose one to see efficiency"
            ),
            None => "choose a device to see efficiency".to_owned(),
        };
    }
    let named = meant(stated);
    match match_name(stated).candidates().len() {
        0 => format!("the catalogue has no {stated}: enter its peaks to see efficiency"),
        n => {
            let it = if n == 1 { "it" } else { "one" };
            format!("the file says {named}: choose {it} to see efficiency")
        }
    }
}

/// Stated names of unknown devices, with the seconds of their GEMMs, descending.
fn unknown<'a>(scan: &Scan<'a>) -> Vec<(&'a str, f64)> {
    let data: &'a Dataset = &scan.frame.data;
    // By device, in row order.
    let mut at: Vec<Option<usize>> = vec![None; data.devices.len()];
    let mut out: Vec<(&str, f64)> = Vec::new();
    for (_, g) in scan.checked().filter(|(_, g)| scan.device(g).is_none()) {
        let code = usize::from(data.device[g.row as usize]);
        let name = data.devices[code].as_str();
        if name.is_empty() {
            continue;
        }
        let place = *at[code].get_or_insert_with(|| {
            out.push((name, 0.0));
            out.len() - 1
        });
        out[place].1 += g.time_s;
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1));
    out
}

/// A stated name, and the devices that it may mean.
fn meant(stated: &str) -> String {
    let fits = match_name(stated).candidates();
    let names: Vec<&str> = fits.iter().take(4).map(|d| d.name.as_str()).collect();
    match names.as_slice() {
        [] => format!("{stated}, which is not in the catalogue"),
        [one] => format!("{stated}, probably the {one}"),
        several => format!("{stated}, which can be the {}", either(several)),
    }
}
