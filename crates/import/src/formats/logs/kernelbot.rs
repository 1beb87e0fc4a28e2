//! gpu-mode's kernelbot: `benchmark.N.spec` with the sizes, then `benchmark.N.mean` and its spread, in
//! nanoseconds.

use crate::cell::shape_text;
use crate::columns::defaults::AssumedType;
use crate::split::log;
use crate::split::log::{Entry, Others, Parser};
use crate::split::template::slots;
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use std::collections::BTreeMap;

pub(crate) const FORMAT: Format = Format {
    id: "kernelbot",
    name: "gpu-mode kernelbot result",
    produced_by: "a submission to gpu-mode's kernelbot (popcorn-cli submit --mode benchmark)",
    example: "benchmark-count: 1\nbenchmark.0.spec: m: 64; n: 7168; k: 2048\nbenchmark.0.runs: 100\n\
              benchmark.0.mean: 34567.8\nbenchmark.0.std: 120.5\nbenchmark.0.err: 12.05\n\
              benchmark.0.best: 34100.0\nbenchmark.0.worst: 35900.0\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            head.lines
                .iter()
                .any(|l| {
                    slots("^benchmark.{count}.spec: {spec}", l)
                        .is_some_and(|s| !s.get("spec").is_empty())
                })
                .then(|| Detection::new(97, "a line is benchmark.N.spec"))
        },
        open: |head, options| {
            let dtype = AssumedType::new(head, options, DataType::Fp8E4m3);
            log::open(head, options, |_| Kernelbot { dtype, open: Default::default() })
        },
    },
};

struct Kernelbot {
    dtype: AssumedType,
    /// The benchmark whose lines these are: its number and fields, in any order.
    open: (String, BTreeMap<String, String>),
}

impl Kernelbot {
    /// The result of the benchmark so far.
    fn close(&mut self, table: &mut TableBuilder) -> Vec<Entry> {
        let (_, fields) = std::mem::take(&mut self.open);
        let Some(spec) = fields.get("spec") else { return Vec::new() };
        let seconds = |name: &str| fields.get(name)?.parse::<f64>().ok().map(|ns| ns / 1e9);
        let failed = fields.get("error").or(fields.get("status").filter(|s| *s != "pass"));
        let quoted =
            |reason: &str, text: &str| RowError { text: text.into(), ..RowError::new(reason) };
        let row = (|| {
            if let Some(why) = failed {
                return Err(quoted("the benchmark failed", why));
            }
            let shape = shape_text::named(&spec.replace(';', ","));
            let shape = shape.ok_or_else(|| quoted("no M, N, K", spec))?;
            let [m, n, k] = shape.sizes;
            let op = Operation::uniform(self.dtype.of(None, table));
            let mut row = Row::new(m, n, k, op, log::time(seconds("mean"), 1.0)?);
            // `l` is the batch of CUTLASS and CuTe.
            let l = spec.split(';').find_map(|p| p.trim().strip_prefix("l:"));
            let l = l.and_then(|l| crate::cell::size(l.trim().as_bytes()).ok());
            row.batch = shape.batch.or(l).unwrap_or(1);
            Ok(row)
        })();
        let mut e = Entry::new(row);
        e.time_min = seconds("best").unwrap_or(f64::NAN);
        for (name, meaning) in [("std", ColumnMeaning::TimeStd), ("worst", ColumnMeaning::TimeMax)]
        {
            e.figures.extend(seconds(name).map(|v| (meaning, v)));
        }
        vec![e]
    }
}

impl Parser for Kernelbot {
    fn line(&mut self, line: &str, table: &mut TableBuilder) -> Vec<Entry> {
        let Some((number, field, value)) = line.trim().strip_prefix("benchmark.").and_then(|l| {
            let (path, value) = l.split_once(':')?;
            let (number, field) = path.split_once('.')?;
            Some((number, field.trim(), value.trim()))
        }) else {
            return Vec::new();
        };
        let before = if self.open.0 == number { Vec::new() } else { self.close(table) };
        number.clone_into(&mut self.open.0);
        self.open.1.insert(field.to_owned(), value.to_owned());
        before
    }

    fn last(&mut self, table: &mut TableBuilder) -> Vec<Entry> {
        self.close(table)
    }

    fn others(&self) -> Others {
        Others::Unsaid
    }
}
