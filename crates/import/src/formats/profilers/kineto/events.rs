//! The trace events needed to tell which kernels ran and what launched them.

use crate::cell::experts;
use crate::split::json::{self, number};
use gemmscope_table::build::intern::Interner;
use memchr::memmem;
use serde_json::Value;
use std::collections::HashMap;

/// Name, shapes, types and strides of an operation's inputs as printed in the trace; for
/// experts also the scalar inputs.
pub(super) type Signature = [String; 5];

/// A call of an operation on the host.
#[derive(Debug)]
pub(super) struct Call {
    /// Its id in the trace; 0 if it has none.
    pub external_id: u64,
    /// Code of its name.
    pub name: u32,
    /// Index into [`Events::signatures`]; `None` if it is not a matrix multiply.
    pub signature: Option<u32>,
    /// Code of its process and thread.
    pub thread: u32,
    /// Start and end, microseconds.
    pub span: (f64, f64),
    /// Line in the file.
    pub line: u32,
}

/// A runtime call that starts work on the device.
#[derive(Debug)]
pub(super) struct Launch {
    /// Id of the operation that made it; 0 if it has none.
    pub external_id: u64,
    /// Id shared with its kernels; 0 if it has none.
    pub correlation: u64,
    /// Code of its process and thread.
    pub thread: u32,
    /// Start, microseconds.
    pub start: f64,
    /// It launches a graph.
    pub graph: bool,
    /// Code of the kernel's name, if the runtime call states it (HIP).
    pub kernel: Option<u32>,
}

/// A kernel or memset on the device.
#[derive(Debug)]
pub(super) struct Kernel {
    /// Code of its name.
    pub name: u32,
    /// Id of what launched it; 0 if it has none.
    pub external_id: u64,
    /// Id shared with its launch; 0 if it has none.
    pub correlation: u64,
    /// Index of the device.
    pub device: i64,
    /// Duration, seconds.
    pub time_s: f64,
    /// Start, seconds.
    pub start_s: f64,
    /// Product of the grid dimensions; NaN if unknown.
    pub grid: f64,
    /// Product of the block dimensions; NaN if unknown.
    pub block: f64,
    /// Line in the file.
    pub line: u32,
    /// A memset: part of an operation, never a GEMM.
    pub memset: bool,
}

/// The events read so far.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub calls: Vec<Call>,
    pub launches: Vec<Launch>,
    pub kernels: Vec<Kernel>,
    /// Start and duration of copies, seconds.
    pub copies: Vec<(f64, f64)>,
    /// Flow arrows from the host: id to thread and time.
    pub flows: HashMap<u64, (u32, f64)>,
    /// Modules of the model (`nn.Module: Linear_3`) and other named ranges on the host: thread, start and end in
    /// microseconds, code of the name.
    pub scopes: Vec<(u32, f64, f64, u32)>,
    /// Start times of graph captures, microseconds.
    pub captures: Vec<f64>,
    pub signatures: Vec<Signature>,
    /// Distinct names of kernels and operations.
    pub names: Interner,
    /// The trace has calls of the HIP runtime.
    pub hip: bool,
    /// Number of events that are not valid JSON.
    pub damaged: u64,
    /// Number of operations without shapes.
    pub shapeless: u64,
    /// Recording options that slow the program down: profiler options, Python stacks.
    pub recorded: Vec<String>,
    signature_codes: HashMap<Signature, u32>,
    threads: HashMap<(i64, i64), u32>,
}

/// Kind of an event, by its category.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Kernel,
    Memset,
    Copy,
    Call,
    Launch,
    BeginCapture,
    Flow,
    Scope,
}

impl Events {
    /// Reads one element of `traceEvents`. `is_gemm` says whether an operation is a matrix multiply.
    pub(super) fn take(&mut self, line: u32, text: &[u8], is_gemm: impl Fn(&Signature) -> bool) {
        // Most events are Python frames and markers; skip them without parsing.
        let Some(sort) = self.sort(text) else { return };
        let Ok(event) = json::value(text) else {
            self.damaged += 1;
            return;
        };
        match sort {
            Sort::Kernel | Sort::Memset => self.kernel(line, &event, sort == Sort::Memset),
            Sort::Copy => {
                let span = (micros(&event, "ts") / 1e6, micros(&event, "dur") / 1e6);
                self.copies.push(span);
            }
            Sort::Call => self.call(line, &event, is_gemm),
            Sort::Launch => self.launch(&event),
            Sort::Scope => {
                let name = self.names.code(json::text(&event, "name").as_bytes());
                let (start, length) = (micros(&event, "ts"), micros(&event, "dur"));
                let thread = self.thread(&event);
                self.scopes.push((thread, start, start + length, name));
            }
            Sort::BeginCapture => self.captures.push(micros(&event, "ts")),
            Sort::Flow => {
                let id = event.get("id").map(whole).unwrap_or_default();
                let thread = self.thread(&event);
                if id != 0 {
                    self.flows.insert(id, (thread, micros(&event, "ts")));
                }
            }
        }
    }

