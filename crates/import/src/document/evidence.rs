//! Decisions by arithmetic: which columns form a side, how many calls a time covers, and which sizes are
//! consistent with rate and time.

use super::columns::{Column, close, share};
use super::experts::EXPERTS;
use super::facts::Facts;
use super::readings::{BATCH, Question, Reading};
use super::title::{Holds, RANK, Title};
use super::units::Limits;
use super::words::{lower_words, names_library};
use crate::ImportOptions;

/// Key of the question how many calls a time covers.
pub(super) const CALLS: &str = ImportOptions::CALLS;

/// The figures of one library or kernel, as column indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub name: String,
    pub time: Option<usize>,
    pub rate: Option<usize>,
    pub bandwidth: Option<usize>,
    /// Number of calls that the time covers, per row.
    pub calls: Vec<f64>,
}

/// The sides of a table, each with its best statistic. A single time and a single rate form one side.
pub(super) fn sides(columns: &mut [Column], notes: &mut Vec<String>) -> Vec<Side> {
    repeats(columns, Holds::Time, notes);
    repeats(columns, Holds::Rate, notes);
    let mut sides: Vec<Side> = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let bandwidth = column.title.holds == Holds::Bandwidth;
        if !column.title.is_figure() && !bandwidth {
            continue;
        }
        let label = &column.title.label;
        let at = sides.iter().position(|s| s.name.eq_ignore_ascii_case(label));
        let at = at.unwrap_or_else(|| {
            sides.push(Side { name: label.clone(), ..Side::default() });
            sides.len() - 1
        });
        let place = match column.title.holds {
            Holds::Time => &mut sides[at].time,
            Holds::Rate => &mut sides[at].rate,
            _ => &mut sides[at].bandwidth,
        };
        if place.is_none_or(|p| column.title.rank < columns[p].title.rank) {
            *place = Some(i);
        }
    }
    let lone_bandwidth = |s: &Side| s.time.is_none() && s.rate.is_none();
    let shared = sides.iter().find(|s| lone_bandwidth(s)).and_then(|s| s.bandwidth);
    sides.retain(|s| !lone_bandwidth(s));
    operations(&mut sides, columns, notes);
    parts(&mut sides, columns, notes);
    merge(&mut sides);
    if let ([side], Some(bandwidth)) = (&mut sides[..], shared) {
        side.bandwidth.get_or_insert(bandwidth);
    }
    sides
}

/// Words for operations other than a GEMM.
const OPERATIONS: &[&str] = &[
    "quantize",
    "quantise",
    "quantization",
    "dequantize",
    "dequant",
    "bias",
    "gelu",
    "relu",
    "silu",
    "softmax",
    "layernorm",
    "rmsnorm",
    "norm",
    "h2d",
    "d2h",
    "memcpy",
    "transpose",
    "cast",
    "permute",
    "allreduce",
    "allgather",
    "activation",
    "add",
    "bwd",
    "backward",
];

fn all_of(name: &str, list: &[&str]) -> bool {
    let words = lower_words(name);
    !words.is_empty() && words.iter().all(|w| list.contains(&w.as_str()))
}

/// True for the name of another operation, such as `bias+gelu`.
pub(super) fn is_operation(name: &str) -> bool {
    all_of(name, OPERATIONS)
}

/// Drops sides of other operations and, if there is a time of the GEMM alone, the total of all operations.
fn operations(sides: &mut Vec<Side>, columns: &[Column], notes: &mut Vec<String>) {
    let is_other = |s: &Side| is_operation(&s.name);
    let is_gemm = |s: &Side| all_of(&s.name, &["gemm", "matmul", "mm", "kernel"]);
    let is_total = |s: &Side| s.name.is_empty() && s.time.is_some_and(|t| columns[t].title.total);
    let gemm = sides.iter().any(is_gemm);
    let dropped = |s: &Side| is_other(s) || gemm && is_total(s);
    if sides.iter().all(dropped) {
        return;
    }
    for side in sides.iter().filter(|s| dropped(s)) {
        let figure = side.time.or(side.rate).map_or("", |i| &columns[i].name);
        notes.push(format!("“{figure}” is not of the GEMM alone: no side."));
    }
    sides.retain(|s| !dropped(s));
    if let [side] = &mut sides[..]
        && is_gemm(side)
    {
        side.name.clear();
    }
}

/// End of the note on repeated columns.
pub(super) const REPEATED: &str = "repeat one measurement: the median counts.";

