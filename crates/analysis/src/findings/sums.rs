//! The ledger split by cause: one account of one side and device, further split by its [`Detail`].

use crate::ledger::{
    Account, Change, Ledger, Posting, Splitter, TileCost, rest_bound, size_between, sizes, types_of,
};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::roofline::Bound;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use rustc_hash::FxHashMap;

/// Causes below this fraction of their side's time are in the ledger alone.
const SMALL: f64 = 0.005;

/// What distinguishes the parts of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The whole account.
    All,
    /// Slower and faster layout.
    Layouts(&'static str, &'static str),
    /// Slower and faster types, as indices of [`Scan::type_name`](super::Scan::type_name).
    Types(u32, u32),
    /// File and library of the faster run.
    Place(u16, u32),
    /// Slower and faster kernel, as codes.
    Kernels(u32, u32),
    /// The larger size: 0 is M, 1 is N, 2 is K.
    Size(u8),
    /// What costs most about the run's tile.
    Tile(TileCause),
    /// What limits the GEMM.
    Bound(Bound),
}

/// What costs most about a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileCause {
    /// Tiles overlap the edge of the output.
    Padding,
    /// The last wave is not full.
    Waves,
    /// Fewer workgroups than units.
    FewWorkgroups,
}

/// One cause of lost time: an account of one side and device; the rest account is split by bound.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    /// Index in [`Ledger::books`].
    pub book: usize,
    pub account: Account,
    /// Split: its exclusive seconds of the ledger over all calls.
    pub split_s: f64,
    /// Seconds saved over all calls if only this is changed, whichever account holds the time.
    pub alone_s: f64,
    /// Seconds of the rest account between the datasheet roof and the achievable roof, which no run has shown to be
    /// possible.
    pub above_s: f64,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// Its parts, largest first once all rows are added.
    pub parts: Vec<DetailSum>,
    /// The row that alone saves most, its seconds, and its part.
    pub most: (u32, f64, Detail),
    /// For M, N and K: the value that may hold most of its seconds.
    pub sizes: [Vote; 3],
}

/// A weighted majority vote (Boyer-Moore): a value with a share s > 0.5 of the weight wins, with a final weight of at
/// least 2 s - 1 of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vote {
    pub value: u32,
    pub weight: f64,
}

impl Vote {
    fn cast(&mut self, value: u32, weight: f64) {
        match value == self.value {
            true => self.weight += weight,
            false if self.weight >= weight => self.weight -= weight,
            false => *self = Vote { value, weight: weight - self.weight },
        }
    }
}

/// One [`Detail`]'s part of a cause.
#[derive(Clone, Debug)]
pub(super) struct DetailSum {
    pub detail: Detail,
    pub alone_s: f64,
    /// Its rows, ascending.
    pub rows: Vec<u32>,
}

/// The ledger of a frame and its causes.
pub(super) struct Sums<'a> {
    pub ledger: Ledger,
    pub causes: Vec<Cause>,
    pub splitter: Splitter<'a>,
    /// Names of types.
    pub types: Vec<String>,
}

impl Cause {
    /// The change to the ledger if the user ticks the cause.
    pub(super) fn change(&self) -> Change {
        let bound = match self.most.2 {
            Detail::Bound(bound) => Some(bound),
            _ => None,
        };
        Change { book: self.book, account: self.account, bound }
    }
}

impl<'a> Sums<'a> {
    /// Adds up the rows of a splitter. Awaits `pause` every few thousand rows.
    pub(super) async fn of(splitter: Splitter<'a>, frame: &Frame, pause: &impl AsyncFn()) -> Self {
        let mut causes = Causes::new(frame);
        let ledger = Ledger::add_up(&splitter, &[], |posting| causes.add(posting), pause).await;
        let (causes, types) = causes.finish();
        Sums { ledger, causes, splitter, types }
    }
}

/// Causes while rows are added.
struct Causes<'f> {
    frame: &'f Frame,
    causes: Vec<Cause>,
    index: FxHashMap<(usize, Account, Option<Bound>), usize>,
    /// By cause and detail: index among the cause's parts.
    part_of: FxHashMap<(usize, Detail), usize>,
    types: Vec<String>,
    /// By operation: index of its types.
    type_of: Vec<u32>,
}

