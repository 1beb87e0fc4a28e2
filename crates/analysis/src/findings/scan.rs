//! Groups the rows once for all rules: the rows of a group share shape, type, layout, device, file and kernel (or
//! operation).

use super::side_time::{SideTime, Whole};
use super::sums::Sums;
use crate::ledger::Partners;
use crate::names::{roof_name, short};
use crate::tile_roof::{RowTile, TileRoofs};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::pass;
use gemmscope_model::roofline::{Bound, Roof};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::group::{ascending, mix};
use gemmscope_table::metrics::Metrics;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that share shape, type, layout, device, file and kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Its first row, from which shape, type and texts are read.
    pub row: u32,
    /// Number of rows.
    pub len: u32,
    start: u32,
    /// Total calls of its rows.
    pub calls: f64,
    /// Time of all calls, seconds.
    pub time_s: f64,
    /// Roof time of all calls, seconds; NaN without a roof.
    pub roof_s: f64,
    /// Launch floor of its device, seconds per call.
    pub launch_s: f64,
    /// False for a variant that is slower than another one of the same GEMM. It is in no total, so rules skip it.
    pub checked: bool,
    /// Index of its side in [`Scan::parts`].
    pub side: u16,
}

impl Group {
    /// Time of one call, seconds.
    pub fn call_s(&self) -> f64 {
        self.time_s / self.calls
    }

    /// Roof time / time.
    pub fn efficiency(&self) -> f64 {
        self.roof_s / self.time_s
    }
}

/// A frame prepared for the rules.
pub struct Scan<'a> {
    /// The rows and their figures.
    pub frame: &'a Frame,
    /// The groups.
    pub groups: Vec<Group>,
    order: Vec<u32>,
    /// Tile roofs of the rows.
    pub tiles: Arc<TileRoofs<'a>>,
    /// Time of the checked groups of all sides, seconds.
    pub time_s: f64,
    /// The sides, each with its time; a single unnamed one if there are none.
    pub parts: Vec<SideTime>,
    /// Kind of the rows.
    pub kind: DataKind,
    /// Number of rows without a time.
    pub unmeasured: u64,
    /// The ledger by cause, once computed.
    pub(super) sums: Option<Sums<'a>>,
    /// By row, its signs as bits.
    pub(super) marks: Vec<u16>,
}

/// Groups the rows of a frame.
struct Grouping<'a> {
    frame: &'a Frame,
    /// Columns that distinguish groups, besides sizes, types, device and file.
    names: Vec<&'a [u32]>,
    settings: Vec<&'a [f64]>,
    numbers: FxHashMap<u64, u32>,
    groups: Vec<Group>,
    /// Group of each row so far; `u32::MAX` without a time.
    group_of: Vec<u32>,
    unmeasured: u64,
}

impl<'a> Grouping<'a> {
    fn new(frame: &'a Frame) -> Self {
        let data = &*frame.data;
        let names = [ColumnMeaning::Kernel, ColumnMeaning::OpName, ColumnMeaning::Library];
        Grouping {
            frame,
            names: names.iter().filter_map(|name| data.codes(*name)).collect(),
            settings: ColumnMeaning::SETTINGS.iter().filter_map(|of| data.numbers(*of)).collect(),
            numbers: FxHashMap::default(),
            groups: Vec::new(),
            group_of: Vec::with_capacity(frame.rows.len()),
            unmeasured: 0,
        }
    }

    fn add(&mut self, row: u32) {
        let (data, metrics) = (&*self.frame.data, &*self.frame.metrics);
        let r = row as usize;
        let time = data.time_s[r];
        if time.is_nan() {
            self.unmeasured += 1;
            self.group_of.push(u32::MAX);
            return;
        }
        let codes = u64::from(data.op[r]) | u64::from(data.device[r]) << 16;
        let hash = mix(data.sizes_hash(r), codes | u64::from(data.source[r]) << 32);
        let hash = self.names.iter().fold(hash, |hash, codes| mix(hash, u64::from(codes[r])));
        let values = self.settings.iter();
        let hash = values.fold(hash, |hash, values| mix(hash, values[r].to_bits()));
        let next = self.groups.len() as u32;
        let found = *self.numbers.entry(hash).or_insert(next);
        if found == next {
            self.groups.push(Group {
                row,
                len: 0,
                start: 0,
                calls: 0.0,
                time_s: 0.0,
                roof_s: 0.0,
                launch_s: metrics.launch_s(data, r),
                checked: true,
                side: 0,
            });
        }
        let g = &mut self.groups[found as usize];
        let calls = self.frame.calls(r);
        g.len += 1;
        g.calls += calls;
        g.time_s += time * calls;
        g.roof_s += metrics.roof_s[r] * calls;
        self.group_of.push(found);
    }

