//! What the rows of a table are: calls of a program, a benchmark, a search, or sides to compare.
//!
//! Totals, efficiency, findings and lost time all ask [`Frame::counted`] which rows they are over,
//! so the page and the command show one efficiency for one thing.
//!
//! | kind | known by | what counts |
//! |---|---|---|
//! | workload | counts of calls, a trace | every row times its calls |
//! | benchmark | one row a configuration | one call of each configuration |
//! | sweep | several variants a configuration, in one file and library | the fastest of each |
//! | sides | the same configurations in two files, libraries or devices; a trace beside another file | each side for itself |
//!
//! A configuration is shape, types, layout and device (and the operation's name, where there is
//! one). Rows of one variant are repeats, of which the middle one counts.

use crate::dataset::{Column, ColumnData, ColumnMeaning, Dataset};
use crate::field::{Field, Frame};
use crate::group::mix;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

mod counted;
mod sample;

pub use counted::{Counted, Counting, Set, Side, library_name};
pub use sample::Sample;

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DataKind {
    /// Calls of a program: a trace, or a table with counts.
    Workload,
    /// Each configuration measured by itself.
    #[default]
    Benchmark,
    /// Several variants of each configuration.
    Sweep,
    /// The same configurations in several files, libraries or devices.
    Sides,
}

impl DataKind {
    /// All kinds, in the order of a menu.
    pub const ALL: [DataKind; 4] =
        [DataKind::Workload, DataKind::Benchmark, DataKind::Sweep, DataKind::Sides];

    /// Its key in a link and in the command.
    pub fn key(self) -> &'static str {
        match self {
            DataKind::Workload => "workload",
            DataKind::Benchmark => "benchmark",
            DataKind::Sweep => "sweep",
            DataKind::Sides => "sides",
        }
    }

    /// The kind with this key.
    pub fn parse(text: &str) -> Option<DataKind> {
        DataKind::ALL.into_iter().find(|k| k.key() == text)
    }

    /// Its name on the page.
    pub fn label(self) -> &'static str {
        match self {
            DataKind::Workload => "Workload",
            DataKind::Benchmark => "Benchmark",
            DataKind::Sweep => "Sweep",
            DataKind::Sides => "Comparison",
        }
    }

    /// What totals are over, in a sentence.
    pub fn hint(self) -> &'static str {
        match self {
            DataKind::Workload => {
                "Rows are calls of a program: totals count every row times its calls."
            }
            DataKind::Benchmark => {
                "Each GEMM was measured on its own: totals count one call of each."
            }
            DataKind::Sweep => "Several variants of each GEMM: totals count the fastest of each.",
            DataKind::Sides => {
                "The same GEMMs in several files, libraries or devices: separate totals for \
                 each side."
            }
        }
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
    /// What they are: the user's choice, else what the data shows.
    pub kind: DataKind,
    /// What the data shows.
    pub found: DataKind,
    /// The field whose values are the sides.
    pub side: Option<Field>,
    /// Why the data is of that kind, as a sentence.
    pub reason: &'static str,
    /// By source: its rows are calls of a program.
    programs: Vec<bool>,
    /// Some configurations have several rows.
    several: bool,
    /// There are more sides than can be told apart, so the rows of all of them are variants.
    together: bool,
}

/// If there are fewer configurations than this share of the variants, the file is a sweep.
const SWEEP_SHARE: f64 = 0.67;

/// Files, libraries or devices are sides if they share at least this part of the configurations
/// of the second largest.
const SHARED: f64 = 0.5;

/// Most sides that are told apart. With more, nobody looks at each: the fastest row of each GEMM
/// counts against all others.
const MOST_SIDES: usize = 64;

/// Columns in which the variants of a configuration differ.
const VARIANT: [ColumnMeaning; 9] = [
    ColumnMeaning::Kernel,
    ColumnMeaning::TileM,
    ColumnMeaning::TileN,
    ColumnMeaning::TileK,
    ColumnMeaning::SplitK,
    ColumnMeaning::Stages,
    ColumnMeaning::Warps,
    ColumnMeaning::Order,
    ColumnMeaning::Workgroups,
];

