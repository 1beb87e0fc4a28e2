//! What a column may hold by its title: candidates, about which the cells and the arithmetic decide.

mod names;

use super::block::bare;
use super::words::{self, Measure, letter_runs, lower_words, unit};
use crate::columns::words::{Says, any_says, is_percentile, says};
use names::{
    ASIDE_WORDS, DERIVED_WORDS, NAMES, OF_FIGURE, PARAMETER_WORDS, RATE_WORDS, STATISTICS,
    TIME_WORDS,
};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    M,
    N,
    K,
    Batch,
    /// The length of a sequence, of which a batch is in M.
    Length,
    Groups,
    /// The only size of square matrices.
    Square,
    /// Several sizes in one cell.
    Shape,
    /// Two sizes in one cell.
    Pair,
    /// The type of both operands.
    Type,
    TypeA,
    TypeB,
    TypeOut,
    Device,
    Library,
    Time,
    Rate,
    Bandwidth,
    /// A quotient of others: a speed-up, an error, a share of a peak.
    Derived,
    /// A share of a whole.
    Share,
    Count,
    Spread,
    /// Texts.
    Words,
    /// Numbers that are no measurement: tiles, clocks, strides.
    Other,
    /// Numbers that may be anything.
    Open,
}

/// A title, with what it says besides.
#[derive(Clone, Debug)]
pub(super) struct Title {
    pub holds: Holds,
    /// Factor to SI, where the title states a unit.
    pub factor: Option<f64>,
    /// Whose figure it is.
    pub label: String,
    /// How many calls a value is of; 0 where nothing is said.
    pub calls: u32,
    /// The better of several statistics of one side: the smaller, the better.
    pub rank: u8,
    /// The order of sizes in a cell.
    pub order: Vec<char>,
    /// The value is a sum.
    pub total: bool,
}

impl Title {
    pub(super) fn of(holds: Holds) -> Title {
        let label = String::new();
        Title { holds, factor: None, label, calls: 0, rank: RANK, order: Vec::new(), total: false }
    }

    pub(super) fn is_figure(&self) -> bool {
        matches!(self.holds, Holds::Time | Holds::Rate)
    }
}

/// Rank of a figure of which no statistic is stated.
pub(super) const RANK: u8 = 3;
/// Rank of a total beside a figure of the call.
const TOTAL: u8 = 6;
/// Rank of a statistic that is no figure of a call.
const SPREAD: u8 = 9;

/// Letters, digits and the signs that tell sizes, in lower case.
fn key(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || "=/".contains(*c)).collect()
}

fn named(text: &str) -> Option<Holds> {
    let wanted = key(text);
    let is_name = |names: &str| names.split_whitespace().any(|name| key(name) == wanted);
    NAMES.iter().find(|(names, _)| is_name(names)).map(|(_, holds)| *holds)
}

/// The order of three or two sizes that a title names: `(M, K, N)`, `b x m x n x k`, `N x K`.
fn order_of(text: &str) -> Vec<char> {
    let lower = text.to_lowercase();
    // The weight of a layer: `[out, in]`, `(in_features x out_features)`.
    let words = lower_words(&lower);
    let sides: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|w| !matches!(*w, "features" | "feature" | "dim" | "size" | "channels" | "x"))
        .collect();
    match sides[..] {
        [.., "out", "in"] => return vec!['n', 'k'],
        [.., "in", "out"] => return vec!['k', 'n'],
        _ => {}
    }
    // `MxNxK`, `MNK`
    let joined = letter_runs(&lower).find_map(|(_, run)| {
        let letters: Vec<char> = run.chars().filter(|c| *c != 'x').collect();
        let all = ['m', 'n', 'k'].iter().all(|l| letters.contains(l));
        let apart = run.len() == 3 || run.split('x').all(|l| l.len() == 1);
        (all && letters.len() == 3 && apart).then_some(letters)
    });
    if let Some(letters) = joined {
        return letters;
    }
    let mut found = Vec::new();
    for (from, run) in letter_runs(&lower) {
        let alone = |c: char| "mnkb".contains(c);
        let single = run.len() == 1 && run.chars().all(alone);
        let before = lower[..from].chars().next_back();
        let behind = lower[from + run.len()..].chars().next();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if single && !digit(before) && !digit(behind) {
            found.push((from, run.chars().next().unwrap_or(' ')));
        } else if run != "x" {
            // Another word parts the letters.
            found.push((from, ' '));
        }
    }
    // Letters that separators alone hold apart.
    let mut best: Vec<char> = Vec::new();
    let mut run: Vec<char> = Vec::new();
    let mut last = 0;
    for (from, letter) in found.into_iter().chain([(lower.len(), ' ')]) {
        let gap = lower.get(last..from).unwrap_or("");
        let near = gap.trim().chars().all(|c| "x×*,/_ ".contains(c)) && !gap.is_empty();
        if letter == ' ' || !run.is_empty() && !near || run.contains(&letter) {
            if run.len() > best.len() {
                best = std::mem::take(&mut run);
            }
            run.clear();
        }
        if letter != ' ' {
            run.push(letter);
        }
        last = from + 1;
    }
    best.retain(|c| *c != 'b');
    best
}

