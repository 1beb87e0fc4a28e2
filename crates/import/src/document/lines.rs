//! What a line of a log says: its sizes and named quantities.

use super::cell::{Commas, cell};
use super::sizes::stated;
use super::title::{Holds, measures, title};
use super::words::{number_length, types_in, unit};
use crate::cell::shape_text::named;

/// Stands where something was taken out of a line.
const TAKEN: char = '\u{1}';
/// Longer lines are no printed results.
const LONGEST: usize = 600;

/// What a line says: what stands before its quantities, and these with their titles.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub label: String,
    pub sizes: Vec<(String, String)>,
    pub quantities: Vec<(String, String)>,
    pub dtype: Option<String>,
    /// The time is of all calls of the count.
    of_all: bool,
}

impl Said {
    pub(super) fn has_sizes(&self) -> bool {
        let has = |name: &str| self.sizes.iter().any(|(t, _)| t == name);
        has("shape") || has("m") && has("n") && has("k")
    }

    /// A time or a rate of a call.
    pub(super) fn is_measured(&self) -> bool {
        self.quantities.iter().any(|(t, _)| measures(t) && title(t).is_figure())
    }
}

/// A line with what was taken out of it marked.
struct Rest {
    text: String,
}

impl Rest {
    fn take(&mut self, from: usize, to: usize) {
        let mark: String = std::iter::once(TAKEN).chain(vec![' '; to - from - 1]).collect();
        self.text.replace_range(from..to, &mark);
    }

    /// Takes out sizes: `M=1`, `(M, N, K): 1, 2, 3`, `[1,2]`.
    fn take_sizes(&mut self) {
        let text = self.text.clone();
        let mut at = 0;
        while let Some(found) = text[at..].find(|c: char| c.is_ascii_alphabetic()) {
            let from = at + found;
            let inside = text[..from].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let len = if inside { 0 } else { size_length(&text[from..]) };
            if len > 0 {
                self.take(from, from + len);
                at = from + len;
            } else {
                let run = text[from..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
                at = from + run.unwrap_or(text.len() - from).max(1);
            }
        }
    }

    /// Takes out `1x2x3`, `1 × 2`, whatever name it stands in.
    fn take_products(&mut self) {
        let text = self.text.clone();
        let mut at = 0;
        while let Some(found) = text[at..].find(|c: char| c.is_ascii_digit()) {
            let from = at + found;
            let mut end = from;
            let mut factors = 0;
            loop {
                let digits =
                    text[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - end);
                end += digits;
                factors += 1;
                let rest = text[end..].trim_start_matches(' ');
                let next = rest.strip_prefix(['x', '×', '*']).map(|r| r.trim_start_matches(' '));
                match next.filter(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
                    Some(next) => end = text.len() - next.len(),
                    None => break,
                }
            }
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let inside = text[..from].ends_with(word) || text[end..].starts_with(word);
            let fraction = text[end..].starts_with('.');
            if factors > 1 && !fraction && !inside {
                self.take(from, end);
            }
            at = end.max(from + 1);
        }
    }

    fn take_brackets(&mut self) {
        let text = self.text.clone();
        let mut at = 0;
        while let Some(open) = text[at..].find(['(', '[']) {
            let from = at + open;
            let inner = &text[from + 1..];
            let end = inner.find([')', ']']).filter(|end| {
                *end > 0
                    && inner[..*end].chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ')
            });
            if let Some(end) = end {
                self.take(from, from + end + 2);
            }
            at = from + 1;
        }
    }
}

/// Length of `M=1`, `n_expert=4` or `(M, N, K): 1 2 3` at the start of a text; 0 where there is none.
fn size_length(text: &str) -> usize {
    let name = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let lower = text[..name].to_lowercase();
    let single = lower.len() == 1;
    let is_name = matches!(&*lower, "m" | "n" | "k" | "b" | "e" | "g")
        || lower.starts_with("batch")
        || lower == "n_expert";
    if !is_name {
        return 0;
    }
    let mut end = name;
    let mut names = 1;
    // `, N, K`
    loop {
        if !single {
            break;
        }
        let rest = text[end..].trim_start().strip_prefix([',', '=']).map(str::trim_start);
        let Some(next) = rest else { break };
        let one = next.starts_with(|c: char| c.is_ascii_alphabetic())
            && !next[1..].starts_with(|c: char| c.is_alphanumeric());
        if !one {
            break;
        }
        end = text.len() - next.len() + 1;
        names += 1;
    }
    let rest = text[end..].trim_start_matches([' ', ')', ']']);
    let Some(rest) = rest.strip_prefix([':', '=']) else { return 0 };
    let mut rest = rest.trim_start_matches([' ', '(', '[']);
    let mut found = 0;
    let list = names > 1 && text[..end].contains(',');
    while rest.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let behind = &rest[digits..];
        let fraction =
            behind.starts_with('.') && behind[1..].starts_with(|c: char| c.is_ascii_digit());
        if fraction {
            return 0;
        }
        rest = behind;
        found += 1;
        if !list || found == names {
            break;
        }
        rest = rest.trim_start_matches([' ', ',', 'x', '×']);
    }
    let rest = if list { rest.strip_prefix([')', ']']).unwrap_or(rest) } else { rest };
    if found == 0 { 0 } else { text.len() - rest.len() }
}

