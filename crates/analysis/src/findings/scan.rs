//! Groups the rows once for all rules: a group has one shape, type, layout, device, file and kernel
//! (or operation), and any number of rows.

use crate::tile_roof::{RowTile, TileRoofs};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::roofline::{Bound, Roof};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Metrics;

/// Rows of one shape, type, layout, device, file and kernel.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its first row, from which shape, type and texts are read.
    pub row: u32,
    /// Number of rows.
    pub len: u32,
    start: u32,
    /// Calls of all rows.
    pub calls: f64,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Roof time of all calls, seconds; NaN without a roof.
    pub roof_s: f64,
    /// False for a kernel of a sweep that is slower than another one for the same shape. It costs
    /// no program time, so rules skip it.
    pub checked: bool,
}

impl Group {
    /// Time of one call, seconds.
    pub(crate) fn call_s(&self) -> f64 {
        self.time_s / self.calls
    }

    /// Roof time over time.
    pub fn efficiency(&self) -> f64 {
        self.roof_s / self.time_s
    }

    /// Time minus roof time of all calls, seconds; never negative.
    pub fn lost_s(&self) -> f64 {
        (self.time_s - self.roof_s).max(0.0)
    }
}

/// The time to which shares refer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The time in which the device computed, from the trace.
    ComputeTime,
    /// The time of all kernels in the file.
    ListedKernels,
    /// The time of the measured rows.
    MeasuredRows,
}

impl Whole {
    /// Name, for use after "of".
    pub fn label(self) -> &'static str {
        match self {
            Whole::ComputeTime => "compute time",
            Whole::ListedKernels => "kernel time",
            Whole::MeasuredRows => "measured time",
        }
    }
}

/// A frame prepared for the rules.
pub struct Scan<'a> {
    /// The rows and their figures.
    pub frame: &'a Frame,
    /// The groups.
    pub groups: Vec<Group>,
    order: Vec<u32>,
    /// Tiles and their roofs.
    pub tiles: TileRoofs<'a>,
    /// Time of the checked groups, seconds.
    pub time_s: f64,
    /// The time to which shares refer, seconds.
    pub whole_s: f64,
    /// Kind of that time.
    pub whole: Whole,
    /// True if several kernels were measured for each shape; only the best of each is checked.
    pub sweep: bool,
    /// True if rows are calls of a program, as in traces; else each is a separate measurement.
    pub program: bool,
    /// Number of rows without a time.
    pub unmeasured: u64,
    codes: Codes<'a>,
}

#[derive(Clone, Copy, Default)]
struct Codes<'a> {
    kernel: Option<&'a [u32]>,
    operation: Option<&'a [u32]>,
    library: Option<&'a [u32]>,
    count: Option<&'a [f64]>,
}

/// Mixes a word into a hash. Keys with equal hashes are compared in full.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// A hash table from keys to the order of their first appearance.
struct Index {
    slots: Vec<u32>,
    mask: usize,
}

impl Index {
    fn new(capacity: usize) -> Self {
        let size = (capacity * 2).next_power_of_two().max(16);
        Index {
            slots: vec![u32::MAX; size],
            mask: size - 1,
        }
    }

    /// The entry that `same` accepts; else stores and returns `next`.
    fn find(&mut self, hash: u64, next: u32, same: impl Fn(u32) -> bool) -> u32 {
        let mut at = (hash ^ (hash >> 32)) as usize & self.mask;
        loop {
            match self.slots[at] {
                u32::MAX => {
                    self.slots[at] = next;
                    return next;
                }
                entry if same(entry) => return entry,
                _ => at = (at + 1) & self.mask,
            }
        }
    }
}

/// Columns whose values distinguish configurations of a kernel.
const CONFIGURATION: [ColumnMeaning; 7] = [
    ColumnMeaning::TileM,
    ColumnMeaning::TileN,
    ColumnMeaning::TileK,
    ColumnMeaning::SplitK,
    ColumnMeaning::Stages,
    ColumnMeaning::Warps,
    ColumnMeaning::Order,
];

/// If shapes are fewer than this share of the groups, the file tries several kernels per shape.
const SWEEP_SHARE: f64 = 0.67;