impl<'f> Causes<'f> {
    fn new(frame: &'f Frame) -> Causes<'f> {
        let (types, type_of) = types_of(&frame.data);
        Causes {
            frame,
            causes: Vec::new(),
            index: FxHashMap::default(),
            part_of: FxHashMap::default(),
            types,
            type_of,
        }
    }

    /// Adds a row to its causes.
    fn add(&mut self, posting: &Posting<'_>) {
        let Causes { frame, causes, index, part_of, type_of, .. } = self;
        for account in Account::ALL.into_iter().filter(|a| a.is_lost()) {
            // Alone is at least the split: an account without time may still save some alone.
            let alone_s = posting.entry.alone_s(account) * posting.calls;
            if alone_s <= 0.0 {
                continue;
            }
            let split_s = posting.entry.call.of(account) * posting.calls;
            let detail = detail(frame, type_of, posting, account);
            let bound = match detail {
                Detail::Bound(bound) => Some(bound),
                _ => None,
            };
            let row = posting.row;
            let at = *index.entry((posting.book, account, bound)).or_insert_with(|| {
                causes.push(Cause {
                    book: posting.book,
                    account,
                    split_s: 0.0,
                    alone_s: 0.0,
                    above_s: 0.0,
                    time_s: 0.0,
                    parts: Vec::new(),
                    most: (row, 0.0, detail),
                    sizes: Default::default(),
                });
                causes.len() - 1
            });
            let cause = &mut causes[at];
            cause.split_s += split_s;
            cause.alone_s += alone_s;
            if account == Account::Rest {
                let call_s = posting.entry.call.of(account);
                cause.above_s += above_s(frame, row as usize).min(call_s) * posting.calls;
            }
            cause.time_s += frame.data.time_s[row as usize] * posting.calls;
            if alone_s > cause.most.1 {
                cause.most = (row, alone_s, detail);
            }
            let sizes = sizes(&frame.data, row as usize);
            cause.sizes.iter_mut().zip(sizes).for_each(|(vote, size)| vote.cast(size, alone_s));
            let at = *part_of.entry((at, detail)).or_insert_with(|| {
                cause.parts.push(DetailSum { detail, alone_s: 0.0, rows: Vec::new() });
                cause.parts.len() - 1
            });
            let part = &mut cause.parts[at];
            part.alone_s += alone_s;
            part.rows.push(row);
        }
    }

    /// The causes, and the names of types.
    fn finish(mut self) -> (Vec<Cause>, Vec<String>) {
        for cause in &mut self.causes {
            cause.parts.sort_by(|a, b| b.alone_s.total_cmp(&a.alone_s).then(a.rows.cmp(&b.rows)));
        }
        (self.causes, self.types)
    }
}

/// Seconds of a call between the datasheet roof and the achievable roof; 0 under any other roof.
fn above_s(frame: &Frame, r: usize) -> f64 {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let device = metrics.devices[usize::from(data.device[r])].as_ref();
    let device = device.filter(|_| metrics.kind == RoofKind::Datasheet);
    let problem = data.problem(r);
    match device.and_then(|d| d.roof(problem.op.compute, RoofKind::Achievable)) {
        Some(best) => (best.problem_time_s(&problem) - metrics.roof_s[r]).max(0.0),
        None => 0.0,
    }
}

/// What costs most about a row's tile.
pub fn tile_cause(tile: Option<&TileCost>) -> TileCause {
    match tile {
        Some(t) if t.waves.tile_efficiency < t.waves.wave_efficiency => TileCause::Padding,
        Some(t) if t.waves.waves <= 1 => TileCause::FewWorkgroups,
        _ => TileCause::Waves,
    }
}

fn detail(frame: &Frame, type_of: &[u32], posting: &Posting<'_>, account: Account) -> Detail {
    let data: &Dataset = &frame.data;
    let r = posting.row as usize;
    let op = |r: usize| usize::from(data.op[r]);
    // Every account of a measured alternative has one.
    let other = posting.entry.alternative_in(account).map_or(r, |a| a.row as usize);
    match account {
        Account::Layout => Detail::Layouts(data.ops[op(r)].layout(), data.ops[op(other)].layout()),
        Account::Type => Detail::Types(type_of[op(r)], type_of[op(other)]),
        Account::Library => {
            let library = data.codes(ColumnMeaning::Library).map_or(0, |c| c[other]);
            Detail::Place(data.source[other], library)
        }
        Account::Kernel => match data.codes(ColumnMeaning::Kernel) {
            Some(codes) => Detail::Kernels(codes[r], codes[other]),
            None => Detail::All,
        },
        Account::Size => Detail::Size(size_between(data, r, other)),
        Account::Tile => Detail::Tile(tile_cause(posting.entry.tile.as_ref())),
        Account::Rest => rest_bound(frame, posting.row).map_or(Detail::All, Detail::Bound),
        _ => Detail::All,
    }
}

/// True for a cause too small to be a finding.
pub(super) fn is_small(ledger: &Ledger, cause: &Cause) -> bool {
    cause.alone_s < SMALL * ledger.books[cause.book].time_s
}
