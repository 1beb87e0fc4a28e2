//! What a column may hold by its title: candidates, about which the cells and the arithmetic decide.

mod names;

use super::block::bare;
use super::words::{self, Measure, letter_runs, lower_words, unit};
use crate::columns::words::{self as known, Says, any_says, is_extreme, is_percentile, says};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning as C;
use gemmscope_table::dataset::ColumnSpec;
use names::{ASIDE_WORDS, DERIVED_WORDS, HOLDS, OF_FIGURE, PARAMETER_WORDS, RATE_WORDS};

/// What a column holds, as far as it decides about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
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
pub(crate) struct Title {
    pub holds: Holds,
    /// What it is as a column of a dataset.
    pub spec: ColumnSpec,
    /// How sure that is, 0 to 100: of several columns with one meaning the strongest takes it.
    pub strength: u8,
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
        Title {
            holds,
            spec: C::Other.into(),
            strength: 0,
            factor: None,
            label: String::new(),
            calls: 0,
            rank: RANK,
            order: Vec::new(),
            total: false,
        }
    }

    fn meaning<S: Into<ColumnSpec>>(holds: Holds, spec: S, strength: u8) -> Title {
        Title { spec: spec.into(), strength, ..Title::of(holds) }
    }

    pub(super) fn is_figure(&self) -> bool {
        matches!(self.holds, Holds::Time | Holds::Rate)
    }
}

/// What the title says that the column means in a dataset.
pub(crate) fn meaning(text: &str) -> C {
    title(text).spec.meaning
}

/// Rank of a figure of which no statistic is stated.
pub(super) const RANK: u8 = 3;
/// Rank of a total beside a figure of the call.
const TOTAL: u8 = 6;
/// Rank of a statistic that is no figure of a call.
const SPREAD: u8 = 9;

/// What a column decides about a row that has this meaning in a dataset.
fn holds(meaning: C) -> Holds {
    match meaning {
        C::M => Holds::M,
        C::N => Holds::N,
        C::K => Holds::K,
        C::Batch => Holds::Batch,
        C::Mnk => Holds::Shape,
        C::Square => Holds::Square,
        C::Dtype => Holds::Type,
        C::DtypeA => Holds::TypeA,
        C::DtypeB => Holds::TypeB,
        C::DtypeC | C::Compute => Holds::TypeOut,
        C::Device => Holds::Device,
        C::Kernel | C::Library => Holds::Library,
        C::Count => Holds::Count,
        C::ReportedIntensity | C::ReportedEfficiency => Holds::Derived,
        C::Model | C::OpName | C::Status | C::ShapeA | C::ShapeB | C::Layout => Holds::Words,
        _ => Holds::Other,
    }
}

/// The whole title is a name that tools use.
fn named(joined: &str) -> Option<Title> {
    let named = known::name(joined);
    let is_name = |names: &str| names.split_whitespace().any(|name| name == joined);
    let held = HOLDS.iter().find(|(names, _)| is_name(names)).map(|(_, holds)| *holds);
    let holds = held.or_else(|| named.map(|(meaning, _)| holds(meaning)))?;
    let (meaning, strength) = named.unwrap_or((C::Other, 0));
    Some(Title::meaning(holds, meaning, strength))
}

/// `block_size_m`, `BM`, `B_M`: the tile of a kernel.
fn tile(joined: &str) -> Option<Title> {
    let mut prefixes =
        "block_size_|block_|tile_size_|tile_|cta_|macro_tile_|mt_|blk_|bt_|b_|b|tile|block"
            .split('|');
    let stem = prefixes.find_map(|p| joined.strip_prefix(p).filter(|s| s.len() == 1))?;
    let meaning = match stem {
        "m" => C::TileM,
        "n" => C::TileN,
        "k" => C::TileK,
        _ => return None,
    };
    Some(Title::meaning(Holds::Other, meaning, 90))
}

/// The factor to Hz of the unit in the title of a clock.
pub(crate) fn clock_scale(text: &str) -> f64 {
    let words = known::words(text);
    let has = |unit: &str| words.iter().any(|w| w == unit);
    if has("ghz") {
        1e9
    } else if has("mhz") {
        1e6
    } else {
        1.0
    }
}

fn clock(words: &[String]) -> Option<Title> {
    let unit = words.iter().any(|w| matches!(w.as_str(), "mhz" | "ghz" | "hz"));
    let is_clock = unit && any_says(words, &[Says::Clock]);
    is_clock.then(|| Title::meaning(Holds::Other, C::MeasuredClock, 60))
}

