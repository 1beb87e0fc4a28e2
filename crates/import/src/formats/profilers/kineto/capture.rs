//! Graph captures: the launches they recorded, and how these give shapes to the kernels of a replay.

use super::events::{Events, Signature};
use super::join::Join;
use crate::formats::profilers::kernel_kind::KernelKind;
use gemmscope_table::dataset::Capture;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The launches of one capture, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Launches {
    /// Signatures of matrix multiplies.
    signatures: Vec<Signature>,
    /// Names of kernels.
    kernels: Vec<String>,
    launches: Vec<CapturedLaunch>,
}

/// One launch of a capture.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct CapturedLaunch {
    /// Index of the kernel's name; `None` if the trace does not name it (CUDA).
    kernel: Option<u32>,
    /// The matrix multiply that made the launch: index of its call in the capture, and of its signature.
    call: Option<(u32, u32)>,
}

impl Launches {
    /// Serialises it for another file's reader.
    pub(super) fn to_capture(&self) -> Capture {
        Capture(serde_json::to_string(self).unwrap_or_default())
    }

    /// Deserialises a capture of another file; `None` if it is damaged.
    pub(super) fn from_capture(capture: &Capture) -> Option<Launches> {
        let launches: Launches = serde_json::from_str(&capture.0).ok()?;
        let (signatures, kernels) = (launches.signatures.len(), launches.kernels.len());
        let known = |l: &CapturedLaunch| {
            l.kernel.is_none_or(|k| (k as usize) < kernels)
                && l.call.is_none_or(|(_, s)| (s as usize) < signatures)
        };
        launches.launches.iter().all(known).then_some(launches)
    }
}

/// The captures of a trace: launches without kernels, one list per capture.
pub(super) fn record(events: &Events, join: &Join<'_>) -> Vec<Launches> {
    let ran: HashSet<u64> = events.kernels.iter().map(|k| k.correlation).collect();
    let mut launches: Vec<_> =
        events.launches.iter().filter(|l| !l.graph && !ran.contains(&l.correlation)).collect();
    launches.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut begins = events.captures.clone();
    if begins.is_empty() {
        // If the runtime does not mark the start of a capture, split at launches that ran.
        begins = eager(events, &ran);
    }
    begins.sort_by(f64::total_cmp);
    let mut all: Vec<Launches> = Vec::new();
    let mut segment = usize::MAX;
    let mut codes = Codes::default();
    for launch in launches {
        let at = begins.partition_point(|b| *b <= launch.start);
        if at == 0 && !events.captures.is_empty() {
            continue;
        }
        if at != segment {
            segment = at;
            codes = Codes::default();
            all.push(Launches::default());
        }
        let Some(capture) = all.last_mut() else {
            continue;
        };
        let gemm = join.caller(launch).and_then(|call| join.gemm_around(call));
        let call = gemm.and_then(|call| {
            let signature = events.calls[call as usize].signature?;
            let next = codes.calls.len() as u32;
            let number = *codes.calls.entry(call).or_insert(next);
            let signature = *codes.signatures.entry(signature).or_insert_with(|| {
                capture.signatures.push(events.signatures[signature as usize].clone());
                capture.signatures.len() as u32 - 1
            });
            Some((number, signature))
        });
        let kernel = launch.kernel.map(|name| {
            *codes.kernels.entry(name).or_insert_with(|| {
                capture.kernels.push(events.names.value(name).to_owned());
                capture.kernels.len() as u32 - 1
            })
        });
        capture.launches.push(CapturedLaunch { kernel, call });
    }
    all.retain(|c| !c.signatures.is_empty());
    all
}

/// Start times of the launches whose kernels ran.
fn eager(events: &Events, ran: &HashSet<u64>) -> Vec<f64> {
    let launches = events.launches.iter().filter(|l| l.graph || ran.contains(&l.correlation));
    launches.map(|l| l.start).collect()
}

#[derive(Default)]
struct Codes {
    calls: HashMap<u32, u32>,
    signatures: HashMap<u32, u32>,
    kernels: HashMap<u32, u32>,
}

/// The kernels of a graph launch that belong to one call of the capture.
pub(super) struct Replayed<'c> {
    pub signature: &'c Signature,
    /// Indices of the kernels.
    pub kernels: Vec<u32>,
}

