//! Kernels, joined to their operations -> rows.

use super::events::{Events, Kernel, Signature};
use super::join::{Join, Owner};
use super::{Trace, attention, capture, timeline};
use crate::formats::profilers::kernel_kind::KernelKind;
use crate::formats::profilers::tracelens::{Py, from_operands, library};
use crate::{ErrorKind, ImportError, Imported, unsupported};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::plural;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::{ColumnMeaning, RowsAndTime, TraceContext};
use gemmscope_table::trace::{CALL_STACK_COLUMN, PART_COLUMN, UNFUSED_ATTENTION};
use std::collections::{HashMap, HashSet};

/// What calls of one row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    signature: u32,
    /// Code of the main kernel's name; `None` for a captured call.
    kernel: Option<u32>,
    /// Bits of the number of workgroups.
    blocks: u64,
    device: u16,
    /// It is a product of attention that is not fused.
    attention: bool,
}

/// Calls of one operation with one shape and one main kernel on one device.
#[derive(Debug)]
struct Group {
    key: Key,
    line: u32,
    /// The first call; `None` where a graph launched it.
    caller: Option<u32>,
    calls: f64,
    sum: f64,
    squares: f64,
    min: f64,
    max: f64,
    kernels: f64,
}

/// The rows to be, in the order of their first calls.
#[derive(Debug, Default)]
struct Groups {
    all: Vec<Group>,
    at: HashMap<Key, usize>,
}

impl Groups {
    /// Adds a call; time (seconds) and number of kernels are NaN where the trace has none.
    fn add(&mut self, key: Key, line: u32, caller: Option<u32>, time: f64, kernels: f64) {
        let at = *self.at.entry(key).or_insert_with(|| {
            self.all.push(Group {
                key,
                line,
                caller,
                calls: 0.0,
                sum: 0.0,
                squares: 0.0,
                // The first number takes the place of NaN.
                min: f64::NAN,
                max: f64::NAN,
                kernels: f64::NAN,
            });
            self.all.len() - 1
        });
        let g = &mut self.all[at];
        g.calls += 1.0;
        g.sum += time;
        g.squares += time * time;
        g.min = g.min.min(time);
        g.max = g.max.max(time);
        g.kernels = g.kernels.max(kernels);
    }
}

/// GEMM kernels of one name without a shape.
#[derive(Debug)]
struct Loose {
    calls: f64,
    time_s: f64,
    line: u32,
    kind: KernelKind,
    graph: bool,
}

/// Time by what is left out.
#[derive(Debug, Default)]
struct LeftOut {
    not_gemm: RowsAndTime,
    attention: RowsAndTime,
    convolution: RowsAndTime,
    loose: HashMap<u32, Loose>,
    /// Time of the other kernels by name.
    others: HashMap<u32, f64>,
}

