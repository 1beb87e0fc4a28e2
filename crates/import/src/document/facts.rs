//! Facts that a text states about a table: sizes, device, types, unit, calls. Several values of a kind in one place leave
//! it open.

use super::block::{Block, Kind};
use super::sizes::{Stated, stated};
use super::unit_words::{Measure, seconds, unit, unit_word};
use super::words::{
    TypeName, devices_in, library_in, lower_words, number_length, plain_words, type_of_word,
    types_in,
};
use crate::ImportOptions;
use gemmscope_model::dtype::DataType;

/// A fact and the line that states it; line 0 if the user stated it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact<T> {
    pub value: T,
    pub line: u32,
}

impl<T> Fact<T> {
    /// Source of the fact: `line 3`.
    pub(super) fn place(&self) -> String {
        match self.line {
            0 => "as chosen".to_owned(),
            line => format!("line {line}"),
        }
    }
}

/// Types stated by a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Types {
    /// Types of A and B.
    Operands(TypeName, TypeName),
    /// Several candidates, of which one applies.
    OneOf(Vec<TypeName>),
}

/// Facts about a table from the text around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub m: Option<Fact<u32>>,
    pub n: Option<Fact<u32>>,
    pub k: Option<Fact<u32>>,
    pub square: Option<Fact<()>>,
    pub order: Option<Fact<Vec<char>>>,
    pub device: Option<Fact<String>>,
    /// Several devices named in one place; none of them is assumed.
    pub devices: Option<Fact<Vec<String>>>,
    pub types: Option<Fact<Types>>,
    /// Type of the rows that name none, as the settings of the run state it.
    pub recipe: Option<Fact<TypeName>>,
    /// Peak rates by type, in a unit of their own.
    pub peaks: Option<Fact<Vec<(TypeName, f64)>>>,
    pub unit: Option<Fact<(Measure, f64)>>,
    pub calls: Option<Fact<u32>>,
    pub library: Option<Fact<String>>,
}

impl Facts {
    /// Replaces the sizes and the number of calls by those that the user stated.
    pub(super) fn answered(mut self, options: &ImportOptions) -> Facts {
        let sizes = [&mut self.m, &mut self.n, &mut self.k].into_iter().zip(options.sizes());
        for (fact, size) in sizes {
            *fact = size.map(|value| Fact { value, line: 0 }).or(fact.take());
        }
        let calls = options.calls().map(|value| Fact { value, line: 0 });
        self.calls = calls.or(self.calls.take());
        self
    }

    pub(super) fn size(&self, letter: char) -> Option<&Fact<u32>> {
        match letter {
            'm' => self.m.as_ref(),
            'n' => self.n.as_ref(),
            _ => self.k.as_ref(),
        }
    }

    /// Adds what another place states, where nothing is known yet. Sizes only with `sizes`.
    pub(super) fn add(&mut self, other: &Facts, sizes: bool) {
        fn take<T: Clone>(own: &mut Option<T>, other: &Option<T>) {
            if own.is_none() {
                own.clone_from(other);
            }
        }
        if sizes {
            take(&mut self.m, &other.m);
            take(&mut self.n, &other.n);
            take(&mut self.k, &other.k);
            take(&mut self.square, &other.square);
            take(&mut self.order, &other.order);
        }
        // A farther place does not decide what a nearer one leaves open.
        if self.device.is_none() && self.devices.is_none() {
            self.device.clone_from(&other.device);
            self.devices.clone_from(&other.devices);
        }
        take(&mut self.types, &other.types);
        take(&mut self.recipe, &other.recipe);
        take(&mut self.peaks, &other.peaks);
        take(&mut self.unit, &other.unit);
        take(&mut self.calls, &other.calls);
        take(&mut self.library, &other.library);
    }

    pub(super) fn device_name(&self) -> &str {
        self.device.as_ref().map_or("", |d| &d.value)
    }
}

/// Facts that a block states.
pub(super) fn stated_by(block: &Block) -> Facts {
    let text = block.said();
    let mut out = Facts::default();
    sizes(&text, block.line, &mut out);
    device(&text, block.line, &mut out);
    types(&text, block.line, &mut out);
    recipe(&text, block.line, &mut out);
    peaks(&text, block.line, &mut out);
    unit_of(&text, block.line, &mut out);
    calls(&text, block.line, &mut out);
    if matches!(block.kind, Kind::Heading(_))
        && let Some(name) = library_in(&text)
    {
        put(&mut out.library, name.to_owned(), block.line);
    }
    out
}

fn put<T>(place: &mut Option<Fact<T>>, value: T, line: u32) {
    if place.is_none() {
        *place = Some(Fact { value, line });
    }
}

