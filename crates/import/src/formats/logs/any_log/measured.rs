//! The figures of a line of prose: each number with a unit, and the words that say whose it is. Those
//! words are read as the header of a column is, so a line and a table say the same of `peak 989 TFLOPS`,
//! `min=0.2ms` and `cuBLAS: 600 TFLOPS, ours: 550 TFLOPS`.

use crate::ValueCache;
use crate::cell::{self, Quantity, quantity};
use crate::columns::alias::{self, Guess};
use crate::columns::sides::{self, Figure, Lines};
use crate::columns::words::{self, Says, any_says, says};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::ColumnMeaning::{
    self, ReportedBandwidth, ReportedRate, Time, TimeMax, TimeMin,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::LocalKey;

/// What the few texts that the lines of a log repeat mean, worked out once each.
type Memo<T> = RefCell<ValueCache<Rc<T>>>;

thread_local! {
    static HEADERS: Memo<(Guess, Option<Figure>)> = RefCell::default();
    static LABELS: Memo<Label> = RefCell::default();
    static UNITS: Memo<Option<(Quantity, f64)>> = RefCell::default();
}

/// The meaning of a text, of 4,096 that are remembered at a time.
fn known<T>(memo: &'static LocalKey<Memo<T>>, text: &str, meaning: impl FnOnce() -> T) -> Rc<T> {
    memo.with_borrow_mut(|known| {
        if known.values().len() >= 4096 {
            *known = ValueCache::default();
        }
        known.get(text.as_bytes(), |_| Rc::new(meaning())).clone()
    })
}

/// What the text before a number says of it.
struct Label {
    /// Words that say whose it is; `None` where it is not of a call of the GEMM.
    words: Option<String>,
    mean: bool,
    unit: Option<(Quantity, f64)>,
}

/// One figure of a line, in SI units.
#[derive(Debug)]
struct Measure {
    value: f64,
    quantity: Quantity,
    /// As a header would name it, `cuBLAS (ms)`: what a column of this name holds.
    header: Rc<(Guess, Option<Figure>)>,
    /// Words before it that say whose it is.
    label: String,
    /// Where its words begin.
    at: usize,
}

/// What a line says of one library.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// "" where the line has one result.
    pub name: String,
    pub dtype: Option<DataType>,
    /// Seconds, FLOP/s and byte/s; NaN where the line has none.
    pub time_s: f64,
    pub rate: f64,
    pub bandwidth: f64,
}

/// The results of a line, and where the words of the first figure begin.
pub(super) fn measured(line: &str) -> (Vec<Measured>, usize) {
    let all = measures(line);
    let at = all.first().map_or(line.len(), |m| m.at);
    let figures: Vec<(usize, Figure)> = all
        .iter()
        .enumerate()
        .filter(|(_, m)| m.quantity != Quantity::Bandwidth)
        .filter_map(|(i, m)| Some((i, m.header.1.clone()?)))
        .collect();
    let value = |place: Option<usize>| place.map_or(f64::NAN, |i| all[i].value);
    let named = figures.iter().any(|(_, f)| !f.label.is_empty());
    if let (true, Lines::Sides(sides)) = (named, sides::lines(&figures)) {
        let of = |side: sides::Side| Measured {
            name: side.name,
            dtype: side.dtype,
            time_s: value(side.time.map(|t| t.0)),
            rate: value(side.rate.map(|r| r.0)),
            bandwidth: f64::NAN,
        };
        return (sides.into_iter().map(of).collect(), at);
    }
    let strongest = |meanings: &[ColumnMeaning], wanted: Quantity| {
        let mut best: Option<(u8, usize)> = None;
        for (i, m) in all.iter().enumerate().filter(|(_, m)| m.quantity == wanted) {
            let guess = m.header.0;
            let stronger = best.is_none_or(|(s, _)| guess.strength > s);
            if meanings.contains(&guess.spec.meaning) && stronger {
                best = Some((guess.strength, i));
            }
        }
        value(best.map(|b| b.1))
    };
    let one = Measured {
        name: String::new(),
        dtype: None,
        time_s: strongest(&[Time, TimeMin, TimeMax], Quantity::Time),
        rate: strongest(&[ReportedRate], Quantity::Rate),
        bandwidth: strongest(&[ReportedBandwidth], Quantity::Bandwidth),
    };
    let any = one.time_s.is_finite() || one.rate.is_finite();
    (if any { vec![one] } else { Vec::new() }, at)
}

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    /// It begins with a digit.
    Number(&'a str),
    Sign(char),
}

