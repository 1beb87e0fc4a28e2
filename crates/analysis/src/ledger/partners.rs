//! The fastest comparable runs of every GEMM of a table: what else was measured that differs in one thing.
//!
//! A *group* is one configuration (M, N, K, batch, types, layout, epilogue) of one library in one file
//! on one device: a point of sizes x [kind](Kinds). Its candidate is its fastest kernel or tile (the median
//! of that one's repeats). Rows are brought together by their sizes, so the groups of the same sizes lie
//! beside each other and are compared there: another layout, type or library. Then the sizes that agree in
//! all but one of M, N, K are walked from the largest down, with the fastest run so far of each kind.
//! Linear in the rows, but for sorts within a bucket of keys. Memory is read in sequence, which costs a
//! tenth of reading it at random. All rows of the table take part, whatever passes the filters.

use super::account::Account;
use gemmscope_model::dtype::DataType;
use gemmscope_table::data_kind::{variant, variant_columns};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use gemmscope_table::group::{Gathering, mix};
use gemmscope_table::metrics::Metrics;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A difference of up to 2 % is no difference.
pub const TIE: f64 = 1.02;

/// No group, no row.
pub(super) const NONE: u32 = u32::MAX;

/// What a group can differ in from its partners, the smallest change first.
const LINES: [Account; 4] = [Account::Layout, Account::Type, Account::Size, Account::Library];

/// Place of [`Account::Size`] in [`LINES`].
const SIZE: usize = 2;

/// Groups that choose in one step.
const STEP: usize = if cfg!(test) { 7 } else { 100_000 };

/// What is comparable in a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partners {
    /// Group of each row; [`NONE`] without a time.
    pub(super) group_of: Vec<u32>,
    /// What the rows of each group can be held against.
    pub(super) groups: Vec<Held>,
    /// By group: it has several runs or a partner. Small enough for the processor's cache, while most of
    /// `groups` need not be read.
    pub(super) comparable: Vec<bool>,
}

/// What the rows of a group can be held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// The group's own fastest run that is not above its datasheet roof: row and seconds; [`NONE`] and
    /// infinite if all are.
    pub own: u32,
    pub own_s: f64,
    /// Seconds of the fastest run that differs in one thing besides the kernel; infinite without one.
    pub other_s: f64,
    /// The run with the smallest change of those within [`TIE`] of it, and what it differs in.
    pub other: u32,
    pub account: Account,
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
    kinds: Kinds<'a>,
    stage: Stage,
    /// M, N, K and batch of each distinct sizes, and where its groups end.
    sizes: Vec<([u32; 4], u32)>,
    groups: Vec<Group>,
    out: Partners,
}

/// What is done next.
enum Stage {
    /// Rows are brought together by their sizes.
    Rows(Gathering<Run>),
    /// Sizes that agree in all but M (0), N (1) or K (2).
    Lines(usize, Gathering<Size>),
    /// Every group chooses among its partners.
    Choice,
}

/// A row among those of its sizes, in the order that brings groups, variants and repeats together.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    kind: u32,
    variant: u32,
    /// Seconds, as bits: those of times that are not negative are in their order.
    time: u64,
    row: u32,
    /// False where it is over 2 % above its datasheet roof: it is nobody's alternative. True without a time.
    possible: bool,
}

/// Sizes on a line, the largest first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    larger_first: std::cmp::Reverse<u32>,
    /// Index in [`Steps::sizes`].
    at: u32,
}

/// A group while its partners are looked for.
struct Group {
    kind: u32,
    /// Row and seconds of its fastest run; [`NONE`] and infinite where it has none.
    fastest: u32,
    time_s: f64,
    several_runs: bool,
    /// Seconds of the fastest of its kind that is larger in one size.
    larger_s: f64,
    /// The fastest run that differs in each of [`LINES`] alone.
    partners: [u32; 4],
}

impl Group {
    /// Orders groups by their fastest runs; of equal ones the first row.
    fn speed(&self) -> (f64, u32) {
        (self.time_s, self.fastest)
    }
}

/// The speed of no run.
const SLOWEST: (f64, u32) = (f64::INFINITY, NONE);