fn sizes(text: &str, line: u32, out: &mut Facts) {
    let Stated { m, n, k, .. } = stated(text);
    for (place, value) in [(&mut out.m, m), (&mut out.n, n), (&mut out.k, k)] {
        if let Some(value) = value {
            put(place, value, line);
        }
    }
    if says_square(text) {
        put(&mut out.square, (), line);
    }
    if let Some(order) = stated_order(text) {
        put(&mut out.order, order, line);
    }
}

fn says_square(text: &str) -> bool {
    let words = lower_words(text);
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let equal = plain.match_indices("m=n=k").any(|(at, s)| !plain[at + s.len()..].starts_with('='));
    // `1024x1024`, `N x N`
    let twice = words.windows(3).any(|w| w[1] == "x" && w[0] == w[2])
        || text.split(|c: char| !(c.is_alphanumeric() || "x×".contains(c))).any(|w| {
            let mut sides = w.split(['x', '×']);
            let first = sides.next().unwrap_or("");
            first.len() > 1
                && first.bytes().all(|b| b.is_ascii_digit())
                && sides.next() == Some(first)
                && sides.next().is_none_or(|s| s == first)
        });
    words.iter().any(|w| w == "square") || equal || twice
}

/// The order of sizes that a text states: `order (M, K, N)`, `shapes as MxNxK`.
fn stated_order(text: &str) -> Option<Vec<char>> {
    let mut run: Vec<char> = Vec::new();
    let mut last = 0;
    for (from, word) in super::words::letter_runs(text) {
        let gap = &text[last..from];
        last = from + word.len();
        let letters: Vec<char> = word.to_lowercase().replace('x', "").chars().collect();
        let upper = word.chars().all(|c| c.is_uppercase() || c == 'x');
        let fits = upper && letters.iter().all(|c| "mnk".contains(*c));
        let near = run.is_empty() || gap.trim().chars().all(|c| ",x×/*".contains(c));
        if word == "x" {
            continue;
        }
        if !fits || !near {
            run.clear();
        }
        if fits {
            run.extend(letters);
        }
        let behind = text[last..].trim_start_matches([' ', ')']);
        let values = behind.starts_with([':', '='])
            && behind[1..].trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '(');
        if run.len() == 3 && !values && ['m', 'n', 'k'].iter().all(|l| run.contains(l)) {
            return Some(run);
        }
    }
    None
}

fn device(text: &str, line: u32, out: &mut Facts) {
    let names = devices_in(text);
    let cards: Vec<&String> =
        names.iter().filter(|n| !n.to_lowercase().starts_with("gfx")).collect();
    let cards = if cards.is_empty() { names.iter().collect() } else { cards };
    let key = |name: &str| {
        let words = lower_words(name);
        words
            .into_iter()
            .filter(|w| !["nvidia", "amd", "google", "tpu"].contains(&w.as_str()))
            .collect::<String>()
    };
    let Some(longest) = cards.iter().max_by_key(|n| n.len()) else { return };
    let one = cards.iter().all(|n| key(n) == key(longest));
    if one {
        put(&mut out.device, (*longest).clone(), line);
    } else {
        put(&mut out.devices, cards.into_iter().cloned().collect(), line);
    }
}

/// Removes types of outputs, accumulators and scales from a text.
fn of_operands(text: &str) -> String {
    const OTHERS: &[&str] = &[
        "out",
        "output",
        "result",
        "acc",
        "accum",
        "accumulator",
        "compute",
        "scale",
        "scales",
        "out_dtype",
    ];
    let mut kept: Vec<&str> = Vec::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut skip = 0;
    for (i, word) in words.iter().enumerate() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let plain =
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '=' && c != ':');
        let name = plain.split(['=', ':']).next().unwrap_or("").to_lowercase();
        let other = OTHERS.contains(&name.trim_end_matches("_dtype").trim_end_matches("_type"));
        if other && (plain.contains('=') || plain.contains(':') || word.ends_with([':', '='])) {
            skip = usize::from(word.ends_with([':', '=']));
            continue;
        }
        // `bf16 output`
        let next =
            words.get(i + 1).map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        let before_other = next.is_some_and(|n| OTHERS.contains(&&*n) || n.starts_with("accum"));
        if before_other && !types_in(word).is_empty() {
            continue;
        }
        let inner = word.find("out_dtype=").map_or(*word, |at| &word[..at]);
        kept.push(inner);
    }
    kept.join(" ")
}

