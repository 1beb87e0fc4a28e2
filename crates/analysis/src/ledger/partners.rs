//! The fastest comparable runs of every GEMM of a table: what else was measured that differs in one thing.
//!
//! A *group* is one configuration (M, N, K, batch, types, layout, epilogue) of one library in one file
//! on one device. Its candidate is its fastest kernel or tile (the median of that one's repeats). Groups
//! that agree in all but one property form a line; a group's partner is the fastest of its line that is
//! not itself. Lines are found by hashing and bucketed sorting, so the work is linear in the rows but for
//! sorts within a bucket; groups have the order of their first rows, so columns are read in sequence. All
//! rows of the table take part, whatever passes the filters.

use super::account::Account;
use gemmscope_model::dtype::DataType;
use gemmscope_table::data_kind::{variant, variant_columns};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::group::mix;
use gemmscope_table::metrics::Metrics;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A difference of up to 2 % is no difference.
pub const TIE: f64 = 1.02;

/// No group, no row.
pub(super) const NONE: u32 = u32::MAX;

/// The kinds of lines, the smallest change first.
pub(super) const LINES: [Account; 4] =
    [Account::Layout, Account::Type, Account::Size, Account::Library];

/// Rows or groups of one step.
const STEP: usize = if cfg!(test) { 7 } else { 100_000 };

/// What is comparable in a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partners {
    /// Group of each row; [`NONE`] without a time.
    pub(super) group_of: Vec<u32>,
    /// Row of the fastest run of each group that is not above its datasheet roof, [`NONE`] if all are.
    pub(super) fastest: Vec<u32>,
    /// By kind of line: the group with the fastest run that differs in that alone; empty if nothing
    /// in the table differs in it.
    pub(super) of: [Vec<u32>; 4],
}

impl Partners {
    /// All at once.
    pub fn of(frame: &Frame) -> Arc<Partners> {
        let mut steps = Steps::new(frame);
        while steps.step() {}
        steps.finish()
    }
}

/// Works out [`Partners`] a step at a time.
pub struct Steps<'a> {
    data: &'a Dataset,
    metrics: &'a Metrics,
    variants: Vec<&'a ColumnData>,
    properties: Properties<'a>,
    /// By kind of line: something in the table differs in it.
    differs: [bool; 4],
    rows: Vec<u32>,
    keys: Vec<u64>,
    spread: Option<Spread>,
    /// 0: groups; above: one of `lines`.
    stage: usize,
    lines: Vec<Line>,
    first: Vec<u32>,
    /// First row and fastest run of each group of several rows.
    several: Vec<(u32, u32)>,
    /// Seconds of each group's fastest run; infinite where it has none.
    candidate_s: Vec<f64>,
    out: Partners,
}

/// What groups of one line have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// The sizes: layouts, types and libraries differ.
    Sizes,
    /// All but this size: 0 is M, 1 is N, 2 is K.
    Larger(usize),
}

/// Up to so many groups of the same sizes are compared each with each.
const FEW: usize = if cfg!(test) { 3 } else { 24 };

/// Place of [`Account::Size`] in [`LINES`].
const SIZE: usize = 2;

