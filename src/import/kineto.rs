//! PyTorch profiler (Kineto) traces, JSON or JSON.gz of any length: operations with the shapes of
//! their inputs (`record_shapes=True`), joined to the kernels that they launched.
//!
//! A kernel names the innermost operation that launched it (`External id`, else through the
//! launch's `correlation`), so that a wrapper and the operation below it are counted once. Calls
//! of one operation with one shape and one main kernel are one row. ROCm writes the grid in
//! threads, CUDA in blocks.

use super::json::{Item, ItemReader, Json};
use super::tracelens::{Py, from_operands, library};
use super::{
    Bad, ColumnId, Detection, ErrorKind, Format, Head, ImportError, ImportOptions, Imported,
    Reader, Row, TableBuilder, profile,
};
use crate::dataset::{Role, RowsAndTime};
use crate::trace::TraceContext;
use memchr::memmem;
use serde_json::Value;
use std::collections::HashMap;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "kineto",
    name: "PyTorch profiler trace (Kineto JSON)",
    produced_by: "with torch.profiler.profile(record_shapes=True) as p: step() … p.export_chrome_trace(\"trace.json.gz\")",
    example: "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", \"numSms\": 132}],\n\
              \"traceEvents\": [\n\
              {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 9, \"args\": {\"External id\": 5, \"Input Dims\": [[4096, 1024], [1024, 2048]], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]}},\n\
              {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_tst_128x256_64x4_2x1_v_bz_TNT\", \"ts\": 20, \"dur\": 31.5, \"args\": {\"External id\": 5, \"device\": 0, \"grid\": [132, 1, 1], \"block\": [384, 1, 1]}}\n\
              ]}\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    let text = head.lines.join("\n");
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    let object = head.first().starts_with('{')
        && (has("traceEvents") || has("schemaVersion") && has("deviceProperties"));
    let bare = head.first().starts_with('[') && has("ph") && has("cat") && has("ts");
    (object || bare).then(|| Detection::new(96, "JSON with traceEvents"))
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let chosen = options.answer("device").map_or(0, |d| table.device(d));
    let file = head.name.clone();
    Ok(Box::new(Json::new(Trace {
        table,
        chosen,
        file,
        ..Trace::default()
    })))
}

/// What an operation's call is: an index into `Trace::signatures`.
type Signature = u32;

#[derive(Debug)]
struct Kernel {
    name: u32,
    /// External id, 0 where it has none.
    operation: u64,
    correlation: u64,
    device: i64,
    time_s: f64,
    start_s: f64,
    /// Product of the grid and of the block.
    grid: f64,
    block: f64,
    line: u32,
}

#[derive(Debug, Default)]
struct Trace {
    table: TableBuilder,
    chosen: u16,
    file: String,
    devices: Vec<(i64, String)>,
    /// Texts once: kernel names.
    names: Vec<String>,
    name_codes: HashMap<String, u32>,
    /// Name, dims, types, strides of operations that may be GEMMs.
    signatures: Vec<[String; 4]>,
    signature_codes: HashMap<[String; 4], Signature>,
    /// Operation's call -> what it is.
    operations: HashMap<u64, Signature>,
    /// Names of the other operations that launched kernels are kept by their call's id.
    others: HashMap<u64, u32>,
    /// Launch -> operation's call.
    launches: HashMap<u64, u64>,
    kernels: Vec<Kernel>,
    hip: bool,
    damaged: u64,
    shapeless: u64,
}

/// One row to be.
#[derive(Debug)]
struct Group {
    line: u32,
    calls: f64,
    sum: f64,
    squares: f64,
    min: f64,
    max: f64,
    kernels: f64,
}

impl Trace {
    fn name(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.name_codes.get(text) {
            return code;
        }
        let code = self.names.len() as u32;
        self.names.push(text.to_owned());
        self.name_codes.insert(text.to_owned(), code);
        code
    }