    /// The groups, not counted yet.
    fn finish(mut self) -> Scan<'a> {
        let frame = self.frame;
        let order = order_rows(&mut self.groups, &self.group_of, &frame.rows);
        Scan {
            frame,
            groups: self.groups,
            order,
            tiles: Arc::new(TileRoofs::new(&frame.data, &frame.metrics)),
            time_s: 0.0,
            parts: Vec::new(),
            kind: frame.kind(),
            unmeasured: self.unmeasured,
            sums: None,
            marks: Vec::new(),
        }
    }
}

/// By row: index of the side it counts on; `u16::MAX` for none.
fn sides_of_rows(frame: &Frame) -> Vec<u16> {
    let mut side_of = vec![u16::MAX; frame.data.len()];
    for (side, number) in frame.counted().sides.iter().zip(0u16..) {
        side.rows.iter().for_each(|row| side_of[*row as usize] = number);
    }
    side_of
}

impl<'a> Scan<'a> {
    /// The partners of the table, once the ledger is computed.
    pub fn partners(&self) -> Option<Arc<Partners>> {
        self.sums.as_ref().map(|sums| sums.splitter.partners().clone())
    }

    /// Groups the rows of a frame.
    pub fn new(frame: &'a Frame) -> Self {
        pass::at_once(Scan::of(frame, &pass::none))
    }

    /// Groups the rows of a frame. Awaits `pause` every few thousand rows.
    pub async fn of(frame: &'a Frame, pause: &impl AsyncFn()) -> Self {
        let mut grouping = Grouping::new(frame);
        for rows in frame.rows.chunks(pass::ROWS) {
            rows.iter().for_each(|row| grouping.add(*row));
            pause().await;
        }
        let mut scan = grouping.finish();
        let side_of = sides_of_rows(frame);
        for at in 0..scan.groups.len() {
            scan.groups[at] = scan.counted(scan.groups[at], &side_of);
            if (at + 1) % pass::ROWS == 0 {
                pause().await;
            }
        }
        let sides = frame.counted().sides.iter();
        scan.parts = sides
            .map(|side| SideTime { label: side.label.clone(), ..SideTime::default() })
            .collect();
        if scan.parts.is_empty() {
            scan.parts.push(SideTime::default());
        }
        scan.measure_whole();
        scan
    }

    /// Determines whether rules check a group, and its cost: in a program all calls, else one call of each row that
    /// counts.
    fn counted(&self, group: Group, side_of: &[u16]) -> Group {
        let frame = self.frame;
        let rows = self.rows(&group);
        let counts = |r: &&u32| side_of[**r as usize] != u16::MAX;
        let first = rows.iter().find(counts);
        let side = first.map_or(0, |r| side_of[*r as usize]);
        let group = Group { checked: first.is_some(), side, ..group };
        if frame.decision().is_program(usize::from(frame.data.source[group.row as usize])) {
            return group;
        }
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let add = |mut group: Group, row: u32| {
            group.calls += 1.0;
            group.time_s += data.time_s[row as usize];
            group.roof_s += metrics.roof_s[row as usize];
            group
        };
        let none = Group { calls: 0.0, time_s: 0.0, roof_s: 0.0, ..group };
        if group.checked {
            return rows.iter().filter(counts).fold(none, |group, r| add(group, *r));
        }
        let mut rows = rows.to_vec();
        rows.sort_by(|a, b| data.time_s[*a as usize].total_cmp(&data.time_s[*b as usize]));
        add(none, rows[(rows.len() - 1) / 2])
    }

    /// Sets the time that shares refer to: the compute time of the traces, else the time of all listed kernels, else
    /// the time of the rows.
    fn measure_whole(&mut self) {
        let data = &*self.frame.data;
        let mut by_source: BTreeMap<(u16, u16), f64> = BTreeMap::new();
        for g in self.groups.iter().filter(|g| g.checked) {
            let part = &mut self.parts[usize::from(g.side)];
            part.time_s += g.time_s;
            let place = (g.side, data.source[g.row as usize]);
            *by_source.entry(place).or_default() += g.time_s;
        }
        // A file that has only GEMMs without a shape has no rows.
        if self.parts.len() == 1 {
            for (source, number) in data.sources.iter().zip(0u16..) {
                if source.without_model.time_s > 0.0 {
                    by_source.entry((0, number)).or_default();
                }
            }
        }
        // By side: its time is that of traces; its files list other kernels.
        let mut whole = vec![(false, false); self.parts.len()];
        for ((side, source), own) in by_source {
            let part = &mut self.parts[usize::from(side)];
            let (traced, listed) = &mut whole[usize::from(side)];
            let source = &data.sources[usize::from(source)];
            let without = source.without_model.time_s;
            if own == 0.0 && without == 0.0 {
                continue;
            }
            part.without_s += without;
            let trace = source.trace.as_ref();
            part.whole_s += match trace.and_then(|t| t.compute_s.or(t.total_s)) {
                Some(compute) if compute >= own => {
                    *traced = true;
                    compute
                }
                _ => {
                    *listed |= source.not_gemm.rows + source.without_model.rows > 0;
                    own + source.not_gemm.time_s + without
                }
            };
        }
        for (part, whole) in self.parts.iter_mut().zip(whole) {
            part.whole = match whole {
                (true, _) => Whole::ComputeTime,
                (false, true) => Whole::ListedKernels,
                (false, false) => Whole::MeasuredRows,
            };
        }
        self.time_s = self.parts.iter().map(|p| p.time_s).sum();
    }

