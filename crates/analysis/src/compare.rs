//! Compares sides (files, libraries, devices, values of any column) on the GEMMs they share.
//!
//! Rows are grouped by the chosen keys and by side. A group whose rows are different GEMMs or ran
//! on different devices is *ambiguous*: it is counted and left out, since a ratio of different
//! problems has no meaning. Rows that differ only in kernel, tile or split-K are *variants*, of
//! which the fastest counts. Rows that agree in these too are *repeats*, of which the median
//! counts (the faster of the middle two if their number is even, as in all totals), with the
//! spread around it. What others have published can be one more side, which no row is of.
//!
//! Ratios are always B / A: above 1, B is faster. [`duel`] compares two sides, [`winner`] all of them.

pub mod dispatch;
pub mod duel;
mod exception;
mod samples;
mod setup;
mod tally;
mod tunableop;
pub mod winner;

pub use dispatch::{Dispatch, DispatchLine, Regret};
pub use exception::{Common, Exception, SizeClass};
pub(crate) use setup::value_counts;
pub use setup::{Lack, PUBLISHED, Setup};
pub use tally::Tally;
pub use tunableop::{NoTunableop, tunableop};

use samples::Samples;

use crate::names::{NAME, short};
use gemmscope_model::gemm::Operation;
use gemmscope_table::dataset::{ColumnData, Dataset};
use gemmscope_table::field::{Field, Frame, shape_label};
use gemmscope_table::group::{self, mix};
use std::collections::HashMap;

/// Default tie threshold: sides within this fraction of each other are tied.
pub const TIE: f64 = 0.02;

/// True if a row has a time that can be compared.
pub(crate) fn measured(data: &Dataset, row: usize) -> bool {
    let t = data.time_s[row];
    t.is_finite() && t > 0.0
}

/// One side's measurement of one configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideSample {
    /// Index of its first row in [`Comparison::rows`].
    first: u32,
    /// Number of rows, including slower variants.
    total: u32,
    /// Number of repeats of the fastest variant.
    pub n: u32,
    /// Median time of one call, seconds; the faster of the middle two if the number of repeats is even.
    pub time_s: f64,
    /// Spread of one measurement, seconds: 1.4826 x MAD of the repeats, or for a single row the standard deviation in
    /// the file; NaN if neither is known.
    pub spread_s: f64,
    /// Interquartile range, seconds; NaN for fewer than four repeats.
    pub iqr_s: f64,
    /// Standard deviation, seconds; NaN for a single row that states none.
    pub std_s: f64,
    /// Work / median time, FLOP/s.
    pub rate: f64,
    /// Efficiency against the side's own roof; NaN if that is unknown.
    pub efficiency: f64,
    /// Calls that the configuration stands for.
    pub calls: f64,
}

impl SideSample {
    /// Number of rows of slower variants (other kernels, tiles), which are left out.
    pub(crate) fn slower_variants(&self) -> u32 {
        self.total - self.n
    }
}

/// Configurations by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Sides and keys.
    pub setup: Setup,
    /// Name of each side, the same as everywhere else.
    pub names: Vec<String>,
    /// Number of configurations per side, without ambiguous ones.
    pub configurations: Vec<u64>,
    /// Number of configurations that all sides have.
    pub matched: u64,
    /// Number of configurations per side that some other side lacks.
    pub unmatched: Vec<u64>,
    /// Number of configurations with different GEMMs or devices on one side, which are left out.
    pub ambiguous: u64,
    /// Number of rows without a time.
    pub unmeasured: u64,
    /// Number of configurations in which slower variants were left out.
    pub with_variants: u64,
    /// Number of configurations in which repeats were combined.
    pub with_repeats: u64,
    /// Number of configurations that at least two sides have.
    pairs: usize,
    /// One row per configuration, to read its key from.
    keys: Vec<u32>,
    /// Configurations that were also split by bias and beta, because a side has several of them under one key;
    /// ascending.
    split: Vec<u32>,
    /// True if all configurations that at least two sides have ran on one device.
    on_one_device: bool,
    /// End of each configuration's samples (prefix sum).
    ends: Vec<u32>,
    /// Side and sample, ordered by configuration and side.
    samples: Vec<(u16, SideSample)>,
    /// Rows by sample; [`SideSample`] points into it.
    rows: Vec<u32>,
}

