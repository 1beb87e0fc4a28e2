//! The texts of findings that are sums of the ledger.

use super::sums::{Cause, Detail, Sums, TileCause};
use super::{
    Category, Finding, Group, Rule, Scan, Seen, Severity, Sign, advice, priority, scan::short,
    story, story::Story,
};
use crate::figures::figures;
use crate::ledger::{Account, Entry, Evidence as Basis};
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{grouped, percent, plural};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::group::ascending;

/// Smaller causes that are named.
const NAMED: usize = 3;

/// The finding of one cause.
pub(super) fn finding(rule: &Rule, scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause) -> Finding {
    let groups = groups_of(sums, &cause.rows);
    let told = tell(scan, sums, cause, groups);
    let category = match (cause.account, cause.detail) {
        (Account::Rest, Detail::Bound(Bound::Memory)) => Category::Memory,
        _ => rule.category,
    };
    of(rule, scan, sums, (cause.book, groups, category), std::slice::from_ref(&cause), told)
}

/// One finding for causes of one side and device that do not weigh.
pub(super) fn others(rule: &Rule, scan: &Scan<'_>, sums: &Sums<'_>, small: &[&Cause]) -> Finding {
    let mut by_weight = small.to_vec();
    by_weight.order_by(|a, b| b.lost_s.total_cmp(&a.lost_s).then(a.rows.cmp(&b.rows)));
    let groups = groups_of(sums, &rows_of(scan, small));
    let named = |c: &&Cause| {
        let told = tell(scan, sums, c, groups_of(sums, &c.rows));
        format!("{}, {}", told.title, story::time(c.lost_s))
    };
    let first: Vec<String> = by_weight.iter().take(NAMED).map(named).collect();
    let more = match by_weight.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; {}", plural(n as u64, "more cause")),
    };
    let told = Story {
        title: match small.len() {
            1 => "One smaller cause".to_owned(),
            n => format!("{n} smaller causes"),
        },
        text: format!("Each is under 0.5 % of the time. {}{more}.", first.join("; ")),
        ..Story::default()
    };
    of(rule, scan, sums, (small[0].book, groups, rule.category), small, told)
}

fn of(
    rule: &Rule,
    scan: &Scan<'_>,
    sums: &Sums<'_>,
    (book, groups, category): (usize, u64, Category),
    causes: &[&Cause],
    told: Story,
) -> Finding {
    let book = &sums.ledger.books[book];
    let part = &scan.parts[book.number];
    let rows = rows_of(scan, causes);
    let total = |of: &[f64]| -> f64 {
        rows.iter().map(|r| of[*r as usize] * scan.frame.calls(*r as usize)).sum()
    };
    let (time_s, roof_s) = (total(&scan.data().time_s), total(&scan.metrics().roof_s));
    let lost_s: f64 = causes.iter().map(|c| c.lost_s).sum();
    let efficiency = Some(roof_s / time_s).filter(|e| e.is_finite());
    let signs = signs(scan, sums, &rows);
    let out = story::from_parts(rule, scan, book.number as u16, rows, time_s, told);
    Finding {
        device: book.device.clone(),
        severity: match rule.id {
            "others" => Severity::Low,
            _ => priority(out.share, part.share(lost_s), efficiency, true),
        },
        category,
        efficiency,
        saves_s: Some(lost_s),
        groups,
        signs,
        ..out
    }
}

/// The rows of some causes, ascending, each once.
fn rows_of(scan: &Scan<'_>, causes: &[&Cause]) -> Vec<u32> {
    let rows: Vec<u32> = causes.iter().flat_map(|c| c.rows.iter().copied()).collect();
    ascending(&rows, scan.data().len())
}

/// How many GEMMs some rows are of.
fn groups_of(sums: &Sums<'_>, rows: &[u32]) -> u64 {
    let groups: Vec<u32> = rows.iter().map(|r| sums.splitter.group_of(*r)).collect();
    ascending(&groups, sums.splitter.groups()).len() as u64
}

/// The signs of some rows, most frequent first.
fn signs(scan: &Scan<'_>, sums: &Sums<'_>, rows: &[u32]) -> Vec<Seen> {
    let mut out: Vec<Seen> = Vec::new();
    for (i, sign) in Sign::ALL.into_iter().enumerate() {
        let has = |r: &&u32| scan.marks.get(**r as usize).is_some_and(|m| m >> i & 1 == 1);
        let own: Vec<u32> = rows.iter().filter(has).copied().collect();
        if !own.is_empty() {
            let groups = groups_of(sums, &own);
            out.push(Seen { sign, title: sign.label().to_owned(), groups, rows: own });
        }
    }
    out.order_by(|a, b| b.groups.cmp(&a.groups).then(a.sign.cmp(&b.sign)));
    out
}