/// Replaces repeated measurements such as `time_1, time_2, …` by their median.
fn repeats(columns: &mut [Column], holds: Holds, notes: &mut Vec<String>) {
    let numbered = |c: &Column| {
        let label = c.title.label.trim_start_matches(|c: char| !c.is_ascii_digit());
        let word = c.title.label[..c.title.label.len() - label.len()].trim_matches([' ', '#']);
        let known = ["", "run", "rep", "trial", "iter"].contains(&word.to_lowercase().as_str());
        c.title.holds == holds
            && known
            && (1..=2).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_digit())
    };
    let again: Vec<usize> = (0..columns.len()).filter(|i| numbered(&columns[*i])).collect();
    // The title without its number.
    let stem = |i: usize| columns[i].name.replacen(number_of(&columns[i].title.label), "", 1);
    if again.len() < 2 || again.iter().any(|i| stem(*i) != stem(again[0])) {
        return;
    }
    // If there is a mean, they stay columns of the file.
    let mean =
        |c: &Column| c.title.holds == holds && c.title.label.is_empty() && c.title.rank < RANK;
    if columns.iter().any(mean) {
        again.iter().for_each(|i| columns[*i].title.holds = Holds::Other);
        return;
    }
    for row in 0..columns[again[0]].cells.len() {
        let mut values: Vec<f64> = again.iter().filter_map(|i| columns[*i].value(row)).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = match values.len() {
            0 => None,
            n if n % 2 == 1 => Some(values[middle]),
            _ => Some((values[middle - 1] + values[middle]) / 2.0),
        };
        columns[again[0]].cells[row].value = median;
    }
    let last = columns[*again.last().unwrap_or(&again[0])].name.clone();
    notes.push(format!("“{}” to “{last}” {REPEATED}", columns[again[0]].name));
    columns[again[0]].title.label.clear();
    for i in &again[1..] {
        columns[*i].title.holds = Holds::Other;
    }
}

fn number_of(label: &str) -> &str {
    label.trim_start_matches(|c: char| !c.is_ascii_digit())
}

/// Drops labelled times next to an unlabelled one as its parts, unless a label names a library.
fn parts(sides: &mut Vec<Side>, columns: &[Column], notes: &mut Vec<String>) {
    let Some(whole) = sides.iter().find(|s| s.name.is_empty()).and_then(|s| s.time) else { return };
    let is_part = |s: &Side| {
        let lower = s.name.to_lowercase();
        let of_side = ["ref", "base", "ours", "mine", "torch", "old", "new"]
            .iter()
            .any(|w| lower.contains(w));
        // Two columns with the same title are two measurements.
        let counted = s.name.bytes().all(|b| b.is_ascii_digit());
        !counted && s.time.is_some() && s.rate.is_none() && !names_library(&s.name) && !of_side
    };
    for side in sides.iter().filter(|s| is_part(s)) {
        if let Some(time) = side.time {
            notes.push(format!(
                "“{}” is a part of “{}”: no side.",
                columns[time].name, columns[whole].name
            ));
        }
    }
    sides.retain(|s| !is_part(s));
}

/// Merges the sides if there is exactly one time and one rate, whatever their labels.
fn merge(sides: &mut Vec<Side>) {
    let times: Vec<usize> = (0..sides.len()).filter(|i| sides[*i].time.is_some()).collect();
    let rates: Vec<usize> = (0..sides.len()).filter(|i| sides[*i].rate.is_some()).collect();
    let ([time], [rate]) = (&times[..], &rates[..]) else { return };
    if time == rate || sides.len() != 2 {
        return;
    }
    let name = match (sides[*time].name.is_empty(), sides[*rate].name.is_empty()) {
        (true, _) | (_, true) => String::new(),
        _ => sides[*time].name.clone(),
    };
    let (t, r) = (sides[*time].clone(), sides[*rate].clone());
    *sides = vec![Side { name, rate: r.rate, bandwidth: t.bandwidth.or(r.bandwidth), ..t }];
}

/// Remark on a time that covers all calls.
pub(super) fn total_of_calls(time: &str, count: &str, why: &str) -> String {
    format!("“{time}” is of all calls ({why}): one call is it divided by “{count}”.")
}