impl Comparison {
    /// Compares the rows of a frame.
    pub fn new(frame: &Frame, setup: &Setup) -> Comparison {
        let data = &*frame.data;
        let mut setup = setup.clone();
        setup.sides.truncate(Setup::MOST_SIDES);
        let sides = setup.sides.len();
        let cats = frame.categories(&setup.side);
        // No row is of the side that others have published.
        let of_rows = &setup.sides[..sides - usize::from(setup.published)];
        let at: HashMap<&str, u16> = of_rows.iter().map(String::as_str).zip(0u16..).collect();
        let side_of: Vec<Option<u16>> =
            cats.values.iter().map(|v| at.get(v.as_str()).copied()).collect();
        let keys = keys(frame, &setup.keys);
        let side = |row: u32| side_of[cats.codes.get(row as usize) as usize];
        let mut unmeasured = 0;
        let mut of_side: Vec<u32> = Vec::with_capacity(frame.rows.len());
        for &row in frame.rows.iter().filter(|row| side(**row).is_some()) {
            if measured(data, row as usize) {
                of_side.push(row);
            } else {
                unmeasured += 1;
            }
        }
        // The lowest bits of a key are the side, so that rows of a side are adjacent.
        let bits = sides.next_power_of_two().trailing_zeros();
        let grouped = group::by_key(&of_side, &|row| {
            keys[row as usize] >> bits << bits | u64::from(side(row).unwrap_or(0))
        });
        let groups = in_file_order(&grouped, bits, data.len());
        let mut rows: Vec<u32> = Vec::with_capacity(grouped.len());
        let mut out = Comparison {
            configurations: vec![0; sides],
            unmatched: vec![0; sides],
            matched: 0,
            ambiguous: 0,
            unmeasured,
            with_variants: 0,
            with_repeats: 0,
            pairs: 0,
            keys: Vec::new(),
            split: Vec::new(),
            on_one_device: true,
            ends: Vec::new(),
            samples: Vec::new(),
            rows: Vec::new(),
            names: names(frame, &setup),
            setup,
        };
        let mut samples = Samples::new(frame);
        let mut part: Vec<(u64, u32)> = Vec::new();
        for (start, end) in groups {
            let group = &grouped[start as usize..end as usize];
            if out.add(&mut samples, group, bits, &mut rows) {
                continue;
            }
            // `mm` and `addmm` of one shape are compared separately.
            let epilogue = |of: &(u64, u32)| data.ops[data.op[of.1 as usize] as usize].epilogue();
            for one in Operation::EPILOGUES {
                part.clear();
                part.extend(group.iter().filter(|of| epilogue(of) == one));
                if part.is_empty() {
                    continue;
                }
                // A part that is the whole group failed already.
                let tells = part.len() < group.len();
                match tells && out.add(&mut samples, &part, bits, &mut rows) {
                    true => out.split.push(out.keys.len() as u32 - 1),
                    false => out.ambiguous += 1,
                }
            }
        }
        out.rows = rows;
        let several = (0..out.len()).filter(|c| out.samples(*c).len() > 1);
        let mut devices = several.map(|c| frame.device(out.row(c)));
        let first = devices.next();
        out.on_one_device = devices.all(|device| Some(device) == first);
        out
    }

    /// Adds a configuration, whose side is in the lowest `bits` of its keys; false if the rows of a side are different
    /// GEMMs.
    fn add(
        &mut self,
        samples: &mut Samples<'_>,
        group: &[(u64, u32)],
        bits: u32,
        rows: &mut Vec<u32>,
    ) -> bool {
        let (before, start) = (self.samples.len(), rows.len());
        rows.extend(group.iter().map(|s| s.1));
        let mut at = start;
        for of_side in group.chunk_by(|a, b| a.0 == b.0) {
            let n = of_side.len();
            let Some(mut s) = samples.sample(&mut rows[at..at + n]) else {
                self.samples.truncate(before);
                rows.truncate(start);
                return false;
            };
            s.first = at as u32;
            self.samples.push(((of_side[0].0 & ((1 << bits) - 1)) as u16, s));
            at += n;
        }
        if self.setup.published {
            let lead = |of: &(u16, SideSample)| rows[of.1.first as usize];
            let leads: Vec<u32> = self.samples[before..].iter().map(lead).collect();
            if let Some(of_others) = samples.published(&leads) {
                let side = self.setup.sides.len() - 1;
                self.samples.push((side as u16, SideSample { first: start as u32, ..of_others }));
            }
        }
        let samples = &self.samples[before..];
        let full = samples.len() == self.setup.sides.len();
        self.matched += u64::from(full);
        self.pairs += usize::from(samples.len() > 1);
        for (side, _) in samples {
            self.configurations[*side as usize] += 1;
            self.unmatched[*side as usize] += u64::from(!full);
        }
        // Counted only for configurations that all sides have.
        let any = |of: fn(&SideSample) -> bool| u64::from(full && samples.iter().any(|s| of(&s.1)));
        self.with_variants += any(|s| s.slower_variants() > 0);
        self.with_repeats += any(|s| s.n > 1);
        self.keys.push(group[0].1);
        self.ends.push(self.samples.len() as u32);
        true
    }

