//! Output of `torch.utils.benchmark.Compare`: a titled table with a column per description and a line per shape, and
//! the unit of all times below it.

use super::*;
use crate::cell::shape_text::{Shape, named};
use crate::columns::defaults::{self};
use gemmscope_model::units::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    id: "torch-benchmark",
    name: "torch.utils.benchmark comparison",
    produced_by: "torch.utils.benchmark.Compare(results).print() (PyTorch)",
    example: "[--------------- matmul ---------------]\n\
              \x20                     |  torch.mm  |  triton\n\
              1 threads: --------------------------------\n\
              \x20     4096x4096x4096  |    250.1   |   300.2\n\
              \x20     8192x4096x4096  |    500.3   |   550.4\n\
              \n\
              Times are in microseconds (us).\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| head.any(|l| title(l).is_some()) && head.any(threads),
        others: Others::Unsaid,
        parser: |_, _, _| Box::<Comparison>::default(),
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct Comparison {
    title: String,
    /// The descriptions of a table, once its header is read.
    names: Option<Vec<String>>,
    /// Results whose unit follows below the table; their times are not scaled yet.
    pending: Vec<Entry>,
}

/// The title in `[------ matmul ------]`.
fn title(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("[-")?.strip_suffix("-]")?;
    let title = inner.trim_matches(['-', ' ']);
    inner.ends_with('-').then_some(title)
}

/// True for `1 threads: ------`.
fn threads(line: &str) -> bool {
    line.split_once(" threads: -").is_some_and(|(n, _)| n.trim().parse::<u32>().is_ok())
}

impl Comparison {
    fn entry(
        &self,
        shape: &Result<Shape, RowError>,
        text: &str,
        value: &str,
        name: &str,
        rows: &mut LogRows<'_>,
    ) -> Entry {
        let row = shape.clone().and_then(|shape| {
            let said = [name, text, &self.title].into_iter().find_map(defaults::dtype_in);
            let op = Operation::uniform(rows.dtype(said));
            let value = crate::cell::number(value.trim_end_matches(['*', ' ']).as_bytes());
            Ok(shape.row(op, log::time(value, 1.0)?))
        });
        let mut e = Entry::new(row);
        name.clone_into(&mut e.library);
        e.line = rows.line();
        self.title.clone_into(&mut e.op_name);
        e
    }
}

impl Parser for Comparison {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        if let Some(title) = title(line) {
            title.clone_into(&mut self.title);
            self.names = None;
        } else if let Some(unit) = log::after(line, "Times are in ") {
            let word = unit.split(['(', ')']).nth(1).unwrap_or(unit);
            let unit = TimeUnit::parse(word.trim()).map(TimeUnit::to_si);
            for e in &mut self.pending {
                match (&mut e.row, unit) {
                    (Ok(row), Some(unit)) => row.time_s = crate::cell::scaled(row.time_s, unit),
                    (Ok(_), None) => e.row = Err(RowError::new("no unit below the frame")),
                    (Err(_), _) => {}
                }
            }
            return std::mem::take(&mut self.pending);
        } else if let Some((text, cells)) = line.split_once('|') {
            let cells = cells.split('|').map(str::trim);
            let Some(names) = self.names.clone() else {
                self.names = Some(cells.map(str::to_owned).collect());
                return Vec::new();
            };
            let text = text.trim();
            let shape = named(text).ok_or_else(|| flaw(NO_SIZES, text));
            for (value, name) in cells.zip(&names).filter(|(v, _)| !v.is_empty()) {
                let e = self.entry(&shape, text, value, name, rows);
                self.pending.push(e);
            }
        }
        Vec::new()
    }

    fn last(&mut self, _: &mut LogRows<'_>) -> Vec<Entry> {
        for e in &mut self.pending {
            e.row = Err(RowError::new("no unit below the frame"));
        }
        std::mem::take(&mut self.pending)
    }
}