/// Number of calls that each value of a time covers, from the title, a count column (for a total, or for a time
/// proportional to a column of shares) or a fact around the table; otherwise 1.
pub(super) fn calls(
    time: &Column,
    columns: &[Column],
    facts: &Facts,
    answer: Option<&str>,
    notes: &mut Vec<String>,
) -> Vec<f64> {
    let rows = time.cells.len();
    if time.title.calls > 1 {
        notes.push(format!(
            "“{}” is the time of {} calls: one call is that part of it.",
            time.name, time.title.calls
        ));
        return vec![f64::from(time.title.calls); rows];
    }
    if let Some(count) = columns.iter().find(|c| c.title.holds == Holds::Count) {
        let shares =
            columns.iter().find(|c| c.title.holds == Holds::Share && is_proportional(time, c));
        if answer == Some(OF_ALL) {
            return (0..rows).map(|r| count.value(r).filter(|v| *v > 0.0).unwrap_or(1.0)).collect();
        }
        if time.title.total || shares.is_some() {
            let why =
                shares.map_or("a total".to_owned(), |s| format!("“{}” are its shares", s.name));
            notes.push(total_of_calls(&time.name, &count.name, &why));
            return (0..rows).map(|r| count.value(r).filter(|v| *v > 0.0).unwrap_or(1.0)).collect();
        }
    }
    if let Some(calls) = &facts.calls {
        notes.push(format!("Times are of {} calls ({}).", calls.value, calls.place()));
        return vec![f64::from(calls.value); rows];
    }
    vec![1.0; rows]
}

/// The answers to whether a time next to a count covers one call.
pub(super) const OF_ONE: &str = "one call";
pub(super) const OF_ALL: &str = "all calls";

/// Question for a time next to a number of calls, if neither its title nor a rate, a share or a fact decides whether
/// it covers one call or all.
pub(super) fn open_calls(side: &Side, columns: &[Column], facts: &Facts) -> Option<Question> {
    let time = &columns[side.time?];
    let counted = |c: &&Column| {
        let words = lower_words(&c.name);
        let calls = ["calls", "count", "instances", "launches", "invocations", "occurrences"];
        // By definition, times next to a plain `count` are per call (docs/src/csv.md).
        c.title.holds == Holds::Count
            && words != ["count"]
            && words.iter().any(|w| calls.contains(&w.as_str()))
            && c.cells.iter().any(|c| c.value.is_some_and(|v| v > 1.0))
    };
    let count = columns.iter().find(counted)?;
    let said =
        lower_words(&time.name).iter().any(|w| ["per", "each", "latency"].contains(&w.as_str()));
    let told = said
        || side.rate.is_some()
        || time.title.total
        || time.title.rank != Title::of(Holds::Time).rank
        || time.title.calls > 0
        || facts.calls.is_some()
        || columns.iter().any(|c| c.title.holds == Holds::Share && is_proportional(time, c));
    if told {
        return None;
    }
    let text = format!(
        "“{}” stands beside “{}”: a time of one call, or of all? Assuming one.",
        time.name, count.name
    );
    Some(Question::new("calls", text, OF_ONE, &[OF_ONE, OF_ALL]))
}

fn is_proportional(a: &Column, b: &Column) -> bool {
    let rows: Vec<(f64, f64)> = (0..a.cells.len())
        .filter_map(|r| Some((a.value(r)?, b.value(r)?)))
        .filter(|(x, y)| *x > 0.0 && *y > 0.0)
        .collect();
    let Some((x0, y0)) = rows.first() else { return false };
    let varies = rows.iter().any(|(x, _)| !close(*x, *x0, 0.05));
    let rounded = |y: f64| 0.02 + 0.05 / y;
    varies && share(rows.iter().map(|(x, y)| close(x / x0, y / y0, rounded(*y)))) > 0.8
}

/// Rate (FLOP/s) and time per call (seconds) of the same rows.
pub(super) struct Measured {
    pub rows: Vec<Option<(f64, f64)>>,
    pub loose: Vec<f64>,
}

/// Rate and time of a side; `None` unless it has both.
pub(super) fn measured(side: &Side, columns: &[Column]) -> Option<Measured> {
    let (time, rate) = (&columns[side.time?], &columns[side.rate?]);
    let rows = 0..time.cells.len();
    let loose = rows.clone().map(|r| time.cells[r].loose + rate.cells[r].loose).collect();
    let both = |r: usize| {
        let (t, f) = (time.si(r)? / side.calls[r], rate.si(r)?);
        (t > 0.0 && f > 0.0).then_some((f, t))
    };
    Some(Measured { rows: rows.map(both).collect(), loose })
}