/// What is said of one cause. `groups` is the number of its GEMMs.
fn tell(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause, groups: u64) -> Story {
    let account = sums.ledger.books[cause.book].of(cause.account);
    // Of an account with several causes each says what it is a part of.
    let part = cause.lost_s < account.seconds * (1.0 - 1e-9);
    let count = match part {
        true => format!("{} of {}", grouped(groups), plural(account.groups, "GEMM")),
        false => plural(groups, "GEMM"),
    };
    let whole = match part {
        true => {
            format!(", a part of the {} {}", story::time(account.seconds), cause.account.label())
        }
        false => String::new(),
    };
    let entry = sums.splitter.of(cause.most.0);
    let told = match (entry, cause.account.evidence(), cause.detail) {
        (Some(entry), _, Detail::Tile(what)) => tile(scan, cause, &entry, what, &count),
        (_, _, Detail::Bound(bound)) => rest(scan, cause, bound, &count),
        (Some(entry), Basis::Measured, _) => alternative(scan, sums, cause, &entry, &count),
        _ => launch(scan, cause, &count),
    };
    let take = if groups == 1 { "takes" } else { "take" };
    Story {
        text: format!(
            "{} {take} {}, {} of it {}{whole}.{}",
            plural(groups, "GEMM"),
            story::time(cause.time_s),
            story::time(cause.lost_s),
            match cause.account.evidence() {
                Basis::Measured => "more than the faster run",
                Basis::AtMost => "below the roof, with no run or model that says why",
                _ => "by the model",
            },
            told.text
        ),
        ..told
    }
}

fn name(scan: &Scan<'_>, row: usize) -> String {
    scan.data().problem(row).to_string()
}