    /// Number of configurations that at least one side has.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if there are no configurations.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Sides that have a configuration, ascending, each with its sample.
    pub fn samples(&self, configuration: usize) -> &[(u16, SideSample)] {
        let end = |i: usize| self.ends.get(i).map_or(0, |&e| e as usize);
        let start = configuration.checked_sub(1).map_or(0, end);
        self.samples.get(start..end(configuration)).unwrap_or(&[])
    }

    /// The sample of one side, if it has the configuration.
    pub fn sample(&self, configuration: usize, side: usize) -> Option<&SideSample> {
        let found = self.samples(configuration).iter();
        found.filter(|s| usize::from(s.0) == side).map(|s| &s.1).next()
    }

    /// Seconds by which slower sides exceed the fastest, summed over configurations and sides, one call each.
    pub(crate) fn at_stake_s(&self) -> f64 {
        let times = |i| self.samples(i).iter().map(|s| s.1.time_s);
        let lost = |i| {
            let best = times(i).fold(f64::INFINITY, f64::min);
            times(i).map(|t| t - best).sum::<f64>()
        };
        (0..self.len()).map(lost).filter(|s| s.is_finite()).sum()
    }

    /// A row of the configuration, to read its key from.
    pub fn row(&self, configuration: usize) -> usize {
        self.keys.get(configuration).map_or(0, |&r| r as usize)
    }

    /// The rows of a sample; of a published time one that it is said of.
    pub fn rows_of(&self, sample: &SideSample) -> &[u32] {
        let first = sample.first as usize;
        self.rows.get(first..first + sample.n as usize).unwrap_or(&[])
    }

    /// Key of a configuration as text: `128 × 1280 × 2048, fp16, NT`; with the device if there are several.
    pub fn label(&self, frame: &Frame, configuration: usize) -> String {
        let row = self.row(configuration);
        let mut keys = self.setup.keys.clone();
        keys.retain(|key| *key != Field::Device || !self.on_one_device);
        let mut label = key_label(frame, &keys, row);
        if self.split.binary_search(&(configuration as u32)).is_ok() {
            label.push_str(frame.data.ops[frame.data.op[row] as usize].epilogue());
        }
        label
    }

    /// Number of configurations that at least two sides have.
    pub fn pairs_possible(&self) -> usize {
        self.pairs
    }

    /// The first side that shares a configuration with another one.
    pub fn first_matched(&self) -> Option<usize> {
        let matched = (0..self.len()).map(|c| self.samples(c));
        let sides = matched.filter(|s| s.len() > 1).map(|s| s[0].0);
        sides.min().map(usize::from)
    }

    /// By side: true if it shares a configuration with `side`.
    pub fn shared_with(&self, side: usize) -> Vec<bool> {
        let mut shared = vec![false; self.setup.sides.len()];
        for c in (0..self.len()).filter(|c| self.sample(*c, side).is_some()) {
            for (other, _) in self.samples(c) {
                shared[usize::from(*other)] = true;
            }
        }
        shared
    }

    /// Number of configurations that `side` has and `other` lacks.
    pub fn alone(&self, side: usize, other: usize) -> u64 {
        let has = |c: usize, side| self.sample(c, side).is_some();
        (0..self.len()).filter(|c| has(*c, side) && !has(*c, other)).count() as u64
    }

    /// Number of configurations that both sides have.
    pub fn shared(&self, a: usize, b: usize) -> u64 {
        let has = |c: usize, side| self.sample(c, side).is_some();
        (0..self.len()).filter(|c| has(*c, a) && has(*c, b)).count() as u64
    }
}