    fn event(&mut self, line: u32, text: &[u8]) {
        // Most events are Python frames and marks: they are passed over unread.
        let category = string_after(text, b"\"cat\"").unwrap_or_default();
        match category {
            b"kernel" | b"Kernel" => {}
            b"cpu_op" | b"Operator" | b"operator" => {
                if string_after(text, b"\"name\"").is_none() {
                    return;
                }
            }
            b"cuda_runtime" | b"cuda_driver" | b"hip_runtime" | b"Runtime" | b"runtime" => {
                self.hip |= string_after(text, b"\"name\"").is_some_and(|n| n.starts_with(b"hip"));
                if memmem::find(text, b"External id").is_none() {
                    return;
                }
            }
            _ => return,
        }
        let Ok(event) = serde_json::from_slice::<Value>(text) else {
            self.damaged += 1;
            return;
        };
        let args = event.get("args").unwrap_or(&Value::Null);
        let id = |key: &str| args.get(key).and_then(Value::as_u64).unwrap_or(0);
        let operation = match id("External id") {
            0 => id("external id"),
            known => known,
        };
        let name = event.get("name").and_then(Value::as_str).unwrap_or("");
        match category {
            b"kernel" | b"Kernel" => {
                let product = |key: &str| match args.get(key) {
                    Some(Value::Array(sizes)) => sizes.iter().filter_map(Value::as_f64).product(),
                    _ => f64::NAN,
                };
                let micros = |key: &str| match event.get(key) {
                    Some(Value::String(t)) => t.parse().unwrap_or(f64::NAN),
                    Some(v) => v.as_f64().unwrap_or(f64::NAN),
                    None => f64::NAN,
                };
                let kernel = Kernel {
                    name: self.name(name),
                    operation,
                    correlation: id("correlation"),
                    device: args.get("device").and_then(Value::as_i64).unwrap_or(0),
                    time_s: micros("dur") / 1e6,
                    start_s: micros("ts") / 1e6,
                    grid: product("grid"),
                    block: product("block"),
                    line,
                };
                self.kernels.push(kernel);
            }
            b"cpu_op" | b"Operator" | b"operator" => {
                let dims = args.get("Input Dims").or(args.get("Input dims"));
                let Some(dims) = dims else {
                    self.shapeless += 1;
                    let code = self.name(name);
                    self.others.insert(operation, code);
                    return;
                };
                let printed = |keys: [&str; 2]| {
                    keys.iter()
                        .find_map(|k| args.get(*k))
                        .map_or(String::new(), Value::to_string)
                };
                let types = printed(["Input type", "Input types"]);
                let strides = printed(["Input Strides", "Input strides"]);
                let signature = [name.to_owned(), dims.to_string(), types, strides];
                if !maybe_gemm(&signature) {
                    let code = self.name(name);
                    self.others.insert(operation, code);
                    return;
                }
                let next = self.signatures.len() as Signature;
                let code = *self
                    .signature_codes
                    .entry(signature.clone())
                    .or_insert_with(|| {
                        self.signatures.push(signature);
                        next
                    });
                self.operations.insert(operation, code);
            }
            _ => {
                let correlation = id("correlation");
                if correlation != 0 && operation != 0 {
                    self.launches.insert(correlation, operation);
                }
            }
        }
    }
}

/// The text behind a key: `"cat": "kernel"`. Keys in nested objects are not told apart, which for
/// these keys does not happen.
fn string_after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find(text, key)? + key.len();
    let rest = text[at..]
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    let rest = rest.strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}

fn maybe_gemm(signature: &[String; 4]) -> bool {
    let [name, dims, types, strides] = signature;
    let bare = name.rsplit("::").next().unwrap_or(name);
    let lower = bare.to_ascii_lowercase();
    (lower.contains("mm")
        || lower.contains("gemm")
        || lower.contains("linear")
        || lower.contains("matmul"))
        && from_operands(
            name,
            &Py::parse(dims),
            &Py::parse(types),
            &Py::parse(strides),
        )
        .is_some()
}