/// A faster run that was measured.
fn alternative(
    scan: &Scan<'_>,
    sums: &Sums<'_>,
    cause: &Cause,
    entry: &Entry,
    count: &str,
) -> Story {
    let data = scan.data();
    let (row, other) = (cause.most.0 as usize, entry.alternative.map_or(0, |a| a.row as usize));
    let call_s = entry.alternative.map_or(f64::NAN, |a| a.call_s);
    let maker = scan.frame.maker(other);
    let title = match cause.detail {
        Detail::Layouts(slow, fast) => format!("Layout {slow} is slower than {fast}: {count}"),
        Detail::Types(slow, fast) => {
            let [slow, fast] = [slow, fast].map(|i| &sums.types[i as usize]);
            format!("{slow} is slower than {fast}: {count}")
        }
        Detail::Place(..) => format!("{maker} is faster: {count}"),
        Detail::Size(size) => {
            let size = ["M", "N", "K"][usize::from(size)];
            format!("Padding {size} is faster: {count}")
        }
        _ => format!("Another kernel is faster: {count}"),
    };
    let with = match cause.detail {
        Detail::Layouts(_, fast) => format!("in {fast}"),
        Detail::Types(_, fast) => format!("in {}", sums.types[fast as usize]),
        Detail::Place(..) => format!("with {maker}"),
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
    // The alternative itself can be under the roof time, which is kept.
    let least = match call_s > its * 1.02 {
        true => format!(" (its roof time is {})", story::time(call_s)),
        false => String::new(),
    };
    Story {
        title,
        text: format!(
            " Most in {}: {} here, {} {with}{least}.",
            name(scan, row),
            story::time(time),
            story::time(its)
        ),
        formula: format!(
            "time - faster run, not below the roof = {} - {} = {} a call",
            story::time(time),
            story::time(call_s),
            story::time(time - call_s)
        ),
        ..Story::default()
    }
}

fn kernel(scan: &Scan<'_>, row: usize) -> String {
    match scan.data().column(ColumnMeaning::Kernel).map(|c| &c.data) {
        Some(ColumnData::Text { codes, values }) => values[codes[row] as usize].clone(),
        _ => String::new(),
    }
}

fn launch(scan: &Scan<'_>, cause: &Cause, count: &str) -> Story {
    let row = cause.most.0 as usize;
    let calls = scan.frame.calls(row);
    let floor_s = cause.most.1 / calls;
    Story {
        title: format!("Launches: {count}"),
        text: format!(
            " Starting, filling and draining a kernel takes {} however little it computes.",
            story::time(floor_s)
        ),
        formula: format!(
            "launch floor x calls, for {}: {} x {calls}",
            name(scan, row),
            story::time(floor_s)
        ),
        ..Story::default()
    }
}

fn tile(scan: &Scan<'_>, cause: &Cause, entry: &Entry, what: TileCause, count: &str) -> Story {
    let row = cause.most.0 as usize;
    let title = match what {
        TileCause::Padding => format!("Tiles reach past the output: {count}"),
        TileCause::Waves => format!("The last wave is not full: {count}"),
        TileCause::FewWorkgroups => format!("Fewer workgroups than units: {count}"),
    };
    let group = scan.group_of(cause.most.0);
    let shape = group.and_then(|g| scan.tile(g));
    let sentence = shape.map_or(String::new(), |s| format!(" {}", s.sentence()));
    let formula = entry.tile.map_or(String::new(), |t| {
        let roof_s = scan.metrics().roof_s[row];
        let (most_s, held_s) = (roof_s * (t.slowdown - 1.0), cause.most.1 / scan.frame.calls(row));
        let left = match held_s < most_s * 0.999 {
            true => format!("; the accounts before it leave {} a call", story::time(held_s)),
            false => String::new(),
        };
        format!(
            "roof time / (tile efficiency x wave efficiency) - roof time = {} x {:.3} - {} = {}{left}",
            story::time(roof_s),
            t.slowdown,
            story::time(roof_s),
            story::time(most_s)
        )
    });
    Story {
        title,
        text: format!(" Most in {}.{sentence}", name(scan, row)),
        formula,
        path_a: (what == TileCause::FewWorkgroups).then(|| {
            "Batch independent products of this kind, so that there are more tiles.".to_owned()
        }),
        path_b: Some(
            match what {
                TileCause::Padding => {
                    "Choose a tile that divides M and N, or pad them to multiples of it."
                }
                TileCause::Waves => {
                    "Choose a tile whose count fills whole waves, or a stream-K kernel, which shares the \
                     last wave out."
                }
                TileCause::FewWorkgroups => {
                    "Choose a smaller tile, or split K (GSU, split_k_slices, stream-K), so that every \
                     unit has work."
                }
            }
            .to_owned(),
        ),
    }
}

fn rest(scan: &Scan<'_>, cause: &Cause, bound: Bound, count: &str) -> Story {
    let row = cause.most.0 as usize;
    let x = figures(scan.frame, row);
    let title = match bound {
        Bound::Memory => format!("Memory-bound, below the roof: {count}"),
        Bound::Compute => format!("Compute-bound, below the roof: {count}"),
        _ => format!("Near the ridge, below the roof: {count}"),
    };
    let group: Option<&Group> = scan.group_of(cause.most.0);
    let reached = percent(x.share);
    let text = match bound {
        Bound::Memory => format!(
            " Most in {}: {reached} of the roof, {} of compulsory traffic.",
            name(scan, row),
            story::bandwidth(x.bandwidth)
        ),
        _ => {
            format!(" Most in {}: {reached} of the roof, {}.", name(scan, row), story::rate(x.rate))
        }
    };
    let paths = group.map(|g| rest_paths(scan, g));
    let (path_a, path_b) = paths.map_or((None, None), |(a, b)| (Some(a), Some(b)));
    Story {
        title,
        text,
        formula: group.map_or(String::new(), |g| story::roof_formula(scan, g)),
        path_a,
        path_b,
    }
}

/// What to try in the model and with the kernel for one GEMM of a finding, where that depends on it.
pub(crate) fn own_paths(scan: &Scan<'_>, g: &Group, f: &Finding) -> Option<(String, String)> {
    match f.rule.as_str() {
        "rest" => Some(rest_paths(scan, g)),
        "tile" => Some((advice::padded_then(scan, g, &f.path_a), f.path_b.clone())),
        _ => None,
    }
}

/// What to try in the model and with the kernel for a GEMM that is below its roof.
fn rest_paths(scan: &Scan<'_>, g: &Group) -> (String, String) {
    let roof = scan.roof(g).map(|roof| roof.bound(scan.metrics().ai[g.row as usize]));
    match roof {
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
