//! Rows grouped once, so that every rule looks at groups: one group is one shape, type, layout,
//! device, file and kernel (or operation), whatever the number of its rows.

use crate::dataset::{ColumnData, Dataset, Role};
use crate::field::Frame;
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind};
use crate::metrics::Metrics;
use crate::roofline::{Bound, Roof};
use crate::shape_roof::{RowShape, ShapeRoofs};

/// Rows of one shape, type, layout, device, file and kernel.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// First of its rows: shape, type and texts are read there.
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
    /// False for a candidate of a sweep that another one of the same shape beats: no time is
    /// spent there, so nothing can be given back.
    pub judged: bool,
}

impl Group {
    /// Seconds a call.
    pub fn call_s(&self) -> f64 {
        self.time_s / self.calls
    }

    /// Roof time over time.
    pub fn efficiency(&self) -> f64 {
        self.roof_s / self.time_s
    }

    /// Time over the roof time, all calls; never negative.
    pub fn lost_s(&self) -> f64 {
        (self.time_s - self.roof_s).max(0.0)
    }
}

/// What shares are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Time in which the device computed, from the trace.
    ComputeTime,
    /// All kernels that the file lists.
    ListedKernels,
    /// The measured rows themselves.
    MeasuredRows,
}

impl Whole {
    /// In words, after "of".
    pub fn label(self) -> &'static str {
        match self {
            Whole::ComputeTime => "compute time",
            Whole::ListedKernels => "kernel time",
            Whole::MeasuredRows => "measured time",
        }
    }
}

/// A frame made ready for the rules.
pub struct Scan<'a> {
    /// The rows and their figures.
    pub frame: &'a Frame,
    /// The groups.
    pub groups: Vec<Group>,
    order: Vec<u32>,
    /// Tiles and second roofs.
    pub shapes: ShapeRoofs<'a>,
    /// Time of the judged groups, seconds.
    pub time_s: f64,
    /// What shares are of, seconds.
    pub whole_s: f64,
    /// What that is.
    pub whole: Whole,
    /// Several candidates were measured for each shape: only the best of each is judged.
    pub sweep: bool,
    /// Rows are calls of a program, as traces count them; else each is a measurement by itself.
    pub program: bool,
    /// Rows without a measurement.
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

fn text_codes(data: &Dataset, role: Role) -> Option<&[u32]> {
    match &data.role(role)?.data {
        ColumnData::Text { codes, .. } => Some(codes),
        ColumnData::Number(_) => None,
    }
}

/// Numbers of a role, one a row.
pub fn numbers(data: &Dataset, role: Role) -> Option<&[f64]> {
    match &data.role(role)?.data {
        ColumnData::Number(v) => Some(v),
        ColumnData::Text { .. } => None,
    }
}

/// Mixes words into a hash; good enough for keys that are compared in full anyway.
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

    /// The entry that `same` accepts, or `next` after noting it.
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

/// Roles whose values tell one configuration of a kernel from another.
const CONFIGURATION: [Role; 7] = [
    Role::TileM,
    Role::TileN,
    Role::TileK,
    Role::SplitK,
    Role::Stages,
    Role::Warps,
    Role::Order,
];

/// Clusters under this share of the groups mean that a file tries several kernels a shape.
const SWEEP_SHARE: f64 = 0.67;

impl<'a> Scan<'a> {
    /// Groups the rows of a frame.
    pub fn new(frame: &'a Frame) -> Self {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let codes = Codes {
            kernel: text_codes(data, Role::Kernel),
            operation: text_codes(data, Role::OpName),
            library: text_codes(data, Role::Library),
            count: numbers(data, Role::Count),
        };
        let configuration: Vec<&[f64]> = CONFIGURATION
            .iter()
            .filter_map(|role| numbers(data, *role))
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
                    judged: true,
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
            shapes: ShapeRoofs::new(data, metrics),
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
        // What a program spends is told by calls or by operations; without either, several
        // kernels for one shape are candidates.
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
            group.judged = best[*shape as usize] == g as u32;
        }
    }

    /// What shares are of: the compute time of the traces, else the kernels they list, else the
    /// rows themselves.
    fn measure_whole(&mut self) {
        let data = &*self.frame.data;
        let mut by_source = vec![0.0; data.sources.len()];
        for g in self.groups.iter().filter(|g| g.judged) {
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

    /// Groups in which time is spent, with their number.
    pub fn judged(&self) -> impl Iterator<Item = (u32, &Group)> {
        (0u32..).zip(&self.groups).filter(|(_, g)| g.judged)
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

    /// Tile and second roof of a group, from its first row.
    pub fn shape(&self, group: &Group) -> Option<RowShape> {
        self.shapes.of(group.row as usize)
    }

    /// `datasheet roof`, `max-achievable roof`.
    pub fn roof_name(&self) -> &'static str {
        crate::explain::roof_name(self.metrics().kind)
    }

    /// Roofs are what somebody measured, not what the vendor promises.
    pub fn achievable(&self) -> bool {
        self.metrics().kind == RoofKind::Achievable
    }

    /// Shape, type, and what ran: a group in one line.
    pub fn title(&self, group: &Group) -> String {
        let row = group.row as usize;
        let data = self.data();
        let name = [Role::OpName, Role::Library]
            .into_iter()
            .map(|role| data.text(role, row))
            .find(|t| !t.is_empty());
        match name {
            Some(name) => format!("{name} {}", self.problem(group)),
            None => self.problem(group).to_string(),
        }
    }

    /// Code of the library that ran a group, where the file has such a column.
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