    fn sort(&mut self, text: &[u8]) -> Option<Sort> {
        Some(match string_after(text, b"\"cat\"")? {
            b"kernel" | b"Kernel" => Sort::Kernel,
            b"gpu_memset" | b"Memset" => Sort::Memset,
            b"gpu_memcpy" | b"Memcpy" => Sort::Copy,
            b"cpu_op" | b"Operator" | b"operator" => Sort::Call,
            b"cuda_runtime" | b"cuda_driver" | b"hip_runtime" | b"Runtime" | b"runtime" => {
                let name = string_after(text, b"\"name\"")?;
                self.hip |= name.starts_with(b"hip");
                if memmem::find(name, b"BeginCapture").is_some() {
                    return Some(Sort::BeginCapture);
                }
                let starts = memmem::find(name, b"Launch").is_some()
                    || memmem::find(name, b"Memset").is_some();
                return starts.then_some(Sort::Launch);
            }
            b"python_function" if string_after(text, b"\"name\"")?.starts_with(b"nn.Module: ") => {
                Sort::Scope
            }
            b"user_annotation"
                if !string_after(text, b"\"name\"")?.starts_with(b"ProfilerStep") =>
            {
                Sort::Scope
            }
            b"ac2g" if string_after(text, b"\"ph\"")? == b"s" => Sort::Flow,
            b"python_function" => {
                self.record("Python frames");
                return None;
            }
            b"cpu_instant_event" => {
                if string_after(text, b"\"name\"")? == b"[memory]" {
                    self.record("profile_memory");
                }
                return None;
            }
            _ => return None,
        })
    }

    /// Adds a recording option; allocates only for a new one, since most events call this.
    pub(super) fn record(&mut self, what: &str) {
        if !self.recorded.iter().any(|r| r == what) {
            self.recorded.push(what.to_owned());
        }
    }

    fn kernel(&mut self, line: u32, event: &Value, memset: bool) {
        let args = event.get("args").unwrap_or(&Value::Null);
        let product = |key: &str| match args.get(key) {
            Some(Value::Array(sizes)) => sizes.iter().filter_map(Value::as_f64).product(),
            _ => f64::NAN,
        };
        let kernel = Kernel {
            name: self.names.code(json::text(event, "name").as_bytes()),
            external_id: external_id(args),
            correlation: args.get("correlation").map(whole).unwrap_or_default(),
            device: args.get("device").and_then(Value::as_i64).unwrap_or(0),
            time_s: micros(event, "dur") / 1e6,
            start_s: micros(event, "ts") / 1e6,
            grid: product("grid"),
            block: product("block"),
            line,
            memset,
        };
        self.kernels.push(kernel);
    }

    fn call(&mut self, line: u32, event: &Value, is_gemm: impl Fn(&Signature) -> bool) {
        let Some(name) = event.get("name").and_then(Value::as_str) else {
            return;
        };
        let args = event.get("args").unwrap_or(&Value::Null);
        let printed = |keys: [&str; 2]| {
            keys.iter().find_map(|k| args.get(*k)).map_or(String::new(), Value::to_string)
        };
        let mut signature = None;
        let dims = printed(["Input Dims", "Input dims"]);
        if dims.is_empty() {
            self.shapeless += 1;
        } else {
            let types = printed(["Input type", "Input types"]);
            let strides = printed(["Input Strides", "Input strides"]);
            let numbers = match experts::is_named(name) {
                true => printed(["Concrete Inputs", "Concrete inputs"]),
                false => String::new(),
            };
            let all = [name.to_owned(), dims, types, strides, numbers];
            if let Some(&known) = self.signature_codes.get(&all) {
                signature = Some(known);
            } else if is_gemm(&all) {
                let code = self.signatures.len() as u32;
                self.signatures.push(all.clone());
                self.signature_codes.insert(all, code);
                signature = Some(code);
            }
        }
        let start = micros(event, "ts");
        let length = micros(event, "dur");
        let call = Call {
            external_id: external_id(args),
            name: self.names.code(name.as_bytes()),
            signature,
            thread: self.thread(event),
            span: (start, start + if length.is_finite() { length } else { 0.0 }),
            line,
        };
        self.calls.push(call);
    }

    fn launch(&mut self, event: &Value) {
        let args = event.get("args").unwrap_or(&Value::Null);
        let name = json::text(event, "name");
        let kernel = args.get("kernel").and_then(Value::as_str);
        let launch = Launch {
            kernel: kernel.map(|name| self.names.code(name.as_bytes())),
            external_id: external_id(args),
            correlation: args.get("correlation").map(whole).unwrap_or_default(),
            thread: self.thread(event),
            start: micros(event, "ts"),
            graph: name.contains("GraphLaunch"),
        };
        self.launches.push(launch);
    }

    fn thread(&mut self, event: &Value) -> u32 {
        let id =
            |key: &str| event.get(key).map_or(0, |v| v.as_i64().unwrap_or_else(|| text_hash(v)));
        let next = self.threads.len() as u32;
        *self.threads.entry((id("pid"), id("tid"))).or_insert(next)
    }
}

/// Hash of a textual thread id, which some traces use.
fn text_hash(value: &Value) -> i64 {
    value
        .as_str()
        .unwrap_or("")
        .bytes()
        .fold(7, |h: i64, b| h.wrapping_mul(31).wrapping_add(i64::from(b)))
}

fn external_id(args: &Value) -> u64 {
    ["External id", "external id"].iter().find_map(|k| args.get(*k)).map(whole).unwrap_or_default()
}

/// An integer, also if written as text; 0 for anything else.
fn whole(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.parse().unwrap_or(0),
        other => other.as_u64().unwrap_or(0),
    }
}

/// Microseconds, also if written as text; NaN if missing.
fn micros(event: &Value, key: &str) -> f64 {
    number(event, key).unwrap_or(f64::NAN)
}

/// The string value of a key: `"cat": "kernel"`. Does not distinguish keys of nested objects,
/// which do not use these names.
fn string_after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find(text, key)? + key.len();
    let rest = text[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}
