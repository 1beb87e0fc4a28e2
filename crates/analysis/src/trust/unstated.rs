//! What no file states: assumptions, and the user's choices.

use super::{Ground, ReasonFacts, Verdict, of_all};
use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{BEST_MEASURED, match_name};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{Assumption, Source};
use gemmscope_table::field::Frame;

/// An assumption about something that no file states.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumed {
    /// The assumption. Its key is one of `ImportOptions::answers`, or "" for the kind of rows.
    pub assumption: Assumption,
    /// The file that does not state it, if others do.
    pub file: Option<String>,
}

/// Something that no file states, chosen by the user or defaulted by the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen {
    /// Device of the roof, if the file names none.
    Device(String),
    /// A device other than the format implies.
    OtherDevice {
        /// The file, if other files name their device.
        file: Option<String>,
        /// The device.
        device: String,
    },
    /// A launch floor that was not measured.
    LaunchFloor {
        /// The device.
        device: String,
        /// Launch floor, seconds.
        floor_s: f64,
        /// Its source.
        source: String,
    },
    /// An achievable rate that is the best measured one.
    Achievable {
        /// The type.
        dtype: DataType,
        /// Rate, FLOP/s.
        rate: f64,
        /// Its source.
        source: String,
    },
    /// An answer to one of the importer's questions, in its words.
    Answer(String),
    /// Kind of rows.
    Kind(DataKind),
}

/// What no file states: device, units, types, kind of rows.
#[derive(Default)]
pub(super) struct Unstated {
    pub(super) assumed: Vec<Assumed>,
    pub(super) chosen: Vec<Chosen>,
}

impl Unstated {
    pub(super) fn of(frame: &Frame, sources: &[&Source]) -> Unstated {
        let (data, devices) = (&*frame.data, &frame.metrics.devices);
        let mut out = Unstated::default();
        if sources.is_empty() {
            return out;
        }
        let launches = !sources.iter().all(|s| s.times_kernels());
        let mut used = vec![false; data.devices.len()];
        frame.rows.iter().for_each(|r| used[usize::from(data.device[*r as usize])] = true);
        for ((device, stated), used) in devices.iter().zip(&data.devices).zip(used) {
            if let (true, true, Some(d)) = (used, stated.is_empty(), device) {
                out.choose(Chosen::Device(d.name.clone()));
            }
            let floor = device.as_ref().filter(|_| used && launches).map(|d| (d, d.launch_floor()));
            if let Some((d, (floor_s, why))) =
                floor.filter(|(_, (_, why))| why.starts_with("assumed"))
            {
                let (device, source) = (d.name.clone(), why.into());
                out.choose(Chosen::LaunchFloor { device, floor_s, source });
            }
            let peaks = device.iter().filter(|_| used).flat_map(|d| &d.peaks);
            for peak in peaks {
                if let (Some(rate), Some(source)) =
                    (peak.achievable_flops_per_s, &peak.achievable_source)
                    && source.starts_with(BEST_MEASURED)
                {
                    let (dtype, source) = (peak.dtype, source.clone());
                    out.choose(Chosen::Achievable { dtype, rate, source });
                }
            }
        }
        for source in sources {
            for a in &source.assumptions {
                // An assumption that not all files share names its file.
                let says = |s: &&Source| s.assumptions.iter().any(|o| o.text == a.text);
                let file = (!sources.iter().all(says)).then(|| source.name.clone());
                let code = data.devices.iter().position(|d| *d == a.value);
                // The user's choice overrides a device that the format implies.
                let other = code.and_then(|code| devices[code].as_ref()).filter(|d| {
                    let may_be = match_name(&a.value).candidates();
                    a.key == "device" && may_be.iter().all(|c| c.id != d.id)
                });
                // A name that fits several devices implies none.
                let open = code.is_some_and(|code| devices[code].is_none());
                match other {
                    // Covered above, or asked for by the first sentence.
                    _ if a.key == "device" && (open || a.value.is_empty()) => {}
                    _ if a.by_hand => out.choose(Chosen::Answer(a.text.clone())),
                    Some(d) => {
                        out.choose(Chosen::OtherDevice { file, device: d.name.clone() });
                    }
                    None => {
                        let file = file.filter(|_| a.key == "device");
                        out.assume(Assumed { assumption: a.clone(), file });
                    }
                }
            }
        }
        let decision = frame.decision();
        if decision.overridden() {
            out.choose(Chosen::Kind(decision.kind));
        } else if matches!(decision.kind, DataKind::Sweep | DataKind::Sides) {
            let assumption = Assumption {
                key: String::new(),
                text: decision.reason.to_owned(),
                value: String::new(),
                choices: Vec::new(),
                by_hand: false,
            };
            out.assume(Assumed { assumption, file: None });
        }
        out
    }

    fn choose(&mut self, chosen: Chosen) {
        if !self.chosen.contains(&chosen) {
            self.chosen.push(chosen);
        }
    }

    fn assume(&mut self, a: Assumed) {
        let of =
            |a: &Assumed| (a.assumption.key.clone(), a.assumption.text.clone(), a.file.clone());
        let known = self.assumed.iter().any(|other| of(other) == of(&a));
        if !known && !a.assumption.text.is_empty() {
            self.assumed.push(a);
        }
    }
}

/// Reason about units and types that no file states and nobody has chosen yet.
pub(super) fn asked(assumed: &[Assumed]) -> Option<ReasonFacts> {
    let assumed = assumed.iter().map(|a| &a.assumption);
    let open = assumed.filter(|a| {
        a.value.is_empty() && ["unit", "dtype"].iter().any(|key| a.key.starts_with(key))
    });
    let open: Vec<&Assumption> = open.collect();
    let ground = Ground::Asked(open.first()?.text.clone());
    let count = open.len() as u64;
    Some(of_all(ground, Verdict::WithCare, (count, count)))
}

/// Reason about assumptions. An assumed device or type changes every efficiency, and a unit every figure, unless the
/// file's own figures agree with the recomputed ones.
pub(super) fn assumed(assumed: &[Assumed], agrees: bool) -> Option<ReasonFacts> {
    let weighs = |a: &&Assumption| {
        // Rates that agree with times confirm the file's units, but not its types.
        let unit = a.key.starts_with("unit") && !agrees;
        a.key == "device" || a.key.starts_with("dtype") || unit
    };
    let assumed = assumed.iter().map(|a| &a.assumption).filter(|a| !a.value.is_empty());
    let all = assumed.clone().count() as u64;
    let heavy = assumed.filter(weighs).count() as u64;
    let weight = if heavy > 0 { Verdict::WithCare } else { Verdict::Sound };
    (all > 0).then(|| of_all(Ground::Assumed, weight, (heavy, all)))
}
