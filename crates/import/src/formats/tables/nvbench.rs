//! NVBench, CSV and JSON: one row a benchmark, device and set of axis values. Sizes are axes
//! named M, N, K; times are in seconds, noise is a share of the mean.

use crate::cell;
use crate::columns::defaults::AssumedType;
use crate::split::json::{Item, ItemReader};
use crate::split::json_or_csv;
use crate::split::json_or_csv::Either;
use crate::split::log;
use crate::{
    Col, Detection, Format, Head, Header, ImportError, ImportOptions, Opened, ReadBy, Record,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use serde_json::Value;

pub(crate) const FORMAT: Format = Format {
    id: "nvbench",
    name: "NVBench (CSV or JSON)",
    produced_by: "./bench --csv gemm.csv or ./bench --json gemm.json (NVBench)",
    example: "Benchmark,Device,Device Name,T,M,N,K,Skipped,Samples,CPU Time (sec),Noise,GPU Time (sec),Noise,GlobalMem BW (bytes/sec)\n\
              gemm,0,NVIDIA H100 80GB HBM3,F16,4096,4096,4096,No,640,2.1e-4,0.02,2.0e-4,0.01,5.0e11\n",
    read: ReadBy::Code { detect, open },
};

fn detect(head: &Head) -> Option<Detection> {
    if json_or_csv::is_json(head) {
        let text = head.lines.join("\n");
        let has = |k: &str| text.contains(&format!("\"{k}\""));
        return (text.contains("nvbench") && has("devices") || has("axes") && has("states"))
            .then(|| Detection::new(97, "JSON with devices, benchmarks and their states"));
    }
    head.line_with(&["Benchmark", "Device Name", "Samples", "Skipped"])?;
    Some(Detection::new(97, "the header has Benchmark, Device Name, Skipped, Samples"))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let states =
        States { dtype: AssumedType::new(head, options, DataType::Fp16), devices: Vec::new() };
    Ok(json_or_csv::open(head, states, TableBuilder::new()))
}

#[derive(Debug)]
struct States {
    dtype: AssumedType,
    /// Names by their number in the file.
    devices: Vec<(i64, String)>,
}

/// One state, wherever it comes from.
#[derive(Debug, Default)]
struct State {
    name: String,
    device: String,
    axes: Vec<(String, String)>,
    skipped: Option<String>,
    time_s: Option<f64>,
    noise: f64,
    bandwidth: f64,
    samples: f64,
}

impl States {
    fn push(&mut self, line: u32, raw: &[u8], s: &State, t: &mut TableBuilder) {
        let row = self.row(s, t);
        t.stage_text(ColumnMeaning::OpName, "Benchmark", s.name.as_bytes());
        let other: Vec<String> = s
            .axes
            .iter()
            .filter(|(k, _)| size_axis(k).is_none() && dtype_axis(k, "").is_none())
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        t.stage_text(ColumnMeaning::Kernel, "axes", other.join(" ").as_bytes());
        let time_s = row.as_ref().map_or(f64::NAN, |row| row.time_s);
        t.stage_number(ColumnMeaning::TimeStd, "noise", s.noise * time_s);
        t.stage_number(ColumnMeaning::ReportedBandwidth, "GlobalMem BW", s.bandwidth);
        t.stage_extra("Samples", "", s.samples);
        t.commit(line, raw, row);
    }

    fn row(&mut self, s: &State, table: &mut TableBuilder) -> Result<Row, RowError> {
        if let Some(why) = &s.skipped {
            return Err(RowError::new(format!("skipped: {why}")));
        }
        let mut sizes = [None; 4];
        for (key, value) in &s.axes {
            if let Some(i) = size_axis(key) {
                let what = ["M", "N", "K", "batch"][i];
                let v = cell::size(value.as_bytes())
                    .map_err(|f| RowError::new(format!("{what} {f} ({key})")))?;
                sizes[i] = Some(v);
            }
        }
        let [Some(m), Some(n), Some(k), batch] = sizes else {
            return Err(RowError::new("not a GEMM: no axes M, N, K"));
        };
        let time_s = log::time(s.time_s, 1.0)?;
        let said = s.axes.iter().find_map(|(k, v)| dtype_axis(k, v).flatten());
        let dtype = self.dtype.of(said, table);
        let mut row = Row::new(m, n, k, Operation::uniform(dtype), time_s);
        row.batch = batch.unwrap_or(1);
        row.device = table.device(&s.device);
        Ok(row)
    }
}

fn size_axis(name: &str) -> Option<usize> {
    match name.trim().to_ascii_lowercase().as_str() {
        "m" => Some(0),
        "n" => Some(1),
        "k" => Some(2),
        "b" | "batch" | "batchsize" | "batch_size" | "batchcount" => Some(3),
        _ => None,
    }
}

/// A type axis and the type in it, where the axis is one.
fn dtype_axis(name: &str, value: &str) -> Option<Option<DataType>> {
    let name = name.trim().trim_end_matches("{ct}").to_ascii_lowercase();
    matches!(
        name.as_str(),
        "t" | "dtype" | "type" | "datatype" | "precision" | "in" | "tin" | "input"
    )
    .then(|| DataType::parse(value))
}

impl ItemReader for States {
    const ARRAYS: &'static [&'static str] = &["devices", "benchmarks"];

    fn item(&mut self, item: Item<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(v) = item.text.and_then(|t| serde_json::from_slice::<Value>(t).ok()) else {
            if item.element {
                let raw = item.text.unwrap_or_default();
                table.reject(item.line, raw, &RowError::new("not a JSON object"));
            }
            return Ok(());
        };
        let text = |v: &Value, k: &str| v.get(k).and_then(Value::as_str).unwrap_or("").to_owned();
        if item.key == "devices" && item.element {
            let id = v.get("id").and_then(Value::as_i64).unwrap_or(0);
            self.devices.push((id, text(&v, "name")));
        }
        if item.key != "benchmarks" || !item.element {
            return Ok(());
        }
        let name = text(&v, "name");
        for state in v.get("states").and_then(Value::as_array).into_iter().flatten() {
            let id = state.get("device").and_then(Value::as_i64).unwrap_or(0);
            let mut s = State {
                name: name.clone(),
                device: self
                    .devices
                    .iter()
                    .find(|d| d.0 == id)
                    .map(|d| d.1.clone())
                    .unwrap_or_default(),
                noise: f64::NAN,
                bandwidth: f64::NAN,
                samples: f64::NAN,
                ..State::default()
            };
            for axis in state.get("axis_values").and_then(Value::as_array).into_iter().flatten() {
                let value = match axis.get("value") {
                    Some(Value::String(t)) => t.clone(),
                    Some(other) => other.to_string(),
                    None => text(axis, "input_string"),
                };
                s.axes.push((text(axis, "name"), value));
            }
            if state.get("is_skipped").and_then(Value::as_bool) == Some(true) {
                s.skipped = Some(text(state, "skip_reason"));
            }
            for summary in state.get("summaries").and_then(Value::as_array).into_iter().flatten() {
                let value = summary
                    .get("data")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .find(|d| d.get("name").and_then(Value::as_str) == Some("value"))
                    .and_then(|d| match d.get("value")? {
                        Value::String(t) => t.parse().ok(),
                        other => other.as_f64(),
                    });
                match text(summary, "tag").as_str() {
                    "nv/cold/time/gpu/mean" => s.time_s = value,
                    "nv/cold/time/gpu/stdev/relative" => s.noise = value.unwrap_or(f64::NAN),
                    "nv/cold/bw/global/bytes_per_second" => s.bandwidth = value.unwrap_or(f64::NAN),
                    "nv/cold/sample_size" => s.samples = value.unwrap_or(f64::NAN),
                    _ => {}
                }
            }
            self.push(item.line, name.as_bytes(), &s, table);
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Cols {
    name: Option<Col>,
    device: Option<Col>,
    skipped: Option<Col>,
    samples: Option<Col>,
    time: Option<Col>,
    noise: Option<usize>,
    bandwidth: Option<Col>,
    axes: Vec<(usize, String)>,
}

impl Cols {
    fn new(h: &Header) -> Self {
        let skipped = h.find(&["Skipped"]);
        // The time with caches cleared before each run, else the one of back-to-back runs.
        let time = h.find(&["GPU Time (sec)", "Batch GPU (sec)", "GPU Time"]);
        let end = skipped.as_ref().map_or(h.names.len(), |c| c.index);
        let axes = h.names[..end]
            .iter()
            .enumerate()
            .filter(|(_, n)| {
                !matches!(n.trim(), "Benchmark" | "Device" | "Device Name") && !n.contains("(pow2)")
            })
            .map(|(i, n)| (i, n.trim().to_owned()))
            .collect();
        Cols {
            name: h.find(&["Benchmark"]),
            device: h.find(&["Device Name"]),
            samples: h.find(&["Samples"]),
            noise: time
                .as_ref()
                .map(|c| c.index + 1)
                .filter(|i| h.names.get(*i).is_some_and(|n| n.trim() == "Noise")),
            bandwidth: h.find(&["GlobalMem BW (bytes/sec)"]),
            time,
            skipped,
            axes,
        }
    }
}

impl Either for States {
    type Cols = Cols;

    // A benchmark with other axes has its own header.
    fn cols(header: &Header) -> Option<Cols> {
        header.has(&["Benchmark", "Samples"]).then(|| Cols::new(header))
    }

    fn record(&mut self, cols: &Cols, record: &Record<'_>, table: &mut TableBuilder) {
        let text = |c: &Option<Col>| {
            c.as_ref().map_or(String::new(), |c| record.text(c.index).into_owned())
        };
        let number =
            |c: &Option<Col>| c.as_ref().and_then(|c| record.number(c.index)).unwrap_or(f64::NAN);
        let noise = cols.noise.map(|i| {
            record
                .text(i)
                .trim_end_matches('%')
                .trim()
                .parse::<f64>()
                .map(|v| if record.text(i).ends_with('%') { v / 100.0 } else { v })
        });
        let state = State {
            name: text(&cols.name),
            device: text(&cols.device),
            axes: cols
                .axes
                .iter()
                .map(|(i, n)| (n.clone(), record.text(*i).into_owned()))
                .collect(),
            skipped: Some(text(&cols.skipped))
                .filter(|s| !s.is_empty() && !s.eq_ignore_ascii_case("no")),
            time_s: cols.time.as_ref().and_then(|c| record.number(c.index)),
            noise: noise.and_then(Result::ok).unwrap_or(f64::NAN),
            bandwidth: number(&cols.bandwidth),
            samples: number(&cols.samples),
        };
        self.push(record.line(), record.raw(), &state, table);
    }
}