/// Most distinct values of an unnamed number column that is a setting, not a result.
const SETTING_VALUES: usize = 32;

/// Names of columns that count rows or repeats: neither settings nor results.
const NUMBERING: [&str; 12] = [
    "index",
    "id",
    "idx",
    "row",
    "run",
    "rep",
    "repeat",
    "repetition",
    "sample",
    "seed",
    "trial_id",
    "line",
];

impl Decision {
    /// Decides for a table; `chosen` is the user's choice.
    pub fn new(data: &Dataset, chosen: Option<DataKind>) -> Decision {
        Decision::sampled(data, &Sample::of(data, None), chosen)
    }

    /// As [`Decision::new`], where the sample of the table was taken before.
    pub fn sampled(data: &Dataset, sample: &Sample, chosen: Option<DataKind>) -> Decision {
        Decision::of(data, None, sample, chosen)
    }

    /// Decides for the rows of one file by themselves.
    pub fn of_source(data: &Dataset, source: u16, chosen: Option<DataKind>) -> Decision {
        Decision::of(data, Some(source), &Sample::of(data, Some(source)), chosen)
    }

    fn of(
        data: &Dataset,
        source: Option<u16>,
        sample: &Sample,
        chosen: Option<DataKind>,
    ) -> Decision {
        let programs = programs(data, source);
        let scan = Rows::new(data, sample);
        let mut out = found(&scan, &programs);
        out.programs = programs;
        if let Some(kind) = chosen {
            out.kind = kind;
            if kind == DataKind::Sides && out.side.is_none() {
                out.side = scan.any_side();
            }
            if kind == DataKind::Sides && out.side.is_none() {
                // There is nothing to compare: one side.
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

    /// True if rows of a source are calls of a program and not single measurements.
    pub fn is_program(&self, source: usize) -> bool {
        match self.kind {
            DataKind::Workload => true,
            DataKind::Sides => self.programs.get(source).copied().unwrap_or(false),
            DataKind::Benchmark | DataKind::Sweep => false,
        }
    }

    /// True if any source's rows are calls of a program.
    pub fn any_program(&self) -> bool {
        (0..self.programs.len()).any(|s| self.is_program(s))
    }
}

const MANY_SIDES: &str = "More than 64 files, libraries or devices hold the same GEMMs, too many to \
                          tell apart: the fastest row of each GEMM counts, and the rest are its \
                          slower variants.";
const MANY_PROGRAMS: &str = "More than 64 files hold calls of programs, too many to tell apart: totals \
                             count all of them together.";

/// True if rows have more than [`MOST_SIDES`] values of a field.
fn more_than_sides(data: &Dataset, only: Option<u16>, side: Option<&Field>) -> bool {
    let of = |codes: &dyn Fn(usize) -> usize, values: usize| {
        // Nearly every table has no more values than that at all.
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

/// By source: it has counts, or what surrounds a trace.
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

fn found(rows: &Rows<'_>, programs: &[bool]) -> Decision {
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
            let reason =
                "A trace is open beside another file: each file is a side with its own totals.";
            of(DataKind::Sides, Some(Field::Source), reason)
        } else {
            let reason = "The rows have counts of calls, or come from a trace.";
            of(DataKind::Workload, None, reason)
        };
    }
    if let Some((side, reason)) = rows.sides() {
        return of(DataKind::Sides, Some(side), reason);
    }
    let (configurations, variants, repeats) = rows.variants();
    if (configurations as f64) < SWEEP_SHARE * variants as f64 {
        let reason = "Several rows are variants of one GEMM: totals count the fastest of each.";
        return of(DataKind::Sweep, None, reason);
    }
    Decision {
        several: repeats || variants > configurations,
        ..of(DataKind::Benchmark, None, "each GEMM was measured on its own")
    }
}

/// The columns that decide, and the measured rows (a sample of the configurations of a large table).
struct Rows<'a> {
    data: &'a Dataset,
    rows: &'a [usize],
    /// Sources with a measured row.
    sources: usize,
    library: Option<&'a [u32]>,
    names: Names<'a>,
    variant: Vec<&'a ColumnData>,
}

/// Columns that tell two uses of one GEMM apart.
#[derive(Clone, Copy)]
struct Names<'a>([Option<&'a [u32]>; 2]);