impl<'a> Scan<'a> {
    /// Groups the rows of a frame.
    pub fn new(frame: &'a Frame) -> Self {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let codes = Codes {
            kernel: data.codes(ColumnMeaning::Kernel),
            operation: data.codes(ColumnMeaning::OpName),
            library: data.codes(ColumnMeaning::Library),
            count: data.numbers(ColumnMeaning::Count),
        };
        let configuration: Vec<&[f64]> = CONFIGURATION
            .iter()
            .filter_map(|meaning| data.numbers(*meaning))
            .collect();
        let code = |codes: Option<&[u32]>, r: usize| codes.map_or(0, |c| c[r]);
        let rows = &frame.rows;
        let mut index = Index::new(rows.len());
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of: Vec<u32> = Vec::with_capacity(rows.len());
        let mut unmeasured = 0;
        for &row in rows.iter() {
            let r = row as usize;
            let time = data.time_s[r];
            if time.is_nan() {
                unmeasured += 1;
                group_of.push(u32::MAX);
                continue;
            }
            let mut hash = shape_hash(data, r);
            hash = mix(hash, u64::from(code(codes.kernel, r)));
            hash = mix(hash, u64::from(code(codes.operation, r)) << 32);
            hash = mix(hash, u64::from(code(codes.library, r)));
            for values in &configuration {
                hash = mix(hash, values[r].to_bits());
            }
            let next = groups.len() as u32;
            let found = index.find(hash, next, |g| {
                let o = groups[g as usize].row as usize;
                same_shape(data, r, o)
                    && code(codes.kernel, r) == code(codes.kernel, o)
                    && code(codes.operation, r) == code(codes.operation, o)
                    && code(codes.library, r) == code(codes.library, o)
                    && configuration
                        .iter()
                        .all(|v| v[r].to_bits() == v[o].to_bits())
            });
            if found == next {
                groups.push(Group {
                    row,
                    len: 0,
                    start: 0,
                    calls: 0.0,
                    time_s: 0.0,
                    roof_s: 0.0,
                    checked: true,
                });
            }
            let g = &mut groups[found as usize];
            let calls = calls_of(codes.count, r);
            g.len += 1;
            g.calls += calls;
            g.time_s += time * calls;
            g.roof_s += metrics.roof_s[r] * calls;
            group_of.push(found);
        }
        let order = order_rows(&mut groups, &group_of, rows);
        let mut scan = Scan {
            frame,
            groups,
            order,
            tiles: TileRoofs::new(data, metrics),
            time_s: 0.0,
            whole_s: 0.0,
            whole: Whole::MeasuredRows,
            sweep: false,
            program: codes.count.is_some() || data.sources.iter().any(|s| s.trace.is_some()),
            unmeasured,
            codes,
        };
        scan.cluster();
        scan.measure_whole();
        scan
    }

    /// Finds groups of one shape and, in a sweep, the best of each.
    fn cluster(&mut self) {
        let data = &*self.frame.data;
        // Calls or operations show that a program ran. Without them, several kernels for one
        // shape are alternatives.
        if self.codes.count.is_some() || self.codes.operation.is_some() {
            return;
        }
        let mut index = Index::new(self.groups.len());
        let mut shape_of: Vec<u32> = Vec::with_capacity(self.groups.len());
        let mut first: Vec<u32> = Vec::new();
        for g in 0..self.groups.len() {
            let r = self.groups[g].row as usize;
            let next = first.len() as u32;
            let found = index.find(shape_hash(data, r), next, |c| {
                let o = self.groups[first[c as usize] as usize].row as usize;
                same_shape(data, r, o)
            });
            if found == next {
                first.push(g as u32);
            }
            shape_of.push(found);
        }
        self.sweep = (first.len() as f64) < SWEEP_SHARE * self.groups.len() as f64;
        if !self.sweep {
            return;
        }
        let mut best: Vec<u32> = first.clone();
        for (g, (group, shape)) in self.groups.iter().zip(&shape_of).enumerate() {
            let holder = &mut best[*shape as usize];
            if group.call_s() < self.groups[*holder as usize].call_s() {
                *holder = g as u32;
            }
        }
        for (g, (group, shape)) in self.groups.iter_mut().zip(&shape_of).enumerate() {
            group.checked = best[*shape as usize] == g as u32;
        }
    }

    /// The time to which shares refer: the compute time of the traces, else the time of their
    /// kernels, else the time of the rows.
    fn measure_whole(&mut self) {
        let data = &*self.frame.data;
        let mut by_source = vec![0.0; data.sources.len()];
        for g in self.groups.iter().filter(|g| g.checked) {
            self.time_s += g.time_s;
            if let Some(s) = by_source.get_mut(usize::from(data.source[g.row as usize])) {
                *s += g.time_s;
            }
        }
        let (mut traced, mut listed) = (false, false);
        for (source, own) in data.sources.iter().zip(by_source) {
            if own == 0.0 {
                continue;
            }
            let compute = source
                .trace
                .as_ref()
                .and_then(|t| t.compute_s.or(t.total_s));
            self.whole_s += match compute {
                Some(compute) if compute >= own => {
                    traced = true;
                    compute
                }
                _ => {
                    listed |= source.not_gemm.rows + source.without_model.rows > 0;
                    own + source.not_gemm.time_s + source.without_model.time_s
                }
            };
        }
        self.whole = match (traced, listed) {
            (true, _) => Whole::ComputeTime,
            (false, true) => Whole::ListedKernels,
            (false, false) => Whole::MeasuredRows,
        };
    }

    /// The data.
    pub fn data(&self) -> &'a Dataset {
        &self.frame.data
    }

    /// The figures.
    pub fn metrics(&self) -> &'a Metrics {
        &self.frame.metrics
    }

    /// Rows of a group, ascending.
    pub fn rows(&self, group: &Group) -> &[u32] {
        let start = group.start as usize;
        self.order
            .get(start..start + group.len as usize)
            .unwrap_or(&[])
    }

    /// The groups that rules check, each with its number.
    pub fn checked(&self) -> impl Iterator<Item = (u32, &Group)> {
        (0u32..).zip(&self.groups).filter(|(_, g)| g.checked)
    }

    /// Share of the whole.
    pub fn share(&self, time_s: f64) -> f64 {
        if self.whole_s > 0.0 {
            time_s / self.whole_s
        } else {
            0.0
        }
    }

    /// Shape, types, layout.
    pub fn problem(&self, group: &Group) -> Problem {
        self.data().problem(group.row as usize)
    }

    /// Roof of a group.
    pub fn roof(&self, group: &Group) -> Option<Roof> {
        self.metrics().roof(self.data(), group.row as usize)
    }

    /// Device of a group.
    pub fn device(&self, group: &Group) -> Option<&'a Device> {
        self.metrics()
            .devices
            .get(usize::from(self.data().device[group.row as usize]))?
            .as_ref()
    }

    /// What limits a group at its roof.
    pub fn bound(&self, group: &Group) -> Option<Bound> {
        let row = group.row as usize;
        self.roof(group).map(|r| r.bound(self.metrics().ai[row]))
    }

    /// Tile of a group and its roof, from its first row.
    pub fn tile(&self, group: &Group) -> Option<RowTile> {
        self.tiles.of(group.row as usize)
    }

    /// `datasheet roof`, `max-achievable roof`.
    pub fn roof_name(&self) -> &'static str {
        crate::explain::roof_name(self.metrics().kind)
    }

    /// True if the roofs are achievable rates, not the datasheet's.
    pub fn achievable(&self) -> bool {
        self.metrics().kind == RoofKind::Achievable
    }

    /// Shape, type and kernel or operation of a group, in one line.
    pub fn title(&self, group: &Group) -> String {
        let row = group.row as usize;
        let data = self.data();
        let name = [ColumnMeaning::OpName, ColumnMeaning::Library]
            .into_iter()
            .map(|meaning| data.text(meaning, row))
            .find(|t| !t.is_empty());
        match name {
            Some(name) => format!("{name} {}", self.problem(group)),
            None => self.problem(group).to_string(),
        }
    }

    /// Code of a group's library, if the file has such a column.
    pub fn library(&self, group: &Group) -> Option<u32> {
        self.codes.library.map(|c| c[group.row as usize])
    }

    /// Calls that a row stands for.
    pub fn calls(&self, row: usize) -> f64 {
        calls_of(self.codes.count, row)
    }
}