pub(super) fn finish(
    trace: Trace,
    mut table: TableBuilder,
    complete: bool,
) -> Result<Imported, ImportError> {
    if !trace.has_events {
        return Err(unsupported::unknown_json(&trace.members).kind(ErrorKind::Foreign));
    }
    let Trace { chosen, captures, file, events, devices, .. } = trace;
    if events.kernels.is_empty() && events.signatures.is_empty() {
        return Err(ImportError::new(
            "this profiler trace (Kineto or Chrome JSON) has no GPU kernels: record with \
             activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] and record_shapes=True",
        )
        .kind(ErrorKind::Foreign));
    }
    let threads = events.hip || devices.iter().any(|d| is_amd(&d.1));
    let device = device_codes(&mut table, chosen, &devices);
    let ids = Ids::new(&mut table);

    let join = Join::new(&events);
    let mut left_out = LeftOut::default();
    // Kernels of each launch of a graph.
    let mut graphs: Vec<Vec<u32>> = Vec::new();
    let mut graph_at: HashMap<u64, usize> = HashMap::new();
    // Kernels of one call belong together.
    let mut calls: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut place: HashMap<u32, usize> = HashMap::new();
    for (i, k) in events.kernels.iter().enumerate() {
        if !k.time_s.is_finite() {
            continue;
        }
        let name = &events.names[k.name as usize];
        let owner = join.owner(k);
        let (operation, gemm) = match owner {
            Owner::Call(call) => {
                let c = &events.calls[call as usize];
                let own = c.signature.map(|_| call);
                let operation = events.names[c.name as usize].as_str();
                // A GEMM kernel below a helper of a GEMM operation belongs to that operation.
                let outer = || {
                    let gemm = !k.memset && KernelKind::of(operation, name).is_gemm_time();
                    gemm.then(|| join.gemm_around(call)).flatten()
                };
                (operation, own.or_else(outer))
            }
            Owner::Graph => {
                let at = *graph_at.entry(k.correlation).or_insert_with(|| {
                    graphs.push(Vec::new());
                    graphs.len() - 1
                });
                graphs[at].push(i as u32);
                continue;
            }
            Owner::Unknown => ("", None),
        };
        if let Some(call) = gemm {
            let at = *place.entry(call).or_insert_with(|| {
                calls.push((call, Vec::new()));
                calls.len() - 1
            });
            calls[at].1.push(i as u32);
        } else if !k.memset {
            left_out.add(k, KernelKind::of(operation, name), false);
        }
    }

    let mut groups = Groups::default();
    let mut add = |product: &attention::Product, attention: bool| {
        let attention::Product { signature, caller, ref kernels } = *product;
        let of = |i: &u32| &events.kernels[*i as usize];
        let time: f64 = kernels.iter().map(|i| of(i).time_s).sum();
        let longest = kernels
            .iter()
            .map(of)
            .max_by(|a, b| (!a.memset).cmp(&!b.memset).then(a.time_s.total_cmp(&b.time_s)));
        let Some(main) = longest else { return };
        let blocks = if threads { (main.grid / main.block).ceil() } else { main.grid };
        let key = Key {
            signature,
            kernel: Some(main.name),
            blocks: blocks.to_bits(),
            device: device(main.device),
            attention,
        };
        groups.add(key, main.line, caller, time, kernels.len() as f64);
    };
    let mut products: Vec<attention::Product> = Vec::new();
    for (call, kernels) in calls {
        if let Some(signature) = events.calls[call as usize].signature {
            products.push(attention::Product { signature, caller: Some(call), kernels });
        }
    }
    // The signatures of this trace, then those of captures in other files.
    let mut signatures: Vec<&Signature> = events.signatures.iter().collect();
    let own = capture::record(&events, &join);
    let captures: Vec<_> = captures.iter().filter_map(capture::Launches::from_capture).collect();
    // Launches with and without their capture.
    let mut graphs_by_capture = [0, 0];
    for mut kernels in graphs {
        kernels.order_by(|a, b| {
            let start = |i: &u32| events.kernels[*i as usize].start_s;
            start(a).total_cmp(&start(b))
        });
        let replayed = capture::replay(&events, &kernels, &own)
            .or_else(|| capture::replay(&events, &kernels, &captures));
        let mut shaped: HashSet<u32> = HashSet::new();
        let unknown = replayed.is_none();
        graphs_by_capture[usize::from(unknown)] += 1;
        for call in replayed.into_iter().flatten() {
            let known = signatures.iter().position(|s| *s == call.signature);
            let code = known.unwrap_or_else(|| {
                signatures.push(call.signature);
                signatures.len() - 1
            });
            shaped.extend(call.kernels.iter().copied());
            let (signature, kernels) = (code as u32, call.kernels);
            products.push(attention::Product { signature, caller: None, kernels });
        }
        for i in kernels.iter().filter(|i| !shaped.contains(i)) {
            let k = &events.kernels[*i as usize];
            if !k.memset {
                let name = &events.names[k.name as usize];
                left_out.add(k, KernelKind::of("", name), unknown);
            }
        }
    }
    let (of_attention, unfused) = attention::find(&events, &signatures, &products);
    for (at, product) in products.iter().enumerate() {
        add(product, of_attention.contains(&at));
    }
    // The capture of a graph launches kernels that run later, in another trace.
    let mut captured = false;
    if groups.all.is_empty() && left_out.loose.is_empty() {
        listed(&mut groups, &events, &join, device(0));
        captured = !groups.all.is_empty();
    }
    let groups = groups.all;
    let part =
        (!of_attention.is_empty()).then(|| table.text_column(ColumnMeaning::Other, PART_COLUMN));
    let gemm_s: f64 = groups.iter().map(|g| g.sum).filter(|s| s.is_finite()).sum();
    let mut notes: Vec<&'static str> = Vec::new();
    let mut call_stack: Option<ColumnId> = None;
    for g in &groups {
        let kernel = g.key.kernel.map_or("", |k| events.names[k as usize].as_str());
        let [name, dims, types, strides] = signatures[g.key.signature as usize];
        let found = from_operands(name, &Py::parse(dims), &Py::parse(types), &Py::parse(strides));
        let row = match found {
            Some((gemm, note)) => {
                notes.extend(note);
                let [m, n, k] = gemm.sizes;
                let mut row = Row::new(m, n, k, gemm.op, g.sum / g.calls);
                row.batch = gemm.batch;
                row.device = g.key.device;
                Ok(row)
            }
            None => Err(RowError::new("data type not recognised")),
        };
        ids.stage(&mut table, g, name, kernel);
        if let Some(part) = part.filter(|_| g.key.attention) {
            table.set_text(part, UNFUSED_ATTENTION.as_bytes());
        }
        let callers = g.caller.map_or(Vec::new(), |call| join.callers(call));
        if !callers.is_empty() {
            let id = *call_stack
                .get_or_insert_with(|| table.text_column(ColumnMeaning::Other, CALL_STACK_COLUMN));
            table.set_text(id, callers.join(" => ").as_bytes());
        }
        table.commit(g.line, format!("{name} {dims}").as_bytes(), row);
    }
    let without = left_out.reject_loose(&mut table, &events.names);
    let shapeless = events.shapeless > 0 && events.signatures.is_empty();
    tell(&mut table, complete, gemm_s, &without, &left_out);
    if events.damaged > 0 {
        table.note(format!("Skipped {}: damaged or too long.", plural(events.damaged, "event")));
    }
    if captured {
        table.note(
            "Operations without kernels, as in a graph capture: shapes and counts, no \
                    times.",
        );
    }
    if shapeless {
        table.note("No shapes in the trace: record with record_shapes=True.");
    }
    for n in notes {
        table.note(n);
    }
    if devices.iter().all(|d| d.1.is_empty()) && chosen == 0 {
        table.assume_device("", "The trace names no device.");
    }
    let mut context = TraceContext {
        files: vec![file],
        platform: devices.first().map(|d| d.1.clone()).unwrap_or_default(),
        gemm_s: Some(gemm_s + without.time_s),
        unfused: Some(unfused).filter(|u| u.calls > 0),
        slowed_by: events.recorded.iter().cloned().collect(),
        ..TraceContext::default()
    };
    timeline::add_times(&events, &mut context);
    let none = table.rows_read() == 0;
    let mut data = table.finish();
    if none {
        return Err(ImportError::new(if left_out.convolution.rows > 0 {
            "this profiler trace (Kineto) has convolutions but no GEMMs"
        } else {
            "this profiler trace (Kineto) has no GEMMs with shapes: record with \
             record_shapes=True; for a graph, also open the trace of its capture"
        })
        .kind(ErrorKind::Foreign));
    }
    if let Some(s) = data.sources.first_mut() {
        s.not_gemm = left_out.not_gemm;
        s.remedy = match (shapeless, graphs_by_capture[1]) {
            (true, _) => "record with record_shapes=True".to_owned(),
            (_, 0) => String::new(),
            _ => "also open the trace of the graph's capture".to_owned(),
        };
        s.without_model = without;
        s.name_without_model(left_out.loose_names(&events.names));
        s.name_not_gemm(left_out.other_names(&events.names));
        s.trace = Some(Box::new(context));
        s.captures = own.iter().map(capture::Launches::to_capture).collect();
        [s.graphs_with_capture, s.graphs_without_capture] = graphs_by_capture;
    }
    Ok(Imported::table(data))
}

