//! Decides what the rows of a table are: calls of a program, a benchmark, a search, or sides to compare.
//!
//! Totals, efficiency, findings and lost time all use the rows of [`Frame::counted`], so page and command show the same
//! figures.
//!
//! | kind | recognised by | what counts |
//! |---|---|---|
//! | workload | counts of calls, a trace | every row times its calls |
//! | benchmark | one row per configuration | one call of each |
//! | sweep | several variants per configuration, in one file | the fastest of each |
//! | sides | files, libraries or devices that ran the same GEMMs; a trace and another file | each side by itself |
//!
//! A configuration is shape, types, layout and device (and the operation's name, if there is one). Rows of one variant
//! are repeats, of which the median counts. If two libraries that are not sides ran one configuration, the faster one
//! counts.

use crate::dataset::{ColumnData, ColumnMeaning, Dataset};
use crate::field::{Field, Frame};
use std::fmt;
use std::sync::Arc;

mod counted;
mod rows;
mod sample;

pub use counted::{Counted, CountedSet, Side, middle};
use rows::{DecisiveRows, OperationName, configuration, on_device, place};
pub use rows::{variant, variant_columns};
pub use sample::TableSample;

gemmscope_model::named! {
/// What the rows of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DataKind {
    /// Each configuration measured on its own.
    #[default]
    Benchmark =
        "benchmark",
        "each GEMM once",
        "Each GEMM was measured on its own: totals count one call of each, by its fastest \
         kernel, of repeats the middle run, of two the faster.";
    /// Calls of a program: a trace, or a table with counts.
    Workload =
        "workload",
        "all calls",
        "Rows are calls of a program: totals count every row times its calls.";
    /// Several variants of each configuration.
    Sweep = "sweep", "the fastest variant", "Several variants of each GEMM: totals count the fastest of each.";
    /// The same configurations in several files, libraries or devices.
    Sides =
        "sides",
        "each side",
        "The same GEMMs in several files, libraries or devices: separate totals for \
         each side.";
}
/// All kinds, in the order of a menu.
pub const ALL;
/// Key in a link and on the command line.
pub fn key -> &'static str;
/// What totals count, as the page says it after "Count:".
pub fn label -> &'static str;
/// One sentence on what totals are over.
pub fn hint -> &'static str;
}

impl DataKind {
    /// The kind with this key.
    pub fn parse(text: &str) -> Option<DataKind> {
        DataKind::ALL.into_iter().find(|k| k.key() == text)
    }
}

impl fmt::Display for DataKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// What the rows of one table are, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The kind in effect: the user's choice, else `found`.
    pub kind: DataKind,
    /// The kind that the data shows.
    pub found: DataKind,
    /// Field whose values are the sides.
    pub side: Option<Field>,
    /// Why `found` was chosen, as a sentence.
    pub reason: &'static str,
    /// By source: true if its rows are calls of a program.
    programs: Vec<bool>,
    /// True if a configuration has several rows.
    pub several: bool,
    /// True if there are more than [`MOST_SIDES`] sides, so that rows of all of them are variants.
    together: bool,
}

/// A file is a sweep if configurations / variants is below this.
const SWEEP_SHARE: f64 = 0.67;

/// Maximum number of sides. With more, nobody looks at each: the fastest row of each GEMM counts.
const MOST_SIDES: usize = 64;

impl Decision {
    /// Decides for a table; `chosen` is the user's choice.
    pub fn new(data: &Dataset, chosen: Option<DataKind>) -> Decision {
        Decision::sampled(data, &TableSample::of(data, None), chosen)
    }

    /// Like [`Decision::new`], with a sample taken before.
    pub fn sampled(data: &Dataset, sample: &TableSample, chosen: Option<DataKind>) -> Decision {
        Decision::of(data, None, sample, chosen)
    }

    /// Decides for the rows of one file alone.
    pub fn of_source(data: &Dataset, source: u16, chosen: Option<DataKind>) -> Decision {
        Decision::of(data, Some(source), &TableSample::of(data, Some(source)), chosen)
    }

    fn of(
        data: &Dataset,
        source: Option<u16>,
        sample: &TableSample,
        chosen: Option<DataKind>,
    ) -> Decision {
        let programs = programs(data, source);
        let scan = DecisiveRows::new(data, sample);
        let mut out = found(&scan, &programs);
        out.programs = programs;
        if let Some(kind) = chosen {
            out.kind = kind;
            if kind == DataKind::Sides && out.side.is_none() {
                out.side = scan.any_side();
            }
            if kind == DataKind::Sides && out.side.is_none() {
                // Nothing to compare, so keep what the data shows.
                out.kind = out.found;
            }
        }
        if out.kind == DataKind::Sides && more_than_sides(data, source, out.side.as_ref()) {
            (out.kind, out.reason) = match out.programs.contains(&true) {
                true => (DataKind::Workload, MANY_PROGRAMS),
                false => (DataKind::Sweep, MANY_SIDES),
            };
            (out.found, out.side, out.together) = (out.kind, None, true);
        }
        out
    }