impl ItemReader for Trace {
    const ARRAYS: &'static [&'static str] = &["traceEvents", "deviceProperties"];

    fn item(&mut self, item: Item<'_>) -> Result<(), ImportError> {
        let Some(text) = item.text else {
            self.damaged += u64::from(item.element);
            return Ok(());
        };
        if !item.element {
            return Ok(());
        }
        if item.key != "deviceProperties" {
            self.event(item.line, text);
            return Ok(());
        }
        if let Ok(v) = serde_json::from_slice::<Value>(text) {
            let id = v.get("id").and_then(Value::as_i64).unwrap_or(0);
            let name = v.get("name").and_then(Value::as_str).unwrap_or("");
            let number = |k: &str| v.get(k).and_then(Value::as_u64);
            let name = match (name, number("computeMajor"), number("computeMinor")) {
                // Some drivers leave the name out.
                ("", Some(major), Some(minor)) => match number("numSms") {
                    Some(units) => format!("sm_{major}{minor}:{units}"),
                    None => format!("sm_{major}{minor}"),
                },
                (name, ..) => name.to_owned(),
            };
            self.devices.push((id, name));
        }
        Ok(())
    }

    fn finish(mut self, complete: bool) -> Result<Imported, ImportError> {
        if self.kernels.is_empty() {
            return Err(ImportError::new(
                "this profiler trace (Kineto or Chrome JSON) holds no GPU kernels: record it with \
                 activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] and record_shapes=True",
            )
            .kind(ErrorKind::Foreign));
        }
        let amd = |name: &str| {
            ["AMD", "Instinct", "Radeon", "gfx"]
                .iter()
                .any(|w| name.contains(w))
        };
        let threads = self.hip || self.devices.iter().any(|d| amd(&d.1));
        let mut codes: Vec<(i64, u16)> = Vec::new();
        for (id, name) in &self.devices {
            let code = if self.chosen != 0 {
                self.chosen
            } else {
                self.table.device(name)
            };
            codes.push((*id, code));
        }
        let device = |id: i64| {
            codes
                .iter()
                .find(|c| c.0 == id)
                .map_or(self.chosen, |c| c.1)
        };
        let ids = Ids::new(&mut self.table);

        // Kernels of one call belong together.
        let mut calls: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut place: HashMap<u64, usize> = HashMap::new();
        let (mut not_gemm, mut without) = (RowsAndTime::default(), RowsAndTime::default());
        let mut loose: HashMap<u32, (f64, f64, u32)> = HashMap::new();
        let mut kinds: Vec<(&str, f64)> = vec![
            ("attention", 0.0),
            ("convolution", 0.0),
            ("expert layers (MoE)", 0.0),
        ];
        let (mut start, mut end, mut busy) = (f64::INFINITY, 0.0f64, 0.0);
        for (i, k) in self.kernels.iter().enumerate() {
            if !k.time_s.is_finite() {
                continue;
            }
            busy += k.time_s;
            start = start.min(k.start_s);
            end = end.max(k.start_s + k.time_s);
            let id = match k.operation {
                0 => self.launches.get(&k.correlation).copied().unwrap_or(0),
                id => id,
            };
            if self.operations.contains_key(&id) {
                let at = *place.entry(id).or_insert_with(|| {
                    calls.push((id, Vec::new()));
                    calls.len() - 1
                });
                calls[at].1.push(i as u32);
                continue;
            }
            let kernel = &self.names[k.name as usize];
            let operation = self
                .others
                .get(&id)
                .map_or("", |n| &self.names[*n as usize]);
            if let Some(kind) = kind_of(operation, kernel) {
                kinds[kind].1 += k.time_s;
                not_gemm.add(k.time_s);
            } else if profile::is_gemm_name(kernel) {
                let l = loose.entry(k.name).or_insert((0.0, 0.0, k.line));
                l.0 += 1.0;
                l.1 += k.time_s;
            } else {
                not_gemm.add(k.time_s);
            }
        }

        let mut groups: Vec<((Signature, u32, u64, u16), Group)> = Vec::new();
        let mut at: HashMap<(Signature, u32, u64, u16), usize> = HashMap::new();
        for (id, kernels) in &calls {
            let of = |i: &u32| &self.kernels[*i as usize];
            let time: f64 = kernels.iter().map(|i| of(i).time_s).sum();
            let Some(main) = kernels
                .iter()
                .map(of)
                .max_by(|a, b| a.time_s.total_cmp(&b.time_s))
            else {
                continue;
            };
            let blocks = if threads {
                (main.grid / main.block).ceil()
            } else {
                main.grid
            };
            let key = (
                self.operations[id],
                main.name,
                blocks.to_bits(),
                device(main.device),
            );
            let g = *at.entry(key).or_insert_with(|| {
                groups.push((
                    key,
                    Group {
                        line: main.line,
                        calls: 0.0,
                        sum: 0.0,
                        squares: 0.0,
                        min: f64::INFINITY,
                        max: 0.0,
                        kernels: 0.0,
                    },
                ));
                groups.len() - 1
            });
            let g = &mut groups[g].1;
            g.calls += 1.0;
            g.sum += time;
            g.squares += time * time;
            g.min = g.min.min(time);
            g.max = g.max.max(time);
            g.kernels = g.kernels.max(kernels.len() as f64);
        }
        let gemm_s: f64 = groups.iter().map(|g| g.1.sum).sum();
        let mut notes: Vec<&'static str> = Vec::new();
        for ((signature, kernel, blocks, device), g) in groups {
            let [name, dims, types, strides] = &self.signatures[signature as usize];
            let row = from_operands(
                name,
                &Py::parse(dims),
                &Py::parse(types),
                &Py::parse(strides),
            );
            let row = match row {
                Some((gemm, note)) => {
                    notes.extend(note);
                    let [m, n, k] = gemm.sizes;
                    let mut row = Row::new(m, n, k, gemm.op, g.sum / g.calls);
                    row.batch = gemm.batch;
                    row.device = device;
                    Ok(row)
                }
                None => Err(Bad::new("data type not known")),
            };
            let t = &mut self.table;
            let kernel = &self.names[kernel as usize];
            t.set_text(ids.op, name.as_bytes());
            t.set_text(ids.kernel, kernel.as_bytes());
            t.set_text(ids.library, library(kernel).as_bytes());
            t.set_number(ids.count, g.calls);
            t.set_number(ids.workgroups, f64::from_bits(blocks));
            t.set_number(ids.kernels, g.kernels);
            if g.calls > 1.0 {
                let variance = (g.squares - g.sum * g.sum / g.calls) / (g.calls - 1.0);
                t.set_number(ids.spread[0], g.min);
                t.set_number(ids.spread[1], g.max);
                t.set_number(ids.spread[2], variance.max(0.0).sqrt());
            }
            t.commit_line(g.line, format!("{name} {dims}").as_bytes(), row);
        }
        let mut loose: Vec<_> = loose.into_iter().collect();
        loose.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(a.0.cmp(&b.0)));
        for (name, (_, time, line)) in loose {
            without.add(time);
            let bad = Bad::new("a GEMM kernel whose operation has no shapes in the trace");
            self.table
                .reject(line, self.names[name as usize].as_bytes(), &bad);
        }
        self.notes(complete, gemm_s, &without, &kinds, &notes);
        let context = TraceContext {
            files: vec![self.file.clone()],
            platform: self
                .devices
                .first()
                .map(|d| d.1.clone())
                .unwrap_or_default(),
            total_s: (end > start).then_some(end - start),
            compute_s: Some(busy),
            gemm_s: Some(gemm_s),
            ..TraceContext::default()
        };
        let none = self.table.rows_read() == 0;
        let mut data = self.table.finish();
        if none {
            return Err(ImportError::new(
                "this profiler trace (Kineto) holds no matrix multiply with its shapes: record it with \
                 record_shapes=True, and without a CUDA graph, whose kernels name no operation",
            )
            .kind(ErrorKind::Foreign));
        }
        if let Some(s) = data.sources.first_mut() {
            s.not_gemm = not_gemm;
            s.without_model = without;
            s.trace = Some(Box::new(context));
        }
        Ok(Imported::table(data))
    }

    fn rows(&self) -> u64 {
        self.kernels.len() as u64
    }
}