impl<'a> Steps<'a> {
    /// Looks at the columns; no row is grouped yet.
    pub fn new(frame: &'a Frame) -> Steps<'a> {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let properties = Properties::new(data, metrics);
        let timed = |row: &u32| data.time_s[*row as usize] > 0.0;
        let rows: Vec<u32> = (0..data.len() as u32).filter(timed).collect();
        let mut lines = vec![Line::Larger(0), Line::Larger(1), Line::Larger(2)];
        let differs = [
            alike(&properties.without_layout),
            alike(&properties.without_types),
            false,
            data.sources.len() > 1 || properties.library.is_some(),
        ];
        if differs.contains(&true) {
            lines.push(Line::Sizes);
        }
        Steps {
            data,
            metrics,
            variants: variant_columns(data),
            properties,
            keys: Vec::with_capacity(rows.len()),
            spread: None,
            stage: 0,
            lines,
            first: Vec::new(),
            several: Vec::new(),
            candidate_s: Vec::new(),
            differs,
            out: Partners { group_of: vec![NONE; data.len()], ..Partners::default() },
            rows,
        }
    }

    /// Does some of it; false once all is done.
    pub fn step(&mut self) -> bool {
        if self.stage > self.lines.len() {
            return false;
        }
        let members = if self.stage == 0 { &self.rows } else { &self.first };
        let line = self.stage.checked_sub(1).map(|i| self.lines[i]);
        if self.keys.len() < members.len() {
            let next = members[self.keys.len()..].iter().take(STEP);
            let (properties, data) = (&self.properties, self.data);
            match line {
                None => self.keys.extend(next.map(|&row| properties.group(data, row))),
                Some(line) => self.keys.extend(next.map(|&row| properties.line(data, row, line))),
            }
            return true;
        }
        let Some(mut spread) = self.spread.take() else {
            self.spread = Some(Spread::new(&self.keys));
            return true;
        };
        if let Some(found) = spread.next(STEP) {
            let mut members: Vec<u32> = Vec::new();
            for equal in found.chunk_by(|a, b| spread.same(*a, *b)) {
                members.clear();
                members.extend(equal.iter().map(|m| spread.member(*m)));
                match line {
                    None => self.add_group(&members),
                    Some(_) if members.len() < 2 => {}
                    Some(Line::Sizes) => self.pair(&members),
                    Some(Line::Larger(size)) => self.pair_larger(&members, size),
                }
            }
            self.spread = Some(spread);
            return true;
        }
        self.keys.clear();
        if self.stage == 0 {
            self.number_groups();
        }
        self.stage += 1;
        self.stage <= self.lines.len()
    }

    /// What was found.
    pub fn finish(self) -> Arc<Partners> {
        Arc::new(self.out)
    }

    /// A group of members of `rows`, ascending: its first row stands for it until groups are numbered.
    fn add_group(&mut self, members: &[u32]) {
        let row = |member: u32| self.rows[member as usize];
        let first = row(members[0]);
        for &member in members {
            self.out.group_of[self.rows[member as usize] as usize] = first;
        }
        // Most groups are one row, which is possible where it is looked at again.
        if members.len() > 1 {
            let rows: Vec<u32> = members.iter().map(|m| row(*m)).collect();
            if let Some(fastest) = self.fastest_of(&rows) {
                self.several.push((first, fastest));
            } else {
                self.several.push((first, NONE));
            }
        }
    }

    /// Numbers the groups by their first rows, and notes their fastest runs.
    fn number_groups(&mut self) {
        let mut several = std::mem::take(&mut self.several);
        several.sort_unstable();
        let mut several = several.into_iter().peekable();
        for &row in &self.rows {
            let r = row as usize;
            let first = self.out.group_of[r];
            if first != row {
                // The first row of its group has been numbered.
                self.out.group_of[r] = self.out.group_of[first as usize];
                continue;
            }
            self.out.group_of[r] = self.first.len() as u32;
            self.first.push(row);
            let fastest = match several.next_if(|s| s.0 == row) {
                Some((_, fastest)) => fastest,
                None if self.possible(row) => row,
                None => NONE,
            };
            self.out.fastest.push(fastest);
            self.candidate_s.push(match fastest {
                NONE => f64::INFINITY,
                row => self.data.time_s[row as usize],
            });
        }
        for (at, differs) in self.differs.into_iter().enumerate() {
            if differs || at == SIZE {
                self.out.of[at] = vec![NONE; self.first.len()];
            }
        }
    }

    /// False for a run that is over 2 % above its datasheet roof: it is nobody's alternative.
    fn possible(&self, row: u32) -> bool {
        let r = row as usize;
        let sheet_s = self.metrics.sheet_s(self.data, r);
        sheet_s.is_nan() || self.data.time_s[r] >= sheet_s / TIE
    }

    /// The fastest variant of rows of one configuration, by the middle one of its repeats (of an even
    /// number the faster of the two), of those that are not above their roof.
    fn fastest_of(&self, rows: &[u32]) -> Option<u32> {
        let data = self.data;
        let time = |row: u32| data.time_s[row as usize];
        let mut runs: Vec<(u64, u32)> =
            rows.iter().map(|r| (variant(&self.variants, 0, *r as usize), *r)).collect();
        runs.sort_unstable();
        let mut best: Option<u32> = None;
        for repeats in runs.chunk_by_mut(|a, b| a.0 == b.0) {
            repeats.sort_unstable_by(|a, b| time(a.1).total_cmp(&time(b.1)).then(a.1.cmp(&b.1)));
            let middle = repeats[(repeats.len() - 1) / 2].1;
            let faster = |b: u32| (time(middle), middle) < (time(b), b);
            if best.is_none_or(faster) && self.possible(middle) {
                best = Some(middle);
            }
        }
        best
    }

    /// Gives each of the groups of some sizes on one device its fastest partner of each kind.
    fn pair(&mut self, groups: &[u32]) {
        if groups.len() > FEW {
            return self.pair_many(groups);
        }
        let alike: Vec<[u64; 4]> = groups.iter().map(|g| self.alike(*g)).collect();
        for at in (0..LINES.len()).filter(|at| self.differs[*at]) {
            for (i, &g) in groups.iter().enumerate() {
                for (j, &other) in groups.iter().enumerate() {
                    if i != j
                        && alike[i][at] == alike[j][at]
                        && self.faster(other, self.out.of[at][g as usize])
                    {
                        self.out.of[at][g as usize] = other;
                    }
                }
            }
        }
    }

    /// As [`pair`](Self::pair), by sorting: of each line the two fastest, and the partner of the fastest
    /// is the second.
    fn pair_many(&mut self, groups: &[u32]) {
        for at in (0..LINES.len()).filter(|at| self.differs[*at]) {
            let mut keyed: Vec<(u64, u32)> =
                groups.iter().map(|g| (self.alike(*g)[at], *g)).collect();
            keyed.sort_unstable();
            for line in keyed.chunk_by(|a, b| a.0 == b.0) {
                let mut best = [NONE; 2];
                for &(_, g) in line {
                    if self.faster(g, best[0]) {
                        best = [g, best[0]];
                    } else if self.faster(g, best[1]) {
                        best[1] = g;
                    }
                }
                for &(_, g) in line {
                    let partner = if best[0] == g { best[1] } else { best[0] };
                    self.out.of[at][g as usize] = partner;
                }
            }
        }
    }

    /// By kind of line, what a group has in common with its partners besides sizes and device.
    fn alike(&self, group: u32) -> [u64; 4] {
        let (data, p, r) = (self.data, &self.properties, self.first[group as usize] as usize);
        let op = usize::from(data.op[r]);
        // Bytes and peak alike make one roof.
        let rate = match self.metrics.roof_of(data.device[r], data.op[r]) {
            Some(roof) => roof.peak_flops_per_s.to_bits(),
            None => p.unknown_rate[op],
        };
        let types = mix(p.without_types[op], rate);
        let place = p.place(data, r);
        let layout = mix(p.without_layout[op], place);
        [layout, mix(types, place), 0, op as u64]
    }

    /// Gives each group of a line its fastest partner that is larger in one size.
    fn pair_larger(&mut self, groups: &[u32], size: usize) {
        let sizes = [&self.data.m, &self.data.n, &self.data.k][size];
        let first = &self.first;
        let of = |g: u32| sizes[first[g as usize] as usize];
        let mut groups: Vec<(u32, u32)> = groups.iter().map(|g| (!of(*g), *g)).collect();
        groups.sort_unstable();
        let mut best = NONE;
        for (_, g) in groups {
            if best != NONE && self.faster(best, self.out.of[SIZE][g as usize]) {
                self.out.of[SIZE][g as usize] = best;
            }
            if self.faster(g, best) {
                best = g;
            }
        }
    }

    /// True if a group's fastest run takes less time than another's; of equal ones the first row.
    fn faster(&self, g: u32, than: u32) -> bool {
        let time = |g: u32| self.candidate_s[g as usize];
        if time(g) == f64::INFINITY {
            return false;
        }
        than == NONE || (time(g), g) < (time(than), than)
    }
}

/// Members `0..n` in buckets by their keys, sorted a few buckets at a time, equal keys beside each other.
/// A member and the bits of its key that its bucket does not tell share a word: at a million members 44
/// bits of the key and 12 of the bucket, so keys of different lines are equal once in 400,000 tables.
struct Spread {
    words: Vec<u64>,
    ends: Vec<u32>,
    /// Buckets that are sorted.
    sorted: usize,
    /// Bits of a member.
    bits: u32,
}

/// Members of a bucket: what is sorted then lies in the processor's nearest cache.
const BUCKET: usize = 256;

impl Spread {
    fn new(keys: &[u64]) -> Spread {
        let bits = keys.len().max(2).next_power_of_two().trailing_zeros();
        let many = (keys.len() / BUCKET).next_power_of_two();
        let shift = 64 - many.trailing_zeros();
        let bucket = |key: u64| key.checked_shr(shift).unwrap_or(0) as usize;
        let mut next = vec![0u32; many + 1];
        for &key in keys {
            next[bucket(key) + 1] += 1;
        }
        for i in 1..next.len() {
            next[i] += next[i - 1];
        }
        let ends = next[1..].to_vec();
        let mut words = vec![0; keys.len()];
        for (member, &key) in (0u64..).zip(keys) {
            let at = &mut next[bucket(key)];
            words[*at as usize] = key << bits | member;
            *at += 1;
        }
        Spread { words, ends, sorted: 0, bits }
    }

