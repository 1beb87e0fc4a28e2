//! Turns kernels, joined to their operations, into rows.

use super::attention::Product;
use super::events::{Events, Signature};
use super::join::Join;
use super::left_out::LeftOut;
use super::products::{Launched, Products};
use super::{Trace, attention, capture, experts_of, timeline};
use crate::cell::CellError;
use crate::cell::experts::ExpertPart;
use crate::cell::py::Py;
use crate::formats::profilers::Times;
use crate::formats::profilers::kernel_kind::as_computed;
use crate::formats::profilers::tracelens::{from_operands, library};
use crate::split::json::note_cut;
use crate::{ErrorKind, ImportError, Imported, unsupported};
use gemmscope_model::units::plural;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;
use gemmscope_table::dataset::{RowsAndTime, Source, TraceContext};
use gemmscope_table::trace::{CALL_STACK_COLUMN, PART_COLUMN, UNFUSED_ATTENTION};
use std::collections::HashMap;

/// Key by which calls are merged into a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    signature: u32,
    /// Code of the main kernel's name; `None` for a call in a capture.
    kernel: Option<u32>,
    /// Number of workgroups, as `f64` bits so that it can be hashed.
    blocks: u64,
    device: u16,
    /// Part of unfused attention.
    attention: bool,
    /// Part, for an expert GEMM.
    part: Option<ExpertPart>,
}

/// Calls of one operation with the same shape, main kernel and device.
#[derive(Debug)]
struct Group {
    key: Key,
    line: u32,
    /// The first call; `None` if a graph launched it.
    caller: Option<u32>,
    times: Times,
    kernels: f64,
}

/// The future rows, in order of their first calls.
#[derive(Debug, Default)]
struct Groups {
    all: Vec<Group>,
    at: HashMap<Key, usize>,
}

impl Groups {
    /// Adds a call; `time` in seconds and `kernels` are NaN if the trace has none.
    fn add(&mut self, key: Key, line: u32, caller: Option<u32>, time: f64, kernels: f64) {
        let at = *self.at.entry(key).or_insert_with(|| {
            self.all.push(Group { key, line, caller, times: Times::NONE, kernels: f64::NAN });
            self.all.len() - 1
        });
        let g = &mut self.all[at];
        g.times.add(time);
        g.kernels = g.kernels.max(kernels);
    }

    /// Adds a call with its kernels; `threads`: the grid counts threads, not blocks.
    fn add_product(
        &mut self,
        events: &Events,
        product: &Product,
        attention: bool,
        threads: bool,
        device: impl Fn(i64) -> u16,
    ) {
        let kernels = || product.kernels.iter().map(|i| &events.kernels[*i as usize]);
        let time: f64 = kernels().map(|k| k.time_s).sum();
        let longest = kernels()
            .max_by(|a, b| (!a.memset).cmp(&!b.memset).then(a.time_s.total_cmp(&b.time_s)));
        let Some(main) = longest else { return };
        let blocks = if threads { (main.grid / main.block).ceil() } else { main.grid };
        let key = Key {
            signature: product.signature,
            kernel: Some(main.name),
            blocks: blocks.to_bits(),
            device: device(main.device),
            attention,
            part: product.part,
        };
        self.add(key, main.line, product.caller, time, product.kernels.len() as f64);
    }
}