/// What a line says.
pub(super) fn said(line: &str) -> Said {
    let mut out = Said::default();
    if line.len() > LONGEST {
        return out;
    }
    let mut rest = Rest { text: line.replace(TAKEN, " ") };
    let sizes = stated(line);
    let count = [sizes.m, sizes.n, sizes.k, sizes.batch, sizes.groups].iter().flatten().count();
    let lone = sizes.any() && !sizes.all();
    if sizes.any() && (count >= 3 || sizes.m.is_some()) {
        for (name, value) in [
            ("m", sizes.m),
            ("n", sizes.n),
            ("k", sizes.k),
            ("batch", sizes.batch),
            ("groups", sizes.groups),
        ] {
            out.sizes.extend(value.map(|v| (name.to_owned(), v.to_string())));
        }
    }
    times_of_calls(&mut rest, &mut out);
    rest.take_sizes();
    if !sizes.all()
        && let Some(shape) = named(line)
    {
        let [m, n, k] = shape.sizes;
        out.sizes =
            [("m", m), ("n", n), ("k", k)].map(|(l, v)| (l.to_owned(), v.to_string())).to_vec();
        out.sizes.extend(shape.batch.map(|b| ("batch".to_owned(), b.to_string())));
    }
    if out.has_sizes() || lone {
        rest.take_products();
    }
    rest.take_brackets();
    let types = types_in(&rest.text);
    figures(&mut rest, &mut out);
    if let [one] = &types[..] {
        out.dtype = Some(one.odd.clone().unwrap_or_else(|| one.dtype.id().to_owned()));
    }
    out.label = label(&rest.text);
    if !out.has_sizes() {
        square(line, &mut out);
    }
    out
}

/// The only size of a line: `N=4096`, `size 4096`, `4096x4096`.
fn side_of(line: &str) -> Option<u32> {
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .filter(|w| !w.is_empty())
        .collect();
    let named = words.windows(2).find_map(|pair| {
        let size = ["n", "m", "size", "dim"].iter().any(|w| pair[0].eq_ignore_ascii_case(w));
        size.then(|| crate::cell::size(pair[1].as_bytes()).ok())?
    });
    named.or_else(|| {
        words.iter().find_map(|word| {
            let (a, b) = word.split_once(['x', 'X'])?;
            (a == b).then(|| crate::cell::size(a.as_bytes()).ok())?
        })
    })
}

/// `N=4096: 0.25 ms, 549.7 TFLOPS`: the only size is the side of square matrices, where rate and time prove it.
fn square(line: &str, out: &mut Said) {
    let Some(side) = side_of(line) else { return };
    let si = |holds: Holds| {
        out.quantities.iter().find_map(|(name, value)| {
            let title = title(name);
            let value = cell(value, Commas::Thousands).value?;
            (title.holds == holds).then(|| value * title.factor.unwrap_or(f64::NAN))
        })
    };
    let Some((time, rate)) = si(Holds::Time).zip(si(Holds::Rate)) else { return };
    if (time * rate / (2.0 * f64::from(side).powi(3)) - 1.0).abs() < 0.02 {
        let side = side.to_string();
        out.sizes = ["m", "n", "k"].map(|l| (l.to_owned(), side.clone())).to_vec();
    }
}

/// What stands before the first quantity, without the words that announce one.
fn label(rest: &str) -> String {
    let end = rest.find([TAKEN, '|']).unwrap_or(rest.len());
    let mut text = &rest[..end];
    let lower = text.to_lowercase();
    if lower.len() == text.len() {
        let announced = |w: &str| {
            lower
                .match_indices(w)
                .map(|(at, _)| at)
                .find(|at| !lower[..*at].ends_with(|c: char| c.is_alphanumeric()))
        };
        let cut = ["shape", "took", "lat", "time", "run"].iter().filter_map(|w| announced(w)).min();
        text = &text[..cut.unwrap_or(text.len())];
    }
    text.trim_matches(|c: char| " :,-|[]()=>\t".contains(c)).to_owned()
}