/// Finds the capture that a graph launch replays, and its kernels by call. `kernels` are those of the launch,
/// in order of start. They are matched by name and order, or by order alone if the capture has no names.
/// `None` if no capture fits.
pub(super) fn replay<'c>(
    events: &Events,
    kernels: &[u32],
    captures: &'c [Launches],
) -> Option<Vec<Replayed<'c>>> {
    captures.iter().find_map(|c| fit(events, kernels, c)).or_else(|| {
        // Names may differ between the traces: match by count and order, and require a GEMM kernel per call.
        let all = captures.iter().filter_map(|c| in_order(events, kernels, c));
        all.max_by_key(|(score, _)| *score).map(|(_, calls)| calls)
    })
}

/// Matches kernels to a capture with as many launches by order. Returns the number of positions at which both or
/// neither are GEMMs. `None` if a call gets no GEMM kernel.
fn in_order<'c>(
    events: &Events,
    kernels: &[u32],
    capture: &'c Launches,
) -> Option<(usize, Vec<Replayed<'c>>)> {
    let run: Vec<u32> =
        kernels.iter().copied().filter(|k| !events.kernels[*k as usize].memset).collect();
    if run.len() != capture.launches.len() {
        return None;
    }
    let is_gemm = |k: u32| {
        let name = events.names.value(events.kernels[k as usize].name);
        KernelKind::of("", name).is_gemm_time()
    };
    let mut calls: Vec<(u32, Replayed<'c>)> = Vec::new();
    let mut score = 0;
    for (kernel, launch) in run.iter().zip(&capture.launches) {
        score += usize::from(launch.call.is_some() == is_gemm(*kernel));
        let Some((call, signature)) = launch.call else { continue };
        match calls.iter_mut().find(|(c, _)| *c == call) {
            Some((_, replayed)) => replayed.kernels.push(*kernel),
            None => {
                let signature = &capture.signatures[signature as usize];
                calls.push((call, Replayed { signature, kernels: vec![*kernel] }));
            }
        }
    }
    let whole = calls.iter().all(|(_, r)| r.kernels.iter().any(|k| is_gemm(*k)));
    whole.then(|| (score, calls.into_iter().map(|(_, r)| r).collect()))
}

fn fit<'c>(events: &Events, kernels: &[u32], capture: &'c Launches) -> Option<Vec<Replayed<'c>>> {
    let name = |k: &u32| events.names.value(events.kernels[*k as usize].name);
    let named = capture.launches.iter().all(|l| l.kernel.is_some());
    // Launches not matched yet, by kernel name; the first one is last in its list.
    let mut waiting: HashMap<&str, Vec<&CapturedLaunch>> = HashMap::new();
    for launch in capture.launches.iter().rev() {
        let name = launch.kernel.map_or("", |k| &capture.kernels[k as usize]);
        waiting.entry(name).or_default().push(launch);
    }
    let mut calls: Vec<Replayed<'c>> = Vec::new();
    let mut at: HashMap<u32, usize> = HashMap::new();
    for kernel in kernels {
        // A memset of the replay may be missing from the capture or appear there as a kernel.
        let memset = events.kernels[*kernel as usize].memset;
        let key = if named { name(kernel) } else { "" };
        let Some(launch) = waiting.get_mut(key).and_then(Vec::pop) else {
            if memset {
                continue;
            }
            return None;
        };
        if let Some((call, signature)) = launch.call {
            let place = *at.entry(call).or_insert_with(|| {
                calls.push(Replayed {
                    signature: &capture.signatures[signature as usize],
                    kernels: Vec::new(),
                });
                calls.len() - 1
            });
            calls[place].kernels.push(*kernel);
        }
    }
    // Unmatched launches mean another graph, unless they are memsets without a kernel, or the last few of many, whose
    // kernels the profiler lost.
    let left: Vec<_> =
        waiting.values().flatten().filter(|l| l.kernel.is_some() || l.call.is_some()).collect();
    let tail = &capture.launches[capture.launches.len() - left.len()..];
    let lost = left.len() <= capture.launches.len() / LOST_OF;
    (lost && left.iter().all(|l| tail.iter().any(|t| std::ptr::eq(**l, t)))).then_some(calls)
}

/// One in this many launches may have lost its kernel, at the end of the graph.
const LOST_OF: usize = 100;