pub(super) fn finish(
    trace: Trace,
    mut table: TableBuilder,
    complete: bool,
) -> Result<Imported, ImportError> {
    let Trace { captures, file, events, devices, .. } = of_a_gpu(trace)?;
    let device = device_codes(&mut table, &devices);
    let join = Join::new(&events);
    let mut left_out = LeftOut::default();
    let launched = Launched::new(&events, &join, &mut left_out);
    let own = capture::record(&events, &join);
    let captures: Vec<_> = captures.iter().filter_map(capture::Launches::from_capture).collect();
    let mut products = Products::of_calls(&events, launched.calls);
    products.add_graphs(&events, launched.graphs, [&own, &captures], &mut left_out);
    products.split_experts(&events, &mut left_out);
    let (of_attention, unfused) = attention::find(&events, &products.signatures, &products.all);
    let mut groups = Groups::default();
    let threads = events.hip || devices.iter().any(|d| is_amd(&d.1));
    for (at, product) in products.all.iter().enumerate() {
        groups.add_product(&events, product, of_attention.contains(&at), threads, &device);
    }
    // A graph capture launches kernels that run later, possibly in another trace.
    let nothing = groups.all.is_empty() && left_out.loose.is_empty();
    if nothing {
        listed(&mut groups, &events, &join, device(0));
    }
    let captured = nothing && !groups.all.is_empty();
    let Committed { remarks, gemm_s, expanded } =
        commit(&mut table, &groups.all, &products.signatures, &events, &join);
    let mut without = left_out.reject_loose(&mut table, &events.names);
    expanded.iter().for_each(|(_, of_name)| without.add_calls(of_name.rows, of_name.time_s));
    note_cut(&mut table, complete);
    let mut context = TraceContext::default();
    timeline::add_times(&events, &mut context);
    left_out.tell(&mut table, gemm_s, &without, context.total_s);
    notes(&mut table, &events, captured, remarks);
    if devices.iter().all(|d| d.1.is_empty()) && table.device("") == 0 {
        table.assume_device("", "The file names no device.");
    }
    if table.rows_read() == 0 {
        return Err(no_rows(&left_out));
    }
    let mut slowed_by = events.recorded.clone();
    slowed_by.sort();
    let context = TraceContext {
        files: vec![file],
        platform: devices.first().map(|d| d.1.clone()).unwrap_or_default(),
        gemm_s: Some(gemm_s + without.time_s),
        unfused: Some(unfused).filter(|u| u.calls > 0),
        slowed_by,
        ..context
    };
    let mut data = table.finish();
    if let Some(s) = data.sources.first_mut() {
        s.not_gemm = left_out.not_gemm;
        s.remedy = match (is_shapeless(&events), products.graphs_by_capture[1]) {
            (true, _) => "record with record_shapes=True".to_owned(),
            (_, 0) => String::new(),
            _ => "also open the trace of the graph's capture".to_owned(),
        };
        s.without_model = without;
        s.name_without_model([left_out.loose_names(&events.names), expanded].concat());
        s.name_not_gemm(left_out.other_names(&events.names));
        s.trace = Some(Box::new(context));
        s.captures = own.iter().map(capture::Launches::to_capture).collect();
        [s.graphs_with_capture, s.graphs_without_capture] = products.graphs_by_capture;
    }
    Ok(Imported::table(data))
}

/// The trace, if it has GPU events or operators; otherwise an error that says what the file is.
fn of_a_gpu(trace: Trace) -> Result<Trace, ImportError> {
    let Trace { has_events, members, events, .. } = &trace;
    if !has_events {
        return Err(unsupported::unknown_json(members).kind(ErrorKind::Foreign));
    }
    if events.kernels.is_empty() && events.signatures.is_empty() {
        return Err(ImportError::new(
            "this profiler trace (Kineto or Chrome JSON) has no GPU kernels: record with \
             activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] and record_shapes=True",
        )
        .kind(ErrorKind::Foreign));
    }
    Ok(trace)
}

/// True if the trace was recorded without shapes.
fn is_shapeless(events: &Events) -> bool {
    events.shapeless > 0 && events.signatures.is_empty()
}

/// Adds notes on how times were counted and what the trace lacks.
fn notes(table: &mut TableBuilder, events: &Events, captured: bool, of_types: Vec<&'static str>) {
    table.note("Each kernel counts for the innermost operation that launched it.");
    if events.damaged > 0 {
        table.note(format!("Skipped {}: damaged or too long.", plural(events.damaged, "event")));
    }
    if captured {
        table.note(
            "Operations without kernels, as in a graph capture: shapes and counts, no \
                    times.",
        );
    }
    if is_shapeless(events) {
        table.note("No shapes in the trace: record with record_shapes=True.");
    }
    for remark in of_types {
        table.note(remark);
    }
}

/// Error for a trace without GEMMs of known shape; says what to record.
fn no_rows(left_out: &LeftOut) -> ImportError {
    ImportError::new(if left_out.convolution.rows > 0 {
        "this profiler trace (Kineto) has convolutions but no GEMMs"
    } else {
        "this profiler trace (Kineto) has no GEMMs with shapes: record with \
         record_shapes=True; for a graph, also open the trace of its capture"
    })
    .kind(ErrorKind::Foreign)
}