    /// The data.
    pub fn data(&self) -> &'a Dataset {
        &self.frame.data
    }

    /// The metrics.
    pub fn metrics(&self) -> &'a Metrics {
        &self.frame.metrics
    }

    /// Rows of a group, ascending.
    pub fn rows(&self, group: &Group) -> &[u32] {
        let start = group.start as usize;
        self.order.get(start..start + group.len as usize).unwrap_or(&[])
    }

    /// The checked group of a row.
    pub fn group_of(&self, row: u32) -> Option<&Group> {
        self.groups.iter().find(|g| g.checked && self.rows(g).binary_search(&row).is_ok())
    }

    /// The groups that rules check, each with its index.
    pub fn checked(&self) -> impl Iterator<Item = (u32, &Group)> {
        (0u32..).zip(&self.groups).filter(|(_, g)| g.checked)
    }

    /// Number of GEMMs among some rows: shapes with their types and layout, by file, device and library, as the ledger
    /// counts them. Rows without a time are not counted unless none has one.
    pub(super) fn gemms(&self, rows: &[u32]) -> u64 {
        let Some(sums) = &self.sums else { return rows.len() as u64 };
        let all = sums.splitter.groups();
        let of_row = rows.iter().map(|row| sums.splitter.group_of(*row));
        let groups: Vec<u32> = of_row.filter(|group| (*group as usize) < all).collect();
        match groups.is_empty() {
            true => rows.len() as u64,
            false => ascending(&groups, all).len() as u64,
        }
    }

    /// Number of GEMMs among some groups.
    pub(super) fn gemms_of<'g>(&self, groups: impl Iterator<Item = &'g Group>) -> u64 {
        let rows: Vec<u32> = groups.map(|g| g.row).collect();
        self.gemms(&rows)
    }

    /// Index of the side of a row; 0 without sides.
    pub(super) fn side_of(&self, row: u32) -> u16 {
        let found = self.frame.counted().side_of(row);
        found.and_then(|i| u16::try_from(i).ok()).unwrap_or(0)
    }

    /// The side of a group.
    pub fn part(&self, group: &Group) -> &SideTime {
        &self.parts[usize::from(group.side)]
    }

    /// A time as a fraction of the whole of a group's side.
    pub fn share(&self, group: &Group, time_s: f64) -> f64 {
        self.part(group).share(time_s)
    }

    /// True if sides are compared.
    pub fn compares(&self) -> bool {
        self.parts.len() > 1
    }

    /// True if a group's rows are calls of a program rather than single measurements.
    pub fn is_program(&self, group: &Group) -> bool {
        self.is_row_of_program(group.row as usize)
    }

    /// Like [`is_program`](Self::is_program), for one row.
    pub fn is_row_of_program(&self, row: usize) -> bool {
        let source = usize::from(self.data().source[row]);
        self.frame.decision().is_program(source)
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
        self.metrics().devices.get(usize::from(self.data().device[group.row as usize]))?.as_ref()
    }

    /// What limits a group: its launch, else its limit at the roof.
    pub fn bound(&self, group: &Group) -> Option<Bound> {
        let row = group.row as usize;
        let roof = self.roof(group)?;
        Some(match super::hits::tiny(group) {
            true => Bound::Launch,
            false => roof.bound(self.metrics().ai[row]),
        })
    }

    /// Tile of a group and its roof, from the group's first row.
    pub fn tile(&self, group: &Group) -> Option<RowTile> {
        self.tiles.of(group.row as usize)
    }

    /// Name of the roof: `datasheet roof`, `max-achievable roof`.
    pub fn roof_name(&self) -> &'static str {
        roof_name(self.metrics().kind)
    }

    /// Name of the types at an index of [`Detail::Types`](super::Detail).
    pub fn type_name(&self, index: u32) -> &str {
        let types = self.sums.as_ref().map(|sums| sums.types.as_slice());
        types.and_then(|types| types.get(index as usize)).map_or("", String::as_str)
    }

    /// True if the roofs are achievable rates rather than the datasheet's.
    pub fn achievable(&self) -> bool {
        self.metrics().kind == RoofKind::Achievable
    }

    /// Shape, type and kernel or operation of a group, on one line.
    pub fn title(&self, group: &Group) -> String {
        let names = [ColumnMeaning::OpName, ColumnMeaning::Library];
        let name = self.data().first_text(&names, group.row as usize);
        // Omitted if the side has the same name.
        match name.is_empty() || name.eq_ignore_ascii_case(&self.part(group).label) {
            true => self.problem(group).to_string(),
            false => format!("{} {}", short(name), self.problem(group)),
        }
    }
}

/// Rows sorted by group (counting sort), ascending within each.
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
