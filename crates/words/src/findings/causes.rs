//! Texts of findings that are sums of the ledger.

use super::finding::Finding;
use super::story::{self, Story};
use super::{advice, rules};
use crate::tile_roof;
use gemmscope_analysis::figures::figures;
use gemmscope_analysis::findings::{CauseFacts, Detail, Group, Scan, TileCause, tile_cause};
use gemmscope_analysis::formula::{given, number};
use gemmscope_analysis::ledger::{Account, Entry, Evidence as Basis, Scatter, TileCost};
use gemmscope_analysis::names::short;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{Flops, FlopsPerSec, grouped, percent, plural, rounded_percent};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};

mod published;
mod title;

/// Advice to follow before padding, if the larger sizes ran another kernel.
const KERNEL_FIRST: &str = "Try the kernel of the faster run at this size first.";
/// Advice if the difference may be scatter.
const REPEAT: &str = "Measure both several times, in turn, with the spread in the file.";

/// Why the gain may be measurement scatter, if it may.
fn scatter(cause: &CauseFacts) -> Option<String> {
    let why = match cause.scatter? {
        Scatter::BothWays => "Each is slower about as often".to_owned(),
        Scatter::Runs => "Of several runs of each, either is the faster one".to_owned(),
        Scatter::Larger { size, faster, slower } => {
            let size = title::SIZES[usize::from(size)];
            let [faster, slower] = [faster, slower].map(grouped);
            format!("The next larger {size} is faster {faster} times and slower {slower} times")
        }
        Scatter::Jumps { size, by } => format!(
            "From one {} to the next the time jumps by about {} up or down, at no size as a rule",
            title::SIZES[usize::from(size)],
            rounded_percent(by)
        ),
    };
    Some(format!(" {why}, and the file states no spread: it may be scatter."))
}

/// Texts of one cause.
pub(super) fn one(scan: &Scan<'_>, cause: &CauseFacts) -> Story {
    let (row, groups, account) = (cause.most.0, cause.groups, cause.of_account);
    let whole = match cause.account {
        Account::Rest if groups < account.groups => {
            format!(" Part of the {} {}.", story::time(account.seconds), cause.account.label())
        }
        measured if measured.evidence() == Basis::Measured && account.groups < groups => format!(
            " Of the lost time {} ({}) is counted here, as the others save more by another change or as much by a \
             smaller one.",
            story::time(cause.split_s),
            plural(account.groups, "GEMM")
        ),
        _ => String::new(),
    };
    let told = match (&cause.entry, cause.account, cause.most.2) {
        (_, _, Detail::Bound(bound)) => rest(scan, row, bound),
        (Some(entry), _, Detail::Tile(what)) => tile(scan, cause, entry, what),
        (Some(entry), account, _) if account.evidence() == Basis::Measured => {
            alternative(scan, cause, entry)
        }
        (_, Account::Published, _) => published::story(scan, cause),
        _ => launch(scan, cause),
    };
    let scatter = scatter(cause);
    let kernels = scatter.is_none() && cause.other_kernels;
    let again = |what: &str| scatter.is_some().then(|| what.to_owned());
    Story {
        title: title::of(scan, cause),
        text: format!(
            "Takes {}, {} {}.{whole}{}{}{}",
            story::time(cause.time_s),
            story::time(cause.alone_s),
            match cause.account.evidence() {
                Basis::Measured if groups == 1 => "more than the faster run",
                Basis::Measured => "more than the faster runs",
                Basis::Published => "of it more than others have published",
                Basis::AtMost => "of it that neither the roof, a faster run nor the model explains",
                _ if cause.account == Account::Launch =>
                    "of it to start and drain kernels, by the model",
                _ => "of it by the model",
            },
            title::parts(scan, cause),
            scatter.as_deref().unwrap_or_default(),
            told.text
        ),
        path_a: told
            .path_a
            .or_else(|| again("Nothing before it is measured again."))
            .or_else(|| kernels.then(|| format!("{KERNEL_FIRST} {}", rules::SIZE.path_a))),
        path_b: told.path_b.map(|path| in_reach(cause, path)).or_else(|| again(REPEAT)),
        formula: told.formula,
    }
}

fn name(scan: &Scan<'_>, row: usize) -> String {
    scan.data().problem(row).to_string()
}

