//! Finds the figures of a line, with their units and names.

use super::{Rest, Said, TAKEN};
use crate::document::title::{is_share_of_peak, title};
use crate::document::unit_words::unit;
use crate::document::words::{number_length, type_of_word};

/// A number in a line that is not part of a word.
struct Number {
    from: usize,
    to: usize,
    /// The unit after it as written, and the end of that unit.
    behind: Option<(String, usize)>,
    /// The word before it that contains a unit, and the start of that word.
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

/// Consumes figures with their units.
pub(super) fn figures(rest: &mut Rest, out: &mut Said) {
    let text = rest.text.clone();
    let all = numbers(&text);
    let value_first = all.iter().any(|n| n.behind.is_some() && n.before.is_none());
    counts(&text, &all, rest, out);
    // If several figures measure the same quantity, the words before each tell them apart.
    let kinds: Vec<_> =
        all.iter().filter_map(|n| unit(&n.behind.as_ref()?.0).map(|u| u.measure)).collect();
    let phrases = (1..kinds.len()).any(|i| kinds[..i].contains(&kinds[i]));
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut end_of_last = 0;
    for n in &all {
        // Part of the spread of the previous figure.
        if n.from < end_of_last {
            continue;
        }
        let value = text[n.from..n.to].to_owned();
        let assigned = text[..n.from].trim_end().ends_with('=');
        match (&n.behind, &n.before) {
            (Some((unit, end)), before) if before.is_none() || value_first && !assigned => {
                let (name, start) = name_before(&text, end_of_last, n.from, phrases);
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
    shares(&text, &all, rest, out);
    let names: std::collections::BTreeSet<&str> =
        found.iter().map(|(n, ..)| n.as_str()).filter(|n| !n.is_empty()).collect();
    // A figure without a name takes the name of the previous one.
    let of_one = |name: &str| !title(&format!("{name} (ms)")).label.is_empty();
    let several = names.len() > 1 || names.iter().any(|n| of_one(n));
    let mut last = String::new();
    for (name, unit, value) in found {
        let own = if name.is_empty() && several && value_first { last.clone() } else { name };
        let shown = if unit.is_empty() { own.clone() } else { format!("{own} ({unit})") };
        last = own;
        let shown = if out.of_all && last.is_empty() { format!("total {shown}") } else { shown };
        out.quantities.push((shown.trim().to_owned(), value));
    }
}

/// Shares of a peak by name, without a unit: `pct_peak 0.188`.
fn shares(text: &str, all: &[Number], rest: &mut Rest, out: &mut Said) {
    for n in all.iter().filter(|n| n.behind.is_none() && n.before.is_none()) {
        let before = text[..n.from].trim_end_matches([' ', '=', ':']);
        let name = before.rsplit(|c: char| !(c.is_alphanumeric() || "_%".contains(c))).next();
        let Some(name) = name.filter(|name| is_share_of_peak(name)) else { continue };
        out.quantities.push((name.to_owned(), text[n.from..n.to].to_owned()));
        rest.take(before.len() - name.len(), n.to);
    }
}

/// Finds the number of calls that a total covers: `iters=100`, `100 iterations of`, `100 iterations took`,
/// `took 2 s for 100 iterations`.
fn counts(text: &str, all: &[Number], rest: &mut Rest, out: &mut Said) {
    let is_calls = |w: &str| {
        ["iters", "iter", "iterations", "calls", "runs", "launches", "repeats", "reps"].contains(&w)
    };
    let lower = text.to_lowercase();
    let has =
        |list: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|w| list.contains(&w));
    let of_one = has(&["avg", "average", "mean", "median", "per", "each", "min", "best"]);
    let of_some = has(&["took", "takes", "total", "elapsed"]) && !of_one;
    let word = |t: &str| t.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_owned();
    for n in all.iter().filter(|n| n.behind.is_none()) {
        let behind = lower.get(n.to..).map_or("", str::trim_start);
        let before = lower.get(..n.from).unwrap_or("");
        let assigned =
            before.strip_suffix('=').and_then(|t| t.rsplit(|c: char| !c.is_alphanumeric()).next());
        let counted = is_calls(&word(behind));
        let next = word(behind[word(behind).len()..].trim_start_matches([' ', ':', '-']));
        let announces = match next.as_str() {
            "of" | "for" | "in" => true,
            "took" | "take" | "total" | "elapsed" => !of_one,
            _ => {
                let last = before.split_whitespace().next_back().unwrap_or("");
                of_some && ["for", "over", "in", "of"].contains(&last)
            }
        };
        let of_total = counted && announces;
        if of_total || counted || assigned.is_some_and(is_calls) {
            out.quantities.push(("count".to_owned(), text[n.from..n.to].to_owned()));
            out.of_all = of_total;
            if of_total {
                rest.take(n.from, n.to);
            }
            return;
        }
    }
}

/// Words that announce a figure without naming a library or kernel.
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

/// The name before a value (`avg latency: `, `median `) and its start, not before `after`, the end of the previous
/// figure. With `phrases`, any words before the value are its name.
fn name_before(text: &str, after: usize, at: usize, phrases: bool) -> (String, usize) {
    let trimmed = text[..at].trim_end_matches([' ', '\t', '(']);
    let head = trimmed.strip_suffix(['=', ':']);
    let words = head.unwrap_or(trimmed);
    let ends = |c: char| c == TAKEN || ",;|\t()[]".contains(c);
    let start =
        words.rfind(ends).map_or(0, |i| i + words[i..].chars().next().map_or(1, char::len_utf8));
    let start = start.max(after.min(words.len()));
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
            .filter(|w| type_of_word(w).is_none())
            .collect();
        return (kept.join(" "), start);
    }
    let of_call = ["per call", "per iteration", "per iter", "per run", "per launch"];
    if let Some(phrase) = of_call.iter().find(|p| lower.ends_with(*p)) {
        return ("avg".to_owned(), start + words[start..].trim_end().len() - phrase.len());
    }
    let word = trimmed
        .rfind(|c: char| !c.is_alphabetic())
        .map_or(trimmed, |i| &trimmed[i + trimmed[i..].chars().next().map_or(1, char::len_utf8)..]);
    if OF_RUNS.contains(&word.to_lowercase().as_str()) {
        return (word.to_owned(), trimmed.len() - word.len());
    }
    (String::new(), at)
}