    /// Sorts the next buckets, together about `most` members, and gives them; `None` after the last.
    fn next(&mut self, most: usize) -> Option<Vec<u64>> {
        let end_of = |i: usize| self.ends[i] as usize;
        let first = self.sorted.checked_sub(1).map_or(0, end_of);
        if self.sorted == self.ends.len() {
            return None;
        }
        let mut start = first;
        while self.sorted < self.ends.len() && start - first < most {
            let end = self.ends[self.sorted] as usize;
            self.words[start..end].sort_unstable();
            start = end;
            self.sorted += 1;
        }
        Some(self.words[first..start].to_vec())
    }

    /// True if two words have one key. Members of two buckets may have equal words, and are far from
    /// each other but at the edge of a bucket.
    fn same(&self, a: u64, b: u64) -> bool {
        a >> self.bits == b >> self.bits
    }

    fn member(&self, word: u64) -> u32 {
        (word & ((1 << self.bits) - 1)) as u32
    }
}

/// The properties that groups agree or differ in, as numbers a code.
struct Properties<'a> {
    library: Option<&'a [u32]>,
    /// By device: the first device of the dataset that is the same one.
    device: Vec<u16>,
    /// By operation: the same for operations that differ in the layout alone.
    without_layout: Vec<u64>,
    /// By operation: the same for operations that differ in the types alone and move the same bytes.
    without_types: Vec<u64>,
    /// By operation: what stands for its peak rate where that is not known.
    unknown_rate: Vec<u64>,
}

