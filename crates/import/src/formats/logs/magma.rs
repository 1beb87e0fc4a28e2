//! MAGMA's gemm testers: M, N and K, then rate and time of each library, column-major.

use super::*;
use crate::cell;
use crate::columns::defaults::{self, AssumedType};

pub(crate) const FORMAT: Format = Format {
    id: "magma",
    name: "MAGMA tester",
    produced_by: "./testing_dgemm -N 1024,2048,1024 -N 4096 (magma/testing)",
    example: "% Usage: ./testing_dgemm [options] [-h|--help]\n\
              % transA = No transpose, transB = Transpose\n\
              %   M     N     K   MAGMA Gflop/s (ms)  cuBLAS Gflop/s (ms)   CPU Gflop/s (ms)  MAGMA error\n\
              \x201024  2048  1024   4772.19 (   0.90)   8589.93 (   0.50)     ---   (  ---  )    1.12e-16   ok\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| head.any(|l| libraries(l).is_some()),
        parser: |head, options, rows| {
            let fallback = defaults::dtype_of_routine(head).unwrap_or(DataType::Fp64);
            let dtype = AssumedType::new(head, options, fallback).of(None, rows.table);
            Box::new(Magma {
                op: Operation::uniform(dtype),
                names: Vec::new(),
                device: String::new(),
            })
        },
        notes: &["Times are rounded: the rates of short calls differ by more than 1 %."],
        ..LogFormat::DEFAULT
    }),
};

struct Magma {
    op: Operation,
    /// The libraries of the last header.
    names: Vec<String>,
    device: String,
}

/// The libraries in a header such as `%   M     N     K   MAGMA Gflop/s (ms)  cuBLAS Gflop/s (ms)`.
fn libraries(line: &str) -> Option<Vec<String>> {
    let (sizes, rest) = line.split_once(" K ")?;
    let (titles, _) = rest.rsplit_once("Gflop/s (ms)")?;
    let of_sizes = sizes.trim_start_matches('%').split_whitespace().eq(["M", "N"]);
    let names = titles.split("Gflop/s (ms)").map(|n| n.trim().to_owned());
    of_sizes.then(|| names.collect())
}

impl Parser for Magma {
    fn line(&mut self, line: &str, _: &mut LogRows<'_>) -> Vec<Entry> {
        if let Some(names) = libraries(line) {
            self.names = names;
        } else if let Some(s) = slots("^% device {count}: {device},", line) {
            s.get("device").clone_into(&mut self.device);
        } else if let Some(s) = slots("^% transA = {a}, transB = {b}", line) {
            let transposed = |name| !s.get(name).starts_with("No");
            self.op = self.op.with_layout(transposed("a"), transposed("b"));
        }
        let line = line.replace(['(', ')'], " ");
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [m, n, k, figures @ ..] = &cells[..] else { return Vec::new() };
        let sizes = [m, n, k].map(|c| cell::size(c.as_bytes()).ok());
        let [Some(m), Some(n), Some(k)] = sizes else { return Vec::new() };
        let measured = self.names.iter().zip(figures.chunks_exact(2));
        measured
            .filter_map(|(name, figures)| Some((name, figures[0].parse::<f64>().ok()?, figures[1])))
            .map(|(name, gflops, ms)| {
                let time = log::time(ms.parse::<f64>().ok(), 1e-3);
                let mut e = Entry::new(time.map(|time| Row::new(m, n, k, self.op, time)));
                e.rate = gflops * 1e9;
                name.clone_into(&mut e.library);
                self.device.clone_into(&mut e.device);
                e
            })
            .collect()
    }
}