/// `10 x 100.0 us = 1000 us`: a number of calls, the time of one, and of all.
fn times_of_calls(rest: &mut Rest, out: &mut Said) {
    let text = rest.text.clone();
    for (at, mark) in text.match_indices(['x', '×']) {
        let before = text[..at].trim_end();
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let start = before.len() - digits;
        let behind = text[at + mark.len()..].trim_start();
        let len = number_length(behind);
        let own = !before[..start].ends_with(|c: char| c.is_alphanumeric() || ".x×".contains(c));
        if digits == 0 || len == 0 || !own {
            continue;
        }
        let Some((unit_word, total)) = behind[len..].split_once('=') else { continue };
        let (unit_word, total) = (unit_word.trim(), total.trim_start());
        let of_all = number_length(total);
        if of_all == 0 || super::words::seconds(&unit_word.to_lowercase()).is_none() {
            continue;
        }
        out.quantities.push(("count".to_owned(), before[start..].to_owned()));
        out.quantities.push((format!("time ({unit_word})"), behind[..len].to_owned()));
        let tail = total[of_all..].trim_start();
        let word = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let to = text.len() - tail.len() + word;
        rest.take(start, to);
        return;
    }
}

/// A number of a line that is no part of a word.
struct Number {
    from: usize,
    to: usize,
    /// The unit behind it, as written, and its end.
    behind: Option<(String, usize)>,
    /// The word before it that holds a unit, and its start.
    before: Option<(String, usize)>,
}

fn numbers(text: &str) -> Vec<Number> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(|c: char| c.is_ascii_digit() || c == '.' || c == '-') {
        let from = at + found;
        let len = number_length(&text[from..]);
        let inside = text[..from].ends_with(|c: char| c.is_alphanumeric() || "._".contains(c));
        if len == 0 || inside {
            at = from + text[from..].chars().next().map_or(1, char::len_utf8).max(len);
            continue;
        }
        let to = from + len;
        out.push(Number {
            from,
            to,
            behind: unit_behind(text, to),
            before: unit_before(text, from),
        });
        at = to;
    }
    out
}

fn unit_behind(text: &str, at: usize) -> Option<(String, usize)> {
    let behind = &text[at..];
    // `10.5 ± 0.2 us`
    let spread =
        behind.trim_start().strip_prefix('±').or_else(|| behind.trim_start().strip_prefix("+/-"));
    if let Some(spread) = spread.map(str::trim_start) {
        let len = number_length(spread);
        return if len > 0 { unit_behind(text, text.len() - spread.len() + len) } else { None };
    }
    let word = behind.trim_start_matches([' ', '(', '[']);
    if behind.len() - word.len() > 2 {
        return None;
    }
    let run = word.find(|c: char| !(c.is_alphanumeric() || c == '/')).unwrap_or(word.len());
    let found = unit(&word[..run]).filter(|u| u.from == 0)?;
    let next = word[found.to..].chars().next();
    if next.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let end = text.len() - word.len() + found.to;
    Some((word[..found.to].to_owned(), end))
}

fn unit_before(text: &str, at: usize) -> Option<(String, usize)> {
    let before = text[..at].trim_end_matches([' ', '=', ':', ')', '(', '\t', ']']);
    let word = |c: char| !(c.is_alphanumeric() || "_/".contains(c));
    let start =
        before.rfind(word).map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    let name = &before[start..];
    unit(&name.replace('_', " "))?;
    (before.len() < at && !name.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| (name.to_owned(), start))
}

/// Takes out the figures with their units.
fn figures(rest: &mut Rest, out: &mut Said) {
    let text = rest.text.clone();
    let all = numbers(&text);
    let value_first = all.iter().any(|n| n.behind.is_some() && n.before.is_none());
    counts(&text, &all, rest, out);
    // Several figures of one kind are told apart by the words before each.
    let kinds: Vec<_> =
        all.iter().filter_map(|n| unit(&n.behind.as_ref()?.0).map(|u| u.measure)).collect();
    let phrases = (1..kinds.len()).any(|i| kinds[..i].contains(&kinds[i]));
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut end_of_last = 0;
    for n in &all {
        // The spread of the figure before it.
        if n.from < end_of_last {
            continue;
        }
        let value = text[n.from..n.to].to_owned();
        let assigned = text[..n.from].trim_end().ends_with('=');
        match (&n.behind, &n.before) {
            (Some((unit, end)), before) if before.is_none() || value_first && !assigned => {
                let (name, start) = name_before(&text, n.from, phrases);
                found.push((name, unit.clone(), value));
                rest.take(start.min(n.from), *end);
                end_of_last = *end;
            }
            (_, Some((name, start))) if !value_first || assigned => {
                found.push((name.clone(), String::new(), value));
                rest.take(*start, n.to);
            }
            _ => {}
        }
    }
    let names: std::collections::BTreeSet<&str> =
        found.iter().map(|(n, ..)| n.as_str()).filter(|n| !n.is_empty()).collect();
    // A figure without a name is of whom the one before it is.
    let several = names.len() > 1;
    let mut last = String::new();
    for (name, unit, value) in found {
        let own = if name.is_empty() && several && value_first { last.clone() } else { name };
        let shown = if unit.is_empty() { own.clone() } else { format!("{own} ({unit})") };
        last = own;
        let shown = if out.of_all && last.is_empty() { format!("total {shown}") } else { shown };
        out.quantities.push((shown.trim().to_owned(), value));
    }
}