impl<'a> Names<'a> {
    fn new(data: &'a Dataset) -> Self {
        Names([ColumnMeaning::OpName, ColumnMeaning::Model].map(|m| data.codes(m)))
    }

    fn hash(&self, mut hash: u64, row: usize) -> u64 {
        for codes in self.0.iter().flatten() {
            hash = mix(hash, u64::from(codes[row]));
        }
        hash
    }
}

impl<'a> Rows<'a> {
    fn new(data: &'a Dataset, sample: &'a Sample) -> Self {
        Rows {
            data,
            rows: sample.rows(),
            sources: sample.sources(),
            library: data.codes(ColumnMeaning::Library),
            names: Names::new(data),
            variant: variant_columns(data),
        }
    }

    fn library(&self, row: usize) -> u32 {
        self.library.map_or(0, |codes| codes[row])
    }

    /// The field that makes sides of this table, and why.
    fn sides(&self) -> Option<(Field, &'static str)> {
        let source = |r: usize| u32::from(self.data.source[r]);
        let device = |r: usize| u32::from(self.data.device[r]);
        let plain = |r: usize| configuration(self.data, r);
        let files = "The files hold the same GEMMs: each file is a side with its own totals.";
        if self.sources > 1 && self.shared(source, |r| mix(plain(r), u64::from(self.library(r)))) {
            return Some((Field::Source, files));
        }
        // Rows without a library would be on no side.
        let stated = self.library.is_some() && self.rows.iter().all(|&r| self.library(r) != 0);
        if stated
            && let Some(column) = self.data.column(ColumnMeaning::Library)
            && self.shared(|r| self.library(r), |r| mix(plain(r), u64::from(self.data.device[r])))
        {
            let field = Field::Column(column.key.clone());
            return Some((
                field,
                "The libraries ran the same GEMMs: each is a side with its own totals.",
            ));
        }
        if self.sources > 1 && self.shared(source, plain) {
            return Some((Field::Source, files));
        }
        if self.data.devices.len() > 1
            && self.shared(device, |r| mix(plain(r), u64::from(self.library(r))))
        {
            return Some((
                Field::Device,
                "The devices ran the same GEMMs: each is a side with its own totals.",
            ));
        }
        None
    }

    /// A field with several values, for the user who asks for sides.
    fn any_side(&self) -> Option<Field> {
        let several = |value: &dyn Fn(usize) -> u32| {
            let mut values = self.rows.iter().map(|&r| value(r));
            let first = values.next();
            values.any(|v| Some(v) != first)
        };
        if let Some(found) = self.sides() {
            return Some(found.0);
        }
        if self.sources > 1 {
            return Some(Field::Source);
        }
        if several(&|r| self.library(r)) {
            let column = self.data.column(ColumnMeaning::Library)?;
            return Some(Field::Column(column.key.clone()));
        }
        several(&|r| u32::from(self.data.device[r])).then_some(Field::Device)
    }

    /// True if several sides hold the same keys: at least half of those of the second largest.
    fn shared(&self, side: impl Fn(usize) -> u32, key: impl Fn(usize) -> u64) -> bool {
        // By key: one more than the first side that holds it, and whether another one does too.
        let mut keys = Counts::default();
        let mut of_side = Counts::default();
        let mut sizes: Vec<u64> = Vec::new();
        for &r in self.rows {
            let (side, key) = (side(r), key(r));
            if of_side.insert(mix(key, u64::from(side)), 1).is_none() {
                let side = side as usize;
                if sizes.len() <= side {
                    sizes.resize(side + 1, 0);
                }
                sizes[side] += 1;
            }
            let first = keys.entry(key).or_insert(u64::from(side) + 1);
            if *first & SEVERAL == 0 && *first != u64::from(side) + 1 {
                *first |= SEVERAL;
            }
        }
        // Of the two largest, the smaller one.
        let (mut largest, mut second) = (0, 0);
        for size in sizes {
            second = second.max(size.min(largest));
            largest = largest.max(size);
        }
        if second == 0 {
            return false;
        }
        let shared = keys.values().filter(|k| **k & SEVERAL != 0).count();
        shared > 0 && shared as f64 >= SHARED * second as f64
    }