fn tokens(line: &str) -> Vec<(usize, Token<'_>)> {
    let mut out = Vec::new();
    let mut chars = line.char_indices().peekable();
    let of_word = |c: char| c.is_alphanumeric() || "_./%+-".contains(c);
    while let Some((from, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        if !of_word(c) {
            out.push((from, Token::Sign(c)));
            continue;
        }
        let mut to = from + c.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let group = || {
                let behind = &line[at + 1..];
                let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
                digits == 3 && line[from..at].bytes().all(|b| b.is_ascii_digit() || b == b',')
            };
            if !(of_word(c) || c == ',' && group()) {
                break;
            }
            to = at + c.len_utf8();
            chars.next();
        }
        let text = &line[from..to];
        let bare = text.trim_start_matches(['+', '-', '.']);
        out.push((
            from,
            // A name with sizes in it ends what the words before it say.
            match bare.starts_with(|c: char| c.is_ascii_digit()) || has_cross(text) {
                true => Token::Number(text),
                false => Token::Word(text),
            },
        ));
    }
    out
}

/// `mm_64x64x32`
fn has_cross(word: &str) -> bool {
    let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
    let bytes = word.as_bytes();
    word.match_indices('x')
        .any(|(i, _)| i > 0 && digit(bytes.get(i - 1)) && digit(bytes.get(i + 1)))
}

/// The unit that a word is, without `/iter`.
fn unit(word: &str) -> Option<(Quantity, f64)> {
    *known(&UNITS, word, || spelled_unit(word))
}

fn spelled_unit(word: &str) -> Option<(Quantity, f64)> {
    let per_call = ["/iter", "/iteration", "/run", "/call", "/op", "/launch", "/gemm"];
    let word = per_call.iter().find_map(|p| word.strip_suffix(p)).unwrap_or(word);
    Quantity::parse(word.trim_end_matches('.'))
}

/// A number and the unit that is glued to it.
fn number(text: &str) -> Option<(f64, Option<(Quantity, f64)>)> {
    if let Some(v) = cell::number(text.as_bytes()) {
        return Some((v, None));
    }
    let bare = text.split('/').next().unwrap_or(text);
    if let Some((v, q)) = quantity(text.as_bytes()) {
        return Some((v, Some((q, 1.0))));
    }
    let (v, q) = quantity(bare.as_bytes())?;
    unit(&format!("ms{}", &text[bare.len()..])).map(|_| (v, Some((q, 1.0))))
}

fn measures(line: &str) -> Vec<Measure> {
    let tokens = tokens(line);
    let of_many = is_of_many(&tokens);
    let mut out: Vec<Measure> = Vec::new();
    // Where the words of the next figure may begin.
    let mut from = 0;
    let mut i = 0;
    while let Some(&(at, token)) = tokens.get(i) {
        i += 1;
        let Token::Number(text) = token else { continue };
        let Some((v, glued)) = number(text) else {
            from = i;
            continue;
        };
        let start = label_start(&tokens[..i - 1], from);
        let from_label = tokens.get(start).map_or(at, |t| t.0);
        let spelled = &line[from_label..at];
        let label = known(&LABELS, spelled, || Label::new(&tokens[start..i - 1], spelled));
        let stated = label.unit.filter(|_| glued.is_none());
        let next = match tokens.get(i) {
            Some((_, Token::Word(w))) if !is_label(&tokens, i) => unit(w),
            _ => None,
        };
        // `30.1 ± 1.2 us`
        let shared = || {
            let spread = tokens.get(i).is_some_and(|t| is_spread(t.1));
            match (tokens.get(i + 1)?.1, tokens.get(i + 2).map(|t| t.1)) {
                (Token::Number(_), Some(Token::Word(w))) if spread => unit(w),
                _ => None,
            }
        };
        let next = next.or_else(shared);
        let Some((quantity, scale)) = glued.or(stated).or(next) else {
            // `100 runs:` belongs to the words before it.
            if !counts(&tokens, i) {
                from = i;
            }
            continue;
        };
        i += usize::from(glued.is_none() && stated.is_none());
        let before = tokens.iter().rev().find(|t| t.0 < at);
        let spread = before.is_some_and(|t| is_spread(t.1));
        from = i;
        // `100 iterations of 64x64x64 in 25 ms (0.25 ms/iter)`
        let per_call = line[at..].split_whitespace().take(2).any(|w| w.contains('/') || w == "per");
        let whole = of_many && quantity == Quantity::Time && !per_call && !label.mean;
        if !spread
            && !whole
            && let Some(words) = &label.words
        {
            let value = cell::scaled(v, scale);
            out.push(measure(value, quantity, words, out.last(), from_label));
        }
    }
    out
}

fn measure(
    value: f64,
    quantity: Quantity,
    words: &str,
    before: Option<&Measure>,
    at: usize,
) -> Measure {
    let mut label = words.to_owned();
    // `cuBLAS 0.25 ms 600 TFLOPS`
    if let Some(b) = before.filter(|b| label.is_empty() && b.quantity != quantity) {
        label.clone_from(&b.label);
    }
    let header = format!("{label} ({})", quantity.unit());
    let read = || (alias::guess(&header), sides::figure(&header));
    let header = known(&HEADERS, &header, read);
    Measure { value, quantity, header, label, at }
}