/// A faster run that was measured.
fn alternative(scan: &Scan<'_>, cause: &CauseFacts, entry: &Entry) -> Story {
    let data = scan.data();
    let faster = entry.alternative_in(cause.account);
    let (row, other) = (cause.most.0 as usize, faster.map_or(0, |a| a.row as usize));
    let call_s = faster.map_or(f64::NAN, |a| a.call_s);
    let with = match cause.most.2 {
        Detail::Layouts(_, fast) => format!("in {fast}"),
        Detail::Types(_, fast) => format!("in {}", scan.type_name(fast)),
        Detail::Place(..) => format!("with {}", scan.frame.maker(other)),
        Detail::Size(_) => {
            let p = data.problem(other);
            format!("as {} × {} × {}", p.m, p.n, p.k)
        }
        _ => match kernel(scan, other) {
            name if name.is_empty() => "with other settings".to_owned(),
            name => format!("with {}", short(&name)),
        },
    };
    let (time, its) = (data.time_s[row], data.time_s[other]);
    // The alternative itself can be below the roof time, which is a lower bound.
    let least = match call_s > its * 1.02 {
        true => format!(" (its roof time is {})", story::time(call_s)),
        false => String::new(),
    };
    Story {
        text: format!(
            " Most in {}: {} here, {} {with}{least}.",
            name(scan, row),
            story::time(time),
            story::time(its)
        ),
        formula: {
            let least = story::brief("max(faster run, roof time)", call_s);
            let more = story::brief("time", time) - least;
            format!("{} a call", more.result(|s| story::time(s.0)))
        },
        ..Story::default()
    }
}

fn kernel(scan: &Scan<'_>, row: usize) -> String {
    match scan.data().column(ColumnMeaning::Kernel).map(|c| &c.data) {
        Some(ColumnData::Text { codes, values }) => values[codes[row] as usize].clone(),
        _ => String::new(),
    }
}

fn launch(scan: &Scan<'_>, cause: &CauseFacts) -> Story {
    let row = cause.most.0 as usize;
    let calls = scan.frame.calls(row);
    let floor_s = cause.most.1 / calls;
    Story {
        text: format!(
            " Starting, filling and draining a kernel takes {} however little it computes.",
            story::time(floor_s)
        ),
        formula: {
            let all = story::brief("launch floor", floor_s) * number("calls", calls);
            format!("{}, for {}", all.result(|s| story::time(s.0)), name(scan, row))
        },
        path_a: Some(advice::launch_path(scan.is_row_of_program(row))),
        ..Story::default()
    }
}

fn tile(scan: &Scan<'_>, cause: &CauseFacts, entry: &Entry, what: TileCause) -> Story {
    let row = cause.most.0 as usize;
    let group = scan.group_of(cause.most.0);
    let shape = group.and_then(|g| scan.tile(g));
    let sentence = shape.map_or(String::new(), |s| format!(" {}", tile_roof::sentence(&s)));
    let formula = entry.tile.map_or(String::new(), |t| {
        let x = figures(scan.frame, row);
        let held_s = cause.most.1 / scan.frame.calls(row);
        let (work, bound) = (given("work", Flops(x.work)), FlopsPerSec(x.work / t.bound_s));
        let more = work / given("roof of the tile", bound) - story::brief("roof time", x.roof_s);
        let left = match held_s < more.value().0 * 0.999 {
            true => format!("; the accounts before it leave {} a call", story::time(held_s)),
            false => String::new(),
        };
        format!("{} a call{left}", more.result(|s| story::time(s.0)))
    });
    let is_grouped = scan.data().problem(row).op.groups.is_some();
    Story {
        text: format!(" Most in {}.{sentence}", name(scan, row)),
        formula,
        // Products can only be batched where a program makes them.
        path_a: (what != TileCause::FewWorkgroups || scan.is_row_of_program(row))
            .then(|| tile_paths(what, is_grouped).0.to_owned()),
        path_b: Some(tile_paths(what, is_grouped).1.to_owned()),
        ..Story::default()
    }
}

/// What to try in the model and with the kernel where a tile costs most by this.
fn tile_paths(what: TileCause, is_grouped: bool) -> (&'static str, &'static str) {
    match what {
        TileCause::Padding if is_grouped => (
            "Send more tokens a step, or route them to fewer experts a device, so that each group has more rows.",
            "Choose a tile of fewer rows, so that small groups fill it.",
        ),
        TileCause::Padding => (
            rules::TILE.path_a,
            "Choose a tile that divides M and N, or pad them to multiples of it.",
        ),
        TileCause::Waves => (
            rules::TILE.path_a,
            "Choose a tile whose count fills whole waves, or a stream-K kernel, which shares the last \
             wave out.",
        ),
        TileCause::FewWorkgroups => (
            "Batch independent products of this kind, so that there are more tiles.",
            "Choose a smaller tile, or split K (GSU, split_k_slices, stream-K), so that every unit has \
             work.",
        ),
    }
}