/// `iters=100`, `100 iterations of`: how many calls a total is of.
fn counts(text: &str, all: &[Number], rest: &mut Rest, out: &mut Said) {
    let is_calls = |w: &str| {
        ["iters", "iter", "iterations", "calls", "runs", "launches", "repeats", "reps"].contains(&w)
    };
    for n in all.iter().filter(|n| n.behind.is_none()) {
        let lower = text.to_lowercase();
        let word =
            |t: &str| t.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_owned();
        let behind = lower.get(n.to..).map_or("", str::trim_start);
        let before = lower.get(..n.from).and_then(|t| t.strip_suffix('='));
        let before = before.and_then(|t| t.rsplit(|c: char| !c.is_alphanumeric()).next());
        let of_total = is_calls(&word(behind))
            && ["of", "for", "in"].contains(&&*word(behind[word(behind).len()..].trim_start()));
        if of_total || before.is_some_and(is_calls) {
            out.quantities.push(("count".to_owned(), text[n.from..n.to].to_owned()));
            out.of_all = of_total;
            if of_total {
                rest.take(n.from, n.to);
            }
            return;
        }
    }
}

/// Words that announce a figure and name nobody.
const ANNOUNCING: &[&str] = &[
    "took",
    "in",
    "takes",
    "time",
    "is",
    "at",
    "of",
    "run",
    "achieved",
    "latency",
    "result",
    "for",
    "with",
    "and",
    "got",
    "elapsed",
    "duration",
    "perf",
    "performance",
    "throughput",
    "was",
    "exec",
];
const OF_RUNS: &[&str] =
    &["min", "max", "median", "avg", "average", "mean", "std", "peak", "total", "sum", "best"];

/// The name before a value, `avg latency: `, `median `, and where it starts. `phrases`: any words before it are one.
fn name_before(text: &str, at: usize, phrases: bool) -> (String, usize) {
    let trimmed = text[..at].trim_end_matches([' ', '\t', '(']);
    let head = trimmed.strip_suffix(['=', ':']);
    let words = head.unwrap_or(trimmed);
    let ends = |c: char| c == TAKEN || ",;|\t()[]".contains(c);
    let start =
        words.rfind(ends).map_or(0, |i| i + words[i..].chars().next().map_or(1, char::len_utf8));
    let start = words[start..].trim_end().rfind("  ").map_or(start, |i| start + i + 2);
    let name = words[start..].trim_start_matches([':', '-', ' ']).trim_end();
    let wordy = name.starts_with(|c: char| c.is_alphabetic()) && !name.contains(['=', ':']);
    let apart = ["compil", "warm", "load", "init", "setup", "tun", "finish", "done"];
    let lower = name.to_lowercase();
    if wordy && lower.split_whitespace().any(|w| apart.iter().any(|a| w.starts_with(a))) {
        return ("compile".to_owned(), start);
    }
    if wordy && name.len() <= 40 && (head.is_some() || phrases && start > 0) {
        let kept: Vec<&str> = name
            .split_whitespace()
            .filter(|w| !ANNOUNCING.contains(&w.to_lowercase().as_str()))
            .filter(|w| super::words::type_of_word(w).is_none())
            .collect();
        return (kept.join(" "), start);
    }
    let word = trimmed
        .rfind(|c: char| !c.is_alphabetic())
        .map_or(trimmed, |i| &trimmed[i + trimmed[i..].chars().next().map_or(1, char::len_utf8)..]);
    if OF_RUNS.contains(&word.to_lowercase().as_str()) {
        return (word.to_owned(), trimmed.len() - word.len());
    }
    (String::new(), at)
}