impl<'a> Steps<'a> {
    /// Looks at the columns; no row is grouped yet.
    pub fn new(frame: &'a Frame) -> Steps<'a> {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        Steps {
            data,
            metrics,
            variants: variant_columns(data),
            kinds: Kinds::new(data, metrics),
            stage: Stage::Rows(Gathering::default()),
            sizes: Vec::new(),
            groups: Vec::new(),
            out: Partners { group_of: vec![NONE; data.len()], ..Partners::default() },
        }
    }

    /// Does some of it; false once all is done.
    pub fn step(&mut self) -> bool {
        match std::mem::replace(&mut self.stage, Stage::Choice) {
            Stage::Rows(mut rows) => {
                let Steps { data, metrics, variants, kinds, sizes, groups, out, .. } = self;
                let item = &mut |r: usize| {
                    let (time_s, sheet_s) = (data.time_s[r], metrics.sheet_s(data, r));
                    Run {
                        kind: kinds.of(data, r),
                        variant: variant(variants, 0, r) as u32,
                        time: time_s.to_bits(),
                        row: r as u32,
                        possible: sheet_s.is_nan() || time_s >= sheet_s / TIE,
                    }
                };
                let mut found: Vec<(u64, Run)> = Vec::new();
                let key = |r: usize| data.sizes_hash(r);
                let more = rows.step(data.len(), &key, item, |runs| {
                    found.extend(runs.iter().filter(|run| f64::from_bits(run.1.time) > 0.0));
                });
                for runs in found.chunk_by(|a, b| a.0 == b.0) {
                    let first = groups.len();
                    for runs in runs.chunk_by(|a, b| a.1.kind == b.1.kind) {
                        runs.iter()
                            .for_each(|r| out.group_of[r.1.row as usize] = groups.len() as u32);
                        groups.push(Group::of(runs));
                    }
                    let r = runs[0].1.row as usize;
                    let of = [data.m[r], data.n[r], data.k[r], data.batch[r]];
                    sizes.push((of, groups.len() as u32));
                    kinds.pair(&mut groups[first..]);
                }
                self.stage = match more {
                    true => Stage::Rows(rows),
                    false => Stage::Lines(0, Gathering::default()),
                };
                true
            }
            Stage::Lines(size, mut lines) => {
                let Steps { kinds, sizes, groups, .. } = self;
                let key = |at: usize| {
                    let mut rest = sizes[at].0;
                    rest[size] = 0;
                    let two = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
                    mix(mix(7, two(rest[0], rest[1])), two(rest[2], rest[3]))
                };
                let item = &mut |at: usize| Size {
                    larger_first: std::cmp::Reverse(sizes[at].0[size]),
                    at: at as u32,
                };
                let more = lines.step(sizes.len(), &key, item, |found| {
                    let lines = found.chunk_by(|a, b| a.0 == b.0).filter(|line| line.len() > 1);
                    lines.for_each(|line| kinds.pair_larger(line, sizes, groups));
                });
                self.stage = match (more, size) {
                    (true, _) => Stage::Lines(size, lines),
                    (false, 2) => Stage::Choice,
                    (false, _) => Stage::Lines(size + 1, Gathering::default()),
                };
                true
            }
            Stage::Choice => self.choose(),
        }
    }

    /// What was found.
    pub fn finish(self) -> Arc<Partners> {
        Arc::new(self.out)
    }

    /// Chooses among the partners of some more groups; false once all have chosen.
    fn choose(&mut self) -> bool {
        let time = |row: u32| match row {
            NONE => f64::INFINITY,
            row => self.data.time_s[row as usize],
        };
        for group in self.groups.iter().skip(self.out.groups.len()).take(STEP) {
            let mut times = group.partners.map(|_| group.larger_s);
            for at in (0..LINES.len()).filter(|at| *at != SIZE) {
                times[at] = time(group.partners[at]);
            }
            let other_s = times.into_iter().fold(f64::INFINITY, f64::min);
            let least = times.iter().position(|t| *t <= TIE * other_s).unwrap_or(0);
            self.out.comparable.push(group.several_runs || other_s < f64::INFINITY);
            self.out.groups.push(Held {
                own: group.fastest,
                own_s: group.time_s,
                other_s,
                other: group.partners[least],
                account: LINES[least],
            });
        }
        self.out.groups.len() < self.groups.len()
    }
}

impl Group {
    /// A group of some runs. Its fastest variant counts, by the middle one of its repeats (of an even number
    /// the faster of the two), of those that are not above their roof.
    fn of(runs: &[(u64, Run)]) -> Group {
        let repeats = runs.chunk_by(|a, b| a.1.variant == b.1.variant);
        let middles = repeats.map(|repeats| repeats[(repeats.len() - 1) / 2].1);
        let possible = middles.filter(|run| run.possible).map(|run| (run.time, run.row));
        let (time_s, fastest) = match possible.min() {
            Some((time, row)) => (f64::from_bits(time), row),
            None => SLOWEST,
        };
        let kind = runs[0].1.kind;
        Group {
            kind,
            fastest,
            time_s,
            several_runs: runs.len() > 1,
            larger_s: f64::INFINITY,
            partners: [NONE; 4],
        }
    }
}

/// What groups have besides their sizes: operation, device, file and library. Numbered as they come.
struct Kinds<'a> {
    library: Option<&'a [u32]>,
    /// By device: the first device of the dataset that is the same one.
    device: Vec<u16>,
    properties: Vec<Operation>,
    /// Peak rates of a device code and an operation.
    metrics: &'a Metrics,
    numbers: FxHashMap<(u64, u32), u32>,
    /// Numbers of what kinds have in common, by what they differ in.
    sets: FxHashMap<(usize, u64), u32>,
    /// By kind: the set of the kinds that differ from it in each of [`LINES`] alone.
    alike: Vec<[u32; 4]>,
    /// By set, for the sizes at hand: its two fastest.
    best: Vec<[(f64, u32); 2]>,
    /// By kind, for the line at hand: the fastest that is larger.
    larger: Vec<(f64, u32)>,
}