    /// Number of configurations within one file, library and device, of variants, and whether any
    /// variant has several rows.
    fn variants(&self) -> (usize, usize, bool) {
        let mut configurations = Counts::default();
        let mut variants = Counts::default();
        for &r in self.rows {
            let key = self.names.hash(within(self.data, r), r);
            let key = mix(key, u64::from(self.library(r)));
            configurations.insert(key, 1);
            *variants.entry(variant(&self.variant, key, r)).or_default() += 1;
        }
        let repeats = variants.values().any(|n| *n > 1);
        (configurations.len(), variants.len(), repeats)
    }
}

/// Shape, types and layout of a row.
fn configuration(data: &Dataset, r: usize) -> u64 {
    let hash = mix(data.sizes_hash(r), u64::from(data.op[r]));
    hash ^ (hash >> 29)
}

/// [`configuration`] in one file and on one device.
fn within(data: &Dataset, r: usize) -> u64 {
    mix(configuration(data, r), place(data, r))
}

/// The file and the device of a row.
fn place(data: &Dataset, r: usize) -> u64 {
    u64::from(data.device[r]) | u64::from(data.source[r]) << 16
}

/// A hash with the values of a row in some columns: with the variant of a configuration.
pub fn variant(columns: &[&ColumnData], mut hash: u64, row: usize) -> u64 {
    for column in columns {
        hash = mix(
            hash,
            match column {
                ColumnData::Text { codes, .. } => u64::from(codes[row]),
                ColumnData::Number(v) => v[row].to_bits(),
            },
        );
    }
    hash
}

/// The columns in which variants differ: kernel and tile, and settings that no meaning names.
pub fn variant_columns(data: &Dataset) -> Vec<&ColumnData> {
    columns_at(data, &variant_indices(data))
}

/// [`variant_columns`] by their index. Settings are told by their values, so this looks through
/// every row.
fn variant_indices(data: &Dataset) -> Vec<usize> {
    let varies = |c: &Column| VARIANT.contains(&c.meaning) || is_setting(c);
    let columns = data.columns.iter().enumerate();
    columns.filter(|(_, c)| varies(c)).map(|(i, _)| i).collect()
}

fn columns_at<'a>(data: &'a Dataset, indices: &[usize]) -> Vec<&'a ColumnData> {
    indices.iter().map(|&i| &data.columns[i].data).collect()
}

/// True for a column without a meaning of its own that holds names, or few whole numbers.
fn is_setting(column: &Column) -> bool {
    let name = column.label.trim().to_ascii_lowercase();
    if column.meaning != ColumnMeaning::Other || NUMBERING.contains(&name.as_str()) {
        return false;
    }
    match &column.data {
        // A text that differs in every row is a remark.
        ColumnData::Text { codes, values } => values.len() <= codes.len() / 2 + 2,
        ColumnData::Number(v) => {
            let mut seen: Vec<u64> = Vec::new();
            for x in v.iter().filter(|x| x.is_finite()) {
                let bits = x.to_bits();
                if x.fract() != 0.0 {
                    return false;
                }
                if !seen.contains(&bits) {
                    if seen.len() == SETTING_VALUES {
                        return false;
                    }
                    seen.push(bits);
                }
            }
            true
        }
    }
}

/// Counts, or marks, by hash: one kind of map for all of them keeps the page small.
type Counts = FxHashMap<u64, u64>;

/// Marks a key that several sides hold.
const SEVERAL: u64 = 1 << 63;

impl Frame {
    /// What the rows are.
    pub fn kind(&self) -> DataKind {
        self.decision().kind
    }

    /// Calls of a row that totals count: those of the file in a workload, else one.
    pub fn calls(&self, row: usize) -> f64 {
        if self.decision().is_program(usize::from(self.data.source[row])) {
            self.data.count(row)
        } else {
            1.0
        }
    }

    /// The frame of the same data with what the user says its rows are.
    pub fn as_kind(&self, kind: Option<DataKind>) -> Frame {
        self.decided(Arc::new(Decision::new(&self.data, kind)))
    }
}

#[cfg(test)]
mod tests;