fn rest(scan: &Scan<'_>, most: u32, bound: Bound) -> Story {
    let row = most as usize;
    let x = figures(scan.frame, row);
    let group: Option<&Group> = scan.group_of(most);
    let reached = percent(x.share);
    let text = match bound {
        Bound::Memory => format!(
            " Most in {}: {reached} of the roof, {} of compulsory traffic.",
            name(scan, row),
            story::bandwidth(x.bandwidth)
        ),
        _ => format!(
            " Most in {}: {reached} of the roof, {}{}.",
            name(scan, row),
            story::rate(x.rate),
            of_achievable(scan, row, x.rate)
        ),
    };
    let paths = group.map(|g| rest_paths(scan, g));
    let (path_a, path_b) = paths.map_or((None, None), |(a, b)| (Some(a), Some(b)));
    Story {
        text,
        formula: group.map_or(String::new(), |g| story::roof_formula(scan, g)),
        path_a,
        path_b,
        ..Story::default()
    }
}

/// Inserts `; 1.61 ms of it is below the achievable rate` into the first sentence of a path, under a datasheet roof, if
/// that is less than half of the loss: the rest has not been shown to be possible.
fn in_reach(cause: &CauseFacts, path: String) -> String {
    let below_s = cause.alone_s - cause.above_s;
    if cause.above_s <= 0.0 || below_s >= HALF * cause.alone_s {
        return path;
    }
    let end = path.find(". ").unwrap_or(path.trim_end_matches('.').len());
    let (first, more) = path.split_at(end);
    format!("{first}; {} of it is below the achievable rate{more}", story::time(below_s.max(0.0)))
}

/// The part in reach is mentioned if it is below this share of a cause.
const HALF: f64 = 0.5;

/// `, 98.4 % of the achievable rate`, under a datasheet roof with a known achievable rate; else "".
fn of_achievable(scan: &Scan<'_>, row: usize, rate: f64) -> String {
    let (data, metrics) = (scan.data(), scan.metrics());
    let device = metrics.devices[usize::from(data.device[row])].as_ref();
    let dtype = data.ops[usize::from(data.op[row])].compute;
    let best = device.and_then(|d| d.peak_for(dtype)?.achievable_flops_per_s);
    match best.filter(|_| metrics.kind == RoofKind::Datasheet) {
        Some(best) => format!(", {} of the achievable rate", percent(rate / best)),
        None => String::new(),
    }
}

/// Advice on the model and the kernel for one GEMM, by the account that holds most of its loss, the tile behind it, and
/// the finding of that account. If the advice depends on the GEMM, its own is used, not that of the GEMM named in the
/// finding.
pub(crate) fn own_paths(
    scan: &Scan<'_>,
    g: &Group,
    (account, tile): (Account, Option<&TileCost>),
    found: Option<&Finding>,
) -> (String, String) {
    match (account, found) {
        (Account::Rest, _) => rest_paths(scan, g),
        (Account::Tile, _) => {
            let (a, b) = tile_paths(tile_cause(tile), scan.problem(g).op.groups.is_some());
            (advice::padded_then(scan, g, a), b.to_owned())
        }
        (_, Some(f)) => (f.path_a.clone(), f.path_b.clone()),
        (account, None) => {
            let rule = rules::rule_text(account.key()).unwrap_or(&rules::REST);
            (rule.path_a.to_owned(), rule.path_b.to_owned())
        }
    }
}

/// Advice on the model and the kernel for a GEMM below its roof.
fn rest_paths(scan: &Scan<'_>, g: &Group) -> (String, String) {
    match scan.bound(g) {
        Some(Bound::Launch) => {
            (advice::short_path(scan.is_program(g)), advice::tiny_kernel(scan, g))
        }
        Some(_) if advice::is_tiny(scan, g) => {
            (advice::short_path(scan.is_program(g)), advice::tiny_kernel(scan, g))
        }
        Some(Bound::Memory) => (
            advice::padded_then(scan, g, &advice::memory_path(scan, g)),
            advice::memory_kernel(scan, g),
        ),
        _ => (
            advice::padded_then(scan, g, &advice::compute_path(scan, g)),
            advice::compute_kernel(scan, g),
        ),
    }
}
