//! JSON results, one object each: FlashInfer-Bench (and SOL-ExecBench), ByteDance's xpu-perf, AutoTVM tuning records,
//! and nodes of an ONNX Runtime profile.

use super::*;
use crate::cell::operands::{product, swapped};
use serde_json::Value;

pub(crate) const FLASHINFER: Format = Format {
    id: "flashinfer-bench",
    name: "FlashInfer-Bench / SOL-ExecBench trace",
    produced_by: "flashinfer-bench run --local ./traces (FlashInfer-Bench)",
    example: "{\"definition\": \"gemm_n4096_k4096\", \"solution\": \"mine\", \"workload\": {\"axes\": {\"M\": 256}}, \"evaluation\": {\"status\": \"PASSED\", \"environment\": {\"hardware\": \"NVIDIA H100\"}, \"performance\": {\"latency_ms\": 0.031, \"reference_latency_ms\": 0.045}}}\n",
    read: ReadBy::Log(&LogFormat {
        keys: &["definition", "workload", "axes"],
        others: Others::Operations("object"),
        parser: |_, _, _| Box::new(Objects(flashinfer)),
        ..LogFormat::DEFAULT
    }),
};

pub(crate) const XPU_PERF: Format = Format {
    id: "xpu-perf",
    name: "xpu-perf (ByteDance)",
    produced_by: "python launch.py --backend GPU --task gemm (xpu-perf)",
    example: "{\"sku_name\": \"NVIDIA H100\", \"op_name\": \"gemm\", \"arguments\": {\"dtype\": \"bfloat16\", \"M\": 4096, \"K\": 4096, \"N\": 4096}, \"targets\": {\"latency(us)\": 220.5}, \"kernels\": [\"nvjet_tst_128x256\"]}\n",
    read: ReadBy::Log(&LogFormat {
        keys: &["op_name", "arguments", "targets"],
        others: Others::Operations("object"),
        parser: |_, _, _| Box::new(Objects(xpu_perf)),
        ..LogFormat::DEFAULT
    }),
};

pub(crate) const AUTOTVM: Format = Format {
    id: "autotvm",
    name: "AutoTVM tuning records",
    produced_by: "autotvm.callback.log_to_file(\"tune.log\") (TVM)",
    example: "{\"input\": [\"cuda -keys=cuda,gpu\", \"batch_matmul.cuda\", [[\"TENSOR\", [1, 128, 20], \"float32\"], [\"TENSOR\", [1, 64, 20], \"float32\"]], {}], \"config\": {\"index\": 7}, \"result\": [[3.13e-06], 0, 1.2, 1600000000.0], \"version\": 0.2}\n",
    read: ReadBy::Log(&LogFormat {
        keys: &["input", "result", "TENSOR"],
        dtype: DataType::Fp32,
        others: Others::Operations("object"),
        parser: |_, _, _| Box::new(Objects(autotvm)),
        ..LogFormat::DEFAULT
    }),
};

pub(crate) const ONNX_RUNTIME: Format = Format {
    id: "onnxruntime",
    name: "ONNX Runtime profile",
    produced_by: "options.enable_profiling = True; … session.end_profiling() (onnxruntime)",
    example: "[\n\
              {\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :1543,\"ts\" :2103,\"ph\" : \"X\",\"name\" :\"/layer/MatMul_kernel_time\",\"args\" : {\"op_name\" : \"MatMul\",\"provider\" : \"CPUExecutionProvider\",\"input_type_shape\" : [{\"float\":[1,128,768]},{\"float\":[768,3072]}],\"output_type_shape\" : [{\"float\":[1,128,3072]}]}}\n\
              ]\n",
    read: ReadBy::Log(&LogFormat {
        keys: &["cat", "Node", "op_name"],
        dtype: DataType::Fp32,
        others: Others::Operations("object"),
        parser: |_, _, _| Box::new(Objects(onnx_node)),
        ..LogFormat::DEFAULT
    }),
};

/// Reads an object; `None` if it is not a GEMM.
type Read = fn(&Value, &mut LogRows<'_>) -> Option<Vec<Entry>>;

struct Objects(Read);

impl Parser for Objects {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        if !line.trim_start().starts_with('{') {
            return Vec::new();
        }
        let Ok(value) = crate::split::json::value(line.as_bytes()) else {
            return vec![Entry::new(Err(RowError::new("not a JSON object")))];
        };
        (self.0)(&value, rows).or_else(|| rows.other()).unwrap_or_default()
    }
}

