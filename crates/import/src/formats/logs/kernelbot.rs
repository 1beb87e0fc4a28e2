//! gpu-mode's kernelbot: `benchmark.N.spec` with the sizes, then `benchmark.N.mean` and its spread in nanoseconds; or
//! its posted report: `m: 64; n: 7168; k: 2048`, then ` ⏱ 123 ± 0.4 µs`.

use super::*;
use crate::cell::shape_text;
use gemmscope_model::units::TimeUnit;
use std::collections::BTreeMap;

pub(crate) const FORMAT: Format = Format {
    id: "kernelbot",
    name: "gpu-mode kernelbot result",
    produced_by: "a submission to gpu-mode's kernelbot (popcorn-cli submit --mode benchmark)",
    example: "benchmark-count: 1\nbenchmark.0.spec: m: 64; n: 7168; k: 2048\nbenchmark.0.runs: 100\n\
              benchmark.0.mean: 34567.8\nbenchmark.0.std: 120.5\nbenchmark.0.err: 12.05\n\
              benchmark.0.best: 34100.0\nbenchmark.0.worst: 35900.0\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            let of_result = |l: &str| {
                slots("^benchmark.{count}.spec: {spec}", l)
                    .is_some_and(|s| !s.get("spec").is_empty())
            };
            let is_posted = || head.any(|l| !posted(l).is_empty());
            head.any(of_result) || head.any(|l| spec(l).is_some()) && is_posted()
        },
        dtype: DataType::Fp8E4m3,
        others: Others::Unsaid,
        parser: |_, _, _| Box::<Kernelbot>::default(),
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct Kernelbot {
    /// The current benchmark: its number, and its fields in any order.
    open: (String, BTreeMap<String, String>),
}

/// The line of sizes of a benchmark in a posted report.
fn spec(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['❌', ' ']);
    let is_spec = line.contains("; ") && shape_text::named(&line.replace(';', ",")).is_some();
    is_spec.then_some(line)
}

/// The fields of a result line in a posted report, in nanoseconds: ` ⏱ 123 ± 0.4 µs`, ` ⚡ 120 µs 🐌 135 µs`.
fn posted(line: &str) -> Vec<(&'static str, f64)> {
    let signs = [('⏱', "mean"), ('⚡', "best"), ('🐌', "worst")];
    let of = |(sign, field)| {
        let rest = line.split_once(sign)?.1.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (value, rest) = log::leading(rest)?;
        let rest = rest.trim_start();
        let spread = rest.strip_prefix('±').and_then(|r| log::leading(r.trim_start()));
        let unit = spread.map_or(rest, |s| s.1).split_whitespace().next()?;
        Some((field, value * TimeUnit::parse(unit)?.to_si() * 1e9))
    };
    signs.into_iter().filter_map(of).collect()
}

impl Kernelbot {
    /// Finishes the current benchmark and returns its result.
    fn close(&mut self, rows: &mut LogRows<'_>) -> Vec<Entry> {
        let (_, fields) = std::mem::take(&mut self.open);
        let Some(spec) = fields.get("spec") else { return Vec::new() };
        let seconds = |name: &str| fields.get(name)?.parse::<f64>().ok().map(|ns| ns / 1e9);
        let failed = fields.get("error").or(fields.get("status").filter(|s| *s != "pass"));
        let row = (|| {
            if let Some(why) = failed {
                return Err(flaw("the run failed", why));
            }
            let shape = shape_text::named(&spec.replace(';', ","));
            let mut shape = shape.ok_or_else(|| flaw(NO_SIZES, spec))?;
            let op = Operation::uniform(rows.dtype(None));
            // In CUTLASS and CuTe, `l` is the batch.
            let l = spec.split(';').find_map(|p| p.trim().strip_prefix("l:"));
            let l = l.and_then(|l| crate::cell::size(l.trim().as_bytes()).ok());
            shape.batch = shape.batch.or(l);
            Ok(shape.row(op, log::time(seconds("mean"), 1.0)?))
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
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        let Some((number, field, value)) = line.trim().strip_prefix("benchmark.").and_then(|l| {
            let (path, value) = l.split_once(':')?;
            let (number, field) = path.split_once('.')?;
            Some((number, field.trim(), value.trim()))
        }) else {
            let fields = posted(line);
            self.open.1.extend(fields.into_iter().map(|(f, ns)| (f.to_owned(), ns.to_string())));
            let Some(spec) = spec(line) else { return Vec::new() };
            let before = self.close(rows);
            let failed = spec.strip_suffix("failed testing:");
            self.open.1.insert("spec".into(), failed.unwrap_or(spec).trim().to_owned());
            self.open.1.extend(failed.map(|_| ("error".into(), "failed testing".into())));
            return before;
        };
        let before = if self.open.0 == number { Vec::new() } else { self.close(rows) };
        number.clone_into(&mut self.open.0);
        self.open.1.insert(field.to_owned(), value.to_owned());
        before
    }

    fn last(&mut self, rows: &mut LogRows<'_>) -> Vec<Entry> {
        self.close(rows)
    }
}