/// True if two values are equal.
fn alike(values: &[u64]) -> bool {
    let mut seen: Vec<u64> = values.to_vec();
    seen.sort_unstable();
    seen.windows(2).any(|w| w[0] == w[1])
}

impl<'a> Properties<'a> {
    fn new(data: &'a Dataset, metrics: &Metrics) -> Self {
        let mut known: FxHashMap<(bool, &str), u16> = FxHashMap::default();
        let device = (0..data.devices.len()).map(|i| {
            let name = match metrics.devices.get(i).and_then(Option::as_ref) {
                Some(device) => (true, device.id.as_str()),
                None => (false, data.devices[i].as_str()),
            };
            *known.entry(name).or_insert(i as u16)
        });
        let device = device.collect();
        let without_types = data.ops.iter().map(|op| {
            let cost = op.cost();
            let layout = op.layout().bytes().fold(0, |h, b| h << 8 | u64::from(b));
            let parts = [
                cost.bytes_a.to_bits(),
                cost.bytes_b.to_bits(),
                cost.bytes_c.to_bits(),
                cost.flops_per_mac.to_bits(),
                layout << 2 | u64::from(op.bias) << 1 | u64::from(op.beta),
            ];
            parts.into_iter().fold(1, mix)
        });
        let unknown_rate = data.ops.iter().map(|op| match op.compute {
            // They multiply at one rate on every device that has both.
            DataType::Fp16 | DataType::Bf16 => 1,
            other => 2 + other as u64,
        });
        Properties {
            library: data.codes(ColumnMeaning::Library),
            device,
            without_layout: data.ops.iter().map(|o| o.with_layout(false, false).key()).collect(),
            without_types: without_types.collect(),
            unknown_rate: unknown_rate.collect(),
        }
    }

    fn device(&self, data: &Dataset, r: usize) -> u64 {
        u64::from(self.device[usize::from(data.device[r])])
    }

    fn place(&self, data: &Dataset, r: usize) -> u64 {
        u64::from(data.source[r]) << 32 | self.library.map_or(0, |codes| u64::from(codes[r]))
    }

    /// What rows of one group have in common.
    fn group(&self, data: &Dataset, row: u32) -> u64 {
        let r = row as usize;
        let op = u64::from(data.op[r]) << 16 | self.device(data, r);
        mix(mix(data.sizes_hash(r), op), self.place(data, r))
    }

    /// What the groups of a line have in common, from a row of the group.
    fn line(&self, data: &Dataset, row: u32, line: Line) -> u64 {
        let r = row as usize;
        let device = self.device(data, r);
        match line {
            Line::Sizes => mix(data.sizes_hash(r), device),
            Line::Larger(size) => {
                let mut sizes = [data.m[r], data.n[r], data.k[r]].map(u64::from);
                sizes[size] = 0;
                let hash = mix(7, sizes[0] | sizes[1] << 32);
                let hash = mix(hash, sizes[2] | u64::from(data.batch[r]) << 32);
                mix(mix(hash, u64::from(data.op[r]) << 16 | device), self.place(data, r))
            }
        }
    }
}