impl Label {
    /// That of a text of these pieces.
    fn new(tokens: &[(usize, Token<'_>)], text: &str) -> Self {
        let words = words(tokens);
        Label {
            mean: words.as_ref().is_some_and(|w| is_mean(w)),
            words: words.map(|w| w.join(" ")),
            unit: stated(text.trim_end_matches([' ', ':', '='])),
        }
    }
}

/// The words among some pieces.
fn spoken<'a>(tokens: &[(usize, Token<'a>)]) -> Vec<&'a str> {
    let word = |(_, token): &(usize, Token<'a>)| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    };
    tokens.iter().filter_map(word).collect()
}

/// The words that say what a figure is; `None` where it is not of a call of the GEMM.
fn words<'a>(tokens: &[(usize, Token<'a>)]) -> Option<Vec<&'a str>> {
    let words = spoken(tokens);
    let lower: Vec<String> = words.iter().flat_map(|w| words::words(w)).collect();
    if any_says(&lower, &[Says::Once])
        || any_says(&lower, &[Says::Counted]) && !is_mean(&words)
        || words == ["of"]
        // `Size= 131072000 Ops` is work, no rate.
        || lower.last().is_some_and(|w| w == "size")
    {
        return None;
    }
    let of_sentence = |w: &&str| {
        let lower = w.to_lowercase();
        !says(&lower, &[Says::Prose, Says::Counted])
            && w.chars().any(char::is_alphabetic)
            && unit(w).is_none()
    };
    Some(words.into_iter().filter(of_sentence).collect())
}

fn is_mean(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().flat_map(|w| words::words(w)).collect();
    any_says(&lower, &[Says::Mean]) || lower.iter().any(|w| w == "per" || w == "each")
}

/// The line counts runs, and says nothing of their mean before it does: `100 iterations in 25 ms`.
fn is_of_many(tokens: &[(usize, Token<'_>)]) -> bool {
    (1..tokens.len()).any(|i| {
        let counted = matches!(tokens[i - 1].1, Token::Number(n) if n != "1" && cell::number(n.as_bytes()).is_some());
        counted && counts(tokens, i) && !is_mean(&spoken(&tokens[..i]))
    })
}

/// Where the words before a number begin: behind the last figure, delimiter or other value.
fn label_start(tokens: &[(usize, Token<'_>)], from: usize) -> usize {
    let mut at = tokens.len();
    let assigns = |t: Option<&(usize, Token<'_>)>| matches!(t, Some((_, Token::Sign('=' | ':'))));
    if at > from && assigns(tokens.last()) {
        at -= 1;
    }
    while at > from {
        match tokens[at - 1].1 {
            Token::Sign(',' | ';' | '|' | '{' | '}' | '=' | ':' | '@' | '→') => break,
            // A value: `dtype=bf16`.
            Token::Word(_) if at > 1 && matches!(tokens[at - 2].1, Token::Sign('=')) => break,
            _ => at -= 1,
        }
    }
    at
}

/// The unit that the words before a number state: `time_ms=`, `Time (us):`.
fn stated(label: &str) -> Option<(Quantity, f64)> {
    let last = words::words(label).pop()?;
    let bracketed = label.ends_with([')', ']']);
    let spec = alias::guess(label).spec;
    let of_column = spec.time_unit().map(|u| (Quantity::Time, u.to_si())).or_else(|| {
        let rate = spec.rate_unit().filter(|_| spec.meaning == ReportedRate);
        rate.map(|u| (Quantity::Rate, u.to_si()))
    });
    let of_column =
        of_column.or_else(|| spec.bandwidth_unit().map(|u| (Quantity::Bandwidth, u.to_si())));
    of_column.or_else(|| unit(&last).filter(|_| bracketed || last.len() > 1))
}

/// What stands before the spread of a figure.
fn is_spread(token: Token<'_>) -> bool {
    matches!(token, Token::Sign('±') | Token::Word("+-" | "+/-"))
}

/// The word at this place is what follows it is called, not the unit of what stands before:
/// `0.25 TFLOPS: 68.7`, unlike `0.25 ms: 68.7 TFLOPS`.
fn is_label(tokens: &[(usize, Token<'_>)], i: usize) -> bool {
    let of_label = |t: &Token<'_>| match t {
        Token::Sign(c) => "()[]".contains(*c),
        Token::Word(w) => unit(w).is_some(),
        Token::Number(_) => false,
    };
    let mut behind = tokens[i + 1..].iter().map(|t| t.1).skip_while(of_label);
    let (Some(Token::Sign('=' | ':')), Some(Token::Number(n))) = (behind.next(), behind.next())
    else {
        return false;
    };
    let has_unit = matches!(behind.next(), Some(Token::Word(w)) if unit(w).is_some());
    number(n).is_some_and(|(_, unit)| unit.is_none() && !has_unit)
}

/// The number before this place counts runs: `average over 100 runs: 0.25 ms`.
fn counts(tokens: &[(usize, Token<'_>)], i: usize) -> bool {
    matches!(tokens.get(i), Some((_, Token::Word(w))) if says(&w.to_lowercase(), &[Says::Counted]))
}
