//! PyTorch profiler (Kineto) traces, JSON or JSON.gz of any length: operations with input shapes
//! (`record_shapes=True`), joined to the kernels that they launched.
//!
//! A kernel belongs to the innermost operation that launched it, so that a wrapper and the operation it calls
//! are counted once. Calls of one operation with the same shape and main kernel form one row. Kernels of a
//! graph belong to the launches recorded by its capture, in this trace or in another. Grid sizes are in threads
//! on ROCm, in blocks on CUDA.

mod attention;
mod capture;
mod events;
mod join;
mod left_out;
mod products;
mod rows;
mod timeline;

use super::tracelens::{FoundExperts, from_operands};
use crate::cell::py::Py;
use crate::columns::defaults;
use crate::split::json::{self, JsonItem};
use crate::{
    Claim, Format, Head, ImportError, ImportOptions, Imported, ItemReader, Opened, Pieces, ReadBy,
};
use events::{Events, Signature};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::Capture;
use serde_json::Value;

pub(crate) const FORMAT: Format = Format {
    id: "kineto",
    name: "PyTorch profiler trace (Kineto JSON)",
    produced_by: "with torch.profiler.profile(record_shapes=True) as p: step() … p.export_chrome_trace(\"trace.json.gz\")",
    example: "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", \"numSms\": 132}],\n\
              \"traceEvents\": [\n\
              {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 9, \"args\": {\"External id\": 5, \"Input Dims\": [[4096, 1024], [1024, 2048]], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"]}},\n\
              {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_tst_128x256_64x4_2x1_v_bz_TNT\", \"ts\": 20, \"dur\": 31.5, \"args\": {\"External id\": 5, \"device\": 0, \"grid\": [132, 1, 1], \"block\": [384, 1, 1]}}\n\
              ]}\n",
    read: ReadBy::Code { claim, open },
};

fn claim(head: &Head) -> Option<Claim> {
    let has = |keys: &[&str]| head.has_keys(keys);
    let object = head.first().starts_with('{')
        && (has(&["traceEvents"]) || has(&["schemaVersion", "deviceProperties"]));
    let bare = head.first().starts_with('[') && has(&["ph", "cat", "ts"]);
    if object || bare {
        return Some(Claim::signature(3));
    }
    // Other members, longer than the head, may come before the events.
    (head.first().starts_with('{') && !head.complete).then(|| Claim::Guess(String::new()))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    defaults::chosen_device(&mut table, options);
    let trace = Trace {
        captures: options.captures.clone(),
        file: head.name.clone(),
        events: Events::default(),
        devices: Vec::new(),
        members: Vec::new(),
        has_events: matches!(claim(head), Some(Claim::Signature(..))),
    };
    Ok(Pieces::json(trace, table))
}

#[derive(Debug)]
struct Trace {
    /// Graph captures from other files.
    captures: Vec<Capture>,
    file: String,
    events: Events,
    /// Index and name of the devices described by the trace.
    devices: Vec<(i64, String)>,
    /// Names of other members, for the error about a file that is not a trace.
    members: Vec<String>,
    /// The file has trace events.
    has_events: bool,
}

fn is_gemm(signature: &Signature) -> bool {
    let [name, dims, types, strides, _] = signature;
    let bare = name.rsplit("::").next().unwrap_or(name).to_ascii_lowercase();
    ["mm", "gemm", "linear", "matmul"].iter().any(|w| bare.contains(w))
        && from_operands(name, &Py::parse(dims), &Py::parse(types), &Py::parse(strides)).is_some()
        || experts_of(signature).is_some()
}

/// The expert GEMMs of an operation, if it is one of experts.
fn experts_of([name, dims, types, _, numbers]: &Signature) -> Option<FoundExperts> {
    FoundExperts::of(name, &Py::parse(dims), &Py::parse(types), &Py::parse(numbers))
}

impl ItemReader for Trace {
    const ARRAYS: &'static [&'static str] = &["traceEvents", "deviceProperties"];

    fn item(&mut self, item: JsonItem<'_>, _: &mut TableBuilder) -> Result<(), ImportError> {
        self.has_events |= item.element && item.key != "deviceProperties";
        let Some(text) = item.text else {
            self.events.damaged += u64::from(item.element);
            return Ok(());
        };
        if !item.element {
            if self.members.len() < 20 {
                self.members.push(item.key.to_owned());
            }
            let on = matches!(text.trim_ascii(), b"1" | b"true");
            if on && ["with_stack", "profile_memory"].contains(&item.key) {
                self.events.record(item.key);
            }
        } else if item.key == "deviceProperties" {
            self.device(text);
        } else {
            self.events.take(item.line, text, is_gemm);
        }
        Ok(())
    }

    fn end(self, table: TableBuilder, complete: bool) -> Result<Imported, ImportError> {
        rows::finish(self, table, complete)
    }
}

impl Trace {
    fn device(&mut self, text: &[u8]) {
        let Ok(v) = json::value(text) else {
            return;
        };
        let number = |k: &str| v.get(k).and_then(Value::as_u64);
        let name = json::text(&v, "name");
        // HIP reports capabilities like CUDA: 9.4 is gfx94x, not sm_94.
        let amd = number("warpSize") == Some(64);
        let units = number("numSms").map_or(String::new(), |units| format!(":{units}"));
        let name = match (name, number("computeMajor"), number("computeMinor"), amd) {
            // Some drivers omit the name.
            ("", Some(major), Some(minor), false) => format!("sm_{major}{minor}{units}"),
            ("", Some(9), Some(4), true) => format!("gfx942{units}"),
            (name, ..) => name.to_owned(),
        };
        let id = v.get("id").and_then(Value::as_i64).unwrap_or(0);
        self.devices.push((id, name));
    }
}

#[cfg(test)]
mod tests;