fn text<'a>(v: &'a Value, pointer: &str) -> &'a str {
    v.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

fn number(v: &Value, pointer: &str) -> Option<f64> {
    let v = v.pointer(pointer)?;
    v.as_f64().or_else(|| v.as_str()?.trim().parse::<f64>().ok())
}

fn size(v: Option<f64>, what: &str) -> Result<u32, RowError> {
    log::size(v.ok_or_else(|| CellError::Missing.of(what))?, what)
}

/// A row from the stated sizes; without a batch it is one GEMM.
fn row_of(
    [m, n, k]: [Option<f64>; 3],
    batch: Option<f64>,
    op: Operation,
    time_s: f64,
) -> Result<Row, RowError> {
    let row = Row::new(size(m, "M")?, size(n, "N")?, size(k, "K")?, op, time_s);
    Ok(Row { batch: size(batch.or(Some(1.0)), "batch")?, ..row })
}

/// A size within the name of a definition: `gemm_n4096_k4096`.
fn in_name(name: &str, letter: char) -> Option<f64> {
    name.split('_').find_map(|part| part.strip_prefix(letter)?.parse::<f64>().ok())
}

fn flashinfer(v: &Value, rows: &mut LogRows<'_>) -> Option<Vec<Entry>> {
    let definition = text(v, "/definition");
    if !definition.contains("gemm") && !definition.contains("matmul") {
        return None;
    }
    let axis = |name: &str, letter: char| {
        let lower = name.to_ascii_lowercase();
        let axes = |n: &str| number(v, &format!("/workload/axes/{n}"));
        axes(name).or_else(|| axes(&lower)).or_else(|| in_name(definition, letter))
    };
    let performance = |name: &str| number(v, &format!("/evaluation/performance/{name}"));
    let status = text(v, "/evaluation/status");
    let stated = definition.split('_').find_map(DataType::parse);
    let mut row = |time: Option<f64>| {
        if !status.is_empty() && !status.eq_ignore_ascii_case("passed") {
            return Err(flaw("the run failed", status));
        }
        let time = match v.pointer("/evaluation").filter(|e| !e.is_null()) {
            Some(_) => log::time(time, 1e-3)?,
            None => f64::NAN,
        };
        // These definitions store the weights as N x K.
        let op = Operation::uniform(rows.dtype(stated)).with_layout(false, true);
        row_of([axis("M", 'm'), axis("N", 'n'), axis("K", 'k')], None, op, time)
    };
    let mut out = Vec::new();
    for (side, time) in [
        (text(v, "/solution"), performance("latency_ms")),
        ("reference", performance("reference_latency_ms")),
    ] {
        if side == "reference" && time.is_none() {
            continue;
        }
        let mut e = Entry::new(row(time));
        e.library = side.to_owned();
        e.op_name = definition.to_owned();
        e.device = text(v, "/evaluation/environment/hardware").to_owned();
        out.push(e);
    }
    Some(out)
}

fn xpu_perf(v: &Value, rows: &mut LogRows<'_>) -> Option<Vec<Entry>> {
    let name = text(v, "/op_name");
    if !name.contains("gemm") && !name.contains("matmul") {
        return None;
    }
    let argument =
        |names: &[&str]| names.iter().find_map(|n| number(v, &format!("/arguments/{n}")));
    let target = |name: &str| number(v, &format!("/targets/{name}"));
    let said = DataType::parse(text(v, "/arguments/dtype"));
    let row = (|| {
        let time = log::time(target("latency(us)"), 1e-6)?;
        let op = Operation::uniform(rows.dtype(said));
        let sizes = [&["M", "m"], &["N", "n"], &["K", "k"]].map(|names| argument(names));
        row_of(sizes, argument(&["batch_size", "batch", "G"]), op, time)
    })();
    let mut e = Entry::new(row);
    e.op_name = name.to_owned();
    e.device = text(v, "/sku_name").to_owned();
    e.rate = target("calc_flops_power(tflops)").map_or(f64::NAN, |t| t * 1e12);
    e.kernel = match v.pointer("/kernels") {
        Some(Value::Array(all)) => all.first().and_then(Value::as_str).unwrap_or("").to_owned(),
        Some(Value::Object(all)) => all.keys().next().cloned().unwrap_or_default(),
        Some(Value::String(one)) => one.clone(),
        _ => String::new(),
    };
    Some(vec![e])
}