/// `gemm M`, `M (rows)`, `matrix n`: one lone letter of a size among neutral words.
fn lone_size(words: &[String]) -> Option<Title> {
    let mut rest = words.iter().filter(|w| !says(w, &[Says::OfSize]));
    let (letter, None) = (rest.next()?, rest.next()) else { return None };
    match letter.as_str() {
        "m" => Some(Title::meaning(Holds::M, C::M, 70)),
        "n" => Some(Title::meaning(Holds::N, C::N, 70)),
        "k" => Some(Title::meaning(Holds::K, C::K, 70)),
        _ => None,
    }
}

/// Factor to FLOP/s of the unit of rate in a title.
pub(crate) fn rate_factor(text: &str) -> Option<f64> {
    let unit = unit(&text.to_lowercase().replace('_', " "))?;
    (unit.measure == Measure::Rate).then_some(unit.factor)
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

fn type_of(low: &str) -> Option<Title> {
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
    words_fit.then(|| {
        let holds = words.iter().find_map(|w| place(w)).unwrap_or(Holds::Type);
        let meaning = match holds {
            Holds::Type => C::Dtype,
            Holds::TypeA => C::DtypeA,
            Holds::TypeB => C::DtypeB,
            _ if words.iter().any(|w| ["out", "output", "result", "c", "d"].contains(w)) => {
                C::DtypeC
            }
            _ => C::Other,
        };
        Title::meaning(holds, meaning, 60)
    })
}

/// `time of 100 iterations`: how many calls a value is of.
fn calls_in(low: &str) -> u32 {
    let words: Vec<&str> = low.split(|c: char| !(c.is_alphanumeric() || c == ',')).collect();
    let is_calls = |w: &str| {
        ["iter", "iters", "iterations", "calls", "runs", "launches", "reps", "repeats"].contains(&w)
    };
    if words.iter().any(|w| *w == "med" || says(w, &[Says::Mean]) || is_extreme(w)) {
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
pub(crate) fn title(text: &str) -> Title {
    let bare = bare(text);
    if let Some((unit, strength)) = known::work(&known::words(&bare).join("_")) {
        let spec = ColumnSpec::rate(C::ReportedWork, Some(unit));
        return Title::meaning(Holds::Other, spec, strength);
    }
    let whole = without_remarks(&without_camel(&bare));
    // What pandas calls the column of the first of several rows.
    let whole = whole.trim().trim_end_matches("_first").trim();
    let spaced = whole.replace('_', " ");
    let low = spaced.to_lowercase();
    if is_square(&low) {
        return Title::meaning(Holds::Square, C::Square, 90);
    }
    let order = order_of(&spaced);
    let measured = unit(&low).is_some();
    match order.len() {
        3 => return Title { order, ..Title::meaning(Holds::Shape, C::Mnk, 90) },
        2 if !measured => return Title { order, ..Title::of(Holds::Pair) },
        _ => {}
    }
    let words = known::words(whole);
    let joined = words.join("_");
    let found = named(&joined).or_else(|| type_of(&low)).or_else(|| tile(&joined));
    if let Some(found) = found.or_else(|| clock(&words)) {
        return found;
    }
    let figure = figure(whole, &low, &words);
    match figure.holds {
        Holds::Open => lone_size(&words).unwrap_or(figure),
        _ => figure,
    }
}

/// `% of peak`: a share of what a device can do.
fn of_roof(low: &str, words: &[String]) -> Title {
    let percent = low.contains('%') || any_says(words, &[Says::Percent]);
    match percent && any_says(words, &[Says::OfRoof]) {
        true => Title::meaning(Holds::Derived, C::ReportedEfficiency, 70),
        false => Title::of(Holds::Derived),
    }
}

fn figure(text: &str, low: &str, words: &[String]) -> Title {
    let plain = without_advice(low);
    let found = unit(&plain);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let begins = |stems: &[&str]| words.iter().any(|w| stems.iter().any(|s| w.starts_with(s)));
    let is_time = match &found {
        Some(unit) => unit.measure == Measure::Time,
        None => is_duration(words),
    };
    // `time_err_us`
    if is_time && any_says(words, &[Says::Spread]) {
        let unit =
            found.as_ref().and_then(|u| TimeUnit::ALL.into_iter().find(|t| t.to_si() == u.factor));
        return Title::meaning(Holds::Spread, ColumnSpec::time(C::TimeStd, unit), 60);
    }
    let quotient =
        plain.contains(" / ") || plain.contains("speed-up") || plain.contains(['δ', 'Δ']);
    // `GFLOPS_ref`: what the figure is measured against, not whose it is.
    let against = words.last().is_some_and(|w| says(w, &[Says::Reference]));
    let against = against && found.as_ref().is_some_and(|u| u.from == 0);
    if names_quotient(words)
        || begins(&["improve", "efficien", "util"])
        || plain.contains("max abs")
        || plain.contains("/byte")
        || plain.contains('δ')
        || quotient && (found.is_none() || plain.contains("speed-up"))
    {
        return of_roof(&plain, words);
    }
    if found.is_none() && (plain.contains('%') || has(&["percent", "pct", "share"])) {
        return Title { holds: Holds::Share, ..of_roof(&plain, words) };
    }
    if found.is_none() && is_count(&plain) {
        return Title::of(Holds::Count);
    }
    let aside = has(ASIDE_WORDS)
        || against
        || any_says(words, &[Says::Moment])
        || words.iter().any(|w| says(w, &[Says::Once]) && !says_total(w))
        || found.is_none() && has(PARAMETER_WORDS);
    let of_bandwidth = match &found {
        Some(unit) => unit.measure == Measure::Bandwidth,
        None => any_says(words, &[Says::Traffic]),
    };
    let rank = rank(words);
    let holds = match found.as_ref().map(|u| u.measure) {
        _ if any_says(words, &[Says::Spread]) => return Title::of(Holds::Spread),
        _ if rank == SPREAD => Holds::Spread,
        _ if aside && !of_bandwidth => return Title::of(Holds::Other),
        _ if of_bandwidth => Holds::Bandwidth,
        Some(Measure::Time) => Holds::Time,
        Some(_) => Holds::Rate,
        None if is_time => Holds::Time,
        None if has(RATE_WORDS) || any_says(words, &[Says::Rate]) => Holds::Rate,
        None => Holds::Open,
    };
    let total = words.iter().any(|w| says_total(w) || w == "all" || w == "gesamt");
    // A total is the last resort.
    let rank = if total && rank == RANK { TOTAL } else { rank };
    let factor = found.as_ref().map(|u| u.factor);
    let label = label_of(text);
    let measure = match holds {
        Holds::Bandwidth => Some(Measure::Bandwidth),
        Holds::Rate => Some(Measure::Rate),
        Holds::Time => Some(Measure::Time),
        _ => found.map(|u| u.measure),
    };
    let spec = measure.map(|measure| spec_of(measure, factor, words));
    let strength =
        if spec.is_some() { strength(rank, &label, words) + u8::from(factor.is_some()) } else { 0 };
    let spec = spec.unwrap_or(C::Other.into());
    let calls = if of_bandwidth { 0 } else { calls_in(&plain) };
    Title { holds, spec, strength, factor, label, calls, rank, order: Vec::new(), total }
}

fn is_duration(words: &[String]) -> bool {
    let time = |w: &String| w.starts_with("time") && !w.starts_with("timeout");
    any_says(words, &[Says::Duration]) || words.iter().any(time)
}

/// Which statistic a title names: the smaller, the better it stands for a call.
fn rank(words: &[String]) -> u8 {
    let any = |is: &dyn Fn(&str) -> bool| words.iter().any(|w| is(w));
    match () {
        () if any(&|w| matches!(w, "median" | "med" | "p50" | "q50")) => 0,
        () if any(&|w| says(w, &[Says::Mean])) => 1,
        () if any(&|w| says(w, &[Says::Least])) => 4,
        () if any(&|w| says(w, &[Says::Most])) => 5,
        () if any(&is_quantile) => SPREAD,
        () => RANK,
    }
}

/// A figure as a column of a dataset.
fn spec_of(measure: Measure, factor: Option<f64>, words: &[String]) -> ColumnSpec {
    let is = |si: f64| factor == Some(si);
    match measure {
        Measure::Bandwidth => {
            ColumnSpec::bandwidth(BandwidthUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
        Measure::Rate => {
            ColumnSpec::rate(C::ReportedRate, RateUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
        Measure::Time => {
            let meaning = match () {
                () if any_says(words, &[Says::Least]) => C::TimeMin,
                () if any_says(words, &[Says::Most]) => C::TimeMax,
                () => C::Time,
            };
            ColumnSpec::time(meaning, TimeUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
    }
}

/// How sure it is that a figure is that of a row: the better its statistic and the less it is of one part or one
/// clock alone.
fn strength(rank: u8, label: &str, words: &[String]) -> u8 {
    let host = any_says(words, &[Says::Host]);
    80 - 4 * rank - if label.is_empty() { 0 } else { 5 } - if host { 15 } else { 0 }
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
            || is_extreme(lower)
            || is_time_word(lower)
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
    has(ASIDE_WORDS) && (!compiled || words.iter().any(|w| is_time_word(w)))
}

/// A word of a time alone, in the languages of spreadsheets.
fn is_time_word(word: &str) -> bool {
    const TIMES: &[&str] = &["time", "latency", "duration", "elapsed", "runtime"];
    known::words(word).first().is_some_and(|w| TIMES.contains(&w.as_str()))
}

/// The title names a measurement, by its unit or its word.
pub(super) fn measures(text: &str) -> bool {
    words::unit(&text.replace('_', " "))
        .is_some_and(|u| matches!(u.measure, Measure::Time | Measure::Rate))
}

#[cfg(test)]
mod tests;
