//! Parses a line of a log: sizes and named quantities.

mod figures;

use super::cell::{Commas, cell};
use super::sizes::stated;
use super::title::{Holds, measures, title};
use super::words::{devices_in, number_length, types_in};
use crate::cell::shape_text::named;

/// Placeholder for text already consumed from a line.
const TAKEN: char = '\u{1}';
/// Title of the number of calls in `10 x 100.0 us = 1000 us`, for which the line states the time of all.
pub(super) const CALLS_OF_LINE: &str = "calls";
/// Longer lines are skipped.
const LONGEST: usize = 600;

/// Contents of a line: the text before its quantities, and titles and values of sizes and quantities.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub label: String,
    pub sizes: Vec<(String, String)>,
    pub quantities: Vec<(String, String)>,
    pub dtype: Option<String>,
    /// The device, if the line names exactly one.
    pub device: Option<String>,
    /// The line has too many words for a name with figures: prose.
    pub is_prose: bool,
    /// The time covers all counted calls.
    of_all: bool,
}

impl Said {
    pub(super) fn has_sizes(&self) -> bool {
        let has = |name: &str| self.sizes.iter().any(|(t, _)| t == name);
        has("shape") || has("m") && has("n") && has("k")
    }

    /// True if the line states a time or a rate.
    pub(super) fn is_measured(&self) -> bool {
        self.quantities.iter().any(|(t, _)| measures(t) && title(t).is_figure())
    }
}

/// A line in which consumed text is replaced by [`TAKEN`] and blanks.
struct Rest {
    text: String,
}

impl Rest {
    fn take(&mut self, from: usize, to: usize) {
        let mark: String = std::iter::once(TAKEN).chain(vec![' '; to - from - 1]).collect();
        self.text.replace_range(from..to, &mark);
    }

    /// Consumes sizes: `M=1`, `(M, N, K): 1, 2, 3`, `[1,2]`.
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

    /// Consumes `1x2x3` and `1 × 2`, unless they are part of a word.
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
                // `4096^3`
                let power = rest.strip_prefix("^3").filter(|_| factors == 1);
                if let Some(behind) = power {
                    (end, factors) = (text.len() - behind.len(), 3);
                    break;
                }
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

/// Length of `M=1`, `n_expert=4` or `(M, N, K): 1 2 3` at the start of a text; 0 if there is none.
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

/// Parses a line.
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
    let devices = devices_in(&rest.text);
    figures::figures(&mut rest, &mut out);
    if let [one] = &types[..] {
        out.dtype = Some(one.odd.clone().unwrap_or_else(|| one.dtype.id().to_owned()));
    }
    out.is_prose = words_of(&rest.text) > MOST_WORDS;
    if let [device] = &devices[..] {
        out.device = Some(device.clone());
        rest.text = rest.text.replacen(device, "", 1);
    }
    out.label = label(&rest.text);
    if !out.has_sizes() {
        square(line, &mut out);
    }
    out
}

/// Names of a size that may be the only one.
const SIDES: &[&str] = &["n", "m", "size", "dim"];

/// The only size of a line, if it may be square: `N=4096`, `size 4096`, `4096x4096`.
fn side_of(line: &str) -> Option<u32> {
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .filter(|w| !w.is_empty())
        .collect();
    let named = words.windows(2).find_map(|pair| {
        let size = SIDES.iter().any(|w| pair[0].eq_ignore_ascii_case(w));
        size.then(|| crate::cell::size(pair[1].as_bytes()).ok())?
    });
    named.or_else(|| {
        words.iter().find_map(|word| {
            let (a, b) = word.split_once(['x', 'X'])?;
            (a == b).then(|| crate::cell::size(a.as_bytes()).ok())?
        })
    })
}

/// In `N=4096: 0.25 ms, 549.7 TFLOPS` the only size means M = N = K, if rate and time confirm it.
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

/// Maximum number of words in the name of a measurement; more make a sentence.
const MOST_WORDS: usize = 5;

/// Number of words made of letters only.
fn words_of(text: &str) -> usize {
    let plain = |w: &&str| w.len() > 1 && w.chars().all(|c| c.is_alphabetic() || ",.'".contains(c));
    text.replace(TAKEN, " ").split_whitespace().filter(plain).count()
}

/// The text before the first quantity, without words that announce one.
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
    // `size=1024` is a size.
    let is_side = |w: &&str| {
        w.split_once('=').is_some_and(|(name, value)| {
            SIDES.iter().any(|s| name.eq_ignore_ascii_case(s))
                && value.trim_end_matches([',', ':', ';']).parse::<u32>().is_ok()
        })
    };
    let text = text.split(' ').filter(|w| !is_side(w)).collect::<Vec<_>>().join(" ");
    text.trim_matches(|c: char| " :,-|[]()=>\t".contains(c)).to_owned()
}

/// Consumes `10 x 100.0 us = 1000 us`: number of calls, time of one, time of all.
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
        if of_all == 0 || super::unit_words::seconds(&unit_word.to_lowercase()).is_none() {
            continue;
        }
        out.quantities.push((CALLS_OF_LINE.to_owned(), before[start..].to_owned()));
        out.quantities.push((format!("time ({unit_word})"), behind[..len].to_owned()));
        let tail = total[of_all..].trim_start();
        let word = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let to = text.len() - tail.len() + word;
        rest.take(start, to);
        return;
    }
}
