//! Google Benchmark: JSON, CSV and console output. The shape is in the name: `BM_Gemm/1024/1024/512`,
//! `BM_Gemm/m:1024/n:1024/k:512/real_time`, `BM_Sgemm<float>/256`.
//!
//! Repetitions add lines for mean, median and deviation. If the runs themselves are listed, these are skipped; if there
//! are only aggregates, the median is used.

use crate::cell;
use crate::cell::CellError;
use crate::cell::shape_text::{self, Shape};
use crate::columns::defaults::{self, AssumedType};
use crate::columns::words;
use crate::document::title::meaning;
use crate::split::json::{self, JsonItem, note_cut};
use crate::split::json_or_csv::{self, Either};
use crate::{
    Claim, Format, Head, Header, ImportError, ImportOptions, Imported, ItemReader, Opened, Pieces,
    ReadBy, Record,
};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::gemm::Operation;
use gemmscope_model::units::{RateUnit, TimeUnit, plural};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use serde_json::Value;
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format {
    id: "google-benchmark",
    name: "Google Benchmark (JSON or CSV)",
    produced_by: "./bench --benchmark_filter=Gemm --benchmark_out=gemm.json --benchmark_out_format=json",
    example: "{\"context\": {\"num_cpus\": 8}, \"benchmarks\": [\n\
              {\"name\": \"BM_Sgemm/1024/1024/512\", \"run_type\": \"iteration\", \"iterations\": 90, \"real_time\": 7.5, \"cpu_time\": 7.4, \"time_unit\": \"ms\"}]}\n",
    read: ReadBy::Code { claim, open },
};

/// Column titles of the console output.
const PRINTED: [&str; 4] = ["Benchmark", "Time", "CPU", "Iterations"];

const COLUMNS: [&str; 4] = ["name", "iterations", "real_time", "time_unit"];

fn claim(head: &Head) -> Option<Claim> {
    if json_or_csv::is_json(head) {
        let keyed = |keys: &[&str]| head.keyed(keys);
        return keyed(&["context", "benchmarks", "real_time"])
            .or_else(|| keyed(&["benchmarks", "time_unit"]));
    }
    if is_printed(head) {
        return Some(Claim::signature(PRINTED.len()));
    }
    head.headed(&COLUMNS)
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let device = defaults::device(&mut table, head, options);
    let runs =
        Runs { device, dtype: AssumedType::new(head, options, DataType::Fp32), found: Vec::new() };
    Ok(match is_printed(head) {
        true => Pieces::lines(runs, table),
        false => json_or_csv::open(head, runs, table),
    })
}

/// True if the head has the titles of the console output.
fn is_printed(head: &Head) -> bool {
    head.lines.iter().any(|l| l.split_whitespace().take(4).eq(PRINTED))
}

/// One run or aggregate.
#[derive(Debug)]
struct Run {
    line: u32,
    raw: Vec<u8>,
    /// Name without the aggregate's suffix.
    name: String,
    /// `median`, `mean`, …; "" for a run.
    aggregate: String,
    time: Result<f64, RowError>,
    cpu_s: f64,
    rate: f64,
    repeat: f64,
    error: Option<String>,
}

#[derive(Debug)]
struct Runs {
    device: u16,
    dtype: AssumedType,
    found: Vec<Run>,
}

const AGGREGATES: [&str; 6] = ["mean", "median", "stddev", "cv", "min", "max"];

fn split_aggregate(name: &str) -> (&str, &str) {
    match name.rsplit_once('_') {
        Some((base, last)) if AGGREGATES.contains(&last) => (base, last),
        _ => (name, ""),
    }
}

fn seconds(value: Option<f64>, unit: &str) -> Result<f64, RowError> {
    let unit = if unit.is_empty() { Some(TimeUnit::Nanoseconds) } else { TimeUnit::parse(unit) };
    let Some(unit) = unit else {
        return Err(CellError::UnknownType.of("time_unit"));
    };
    crate::split::log::time(value, unit.to_si())
}