fn is_square(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let equal = ["m=n=k", "n=m=k", "m=k=n", "n=k=m", "m=n,k", "k=m=n"];
    equal.iter().any(|e| plain.contains(e)) || text.to_lowercase().contains("n x n")
}

fn type_of(low: &str) -> Option<Holds> {
    let words = lower_words(low);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_type = |w: &str| {
        matches!(
            w,
            "type"
                | "types"
                | "dtype"
                | "dtypes"
                | "datatype"
                | "precision"
                | "datentyp"
                | "qtype"
                | "quant"
        )
    };
    if !words.iter().any(|w| is_type(w)) {
        return None;
    }
    let place = |w: &str| match w {
        "a" | "x" | "in0" | "act" | "activation" | "activations" => Some(Holds::TypeA),
        "b" | "w" | "in1" | "weight" | "weights" => Some(Holds::TypeB),
        "out" | "output" | "result" | "c" | "d" | "acc" | "accumulator" | "compute" | "scale" => {
            Some(Holds::TypeOut)
        }
        _ => None,
    };
    let plain = |w: &str| {
        is_type(w)
            || place(w).is_some()
            || matches!(w, "data" | "in" | "input" | "of" | "math" | "operand")
    };
    let words_fit = words.iter().all(|w| plain(w)) && words.len() <= 4;
    words_fit.then(|| words.iter().find_map(|w| place(w)).unwrap_or(Holds::Type))
}

/// `time of 100 iterations`: how many calls a value is of.
fn calls_in(low: &str) -> u32 {
    let words: Vec<&str> = low.split(|c: char| !(c.is_alphanumeric() || c == ',')).collect();
    let is_calls = |w: &str| {
        ["iter", "iters", "iterations", "calls", "runs", "launches", "reps", "repeats"].contains(&w)
    };
    if words.iter().any(|w| STATISTICS.iter().any(|(s, _)| s == w)) {
        return 0;
    }
    words
        .windows(2)
        .filter(|pair| is_calls(pair[1]))
        .find_map(|pair| {
            let digits = pair[0].replace(',', "");
            let (digits, times) = digits.strip_suffix('k').map_or((&*digits, 1), |d| (d, 1000));
            Some(digits.parse::<u32>().ok()?.saturating_mul(times))
        })
        .unwrap_or(0)
}

/// `(larger is better)` says nothing of the figure.
fn without_advice(text: &str) -> String {
    let lower = text.to_lowercase();
    for advice in [
        "higher is better",
        "lower is better",
        "larger is better",
        "smaller is better",
        "bigger is better",
        "more is better",
        "less is better",
        "lower=better",
        "higher=better",
    ] {
        if let Some(at) = lower.find(advice)
            && lower.len() == text.len()
        {
            return format!("{}{}", &text[..at], &text[at + advice.len()..]);
        }
    }
    text.to_owned()
}

