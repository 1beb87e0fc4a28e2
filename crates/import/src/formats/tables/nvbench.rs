//! NVBench, CSV and JSON: one row per benchmark, device and set of axis values. Sizes are axes named M, N, K; times are
//! in seconds, noise is a fraction of the mean.

use crate::cell;
use crate::cell::NO_SIZES;
use crate::cell::shape_text::Shape;
use crate::columns::defaults::{self, AssumedType};
use crate::columns::row::percent;
use crate::columns::words;
use crate::split::json::{self, JsonItem, items, text};
use crate::split::json_or_csv;
use crate::split::json_or_csv::Either;
use crate::split::log;
use crate::{
    Claim, Format, Head, Header, ImportError, ImportOptions, ItemReader, Opened, ReadBy, Record,
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
    read: ReadBy::Code { claim, open },
};

fn claim(head: &Head) -> Option<Claim> {
    if json_or_csv::is_json(head) {
        let named = head.keyed(&["devices"]).filter(|_| head.any(|l| l.contains("nvbench")));
        return head.keyed(&["axes", "states"]).or(named);
    }
    head.headed(&["Benchmark", "Device Name", "Samples", "Skipped"])
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let states =
        States { dtype: AssumedType::new(head, options, DataType::Fp16), devices: Vec::new() };
    let mut table = TableBuilder::new();
    defaults::chosen_device(&mut table, options);
    Ok(json_or_csv::open(head, states, table))
}

#[derive(Debug)]
struct States {
    dtype: AssumedType,
    /// Device names by id in the file.
    devices: Vec<(i64, String)>,
}

/// One state, from CSV or JSON.
#[derive(Debug, Default)]
struct State {
    name: String,
    device: String,
    axes: Vec<(String, String)>,
    skipped: Option<String>,
    time_s: Option<f64>,
    noise: Option<f64>,
    bandwidth: Option<f64>,
    samples: Option<f64>,
}

impl States {
    fn push(&mut self, line: u32, raw: &[u8], s: &State, t: &mut TableBuilder) {
        let row = self.row(s, t);
        t.stage_text(ColumnMeaning::OpName, "Benchmark", s.name.as_bytes());
        let other: Vec<String> = s
            .axes
            .iter()
            .filter(|(k, _)| words::size(k).is_none() && dtype_axis(k, "").is_none())
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        t.stage_text(ColumnMeaning::Kernel, "axes", other.join(" ").as_bytes());
        let time_s = row.as_ref().map_or(f64::NAN, |row| row.time_s);
        t.stage_number(ColumnMeaning::TimeStd, "noise", s.noise.unwrap_or(f64::NAN) * time_s);
        t.stage_number(
            ColumnMeaning::ReportedBandwidth,
            "GlobalMem BW",
            s.bandwidth.unwrap_or(f64::NAN),
        );
        t.stage_extra("Samples", "", s.samples.unwrap_or(f64::NAN));
        t.commit(line, raw, row);
    }

    fn row(&mut self, s: &State, table: &mut TableBuilder) -> Result<Row, RowError> {
        if let Some(why) = &s.skipped {
            return Err(RowError::new(format!("skipped: {why}")));
        }
        let mut sizes = [None; 4];
        for (key, value) in &s.axes {
            if let Some(i) = words::size(key) {
                let what = ["M", "N", "K", "batch"][i];
                let v =
                    cell::size(value.as_bytes()).map_err(|f| RowError::new(f.said(what, key)))?;
                sizes[i] = Some(v);
            }
        }
        let [Some(m), Some(n), Some(k), batch] = sizes else {
            return Err(RowError::new(NO_SIZES));
        };
        let time_s = log::time(s.time_s, 1.0)?;
        let said = s.axes.iter().find_map(|(k, v)| dtype_axis(k, v).flatten());
        let dtype = self.dtype.of(said, table);
        let row = Shape::new([m, n, k], batch).row(Operation::uniform(dtype), time_s);
        Ok(Row { device: table.device(&s.device), ..row })
    }
}

/// `Some` if the axis is one of types, with the type if it is known.
fn dtype_axis(name: &str, value: &str) -> Option<Option<DataType>> {
    let name = name.trim().trim_end_matches("{ct}").to_ascii_lowercase();
    let typed = matches!(words::name(&name), Some((ColumnMeaning::Dtype, _)));
    (typed || ["t", "in", "tin", "input"].contains(&&*name)).then(|| DataType::parse(value))
}