impl Run {
    /// Creates a run from a function that looks up its members.
    fn new(
        line: u32,
        raw: Vec<u8>,
        text: impl Fn(&str) -> String,
        number: impl Fn(&str) -> Option<f64>,
        rate: Option<f64>,
        failed: bool,
    ) -> Self {
        let (full, unit) = (text("name"), text("time_unit"));
        let (base, of_name) = split_aggregate(&full);
        let (base, of_name) = (base.to_owned(), of_name.to_owned());
        let (name, aggregate) = match (text("aggregate_name"), text("run_name")) {
            (stated, _) if stated.is_empty() => (base, of_name),
            (stated, run) if run.is_empty() => (base, stated),
            (stated, run) => (run, stated),
        };
        Run {
            line,
            raw,
            name,
            aggregate,
            time: seconds(number("real_time"), &unit),
            cpu_s: seconds(number("cpu_time"), &unit).unwrap_or(f64::NAN),
            rate: rate.unwrap_or(f64::NAN),
            repeat: number("repetition_index").unwrap_or(f64::NAN),
            error: failed.then(|| text("error_message")),
        }
    }
}

impl Runs {
    fn imported(
        mut self,
        mut table: TableBuilder,
        complete: bool,
    ) -> Result<Imported, ImportError> {
        let t = &mut table;
        // Per name: whether runs and a median are listed, and the deviation.
        let mut listed: HashMap<String, (bool, bool, f64)> = HashMap::new();
        for run in &self.found {
            let of = listed.entry(run.name.clone()).or_insert((false, false, f64::NAN));
            match (run.aggregate.as_str(), &run.time) {
                ("", _) => of.0 = true,
                ("median", _) => of.1 = true,
                ("stddev", Ok(time_s)) if of.2.is_nan() => of.2 = *time_s,
                _ => {}
            }
        }
        let mut aggregates = 0;
        for run in std::mem::take(&mut self.found) {
            let (runs, median, deviation) = listed[&run.name];
            let point = match run.aggregate.as_str() {
                "" => true,
                "median" => !runs,
                "mean" => !runs && !median,
                _ => false,
            };
            if !point {
                aggregates += 1;
                continue;
            }
            let row = self.row(&run, t);
            let std = if run.aggregate.is_empty() { f64::NAN } else { deviation };
            t.stage_text(ColumnMeaning::OpName, "name", run.name.as_bytes());
            t.stage_number(ColumnMeaning::TimeStd, "standard deviation", std);
            t.stage_extra("cpu_time", "s", run.cpu_s);
            t.stage_number(ColumnMeaning::ReportedRate, "rate", run.rate);
            t.stage_number(ColumnMeaning::Repeat, "repetition", run.repeat);
            t.commit(run.line, &run.raw, row);
        }
        if aggregates > 0 {
            t.note(format!(
                "{} with a mean, median or deviation left out: their runs are in the file.",
                plural(aggregates, "line")
            ));
        }
        note_cut(t, complete);
        t.note("Time: real_time; items_per_second and counters are kept unchanged.");
        Ok(Imported::table(table.finish()))
    }

    fn row(&mut self, run: &Run, table: &mut TableBuilder) -> Result<Row, RowError> {
        if let Some(e) = &run.error {
            return Err(RowError::new(format!("the run failed: {e}")));
        }
        let Some((shape, dtype)) = shape(&run.name) else {
            return Err(RowError::new(
                "the name states no M, N, K of a GEMM, as BM_Gemm/1024/512/256 would",
            ));
        };
        let time_s = run.time.clone()?;
        let op = Operation::uniform(self.dtype.of(dtype, table));
        Ok(Row { device: self.device, ..shape.row(op, time_s) })
    }
}

/// Sizes and type from a benchmark's name.
fn shape(name: &str) -> Option<(Shape, Option<DataType>)> {
    let mut named = [None; 4];
    let mut bare = Vec::new();
    let mut parts = name.split('/');
    let function = parts.next()?;
    for part in parts {
        let (key, value) = part.split_once(':').unwrap_or(("", part));
        let Ok(v) = cell::size(value.trim().as_bytes()) else {
            continue;
        };
        match words::size(key) {
            Some(place) => named[place] = Some(v),
            None if key.is_empty() => bare.push(v),
            None if meaning(key) == ColumnMeaning::Mnk => {
                named[..3].fill(Some(v));
            }
            // `threads:4`, `repeats:3`, `iterations:10`
            None => {}
        }
    }
    let lower = function.to_ascii_lowercase();
    let gemm =
        ["gemm", "matmul", "mat_mul", "matrixmul", "_mm", "bmm"].iter().any(|w| lower.contains(w));
    let (sizes, batch) = match (named, bare.as_slice()) {
        ([Some(m), Some(n), Some(k), b], _) => ([m, n, k], b),
        (_, [m, n, k]) if gemm => ([*m, *n, *k], named[3]),
        (_, [b, m, n, k]) if gemm => ([*m, *n, *k], Some(*b)),
        (_, [s]) if gemm => ([*s; 3], named[3]),
        // `BM_matmul_1024x512x256_f16/process_time`
        (_, []) if gemm => {
            let found = shape_text::named(function)?;
            (found.sizes, found.batch)
        }
        _ => return None,
    };
    Some((Shape::new(sizes, batch), dtype_of(function)))
}