/// `(us, speedup)` as `(us)`: what is remarked behind the unit of a bracket is of the cells.
fn without_remarks(text: &str) -> String {
    let Some((before, rest)) = text.split_once('(') else { return text.to_owned() };
    let Some((inner, behind)) = rest.split_once(')') else { return text.to_owned() };
    if !inner.contains([',', ';']) || unit(inner).is_none() {
        return text.to_owned();
    }
    let remark = |part: &&str| {
        (names_quotient(&lower_words(part)) || part.contains('%')) && unit(part).is_none()
    };
    let kept: Vec<&str> = inner.split([',', ';']).filter(|p| !remark(p)).collect();
    format!("{before}({}){behind}", kept.join(","))
}

/// `MedianUs` as `Median Us`.
fn without_camel(text: &str) -> String {
    let mut text = text.to_owned();
    for ending in ["Us", "Ms", "Ns", "Time"] {
        let stem = text.split(' ').next().and_then(|word| word.strip_suffix(ending));
        if let Some(stem) = stem.filter(|s| s.ends_with(|c: char| c.is_lowercase())) {
            text.insert(stem.len(), ' ');
        }
    }
    text
}

fn is_count(low: &str) -> bool {
    const COUNTS: &[&str] = &[
        "count",
        "calls",
        "iters",
        "iterations",
        "instances",
        "launches",
        "reps",
        "repeats",
        "invocations",
        "samples",
        "occurrences",
        "runs",
    ];
    let words = lower_words(low);
    match &words[..] {
        [last] => COUNTS.contains(&last.as_str()),
        [first, last] => {
            ["num", "n", "hot", "total", "number"].contains(&first.as_str())
                && COUNTS.contains(&last.as_str())
        }
        [first, of, last] => first == "number" && of == "of" && COUNTS.contains(&last.as_str()),
        _ => false,
    }
}

/// A comparison, an error, or what could be reached.
fn names_quotient(words: &[String]) -> bool {
    any_says(words, &[Says::Limit]) || words.iter().any(|w| DERIVED_WORDS.contains(&w.as_str()))
}

/// A percentile that is not the middle.
fn is_quantile(word: &str) -> bool {
    is_percentile(word) && !matches!(word, "p50" | "q50")
}

fn says_total(word: &str) -> bool {
    matches!(word, "total" | "sum" | "cumulative")
}

/// What the title says of a column.
pub(super) fn title(text: &str) -> Title {
    let whole = without_remarks(&without_camel(&bare(text)));
    // What pandas calls the column of the first of several rows.
    let whole = whole.trim().trim_end_matches("_first");
    let whole = whole.trim();
    let spaced = whole.replace('_', " ");
    let spaced = spaced.as_str();
    let low = spaced.to_lowercase();
    if is_square(&low) {
        return Title::of(Holds::Square);
    }
    let order = order_of(spaced);
    let measured = unit(&low).is_some();
    match order.len() {
        3 => return Title { order, ..Title::of(Holds::Shape) },
        2 if !measured => return Title { order, ..Title::of(Holds::Pair) },
        _ => {}
    }
    if let Some(holds) = named(&low) {
        return Title::of(holds);
    }
    if let Some(holds) = type_of(&low) {
        return Title::of(holds);
    }
    figure(whole, &low)
}