    /// True if the user chose another kind than the data shows.
    pub fn overridden(&self) -> bool {
        self.kind != self.found
    }

    /// True if the rows of a source are calls of a program rather than single measurements.
    pub fn is_program(&self, source: usize) -> bool {
        match self.kind {
            DataKind::Workload => true,
            DataKind::Sides => self.programs.get(source).copied().unwrap_or(false),
            DataKind::Benchmark | DataKind::Sweep => false,
        }
    }
}

const MANY_SIDES: &str = "More than 64 files, libraries or devices hold the same GEMMs, too many to \
                          tell apart: the fastest row of each GEMM counts, and the rest are its \
                          slower variants.";
const MANY_PROGRAMS: &str = "More than 64 files hold calls of programs, too many to tell apart: totals \
                             count all of them together.";

/// True if the rows have more than [`MOST_SIDES`] distinct values of a field.
fn more_than_sides(data: &Dataset, only: Option<u16>, side: Option<&Field>) -> bool {
    let of = |codes: &dyn Fn(usize) -> usize, values: usize| {
        // Nearly every table has fewer values than that in its dictionary.
        if values <= MOST_SIDES {
            return false;
        }
        let mut seen = vec![false; values];
        let mut count = 0;
        let rows = (0..data.len()).filter(|&r| only.is_none_or(|only| data.source[r] == only));
        rows.map(codes).any(|code| {
            count += usize::from(!std::mem::replace(&mut seen[code], true));
            count > MOST_SIDES
        })
    };
    match side {
        Some(Field::Source) => of(&|r| usize::from(data.source[r]), data.sources.len()),
        Some(Field::Device) => of(&|r| usize::from(data.device[r]), data.devices.len()),
        Some(Field::Column(key)) => {
            match data.columns.iter().find(|c| c.key == *key).map(|c| &c.data) {
                Some(ColumnData::Text { codes, values }) => {
                    of(&|r| codes[r] as usize, values.len())
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// By source: true if it has counts, or the context of a trace.
fn programs(data: &Dataset, only: Option<u16>) -> Vec<bool> {
    let mut out: Vec<bool> = data
        .sources
        .iter()
        .map(|s| s.trace.is_some() || s.not_gemm.rows + s.without_model.rows > 0)
        .collect();
    if let Some(only) = only {
        for (i, program) in out.iter_mut().enumerate() {
            *program &= i == usize::from(only);
        }
    }
    if let Some(counts) = data.numbers(ColumnMeaning::Count) {
        for (count, source) in counts.iter().zip(&data.source) {
            if count.is_finite()
                && only.is_none_or(|only| only == *source)
                && let Some(program) = out.get_mut(usize::from(*source))
            {
                *program = true;
            }
        }
    }
    out
}

fn found(rows: &DecisiveRows<'_>, programs: &[bool]) -> Decision {
    let of = |kind, side, reason| Decision {
        kind,
        found: kind,
        side,
        reason,
        several: true,
        together: false,
        programs: Vec::new(),
    };
    let several_sources = rows.sources > 1;
    if programs.iter().any(|p| *p) {
        return if several_sources {
            let reason = "A file has counts of calls, or is a trace: each file is a side with its own totals.";
            of(DataKind::Sides, Some(Field::Source), reason)
        } else {
            let reason = "The rows have counts of calls, or come from a trace.";
            of(DataKind::Workload, None, reason)
        };
    }
    if let Some(side) = rows.sides() {
        return of(DataKind::Sides, Some(side), DataKind::Sides.hint());
    }
    let (configurations, variants, repeats) = rows.variants();
    if (configurations as f64) < SWEEP_SHARE * variants as f64 {
        return of(DataKind::Sweep, None, DataKind::Sweep.hint());
    }
    Decision {
        // A small file beside a large one is hardly in the sample, so assume that there are.
        several: repeats || variants > configurations || several_sources && rows.sampled,
        ..of(DataKind::Benchmark, None, "each GEMM was measured on its own")
    }
}

impl Frame {
    /// The kind in effect.
    pub fn kind(&self) -> DataKind {
        self.decision().kind
    }

    /// Calls of a row in totals: the file's count in a workload, else 1.
    pub fn calls(&self, row: usize) -> f64 {
        if self.decision().is_program(usize::from(self.data.source[row])) {
            self.data.count(row)
        } else {
            1.0
        }
    }

    /// The frame with the kind that the user chose.
    pub fn as_kind(&self, kind: Option<DataKind>) -> Frame {
        self.decided(Arc::new(Decision::new(&self.data, kind)))
    }
}

#[cfg(test)]
mod tests;