/// Data type in the name of a function: `BM_Gemm<float>`, `BM_Sgemm`, `gemm_bf16`.
fn dtype_of(function: &str) -> Option<DataType> {
    let words = function.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
    for word in words.clone().flat_map(|w| std::iter::once(w).chain(w.split('_'))) {
        if word.len() >= 3
            && let Some(t) = DataType::parse(word)
        {
            return Some(t);
        }
    }
    let lower = function.to_ascii_lowercase();
    let mut before = lower[..lower.find("gemm")?].chars().rev();
    let letter = before.next().and_then(from_blas_letter);
    letter.filter(|_| before.next().is_none_or(|c| !c.is_ascii_alphanumeric()))
}

/// Value in FLOP/s of a counter whose name is a unit of rate.
fn rate_counter(name: &str, value: f64) -> Option<f64> {
    // A rate counter is printed per second in base units.
    let unit = RateUnit::parse(name.trim().trim_matches('"'))?;
    (value > 0.0).then_some(value * unit.to_si())
}

impl ItemReader for Runs {
    const ARRAYS: &'static [&'static str] = &["benchmarks"];

    fn item(&mut self, item: JsonItem<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let text = item.text.unwrap_or_default();
        // A line of console output rather than a JSON element.
        if item.element && item.key.is_empty() && !text.starts_with(b"{") {
            self.found.extend(printed(item.line, &String::from_utf8_lossy(text)));
            return Ok(());
        }
        let value = item.text.and_then(|t| json::value(t).ok());
        if item.key == "context" {
            if let Some(Value::String(host)) = value.as_ref().and_then(|v| v.get("host_name")) {
                table.note(format!("Host: {host}."));
            }
            return Ok(());
        }
        if !item.element {
            return Ok(());
        }
        let raw = item.text.unwrap_or_default();
        let Some(v) = value else {
            table.reject(item.line, raw, &RowError::new("not a JSON object"));
            return Ok(());
        };
        let text = |k: &str| json::text(&v, k).to_owned();
        let number = |k: &str| json::number(&v, k);
        let mut members = v.as_object().into_iter().flatten();
        let rate = members.find_map(|(k, v)| rate_counter(k, v.as_f64()?));
        let failed = v.get("error_occurred").and_then(Value::as_bool) == Some(true);
        let raw = text("name").into_bytes();
        self.found.push(Run::new(item.line, raw, text, number, rate, failed));
        Ok(())
    }

    fn end(self, table: TableBuilder, complete: bool) -> Result<Imported, ImportError> {
        self.imported(table, complete)
    }
}

impl Either for Runs {
    type Cols = Header;

    fn cols(header: &Header) -> Option<Header> {
        header.has(&COLUMNS).then(|| header.clone())
    }

    fn record(&mut self, header: &Header, record: &Record<'_>, _: &mut TableBuilder) {
        let text = |name: &str| header.text(record, &[name]).into_owned();
        let number = |name: &str| header.number(record, &[name]);
        let mut columns = header.names.iter().enumerate();
        let rate = columns.find_map(|(i, n)| rate_counter(n, record.number(i)?));
        let failed = text("error_occurred").eq_ignore_ascii_case("true");
        let raw = record.raw().to_vec();
        let mut run = Run::new(record.line(), raw, text, number, rate, failed);
        if let Some(problem) = record.problem() {
            run.time = Err(RowError::new(problem));
        }
        self.found.push(run);
    }
}