fn figure(text: &str, low: &str) -> Title {
    let plain = without_advice(low);
    let found = unit(&plain);
    let words = lower_words(&plain);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let begins = |stems: &[&str]| words.iter().any(|w| stems.iter().any(|s| w.starts_with(s)));
    let quotient =
        plain.contains(" / ") || plain.contains("speed-up") || plain.contains(['δ', 'Δ']);
    // `GFLOPS_ref`: what the figure is measured against, not whose it is.
    let against = words.last().is_some_and(|w| says(w, &[Says::Reference]));
    let against = against && found.as_ref().is_some_and(|u| u.from == 0);
    if names_quotient(&words)
        || begins(&["improve", "efficien", "util"])
        || plain.contains("max abs")
        || plain.contains("/byte")
        || plain.contains('δ')
        || quotient && (found.is_none() || plain.contains("speed-up"))
    {
        return Title::of(Holds::Derived);
    }
    if found.is_none() && (plain.contains('%') || has(&["percent", "pct", "share"])) {
        return Title::of(Holds::Share);
    }
    if found.is_none() && is_count(&plain) {
        return Title::of(Holds::Count);
    }
    let rank = STATISTICS.iter().find(|(s, _)| has(&[s])).map_or(RANK, |(_, rank)| *rank);
    let varies = any_says(&words, &[Says::Spread]) || words.iter().any(|w| is_quantile(w));
    let rank = if varies { SPREAD } else { rank };
    if rank == SPREAD {
        return Title::of(Holds::Spread);
    }
    let of_bandwidth = found.as_ref().is_some_and(|u| u.measure == Measure::Bandwidth);
    let aside = has(ASIDE_WORDS)
        || against
        || any_says(&words, &[Says::Moment])
        || words.iter().any(|w| says(w, &[Says::Once]) && !says_total(w))
        || found.is_none() && has(PARAMETER_WORDS);
    if aside && !of_bandwidth {
        return Title::of(Holds::Other);
    }
    let factor = found.as_ref().map(|u| u.factor);
    if of_bandwidth || found.is_none() && has(&["bandwidth", "bw", "gbps"]) {
        let label = label_of(text);
        return Title { factor, label, ..Title::of(Holds::Bandwidth) };
    }
    let holds = match found.map(|u| u.measure) {
        Some(Measure::Time) => Holds::Time,
        Some(_) => Holds::Rate,
        None if has(TIME_WORDS) || begins(&["time"]) => Holds::Time,
        None if has(RATE_WORDS) => Holds::Rate,
        None => Holds::Open,
    };
    let total = words.iter().any(|w| says_total(w) || w == "all" || w == "gesamt");
    // A total is the last resort.
    let rank = if total && rank == RANK { TOTAL } else { rank };
    let calls = calls_in(&plain);
    Title { factor, label: label_of(text), calls, rank, total, ..Title::of(holds) }
}

/// Whose figure it is: the title without units, statistics and brackets.
pub(super) fn label_of(text: &str) -> String {
    let mut plain = without_advice(text);
    // Words within a name count where an underscore holds them apart; the name keeps it.
    while let Some(found) = unit(&plain.replace('_', " ")) {
        plain.replace_range(found.from..found.to, &" ".repeat(found.to - found.from));
    }
    let count = calls_in(&plain.to_lowercase()) > 0;
    let of_calls = |w: &str| {
        count
            && (w.starts_with(|c: char| c.is_ascii_digit())
                || ["iter", "iters", "iterations", "calls", "runs", "launches"].contains(&w))
    };
    let of_figure = |part: &&str| {
        let lower = part.to_lowercase();
        let lower = lower.trim_matches(['/', '-', '.']);
        lower.is_empty()
            || OF_FIGURE.contains(&lower)
            || TIME_WORDS.contains(&lower)
            || RATE_WORDS.contains(&lower)
            || of_calls(lower)
    };
    let is_sign = |c: char| "()[],;:|".contains(c);
    let name = |word: &str| word.split('_').filter(|p| !of_figure(p)).collect::<Vec<_>>().join("_");
    let words = plain.split(|c: char| c.is_whitespace() || is_sign(c)).filter(|w| !w.is_empty());
    let kept: Vec<String> = words.map(name).filter(|w| !w.is_empty()).collect();
    let label = kept.join(" ");
    let label = label.trim_matches([' ', '-', '_', '.', '/']).to_owned();
    // `kernel a time` is the time of kernel a.
    if label.chars().count() == 1 {
        let named = format!("kernel {}", label.to_lowercase());
        if text.to_lowercase().replace('_', " ").contains(&named) {
            return format!("kernel {label}");
        }
    }
    if label.eq_ignore_ascii_case("t") { String::new() } else { label }
}

/// A time of something else than a call: `compile time`, and not the side `torch.compile`.
pub(super) fn is_aside(text: &str) -> bool {
    let words = lower_words(text);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let compiled = words.iter().any(|w| w == "compile");
    has(ASIDE_WORDS) && (!compiled || has(TIME_WORDS))
}

/// The title names a measurement, by its unit or its word.
pub(super) fn measures(text: &str) -> bool {
    words::unit(&text.replace('_', " "))
        .is_some_and(|u| matches!(u.measure, Measure::Time | Measure::Rate))
}