/// `batch_matmul` is B x M x K by B x N x K; `dense` is M x K by N x K.
fn autotvm(v: &Value, rows: &mut LogRows<'_>) -> Option<Vec<Entry>> {
    let task = text(v, "/input/1");
    if !task.starts_with("batch_matmul")
        && !task.starts_with("dense")
        && !task.starts_with("matmul")
    {
        return None;
    }
    let tensors: Vec<(Vec<u32>, &str)> = v
        .pointer("/input/2")?
        .as_array()?
        .iter()
        .filter(|t| text(t, "/0") == "TENSOR")
        .map(|t| {
            let sizes = t.pointer("/1").and_then(Value::as_array);
            let size = |v: &Value| v.as_u64().and_then(|v| u32::try_from(v).ok());
            (sizes.into_iter().flatten().filter_map(size).collect(), text(t, "/2"))
        })
        .collect();
    let row = (|| {
        let [(a, kind), (b, _), ..] = &tensors[..] else {
            return Err(RowError::new("not two tensors"));
        };
        let shape = product(a, &swapped(b));
        let shape = shape.ok_or_else(|| RowError::new(UNFIT))?;
        if v.pointer("/result/1").and_then(Value::as_f64) != Some(0.0) {
            return Err(RowError::new("the run failed"));
        }
        let times: Vec<f64> = v
            .pointer("/result/0")
            .and_then(Value::as_array)
            .map(|t| t.iter().filter_map(Value::as_f64).collect())
            .unwrap_or_default();
        let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
        let op = Operation::uniform(rows.dtype(DataType::parse(kind))).with_layout(false, true);
        Ok(shape.row(op, log::time(Some(mean), 1.0)?))
    })();
    let mut e = Entry::new(row);
    e.op_name = task.to_owned();
    e.library = "TVM".to_owned();
    e.kernel = v.pointer("/config/index").map_or(String::new(), |i| format!("config {i}"));
    Some(vec![e])
}

/// Parses `{"float16": [1, 128, 768]}` as type and dimensions.
fn tensor(v: &Value, pointer: &str) -> Option<(Option<DataType>, Vec<f64>)> {
    let (kind, sizes) = v.pointer(pointer)?.as_object()?.iter().next()?;
    let sizes = sizes.as_array()?.iter().filter_map(Value::as_f64).collect();
    Some((DataType::parse(kind), sizes))
}

/// Reads a node. The profile lacks its attributes, so the output shape tells which dimension of A and B is K.
fn onnx_node(v: &Value, rows: &mut LogRows<'_>) -> Option<Vec<Entry>> {
    let name = text(v, "/args/op_name");
    let node = text(v, "/name").strip_suffix("_kernel_time")?;
    if !["MatMul", "FusedMatMul", "Gemm", "FusedGemm", "MatMulInteger"].contains(&name) {
        return None;
    }
    let row = (|| {
        let shape = |pointer: &str| {
            tensor(v, pointer).ok_or_else(|| RowError::new("no shapes of inputs and output"))
        };
        let (a, b) = (shape("/args/input_type_shape/0")?, shape("/args/input_type_shape/1")?);
        let out = shape("/args/output_type_shape/0")?;
        let ([.., a_rows, a_last], [b_lead @ .., b_rows, b_last], [lead @ .., m, n]) =
            (&a.1[..], &b.1[..], &out.1[..])
        else {
            return Err(RowError::new(UNFIT));
        };
        let transposed = a_rows != m;
        let k = if transposed { a_rows } else { a_last };
        if [*b_rows, *b_last] != [*k, *n] && [*b_rows, *b_last] != [*n, *k] {
            return Err(RowError::new(UNFIT));
        }
        let a_type = rows.dtype(a.0);
        let c = out.0.unwrap_or_else(|| a_type.default_output());
        let op = Operation::mixed(a_type, b.0.unwrap_or(a_type), c);
        let op = op.with_layout(transposed, b_rows != k);
        // With shared weights, all rows form one GEMM.
        let calls: f64 = lead.iter().product();
        let (m, calls) = match b_lead.iter().product::<f64>() > 1.0 || transposed {
            true => (*m, calls),
            false => (m * calls, 1.0),
        };
        let time_s = log::time(number(v, "/dur"), 1e-6)?;
        row_of([m, *n, *k].map(Some), Some(calls), op, time_s)
    })();
    let mut e = Entry::new(row);
    e.op_name = name.to_owned();
    e.kernel = node.to_owned();
    e.library = text(v, "/args/provider").to_owned();
    e.figures.push((ColumnMeaning::Count, 1.0));
    Some(vec![e])
}