/// Adds the GEMMs that launched something, without times.
fn listed(groups: &mut Groups, events: &Events, join: &Join<'_>, device: u16) {
    let mut launched: Vec<u32> = events
        .launches
        .iter()
        .filter_map(|launch| join.gemm_around(join.caller(launch)?))
        .collect();
    launched.sort_unstable();
    launched.dedup();
    for at in launched {
        let call = &events.calls[at as usize];
        if let Some(signature) = call.signature {
            let blocks = f64::NAN.to_bits();
            let key = Key { signature, kernel: None, blocks, device, attention: false };
            groups.add(key, call.line, Some(at), f64::NAN, f64::NAN);
        }
    }
}

fn is_amd(name: &str) -> bool {
    ["AMD", "Instinct", "Radeon", "gfx"].iter().any(|w| name.contains(w))
}

/// Code of each kernel's device. A process that sees one of several devices describes only that
/// one, as number 0, while its kernels carry the number within the machine.
fn device_codes(
    table: &mut TableBuilder,
    chosen: u16,
    devices: &[(i64, String)],
) -> impl Fn(i64) -> u16 + use<> {
    let codes: Vec<(i64, u16)> = devices
        .iter()
        .map(|(id, name)| (*id, if chosen != 0 { chosen } else { table.device(name) }))
        .collect();
    let only = match codes.as_slice() {
        [(_, first), rest @ ..] if rest.iter().all(|(_, code)| code == first) => *first,
        _ => chosen,
    };
    move |id| codes.iter().find(|c| c.0 == id).map_or(only, |c| c.1)
}

impl LeftOut {
    fn add(&mut self, k: &Kernel, kind: KernelKind, graph: bool) {
        match kind {
            KernelKind::Gemm | KernelKind::GroupedGemm => {
                let l = self.loose.entry(k.name).or_insert(Loose {
                    calls: 0.0,
                    time_s: 0.0,
                    line: k.line,
                    kind,
                    graph,
                });
                l.calls += 1.0;
                l.time_s += k.time_s;
                return;
            }
            KernelKind::Attention => self.attention.add(k.time_s),
            KernelKind::Convolution => self.convolution.add(k.time_s),
            KernelKind::Other => {}
        }
        self.not_gemm.add(k.time_s);
        *self.others.entry(k.name).or_default() += k.time_s;
    }