/// Chooses an interpretation of the sizes: the one that rate times time confirms in the rows where they differ and that
/// stays below the peak. `None` if the first one needs confirmation and none is confirmed.
pub(super) fn choose(
    mut ways: Vec<Reading>,
    measured: Option<&Measured>,
    limits: Limits,
    answer: Option<&str>,
    notes: &mut Vec<String>,
) -> Option<Reading> {
    if let Some(answer) = answer
        && let Some(at) =
            ways.iter().position(|w| w.question.as_ref().is_some_and(|q| q.value == answer))
    {
        return Some(ways.swap_remove(at));
    }
    let figures = |r: usize| measured.and_then(|m| *m.rows.get(r)?);
    let rows: Vec<usize> = (0..ways[0].sizes.len())
        .filter(|r| figures(*r).is_some() && ways.iter().all(|w| w.sizes[*r].is_some()))
        .collect();
    let differ = |r: &&usize| ways.iter().any(|w| w.sizes[**r] != ways[0].sizes[**r]);
    let telling: Vec<usize> = rows.iter().filter(differ).copied().collect();
    let telling = if telling.is_empty() { rows.clone() } else { telling };
    let fits = |w: &Reading, r: usize| {
        let slack = 0.02 + measured.map_or(0.0, |m| m.loose[r]);
        figures(r)
            .zip(w.work(r))
            .is_some_and(|((rate, time), work)| close(rate * time, work, slack))
    };
    let sane = |w: &Reading| {
        rows.is_empty()
            || share(rows.iter().filter_map(|r| {
                let ((_, time), work) = figures(*r).zip(w.work(*r))?;
                Some(work / time <= 1.1 * limits.peak)
            })) > 0.8
    };
    let count = |w: &Reading, of: &[usize]| of.iter().filter(|r| fits(w, **r)).count();
    let proved: Vec<usize> = (0..ways.len())
        .filter(|w| {
            let w = &ways[*w];
            !telling.is_empty() && count(w, &telling) * 2 >= telling.len() && sane(w)
        })
        .collect();
    let won = proved.iter().copied().max_by_key(|w| (count(&ways[*w], &telling), usize::MAX - w));
    if let Some(won) = won {
        let alone = proved.len() < ways.len();
        let (agree, all) = (count(&ways[won], &rows), rows.len());
        let mut way = ways.swap_remove(won);
        way.agree = Some((agree, all));
        let is_settled = |q: &Question| [BATCH, EXPERTS].contains(&q.key.as_str());
        if way.question.as_ref().is_some_and(is_settled) && alone {
            way.question = None;
        }
        if way.to_prove || alone {
            notes.push(format!("Rate and time agree in {agree} of {all} rows: {}.", way.why));
        } else if !way.why.is_empty() {
            notes.push(format!("{}.", way.why));
        }
        return Some(way);
    }
    if ways[0].to_prove {
        return None;
    }
    unproved(ways, sane, &rows, figures, notes)
}

fn unproved(
    ways: Vec<Reading>,
    sane: impl Fn(&Reading) -> bool,
    rows: &[usize],
    figures: impl Fn(usize) -> Option<(f64, f64)>,
    notes: &mut Vec<String>,
) -> Option<Reading> {
    let all = ways.len();
    let at = ways.iter().position(sane).unwrap_or(0);
    let over_peak = at > 0;
    let mut way = ways.into_iter().nth(at)?;
    let off: Vec<f64> = rows
        .iter()
        .filter_map(|r| {
            figures(*r).zip(way.work(*r)).map(|((rate, time), work)| rate * time / work)
        })
        .collect();
    let (low, high) = off.iter().fold((f64::INFINITY, 0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    if off.len() > 1 && high < 1.05 * low && way.question.is_none() {
        let text = format!(
            "Rate times time is {low:.4} times 2MNK in all rows: a batch, groups, or calls in one time? Say how many; the \
             time is taken as of one."
        );
        way.question = Some(Question::new(CALLS, text, "1", &[]));
    } else if over_peak && all > 1 {
        let text = format!("Assuming that {}: any other reading lies above the peak.", way.why);
        let value = way.question.as_ref().map_or(String::new(), |q| q.value.clone());
        let choices = way.question.as_ref().map_or(Vec::new(), |q| q.choices.clone());
        let key = way.question.map_or_else(|| BATCH.to_owned(), |q| q.key);
        way.question = Some(Question { key, text, value, choices });
    }
    if !way.why.is_empty() && way.question.is_none() {
        notes.push(format!("{}.", way.why));
    }
    Some(way)
}
