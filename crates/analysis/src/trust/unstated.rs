//! What no file states: what was assumed of it, and what the user chose.

use super::{About, Reason, Verdict, of_all};
use crate::names::distinct;
use gemmscope_model::hardware::{BEST_MEASURED, match_name};
use gemmscope_model::units::{FlopsPerSec, decapitalized, grouped, seconds_brief};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{Assumption, Source};
use gemmscope_table::field::Frame;

/// Things that were assumed which a sentence names.
const ASSUMED: usize = 4;

/// What no file states: device, units, types, what the rows are.
#[derive(Default)]
pub(super) struct Given {
    pub(super) assumed: Vec<Assumption>,
    pub(super) chosen: Vec<String>,
}

impl Given {
    pub(super) fn of(frame: &Frame, sources: &[&Source]) -> Given {
        let (data, devices) = (&*frame.data, &frame.metrics.devices);
        let mut out = Given::default();
        if sources.is_empty() {
            return out;
        }
        let launches = !sources.iter().all(|s| s.times_kernels());
        let mut used = vec![false; data.devices.len()];
        frame.rows.iter().for_each(|r| used[usize::from(data.device[*r as usize])] = true);
        for ((device, stated), used) in devices.iter().zip(&data.devices).zip(used) {
            if let (true, true, Some(d)) = (used, stated.is_empty(), device) {
                out.choose(format!(
                    "The file names no device. The roof is that of the {}.",
                    d.name
                ));
            }
            let floor = device.as_ref().filter(|_| used && launches).map(|d| (d, d.launch_floor()));
            if let Some((d, (floor_s, why))) =
                floor.filter(|(_, (_, why))| why.starts_with("assumed"))
            {
                let floor = seconds_brief(floor_s);
                out.choose(format!("Launch floor of the {}: {floor}, {why}.", d.name));
            }
            let peaks = device.iter().filter(|_| used).flat_map(|d| &d.peaks);
            for peak in peaks {
                if let (Some(rate), Some(source)) =
                    (peak.achievable_flops_per_s, &peak.achievable_source)
                    && source.starts_with(BEST_MEASURED)
                {
                    let rate = FlopsPerSec(rate);
                    out.choose(format!("Achievable {} is {rate}, {source}.", peak.dtype));
                }
            }
        }
        for source in sources {
            for a in &source.assumptions {
                // What is not so of every file names its own.
                let says = |s: &&Source| s.assumptions.iter().any(|o| o.text == a.text);
                let who = match sources.iter().all(says) {
                    true => "The file",
                    false => source.name.as_str(),
                };
                let code = data.devices.iter().position(|d| *d == a.value);
                // What a format implies gives way to the user's choice.
                let other = code.and_then(|code| devices[code].as_ref()).filter(|d| {
                    let may_be = match_name(&a.value).candidates();
                    a.key == "device" && may_be.iter().all(|c| c.id != d.id)
                });
                // Of a name that fits several devices, none is assumed.
                let open = code.is_some_and(|code| devices[code].is_none());
                match other {
                    // Said above, or asked for by the first sentence.
                    _ if a.key == "device" && (open || a.value.is_empty()) => {}
                    _ if a.by_hand => out.choose(a.text.clone()),
                    Some(d) => out.choose(format!("{who} names no device: you chose {}.", d.name)),
                    None => {
                        let text = match a.key.as_str() {
                            "device" => a.text.replacen("The file", who, 1),
                            _ => a.text.clone(),
                        };
                        out.assume(Assumption { text, ..a.clone() });
                    }
                }
            }
        }
        let decision = frame.decision();
        if decision.overridden() {
            out.choose(format!("You chose: {}", decision.kind.hint()));
        } else if matches!(decision.kind, DataKind::Sweep | DataKind::Sides) {
            out.assume(Assumption {
                key: String::new(),
                text: decision.reason.to_owned(),
                value: String::new(),
                choices: Vec::new(),
                by_hand: false,
            });
        }
        out
    }

    fn choose(&mut self, text: String) {
        if !self.chosen.contains(&text) {
            self.chosen.push(text);
        }
    }

    fn assume(&mut self, a: Assumption) {
        let known = self.assumed.iter().any(|o| (&o.key, &o.text) == (&a.key, &a.text));
        if !known && !a.text.is_empty() {
            self.assumed.push(a);
        }
    }
}

/// Units and types that no file states and nobody chose yet.
pub(super) fn asked(assumed: &[Assumption]) -> Option<Reason> {
    let open = |a: &&Assumption| {
        a.value.is_empty() && ["unit", "dtype"].iter().any(|key| a.key.starts_with(key))
    };
    let open: Vec<&Assumption> = assumed.iter().filter(open).collect();
    let text = &open.first()?.text;
    let count = open.len() as u64;
    Some(of_all(About::Device, Verdict::WithCare, (count, count), text.clone()))
}

/// What no file states. An assumed device or type changes every share of a roof, and a unit every figure, unless
/// the file's own figures agree with the recomputed ones.
pub(super) fn unstated(assumed: &[Assumption], agrees: bool) -> Option<Reason> {
    let weighs = |a: &&Assumption| {
        // Rates and times of a file that agree confirm its units, and say nothing of its types.
        let unit = a.key.starts_with("unit") && !agrees;
        a.key == "device" || a.key.starts_with("dtype") || unit
    };
    let assumed: Vec<&Assumption> = assumed.iter().filter(|a| !a.value.is_empty()).collect();
    let (all, heavy) =
        (assumed.len() as u64, assumed.iter().copied().filter(weighs).count() as u64);
    let each: Vec<String> = assumed.iter().map(|a| named(a)).collect();
    let each = distinct(each.iter().map(String::as_str));
    let more = each.len().saturating_sub(ASSUMED);
    let mut told: Vec<String> = each.into_iter().take(ASSUMED).collect();
    told.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
    let weight = if heavy > 0 { Verdict::WithCare } else { Verdict::Sound };
    let text = format!("Assumed: {}.", told.join("; "));
    (all > 0).then(|| of_all(About::Assumed, weight, (heavy, all), text))
}

/// An assumption in a word or two where its key says what it is, else its sentence.
fn named(a: &Assumption) -> String {
    match a.key.split_once(':') {
        Some(("unit", column)) => format!("{} for \u{201c}{column}\u{201d}", a.value),
        None if ["dtype", "device", "layout"].contains(&a.key.as_str()) => {
            let what = if a.key == "dtype" { "type" } else { a.key.as_str() };
            format!("{what} {}", a.value)
        }
        _ => decapitalized(a.text.trim_end_matches('.')),
    }
}