/// What operations agree in that differ in one property, as hashes.
struct Operation {
    without_layout: u64,
    /// Equal for operations that differ in the types alone and move the same bytes.
    without_types: u64,
    /// What stands for the peak rate where that is not known.
    unknown_rate: u64,
}

impl<'a> Kinds<'a> {
    fn new(data: &'a Dataset, metrics: &'a Metrics) -> Self {
        let mut known: FxHashMap<(bool, &str), u16> = FxHashMap::default();
        let device = (0..data.devices.len()).map(|i| {
            let name = match metrics.devices.get(i).and_then(Option::as_ref) {
                Some(device) => (true, device.id.as_str()),
                None => (false, data.devices[i].as_str()),
            };
            *known.entry(name).or_insert(i as u16)
        });
        let device = device.collect();
        let properties = data.ops.iter().map(|op| {
            let cost = op.cost();
            let layout = op.layout().bytes().fold(0, |h, b| h << 8 | u64::from(b));
            let parts = [
                cost.bytes_a.to_bits(),
                cost.bytes_b.to_bits(),
                cost.bytes_c.to_bits(),
                cost.flops_per_mac.to_bits(),
                layout << 2 | u64::from(op.bias) << 1 | u64::from(op.beta),
            ];
            Operation {
                without_layout: op.with_layout(false, false).key(),
                without_types: parts.into_iter().fold(1, mix),
                unknown_rate: match op.compute {
                    // They multiply at one rate on every device that has both.
                    DataType::Fp16 | DataType::Bf16 => 1,
                    other => 2 + other as u64,
                },
            }
        });
        Kinds {
            library: data.codes(ColumnMeaning::Library),
            device,
            properties: properties.collect(),
            metrics,
            numbers: FxHashMap::default(),
            sets: FxHashMap::default(),
            alike: Vec::new(),
            best: Vec::new(),
            larger: Vec::new(),
        }
    }

    /// Gives each of the groups of some sizes the fastest that differs from it in layout, type or library
    /// alone: of each set of such groups the fastest, and that one the second.
    fn pair(&mut self, groups: &mut [Group]) {
        if groups.len() < 2 {
            return;
        }
        for at in (0..LINES.len()).filter(|at| *at != SIZE) {
            for group in &*groups {
                let best = &mut self.best[self.alike[group.kind as usize][at] as usize];
                if group.speed() < best[0] {
                    *best = [group.speed(), best[0]];
                } else if group.speed() < best[1] {
                    best[1] = group.speed();
                }
            }
            for group in &mut *groups {
                let [first, second] = self.best[self.alike[group.kind as usize][at] as usize];
                let partner = if first == group.speed() { second } else { first };
                group.partners[at] = partner.1;
            }
            for group in &*groups {
                self.best[self.alike[group.kind as usize][at] as usize] = [SLOWEST; 2];
            }
        }
    }

    /// Gives the groups of sizes that differ in one size the fastest of their kind that is larger in it.
    fn pair_larger(
        &mut self,
        line: &[(u64, Size)],
        sizes: &[([u32; 4], u32)],
        groups: &mut [Group],
    ) {
        let range = |of: &(u64, Size)| {
            let at = of.1.at as usize;
            let start = at.checked_sub(1).map_or(0, |before| sizes[before].1);
            start as usize..sizes[at].1 as usize
        };
        for of in line {
            for group in &mut groups[range(of)] {
                let best = &mut self.larger[group.kind as usize];
                if *best < (group.larger_s, group.partners[SIZE]) {
                    (group.larger_s, group.partners[SIZE]) = *best;
                }
                if group.speed() < *best {
                    *best = group.speed();
                }
            }
        }
        for group in line.iter().flat_map(|of| &groups[range(of)]) {
            self.larger[group.kind as usize] = SLOWEST;
        }
    }

    /// The kind of a row.
    fn of(&mut self, data: &Dataset, r: usize) -> u32 {
        let (op, source) = (data.op[r], data.source[r]);
        let device = self.device[usize::from(data.device[r])];
        let library = self.library.map_or(0, |codes| codes[r]);
        let key = u64::from(op) << 32 | u64::from(device) << 16 | u64::from(source);
        let next = self.alike.len() as u32;
        let kind = *self.numbers.entry((key, library)).or_insert(next);
        if kind == next {
            let place = mix(u64::from(device) << 16 | u64::from(source), u64::from(library));
            let operation = &self.properties[usize::from(op)];
            // Bytes and peak alike make one roof.
            let rate = match self.metrics.roof_of(device, op) {
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
            self.larger.push(SLOWEST);
        }
        kind
    }
}
