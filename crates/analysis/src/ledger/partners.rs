//! Finds the fastest comparable runs (partners) of every GEMM of a table: measured runs that differ in one property.
//!
//! A *group* is one configuration (M, N, K, batch, types, layout, epilogue) of one library in one file on one device: a
//! pair of sizes and [kind](Kinds). It is represented by its fastest kernel or tile (the median of that one's repeats).
//! Rows are grouped by their sizes, so that groups of the same sizes are adjacent. Sizes that agree in all but one of
//! M, N, K are walked from the largest down, keeping the fastest run so far of each kind. Then groups of the same sizes
//! are compared (another layout, type or library). Linear in the rows, except for sorts within a bucket of keys. Memory
//! is read sequentially, which costs a tenth of random access. All rows of the table take part, whatever the filters.

use super::account::Account;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::pass;
use gemmscope_table::data_kind::{middle, variant, variant_columns};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::group::{gather, mix};
use gemmscope_table::metrics::Metrics;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A ratio of up to 1.02 is a tie.
pub const TIE: f64 = 1.02;

/// Index that means no group, or no row.
pub(super) const NONE: u32 = u32::MAX;

/// Properties in which a group may differ from its partners, smallest change first.
pub(super) const LINES: [Account; 4] =
    [Account::Layout, Account::Type, Account::Size, Account::Library];

/// Index of [`Account::Size`] in [`LINES`].
const SIZE: usize = 2;

/// Comparable runs of a table: for each group, the fastest run per kind of change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partners {
    /// Group of each row; [`NONE`] without a time.
    pub(super) group_of: Vec<u32>,
    /// By group: its fastest comparable runs.
    pub(super) groups: Vec<Held>,
    /// By group: true if it has several runs or a partner. Fits in the CPU cache, and saves reading most of `groups`.
    pub(super) comparable: Vec<bool>,
    /// By group: its [kind](Kinds).
    pub(super) kind_of: Vec<u32>,
    /// By kind and M, N, K: how often the next larger size was over 2 % faster, and slower.
    pub(super) larger: Vec<[[u32; 2]; 3]>,
    /// By M, N, K: times beside those of the next smaller and larger size. A sample if there are many.
    pub(super) bends: [Vec<Bend>; 3],
}

/// Maximum number of [`Bend`]s per size.
const BENDS: usize = 1 << 16;

/// A group between the next smaller and the next larger one of its kind, all else equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bend {
    pub kind: u32,
    /// M, N, K.
    pub sizes: [u32; 3],
    /// Logarithm of its time over what its neighbours' times suggest, if time is a power of the size between them.
    pub over: f32,
}

/// Fastest comparable runs of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// The group's own fastest run that is not above its datasheet roof: row, variant and seconds; [`NONE`] and
    /// infinity if there is none.
    pub own: u32,
    pub own_variant: u32,
    pub own_s: f64,
    /// By [`LINES`]: seconds of the fastest run in groups that differ only in that; infinity if there is none.
    pub others_s: [f64; LINES.len()],
    /// Rows of these runs; [`NONE`] if there is none.
    pub others: [u32; LINES.len()],
}

impl Partners {
    /// Partners of all rows of the frame's table.
    pub fn of(frame: &Frame) -> Arc<Partners> {
        pass::at_once(Partners::find(frame, &pass::none))
    }

    /// Like [`Partners::of`]. Awaits `pause` every few thousand rows.
    pub async fn find(frame: &Frame, pause: &impl AsyncFn()) -> Arc<Partners> {
        let mut pairing = Pairing::new(frame);
        pairing.group_rows(pause).await;
        for size in 0..3 {
            pairing.pair_larger(size, pause).await;
        }
        pairing.pair_alike(pause).await;
        let larger = pairing.kinds.larger.into_iter().map(|larger| larger.seen).collect();
        Arc::new(Partners { larger, ..pairing.out })
    }
}

/// [`Partners`] under construction.
struct Pairing<'a> {
    data: &'a Dataset,
    metrics: &'a Metrics,
    variants: Vec<&'a ColumnData>,
    kinds: Kinds<'a>,
    sizes: Vec<Sizes>,
    out: Partners,
}

/// M, N, K and batch, and the end of their groups (prefix sum).
struct Sizes {
    of: [u32; 4],
    end: u32,
}

/// A row among those of its sizes; ordered so that groups, variants and repeats are adjacent.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// [`NONE`] without a time.
    kind: u32,
    variant: u32,
    /// Bits of the seconds, since non-negative floats order as their bits do.
    time: u64,
    row: u32,
    /// False if it is over 2 % above its datasheet roof and therefore nobody's alternative.
    possible: bool,
}