/// Adds the GEMMs that made launches, without times.
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
            let key = Key { signature, kernel: None, blocks, device, attention: false, part: None };
            groups.add(key, call.line, Some(at), f64::NAN, f64::NAN);
        }
    }
}

fn is_amd(name: &str) -> bool {
    ["AMD", "Instinct", "Radeon", "gfx"].iter().any(|w| name.contains(w))
}

/// Maps device indices of kernels to device codes. A process that sees one of several devices describes it as index 0,
/// while its kernels carry the index within the machine.
fn device_codes(
    table: &mut TableBuilder,
    devices: &[(i64, String)],
) -> impl Fn(i64) -> u16 + use<> {
    let codes: Vec<(i64, u16)> =
        devices.iter().map(|(id, name)| (*id, table.device(name))).collect();
    let only = match codes.as_slice() {
        [(_, first), rest @ ..] if rest.iter().all(|(_, code)| code == first) => *first,
        _ => table.device(""),
    };
    move |id| codes.iter().find(|c| c.0 == id).map_or(only, |c| c.1)
}

/// Result of [`commit`].
#[derive(Default)]
struct Committed {
    /// Remarks on data types.
    remarks: Vec<&'static str>,
    /// Time of the GEMMs, seconds.
    gemm_s: f64,
    /// Name, calls and time of the rejected products with a stride of 0.
    expanded: Vec<(String, RowsAndTime)>,
}

/// Adds the rows to the table.
fn commit(
    t: &mut TableBuilder,
    groups: &[Group],
    signatures: &[&Signature],
    events: &Events,
    join: &Join<'_>,
) -> Committed {
    let mut out = Committed::default();
    for g in groups {
        let kernel = g.key.kernel.map_or("", |k| events.names.value(k));
        let signature = signatures[g.key.signature as usize];
        let [name, dims, types, strides, _] = signature;
        let of_experts = || {
            let found = experts_of(signature)?;
            let part = g.key.part.or(ExpertPart::named(name)).unwrap_or(ExpertPart::Both);
            Some(Ok((found.row(part), found.note)))
        };
        let found = from_operands(name, &Py::parse(dims), &Py::parse(types), &Py::parse(strides));
        let found = found.or_else(of_experts);
        let row = match found {
            Some(Ok((row, remark))) => {
                out.remarks.extend(remark);
                let op = as_computed(row.op, kernel);
                Ok(Row { op, time_s: g.times.mean(), device: g.key.device, ..row })
            }
            Some(Err(why)) => {
                // Calls in a capture have no times.
                if g.times.sum.is_finite() {
                    let mut sum = RowsAndTime::default();
                    sum.add_calls(g.times.calls as u64, g.times.sum);
                    out.expanded.push((Source::expanded(name), sum));
                }
                Err(RowError::new(why))
            }
            None => Err(CellError::UnknownType.of("data type")),
        };
        let is_gemm = g.times.sum.is_finite() && !matches!(found, Some(Err(_)));
        out.gemm_s += if is_gemm { g.times.sum } else { 0.0 };
        stage(t, g, name, kernel);
        let callers = g.caller.map_or(Vec::new(), |call| join.callers(call));
        t.stage_text(Other, CALL_STACK_COLUMN, callers.join(" => ").as_bytes());
        t.commit(g.line, format!("{name} {dims}").as_bytes(), row);
    }
    out
}

fn stage(t: &mut TableBuilder, g: &Group, name: &str, kernel: &str) {
    t.stage_text(OpName, "operation", name.as_bytes());
    t.stage_text(Kernel, "kernel", kernel.as_bytes());
    t.stage_text(Library, "library", library(kernel).as_bytes());
    t.stage_number(Count, "calls", g.times.calls);
    t.stage_number(Workgroups, "workgroups", f64::from_bits(g.key.blocks));
    t.stage_extra("Kernels launched per call", "", g.kernels);
    let [shortest, longest, deviation] = g.times.spread();
    t.stage_number(TimeMin, "shortest", shortest);
    t.stage_number(TimeMax, "longest", longest);
    t.stage_number(TimeStd, "standard deviation", deviation);
    let of_experts = g.key.part.map_or("", ExpertPart::label);
    let part = if g.key.attention { UNFUSED_ATTENTION } else { of_experts };
    t.stage_text(Other, PART_COLUMN, part.as_bytes());
}
