//! Groups kernels into calls of matrix multiplies: by the operation that launched them, or by the
//! graph capture they replay.

use super::attention::Product;
use super::capture::{self, Launches};
use super::events::{Events, Signature};
use super::join::{Join, Owner};
use super::left_out::LeftOut;
use crate::cell::experts::ExpertPart;
use crate::formats::profilers::kernel_kind::KernelKind;
use std::collections::{HashMap, HashSet};

/// Indices of kernels, grouped by what launched them.
#[derive(Debug, Default)]
pub(super) struct Launched {
    /// Per call of a GEMM.
    pub calls: Vec<(u32, Vec<u32>)>,
    /// Per launch of a graph.
    pub graphs: Vec<Vec<u32>>,
}

impl Launched {
    /// Groups the kernels; those of other or unknown operations go to `left_out`.
    pub(super) fn new(events: &Events, join: &Join<'_>, left_out: &mut LeftOut) -> Self {
        let mut out = Launched::default();
        let mut graph_at: HashMap<u64, usize> = HashMap::new();
        let mut call_at: HashMap<u32, usize> = HashMap::new();
        for (i, k) in events.kernels.iter().enumerate() {
            if !k.time_s.is_finite() {
                continue;
            }
            let name = events.names.value(k.name);
            let (operation, gemm) = match join.owner(k) {
                Owner::Call(call) => {
                    let c = &events.calls[call as usize];
                    let own = c.signature.map(|_| call);
                    let operation = events.names.value(c.name);
                    // A GEMM kernel launched by a helper within a GEMM operation belongs to that operation.
                    let outer = || {
                        let gemm = !k.memset && KernelKind::of(operation, name).is_gemm_time();
                        gemm.then(|| join.gemm_around(call)).flatten()
                    };
                    (operation, own.or_else(outer))
                }
                Owner::Graph => {
                    let at = *graph_at.entry(k.correlation).or_insert_with(|| {
                        out.graphs.push(Vec::new());
                        out.graphs.len() - 1
                    });
                    out.graphs[at].push(i as u32);
                    continue;
                }
                Owner::Unknown => ("", None),
            };
            if let Some(call) = gemm {
                let at = *call_at.entry(call).or_insert_with(|| {
                    out.calls.push((call, Vec::new()));
                    out.calls.len() - 1
                });
                out.calls[at].1.push(i as u32);
            } else if !k.memset {
                left_out.add(k, KernelKind::of(operation, name), false);
            }
        }
        out
    }
}

/// All calls of matrix multiplies.
pub(super) struct Products<'a> {
    /// The signatures of this trace, followed by those of captures in other files.
    pub signatures: Vec<&'a Signature>,
    pub all: Vec<Product>,
    /// Number of graph launches with and without a matching capture.
    pub graphs_by_capture: [u64; 2],
}

impl<'a> Products<'a> {
    /// From the calls in the trace itself.
    pub(super) fn of_calls(events: &'a Events, calls: Vec<(u32, Vec<u32>)>) -> Self {
        let product = |(call, kernels): (u32, Vec<u32>)| {
            let signature = events.calls[call as usize].signature?;
            Some(Product { signature, caller: Some(call), kernels, part: None })
        };
        Products {
            signatures: events.signatures.iter().collect(),
            all: calls.into_iter().filter_map(product).collect(),
            graphs_by_capture: [0, 0],
        }
    }

    /// Adds the calls of graph launches, with the shapes of the first capture that matches. Kernels
    /// without one go to `left_out`.
    pub(super) fn add_graphs(
        &mut self,
        events: &Events,
        graphs: Vec<Vec<u32>>,
        captures: [&'a [Launches]; 2],
        left_out: &mut LeftOut,
    ) {
        for mut kernels in graphs {
            kernels.sort_by(|a, b| {
                let start = |i: &u32| events.kernels[*i as usize].start_s;
                start(a).total_cmp(&start(b))
            });
            let replayed = captures.iter().find_map(|c| capture::replay(events, &kernels, c));
            let unknown = replayed.is_none();
            self.graphs_by_capture[usize::from(unknown)] += 1;
            let mut shaped: HashSet<u32> = HashSet::new();
            for call in replayed.into_iter().flatten() {
                let known = self.signatures.iter().position(|s| *s == call.signature);
                let code = known.unwrap_or_else(|| {
                    self.signatures.push(call.signature);
                    self.signatures.len() - 1
                });
                shaped.extend(call.kernels.iter().copied());
                let (signature, kernels) = (code as u32, call.kernels);
                self.all.push(Product { signature, caller: None, kernels, part: None });
            }
            for i in kernels.iter().filter(|i| !shaped.contains(i)) {
                let k = &events.kernels[*i as usize];
                if !k.memset {
                    let name = events.names.value(k.name);
                    left_out.add(k, KernelKind::of("", name), unknown);
                }
            }
        }
    }

    /// Splits calls of experts into their GEMMs: an even number of GEMM kernels alternates between up and down, an odd
    /// number computes both. Other kernels go to `left_out`.
    pub(super) fn split_experts(&mut self, events: &Events, left_out: &mut LeftOut) {
        let experts: Vec<bool> =
            self.signatures.iter().map(|s| super::experts_of(s).is_some()).collect();
        if !experts.contains(&true) {
            return;
        }
        for mut product in std::mem::take(&mut self.all) {
            if !experts[product.signature as usize] {
                self.all.push(product);
                continue;
            }
            let name = self.signatures[product.signature as usize][0].as_str();
            product.kernels.retain(|i| {
                let k = &events.kernels[*i as usize];
                let kind = KernelKind::of(name, events.names.value(k.name));
                if !kind.is_gemm_time() && !k.memset {
                    left_out.add(k, kind, false);
                }
                kind.is_gemm_time()
            });
            let start = |i: &u32| events.kernels[*i as usize].start_s;
            product.kernels.sort_by(|a, b| start(a).total_cmp(&start(b)));
            let of = |part, kernels: Vec<u32>| Product { part: Some(part), kernels, ..product };
            let turn = |from| product.kernels.iter().skip(from).step_by(2).copied().collect();
            match (ExpertPart::named(name), product.kernels.len()) {
                (_, 0) => {}
                (Some(part), _) => self.all.push(of(part, product.kernels.clone())),
                (None, n) if n % 2 == 0 => {
                    self.all.push(of(ExpertPart::Up, turn(0)));
                    self.all.push(of(ExpertPart::Down, turn(1)));
                }
                (None, _) => self.all.push(of(ExpertPart::Both, product.kernels.clone())),
            }
        }
    }
}