/// Names of sides: the frame's names if these are the frame's sides, else their values.
fn names(frame: &Frame, setup: &Setup) -> Vec<String> {
    let own = frame.decision().side.as_ref() == Some(&setup.side);
    let sides = match own {
        true => frame.counted().sides.as_slice(),
        false => &[],
    };
    let labels: HashMap<&str, &str> =
        sides.iter().map(|s| (s.value.as_str(), s.label.as_str())).collect();
    let name =
        |value: &String| labels.get(value.as_str()).map_or(value.clone(), |l| (*l).to_owned());
    told_apart(setup.sides.iter().map(name).collect())
}

/// Strips the common prefix (whole words) from long names such as kernels: `…MT256x256x64_MI16x16x1`.
fn told_apart(mut names: Vec<String>) -> Vec<String> {
    let is_long = |name: &&mut String| name.chars().count() > NAME;
    let long: Vec<&mut String> = names.iter_mut().filter(is_long).collect();
    let all: Vec<&str> = long.iter().map(|name| name.as_str()).collect();
    let shared = if all.len() > 1 { shared_start(&all) } else { 0 };
    for name in long {
        let start = name.char_indices().take(shared);
        let word = start.filter(|(_, c)| !c.is_alphanumeric()).last();
        let rest = word.map_or(name.clone(), |(at, c)| format!("…{}", &name[at + c.len_utf8()..]));
        *name = short(&rest).into_owned();
    }
    names
}

/// Length of the common prefix of names.
pub fn shared_start(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first() else {
        return 0;
    };
    others.iter().fold(first.chars().count(), |n, other| {
        let pairs = first.chars().zip(other.chars());
        n.min(pairs.take_while(|(a, b)| a == b).count())
    })
}

/// The values of a row's key fields as text.
pub(crate) fn key_label(frame: &Frame, keys: &[Field], row: usize) -> String {
    let data = &*frame.data;
    let mut parts = Vec::with_capacity(keys.len());
    for key in keys {
        let text = match key {
            Field::Shape => shape_label(&data.problem(row)),
            Field::Dtype => data.ops[data.op[row] as usize].types(),
            Field::Transposes => data.ops[data.op[row] as usize].layout().to_owned(),
            Field::Source => data.sources[data.source[row] as usize].name.clone(),
            Field::Device => frame.device_name(data.device[row]).to_owned(),
            Field::Column(name) => match data.columns.iter().find(|c| c.key == *name) {
                Some(c) => match &c.data {
                    ColumnData::Text { codes, values } => values[codes[row] as usize].clone(),
                    ColumnData::Number(v) => format!("{} {}", c.label, v[row]),
                },
                None => String::new(),
            },
            other => {
                let label = frame.info(other).map(|i| i.label).unwrap_or_default();
                format!("{label} {}", frame.numbers(other)(row))
            }
        };
        if !text.is_empty() {
            parts.push(text);
        }
    }
    parts.join(", ")
}

/// By row: hash of the values of the key fields.
fn keys(frame: &Frame, keys: &[Field]) -> Vec<u64> {
    let data = &*frame.data;
    let mut out = match keys.contains(&Field::Shape) {
        false => vec![0; data.len()],
        true => (0..data.len()).map(|r| data.sizes_hash(r)).collect(),
    };
    for key in keys.iter().filter(|k| **k != Field::Shape) {
        let cats = frame.categories(key);
        for (row, hash) in out.iter_mut().enumerate() {
            *hash = mix(*hash, u64::from(cats.codes.get(row)));
        }
    }
    // Mix once more, because grouping uses the upper bits.
    for hash in &mut out {
        *hash = mix(*hash, 0);
    }
    out
}

/// Start and end of each group of keys that are equal except for the lowest `bits`, in the order of their first rows.
/// `all` is the number of rows of the table.
fn in_file_order(grouped: &[(u64, u32)], bits: u32, all: usize) -> Vec<(u32, u32)> {
    const NONE: u32 = u32::MAX;
    let mut at_row = vec![(NONE, NONE); all];
    let mut start = 0;
    for group in grouped.chunk_by(|a, b| a.0 >> bits == b.0 >> bits) {
        let end = start + group.len() as u32;
        let first = group.iter().fold(NONE, |first, of| first.min(of.1));
        at_row[first as usize] = (start, end);
        start = end;
    }
    at_row.retain(|g| g.0 != NONE);
    at_row
}

#[cfg(test)]
mod tests;