/// Parses a line such as `BM_Gemm<float, 4>/256   0.115 ms   0.115 ms   6087 FLOPS=290.1G/s`.
fn printed(line: u32, text: &str) -> Option<Run> {
    let raw = || text.as_bytes().to_vec();
    if let Some((name, why)) = text.split_once("ERROR OCCURRED:") {
        let said = |key: &str| match key {
            "name" => name.trim().to_owned(),
            "error_message" => why.trim().trim_matches('\'').to_owned(),
            _ => String::new(),
        };
        return Some(Run::new(line, raw(), said, |_| None, None, true));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |w: &str| cell::number(w.as_bytes());
    // Time, unit, CPU time with the same unit, iterations.
    let at = (1..words.len().checked_sub(4)?).find(|&i| {
        let figures = number(words[i]).is_some() && number(words[i + 2]).is_some();
        let units = TimeUnit::parse(words[i + 1]).is_some() && words[i + 1] == words[i + 3];
        figures && units && words[i + 4].bytes().all(|b| b.is_ascii_digit())
    })?;
    let counters = words[at + 5..].iter().filter_map(|w| w.split_once('='));
    let rate = counters.filter_map(|(name, v)| rate_counter(name, counter(v)?)).next();
    let said = |key: &str| match key {
        "name" => words[..at].join(" "),
        "time_unit" => words[at + 1].to_owned(),
        _ => String::new(),
    };
    let figure = |key: &str| match key {
        "real_time" => number(words[at]),
        "cpu_time" => number(words[at + 2]),
        _ => None,
    };
    Some(Run::new(line, raw(), said, figure, rate, false))
}

/// Value of a printed counter such as `290.1G/s`.
fn counter(text: &str) -> Option<f64> {
    let text = text.strip_suffix("/s").unwrap_or(text);
    let prefixes = [("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15)];
    let found = prefixes.iter().find_map(|(p, scale)| Some((text.strip_suffix(p)?, *scale)));
    let (digits, scale) = found.unwrap_or((text, 1.0));
    Some(cell::number(digits.as_bytes())? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn what_a_benchmark_prints() {
        let d = read(
            "2026-01-31T10:00:00+00:00\nRunning ./bench\nRun on (8 X 2400 MHz CPU s)\n\
             Load Average: 0.10, 0.20, 0.30\n\
             ------------------------------------------------------------\n\
             Benchmark                  Time             CPU   Iterations\n\
             ------------------------------------------------------------\n\
             BM_Sgemm/1024/1024/512    7.50 ms         7.40 ms           90 FLOPS=143.2G/s\n\
             BM_Gemm<float, 4>/256    0.115 ms        0.115 ms         6087\n\
             BM_memcpy/64              10.5 us         10.5 us        66000\n\
             BM_Gemm<float, 4>/512 ERROR OCCURRED: 'no memory'\n",
        );
        let s = &d.sources[0];
        assert_eq!((s.format.as_str(), d.len(), s.rejected.total()), ("google-benchmark", 2, 2));
        assert_eq!((d.m[0], d.k[0], d.time_s[0]), (1024, 512, 7.5e-3));
        assert_eq!((d.m[1], d.problem(1).op.a), (256, DataType::Fp32));
        assert_eq!(s.reported_rate.within_1_percent, 1);
    }

    #[test]
    fn shapes_in_names() {
        let s = |n: &str| shape(n).map(|(s, dtype)| (s.sizes, s.batch.unwrap_or(1), dtype));
        assert_eq!(s("BM_Gemm/1024/512/256"), Some(([1024, 512, 256], 1, None)));
        let named = s("BM_matmul_1024x512x256_f16/process_time/real_time");
        assert_eq!(named, Some(([1024, 512, 256], 1, Some(DataType::Fp16))));
        assert_eq!(s("BM_gemm_tile_128x128x32/real_time"), None);
        assert_eq!(
            s("BM_Gemm<float>/m:64/n:32/k:16/real_time/threads:4"),
            Some(([64, 32, 16], 1, Some(DataType::Fp32)))
        );
        assert_eq!(s("BM_Sgemm/256"), Some(([256; 3], 1, Some(DataType::Fp32))));
        assert_eq!(s("matmul_bf16/8/64/32/16"), Some(([64, 32, 16], 8, Some(DataType::Bf16))));
        assert_eq!(s("BM_SameTimes"), None);
        assert_eq!(s("BM_memcpy/1024/1024/512"), None);
    }
}