fn types(text: &str, line: u32, out: &mut Facts) {
    // `FP8xFP4(g128)`, `W4A8`
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '×')) {
        if let Some((a, b)) = word.split_once(['x', '×'])
            && let (Some(a), Some(b)) = (types_in(a).pop(), types_in(b).pop())
        {
            put(&mut out.types, Types::Operands(a, b), line);
            return;
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for three in words.windows(3) {
        if matches!(three[1], "x" | "×")
            && let (Some(a), Some(b)) = (types_in(three[0]).pop(), types_in(three[2]).pop())
        {
            put(&mut out.types, Types::Operands(a, b), line);
            return;
        }
    }
    let mut found = types_in(&of_operands(text));
    // `w8a8` may be int8 or fp8.
    if found.is_empty() && lower_words(text).iter().any(|w| w == "w8a8") {
        found.extend([DataType::Int8, DataType::Fp8E4m3].map(TypeName::from));
    }
    let of_software =
        ["driver", "cuda", "software"].iter().any(|w| text.to_lowercase().starts_with(w));
    match &found[..] {
        [] => {}
        [one] => put(&mut out.types, Types::Operands(one.clone(), one.clone()), line),
        _ if !of_software => put(&mut out.types, Types::OneOf(found), line),
        _ => {}
    }
}

/// The type of a run by its settings: `--recipe "nvfp4"`, `precision: mxfp8`, `recipe rowwise`.
fn recipe(text: &str, line: u32, out: &mut Facts) {
    const NAMES: &[&str] = &["recipe", "recipe_name", "precision", "scaling_type"];
    let words: Vec<&str> = plain_words(text).collect();
    let found = words.windows(2).find_map(|pair| {
        let name = pair[0].to_lowercase();
        NAMES.iter().any(|n| name.ends_with(n)).then(|| type_of_recipe(pair[1]))?
    });
    if let Some(name) = found {
        put(&mut out.recipe, name, line);
    }
}

/// The type of a recipe. Those named after their scales alone are of fp8.
fn type_of_recipe(word: &str) -> Option<TypeName> {
    let lower = word.to_lowercase();
    let of_scales = ["rowwise", "tensorwise", "axiswise", "blockwise"];
    match of_scales.iter().any(|scales| lower.starts_with(scales)) {
        true => Some(DataType::Fp8E4m3.into()),
        false => type_of_word(word),
    }
}

/// Peak rates of several types: `peak tops: bf16 2.25e+15, fp8 4.50e+15`.
fn peaks(text: &str, line: u32, out: &mut Facts) {
    if !lower_words(text).iter().any(|w| w.starts_with("peak")) {
        return;
    }
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",;:=()|".contains(c))
        .filter(|w| !w.is_empty())
        .collect();
    let pair = |pair: &[&str]| {
        let rate: f64 = pair[1].parse().ok().filter(|rate| *rate > 0.0)?;
        Some((type_of_word(pair[0])?, rate))
    };
    let found: Vec<(TypeName, f64)> = words.windows(2).filter_map(pair).collect();
    if found.len() > 1 {
        put(&mut out.peaks, found, line);
    }
}

/// A unit without a figure before it: `in TFLOPS`, `(times in ms)`.
fn unit_of(text: &str, line: u32, out: &mut Facts) {
    let mut rest = text.to_owned();
    while let Some(found) = unit(&rest) {
        let before = rest[..found.from].trim_end();
        let last = before.rsplit(|c: char| c.is_whitespace() || "([,:=~".contains(c)).next();
        // The digits in `bf16 TFLOPS` are not a figure.
        let figure = last.is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        let word = &rest[found.from..found.to];
        let announced = ["in", "are", "bare"].iter().any(|w| {
            before.strip_suffix(w).is_some_and(|b| !b.ends_with(|c: char| c.is_alphanumeric()))
        }) || before.ends_with(['(', ',', ':', '/']);
        let stated = match found.measure {
            Measure::Rate => word.len() > 2 && found.factor > 1.0 || word.contains('/'),
            Measure::Time => announced && word != "s" && seconds(&word.to_lowercase()).is_some(),
            Measure::Bandwidth => false,
        };
        let listed = text.len() > 240;
        if !figure && stated && !listed {
            put(&mut out.unit, (found.measure, found.factor), line);
            return;
        }
        rest.replace_range(found.from..found.to, &" ".repeat(found.to - found.from));
    }
}

/// The number of calls that a time covers: `total of 100 iterations`, `time for 1,000 calls`.
fn calls(text: &str, line: u32, out: &mut Facts) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == ','))
        .filter(|w| !w.is_empty())
        .collect();
    let is_calls = |w: &str| w.starts_with("iter") || ["calls", "runs", "launches"].contains(&w);
    for i in 1..words.len() {
        let digits = words[i - 1].replace(',', "");
        let Some(count) = digits.parse::<u32>().ok().filter(|_| is_calls(words[i])) else {
            continue;
        };
        if number_length(words[i - 1]) == 0 {
            continue;
        }
        let before = &words[i.saturating_sub(6)..i - 1];
        let sum = before.iter().any(|w| ["total", "sum", "time", "times"].contains(w));
        let of = before.last().is_some_and(|w| ["of", "for", "over", "per", "all"].contains(w));
        if sum && of && count > 1 {
            put(&mut out.calls, count, line);
            return;
        }
    }
}

/// Name of a unit.
pub(super) fn unit_words((measure, factor): (Measure, f64)) -> &'static str {
    unit_word(measure, factor)
}
