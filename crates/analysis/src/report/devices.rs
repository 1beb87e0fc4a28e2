//! What the summary says of devices and their roofs, and the assumptions behind it.

use crate::findings;
use crate::findings::Scan;
use gemmscope_model::hardware::{Device, match_name};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::percent;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{Dataset, Source};
use gemmscope_table::kernel_target::kernel_targets;

/// ` on 3 devices`, where rows of several are pooled.
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
    let mut names: Vec<&str> = Vec::new();
    for (_, g) in scan.checked().filter(|(_, g)| !g.roof_s.is_nan()) {
        if let Some(d) = scan.device(g)
            && !names.contains(&d.name.as_str())
        {
            names.push(&d.name);
        }
    }
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
            "the files say {} ({}) {others} {} ({}): choose the devices (D) to see efficiency",
            meant(first),
            percent(of_first / scan.time_s),
            meant(second),
            percent(of_second / scan.time_s)
        );
    }
    if let Some(device) = scan.device(g) {
        return format!(
            "the {} of the {} is not known for {}: enter it (D) to see efficiency",
            "peak",
            device.name,
            scan.problem(g).op.compute
        );
    }
    let stated =
        data.devices.get(usize::from(data.device[g.row as usize])).map_or("", String::as_str);
    if stated.is_empty() {
        let target = kernel_targets(data).swap_remove(0);
        let fits = target.as_deref().map(findings::built_for).unwrap_or_default();
        return match target.filter(|_| !fits.is_empty()) {
            Some(target) => format!(
                "the kernels were built for {target}, so they ran on {fits}: choose one to see efficiency"
            ),
            None => "choose a device to see efficiency".to_owned(),
        };
    }
    let named = meant(stated);
    match match_name(stated).candidates().len() {
        0 => format!("the catalogue has no {stated}: enter its peaks (D) to see efficiency"),
        1 => format!("the file says {named}: choose the device to see efficiency"),
        _ => format!("the file says {named}: choose one to see efficiency"),
    }
}

/// The stated names of devices that are not known, with the seconds of their GEMMs, most first.
fn unknown<'a>(scan: &Scan<'a>) -> Vec<(&'a str, f64)> {
    let data: &'a Dataset = &scan.frame.data;
    // By device, in the order of the rows.
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
    out.order_by(|a, b| b.1.total_cmp(&a.1));
    out
}

/// A stated name, and which devices it can mean.
fn meant(stated: &str) -> String {
    let fits = match_name(stated).candidates();
    let names: Vec<&str> = fits.iter().take(4).map(|d| d.name.as_str()).collect();
    match names.as_slice() {
        [] => format!("{stated}, which is not in the catalogue"),
        [one] => format!("{stated}, probably the {one}"),
        [some @ .., last] => format!("{stated}, which can be the {} or {last}", some.join(", ")),
    }
}

/// True if a name in a file can mean a device.
fn may_be(stated: &str, device: &Device) -> bool {
    let candidates = match_name(stated).candidates();
    candidates.iter().any(|c| c.id == device.id)
}

/// What the figures rest on that no file states: device, units, types; each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Unstated {
    /// What was assumed.
    pub assumed: Vec<String>,
    /// What the user chose.
    pub chosen: Vec<String>,
}

/// What the figures of a scan rest on that no file states.
pub(super) fn unstated(scan: &Scan<'_>) -> Unstated {
    let data = scan.data();
    let mut out = Unstated::default();
    let mut add = |by_hand: bool, text: String| {
        let list = match by_hand {
            true => &mut out.chosen,
            false => &mut out.assumed,
        };
        if !text.is_empty() && !list.contains(&text) {
            list.push(text);
        }
    };
    let mut used = vec![false; data.devices.len()];
    for &row in scan.frame.rows.iter() {
        used[usize::from(data.device[row as usize])] = true;
    }
    for ((device, stated), used) in scan.metrics().devices.iter().zip(&data.devices).zip(used) {
        if let (true, true, Some(d)) = (used, stated.is_empty(), device) {
            let text = format!("The file names no device. The roof is that of the {}.", d.name);
            add(true, text);
        }
    }
    let used_for = |stated: &str| {
        let at = data.devices.iter().position(|d| d == stated)?;
        scan.metrics().devices[at].as_ref()
    };
    for source in &data.sources {
        for a in &source.assumptions {
            // What is not so of every file names its own.
            let says = |s: &Source| s.assumptions.iter().any(|o| o.text == a.text);
            let who = match data.sources.iter().all(says) {
                true => "The file",
                false => source.name.as_str(),
            };
            match (a.key.as_str(), a.value.as_str()) {
                // Said above, or asked for by the first sentence.
                ("device", "") => {}
                // What a format implies gives way to the user's choice.
                ("device", stated) if !a.by_hand => match used_for(stated) {
                    Some(d) if !may_be(stated, d) => {
                        add(true, format!("{who} names no device: you chose {}.", d.name));
                    }
                    _ => add(false, a.text.replacen("The file", who, 1)),
                },
                _ => add(a.by_hand, a.text.clone()),
            }
        }
    }
    let decision = scan.frame.decision();
    if decision.overridden() {
        add(true, format!("You chose: {}", decision.kind.hint()));
    } else if matches!(decision.kind, DataKind::Sweep | DataKind::Sides) {
        add(false, decision.reason.to_owned());
    }
    out
}