impl ItemReader for States {
    const ARRAYS: &'static [&'static str] = &["devices", "benchmarks"];

    fn item(&mut self, item: JsonItem<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(v) = item.text.and_then(|t| json::value(t).ok()) else {
            if item.element {
                let raw = item.text.unwrap_or_default();
                table.reject(item.line, raw, &RowError::new("not a JSON object"));
            }
            return Ok(());
        };
        if item.key == "devices" && item.element {
            let id = v.get("id").and_then(Value::as_i64).unwrap_or(0);
            self.devices.push((id, text(&v, "name").to_owned()));
        }
        if item.key != "benchmarks" || !item.element {
            return Ok(());
        }
        let name = text(&v, "name").to_owned();
        for state in items(&v, "states") {
            let id = state.get("device").and_then(Value::as_i64).unwrap_or(0);
            let device = self.devices.iter().find(|d| d.0 == id).map(|d| d.1.clone());
            let device = device.unwrap_or_default();
            let mut s = State { name: name.clone(), device, ..State::default() };
            for axis in items(state, "axis_values") {
                let value = match axis.get("value") {
                    Some(Value::String(t)) => t.clone(),
                    Some(other) => other.to_string(),
                    None => text(axis, "input_string").to_owned(),
                };
                s.axes.push((text(axis, "name").to_owned(), value));
            }
            if state.get("is_skipped").and_then(Value::as_bool) == Some(true) {
                s.skipped = Some(text(state, "skip_reason").to_owned());
            }
            for summary in items(state, "summaries") {
                let mut data = items(summary, "data").iter();
                let value = data.find(|d| text(d, "name") == "value");
                let value = value.and_then(|d| json::number(d, "value"));
                match text(summary, "tag") {
                    "nv/cold/time/gpu/mean" => s.time_s = value,
                    "nv/cold/time/gpu/stdev/relative" => s.noise = value,
                    "nv/cold/bw/global/bytes_per_second" => s.bandwidth = value,
                    "nv/cold/sample_size" => s.samples = value,
                    _ => {}
                }
            }
            self.push(item.line, name.as_bytes(), &s, table);
        }
        Ok(())
    }
}

/// Time with caches cleared before each run, else that of back-to-back runs.
const TIME: [&str; 3] = ["GPU Time (sec)", "Batch GPU (sec)", "GPU Time"];

/// A header with the columns of axes and noise.
#[derive(Debug)]
struct Cols {
    header: Header,
    axes: Vec<usize>,
    noise: Option<usize>,
}

impl Either for States {
    type Cols = Cols;

    // A benchmark with other axes has a header of its own.
    fn cols(header: &Header) -> Option<Cols> {
        let (h, names) = (header, &header.names);
        let is_axis = |i: &usize| {
            let name = names[*i].trim();
            !matches!(name, "Benchmark" | "Device" | "Device Name") && !name.contains("(pow2)")
        };
        let axes = (0..h.position("Skipped").unwrap_or(names.len())).filter(is_axis).collect();
        let behind = h.find(&TIME).map(|c| c.index + 1);
        let noise = behind.filter(|i| names.get(*i).is_some_and(|n| n.trim() == "Noise"));
        h.has(&["Benchmark", "Samples"]).then(|| Cols { header: h.clone(), axes, noise })
    }

    fn record(&mut self, cols: &Cols, record: &Record<'_>, table: &mut TableBuilder) {
        let Cols { header, axes, noise } = cols;
        let text = |name: &str| header.text(record, &[name]).into_owned();
        let axis = |i: &usize| (header.names[*i].trim().to_owned(), record.text(*i).into_owned());
        let share = |i: usize| record.number(i).or_else(|| Some(percent(record.get(i))? / 100.0));
        let state = State {
            name: text("Benchmark"),
            device: text("Device Name"),
            axes: axes.iter().map(axis).collect(),
            skipped: Some(text("Skipped"))
                .filter(|s| !s.is_empty() && !s.eq_ignore_ascii_case("no")),
            time_s: header.number(record, &TIME),
            noise: noise.and_then(share),
            bandwidth: header.number(record, &["GlobalMem BW (bytes/sec)"]),
            samples: header.number(record, &["Samples"]),
        };
        self.push(record.line(), record.raw(), &state, table);
    }
}