/// A size on a line (all else equal), largest first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    larger_first: std::cmp::Reverse<u32>,
    /// Index in [`Pairing::sizes`].
    at: u32,
}

/// Seconds and row of a run: orders runs by speed, then by row.
type Speed = (f64, u32);

/// Speed if there is no run.
const SLOWEST: Speed = (f64::INFINITY, NONE);

/// Range of the groups of some sizes.
fn groups_of(sizes: &[Sizes], at: usize) -> Range<usize> {
    let start = at.checked_sub(1).map_or(0, |before| sizes[before].end);
    start as usize..sizes[at].end as usize
}

impl<'a> Pairing<'a> {
    /// Reads the columns; no row is grouped yet.
    fn new(frame: &'a Frame) -> Pairing<'a> {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        Pairing {
            data,
            metrics,
            variants: variant_columns(data),
            kinds: Kinds::new(data, metrics),
            sizes: Vec::new(),
            out: Partners { group_of: vec![NONE; data.len()], ..Partners::default() },
        }
    }

    /// Groups rows by their sizes, then into groups.
    async fn group_rows(&mut self, pause: &impl AsyncFn()) {
        let Pairing { data, metrics, variants, kinds, sizes, out } = self;
        let run = |r: usize| {
            let (time_s, sheet_s) = (data.time_s[r], metrics.sheet_s(data, r));
            Run {
                kind: if time_s > 0.0 { kinds.of(data, r) } else { NONE },
                variant: variant_of(variants, r),
                time: time_s.to_bits(),
                row: r as u32,
                possible: sheet_s.is_nan() || time_s >= sheet_s / TIE,
            }
        };
        let add = |runs: &[(u64, Run)]| {
            let mut firsts: Vec<(u32, usize)> = Vec::new();
            for runs in runs.chunk_by(|a, b| a.0 == b.0) {
                let before = out.groups.len();
                out.add(runs);
                if out.groups.len() > before {
                    firsts.push((runs[0].1.row, out.groups.len()));
                }
            }
            // A separate loop, so that the cache misses of several rows overlap.
            sizes.extend(firsts.into_iter().map(|(row, end)| {
                let r = row as usize;
                let of = [data.m[r], data.n[r], data.k[r], data.batch[r]];
                Sizes { of, end: end as u32 }
            }));
        };
        gather((data.len(), pass::ROWS), |r| data.sizes_hash(r), run, add, pause).await;
    }

    /// Pairs groups whose sizes agree in all but M (0), N (1) or K (2).
    async fn pair_larger(&mut self, size: usize, pause: &impl AsyncFn()) {
        let Pairing { kinds, sizes, out, .. } = self;
        let key = |at: usize| {
            let mut rest = sizes[at].of;
            rest[size] = 0;
            let two = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
            mix(mix(7, two(rest[0], rest[1])), two(rest[2], rest[3]))
        };
        let item =
            |at: usize| Size { larger_first: std::cmp::Reverse(sizes[at].of[size]), at: at as u32 };
        // Fewer sizes between two pauses if they have many groups.
        let most = 1 + sizes.len() / (1 + out.groups.len() / pass::ROWS);
        let pair = |found: &[(u64, Size)]| {
            let lines = found.chunk_by(|a, b| a.0 == b.0).filter(|line| line.len() > 1);
            lines.for_each(|line| kinds.pair_larger(size, line, sizes, out));
        };
        gather((sizes.len(), most), key, item, pair, pause).await;
    }

    /// Pairs groups of the same sizes.
    async fn pair_alike(&mut self, pause: &impl AsyncFn()) {
        let mut paired = 0;
        for at in 0..self.sizes.len() {
            let groups = groups_of(&self.sizes, at);
            paired += groups.len();
            self.kinds.pair_alike(groups, &mut self.out);
            if paired >= pass::ROWS {
                paired = 0;
                pause().await;
            }
        }
    }
}

impl Partners {
    /// Makes groups of all timed rows of some sizes.
    fn add(&mut self, runs: &[(u64, Run)]) {
        let kinds = runs.chunk_by(|a, b| a.1.kind == b.1.kind);
        for runs in kinds.filter(|runs| runs[0].1.kind != NONE) {
            let group = self.groups.len() as u32;
            runs.iter().for_each(|run| self.group_of[run.1.row as usize] = group);
            let ((own_s, own), own_variant) = fastest(runs);
            let (others_s, others) = ([SLOWEST.0; LINES.len()], [SLOWEST.1; LINES.len()]);
            self.groups.push(Held { own, own_variant, own_s, others_s, others });
            self.kind_of.push(runs[0].1.kind);
            self.comparable.push(runs.len() > 1);
        }
    }
}

/// The run that represents a group, and its variant: the median repeat (the faster of the middle two if their number is
/// even) of the fastest variant, among runs that are not above their roof.
fn fastest(runs: &[(u64, Run)]) -> (Speed, u32) {
    let repeats = runs.chunk_by(|a, b| a.1.variant == b.1.variant);
    let middles = repeats.map(|repeats| repeats[middle(repeats.len())].1);
    let possible = middles.filter(|run| run.possible).min_by_key(|run| (run.time, run.row));
    possible.map_or((SLOWEST, NONE), |run| ((f64::from_bits(run.time), run.row), run.variant))
}

/// Hash of a row's kernel, tile and settings.
pub(super) fn variant_of(variants: &[&ColumnData], row: usize) -> u32 {
    variant(variants, 0, row) as u32
}

impl Held {
    fn speed(&self) -> Speed {
        (self.own_s, self.own)
    }