fn calls_of(count: Option<&[f64]>, row: usize) -> f64 {
    match count {
        Some(v) if v[row] >= 0.0 => v[row],
        _ => 1.0,
    }
}

fn shape_hash(data: &Dataset, r: usize) -> u64 {
    let mut hash = mix(0, u64::from(data.m[r]) | u64::from(data.n[r]) << 32);
    hash = mix(hash, u64::from(data.k[r]) | u64::from(data.batch[r]) << 32);
    let codes = u64::from(data.op[r]) | u64::from(data.device[r]) << 16;
    mix(hash, codes | u64::from(data.source[r]) << 32)
}

fn same_shape(data: &Dataset, a: usize, b: usize) -> bool {
    data.m[a] == data.m[b]
        && data.n[a] == data.n[b]
        && data.k[a] == data.k[b]
        && data.batch[a] == data.batch[b]
        && data.op[a] == data.op[b]
        && data.device[a] == data.device[b]
        && data.source[a] == data.source[b]
}

/// Rows sorted by group, each group's ascending.
fn order_rows(groups: &mut [Group], group_of: &[u32], rows: &[u32]) -> Vec<u32> {
    let mut start = 0;
    for g in groups.iter_mut() {
        g.start = start;
        start += g.len;
    }
    let mut next: Vec<u32> = groups.iter().map(|g| g.start).collect();
    let mut order = vec![0; start as usize];
    for (&g, &row) in group_of.iter().zip(rows) {
        if g != u32::MAX {
            order[next[g as usize] as usize] = row;
            next[g as usize] += 1;
        }
    }
    order
}