impl Trace {
    fn notes(
        &mut self,
        complete: bool,
        gemm_s: f64,
        without: &RowsAndTime,
        kinds: &[(&str, f64)],
        notes: &[&'static str],
    ) {
        let t = &mut self.table;
        let ms = |s: f64| crate::units::Seconds(s);
        if !complete {
            t.note("The trace ends in the middle: what was complete was read.");
        }
        if self.damaged > 0 {
            t.note(format!(
                "{} events are damaged or too long and were passed over.",
                self.damaged
            ));
        }
        if without.rows > 0 {
            t.note(format!(
                "{} of GEMM kernels belong to no operation with shapes (a graph, a custom operation): \
                 {:.1} % of the GEMM time is not in any figure here.",
                ms(without.time_s),
                without.time_s / (without.time_s + gemm_s) * 100.0
            ));
        }
        for (kind, time) in kinds.iter().filter(|k| k.1 > 0.0) {
            t.note(format!(
                "{} of {kind} kernels are no GEMMs and are left out.",
                ms(*time)
            ));
        }
        if self.shapeless > 0 && self.operations.is_empty() {
            t.note("The operations carry no shapes: record with record_shapes=True.");
        }
        for n in notes {
            t.note(*n);
        }
        if self.devices.iter().all(|d| d.1.is_empty()) && self.chosen == 0 {
            t.assume_device("", "The trace does not name its device.");
        }
        t.note("Kernels belong to the innermost operation that launched them: wrappers are counted once.");
    }
}

fn kind_of(operation: &str, kernel: &str) -> Option<usize> {
    let text = format!("{operation} {kernel}").to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|w| text.contains(w));
    if any(&["attention", "flash", "fmha", "sdpa", "paged_attn"]) {
        Some(0)
    } else if any(&[
        "conv2d",
        "convolution",
        "conv1d",
        "conv3d",
        "fprop",
        "dgrad",
        "wgrad",
        "cudnn",
        "miopen",
    ]) {
        Some(1)
    } else if any(&["fused_moe", "moe_gemm", "fmoe", "grouped_gemm"]) {
        Some(2)
    } else {
        None
    }
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
            op: t.text_column(Role::OpName, "operation"),
            kernel: t.text_column(Role::Kernel, "kernel"),
            library: t.text_column(Role::Library, "library"),
            count: t.number_column(Role::Count, "calls"),
            workgroups: t.number_column(Role::Workgroups, "workgroups"),
            kernels: t.extra_number_column("Kernels per call", ""),
            spread: [
                t.number_column(Role::TimeMin, "shortest"),
                t.number_column(Role::TimeMax, "longest"),
                t.number_column(Role::TimeStd, "standard deviation"),
            ],
        }
    }
}

#[cfg(test)]
mod tests;