    fn other(&self, line: usize) -> Speed {
        (self.others_s[line], self.others[line])
    }

    fn set_other(&mut self, line: usize, run: Speed) {
        (self.others_s[line], self.others[line]) = run;
    }
}

/// Operation, device, file and library of groups, numbered in order of appearance.
struct Kinds<'a> {
    library: Option<&'a [u32]>,
    properties: Vec<OperationHashes>,
    /// Source of the peak rate of a device and an operation.
    metrics: &'a Metrics,
    numbers: FxHashMap<(u64, u32), u32>,
    /// Ids of the sets of kinds that differ in one property, by that property and a hash of the others.
    sets: FxHashMap<(usize, u64), u32>,
    /// By kind: for each of [`LINES`], the set of kinds that differ from it only in that.
    alike: Vec<[u32; 4]>,
    /// By set, for the current sizes: the two fastest.
    best: Vec<[Speed; 2]>,
    larger: Vec<Larger>,
    /// Number of the current line.
    line: u32,
}

/// Runs of a kind that are larger, on the current line.
#[derive(Clone)]
struct Larger {
    /// The line that the fields below are for.
    line: u32,
    fastest: Speed,
    /// Seconds of the next larger one; NaN if there is none.
    next_s: f64,
    /// By M, N, K, over all lines: how often the next larger one was over [`TIE`] faster, and slower.
    seen: [[u32; 2]; 3],
    /// The next larger two: index of the sizes, logarithms of size and seconds.
    two: [Option<(u32, Logs)>; 2],
}

/// Logarithms of a size and of seconds.
type Logs = (f64, f64);

/// How far the time of the middle of three sizes is above the line between the others, all in logarithms.
fn over(smallest: Logs, middle: Logs, largest: Logs) -> f64 {
    let part = (middle.0 - smallest.0) / (largest.0 - smallest.0);
    middle.1 - (1.0 - part) * smallest.1 - part * largest.1
}

/// Hashes of operations with one property omitted.
struct OperationHashes {
    without_layout: u64,
    /// Equal for operations that differ only in types and move the same bytes.
    without_types: u64,
    /// Stands for the peak rate if that is unknown.
    unknown_rate: u64,
}

/// The key of an operation in half as many bits.
fn folded(key: u128) -> u64 {
    mix(key as u64, (key >> 64) as u64)
}

impl<'a> Kinds<'a> {
    fn new(data: &'a Dataset, metrics: &'a Metrics) -> Self {
        let properties = data.ops.iter().map(|op| {
            let cost = op.cost();
            let layout = op.layout().bytes().fold(0, |h, b| h << 8 | u64::from(b));
            let parts = [
                cost.bytes_a.to_bits(),
                cost.bytes_b.to_bits(),
                cost.bytes_c.to_bits(),
                cost.flops_per_mac.to_bits(),
                layout << 2 | u64::from(op.bias) << 1 | u64::from(op.beta),
                folded(Operation { groups: op.groups, ..Operation::uniform(DataType::Bf16) }.key()),
            ];
            OperationHashes {
                without_layout: folded(op.with_layout(false, false).key()),
                without_types: parts.into_iter().fold(1, mix),
                unknown_rate: match op.compute {
                    // fp16 and bf16 have the same rate on every device that has both.
                    DataType::Fp16 | DataType::Bf16 => 1,
                    other => 2 + other as u64,
                },
            }
        });
        Kinds {
            library: data.codes(ColumnMeaning::Library),
            properties: properties.collect(),
            metrics,
            numbers: FxHashMap::default(),
            sets: FxHashMap::default(),
            alike: Vec::new(),
            best: Vec::new(),
            larger: Vec::new(),
            line: 0,
        }
    }