    /// Name and time of the GEMM kernels without a shape.
    fn loose_names(&self, names: &[String]) -> Vec<(String, f64)> {
        let named = |(name, l): (&u32, &Loose)| (names[*name as usize].clone(), l.time_s);
        self.loose.iter().map(named).collect()
    }

    /// Name and time of the other kernels.
    fn other_names(&self, names: &[String]) -> Vec<(String, f64)> {
        let named = |(name, time_s): (&u32, &f64)| (names[*name as usize].clone(), *time_s);
        self.others.iter().map(named).collect()
    }

    /// Rejects the GEMM kernels without a shape, the longest first, and adds up their time.
    fn reject_loose(&self, table: &mut TableBuilder, names: &[String]) -> RowsAndTime {
        let mut loose: Vec<_> = self.loose.iter().collect();
        loose.order_by(|a, b| b.1.time_s.total_cmp(&a.1.time_s).then(a.0.cmp(b.0)));
        let mut without = RowsAndTime::default();
        for (name, l) in loose {
            without.add(l.time_s);
            let reason = match (l.kind, l.graph) {
                (KernelKind::GroupedGemm, _) => {
                    "a grouped or expert (MoE) GEMM, which has no single M, N, K"
                }
                (_, true) => {
                    "a GEMM kernel of a graph launch, without its operation: also open the \
                     trace of the capture"
                }
                _ => "a GEMM kernel whose operation has no shapes in the trace",
            };
            table.reject(l.line, names[*name as usize].as_bytes(), &RowError::new(reason));
        }
        without
    }
}

/// Says what was left out, with its time.
fn tell(
    table: &mut TableBuilder,
    complete: bool,
    gemm_s: f64,
    without: &RowsAndTime,
    left_out: &LeftOut,
) {
    let time = |s: f64| gemmscope_model::units::Seconds(s);
    if !complete {
        table.note("The trace is cut off; everything before that was read.");
    }
    if without.rows > 0 {
        let grouped: f64 = left_out
            .loose
            .values()
            .filter(|l| l.kind == KernelKind::GroupedGemm)
            .map(|l| l.time_s)
            .sum();
        let share = without.time_s / (without.time_s + gemm_s) * 100.0;
        table.note(format!(
            "{} of GEMM kernels ({share:.1} % of the GEMM time) have no shape and count in no \
             efficiency.",
            time(without.time_s),
        ));
        if grouped > 0.0 {
            table.note(format!("{} of that are grouped or expert (MoE) GEMMs.", time(grouped)));
        }
    }
    for (kind, sum) in [("attention", left_out.attention), ("convolution", left_out.convolution)] {
        if sum.rows > 0 {
            table.note(format!("{} of {kind} kernels left out: not GEMMs.", time(sum.time_s)));
        }
    }
    table.note("Each kernel counts for the innermost operation that launched it.");
}

struct Ids {
    op: ColumnId,
    kernel: ColumnId,
    library: ColumnId,
    count: ColumnId,
    workgroups: ColumnId,
    kernels: ColumnId,
    spread: [ColumnId; 3],
}

impl Ids {
    fn new(t: &mut TableBuilder) -> Self {
        Ids {
            op: t.text_column(ColumnMeaning::OpName, "operation"),
            kernel: t.text_column(ColumnMeaning::Kernel, "kernel"),
            library: t.text_column(ColumnMeaning::Library, "library"),
            count: t.number_column(ColumnMeaning::Count, "calls"),
            workgroups: t.number_column(ColumnMeaning::Workgroups, "workgroups"),
            kernels: t.extra_number_column("Kernels launched per call", ""),
            spread: [
                t.number_column(ColumnMeaning::TimeMin, "shortest"),
                t.number_column(ColumnMeaning::TimeMax, "longest"),
                t.number_column(ColumnMeaning::TimeStd, "standard deviation"),
            ],
        }
    }

    fn stage(&self, t: &mut TableBuilder, g: &Group, name: &str, kernel: &str) {
        t.set_text(self.op, name.as_bytes());
        t.set_text(self.kernel, kernel.as_bytes());
        t.set_text(self.library, library(kernel).as_bytes());
        t.set_number(self.count, g.calls);
        t.set_number(self.workgroups, f64::from_bits(g.key.blocks));
        t.set_number(self.kernels, g.kernels);
        if g.calls > 1.0 && g.sum.is_finite() {
            let variance = (g.squares - g.sum * g.sum / g.calls) / (g.calls - 1.0);
            t.set_number(self.spread[0], g.min);
            t.set_number(self.spread[1], g.max);
            t.set_number(self.spread[2], variance.max(0.0).sqrt());
        }
    }
}