    /// Gives each of the groups of some sizes the fastest run that differs from it only in layout, type or library: the
    /// fastest of each set, and for that one the second fastest.
    fn pair_alike(&mut self, groups: Range<usize>, out: &mut Partners) {
        let Partners { groups: held, comparable, kind_of, .. } = out;
        let (comparable, kind_of) = (&mut comparable[groups.clone()], &kind_of[groups.clone()]);
        let groups = &mut held[groups];
        for (held, kind) in groups.iter().zip(kind_of) {
            for set in self.alike[*kind as usize] {
                let best = &mut self.best[set as usize];
                if held.speed() < best[0] {
                    *best = [held.speed(), best[0]];
                } else if held.speed() < best[1] {
                    best[1] = held.speed();
                }
            }
        }
        for ((held, kind), comparable) in groups.iter_mut().zip(kind_of).zip(comparable) {
            let sets = self.alike[*kind as usize].into_iter().enumerate();
            for (line, set) in sets.filter(|(line, _)| *line != SIZE) {
                let [first, second] = self.best[set as usize];
                held.set_other(line, if first == held.speed() { second } else { first });
            }
            *comparable |= held.others_s.iter().any(|s| s.is_finite());
        }
        for set in kind_of.iter().flat_map(|kind| self.alike[*kind as usize]) {
            self.best[set as usize] = [SLOWEST; 2];
        }
    }

    /// Gives each group on a line of sizes (all equal except M (0), N (1) or K (2)) the fastest run of its kind that is
    /// larger in it.
    fn pair_larger(
        &mut self,
        size: usize,
        line: &[(u64, Size)],
        sizes: &[Sizes],
        out: &mut Partners,
    ) {
        self.line += 1;
        for (_, one) in line {
            let of = groups_of(sizes, one.at as usize);
            for (held, kind) in out.groups[of.clone()].iter_mut().zip(&out.kind_of[of]) {
                let Larger { line: last, fastest, next_s, seen, two } =
                    &mut self.larger[*kind as usize];
                if std::mem::replace(last, self.line) != self.line {
                    (*fastest, *next_s, *two) = (SLOWEST, f64::NAN, [None; 2]);
                }
                if *fastest < held.other(SIZE) {
                    held.set_other(SIZE, *fastest);
                }
                if held.speed() < *fastest {
                    *fastest = held.speed();
                }
                if held.own_s.is_finite() {
                    seen[size][0] += u32::from(*next_s * TIE < held.own_s);
                    seen[size][1] += u32::from(*next_s > TIE * held.own_s);
                    *next_s = held.own_s;
                    if line.len() > 2 && out.bends[size].len() < BENDS {
                        let logs = (f64::from(one.larger_first.0).ln(), held.own_s.ln());
                        let [next, last] = *two;
                        if let (Some((at, middle)), Some((_, largest))) = (next, last) {
                            let over = over(logs, middle, largest) as f32;
                            let of = sizes[at as usize].of;
                            let bend = Bend { kind: *kind, sizes: [of[0], of[1], of[2]], over };
                            out.bends[size].extend(over.is_finite().then_some(bend));
                        }
                        *two = [Some((one.at, logs)), next];
                    }
                }
            }
        }
    }

    /// The kind of a row.
    fn of(&mut self, data: &Dataset, r: usize) -> u32 {
        let (op, source) = (data.op[r], data.source[r]);
        let device = self.metrics.same_device(data.device[r]);
        let library = self.library.map_or(0, |codes| codes[r]);
        let key = u64::from(op) << 32 | u64::from(device) << 16 | u64::from(source);
        let next = self.alike.len() as u32;
        let kind = *self.numbers.entry((key, library)).or_insert(next);
        if kind == next {
            let place = mix(u64::from(device) << 16 | u64::from(source), u64::from(library));
            let operation = &self.properties[usize::from(op)];
            // Equal bytes and datasheet peak mean an equal roof; achievable rates differ by type.
            let rate = match self.metrics.sheet_of(device, op) {
                Some(roof) => roof.peak_flops_per_s.to_bits(),
                None => operation.unknown_rate,
            };
            let in_common = [
                mix(operation.without_layout, place),
                mix(mix(operation.without_types, rate), place),
                0,
                u64::from(op) << 16 | u64::from(device),
            ];
            self.alike.push(std::array::from_fn(|at| {
                let next = self.sets.len() as u32;
                *self.sets.entry((at, in_common[at])).or_insert(next)
            }));
            self.best.resize(self.sets.len(), [SLOWEST; 2]);
            self.larger.push(Larger {
                line: 0,
                fastest: SLOWEST,
                next_s: f64::NAN,
                seen: [[0; 2]; 3],
                two: [None; 2],
            });
        }
        kind
    }
}
